package stream_test

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
)

// remoteTable cannot detect changed rows, as DynamoDB cannot: no side bar stays in memory.
type remoteTable struct{ table.Driver }

// text is prose that packs as prose does.
func (w *world) text(n int) string {
	const words = "the of and a to in is that for it as was with on be by at this reader feed story about which from " +
		"have will they " +
		"一つ の こと を 読む 人 が いる 時 に は 新しい 記事 も 出る"
	var b []byte
	for len(b) < n {
		at := w.rng.IntN(len(words) - 20)
		b = append(b, words[at:at+6+w.rng.IntN(8)]...)
		b = append(b, byte('a'+w.rng.IntN(26)), ' ')
	}
	return strings.ToValidUTF8(string(b[:n]), "")
}

// full makes a delta's headers as publishers write them.
func (w *world) full(id reader.FeedID, n int, at func() int64) []store.Header {
	hs := make([]store.Header, n)
	for i := range hs {
		hs[i] = store.Header{
			Identity: w.rng.Uint64(), Content: w.rng.Uint32(), Title: w.text(60), Author: w.text(12),
			Snippet: w.text(280), Lang: "en",
			Link: fmt.Sprintf("https://example.org/%d/%s?utm_source=rss", id, w.text(30)), Sort: at(),
			Image: "https://img.example.org/" + w.text(30), Categories: []string{w.text(8), w.text(9)},
		}
	}
	return hs
}

// manyFeeds fills a user's feeds: an archive, a month of single items at rates that differ by three orders, and
// an hour ago an item of every feed. The newest few are unread, and of every tenth feed two of the archive.
func manyFeeds(t *testing.T, feeds int) *world {
	t.Helper()
	w := newWorld(t, uint64(feeds))
	begun := w.clk.Now()
	for i := range feeds {
		id := w.feed()
		w.clk.Set(begun)
		archive := w.full(id, 20, func() int64 {
			return begun.Add(-time.Duration(w.rng.IntN(90*24)) * time.Hour).Unix()
		})
		// as a crawl commits it
		slices.SortFunc(archive, func(a, b store.Header) int { return cmp.Compare(a.Sort, b.Sort) })
		w.items(id, archive...)
		every := time.Duration(float64(3*time.Hour) * (1 + 40*w.rng.ExpFloat64()*float64(i)/float64(feeds)))
		for at := begun.Add(every); at.Before(begun.AddDate(0, 0, 30)); at = at.Add(every) {
			w.clk.Set(at)
			w.items(id, w.full(id, 1, func() int64 { return at.Unix() - int64(w.rng.IntN(3600)) })...)
		}
		w.clk.Set(begun.AddDate(0, 0, 30).Add(time.Hour))
		w.items(id, w.full(id, 1, func() int64 { return w.clk.Now().Unix() - int64(w.rng.IntN(3600)) })...)
		known := make([]byte, 0, 30*11)
		for range 30 {
			known = append(binary.BigEndian.AppendUint64(known, w.rng.Uint64()), 1, 2, 3)
		}
		_, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) {
			f.FirstSeq = 20
			f.Known = known
			f.Title = w.text(30)
			f.About = w.text(80)
			f.Site = "https://example.org/" + w.text(20)
			f.ETag = `"` + w.text(30) + `"`
			f.Raw = store.RawPrefix + w.text(140)
			f.Hash = known[:32]
			f.Lang = "en"
			f.Changed = w.clk.Now().Unix()
		})
		w.ok(err)
		sub, err := w.s.Get(t.Context(), user, id)
		w.ok(err)
		read := max(sub.Feed.Seq, 30) - 10 + uint32(w.rng.IntN(10))
		ops := []reader.Op{{Kind: reader.OpReadUpTo, UpTo: reader.Seq(read)}}
		if i%10 == 0 {
			ops = append(ops, reader.Op{Kind: reader.OpUnread, Seqs: []reader.Seq{3, 9}})
		}
		next, _ := reader.Apply(sub.State, reader.Change{Ops: ops, Last: reader.Seq(sub.Feed.Seq), At: 1})
		_, err = w.store.Subscriptions.ChangeState(t.Context(), user, sub.Sub, next)
		w.ok(err)
	}
	w.clk.Add(2 * time.Minute) // no feed has changed lately
	return w
}

// TestReadUnitsOfLists bounds what a full page costs, in either order, where each row read has its price: 40 read units
// with 100 subscriptions, 160 with 1,000; 30 and 60 when the feeds' rows were read in the last minute.
func TestReadUnitsOfLists(t *testing.T) {
	t.Parallel()
	for _, size := range []struct {
		feeds      int
		cold, warm float64
	}{{100, 40, 30}, {1000, 160, 60}} {
		if size.feeds > 100 && testing.Short() {
			continue
		}
		w := manyFeeds(t, size.feeds)
		far := table.New(remoteTable{w.store.Table().Driver()}, table.Options{Clock: w.clk, Kind: store.Kind})
		open := func() *stream.Service { return stream.New(store.New(far, w.clk), w.blobs, w.clk) }
		s := open()
		cost := func(what string, most float64, q stream.Query) stream.Page {
			t.Helper()
			before := far.Meter().Snapshot().TotalReads()
			p, err := s.List(t.Context(), user, q)
			w.ok(err)
			n := far.Meter().Snapshot().TotalReads() - before
			t.Logf("%4d feeds, %-22s %5.1f read units, %d items", size.feeds, what, n, len(p.Items))
			if n > most {
				t.Errorf("%d feeds, %s: %.1f read units, at most %.0f", size.feeds, what, n, most)
			}
			if len(p.Items) != stream.DefaultLimit || p.IsPartial {
				t.Errorf("%d feeds, %s: a page of %d items, partial: %v", size.feeds, what, len(p.Items), p.IsPartial)
			}
			return p
		}
		week := w.clk.Now().AddDate(0, 0, -7).Unix()
		for _, q := range []struct {
			what string
			most float64
			stream.Query
		}{
			{"all", size.cold, stream.Query{}},
			{"unread", size.cold, stream.Query{Filter: stream.Unread}},
			{"since a week", size.cold, stream.Query{Since: week}},
			{"one feed", 12, stream.Query{Scope: stream.Scope{Feed: 2}}},
			{"one feed, oldest", 12, stream.Query{Scope: stream.Scope{Feed: 2}, Oldest: true}},
			{"all, oldest", size.cold, stream.Query{Oldest: true}},
			{"unread, oldest", size.cold, stream.Query{Filter: stream.Unread, Oldest: true}},
		} {
			s = open()
			p := cost(q.what+", cold", q.most, q.Query)
			if q.Feed > 0 {
				continue
			}
			cost(q.what+", warm", size.warm, q.Query)
			for i := range 3 {
				q.Cursor = p.Next
				p = cost(fmt.Sprintf("%s, page %d", q.what, i+2), size.warm, q.Query)
			}
		}
	}
}

// TestReadUnitsOfSnapshots: a page of the largest starred items.
func TestReadUnitsOfSnapshots(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 91)
	id := w.feed()
	rng := rand.New(rand.NewPCG(9, 1))
	for i := range 60 {
		head, err := store.PackHeaders(w.full(id, 1, func() int64 { return 1 }))
		w.ok(err)
		body := make([]byte, store.MaxSnapshotBody)
		for j := range body {
			body[j] = byte(rng.Uint32())
		}
		w.ok(w.store.Snapshots.Put(t.Context(), user, store.Star, reader.NewItemID(reader.Minute(i), id, 1),
			store.SnapshotRow{Feed: uint32(id), Seq: 1, At: 1, Head: head, Body: body}))
	}
	before := w.meter.Snapshot().Reads["star"]
	p, err := w.s.List(t.Context(), user, stream.Query{Filter: stream.Starred})
	w.ok(err)
	if n := w.meter.Snapshot().Reads["star"] - before; len(p.Items) != 50 || n > 24 {
		t.Errorf("%d starred items took %v read units", len(p.Items), n)
	}
}

// TestFreshLists: where the table cannot detect changes, a list may be a minute old, unless a fresh one is requested.
func TestFreshLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 92)
	id := w.feed()
	item := func() { w.items(id, w.full(id, 1, func() int64 { return w.clk.Now().Unix() })...) }
	item()
	s := stream.New(
		store.New(table.New(remoteTable{w.store.Table().Driver()}, table.Options{Clock: w.clk, Kind: store.Kind}),
			w.clk), w.blobs, w.clk)
	want := func(n int, q stream.Query) {
		t.Helper()
		p, err := s.List(t.Context(), user, q)
		w.ok(err)
		if len(p.Items) != n || p.Unread != n {
			t.Errorf("%+v gives %d items, %d unread, want %d", q, len(p.Items), p.Unread, n)
		}
	}
	want(1, stream.Query{})
	w.clk.Add(30 * time.Second)
	item()
	want(1, stream.Query{})
	want(2, stream.Query{Fresh: true})
	w.clk.Add(30 * time.Second)
	item()
	want(2, stream.Query{}) // what was read is cached again
	w.clk.Add(time.Minute)
	want(3, stream.Query{})
}
