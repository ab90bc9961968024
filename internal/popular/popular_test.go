package popular

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// month lives for days with some feeds, outages and restarts.
func (w *world) month(days, feeds int) {
	var ids []reader.FeedID
	for i := range feeds {
		ids = append(ids, w.feed("https://site.org/feed/"+string(rune('a'+i))))
	}
	for range 40 { // before counting begins
		f := ids[w.rnd.IntN(len(ids))]
		w.arrive(f, w.link(f))
		w.clk.Add(3 * time.Hour)
	}
	w.on(true)
	for day := range days {
		end := w.clk.Now().Truncate(24 * time.Hour).Add(24 * time.Hour)
		w.live(end, func() {
			if w.rnd.IntN(4) == 0 {
				f := ids[w.rnd.IntN(len(ids))]
				links := []string{w.link(f)}
				if w.rnd.IntN(3) == 0 {
					links = append(links, w.link(f), "https://nas.local/"+w.link(f), w.link(f)+"&token=secret")
				}
				w.arrive(f, links...)
			}
			if w.rnd.IntN(40) == 0 {
				w.restart()
			}
		})
		w.must(w.service.Nightly(bg))
		w.check(w.clk.Now().Add(-12*time.Hour), 34*time.Hour)
		if w.t.Failed() {
			w.t.Fatalf("on day %d", day)
		}
	}
}

// limits checks how often the provider was called.
func (w *world) limits() {
	perTick, perDay := map[int64]int{}, map[int64]int{}
	for _, at := range w.calls {
		perTick[at.Unix()/900]++
		perDay[at.Unix()/86400]++
	}
	for _, n := range perTick {
		if n > MaxCalls {
			w.t.Errorf("%d calls in a cycle", n)
		}
	}
	for _, n := range perDay {
		if n > 14_400 {
			w.t.Errorf("%d calls a day", n)
		}
	}
}

// C-19, C-20, G-32, G-34, G-36, H-26, H-30
func TestCountsFollowTheProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.month(33, 12)
	w.limits()
	if w.requests == 0 || len(w.service.Counts(bg).All()) < 20 {
		t.Errorf("%d requests, %d counts", w.requests, len(w.service.Counts(bg).All()))
	}
	t.Logf("%d items, %d calls, %d URLs in 33 days", len(w.items), len(w.calls), w.requests)
}

// G-35
func TestOutages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	var until time.Time
	w.outage = func(now time.Time) error {
		if now.Before(until) {
			if w.rnd.IntN(3) == 0 {
				return &RateLimitedError{time.Minute}
			}
			return errors.New("the answer is a page")
		}
		if w.rnd.IntN(80) == 0 {
			until = now.Add(time.Duration(w.rnd.IntN(150)) * time.Minute)
			return errors.New("it does not answer")
		}
		return nil
	}
	w.month(14, 8)
	w.limits()
}

// G-35: after 3, 5 and 10 failures in a row nothing is asked for half an hour, one and six, and the counts stay.
func TestPausesAfterFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	f := w.feed("https://site.org/feed")
	w.on(true)
	w.arrive(f, "https://site.org/1")
	w.items[0].rate = 100
	w.live(w.clk.Now().Add(2*24*time.Hour), nil)
	before := w.service.Counts(bg).All()
	if len(before) != 1 || before[0].N == 0 {
		t.Fatalf("%+v", before)
	}
	w.outage = func(time.Time) error { return errors.New("it does not answer") }
	w.calls = nil
	w.arrive(f, "https://site.org/2")
	w.live(w.clk.Now().Add(2*24*time.Hour), nil)
	if after := w.service.Counts(bg).All(); !slices.Equal(before, after) {
		t.Errorf("%+v became %+v", before, after)
	}
	for i, want := range []time.Duration{0, 0, 30 * time.Minute, 30 * time.Minute, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, 6 * time.Hour, 6 * time.Hour} {
		if gap := w.calls[i+1].Sub(w.calls[i]); gap < want || gap > want+20*time.Minute {
			t.Errorf("after %d failures the next call comes after %s, want %s", i+1, gap, want)
		}
	}
}

// A message that comes twice, at any time, makes no second call; nor does one that is delivered again after a failure of our storage.
func TestMessagesThatComeTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.twice = true
	n := 0
	w.faults = func() error {
		if n++; n > 400 && w.rnd.IntN(30) == 0 {
			return fault.New(fault.Unavailable, "storage_unavailable", "test", errStorage)
		}
		return nil
	}
	var ids []reader.FeedID
	for i := range 5 {
		ids = append(ids, w.feed("https://site.org/feed/"+string(rune('a'+i))))
	}
	w.on(true)
	for range 10 {
		w.live(w.clk.Now().Add(24*time.Hour), func() {
			if f := ids[w.rnd.IntN(len(ids))]; w.rnd.IntN(5) == 0 {
				faults := w.faults
				w.faults = nil
				w.arrive(f, w.link(f))
				w.faults = faults
			}
		})
	}
	w.faults = nil
	w.live(w.clk.Now().Add(24*time.Hour), nil)
	w.check(w.clk.Now().Add(-12*time.Hour), 40*time.Hour)
}

// While counts are off, nothing is asked, sent or written.
func TestOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5)
	f := w.feed("https://site.org/feed")
	w.arrive(f, w.link(f))
	w.never = true
	writes := 0
	w.faults = func() error { writes++; return nil }
	w.live(w.clk.Now().Add(3*24*time.Hour), nil)
	w.must(w.service.Nightly(bg))
	if writes > 0 || len(w.messages) > 0 || w.service.Counts(bg).IsOn() {
		t.Errorf("%d writes, %d messages", writes, len(w.messages))
	}
	if _, isKnown := w.service.Counts(bg).Of(&store.FeedRow{}, 1, 1, "https://site.org/a"); isKnown {
		t.Error("a count is known")
	}
}

// A cycle is two writes, whatever it finds.
func TestACycleIsTwoWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 6)
	f := w.feed("https://site.org/feed")
	w.on(true)
	w.live(w.clk.Now().Add(time.Hour), nil)
	for range 20 {
		w.arrive(f, w.link(f), w.link(f), w.link(f))
	}
	writes := 0
	w.faults = func() error { writes++; return nil }
	w.live(w.clk.Now().Add(time.Hour), nil)
	if writes != 2 || len(w.calls) != 3 { // 60 items with two URLs each
		t.Errorf("%d writes, %d calls", writes, len(w.calls))
	}
}

func TestTooLongRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 7)
	f := w.feed("https://site.org/feed")
	w.on(true)
	for range 8 {
		w.arrive(f, w.link(f), w.link(f), w.link(f))
	}
	most := 3
	s := w.service
	s.provider = &refusing{w, &most}
	w.live(w.clk.Now().Add(2*time.Hour), nil)
	w.check(w.clk.Now().Add(-time.Hour), 24*time.Hour)
}
