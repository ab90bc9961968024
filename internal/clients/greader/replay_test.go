package greader_test

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/stream"
)

// truth is the state of each item as the page shows it.
func (w *world) truth(p person) map[string]*item {
	w.t.Helper()
	out := map[string]*item{}
	add := func(q stream.Query) {
		q.Limit, q.Fresh = 200, true
		for range 1000 {
			page, err := w.app.Streams.List(context.Background(), p.id, q)
			w.must(err)
			for _, e := range page.Items {
				out[e.ID.String()] = &item{read: e.Read, starred: e.Starred, title: e.Header.Title, feed: "feed/" +
					e.Feed.String(), link: e.Header.Link}
				for _, o := range e.Also { // folded into it on the page
					other, _, err := w.app.Streams.Find(context.Background(), p.id, o.ID)
					w.must(err)
					out[o.ID.String()] = &item{read: other.Read, starred: other.Starred, title: other.Header.Title,
						feed: "feed/" + other.Feed.String(), link: other.Header.Link}
				}
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				return
			}
		}
	}
	add(stream.Query{})
	add(stream.Query{Filter: stream.Starred})
	return out
}

// same compares what a program has with what the page shows: every unread and every starred item is there, and no state
// differs.
func (a *app) same(p person, when string) {
	a.t.Helper()
	truth := a.truth(p)
	for id, want := range truth {
		have := a.items[id]
		switch {
		case have == nil && (!want.read || want.starred):
			a.t.Fatalf("%s, %s: it misses %q (unread %v, starred %v)", a.name, when, want.title,
				!want.read, want.starred)
		case have == nil:
		case have.read != want.read || have.starred != want.starred:
			a.t.Fatalf("%s, %s: %q is read %v and starred %v there, and %v and %v here", a.name, when, want.title,
				have.read, have.starred, want.read, want.starred)
		case have.title != want.title || have.feed != want.feed || have.link != want.link ||
			!strings.Contains(have.body, want.title):
			a.t.Fatalf("%s, %s: it has %+v for %+v", a.name, when, have, want)
		}
	}
	for id, have := range a.items {
		if truth[id] == nil && (!have.read || have.starred) {
			a.t.Fatalf("%s, %s: it shows %q, which the page does not", a.name, when, have.title)
		}
	}
}

// some returns the decimal ids of n items that a program has, newest first.
func (a *app) some(n int, match func(*item) bool) (ids []string) {
	a.t.Helper()
	order := slices.SortedFunc(maps.Keys(a.items), func(x, y string) int {
		return len(y)*100 + strings.Compare(y, x) - len(x)*100
	})
	for _, id := range order {
		if match(a.items[id]) && len(ids) < n {
			ids = append(ids, id)
		}
	}
	if len(ids) < n {
		a.t.Fatalf("%s has %d such items of %d", a.name, len(ids), n)
	}
	return ids
}

func isUnread(it *item) bool { return !it.read }
func isRead(it *item) bool   { return it.read }

// TestPrograms goes through what people do with each program: a first and later syncs, marks, stars, subscriptions and
// folders, on one machine and in the cloud. Answers are decoded as strictly as the programs do.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, h := range programs {
		for _, remote := range []bool{false, true} {
			t.Run(h.name+map[bool]string{false: ", one machine", true: ", cloud"}[remote], func(t *testing.T) {
				t.Parallel()
				replay(t, h, remote)
			})
		}
	}
}

func replay(t *testing.T, h habits, remote bool) {
	w := newWorld(t, remote)
	one, two := w.web.feed("https://a.example/one", 15), w.web.feed("https://b.example/two", 8)
	first, second := w.subscribe(w.owner, "https://a.example/one"), w.subscribe(w.owner, "https://b.example/two")
	later := func(d time.Duration) { w.clock.Add(d) }
	later(time.Hour)

	a := w.program(h, w.owner)
	a.sync()
	a.same(w.owner, "first sync")
	later(time.Minute)
	a.sync()
	a.same(w.owner, "second sync with nothing new")

	w.web.publish(one, "Fresh news")
	later(time.Hour)
	w.poll(first, second)
	if remote {
		later(2 * time.Minute) // feeds' rows may be held
	}
	a.sync()
	a.same(w.owner, "sync with news")

	a.markRead(a.some(3, isUnread)...)
	a.same(w.owner, "items marked read")
	a.star(true, a.some(2, isUnread)...)
	a.same(w.owner, "items starred")
	a.markUnread(a.some(1, isRead)...)
	a.same(w.owner, "an item marked unread")
	a.star(false, a.some(1, func(it *item) bool { return it.starred })...)
	a.same(w.owner, "a star taken away")
	later(time.Minute)
	a.sync()
	a.same(w.owner, "sync after changes")

	// All is marked as of a moment; what arrives later stays unread.
	seen := w.clock.Now()
	later(time.Hour)
	w.web.publish(two, "After the look")
	w.poll(first, second)
	if remote {
		later(2 * time.Minute)
	}
	a.send("mark-all-as-read", url.Values{"s": {allItems}, "ts": {micro(seen)}})
	a.sync()
	if left := a.some(1, isUnread); len(left) != 1 || a.items[left[0]].title != "After the look" {
		t.Fatalf("%s: %v is left after all was marked", h.name, left)
	}
	a.same(w.owner, "all marked read")
	a.send("mark-all-as-read", url.Values{"s": {"feed/" + second.String()}})
	a.sync()
	a.same(w.owner, "a feed marked read")

	// A new subscription, under its id at once, in a folder.
	w.web.feed("https://c.example/three", 4)
	a.structure()
	form := url.Values{"quickadd": {"https://c.example/three"}}
	if a.token != nil {
		form["T"] = a.token(a)
	}
	status, body := a.do("POST", api+"subscription/quickadd", form)
	if status != 200 {
		t.Fatalf("quickadd answers %d %s", status, body)
	}
	added := strict(t, body, addedShape).(map[string]any)
	id, _ := added["streamId"].(string)
	a.structure()
	if a.feeds[id] != "Feed three" {
		t.Fatalf("%s: %s is not in %v right after it was added", h.name, id, a.feeds)
	}
	a.send("subscription/edit", url.Values{"ac": {"subscribe"}, "s": {id}, "a": {label + "Daily"}})
	a.send("subscription/edit", url.Values{"ac": {"edit"}, "s": {id}, "t": {"My three"}, "a": {label + "Daily"}})
	a.sync()
	a.same(w.owner, "subscribed")
	if a.feeds[id] != "My three" || !slices.Equal(a.folders[id], []string{"Daily"}) {
		t.Fatalf("%s: %s is %q in %v", h.name, id, a.feeds[id], a.folders[id])
	}
	a.send("rename-tag", url.Values{"s": {label + "Daily"}, "dest": {label + "Weekly"}})
	a.send("subscription/edit", url.Values{"ac": {"edit"}, "s": {"feed/" + first.String()}, "a": {label + "Other"}})
	a.send("subscription/edit", url.Values{"ac": {"edit"}, "s": {"feed/" + first.String()}, "a": {label + "Weekly"},
		"r": {label + "Other"}})
	a.sync()
	if !slices.Equal(a.folders[id], []string{"Weekly"}) ||
		!slices.Equal(a.folders["feed/"+first.String()], []string{"Weekly"}) {
		t.Fatalf("%s: folders are %v", h.name, a.folders)
	}
	a.send("mark-all-as-read", url.Values{"s": {label + "Weekly"}})
	a.sync()
	a.same(w.owner, "a folder marked read")
	a.send("disable-tag", url.Values{"s": {label + "Weekly"}})
	a.sync()
	if len(a.folders) > 0 {
		t.Fatalf("%s: folders are %v", h.name, a.folders)
	}

	// A star outlives its subscription.
	star := a.some(1, func(it *item) bool { return it.feed == id })
	a.star(true, star...)
	a.send("subscription/edit", url.Values{"ac": {"unsubscribe"}, "s": {id}})
	a.sync()
	a.same(w.owner, "unsubscribed")
	if it := a.items[star[0]]; a.feeds[id] != "" || it == nil || !it.starred {
		t.Fatalf("%s: after unsubscribing there are %v and %+v", h.name, a.feeds, it)
	}
	if h.name == "Fluent" {
		return // it never asks for the stars themselves
	}
	anew := w.program(h, w.owner)
	anew.sync()
	anew.same(w.owner, "installed anew")
}
