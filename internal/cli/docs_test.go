package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/config"
)

// documents are what tells people to give commands.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"../../README.md", "../../docs/use/*.md", "../../docs/run/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = string(text)
		}
	}
	return texts
}

// TestCommandsOfTheDocs runs every block that is marked as sh, those of a page one after the other in a fresh folder
// with a list of subscriptions.
func TestCommandsOfTheDocs(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: bash is not on this machine")
	}
	block, ran := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$"), 0
	for name, text := range documents(t) {
		script := ""
		for _, m := range block.FindAllStringSubmatch(text, -1) {
			script += m[1]
		}
		if script == "" {
			continue
		}
		ran++
		folder, bin := t.TempDir(), t.TempDir()
		for path, text := range map[string]string{
			folder + "/subscriptions.opml": `<opml version="2.0"><body><outline text="A folder"/></body></opml>`,
			bin + "/ruri":                  "#!/bin/sh\nRURI_TEST_COMMAND=1 exec '" + os.Args[0] + "' \"$@\"\n",
		} {
			if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c",
			"ruri import subscriptions.opml\n"+script)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", name, err, script, out)
		}
	}
	if ran < 3 {
		t.Errorf("only %d pages have blocks", ran)
	}
}

// TestDocsNameCommandsThatExist: also what cannot be run here, because it needs a stack, another reader or root, is a
// command with flags of ours.
func TestDocsNameCommandsThatExist(t *testing.T) {
	t.Parallel()
	line := regexp.MustCompile("(?m)^(?:    )?(?:bin/)?ruri ([a-z][^\n`#|<>]*)" +
		"|`(?:bin/)?ruri ([a-z][^\n`#|<>]*)[^\n`]*`")
	c, _ := config.Load(func(string) (string, bool) { return "", false })
	found := 0
	for name, text := range documents(t) {
		for _, m := range line.FindAllStringSubmatch(text, -1) {
			said := m[1] + m[2]
			words := strings.Fields(said)
			command, rest, err := tree(invocation{config: c}).Find(words)
			if err == nil {
				err = command.ParseFlags(rest)
			}
			if err != nil || !command.HasParent() {
				t.Errorf("%s says: ruri %s: %v", name, said, err)
			}
			found++
		}
	}
	if found < 40 {
		t.Errorf("found only %d commands", found)
	}
}
