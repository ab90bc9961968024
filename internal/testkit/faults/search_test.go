package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// terms are what readers search for: words of all titles, of some titles, of all texts, of one text of each feed, and
// words from the ends of long texts.
func (w *Installation) terms() []string {
	list := []string{"item", "version", "text host*", `"text-3-0"`, "item -version", "title:version is:unread"}
	for _, s := range w.Web.Sites() {
		for i := range s.Items {
			if words := strings.Fields(s.Items[i].Text); len(words) > 100 {
				return append(list, words[len(words)-1])
			}
		}
	}
	return list
}

// searchRequest searches. While there are faults it may fail, and the answer may be of some time ago, but it has
// nothing twice and nothing that does not match, and nothing is damaged.
func (w *Installation) searchRequest(u *user, q string) *request {
	x := &request{role: "api search", method: "GET", path: "/api/search?limit=100&q=" + url.QueryEscape(q)}
	if len(u.saved) > 0 && w.script.IntN(4) == 0 {
		x.path = "/api/searches/1/items"
	}
	x.done = func(answer []byte) {
		var p page
		if err := json.Unmarshal(answer, &p); err != nil && answer != nil {
			w.fail("a search answers %s", answer)
		}
		seen := map[string]bool{}
		for _, it := range p.Items {
			if seen[it.ID] || numberOf(it.Title) == 0 {
				w.fail("%s: %q finds %+v among %d", u.id, q, it, len(p.Items))
			}
			seen[it.ID] = true
		}
	}
	x.settled = func(status int) bool { return status == 404 && strings.HasPrefix(x.path, "/api/searches/") }
	return x
}

// saveRequest saves a search. What is tried again is saved again.
func (w *Installation) saveRequest(u *user) *request {
	name := fmt.Sprint("Search ", len(u.saved))
	if len(u.saved) > 9 {
		return nil
	}
	u.saved[name] = false
	body := fmt.Sprintf(`{"name":%q,"q":"item"}`, name)
	return &request{role: "api save search", method: "POST", path: "/api/searches", body: body, done: func([]byte) {
		u.saved[name] = true
	}}
}

// checkSearches compares what a reader finds, in the end and with nothing in memory, with what looking at all that was
// published finds, and the saved searches with those that were acknowledged.
func (w *Installation) checkSearches(u *user, at map[string]map[int]reader.Seq) {
	ctx := context.Background()
	p := w.process(false)
	held := map[string]*query.Folded{}
	for address := range u.feeds {
		for _, e := range w.Web.Of(address).Items {
			if at[address][e.ID] > 0 {
				held[fmt.Sprintf("%s#%d", address, e.ID)] = query.Fold(&query.Item{Title: e.Title, Text: e.Text})
			}
		}
	}
	for _, text := range w.terms() {
		parsed, err := query.Parse(text, query.Options{})
		if err != nil {
			w.T.Fatal(err)
		}
		if parsed.Unread {
			continue // what is unread is compared in lists
		}
		want := map[string]bool{}
		for key, folded := range held {
			if parsed.Matches(folded) {
				want[key] = true
			}
		}
		got := map[string]bool{}
		for q := (find.Query{Text: text, Limit: 100}); ; {
			page, err := p.app.Find.Search(ctx, u.id, q)
			if err != nil || page.IsBuilding {
				w.fail("%s searches for %q: building %v, %v", u.id, text, page.IsBuilding, err)
				break
			}
			for _, it := range page.Items {
				key := fmt.Sprintf("%s#%d", w.addressOf(it.Feed), numberOf(it.Header.Title))
				if got[key] {
					w.fail("%s finds %s with %q twice", u.id, key, text)
				}
				got[key] = true
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
		if !maps.Equal(got, want) {
			w.fail("%s finds with %q %v, and should find %v", u.id, text, missing(got, want), missing(want, got))
		}
	}
	row, err := p.app.Store.Searches.Get(ctx, u.id)
	if err != nil {
		w.fail("%v", err)
		return
	}
	saved := map[string]bool{}
	for _, s := range row.List {
		saved[s.Name] = true
		if _, isTried := u.saved[s.Name]; !isTried {
			w.fail("%s has a saved search %q, which they never saved", u.id, s.Name)
		}
	}
	for name, isDone := range u.saved {
		if isDone && !saved[name] {
			w.fail("%s: the saved search %q is lost", u.id, name)
		}
	}
}

// missing returns what a set has, and another has not.
func missing(set, of map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(set)), func(key string) bool { return of[key] })
}

// addressOf returns a feed's address, "?" if there is no such feed.
func (w *Installation) addressOf(id reader.FeedID) string {
	f, err := w.observer.app.Store.Feeds.Get(context.Background(), id, true)
	if err != nil {
		return "?"
	}
	return f.URL
}

// TestDamageIsRepaired: whatever happens to a segment, searches answer right or say that the index is damaged, and the
// job that they ask for makes it again.
func TestDamageIsRepaired(t *testing.T) {
	t.Parallel()
	for _, backend := range backends {
		w := New(t, Options{Backend: backend, Seed: 9})
		w.build(4, 1)
		u := w.users[0]
		for range w.Web.Sites() {
			w.request(u, w.addRequest(u))
		}
		w.settle(1)
		ctx, at := t.Context(), map[string]map[int]reader.Seq{}
		err := w.observer.app.Store.Feeds.Each(ctx, func(f *store.FeedRow) error {
			at[f.URL] = w.checkFeed(f, map[string]bool{}, map[string]string{})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		reported := 0
		harm := func(what string, do func(key string, file []byte)) {
			for key := range checkIndex(w.observer.app.Store, blob.New(w.Blobs), w.fail) {
				file, m, err := w.Blobs.Get(ctx, key, blob.MaxSize)
				if fault.Is(err, fault.NotFound) {
					continue // dropped
				}
				do(key, bytes.Clone(file))
				p, isDamaged := w.process(false), false
				for _, text := range w.terms() {
					_, err := p.app.Find.Search(ctx, u.id, find.Query{Text: text, Limit: 100})
					if err != nil && fault.CodeOf(err) != "search_damaged" {
						t.Errorf("%s: %s: %v", backend, what, err)
					}
					isDamaged = isDamaged || err != nil
				}
				if isDamaged {
					reported++
					w.deliver(3)
				}
				w.checkSearches(u, at) // also where the damage is such that nobody finds it
				if !isDamaged {
					_, _ = w.Blobs.Put(ctx, key, file, m, false)
				}
			}
			checkIndex(w.observer.app.Store, blob.New(w.Blobs), w.fail)
			if len(w.errs) > 0 {
				t.Fatalf("%s: %s: %q", backend, what, w.errs)
			}
		}
		harm("nothing", func(string, []byte) {})
		for n := range 16 {
			harm(fmt.Sprintf("a bit in the part %d of 16", n), func(key string, file []byte) {
				file[len(file)*n/16+w.script.IntN(len(file)/16)] ^= 1 << w.script.IntN(8)
				_, _ = w.Blobs.Put(ctx, key, file, blob.Meta{}, false)
			})
		}
		harm("cut off", func(key string, file []byte) {
			_, _ = w.Blobs.Put(ctx, key, file[:len(file)/2], blob.Meta{}, false)
		})
		harm("gone", func(key string, _ []byte) { _ = w.Blobs.Delete(ctx, key) })
		if reported < 8 {
			t.Errorf("%s: damage was reported %d times", backend, reported)
		}
	}
}
