package crawl_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// replayed is a world with a feed of a month, in which an older extractor misread half of all items.
type replayed struct {
	*flow.Env
	t    *testing.T
	id   reader.FeedID
	site *flow.Site
	want map[reader.ItemID]string // what the items are, printed
	view string                   // counts and ids
}

func newReplayed(t *testing.T) *replayed {
	r := &replayed{Env: flow.New(t, 1, 1), t: t}
	r.site = r.Web.Site("https://site.example/feed", 12)
	r.site.Keep = 30
	r.id = r.Add(r.site.URL, subscribe.Options{}).ID()
	for i := range 12 {
		r.Advance(25 * time.Hour)
		r.site.Publish(r.Now(), 1+i%3)
		if i == 6 { // an edit: its body is another one than that of its delta
			r.site.Items[8].Title, r.site.Items[8].Text = "Another title", "Another text."
			r.site.Version++
		}
		r.refresh()
	}
	items := r.items()
	read := true
	streams := stream.New(r.Store(), blob.New(r.Blobs), r.Clock)
	for _, id := range slices.Sorted(maps.Keys(items))[3:7] {
		if _, _, err := streams.SetState(context.Background(), flow.User, id,
			stream.Change{Read: &read, Starred: &read}); err != nil {
			t.Fatal(err)
		}
	}
	r.want, r.view = items, r.counts()
	return r
}

func (r *replayed) refresh() {
	r.t.Helper()
	if _, at, err := r.Refresh(r.id); err != nil || !at.IsZero() {
		r.t.Fatalf("refresh: %v, %v", at, err)
	}
}

// items returns all items of the feed as its deltas have them.
func (r *replayed) items() map[reader.ItemID]string {
	r.t.Helper()
	out := map[reader.ItemID]string{}
	err := r.Store().Items.DescendLatest(context.Background(), r.id, func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		for i, h := range hs {
			out[reader.NewItemID(reader.Minute(d.Stamp), r.id, d.First()+reader.Seq(i))] = fmt.Sprintf("%+v", h)
		}
		return true, err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *replayed) counts() string {
	r.t.Helper()
	s, err := stream.New(r.Store(), blob.New(r.Blobs), r.Clock).Get(context.Background(), flow.User, r.id)
	if err != nil {
		r.t.Fatal(err)
	}
	return fmt.Sprint(s.Unread(), s.StarredCount(), s.Feed.Seq, s.Feed.Floor)
}

// damage makes headers as an older extractor would have made them.
func (r *replayed) damage(spoil func(n int, h *store.Header)) {
	r.t.Helper()
	ctx := context.Background()
	known, n := map[uint64]store.KnownItem{}, 0
	sorts := make([]int64, r.Feed(r.id).Seq)
	err := r.Store().Items.DescendLatest(ctx, r.id, func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		if err != nil {
			return false, err
		}
		for i := range hs {
			n++
			before := hs[i].Identity
			spoil(n, &hs[i])
			known[before] = store.KnownItem{Identity: hs[i].Identity, Content: hs[i].Content}
			sorts[int(d.First())+i-1] = hs[i].Sort
		}
		return true, r.Store().Items.Edit(ctx, d, hs)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	// The row as it would be: the times that were read, the old identities, and none of the new.
	row := r.Feed(r.id)
	var old store.Known
	for i := range store.Known(row.Known).Len() {
		it := store.Known(row.Known).At(i)
		if to, ok := known[it.Identity]; ok {
			it.Identity, it.Content = to.Identity, to.Content
		}
		old = old.Merge([]store.KnownItem{it}, it.Day)
	}
	r.Patch(r.id, func(f *store.FeedRow) {
		f.Known = []byte(old)
		f.NewestAt = slices.Max(sorts)
		f.Ages = []byte(store.Ages(nil).Add(0, 1, sorts))
	})
}

// bounded checks that the row's times hold for each item.
func (r *replayed) bounded(what string) {
	r.t.Helper()
	row := r.Feed(r.id)
	err := r.Store().Items.DescendLatest(context.Background(), r.id, func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		for i, h := range hs {
			seq := d.First() + reader.Seq(i)
			if oldest, known := row.Ages.Oldest(seq, reader.Seq(row.Seq)); !known || h.Sort < oldest ||
				h.Sort > row.NewestAt {
				r.t.Errorf("%s: item %d is of %d, the row says %d (%v) to %d", what, seq, h.Sort, oldest,
					known, row.NewestAt)
			}
		}
		return true, err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func older(n int, h *store.Header) {
	switch n % 5 {
	case 0:
		h.Title = "&amp;" + h.Title
	case 1:
		h.Content ^= 0xF0F
	case 2:
		h.Published, h.Estimated, h.Sort = 0, true, h.Sort+3600
	case 3:
		h.Identity ^= 0xABCDEF
	default:
		h.Snippet, h.Lang, h.Categories = "", "", []string{"no", "such"}
	}
}

func (r *replayed) same(what string) {
	r.t.Helper()
	got := r.items()
	if len(got) != len(r.want) {
		r.t.Errorf("%s: %d items, want %d", what, len(got), len(r.want))
	}
	for id, want := range r.want {
		if got[id] != want {
			r.t.Errorf("%s: item %d is\n%s, want\n%s", what, id, got[id], want)
			return
		}
	}
	r.bounded(what)
	if v := r.counts(); v != r.view {
		r.t.Errorf("%s: the counts are %s, want %s", what, v, r.view)
	}
}

// quiet checks that the next polls bring what is published and nothing else.
func (r *replayed) quiet(what string) {
	r.t.Helper()
	before := r.Feed(r.id).Seq
	for n := range uint32(3) {
		r.Advance(26 * time.Hour)
		r.site.Publish(r.Now(), 1)
		r.refresh()
		if seq := r.Feed(r.id).Seq; seq != before+n+1 {
			r.t.Fatalf("%s: %d items are new, want %d", what, seq-before, n+1)
		}
	}
	for id, want := range r.want {
		if got := r.items()[id]; got != want {
			r.t.Errorf("%s: item %d became %s", what, id, got)
			return
		}
	}
}

// A parser that was mended repairs what it once misread: headers, places, identities; nothing else.
func TestReplay(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newReplayed(t)
	if sum, err := r.Main().Crawler.Replay(ctx, r.id, false); err != nil || sum.Changed != 0 ||
		sum.Items != len(r.want) || sum.Missing+sum.Failed+sum.Unmatched > 0 {
		t.Errorf("of a sound feed: %+v, %v", sum, err)
	}
	r.same("after a replay of what is sound")
	r.damage(older)
	spoilt := r.items()
	dry, err := r.Main().Crawler.Replay(ctx, r.id, true)
	if err != nil || !maps.Equal(r.items(), spoilt) {
		t.Errorf("a dry run changes something, %v", err)
	}
	sum, err := r.Main().Crawler.Replay(ctx, r.id, false)
	if err != nil || sum != dry || sum.Changed != len(r.want) || sum.Remapped < 5 {
		t.Errorf("%+v, dry %+v, %v", sum, dry, err)
	}
	r.same("after the replay")
	if sum, err := r.Main().Crawler.Replay(ctx, r.id, false); err != nil || sum.Changed != 0 {
		t.Errorf("a second replay: %+v, %v", sum, err)
	}
	r.quiet("afterwards")
}

// Every step of a replay may be the last; the next one finishes it, and a poll between them brings nothing twice.
func TestReplayWithFaultsAtEveryStep(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for step := 0; ; step++ {
		r := newReplayed(t)
		r.damage(older)
		n, p := 0, r.Main()
		p.Before(func() {
			if n++; n > step {
				p.Kill()
			}
		})
		_, err := p.Crawler.Replay(ctx, r.id, false)
		if p.Dead() != (err != nil) && !p.Dead() {
			t.Fatalf("step %d: %v", step, err)
		}
		r.Restart()
		r.Advance(10 * time.Minute) // a dead one's hold lapses
		if _, err := r.Main().Crawler.Replay(ctx, r.id, false); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		r.same(fmt.Sprintf("step %d", step))
		if at := r.Feed(r.id).Edited; at <= 0 {
			t.Errorf("step %d: edited at %d", step, at)
		}
		r.quiet(fmt.Sprintf("step %d", step))
		if !p.Dead() {
			if step < 15 {
				t.Errorf("only %d steps", step)
			}
			return
		}
	}
}

// What has no body any more stays as it is; an item that came twice is not made one.
func TestReplayLeavesWhatItCannotTell(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := newReplayed(t)
	r.damage(older)
	spoilt := r.items()
	for _, key := range r.Blobs.Keys() {
		if err := r.Blobs.Delete(ctx, key); err != nil {
			t.Fatal(err)
		}
	}
	if sum, err := r.Main().Crawler.Replay(ctx, r.id, false); err != nil || sum.Missing != len(r.want) ||
		sum.Changed != 0 || !maps.Equal(r.items(), spoilt) {
		t.Errorf("%+v, %v", sum, err)
	}
	if _, err := r.Main().Crawler.Replay(ctx, 999, false); !fault.Is(err, fault.NotFound) {
		t.Errorf("of no feed: %v", err)
	}

	// The mended parser polled before the replay: each item came again, under its new identity.
	r = newReplayed(t)
	r.damage(func(_ int, h *store.Header) { h.Identity ^= 0xABCDEF })
	r.Advance(25 * time.Hour)
	r.site.Publish(r.Now(), 1)
	r.refresh()
	before := len(r.items())
	if _, err := r.Main().Crawler.Replay(ctx, r.id, false); err != nil {
		t.Fatal(err)
	}
	ids := map[uint64]int{}
	err := r.Store().Items.DescendLatest(ctx, r.id, func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		for _, h := range hs {
			ids[h.Identity]++
		}
		return true, err
	})
	if err != nil || len(r.items()) != before {
		t.Fatal(err, before)
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d items have the identity %x", n, id)
		}
	}
}

// A crawl that is under way is waited for.
func TestReplayHoldsTheHost(t *testing.T) {
	t.Parallel()
	r := newReplayed(t)
	release, err := r.Main().Crawler.Hold(context.Background(), r.site.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Main().Crawler.Replay(context.Background(), r.id, false); !fault.Is(err, fault.Unavailable) ||
		fault.CodeOf(err) != fault.CodeOf(crawl.ErrBusy) {
		t.Errorf("beside a crawl: %v", err)
	}
	release()
	if _, err := r.Main().Crawler.Replay(context.Background(), r.id, false); err != nil {
		t.Error(err)
	}
}
