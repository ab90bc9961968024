package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

func fresh(reader.FeedID) FeedRow { return FeedRow{Period: 5, Status: "waiting"} }

// TestOneAddressIsOneFeed lets many add the same addresses at once.
//
func TestOneAddressIsOneFeed(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	const urls, users = 5, 8
	var got [urls][users]reader.FeedID
	var wg sync.WaitGroup
	for i := range urls {
		for j := range users {
			wg.Go(func() {
				f, err := s.Feeds.Ensure(context.Background(), fmt.Sprint("https://example.org/", i), fresh)
				if err != nil {
					t.Error(err)
					return
				}
				got[i][j] = f.ID()
			})
		}
	}
	wg.Wait()
	seen := map[reader.FeedID]bool{}
	for i := range got {
		for _, id := range got[i] {
			if id != got[i][0] || !id.Valid() {
				t.Fatalf("address %d became feeds %v", i, got[i])
			}
		}
		if seen[got[i][0]] {
			t.Errorf("feed %d has two addresses", got[i][0])
		}
		seen[got[i][0]] = true
	}
	rows := 0
	ok(t, s.Feeds.Each(t.Context(), func(*FeedRow) error { rows++; return nil }))
	if rows != urls {
		t.Errorf("there are %d feed rows for %d addresses", rows, urls)
	}
}

// TestFeedWithoutItsRowIsHealed: a crash came between the address and the feed.
func TestFeedWithoutItsRowIsHealed(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	n, err := s.Feeds.number(t.Context())
	ok(t, err)
	owner, err := s.Feeds.ClaimURL(t.Context(), "https://example.org/", n)
	ok(t, err)
	f, err := s.Feeds.Ensure(t.Context(), "https://example.org/", fresh)
	ok(t, err)
	if f.ID() != owner || f.URL != "https://example.org/" || f.Status != "waiting" {
		t.Errorf("the healed feed is %d: %+v", f.ID(), f)
	}
	again, err := s.Feeds.Get(t.Context(), owner, true)
	if err != nil || again.URL != f.URL {
		t.Errorf("its row is not there: %v", err)
	}
}

func TestNumbersEnd(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	ok(t, put(t.Context(), s.table, systemKey("feeds"), &feedCounterRow{N: uint32(reader.MaxFeedID)}))
	_, err := s.Feeds.Ensure(t.Context(), "https://example.org/", fresh)
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("a feed beyond the last number gives %v", err)
	}
}

// TestLoadChoosesItsWay: dense reads query a block, sparse ones read rows one by one; both give each
// feed once, and absent ones not at all.
//
func TestLoadChoosesItsWay(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	const n = 1300 // two blocks
	for i := range n {
		if i%50 == 49 {
			_, err := s.Feeds.number(t.Context()) // lost to a race: no row
			ok(t, err)
			continue
		}
		_, err := s.Feeds.Ensure(t.Context(), fmt.Sprint("https://example.org/", i), fresh)
		ok(t, err)
	}
	all := make([]reader.FeedID, n)
	for i := range all {
		all[i] = reader.FeedID(i + 1)
	}
	for name, c := range map[string]struct {
		ids   []reader.FeedID
		want  int
		units float64 // at most
	}{
		"none":             {nil, 0, 1},
		"all":              {all, n - n/50, 100},
		"few, far apart":   {[]reader.FeedID{1, 701, 1029, 1251}, 4, 3},
		"twice the same":   {[]reader.FeedID{3, 3, 3, 1030, 1030}, 2, 2},
		"absent":           {[]reader.FeedID{50, 100, 5000}, 0, 3},
		"most of one":      {all[:900], 900 - 18, 60},
		"dense and sparse": {append(slices.Clone(all[:900]), 1100, 1201), 900 - 18 + 1, 62},
	} {
		before := s.table.Meter().Snapshot().Reads["feed"]
		seen := map[reader.FeedID]int{}
		ok(t, s.Feeds.Load(t.Context(), c.ids, func(f *FeedRow) error { seen[f.ID()]++; return nil }))
		for id, times := range seen {
			if times != 1 || !slices.Contains(c.ids, id) {
				t.Errorf("%s: feed %d came %d times", name, id, times)
			}
		}
		units := s.table.Meter().Snapshot().Reads["feed"] - before
		if len(seen) != c.want || units > c.units {
			t.Errorf("%s: %d feeds came for %v units, want %d for at most %v", name, len(seen), units, c.want, c.units)
		}
	}
}

// TestListed: what lists need of feeds comes in order, with few units, and without what is known of their items.
func TestListed(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	for i := range 400 {
		if i%50 == 49 {
			_, err := s.Feeds.number(t.Context())
			ok(t, err)
			continue
		}
		_, err := s.Feeds.Ensure(t.Context(), fmt.Sprint("https://example.org/", i), func(reader.FeedID) FeedRow {
			return FeedRow{Known: make([]byte, 400), Title: fmt.Sprint(i)}
		})
		ok(t, err)
	}
	numbers := func(from, to, step reader.FeedID) (ids []reader.FeedID) {
		for id := from; id <= to; id += step {
			ids = append(ids, id)
		}
		return ids
	}
	for name, c := range map[string]struct {
		ids   []reader.FeedID
		units float64 // at most
	}{
		"adjacent":   {numbers(1, 255, 1), 30},
		"every 3rd":  {numbers(2, 255, 3), 30},
		"far apart":  {[]reader.FeedID{1, 50, 100, 399}, 3},
		"one":        {[]reader.FeedID{7}, 1},
		"one absent": {[]reader.FeedID{50}, 1},
		"to the end": {numbers(256, 450, 1), 25},
	} {
		before := s.table.Meter().Snapshot().Reads["feed"]
		var got, want []reader.FeedID
		ok(t, s.Feeds.Listed(t.Context(), c.ids, func(f *FeedRow) error {
			got = append(got, f.ID())
			if f.Known != nil || f.Title != fmt.Sprint(int(f.ID())-1) {
				t.Errorf("%s: feed %d has title %q and %d bytes of Known", name, f.ID(), f.Title, len(f.Known))
			}
			return nil
		}))
		for _, id := range c.ids {
			if id%50 != 0 && id <= 400 {
				want = append(want, id)
			}
		}
		if units := s.table.Meter().Snapshot().Reads["feed"] - before; !slices.Equal(got, want) || units > c.units {
			t.Errorf("%s: %v for %v units, want %v for at most %v", name, got, units, want, c.units)
		}
	}
}

func TestZeroesLeaveTheRow(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	f, err := s.Feeds.Ensure(t.Context(), "https://example.org/", fresh)
	ok(t, err)
	f, err = s.Feeds.Modify(t.Context(), f.ID(), func(f *FeedRow) {
		f.Errors = 3
		f.ErrCode = "timeout"
		f.ETag = `"a"`
		f.Known = []byte{1}
		f.Changes = []int64{1}
		f.Explicit = true
	})
	ok(t, err)
	f, err = s.Feeds.Modify(t.Context(), f.ID(), func(f *FeedRow) {
		f.Errors = 0
		f.ErrCode = ""
		f.ETag = ""
		f.Known = nil
		f.Changes = []int64{}
		f.Explicit = false
		f.First = 0
	})
	ok(t, err)
	if f.Errors != 0 || f.ErrCode != "" || f.ETag != "" || f.Known != nil || f.Changes != nil || f.Explicit {
		t.Errorf("the row is %+v", f)
	}
	var item table.Item
	ok(t, s.table.Get(t.Context(), feedKey(f.ID()), &item))
	for _, name := range []string{"errors", "err", "etag", "known", "changes", "explicit"} {
		if _, there := item[name]; there {
			t.Errorf("%s is stored as a zero", name)
		}
	}
	for _, name := range []string{"first"} {
		if _, there := item[name]; !there {
			t.Errorf("%s is not stored", name)
		}
	}
	if _, err := s.Feeds.Modify(t.Context(), 99, func(f *FeedRow) { f.Errors = 1 }); !fault.Is(err, fault.NotFound) {
		t.Errorf("a feed that is not there is changed: %v", err)
	}
}

// TestChangeWritesWhatDiffers: columns that are equal in both rows keep what another wrote meanwhile, conditions are
// checked against the row that was read, and where nothing differs nothing is written.
func TestChangeWritesWhatDiffers(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	read, err := s.Feeds.Ensure(t.Context(), "https://example.org/", fresh)
	ok(t, err)
	_, err = s.Feeds.Modify(t.Context(), read.ID(), func(f *FeedRow) { f.Seq, f.Title = 7, "Another's" })
	ok(t, err)
	next := *read
	next.Title, next.Changes, next.Ages = "Mine", []int64{}, Ages{}
	if _, err := s.Feeds.Change(t.Context(), read, &next, SameURL, SameSeq); !fault.Is(err, fault.Conflict) {
		t.Errorf("changed although the seq is another: %v", err)
	}
	now, err := s.Feeds.Change(t.Context(), read, &next, SameURL)
	ok(t, err)
	if now.Title != "Mine" || now.Seq != 7 || now.Changes != nil || now.Ages != nil {
		t.Errorf("the row is %+v", now)
	}
	before := s.table.Meter().Snapshot().TotalWrites()
	same := *read
	if got, err := s.Feeds.Change(t.Context(), read, &same, SameSeq); err != nil || got != read {
		t.Errorf("no difference: %v, %v", got, err)
	}
	if s.table.Meter().Snapshot().TotalWrites() != before {
		t.Error("no difference is written")
	}
	gone := FeedRow{rowKey: keyed(feedKey(99))}
	other := gone
	other.Errors = 1
	if _, err := s.Feeds.Change(t.Context(), &gone, &other); !fault.Is(err, fault.Conflict) {
		t.Errorf("a feed that is not there is changed: %v", err)
	}
}

// TestOneOfManyClaimsAPollOffTurn: the others see that it is taken.
func TestOneOfManyClaimsAPollOffTurn(t *testing.T) {
	t.Parallel()
	s, clk := newStore()
	f, err := s.Feeds.Ensure(t.Context(), "https://example.org/", fresh)
	ok(t, err)
	var wg sync.WaitGroup
	won := make([]bool, 8)
	for i := range won {
		wg.Go(func() {
			_, err := s.Feeds.ClaimOffTurn(context.Background(), f, 77, clk.Now())
			won[i] = err == nil
			if err != nil && !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	n := 0
	for _, w := range won {
		if w {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d of 8 claimed the poll", n)
	}
}

// G-72, C-29
func TestTitlesWithoutTitle(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://example.org/feed.xml": "example.org", "https://user:secret@example.org:8080/x": "example.org:8080",
		"odd": "odd",
	} {
		if got := (&FeedRow{URL: url}).DisplayTitle(); got != want {
			t.Errorf("%s is shown as %q", url, got)
		}
	}
	if got := (&FeedRow{URL: "https://example.org/", Title: "T"}).DisplayTitle(); got != "T" {
		t.Errorf("the title is %q", got)
	}
}

func TestNextCheck(t *testing.T) {
	t.Parallel()
	_, clk := newStore()
	now := clk.Now()
	live := FeedRow{Subs: 1, Status: "active", First: 1, Period: 5}
	if next := live.NextCheck(now); !next.After(now) || next.Sub(now) > 5*15*time.Minute {
		t.Errorf("the next check of a live feed is in %v", next.Sub(now))
	}
	late := live
	late.NotBefore = now.Add(24 * time.Hour).Unix()
	if wait := late.NextCheck(now).Sub(now); wait < 24*time.Hour || wait > 24*time.Hour+5*15*time.Minute {
		t.Errorf("the publisher asked for a day, the next check is in %v", wait)
	}
	for name, f := range map[string]FeedRow{
		"nobody reads it": {Status: "active"}, "stopped": {Subs: 1, Status: "stopped"},
		"merged": {Subs: 1, Status: "active", MergedInto: 2},
	} {
		if next := f.NextCheck(now); !next.IsZero() {
			t.Errorf("%s: the next check is at %v", name, next)
		}
	}
}
