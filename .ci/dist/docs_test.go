package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocsSite builds the site, which fails on a link or an anchor that leads nowhere, and looks for its search and for
// the pages of the API.
func TestDocsSite(t *testing.T) {
	if out, err := exec.CommandContext(t.Context(), "../tools.sh", "docs").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: mkdocs cannot be installed: %s", out)
	}
	command(t, "../..", "make", "-s", "docs")
	for name, want := range map[string]string{
		"search/search_index.json": `"location":"use/search/`, "use/reference/index.html": "swagger-ui",
		"openapi.yaml": "/api/items", "run/proxy/index.html": `id="below-a-path"`,
		"run/index.html": "blob/main/README.md",
	} {
		if !strings.Contains(string(read(t, "../../build/docs/"+name)), want) {
			t.Errorf("%s has no %s", name, want)
		}
	}
}

// TestSchemas: what other programs read is as they want it: the workflows, the issue forms, compose.yaml.
func TestSchemas(t *testing.T) {
	command(t, "../..", ".tools/bin/actionlint")
	check := "../../.tools/docs/bin/check-jsonschema"
	need(t, check)
	command(t, "../..", check[len("../../"):], "--builtin-schema", "vendor.compose-spec", "compose.yaml")
	forms, err := filepath.Glob("../../.github/ISSUE_TEMPLATE/*.yml")
	if err != nil || len(forms) == 0 {
		t.Fatalf("%d issue forms, %v", len(forms), err)
	}
	command(t, ".", check, append([]string{"--builtin-schema", "vendor.github-issue-forms"}, forms...)...)
}
