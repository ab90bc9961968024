package crawl_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// entry is an item of a feed whose parts can be changed one by one.
type entry struct {
	guid, link, title string
	date              time.Time
}

// shelf writes a feed of entries, the newest first.
func shelf(list ...entry) string {
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>A feed</title>`)
	for _, e := range list {
		fmt.Fprintf(&b, `<item><guid isPermaLink="false">%s</guid><title>%s</title><link>%s</link>`, e.guid,
			e.title, e.link)
		if !e.date.IsZero() {
			b.WriteString("<pubDate>" + e.date.Format(time.RFC1123Z) + "</pubDate>")
		}
		b.WriteString("</item>")
	}
	return b.String() + `</channel></rss>`
}

// entries makes n of them, the newest first, an hour apart and in the past.
func entries(n int) []entry {
	out := make([]entry, n)
	for i := range out {
		k := n - i
		out[i] = entry{
			guid: fmt.Sprint("old-", k), link: fmt.Sprint("https://example.org/", k), title: fmt.Sprint("Item ", k),
			date: time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(k) * time.Hour),
		}
	}
	return out
}

// changed gives each entry's copy a change.
func changed(list []entry, f func(i int, e *entry)) []entry {
	out := append([]entry(nil), list...)
	for i := range out {
		f(i, &out[i])
	}
	return out
}

func undated(list []entry) []entry {
	return changed(list, func(_ int, e *entry) { e.date = time.Time{} })
}

func reguid(_ int, e *entry) { e.guid = "new-" + e.guid }

// "Feed changed all its ids" is seen and does not flood: the items keep their seqs, and with them what is read.
func TestNewIdsAreNoNewItems(t *testing.T) {
	t.Parallel()
	fresh := func(l *lab, n int) []entry {
		return changed(entries(n), func(i int, e *entry) {
			*e = entry{fmt.Sprint("news-", i), fmt.Sprint("https://example.org/news/", i), fmt.Sprint("News ", i),
				l.clock.Now().Add(-time.Duration(i) * time.Minute)}
		})
	}
	tests := []struct {
		name   string
		before func([]entry) []entry
		after  func(l *lab, was []entry) []entry
		n, new int
	}{
		{"the same links", nil, func(_ *lab, was []entry) []entry { return changed(was, reguid) }, 30, 0},
		{"links without s, www and slash", nil, func(_ *lab, was []entry) []entry {
			return changed(was, func(i int, e *entry) {
				reguid(i, e)
				e.link = strings.Replace(e.link, "https://", "http://www.", 1) + "/"
			})
		}, 30, 0},
		{"links without dates, tracked", undated, func(_ *lab, was []entry) []entry {
			return changed(was, func(i int, e *entry) {
				reguid(i, e)
				e.link = strings.Replace(e.link, "example.org", "Example.org:443", 1) + "?utm_source=" + e.guid + "#rss"
			})
		}, 30, 0},
		{"other links without dates", undated, func(_ *lab, was []entry) []entry {
			return changed(was, func(i int, e *entry) { reguid(i, e); e.link += "?page" })
		}, 20, 20},
		{"another host, the same titles and dates", nil, func(_ *lab, was []entry) []entry {
			return changed(was, func(i int, e *entry) {
				reguid(i, e)
				e.link = strings.Replace(e.link, "example.org", "moved.example", 1)
			})
		}, 30, 0},
		{"with new ones among them", nil, func(l *lab, was []entry) []entry {
			return append(fresh(l, 4), changed(was, reguid)[:26]...)
		}, 30, 4},
		{"more than a delta holds", nil, func(_ *lab, was []entry) []entry { return changed(was, reguid) }, 150, 0},
		{"some keep theirs", nil, func(_ *lab, was []entry) []entry {
			return changed(was, func(i int, e *entry) {
				if i%4 > 0 {
					reguid(i, e)
				}
			})
		}, 20, 0},
		{"edited as well", nil, func(_ *lab, was []entry) []entry {
			return changed(was, func(i int, e *entry) { reguid(i, e); e.title += ", corrected" })
		}, 20, 0},
		{"one link for all: other items", func(list []entry) []entry {
			return changed(list, func(_ int, e *entry) { e.link = "https://example.org/" })
		}, func(_ *lab, was []entry) []entry {
			return changed(was, func(i int, e *entry) { reguid(i, e); e.title = "Another " + e.title })
		}, 20, 20},
		{"a listing of other items", nil, func(l *lab, _ []entry) []entry { return fresh(l, 20) }, 20, 20},
		{"old items that never were here", nil, func(_ *lab, was []entry) []entry {
			return changed(was, func(i int, e *entry) {
				*e = entry{fmt.Sprint("x", i), fmt.Sprint("https://example.org/x/", i), fmt.Sprint("X ", i),
					e.date.Add(time.Second)}
			})
		}, 20, 20},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			was := entries(tt.n)
			if tt.before != nil {
				was = tt.before(was)
			}
			p := l.page("/feed", shelf(was...))
			id := l.feed(l.url("/feed"))
			l.want(id, reader.OutcomeChanged, tt.n)
			old := l.headers(id)
			now := tt.after(l, was)
			p.change(func(p *page) { p.etag, p.body = `"2"`, shelf(now...) })
			l.want(id, reader.OutcomeChanged, tt.new)
			hs := l.headers(id)
			if len(hs) != tt.n+tt.new || int(l.row(id).Seq) != len(hs) {
				t.Fatalf("%d items, seq %d", len(hs), l.row(id).Seq)
			}
			for i := range old {
				if hs[i].Sort != old[i].Sort {
					t.Errorf("item %d has another place", i+1)
				}
				if tt.new == 0 && strings.HasPrefix(now[tt.n-1-i].guid, "new-") {
					if hs[i].Identity == old[i].Identity || hs[i].Raw == "" || hs[i].Title != now[tt.n-1-i].title {
						t.Errorf("item %d is still %+v", i+1, hs[i])
					}
				}
			}
			// From now on these are its ids.
			p.change(func(p *page) { p.etag, p.body = `"3"`, shelf(now...)+" " })
			l.want(id, reader.OutcomeUnchanged, 0)
			p.change(func(p *page) {
				p.etag, p.body = `"4"`,
					shelf(append([]entry{{"last", "https://example.org/last", "Last", l.clock.Now()}},
						now[:len(now)-1]...)...)
			})
			l.want(id, reader.OutcomeChanged, 1)
		})
	}
}

// A crash between the deltas and the feed row is made up for: what already has its new identity is known by it.
func TestNewIdsAfterACrash(t *testing.T) {
	t.Parallel()
	for stop := range 4 {
		l := newLab(t)
		was := entries(250) // three deltas
		was = was[:200]
		p := l.page("/feed", shelf(was...))
		id := l.feed(l.url("/feed"))
		l.want(id, reader.OutcomeChanged, 200)
		p.change(func(p *page) { p.etag, p.body = `"2"`, shelf(changed(was, reguid)...) })
		real := l.driver
		l.driver = &failing{Driver: real, left: stop}
		l.restart()
		l.poll(id)
		l.driver = real
		l.restart()
		l.clock.Add(48 * time.Hour)
		if o := l.poll(id); o.New != 0 || o.Err != "" {
			t.Errorf("a crash after %d edits: %d new items, %s", stop, o.New, o.Err)
		}
		if hs := l.headers(id); len(hs) != 200 {
			t.Errorf("a crash after %d edits: %d items", stop, len(hs))
		}
	}
}

// C-11: neither retention nor a change of ids brings back what the reader keeps no more.
func TestNothingComesBackFromBelowTheFloor(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	was := entries(200)
	p := l.page("/feed", shelf(was...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 200)
	// The first delta's time is over, and the floor raised.
	var first *store.DeltaRow
	err := l.store.Items.Descend(bg, id, 0, func(d *store.DeltaRow) (bool, error) { first = d; return true, nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := l.table.Delete(bg, table.Key{PK: first.PK, SK: first.SK}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.store.Feeds.Modify(bg, id, func(f *store.FeedRow) { f.Floor = uint32(first.Last()) }); err != nil {
		t.Fatal(err)
	}
	n := 1
	show := func(want int, list ...entry) {
		t.Helper()
		n++
		p.change(func(p *page) { p.etag, p.body = strconv.Quote(strconv.Itoa(n)), shelf(list...) })
		if o := l.poll(id); o.New != want || o.Err != "" {
			t.Errorf("listing %d: %d new items (%s), want %d", n, o.New, o.Err, want)
		}
	}
	show(0, changed(was, func(_ int, e *entry) { e.title += ", edited" })...)
	show(0, was[:100]...)
	show(0, was...)
	show(0, changed(was, reguid)...)
	show(0, was[:50]...)
	if f := l.row(id); f.Seq != 200 || f.Floor != uint32(first.Last()) {
		t.Errorf("seq %d, floor %d", f.Seq, f.Floor)
	}
}

// Items that are plainly new are recognised without reading stored ones.
func TestNewItemsCostNoComparison(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", shelf(entries(20)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 20)
	later := changed(entries(20), func(i int, e *entry) {
		*e = entry{fmt.Sprint("n", i), fmt.Sprint("https://example.org/n", i), "N",
			l.clock.Now().Add(-time.Duration(i) * time.Second)}
	})
	p.change(func(p *page) { p.etag, p.body = `"2"`, shelf(later...) })
	before := l.table.Meter().Snapshot().Reads["delta"]
	l.want(id, reader.OutcomeChanged, 20)
	if reads := l.table.Meter().Snapshot().Reads["delta"] - before; reads > 0 {
		t.Errorf("%v read units of deltas", reads)
	}
}

// failing refuses changes of feeds and deltas after so many of deltas.
type failing struct {
	table.Driver
	left int
}

func (f *failing) Write(ctx context.Context, u table.WriteOp) (table.Row, bool, table.Usage, error) {
	if u.Kind == table.OpUpdate && strings.HasPrefix(u.Key.PK, "F") {
		if f.left <= 0 {
			return table.Row{}, false, table.Usage{}, fault.New(fault.Unavailable, "gone", "test", nil)
		}
		f.left--
	}
	return f.Driver.Write(ctx, u)
}
