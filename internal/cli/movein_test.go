package cli

import (
	"bytes"
	"context"
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
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/takeout"
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

// label labels every fifth article.
func label(t *testing.T, data, token string) {
	t.Helper()
	h := openInstallation(t, data, nil)
	var page struct{ Items []struct{ ID string } }
	if err := json.Unmarshal(ask(t, h, token, "GET", "/api/items?limit=50", ""), &page); err != nil {
		t.Fatal(err)
	}
	owner, err := h.Store.Accounts.Owner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Store.Trees.Change(t.Context(), owner.ID(), func(tree *library.Tree) error {
		_, err := tree.AddLabel("To cite / later")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for k := 0; k < len(page.Items); k += 5 {
		ask(t, h, token, "PUT", "/api/items/"+page.Items[k].ID+"/labels", `{"labels":["1"]}`)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

// unlabelled is what of an account travels where articles have no labels.
func unlabelled(have map[string]string) map[string]string {
	out := map[string]string{}
	for title, state := range have {
		out[title] = strings.ReplaceAll(state, "/label/To cite / later", "")
	}
	return out
}

// sent keeps the messages that were sent.
type sent struct{ jobs []job.Job }

func (s *sent) Send(_ context.Context, bodies [][]byte, _ time.Duration) error {
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return err
		}
		s.jobs = append(s.jobs, j)
	}
	return nil
}

// moveInByMessages does what the page asks for. Each third request to the other reader
// fails at first.
func moveInByMessages(t *testing.T, data string, other http.Handler, api, password string) {
	t.Helper()
	must(t, data, "", "token", "create", "--name", "begin")
	h := openInstallation(t, data, nil)
	n, failed := 0, map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n++; n%3 == 0 && !failed[r.URL.String()] {
			failed[r.URL.String()] = true
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		other.ServeHTTP(w, r)
	}))
	defer server.Close()
	owner, err := h.Store.Accounts.Owner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	from := takeout.Reader{URL: server.URL, Login: "owner@localhost", Password: password, API: api}
	im, err := h.Takeout.MoveIn(t.Context(), owner.ID(), &from)
	if err != nil {
		t.Fatal(err)
	}
	q := &sent{jobs: []job.Job{{Kind: job.MoveIn, User: owner.ID(), List: im.ID()}}}
	b := movein.Mover{Store: h.Store, Takeout: h.Takeout, Feeds: h.Subscribe, Queue: q, Clock: h.Clock,
		Client: server.Client()}
	for k, crawled := 0, false; k < len(q.jobs); k++ {
		if k > 200 {
			t.Fatal("no end")
		}
		if q.jobs[k].Chunk == 1 && !crawled {
			crawled = true
			if code, _, errs := ruriAt(t, present, data, "", "crawl"); code != ExitOK {
				t.Fatal(errs)
			}
		}
		if err := b.Work(t.Context(), q.jobs[k]); err != nil {
			t.Fatal(err)
		}
	}
	done, err := h.Store.Imports.One(t.Context(), owner.ID(), im.ID())
	percent, feeds := 0, 0
	for _, c := range done.Done {
		percent, feeds = percent+c.N, feeds+len(c.Made)
	}
	if err != nil || done.Ended == 0 || done.Failed != "" || percent != 100 || feeds == 0 {
		t.Errorf("the import is %+v, %v", done, err)
	}
	if _, _, err := h.Blobs.Get(t.Context(), store.ImportBlobKey(owner.ID(), im.ID())); err == nil {
		t.Error("the password is still there")
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestMoveInFromOurOwnDialects: a run that breaks off is continued, and then both accounts are the same.
func TestMoveInFromOurOwnDialects(t *testing.T) {
	t.Parallel()
	from, api := lived(t)
	label(t, from, api)
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
	for _, api := range []string{takeout.Miniflux, takeout.GReader, ""} {
		want := want
		if api == takeout.Miniflux {
			want = unlabelled(want)
		}
		t.Run(api+" for the page", func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			moveInByMessages(t, data, other.Handler(), api, password)
			if got := greaderOf(t, data); !reflect.DeepEqual(got, want) {
				t.Errorf("moved in:\n%v\nwant\n%v", got, want)
			}
		})
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
			args := []string{"move-in", server.URL, "--login", "owner@localhost", "--api=" + api}
			code, _, errs := ruriAt(t, present, data, password+"\n", args...)
			if code != ExitError || !strings.Contains(errs, "Run the same command again") {
				t.Fatalf("what breaks off ends with %d: %s", code, errs)
			}
			rows, err := os.ReadFile(filepath.Join(data, "ruri.db-wal"))
			if err != nil {
				rows, err = os.ReadFile(filepath.Join(data, "ruri.db"))
			}
			if err != nil || bytes.Contains(rows, []byte(password)) {
				t.Errorf("the password is kept, or %v", err)
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
	if code != ExitOK || !strings.Contains(out, "2 feeds, 3 starred or labelled") {
		t.Fatalf("ended with %d: %s%s", code, out, errs)
	}
	want := map[string]string{
		"Tonight": "/label/Birds", "A lapwing in the meadow": "/label/Birds", "Long read": "/label/Birds/read",
		"Storks are back": "/label/Birds/label/To cite/read/starred",
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
		{"move-in ftp://x", "not a valid web address"}, {"move-in " + publisher.URL + "/none --login x --api greader",
			"greader.php"},
	} {
		if code, _, errs := ruri(t, data, "x\n", strings.Fields(c.args)...); code == ExitOK || !strings.Contains(errs,
			c.says) {
			t.Errorf("%s ends with %d: %s", c.args, code, errs)
		}
	}
}
