// Package corpus finds the feeds, pages and lists of the wild that tests are measured on. They are next to the
// repository, not in it: a test that needs them is skipped where they are not.
package corpus

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/repository"
)

// Dir gives a folder of the corpus: below RURI_CORPUS, or ../shared/corpus beside the folder that holds go.mod.
func Dir(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("RURI_CORPUS")
	if root == "" {
		repo, err := repository.Root()
		if err != nil {
			t.Fatal(err)
		}
		root = filepath.Join(repo, "..", "shared", "corpus")
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
