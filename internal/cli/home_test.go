package cli

import (
	"flag"
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
	without := []string{"serve", "copy", "cost", "version"}
	for _, c := range commands() {
		i := &invocation{flags: flag.NewFlagSet(c.name, flag.ContinueOnError)}
		c.flags(i)
		if has := i.flags.Lookup("home") != nil; has == slices.Contains(without, c.name) {
			t.Errorf("%s: takes --home: %v", c.name, has)
		}
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
