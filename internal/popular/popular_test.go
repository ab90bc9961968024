package popular

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/hatena"
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

// C-19, C-20, G-32, G-34, G-36, H-26
func TestCountsFollowTheProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.month(33, 12)
	if n := len(w.service.Counts(bg).All()); n < 20 {
		t.Errorf("%d counts", n)
	}
	t.Logf("%d items, %d calls in 33 days", len(w.items), len(w.hatena.Calls()))
	w.checkAgain()
}

// G-35: in a month with outages of every kind, the counts stay, and afterwards nothing is missing.
func TestOutages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	var until time.Time
	failed, kinds := 0, hatena.Failures()
	w.hatena.Fail = func() hatena.Failure {
		now := w.clk.Now()
		if !now.Before(until) {
			if w.rnd.IntN(60) > 0 {
				return nil
			}
			until = now.Add(time.Duration(w.rnd.IntN(150)) * time.Minute)
		}
		failed++
		return kinds[w.rnd.IntN(len(kinds))]
	}
	w.month(30, 8)
	if failed < 10 {
		t.Errorf("%d calls failed", failed)
	}
	w.hatena.Fail = nil
	w.checkAgain()
}

// G-35: whatever Hatena answers in place of counts, what is known stays, and the newest cycle says why.
func TestWhyACycleFailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failure hatena.Failure
		why     string
		pause   time.Duration
	}{
		"a page":                {hatena.Body("<!doctype html><title>Maintenance</title>"), "counts_unreadable", 0},
		"cut off":               {hatena.Cut, "counts_unreadable", 0},
		"wrong data":            {hatena.Body(`{"https://site.org/1":"many"}`), "counts_unreadable", 0},
		"no answer":             {hatena.Hang, "counts_failed", 0},
		"its fault":             {hatena.Status(500, ""), "counts_failed", 0},
		"too many calls":        {hatena.Status(429, ""), "counts_failed", 0},
		"too many, and a pause": {hatena.Status(429, "7200"), "counts_limited", 2 * time.Hour},
		"away, and a pause":     {hatena.Status(503, "3600"), "counts_limited", time.Hour},
	} {
		w := newWorld(t, 16)
		f := w.feed("https://site.org/feed")
		w.on(true)
		w.arrive(f, "https://site.org/1")
		w.items[0].rate = 100
		w.live(w.clk.Now().Add(2*24*time.Hour), nil)
		before := w.service.Counts(bg).All()
		if len(before) != 1 || before[0].N == 0 {
			t.Fatalf("%s: %+v", name, before)
		}
		calls, at := len(w.hatena.Calls()), w.clk.Now()
		w.hatena.Fail = func() hatena.Failure { return c.failure }
		w.arrive(f, "https://site.org/2")
		for len(w.hatena.Calls()) == calls && w.clk.Now().Sub(at) < 3*time.Hour {
			w.live(w.clk.Now().Add(time.Minute), nil)
		}
		state, err := w.service.State(bg)
		w.must(err)
		if state.Last.Why != c.why || state.Last.Fails != 1 {
			t.Errorf("%s: %q after %d failures, want %q", name, state.Last.Why, state.Last.Fails, c.why)
		}
		w.clk.Add(2 * time.Minute)
		if after := w.service.Counts(bg).All(); !slices.Equal(before, after) {
			t.Errorf("%s: %+v became %+v", name, before, after)
		}
		w.hatena.Fail, calls = nil, len(w.hatena.Calls())
		w.live(w.clk.Now().Add(3*time.Hour), nil)
		all := w.hatena.Calls()
		if gap := all[calls].Sub(all[calls-1]); gap < c.pause || gap > c.pause+20*time.Minute {
			t.Errorf("%s: the next call comes after %s", name, gap)
		}
		w.check(w.clk.Now().Add(-time.Hour), 27*time.Hour)
	}
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
	w.hatena.Fail = func() hatena.Failure { return hatena.Hang }
	calls := len(w.hatena.Calls())
	w.arrive(f, "https://site.org/2")
	w.live(w.clk.Now().Add(2*24*time.Hour), nil)
	if after := w.service.Counts(bg).All(); !slices.Equal(before, after) {
		t.Errorf("%+v became %+v", before, after)
	}
	for i, want := range []time.Duration{0, 0, 30 * time.Minute, 30 * time.Minute, time.Hour, time.Hour, time.Hour,
		time.Hour, time.Hour, 6 * time.Hour, 6 * time.Hour} {
		if gap := w.hatena.Calls()[calls+i+1].Sub(w.hatena.Calls()[calls+i]); gap < want || gap > want+20*time.Minute {
			t.Errorf("after %d failures the next call comes after %s, want %s", i+1, gap, want)
		}
	}
}

// A message that comes twice, at any time, makes no second call; nor does one that is delivered again after a failure
// of our storage.
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

// A message of a chain that is delivered again neither asks nor sends the next one again.
// M-20
func TestAChainsMessageDeliveredAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 21)
	f := w.feed("https://site.org/feed")
	w.on(true)
	for range 120 { // three calls
		w.arrive(f, w.link(f))
	}
	w.clk.Add(4 * time.Hour)
	w.tick()
	for n := 0; len(w.messages) > 0; n++ {
		m := w.messages[0]
		w.messages = w.messages[1:]
		w.clk.Add(max(m.at.Sub(w.clk.Now()), 0))
		w.receive(m)
		calls, sent := len(w.hatena.Calls()), len(w.messages)
		w.clk.Add(12 * time.Minute / 50)
		w.receive(m)
		if len(w.hatena.Calls()) != calls || len(w.messages) != sent {
			t.Fatalf("message %d, delivered again: %d calls and %d messages more", n, len(w.hatena.Calls())-calls,
				len(w.messages)-sent)
		}
	}
	if n := len(w.hatena.Calls()); n < 3 {
		t.Errorf("%d calls: no chain", n)
	}
}

// TestAges: the ages at which a single item is asked for, with a count and without one.
// G-32
func TestAges(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	seldom := []time.Duration{0, 3 * time.Hour, 9 * time.Hour, day, 2 * day, 3 * day, 7 * day, 14 * day, 30 * day}
	usual := []time.Duration{
		0, 3 * time.Hour, 9 * time.Hour, day, 2 * day, 3 * day, 4 * day, 5 * day, 6 * day, 7 * day, 9 * day, 11 * day,
		14 * day, 18 * day, 23 * day, 30 * day,
	}
	for rate, want := range map[float64][]time.Duration{0: seldom, 500: usual} {
		w := newWorld(t, 3)
		f := w.feed("https://site.org/feed")
		w.on(true)
		w.live(w.clk.Now().Add(time.Hour), nil)
		w.arrive(f, w.link(f))
		w.items[0].rate = rate
		arrived := w.clk.Now()
		w.live(arrived.Add(40*day), nil)
		var got []time.Duration
		for _, at := range w.hatena.Calls() {
			got = append(got, at.Sub(arrived))
		}
		if !slices.EqualFunc(got, want, func(at, age time.Duration) bool { return at >= age && at < age+2*time.Hour }) {
			t.Errorf("with %.0f bookmarks a day it is asked for at the ages\n%v, want\n%v", rate, got, want)
		}
	}
}

// While counts are off, nothing is asked, sent or written.
func TestOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5)
	f := w.feed("https://site.org/feed")
	w.arrive(f, w.link(f))
	w.hatena.IsForbidden = true
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
	if n := len(w.hatena.Calls()); writes != 2 || n != 3 { // 60 items with two URLs each
		t.Errorf("%d writes, %d calls", writes, n)
	}
}

// G-33: what is sent is measured, not what it says: addresses grow when they are escaped.
func TestLongAddresses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"escaped":      strings.Repeat("%E3%81%82", 20),
		"not escaped":  strings.Repeat("あ", 40),
		"very long":    strings.Repeat("あ", 310),
		"punctuation":  strings.Repeat("/?&=:", 12),
		"ordinary":     "an-ordinary-slug-of-an-article-with-eight-words",
		"all lengths":  "",
		"long, hardly": strings.Repeat("a", 700),
	} {
		w := newWorld(t, 8)
		f := w.feed("https://site.org/feed")
		w.on(true)
		for i := range 60 {
			address := fmt.Sprintf("https://site.org/%d/%s", i, text)
			if text == "" {
				address += strings.Repeat("あ", 5*i)
			}
			w.arrive(f, address)
		}
		w.live(w.clk.Now().Add(3*time.Hour), nil)
		state, err := w.service.State(bg)
		w.must(err)
		if w.refused > 0 || state.Last.Fails > 0 || state.Last.Why != "" {
			t.Errorf("%s: %d calls were not sent; %+v", name, w.refused, state.Last)
		}
		w.check(w.clk.Now().Add(-2*time.Hour), 24*time.Hour)
	}
}

// Calls that Hatena finds too long are halved, down to one address; if that is too long, its count stays unknown, and
// those after it are asked for.
func TestTooLongRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 7)
	w.hatena.MaxQuery = 200
	f := w.feed("https://site.org/feed")
	w.on(true)
	long := w.link(f) + "&" + strings.Repeat("a", 200)
	for i := range 8 {
		w.arrive(f, w.link(f), w.link(f), w.link(f))
		if i == 4 {
			w.arrive(f, long)
		}
	}
	w.live(w.clk.Now().Add(2*time.Hour), nil)
	c, unknown := w.service.Counts(bg), 0
	w.items = slices.DeleteFunc(w.items, func(it *item) bool {
		row, err := w.store.Feeds.Get(bg, it.feed, true)
		w.must(err)
		if it.link != long {
			return false
		}
		if _, isKnown := c.Of(row, it.seq, reader.MinuteOf(it.arrived), it.link); !isKnown {
			unknown++
		}
		return true
	})
	if unknown != 1 {
		t.Error("an address that is too long is known")
	}
	w.check(w.clk.Now().Add(-time.Hour), 24*time.Hour)
}

// Cycles that end with a failed call have asked for nothing.
func TestHasAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9)
	expect := func(when string, want bool) {
		t.Helper()
		if c := w.service.Counts(bg); c.HasAsked() != want {
			t.Errorf("%s: %v, newest cycle %d", when, !want, c.Newest())
		}
	}
	w.feed("https://empty.org/feed") // which a cycle that fails passes
	f := w.feed("https://site.org/feed")
	w.arrive(f, w.link(f))
	expect("counts are off", false)
	w.clk.Add(time.Hour)
	w.on(true)
	expect("before the first cycle", false)
	w.hatena.Fail = func() hatena.Failure { return hatena.Status(500, "") }
	w.live(w.clk.Now().Add(3*time.Hour), nil)
	w.restart()
	if w.service.Counts(bg).Newest() == 0 {
		t.Error("no cycle has failed")
	}
	expect("after cycles that failed", false)
	w.hatena.Fail = nil
	w.live(w.clk.Now().Add(6*time.Hour), nil)
	w.restart()
	expect("after the first items", true)
	w.on(false)
	w.restart()
	expect("counts are off again", false)
}
