package localwire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// mover is a user of an installation, whose API is called with a token.
type mover struct {
	t     *testing.T
	app   *localwire.Backend
	clock *clock.Manual
	api   http.Handler
	token string
}

func newMover(t *testing.T) *mover {
	t.Helper()
	data := t.TempDir()
	c, err := config.Load(func(k string) (string, bool) {
		v, ok := map[string]string{"RURI_DATA": data, "RURI_ALLOW_NETS": "127.0.0.0/8", "RURI_RATE_USER": "0"}[k]
		return v, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	m := &mover{t: t, clock: clock.NewManual(start)}
	m.app, err = localwire.Open(t.Context(), c, localwire.Options{Version: "test", Log: slog.New(slog.DiscardHandler),
		Clock: m.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.app.Close() })
	m.api = m.app.Handler()
	owner, err := m.app.Auth.EnsureOwner(t.Context())
	if err == nil {
		m.token, err = m.app.Auth.NewToken(t.Context(), owner.ID(), "test", "", time.Time{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *mover) raw(method, path string, body []byte) []byte {
	m.t.Helper()
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+m.token)
	rec := httptest.NewRecorder()
	m.api.ServeHTTP(rec, r)
	if rec.Code >= 300 {
		m.t.Fatalf("%s %s answers %d: %s", method, path, rec.Code, rec.Body)
	}
	return rec.Body.Bytes()
}

func ask[T any](m *mover, method, path, body string) (v T) {
	m.t.Helper()
	b := m.raw(method, path, []byte(body))
	if len(b) > 0 {
		if err := json.Unmarshal(b, &v); err != nil {
			m.t.Fatal(err)
		}
	}
	return v
}

// work does what is queued, until nothing is.
func (m *mover) work() {
	m.t.Helper()
	for range 50 {
		m.clock.Add(time.Minute)
		list, err := m.app.Queue.Receive(m.t.Context(), 10, 0)
		if err != nil {
			m.t.Fatal(err)
		}
		if len(list) == 0 {
			return
		}
		for _, d := range list {
			if err := m.app.Worker().Handle(m.t.Context(), d.Message); err != nil {
				m.t.Fatal(err)
			}
			if err := m.app.Queue.Ack(m.t.Context(), d); err != nil {
				m.t.Fatal(err)
			}
		}
	}
}

type shownFeed struct {
	ID, URL            string
	CustomTitle        *string
	Folders            []string
	UnreadCount        int
	StarredCount       int
	IsMuted            bool
	OwnIntervalMinutes int
}

type shownItem struct {
	ID, FeedID, Title string
	IsRead, IsStarred bool
}

func (m *mover) feeds() []shownFeed {
	m.t.Helper()
	list := ask[struct{ Feeds []shownFeed }](m, "GET", "/api/feeds", "").Feeds
	slices.SortFunc(list, func(a, b shownFeed) int { return strings.Compare(a.URL, b.URL) })
	return list
}

// picture is all that a person sees, without the numbers that each installation assigns.
func (m *mover) picture() string {
	m.t.Helper()
	var b strings.Builder
	me := ask[struct {
		Preferences json.RawMessage
		Tree        struct{ Folders, Labels []struct{ ID, Name string } }
	}](m, "GET", "/api/me", "")
	fmt.Fprintf(&b, "%s\n", me.Preferences)
	names := map[string]string{}
	for _, f := range me.Tree.Folders {
		names[f.ID] = f.Name
		fmt.Fprintln(&b, "folder", f.Name)
	}
	for _, l := range me.Tree.Labels {
		fmt.Fprintln(&b, "label", l.Name)
	}
	url := map[string]string{}
	for _, f := range m.feeds() {
		url[f.ID] = f.URL
		title := "-"
		if f.CustomTitle != nil {
			title = *f.CustomTitle
		}
		in := make([]string, 0, len(f.Folders))
		for _, id := range f.Folders {
			in = append(in, names[id])
		}
		fmt.Fprintln(&b, "feed", f.URL, title, in, f.UnreadCount, f.StarredCount, f.IsMuted, f.OwnIntervalMinutes)
	}
	for _, path := range []string{"/api/items?limit=200", "/api/items?limit=200&filter=starred",
		"/api/items?limit=200&filter=hidden"} {
		var lines []string
		for _, i := range ask[struct{ Items []shownItem }](m, "GET", path, "").Items {
			lines = append(lines, fmt.Sprintln("item", path, url[i.FeedID], i.Title, i.IsRead, i.IsStarred))
		}
		slices.Sort(lines)
		b.WriteString(strings.Join(lines, ""))
	}
	return b.String()
}

type broughtIn struct {
	Feeds, Subscribed, FeedsWaiting, Items, ItemsWaiting, Rules int
	Failed                                                      []struct{ URL, Code string }
}

// TestTakeoutMovesAUser: what a user has in one installation they have in another that imported their archive,
// and bringing it in again changes nothing.
func TestTakeoutMovesAUser(t *testing.T) {
	t.Parallel()
	forgets := false // the publisher drops its oldest item between the two installations
	publisher := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		n := 30
		_, _ = fmt.Fprintf(w, `<rss version="2.0"><channel><title>Feed %s</title><link>http://example.org/</link>`,
			r.URL.Path)
		for i := range n {
			if forgets && i == 0 {
				continue
			}
			_, _ = fmt.Fprintf(w,
				`<item><guid>%s-%d</guid><title>Item %d of `+
					`%s</title><link>http://example.org%s/%d</link><pubDate>%s</pubDate><description>&lt;p&gt;Body `+
					`%d&lt;/p&gt;</description></item>`,
				r.URL.Path, i, i, r.URL.Path, r.URL.Path, i,
				start.Add(time.Duration(i-n)*time.Hour).Format(time.RFC1123Z), i)
		}
		_, _ = io.WriteString(w, `</channel></rss>`)
	}))
	defer publisher.Close()

	from, to := newMover(t), newMover(t)
	for i := range 3 {
		ask[any](from, "POST", "/api/feeds", fmt.Sprintf(`{"url":"%s/%d","folder":"News/%d"}`, publisher.URL, i, i))
	}
	label := ask[struct{ Labels []struct{ ID string } }](from, "POST", "/api/labels", `{"name":"Later"}`).Labels[0].ID
	list := from.feeds()
	ask[any](from, "PUT", "/api/subscriptions/"+list[0].ID+"/settings",
		`{"title":"Mine","isMuted":true,"fetchIntervalMinutes":720}`)
	ask[any](from, "PUT", "/api/user/preferences", `{"theme":"dark","itemsPerPage":20}`)
	rule := func(id, feed, word, act string) string {
		return `{"id":"` + id + `","name":"` + word + `","isEnabled":true,"feeds":[` + feed +
			`],"folders":[],"match":"all","conditions":[{"field":"title","mode":"phrase","words":["` + word +
			`"],"isNegated":false}],"actions":[` + act + `],"stop":false}`
	}
	revision := ask[struct{ Revision string }](from, "PUT", "/api/rules", `{"revision":"0","rules":[`+
		rule("r1", `"`+list[1].ID+`"`, "Item 25", `{"type":"hide"}`)+","+
		rule("r2", "", "Item 26", `{"type":"label","labelId":"`+label+`"}`)+`]}`)
	_ = revision
	ask[any](from, "POST", "/api/rules/apply", `{"ruleId":"r1"}`)
	ask[any](from, "POST", "/api/rules/apply", `{"ruleId":"r2"}`)
	for _, f := range list {
		items := ask[struct{ Items []shownItem }](from, "GET", "/api/feeds/"+f.ID+"/items?limit=200", "").Items
		for i, item := range items {
			switch {
			case i%3 == 0:
				ask[any](from, "PUT", "/api/items/"+item.ID+"/state", `{"isRead":true}`)
			case i > 20:
				ask[any](from, "PUT", "/api/items/"+item.ID+"/state", `{"isRead":false}`)
			}
			if i%7 == 1 || strings.HasPrefix(item.Title, "Item 0 ") {
				ask[any](from, "PUT", "/api/items/"+item.ID+"/state", `{"isStarred":true}`)
			}
		}
	}
	archive := from.raw("GET", "/api/users/me/export", nil)

	first := ask[broughtIn](to, "POST", "/api/users/me/import", string(archive))
	if first.Feeds != 3 || first.Subscribed != 3 || first.FeedsWaiting != 3 || first.Items != 0 ||
		first.ItemsWaiting == 0 || first.Rules != 2 || len(first.Failed) != 0 {
		t.Fatalf("the first time: %+v", first)
	}
	to.work()
	second := ask[broughtIn](to, "POST", "/api/users/me/import", string(archive))
	if second.Subscribed != 0 || second.FeedsWaiting != 0 || second.ItemsWaiting != 0 ||
		second.Items != first.ItemsWaiting || second.Rules != 0 {
		t.Fatalf("the second time: %+v", second)
	}
	want, got := from.picture(), to.picture()
	if got != want {
		t.Errorf("there is\n%s\nwas\n%s", got, want)
	}
	if third := ask[broughtIn](to, "POST", "/api/users/me/import", string(archive)); third.Items != second.Items ||
		to.picture() != got {
		t.Errorf("the third time changes something: %+v", third)
	}
	if again := to.raw("GET", "/api/users/me/export", nil); len(again) < len(archive)*9/10 {
		t.Errorf("the archive of the other installation has %d bytes, the first %d", len(again), len(archive))
	}

	// A publisher that has dropped what was starred: the star is there all the same, with its body.
	forgets = true
	late := newMover(t)
	ask[broughtIn](late, "POST", "/api/users/me/import", string(archive))
	late.work()
	ask[broughtIn](late, "POST", "/api/users/me/import", string(archive))
	found := 0
	for _, i := range ask[struct{ Items []shownItem }](late, "GET", "/api/items?limit=200&filter=starred", "").Items {
		if !strings.HasPrefix(i.Title, "Item 0 ") {
			continue
		}
		found++
		one := ask[struct{ Item struct{ ContentHTML string } }](late, "GET", "/api/items/"+i.ID, "")
		if !strings.Contains(one.Item.ContentHTML, "Body 0") {
			t.Errorf("its body is %q", one.Item.ContentHTML)
		}
	}
	if found != 3 {
		t.Errorf("%d of 3 stars outlived their items", found)
	}
}
