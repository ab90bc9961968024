// Package corpus finds the feeds, pages and lists of the wild that tests are measured on. They lie beside the
// repository, not in it: a test that needs them is skipped where they are not.
package corpus

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Dir gives a folder of the corpus: below RURI_CORPUS, or ../shared/corpus beside the folder that holds go.mod.
func Dir(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("RURI_CORPUS")
	if root == "" {
		root = filepath.Join(repository(t), "..", "shared", "corpus")
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err != nil {
		t.Skip("corpus not present: skipped")
	}
	return dir
}

// ReadJSON reads a file of the corpus, or any other.
func ReadJSON(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}
