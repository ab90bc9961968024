package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSearch: what a user follows is found, newest first, as lines or as JSON; what another follows is not.
func TestSearch(t *testing.T) {
	t.Parallel()
	publisher := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/feed" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprint(w, `<rss version="2.0"><channel><title>Garden</title><link>https://example.org/</link>`)
		for i, title := range []string{"桜の一", "梅", "桜の二", "桜の三"} {
			fmt.Fprintf(w,
				`<item><guid>%d</guid><title>%s</title><link>https://example.org/%[1]d</link><pubDate>Mon, 0%[3]d `+
					`Mar 2026 12:00:00 GMT</pubDate><description>%[4]s word%[1]d</description></item>`, i, title, 2+i,
				strings.Repeat("Long before it. ", 40))
		}
		fmt.Fprint(w, `</channel></rss>`)
	}))
	defer publisher.Close()
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "list.opml")
	if err := os.WriteFile(file, []byte(`<opml version="2.0"><body><outline type="rss" xmlUrl="`+publisher.URL+
		`/feed"/></body></opml>`), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, data, "a long password\n", "user", "add", "b@example.org", "--password-stdin")
	must(t, data, "", "import", file)
	must(t, data, "", "crawl")

	const lines = "2026-03-05  Garden  桜の三  https://example.org/3\n2026-03-04  Garden  桜の二  https://example.org/2\n" +
		"2026-03-02  Garden  桜の一  https://example.org/0\n"
	if out := must(t, data, "", "search", "桜"); out != lines {
		t.Errorf("search printed\n%s", out)
	}
	if out := must(t, data, "", "search", "桜", "の二"); strings.Count(out, "\n") != 1 || !strings.Contains(out, "桜の二") {
		t.Errorf("with two words it printed\n%s", out)
	}
	if out := must(t, data, "", "search", "--limit", "2", "--", "桜", "-の二", "-の一"); strings.Count(out, "\n") != 1 ||
		!strings.Contains(out, "桜の三") {
		t.Errorf("without two words it printed\n%s", out)
	}
	if out := must(t, data, "", "search", "--limit", "1", "桜"); out != strings.SplitAfter(lines, "\n")[0] {
		t.Errorf("with a limit it printed\n%s", out)
	}
	// The crawl has indexed the texts, far beyond what lists show of them.
	if out := must(t, data, "", "search", "word2"); out != "2026-03-04  Garden  桜の二  https://example.org/2\n" {
		t.Errorf("for a word at the end of a text it printed\n%s", out)
	}
	for _, args := range [][]string{{"--filter", "starred", "桜"}, {"紅葉"}, {"--user", "b@example.org", "桜"}} {
		if out := must(t, data, "", append([]string{"search"}, args...)...); out != "" {
			t.Errorf("%q printed %q", args, out)
		}
	}
	var list []struct {
		Title, Link, FeedTitle string
		IsRead                 bool
	}
	if err := json.Unmarshal([]byte(must(t, data, "", "search", "桜", "--json")), &list); err != nil || len(list) != 3 ||
		list[0].Title != "桜の三" || list[0].FeedTitle != "Garden" {
		t.Errorf("as JSON: %+v, %v", list, err)
	}
	if out := must(t, data, "", "search", "紅葉", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("nothing as JSON: %q", out)
	}
	for want, args := range map[string][]string{
		"takes what to search for": {"search"}, "--filter": {"search", "x", "--filter", "new"},
		"Enter at least one word": {"search", "--", "-x"},
		"There is no user":        {"search", "x", "--user", "c@example.org"},
	} {
		if code, out, errs := ruri(t, data, "", args...); code == ExitOK || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%q ended with %d: %q, %q", args, code, out, errs)
		}
	}
}
