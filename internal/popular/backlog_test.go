package popular

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// bulk commits so many items of a feed, some at a time.
func (w *world) bulk(f reader.FeedID, n int) {
	for n > 0 {
		var links []string
		for range min(n, 100) {
			links = append(links, fmt.Sprintf("%s&n=%d", w.link(f), n))
			n--
		}
		w.arrive(f, links...)
	}
}

// times counts how often each URL was asked for.
func (w *world) times() (most int) {
	for _, n := range w.hatena.Asked() {
		most = max(most, n)
	}
	return most
}

// More items of one minute than a cycle can ask for, as an imported list of feeds brings: each cycle goes on where the
// one before ended, the first time and whenever they become due again.
func TestABulkOfItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 8)
	var ids []reader.FeedID
	for i := range 40 {
		ids = append(ids, w.feed(fmt.Sprintf("https://site.org/feed/%d", i)))
	}
	w.on(true)
	w.live(w.clk.Now().Add(time.Hour), nil)
	for _, f := range ids {
		w.bulk(f, 200)
	}
	upto := reader.MinuteOf(w.clk.Now())
	_, done, err := w.store.Cycles.Newest(bg, w.clk.Now())
	w.must(err)
	if p, err := w.service.plan(bg, *done, upto, ids, nil, w.service.Counts(bg)); err != nil ||
		p.list.items() != 100*50 || p.left.items() != 3000 {
		t.Errorf("%d items are planned and %d are left, %v", p.list.items(), p.left.items(), err)
	}
	w.live(w.clk.Now().Add(3*time.Hour), nil)
	w.check(w.clk.Now(), 24*time.Hour)
	if most := w.times(); most > 2 {
		t.Errorf("a URL was asked for %d times before it was due again", most)
	}
	w.live(w.clk.Now().Add(20*time.Hour), nil)
	w.check(w.clk.Now(), 20*time.Hour)
	if most := w.times(); most > 4 {
		t.Errorf("a URL was asked for %d times on its first day", most)
	}
}

// Links that are never sent, more than a message reads, do not keep those after them from being asked for.
func TestManyLinksThatAreNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 14)
	private, public := w.feed("https://site.org/private"), w.feed("https://site.org/public")
	w.on(true)
	w.live(w.clk.Now().Add(time.Hour), nil)
	for i := range 2*maxDeltas + 50 {
		w.arrive(private, fmt.Sprintf("https://nas.local/%d", i))
	}
	w.arrive(public, "https://site.org/1")
	w.live(w.clk.Now().Add(2*time.Hour), nil)
	if w.hatena.Asked()["https://site.org/1"] != 1 {
		t.Errorf("it was asked for %d times", w.hatena.Asked()["https://site.org/1"])
	}
}

// A feed with more items from before counting began than a cycle can ask for does not hold up the feeds after it.
func TestABusyFeedFromBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9)
	busy, next := w.feed("https://site.org/busy"), w.feed("https://site.org/next")
	for range 30 {
		w.bulk(busy, 100)
		w.clk.Add(time.Hour)
	}
	w.arrive(next, w.link(next))
	w.clk.Add(10 * time.Minute)
	w.service.o.MaxCalls = 30
	w.on(true)
	w.live(w.clk.Now().Add(150*time.Minute), nil)
	w.check(w.clk.Now(), 48*time.Hour)
	if most := w.times(); most > 2 {
		t.Errorf("a URL was asked for %d times", most)
	}
}

// What a user has marked is not asked for any more, whatever became of it before; and unmarked later, what arrived
// meanwhile is unknown.
func TestAFeedThatIsNotCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10)
	f := w.feed("https://site.org/feed")
	w.on(true)
	for range 10 {
		w.arrive(f, w.link(f))
		w.live(w.clk.Now().Add(5*time.Hour), nil)
	}
	mark := func(isOn bool) {
		_, err := w.store.Feeds.Modify(bg, f, func(f *store.FeedRow) { f.NoCounts = isOn })
		w.must(err)
	}
	mark(true)
	w.hatena.IsForbidden = true
	w.arrive(f, w.link(f))
	w.live(w.clk.Now().Add(3*24*time.Hour), nil)
	w.hatena.IsForbidden = false
	_, err := w.store.Feeds.Modify(bg, f, func(f *store.FeedRow) {
		f.NoCounts, f.CountsFrom = false, uint32(reader.MinuteOf(w.clk.Now()))
	})
	w.must(err)
	meanwhile := w.items[len(w.items)-1]
	w.clk.Add(time.Minute)
	w.arrive(f, w.link(f))
	w.live(w.clk.Now().Add(3*time.Hour), nil)
	row, err := w.store.Feeds.Get(bg, f, true)
	w.must(err)
	known := func(it *item) bool {
		_, isKnown := w.service.Counts(bg).Of(row, it.seq, reader.MinuteOf(it.arrived), it.link)
		return isKnown
	}
	if known(meanwhile) || w.hatena.Asked()[reader.AskURL(meanwhile.link)] > 0 {
		t.Error("what arrived meanwhile was asked for, or is known")
	}
	if !known(w.items[len(w.items)-1]) {
		t.Error("what arrived afterwards is not known")
	}
}

// Where nothing has become due for days, what is known stays so.
func TestQuietDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 11)
	f := w.feed("https://site.org/feed")
	w.on(true)
	w.live(w.clk.Now().Add(time.Hour), nil)
	w.arrive(f, "https://site.org/1")
	w.items[0].rate = 0
	for range 13 {
		w.live(w.clk.Now().Truncate(24*time.Hour).Add(25*time.Hour), nil)
		w.must(w.service.Nightly(bg))
		w.check(w.clk.Now(), 24*time.Hour)
	}
	if n := w.hatena.Asked()["https://site.org/1"]; n > 8 {
		t.Errorf("it was asked for %d times in 13 days", n)
	}
}

// A message that is damaged is refused.
func FuzzAsks(f *testing.F) {
	list, _ := asks{{again, true, 7, 300, 12, 5000}, {older, false, 9, 1, 1, 1}}.MarshalBinary()
	f.Add(list)
	f.Add(append(bytes.Repeat([]byte{0xff}, 11), list...))
	f.Fuzz(func(t *testing.T, b []byte) {
		var read asks
		if err := read.UnmarshalBinary(b); err != nil {
			return
		}
		packed, _ := read.MarshalBinary()
		var again asks
		if err := again.UnmarshalBinary(packed); err != nil || !slices.Equal(read, again) {
			t.Errorf("%v becomes %v, %v", read, again, err)
		}
	})
}
