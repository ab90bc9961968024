package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// check compares the installation with the model and returns the differences.
func (w *Installation) check() []string {
	named := map[string]bool{}
	bodies := map[string]string{}
	at := map[string]map[int]reader.Seq{} // sequence number by feed and item
	ctx := context.Background()
	st := w.observer.app.Store
	err := st.Feeds.Each(ctx, func(f *store.FeedRow) error {
		named[f.Raw] = true
		at[f.URL] = w.checkFeed(f, named, bodies)
		return nil
	})
	if err != nil {
		w.fail("%v", err)
	}
	for _, u := range w.users {
		if u.waiting != nil {
			w.fail("%s: %s %s is still not done after %d tries", u.id, u.waiting.method, u.waiting.path,
				u.waiting.tries)
		}
		w.checkUser(u, at)
		w.checkStars(u, named)
		w.checkSearches(u, at)
	}
	w.checkSubscribers()
	w.checkBlobs(named)
	w.checkQueue()
	return w.errs
}

// checkFeed checks that every published item is stored once, in order, with its latest text.
func (w *Installation) checkFeed(f *store.FeedRow, named map[string]bool, bodies map[string]string) map[int]reader.Seq {
	ctx := context.Background()
	at := map[int]reader.Seq{}
	s := w.Web.Of(f.URL)
	entries := map[int]flow.Entry{}
	for _, e := range s.Items {
		entries[e.ID] = e
	}
	next := reader.Seq(f.Seq)
	ids := map[reader.ItemID]reader.Seq{}
	err := w.observer.app.Store.Items.DescendLatest(ctx, f.ID(), func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		if err != nil {
			return false, err
		}
		named[d.Raw] = true
		if d.First() > reader.Seq(f.Seq) && !w.wanted(f.URL) {
			return true, nil // completed when somebody subscribes again
		}
		if d.Last() != next {
			w.fail("%s: delta %d to %d, expected to end at %d", f.URL, d.First(), d.Last(), next)
		}
		next = d.First() - 1
		for i := len(hs) - 1; i >= 0; i-- {
			h, seq := hs[i], d.First()+reader.Seq(i)
			n := numberOf(h.Title)
			if _, twice := at[n]; twice {
				w.fail("%s: item %d is there twice", f.URL, n)
			}
			at[n] = seq
			id := reader.NewItemID(reader.Minute(d.Stamp), f.ID(), seq)
			if ids[id] > 0 {
				w.fail("%s: two items have the id %s", f.URL, id)
			}
			ids[id] = seq
			raw := d.Raw
			if h.Raw != "" {
				raw = h.Raw
				named[raw] = true
			}
			if !w.wanted(f.URL) {
				continue // without subscribers, the last version need not be stored
			}
			e := entries[n]
			if h.Title != e.Title {
				w.fail("%s: item %d is called %q, its publisher calls it %q", f.URL, n, h.Title, e.Title)
			}
			if text := w.body(raw, bodies); !strings.Contains(text, firstSentence(e.Text)) {
				w.fail("%s: the text of item %d is not in %s", f.URL, n, raw)
			}
		}
		return true, nil
	})
	if err != nil {
		w.fail("%s: %v", f.URL, err)
	}
	if next != 0 {
		w.fail("%s: the items begin at %d", f.URL, next+1)
	}
	w.checkTold(f, ids)
	if w.wanted(f.URL) {
		for n := range entries {
			if at[n] == 0 {
				w.fail("%s: item %d is lost", f.URL, n)
			}
		}
		if f.Errors > 0 || f.Status != string(reader.StatusActive) {
			w.fail("%s: its status is %s %s", f.URL, f.Status, f.ErrCode)
		}
	}
	return at
}

// firstSentence returns the part of a text that identifies the item, its version and its feed.
func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, " of ")
	return ">" + first + " of "
}

// wanted reports whether anybody subscribes to a URL.
func (w *Installation) wanted(url string) bool {
	return slices.ContainsFunc(w.users, func(u *user) bool { return u.feeds[url] != nil })
}

// body returns a raw body, "" if it is missing.
func (w *Installation) body(key string, bodies map[string]string) string {
	text, ok := bodies[key]
	if !ok {
		packed, _, err := w.observer.app.Blobs.Get(context.Background(), key)
		if err == nil {
			var z *gzip.Reader
			if z, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
				var plain []byte
				plain, err = io.ReadAll(z)
				text = string(plain)
			}
		}
		if err != nil {
			w.fail("the body %s cannot be read: %v", key, err)
		}
		bodies[key] = text
	}
	return text
}

// checkUser compares the API's answers to a reader with the model.
func (w *Installation) checkUser(u *user, at map[string]map[int]reader.Seq) {
	var bar struct {
		Feeds []struct {
			ID, URL     string
			UnreadCount int
			ItemCount   int
		}
		Totals struct{ Feeds, Unread int }
	}
	w.look(u, "/api/feeds", &bar)
	if len(bar.Feeds) != len(u.feeds) || bar.Totals.Feeds != len(u.feeds) {
		w.fail("%s has %d feeds, want %d", u.id, len(bar.Feeds), len(u.feeds))
	}
	total := 0
	for _, f := range bar.Feeds {
		m := u.feeds[f.URL]
		if m == nil {
			w.fail("%s has %s, which they never added or have left", u.id, f.URL)
			continue
		}
		row, err := w.rowOf(f.URL)
		if err != nil {
			w.fail("%s: %v", f.URL, err)
			continue
		}
		base := m.base
		if m.auto && row.FirstSeq > 20 {
			base = row.FirstSeq - 20
		}
		want := map[int]bool{}
		for n, seq := range at[f.URL] {
			read, isSet := m.read[n]
			if isSet && !read || !isSet && uint32(seq) > base {
				want[n] = true
			}
		}
		got := map[int]bool{}
		for _, it := range w.items(u, row.ID(), "unread") {
			got[numberOf(it.Title)] = true
		}
		if !maps.Equal(got, want) || f.UnreadCount != len(want) {
			w.fail("%s: of %s are unread %v (count %d), and should be %v", u.id, f.URL, keys(got),
				f.UnreadCount, keys(want))
		}
		if all := w.items(u, row.ID(), "all"); len(all) != len(at[f.URL]) || f.ItemCount != len(all) {
			w.fail("%s: %s lists %d items and counts %d, there are %d", u.id, f.URL, len(all), f.ItemCount,
				len(at[f.URL]))
		}
		total += len(want)
	}
	if bar.Totals.Unread != total {
		w.fail("%s: %d unread in all, and should be %d", u.id, bar.Totals.Unread, total)
	}
}

func keys(m map[int]bool) []int { return slices.Sorted(maps.Keys(m)) }

// checkStars checks that exactly the starred items have stars, each with its body.
func (w *Installation) checkStars(u *user, named map[string]bool) {
	want := map[string]string{}
	for key, id := range u.starred {
		want[id] = key
	}
	got := map[string]bool{}
	err := w.observer.app.Store.Snapshots.Walk(context.Background(), u.id, store.Star, 0, true, 64,
		func(row *store.SnapshotRow) (bool, error) {
			got[row.ID().String()] = true
			named[row.Blob] = true
			return true, nil
		})
	if err != nil {
		w.fail("%v", err)
	}
	var p page
	w.look(u, "/api/items?filter=starred&limit=100", &p)
	listed := map[string]bool{}
	for _, it := range p.Items {
		listed[it.ID] = true
	}
	for id, key := range want {
		if !got[id] || !listed[id] && p.Next == nil {
			w.fail("%s: the star of %s is lost (row %v, listed %v)", u.id, key, got[id], listed[id])
			continue
		}
		var one struct {
			Item struct{ ContentHTML, ContentState string }
		}
		w.look(u, "/api/items/"+id, &one)
		url, n, _ := strings.Cut(key, "#")
		if !strings.Contains(one.Item.ContentHTML, "text-"+n+"-") || !strings.Contains(one.Item.ContentHTML, url) {
			w.fail("%s: the starred %s says %.80q (%s)", u.id, key, one.Item.ContentHTML, one.Item.ContentState)
		}
	}
	for id := range got {
		if want[id] == "" {
			w.fail("%s: item %s is starred and should not be", u.id, id)
		}
	}
	for id := range listed {
		if want[id] == "" {
			w.fail("%s: item %s is listed as starred and should not be", u.id, id)
		}
	}
	w.checkStarCounts(u)
}

// checkStarCounts compares the star counts of subscriptions with the model.
func (w *Installation) checkStarCounts(u *user) {
	counts := map[reader.FeedID]int{}
	for key := range u.starred {
		url, _, _ := strings.Cut(key, "#")
		if f, err := w.rowOf(url); err == nil && u.feeds[url] != nil {
			counts[f.ID()]++
		}
	}
	err := w.observer.app.Store.Subscriptions.Each(context.Background(), u.id, func(r *store.SubscriptionRow) error {
		if n := reader.SeqSet(r.Stars).Len(); n != counts[r.Feed()] {
			w.fail("%s: feed %s counts %d stars and has %d", u.id, r.Feed(), n, counts[r.Feed()])
		}
		return nil
	})
	if err != nil {
		w.fail("%v", err)
	}
}

// checkSubscribers compares the crawler's subscriber rows with the subscriptions.
func (w *Installation) checkSubscribers() {
	ctx := context.Background()
	st := w.observer.app.Store
	err := st.Feeds.Each(ctx, func(f *store.FeedRow) error {
		want := 0
		for _, u := range w.users {
			if u.feeds[f.URL] != nil {
				want++
			}
		}
		subs, err := st.Subscriptions.Subscribers(ctx, f.ID())
		if len(subs) != want || int(f.Subs) != want {
			w.fail("%s has %d subscribers, counts %d, and should have %d", f.URL, len(subs), f.Subs, want)
		}
		return err
	})
	if err != nil {
		w.fail("%v", err)
	}
}

// checkBlobs looks for blobs older than a day to which no row refers.
func (w *Installation) checkBlobs(named map[string]bool) {
	maps.Copy(named, checkIndex(w.observer.app.Store, blob.New(w.Blobs), w.fail))
	left := 0 // segments by jobs that died
	for _, key := range w.Blobs.Keys() {
		m, err := w.Blobs.Stat(context.Background(), key)
		if err != nil {
			w.fail("%v", err)
		}
		if age := w.Clock.Now().Sub(m.Modified); !named[key] && age > 24*time.Hour {
			if left++; isSegment(key) && left <= w.deaths {
				continue
			}
			w.fail("%s is an orphan since %v", key, age)
		}
	}
}

// checkQueue checks that exactly the poison messages are dead letters, with their reasons, and that the queue is empty.
func (w *Installation) checkQueue() {
	dead := map[string]string{}
	for _, m := range w.queue.dead {
		if _, twice := dead[string(m.Body)]; twice {
			w.fail("%s is buried twice", m.Body)
		}
		dead[string(m.Body)] = m.Reason
	}
	for body, why := range w.poison {
		if !strings.Contains(dead[body], why) || dead[body] == "" {
			w.fail("the poison %s is in the dead letters as %q, and should be with %q", body, dead[body], why)
		}
	}
	for body, reason := range dead {
		if _, ok := w.poison[body]; !ok {
			w.fail("a valid message is a dead letter: %s, %s", body, reason)
		}
	}
	for _, m := range w.queue.live {
		w.fail("%s is still in the queue after %d receives", m.Body, m.Receives)
	}
}

// state returns what readers see, as text.
func (w *Installation) state() string {
	var b strings.Builder
	for _, u := range w.users {
		for _, url := range slices.Sorted(maps.Keys(u.feeds)) {
			f, err := w.rowOf(url)
			if err != nil {
				continue
			}
			j, _ := json.Marshal(w.items(u, f.ID(), "all"))
			fmt.Fprintf(&b, "%s %s %s\n", u.id, url, j)
		}
	}
	return b.String()
}
