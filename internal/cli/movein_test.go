package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/takeout/movein"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// greaderOf returns what an account has, by title of an article: what the Google Reader API says of it.
func greaderOf(t *testing.T, data string) map[string]string {
	t.Helper()
	app := openInstallation(t, data, nil)
	token := strings.TrimSpace(must(t, data, "", "token", "create", "--name", "look", "--scope", "sync"))
	out := map[string]string{}
	for _, stream := range []string{"reading-list", "starred"} {
		r := httptest.NewRequestWithContext(t.Context(), "GET",
			"/reader/api/0/stream/contents/user/-/state/com.google/"+stream+"?n=200", http.NoBody)
		r.Header.Set("Authorization", "GoogleLogin auth="+token)
		w := httptest.NewRecorder()
		app.Handler().ServeHTTP(w, r)
		var page struct {
			Items []struct {
				Title      string
				Categories []string
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
			t.Fatalf("%s: %v", w.Body, err)
		}
		for _, it := range page.Items {
			state := ""
			for _, c := range it.Categories {
				for _, of := range []string{"/read", "/starred", "/label/"} {
					if i := strings.LastIndex(c, of); i >= 0 && (of == "/label/" || i+len(of) == len(c)) {
						state += c[i:]
					}
				}
			}
			out[it.Title] = state
		}
	}
	return out
}

// TestMoveInFromOurOwnDialects: a run that breaks off is continued, and then both accounts are the same.
func TestMoveInFromOurOwnDialects(t *testing.T) {
	t.Parallel()
	from, _ := lived(t)
	want := greaderOf(t, from)
	password := strings.TrimSpace(must(t, from, "", "token", "create", "--name", "move", "--scope", "sync"))
	// Lists over Miniflux's API end some minutes ago.
	c, err := config.Load(func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	other, err := backend.Open(t.Context(), from, backend.Options{Config: c, MustExist: true,
		Clock: clock.NewManual(present.Add(time.Hour))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	for _, api := range movein.APIs() {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			var left atomic.Int64
			left.Store(6)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if left.Add(-1) < 0 {
					w.WriteHeader(http.StatusTeapot)
					return
				}
				other.Handler().ServeHTTP(w, r)
			}))
			defer server.Close()
			data := t.TempDir()
			args := []string{"move-in", server.URL, "--login", "owner@localhost", "--api", api}
			code, _, errs := ruriAt(t, present, data, password+"\n", args...)
			if code != ExitError || !strings.Contains(errs, "Run the same command again") {
				t.Fatalf("what breaks off ends with %d: %s", code, errs)
			}
			state, err := os.ReadFile(filepath.Join(data, "ruri-move-in.json"))
			if err != nil || bytes.Contains(state, []byte(password)) {
				t.Errorf("the state is %s, %v", state, err)
			}
			left.Store(1000)
			for range 2 {
				if code, out, errs := ruriAt(t, present, data, password+"\n", args...); code != ExitOK {
					t.Fatalf("ended with %d: %s%s", code, out, errs)
				}
				if got := greaderOf(t, data); !reflect.DeepEqual(got, want) {
					t.Errorf("moved in:\n%v\nwant\n%v", got, want)
				}
			}
			if code, _, errs := ruriAt(t, present, data, "wrong\n", args...); code != ExitError ||
				!strings.Contains(errs, "does not accept") {
				t.Errorf("a wrong password ends with %d: %s", code, errs)
			}
		})
	}
}

const notes = `<rss version="2.0"><channel><title>Field notes</title>%s</channel></rss>`

// TestMoveInFromFreshRSS: its answers as its greader.php writes them. An article that it does not have any more was
// read, one that is newer than all that it has is news, and a star that its feed does not list stays with its text.
func TestMoveInFromFreshRSS(t *testing.T) {
	t.Parallel()
	publisher := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		items := ""
		if r.URL.Path == "/notes.xml" {
			for _, it := range [][3]string{{"news", "Tonight", "Wed, 01 Apr 2026 07:00:00 GMT"},
				{"lapwing", "A lapwing in the meadow", "Wed, 01 Apr 2026 06:00:00 GMT"},
				{"storks", "Storks are back", "Tue, 31 Mar 2026 06:00:00 GMT"},
				{"gone", "Long read", "Sun, 01 Mar 2026 06:00:00 GMT"}} {
				items += fmt.Sprintf("<item><guid>%s</guid><link>https://notes.example/%[1]s</link><title>%s</title>"+
					"<pubDate>%s</pubDate></item>", it[0], it[1], it[2])
			}
		}
		fmt.Fprintf(w, notes, items)
	}))
	defer publisher.Close()
	b, err := os.ReadFile("../takeout/movein/testdata/freshrss.json")
	if err != nil {
		t.Fatal(err)
	}
	var answers map[string]json.RawMessage
	if err := json.Unmarshal(bytes.ReplaceAll(b, []byte("PUBLISHER"), []byte(publisher.URL)), &answers); err != nil {
		t.Fatal(err)
	}
	freshRSS := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Method + " " + r.URL.Path
		if c := r.URL.Query().Get("c"); c != "" {
			name += "?" + url.Values{"c": {c}}.Encode()
		}
		answer, ok := answers[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if text := ""; json.Unmarshal(answer, &text) == nil {
			_, _ = io.WriteString(w, text)
			return
		}
		_, _ = w.Write(answer)
	}))
	defer freshRSS.Close()
	data := t.TempDir()
	code, out, errs := ruri(t, data, "password\n", "move-in", freshRSS.URL, "--login", "anna")
	if code != ExitOK || !strings.Contains(out, "2 feeds, 2 starred") {
		t.Fatalf("ended with %d: %s%s", code, out, errs)
	}
	want := map[string]string{
		"Tonight": "/label/Birds", "A lapwing in the meadow": "/label/Birds", "Long read": "/label/Birds/read",
		"Storks are back": "/label/Birds/read/starred",
	}
	got := greaderOf(t, data)
	api := strings.TrimSpace(must(t, data, "", "token", "create", "--name", "api"))
	starred := string(ask(t, openInstallation(t, data, nil), api, "GET", "/api/items?filter=starred", ""))
	if !strings.Contains(starred, "The old pier") || !strings.Contains(starred, `"https://notes.example/storks"`) {
		t.Errorf("starred are %s", starred)
	}
	for title, state := range want {
		for _, part := range strings.SplitAfter(strings.ReplaceAll(state, "/read", " /read"), " ") {
			if !strings.Contains(got[title], strings.TrimSpace(part)) {
				t.Errorf("%s is %q, want %q", title, got[title], state)
			}
		}
		if strings.Contains(got[title], "/read") != strings.Contains(state, "/read") {
			t.Errorf("%s is %q, want %q", title, got[title], state)
		}
	}
	for _, c := range []struct{ args, says string }{
		{"move-in ftp://x", "no address"}, {"move-in " + publisher.URL + "/none --login x --api greader",
			"greader.php"},
	} {
		if code, _, errs := ruri(t, data, "x\n", strings.Fields(c.args)...); code == ExitOK || !strings.Contains(errs,
			c.says) {
			t.Errorf("%s ends with %d: %s", c.args, code, errs)
		}
	}
}
