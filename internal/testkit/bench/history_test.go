package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// live subscribes the owner to feeds as half a year of crawls leaves them: `items` items in all, a first row of 24
// and then one to three to a row, the newest 20 of each feed unread. Rows are written past the rooms, so that 200,000
// items take seconds.
func (w *env) live(feeds, items int) {
	w.tb.Helper()
	var folders []reader.FolderID
	_, err := w.app.Store.Trees.Change(w.tb.Context(), w.owner, func(t *library.Tree) error {
		for i := range (feeds + 49) / 50 {
			folders = append(folders, t.Ensure([]string{fmt.Sprintf("Folder %d", i)}))
		}
		return nil
	})
	must(w.tb, err)
	g, ctx := errgroup.WithContext(w.tb.Context())
	g.SetLimit(8)
	for i := range feeds {
		g.Go(func() error { return w.past(ctx, i, items/feeds, folders[i/50]) })
	}
	must(w.tb, g.Wait())
}

func (w *env) past(ctx context.Context, i, n int, folder reader.FolderID) error {
	now := w.clock.Now()
	url := fmt.Sprintf("https://host%d.example.org/feed/%d.xml", i%50, i)
	row, err := w.app.Store.Feeds.Ensure(ctx, url, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{First: 1, Period: 4, Asked: 60, Subs: 1, Status: string(reader.StatusActive)}
	})
	if err != nil {
		return err
	}
	body := feedBody(i)
	scan, err := extract.Scan(body, "application/rss+xml", url, extract.Options{})
	if err != nil {
		return err
	}
	raw := fmt.Sprintf("feeds/2026/11/21/%d/body.gz", i)
	if err := w.seams.Blobs.Put(ctx, raw, gzipped(body),
		blob.Meta{ContentType: "application/rss+xml", ContentEncoding: "gzip"}); err != nil {
		return err
	}
	heads, known := headers(i, n, now, scan)
	r := rand.New(rand.NewPCG(2, uint64(i)))
	var rows []table.Row
	var ages store.Ages
	var last reader.Minute
	seq := reader.Seq(1)
	for first, size := 0, itemsAFeed; first < n; first, size = first+size, 1+r.IntN(3) {
		size = min(size, n-first)
		at := max(heads[first+size-1].Sort, now.Unix()-170*86400) + 60
		last = max(last+1, reader.MinuteOf(time.Unix(at, 0)))
		d, err := store.NewDelta(row.ID(), seq, last, at*1000, raw, heads[first:first+size])
		if err != nil {
			return err
		}
		sorts := make([]int64, size)
		for k := range sorts {
			sorts[k] = heads[first+k].Sort
		}
		ages = ages.Add(0, seq, sorts)
		one, err := table.NewRow(d)
		if err != nil {
			return err
		}
		rows, seq = append(rows, one), seq+reader.Seq(size)
	}
	for chunk := range slices.Chunk(rows, 500) {
		if err := w.table.WriteRows(ctx, chunk, nil); err != nil {
			return err
		}
	}
	_, err = w.app.Store.Feeds.Modify(ctx, row.ID(), func(f *store.FeedRow) {
		f.Seq = uint32(n)
		f.FirstSeq = uint32(itemsAFeed)
		f.Stamp = uint32(last)
		f.Known = []byte(store.Known(nil).Merge(known, 300))
		f.Raw = raw
		f.NewestAt = heads[n-1].Sort
		f.Ages = []byte(ages)
		f.Title = scan.Title
		f.About = scan.Description
		f.Site = scan.Link
		f.Lang = scan.Language
		f.Hash = []byte{1, 2, 3, 4, 5, 6, 7, 8}
		f.ETag = fmt.Sprintf(`"%016x"`, i)
		f.Changed = now.Unix()
		f.Why = "asked"
	})
	if err != nil {
		return err
	}
	return w.app.Store.Subscriptions.Add(ctx, w.owner, row.ID(), store.SubscriptionRow{
		Since: now.Unix() - 180*86400, Upto: uint32(n) - 20, Folders: []reader.FolderID{folder},
	})
}

// headers gives n items of half a year, the oldest first; the newest are those that the feed lists now.
func headers(i, n int, now time.Time, scan *extract.Feed) (heads []store.Header, known []store.KnownItem) {
	r := rand.New(rand.NewPCG(3, uint64(i)))
	words := strings.Fields("the quick brown fox jumps over a lazy dog while readers of many feeds sleep and nothing " +
		"new arrives at night")
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteByte(' ')
		}
		return b.String()
	}
	listed := min(n, len(scan.Items))
	old := n - listed
	newest := now.Unix() - 30*86400
	shift := r.Int64N(3 * 86400) // no two feeds publish in the same second
	for k := range old {
		at := newest - shift - int64(old-k)*(140*86400)/int64(max(old, 1))
		heads = append(heads, store.Header{
			Identity: uint64(i)<<20 | uint64(k) | 1<<45, Content: uint32(k), Title: text(8),
			Link:    fmt.Sprintf("https://example.org/%d/old/%d", i, k),
			Snippet: text(20), Published: at, Sort: at, Categories: []string{"news"},
		})
	}
	for k := range listed {
		it := &scan.Items[listed-1-k]
		at := it.Published.Unix() - shift
		heads = append(heads, store.Header{
			Identity: it.Identity, Content: it.Content, Title: it.Title, Link: it.Link, Author: it.Author,
			Snippet:   it.Snippet,
			Published: at, Sort: at, Categories: it.Categories,
		})
		known = append(known, store.KnownItem{Identity: it.Identity, Content: it.Content})
	}
	return heads, known
}
