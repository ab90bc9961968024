package crawl_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A busy feed's row cannot know all that left its listing within thirty days; what its publisher brings back is
// still not new, edited or not, and what is new is told without looking.
func TestForgottenItemComesBack(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	etag := 0
	p := l.page("/feed", "")
	id := l.feed(l.url("/feed"))
	show := func(want int, items ...item) (reads float64) {
		t.Helper()
		etag++
		p.change(func(p *page) { p.etag, p.body = `"`+strconv.Itoa(etag)+`"`, rss("", items...) })
		before := l.table.Meter().Snapshot().Reads["delta"]
		if o := l.poll(id); o.New != want || o.Err != "" {
			t.Errorf("listing %d: %d new items (%s), want %d", etag, o.New, o.Err, want)
		}
		l.clock.Add(6 * time.Hour)
		return l.table.Meter().Snapshot().Reads["delta"] - before
	}
	dated := func(from int) []item {
		items := numbered(from, 10)
		for i := range items {
			items[i].date = l.clock.Now().Add(-time.Hour)
		}
		return items
	}
	first := dated(0)
	for n := 0; n <= 200; n += 10 {
		if n > 0 {
			show(10, dated(n)...)
			continue
		}
		show(10, first...)
	}
	for _, h := range l.headers(id)[:10] {
		if _, ok := store.Known(l.row(id).Known).Content(h.Identity); ok {
			t.Fatalf("%s is still known", h.Title)
		}
	}
	l.clock.Add(3 * 24 * time.Hour)
	recent := dated(500)
	if reads := show(10, recent...); reads > 0 {
		t.Errorf("%v read units of deltas for items that are plainly new", reads)
	}
	edited := first[3]
	edited.title += ", corrected"
	undated := item{id: "undated", title: "Without a date"}
	show(1, append(recent[:8:8], first[0], edited, undated)...)
	if hs := l.headers(id); hs[len(hs)-1].Title != undated.title {
		t.Errorf("the new item is %q", hs[len(hs)-1].Title)
	} else if n := count(hs, edited.title); n != 1 {
		t.Errorf("the corrected title is shown %d times", n)
	}
	// They are known again: the same listing in other bytes brings nothing, and asks nothing.
	if reads := show(0, append(recent[:8:8], undated, edited, first[0])...); reads > 0 {
		t.Errorf("%v read units of deltas for items that came back before", reads)
	}
	// After its thirty days what left is forgotten for good.
	l.clock.Add(store.KnownDays * 24 * time.Hour)
	show(1, append(recent[:8:8], first[1])...)
}

func count(hs []store.Header, title string) (n int) {
	for _, h := range hs {
		if h.Title == title {
			n++
		}
	}
	return n
}
