package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/doubles"
)

// TestEveryCommandTakesAnInstallation, except those that concern none that is deployed, or name two.
func TestEveryCommandTakesAnInstallation(t *testing.T) {
	t.Parallel()
	without := []string{"serve", "healthcheck", "copy", "cost", "man", "verify", "version"}
	for _, g := range groups() {
		for _, c := range g.commands {
			if has := c.cobra(&invocation{}, c.name).Flag("home") != nil; has == slices.Contains(without, c.name) {
				t.Errorf("%s: takes --home: %v", c.name, has)
			}
		}
	}
}

// TestHelp: each command has a heading, one line and an example; what is asked for goes to standard output.
func TestHelp(t *testing.T) {
	t.Parallel()
	out := must(t, t.TempDir(), "", "--help")
	if strings.Contains(out, "Additional Commands") || !strings.Contains(out, "Exit codes") {
		t.Errorf("a command has no heading, or the help no exit codes:\n%s", out)
	}
	for _, g := range groups() {
		for _, c := range g.commands {
			help := must(t, t.TempDir(), "", append(strings.Fields(c.name), "--help")...)
			if !strings.HasPrefix(help, c.help) ||
				g.title != aboutProgram && !strings.Contains(help, "  ruri "+c.name) {
				t.Errorf("%s --help prints %s", c.name, help)
			}
		}
	}
}

// TestManualPagesAndCompletion: each command has a page, the same in two runs, and each shell its completion.
func TestManualPagesAndCompletion(t *testing.T) {
	t.Parallel()
	var pages [2]string
	for k := range pages {
		dir := t.TempDir()
		must(t, "data", "", "man", dir)
		for _, g := range groups() {
			for _, c := range g.commands {
				b, err := os.ReadFile(filepath.Join(dir, "ruri-"+strings.ReplaceAll(c.name, " ", "-")+".1"))
				if err != nil || !strings.Contains(string(b), c.help) {
					t.Errorf("the manual page of %s is %q, %v", c.name, b, err)
				}
				pages[k] += string(b)
			}
		}
	}
	if pages[0] != pages[1] {
		t.Error("two runs of ruri man differ")
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if out := must(t, t.TempDir(), "", "completion", shell); !strings.Contains(out, "__complete") {
			t.Errorf("the completion of %s is %q", shell, out)
		}
	}
	if code, _, _ := ruri(t, t.TempDir(), "", "completion", "csh"); code != ExitUsage {
		t.Errorf("the completion of a shell that has none ends with %d", code)
	}
	for line, want := range map[string]string{"watch re": "results", "search --filter un": "unread"} {
		args := append([]string{"__complete"}, strings.Fields(line)...)
		if out := must(t, t.TempDir(), "", args...); !strings.Contains(out, want) {
			t.Errorf("%s is completed as %s", line, out)
		}
	}
}

// TestDoctor: its exit code says whether there is a problem, whatever is wrong with the settings.
func TestDoctor(t *testing.T) {
	t.Parallel()
	examine := func(args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = run(t.Context(), Env{
			Args: append([]string{"doctor", "--data", filepath.Join(t.TempDir(), "gone")}, args...), Version: "test",
			Stdout: &o, Stderr: &e, Lookup: func(k string) (string, bool) {
				v, ok := map[string]string{"RURI_PROJECT_URL": "http://127.0.0.1:1/", "RURI_PARALLEL": "x"}[k]
				return v, ok
			},
		})
		return code, o.String(), e.String()
	}
	code, out, errs := examine()
	if code != ExitError || !strings.Contains(out, "PROBLEM  settings") || !strings.Contains(out, "PROBLEM  folder") ||
		!strings.Contains(out, "-> ") || !strings.Contains(errs, "what to do") {
		t.Errorf("doctor ended with %d: %s%s", code, out, errs)
	}
	var list []struct{ Check, Level, Do string }
	_, out, _ = examine("--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) < 2 || list[1].Check != "folder" ||
		list[1].Do == "" {
		t.Errorf("doctor --json printed %s: %v", out, err)
	}
}

// TestCommandsOnAStack does over the services' protocols what an owner of a stack does from the command line.
func TestCommandsOnAStack(t *testing.T) {
	t.Parallel()
	publisher := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = w.Write(
			[]byte(`<rss version="2.0"><channel><title>News</title><item><guid>1</guid><title>lapwing</title></item>` +
				`</channel></rss>`))
	}))
	defer publisher.Close()
	cloud := doubles.NewCloud(t)
	env := maps.Clone(cloud.Env())
	env["RURI_ALLOW_NETS"] = "127.0.0.0/8"
	w := newDlqWorld(t, "aws:"+cloud.Deploy(t, doubles.StorageTemplate), env)
	list := filepath.Join(t.TempDir(), "list.opml")
	opml := `<opml version="2.0"><body><outline type="rss" text="News" xmlUrl="` + publisher.URL +
		`/feed"/></body></opml>`
	if err := os.WriteFile(list, []byte(opml), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"user", "add", "anna@example.org"}, "added"},
		{[]string{"user", "link", "anna@example.org"}, "/auth/link/"},
		{[]string{"token", "create", "--name", "script"}, ""},
		{[]string{"token", "list"}, "script"},
		{[]string{"token", "list", "--json"}, `"name":"script","scope":""`},
		{[]string{"user", "list"}, "anna@example.org"},
		{[]string{"user", "list", "--json"}, `"owner":true`},
		{[]string{"user", "signup", "invitation"}, "invitation"},
		{[]string{"import", list}, "1 feeds imported"},
		{[]string{"crawl", "--all"}, "1 new items"},
		{[]string{"feeds"}, "News"},
		{[]string{"runs"}, "1 polls by schedule"},
		{[]string{"index", "--rebuild"}, "A new index was made. Items: 1"},
		{[]string{"search", "lapwing"}, "lapwing"},
		{[]string{"export"}, publisher.URL},
	} {
		if out := w.must(step.args...); !strings.Contains(out, step.want) {
			t.Errorf("ruri %s says %s", strings.Join(step.args, " "), out)
		}
	}
}
