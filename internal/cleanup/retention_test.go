package cleanup_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/cleanup"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// house is a whole installation that is tidied.
type house struct {
	*flow.Env
	t       *testing.T
	o       cleanup.Options
	streams *stream.Service
	nights  int
}

func newHouse(t *testing.T, seed uint64, o cleanup.Options) *house {
	h := &house{Env: flow.New(t, seed, 1), t: t, o: o}
	h.Blobs.Clock = h.Clock
	h.streams = stream.New(h.Store(), blob.New(h.Blobs), h.Clock)
	return h
}

// night tidies, in the main process.
func (h *house) night() (cleanup.Report, error) {
	h.nights++
	return h.tidy().Run(context.Background(), job.Job{Kind: job.Cleanup})
}

func (h *house) tidy() *cleanup.Service {
	o, p := h.o, h.Main()
	o.Recount = p.Subscribe.Recount
	return cleanup.New(p.Store, blob.New(h.Blobs), h.Queue, h.Clock, slog.New(slog.DiscardHandler), o)
}

func (h *house) mustNight() cleanup.Report {
	h.t.Helper()
	r, err := h.night()
	if err != nil || !r.Done {
		h.t.Fatalf("night %d: %+v, %v", h.nights, r, err)
	}
	return r
}

// day lets a day pass with a poll of some feeds at its end and a night.
func (h *house) day(feeds ...reader.FeedID) {
	h.t.Helper()
	h.Advance(24 * time.Hour)
	for _, id := range feeds {
		if _, at, err := h.Refresh(id); err != nil || !at.IsZero() {
			h.t.Fatalf("refresh: %v, %v", at, err)
		}
	}
	h.mustNight()
}

// check compares what is counted with what can be read, and gives the ids of all items.
func (h *house) check(id reader.FeedID) map[reader.ItemID]store.Header {
	h.t.Helper()
	ids, unread, cursor := map[reader.ItemID]store.Header{}, 0, ""
	for {
		p, err := h.streams.List(context.Background(), flow.User,
			stream.Query{Scope: stream.Scope{Feed: id}, Filter: stream.All, Cursor: cursor, Limit: 100})
		if err != nil {
			h.t.Fatal(err)
		}
		for i := range p.Items {
			ids[p.Items[i].ID] = p.Items[i].Header
			if !p.Items[i].Read {
				unread++
			}
		}
		if cursor = p.Next; cursor == "" {
			break
		}
	}
	sub, err := h.streams.Get(context.Background(), flow.User, id)
	if err != nil {
		h.t.Fatal(err)
	}
	if n := int(sub.Feed.Seq - sub.Feed.Floor); n != len(ids) || unread != sub.Unread() {
		h.t.Errorf("%v: the feed has %d items, %d unread; there are %d and %d", h.Now().Format(time.DateOnly), n,
			sub.Unread(), len(ids), unread)
	}
	return ids
}

// C-10, C-11, G-40: what is older than the retention goes, what counts is always there, and what the publisher lists
// again of it is not new.
func TestFloorsMove(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 1, cleanup.Options{Expire: true, Keep: 30})
	s := h.Web.Site("https://site.example/feed", 3)
	f := h.Add(s.URL, subscribe.Options{}).ID()
	var shown []flow.Entry
	moves, last := 0, uint32(0)
	for day := range 200 {
		s.Publish(h.Now(), 2)
		shown = append(shown, s.Items[:2]...)
		h.day(f)
		row := h.Feed(f)
		if row.Floor != last {
			moves++
			last = row.Floor
		}
		if day%10 != 9 {
			continue
		}
		h.check(f)
		// Thirty days of two items, at most a week more.
		if n := row.Seq - row.Floor; day > 60 && (n < 60 || n > 76) {
			t.Errorf("day %d: %d items are kept", day, n)
		}
	}
	if moves < 20 || moves > 25 {
		t.Errorf("the floor moved %d times in 200 days", moves)
	}
	// The publisher lists all that it ever had.
	before := h.Feed(f)
	s.Keep = 1000
	slices.Reverse(shown)
	s.Items = shown[:190]
	s.Version++
	h.day(f)
	if row := h.Feed(f); row.Seq > before.Seq+uint32(len(s.Items)) || row.Floor < before.Floor {
		t.Errorf("from %d to %d items", before.Seq, row.Seq)
	}
	h.check(f)
}

// C-11: what left within thirty days is known, floor or not.
func TestWhatComesBackIsNotNew(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 2, cleanup.Options{Expire: true, Keep: 7})
	s := h.Web.Site("https://site.example/feed", 0)
	s.Keep = 40
	s.Publish(h.Now(), 40)
	f := h.Add(s.URL, subscribe.Options{}).ID()
	all := slices.Clone(s.Items)
	for range 25 {
		s.Publish(h.Now(), 1) // the oldest drops off the list
		h.day(f)
	}
	row := h.Feed(f)
	if row.Floor < 30 {
		t.Fatalf("the floor is %d of %d", row.Floor, row.Seq)
	}
	s.Keep = 100
	s.Items = append(slices.Clone(s.Items), all[len(all)-25:]...) // listed again, all below the floor
	s.Version++
	h.day(f)
	if now := h.Feed(f); now.Seq != row.Seq {
		t.Errorf("%d items came back as new", now.Seq-row.Seq)
	}
	h.check(f)
}

// A quiet feed keeps its newest items for years, and their bodies; a delta that the floor cuts through stays whole.
func TestTheNewestItemsOfAQuietFeedStay(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 3, cleanup.Options{Expire: true})
	s := h.Web.Site("https://site.example/feed", 0)
	s.Keep = 60
	s.Publish(h.Now(), 50)
	f := h.Add(s.URL, subscribe.Options{}).ID()
	for range 3 {
		s.Publish(h.Now(), 1)
		h.day(f)
	}
	var ids map[reader.ItemID]store.Header
	for range 110 {
		h.Advance(6 * 24 * time.Hour)
		h.day()
	}
	row := h.Feed(f)
	if row.Seq != 53 || row.Floor != 33 {
		t.Fatalf("the floor is %d of %d", row.Floor, row.Seq)
	}
	if ids = h.check(f); len(ids) != 20 {
		t.Errorf("%d items are left", len(ids))
	}
	for id := range ids {
		e, sub, err := h.streams.Find(context.Background(), flow.User, id)
		if err != nil {
			t.Fatal(err)
		}
		b, err := h.streams.Body(context.Background(), flow.User, e, sub)
		if err != nil || b.State != stream.ContentFull {
			t.Errorf("item %d: the body is %s, %v", e.Seq, b.State, err)
		}
	}
}

// An installation that slept for two years counts what it still has, from its first night on.
func TestALongSleep(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 4, cleanup.Options{Expire: true})
	s := h.Web.Site("https://site.example/feed", 5)
	f := h.Add(s.URL, subscribe.Options{}).ID()
	s.Publish(h.Now(), 3)
	h.day(f)
	h.Advance(2 * 365 * 24 * time.Hour)
	s.Publish(h.Now(), 4)
	h.day(f)
	if ids := h.check(f); len(ids) != 4 {
		t.Errorf("%d items are left", len(ids))
	}
}

// Who wants to keep items for longer than before loses none that are still there.
func TestLongerRetention(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 5, cleanup.Options{Expire: true, Keep: 30})
	s := h.Web.Site("https://site.example/feed", 3)
	s.Keep = 5
	f := h.Add(s.URL, subscribe.Options{}).ID()
	for range 100 {
		s.Publish(h.Now(), 1)
		h.day(f)
	}
	had := h.check(f)
	h.o.Keep = 400
	for range 300 {
		h.day()
	}
	now := h.check(f)
	for id, head := range had {
		if now[id].Identity != head.Identity {
			t.Errorf("item %d is lost", id)
		}
	}
}

// Every step of a night may be the last: in the end the floor is where it would be, and nothing above it is lost.
func TestFloorsWithFaultsAtEveryStep(t *testing.T) {
	t.Parallel()
	for step := 0; ; step++ {
		h := newHouse(t, 6, cleanup.Options{Expire: true})
		s := h.Web.Site("https://site.example/feed", 0)
		s.Keep = 30
		s.Publish(h.Now(), 5)
		f := h.Add(s.URL, subscribe.Options{}).ID()
		for range 30 {
			s.Publish(h.Now(), 1)
			h.day(f)
		}
		h.Advance(205 * 24 * time.Hour)
		n := 0
		p := h.Main()
		p.Before(func() {
			if n++; n > step {
				p.Kill()
			}
		})
		_, err := h.night()
		died := p.Dead()
		if died != (err != nil) || err != nil && !flow.IsDead(err) && !errors.Is(err, context.Canceled) &&
			!fault.Is(err, fault.Unavailable) {
			t.Fatalf("step %d: %v", step, err)
		}
		h.check(f)
		h.Restart()
		h.mustNight()
		if row := h.Feed(f); row.Seq-row.Floor != store.KeepNewest {
			t.Errorf("step %d: the floor is %d of %d", step, row.Floor, row.Seq)
		}
		for range 10 { // what a crash left to expire would be gone
			h.Advance(9 * 24 * time.Hour)
			h.day()
		}
		if ids := h.check(f); len(ids) != store.KeepNewest {
			t.Errorf("step %d: %d items", step, len(ids))
		}
		if !died {
			if step < 8 {
				t.Errorf("only %d steps", step)
			}
			return
		}
	}
}

// A hundred feeds in their second year: what their nights cost, beside the crawl.
func TestNightsAreCheap(t *testing.T) {
	t.Parallel()
	h := newHouse(t, 7, cleanup.Options{Keep: 30})
	h.Blobs.Light = true
	ctx, day := context.Background(), schedule.TicksPerDay
	for i := range 100 {
		f := h.Add(h.Web.Site(fmt.Sprintf("https://site%d.example/feed", i), 10).URL, subscribe.Options{}).ID()
		// Two deltas a day, for as long as rows are there.
		row := h.Feed(f)
		for d := range 240 {
			at := h.Now().Add(-time.Duration(240-d) * 12 * time.Hour)
			hs := []store.Header{{Identity: uint64(d), Title: "An item",
				Snippet: "Some words of it, as long as they are."}}
			delta, err := store.NewDelta(f, reader.Seq(row.Seq+1+uint32(d)), reader.Minute(d),
				at.UnixMilli(), "raw", hs)
			if err == nil {
				delta.TTL = store.KeptUntil(at, 30)
				err = h.Store().Items.Put(ctx, delta)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		h.Patch(f, func(f *store.FeedRow) {
			f.Seq = row.Seq + 240
			f.Floor = row.Seq + 180 - 14
			f.Known = make([]byte, 11*100)
		})
	}
	if err := h.Store().Leases.MarkCleaned(ctx, schedule.DayOf(h.Tick()), 30); err != nil {
		t.Fatal(err)
	}
	before := h.Main().Units()
	const nights = 7
	for range nights {
		h.To(h.Tick()+day, 0)
		h.mustNight()
	}
	after := h.Main().Units()
	writes, reads := (after.TotalWrites()-before.TotalWrites())/nights, (after.TotalReads()-before.TotalReads())/nights
	t.Logf("a night costs %.0f write units and %.0f read units", writes, reads)
	if writes > 50 || reads > 120 {
		t.Errorf("a night costs %.0f write units and %.0f read units, the bounds are 50 and 120", writes, reads)
	}
	for i := range 100 {
		if row := h.Feed(reader.FeedID(i + 1)); row.Floor < 176 {
			t.Errorf("feed %d has its floor at %d", i+1, row.Floor)
		}
	}
}
