package docs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/ruri-reader/ruri/docs"
)

var update = flag.Bool("update", false, "write openapi.json anew from openapi.yaml")

// TestJSONIsTheYAML holds the served document to the one that people edit.
func TestJSONIsTheYAML(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want.Bytes(), docs.OpenAPI) {
		t.Error("docs/openapi.json is not docs/openapi.yaml: run go test ./docs -update")
	}
}

// TestTheLicenceIsTold in the file that everybody looks for, and where package managers look.
func TestTheLicenceIsTold(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"../LICENSE": "Copyright (c) 2026 The Ruri Reader authors", "../web/package.json": `"license": "MIT"`,
		"../README.md": "[MIT](LICENSE)",
	} {
		if b, err := os.ReadFile(file); err != nil || !bytes.Contains(b, []byte(want)) {
			t.Errorf("%s does not say %q, %v", file, want, err)
		}
	}
}

// TestPagesStayShort: all that a newcomer may have to read, without the records of decisions, the reference of the API
// and the list of demands, has at most 30,000 words.
func TestPagesStayShort(t *testing.T) {
	t.Parallel()
	words := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" || strings.Contains(path, "decisions") ||
			slices.Contains([]string{"demands.md", "api.md", "codes.md"}, filepath.Base(path)) {
			return err
		}
		b, err := os.ReadFile(path)
		words += len(bytes.Fields(b))
		return err
	})
	if err != nil || words > 30_000 {
		t.Errorf("the pages have %d words, %v: take out what the code says, or what another page says", words, err)
	}
}
