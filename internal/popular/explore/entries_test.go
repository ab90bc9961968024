package explore_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/stream"
)

// random makes a world with feeds that share some of their links, and counts.
func random(t *testing.T, seed uint64) *world {
	w := newWorld(t, seed)
	for i := range 3 + w.rnd.IntN(4) {
		w.addFeed(i > 1 && w.rnd.IntN(4) == 0, i > 1 && w.rnd.IntN(4) == 0)
	}
	for range 30 {
		w.news()
		w.clk.Add(time.Duration(w.rnd.IntN(40)) * time.Hour)
		if w.rnd.IntN(2) == 0 {
			w.countSome()
		}
	}
	for _, it := range w.items {
		if !it.feed.isOthers && w.rnd.IntN(12) == 0 {
			w.hide(it)
		}
	}
	w.countSome()
	return w
}

// news lets items of a feed arrive: a third links to what another may link to, some to a whole site.
func (w *world) news() {
	var links []string
	for range 1 + w.rnd.IntN(5) {
		link := fmt.Sprintf("https://site.org/%d", w.rnd.IntN(1<<20))
		switch w.rnd.IntN(9) {
		case 0, 1, 2:
			link = fmt.Sprintf("http://shared.org/%d/?utm_source=%d", w.rnd.IntN(20), w.rnd.IntN(9))
		case 3:
			link = "https://site.org/"
		}
		links = append(links, link)
	}
	w.arrive(w.feeds[w.rnd.IntN(len(w.feeds))], 20*24*time.Hour, links...)
}

// listed is an entry of the model.
type listed struct {
	page    string
	n, grew int
	items   []*item // the first leads
}

// model lists entries naively, as of a time.
func (w *world) model(q explore.Query, now time.Time) (list []listed) {
	last := w.log[len(w.log)-1]
	counts := last.counts
	before := map[*item]int{} // a day earlier
	for _, c := range w.log {
		if !c.tick.Start().After(last.tick.Start().Add(-24 * time.Hour)) {
			before = c.counts
		}
	}
	from := map[explore.Period]time.Duration{explore.Day: 24 * time.Hour, explore.Week: 7 * 24 * time.Hour,
		explore.Month: 30 * 24 * time.Hour}[q.Period]
	byPage := map[string]*listed{}
	for _, it := range slices.SortedFunc(maps.Keys(counts), (*item).compare) {
		page := reader.StoryURL(it.link)
		if !it.isSeen() || page == "" {
			continue
		}
		e := byPage[page]
		if e == nil {
			e = &listed{page: page}
			byPage[page] = e
		}
		e.items = append(e.items, it)
		e.n = max(e.n, counts[it])
	}
	for _, it := range w.items { // growth is the page's, whoever lists it
		if e := byPage[reader.StoryURL(it.link)]; e != nil {
			e.grew = max(e.grew, counts[it]-before[it])
		}
	}
	for _, e := range byPage {
		slices.SortStableFunc(e.items, func(a, b *item) int { return cmp.Compare(minute(a.sort), minute(b.sort)) })
		if e.n < q.Threshold || from > 0 && minute(e.items[0].sort) < now.Add(-from).Unix() ||
			q.Order == explore.Rising && e.grew == 0 {
			continue
		}
		if q.Order != explore.Rising {
			e.grew = 0
		}
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b listed) int {
		by := 0
		switch q.Order {
		case explore.Hot:
			by = cmp.Compare(b.n, a.n)
		case explore.Rising:
			by = cmp.Or(cmp.Compare(b.grew, a.grew), cmp.Compare(b.n, a.n))
		}
		x, y := a.items[0], b.items[0]
		return cmp.Or(by, cmp.Compare(minute(y.sort), minute(x.sort)), x.compare(y))
	})
	return list
}

func (w *world) same(what string, got []explore.Entry, want []listed) {
	w.t.Helper()
	if len(got) != len(want) {
		w.t.Fatalf("%s: %d entries, want %d", what, len(got), len(want))
	}
	for i := range got {
		e, m := &got[i], &want[i]
		if e.Page != reader.EntryID(m.page) || e.Feed != m.items[0].feed.id || e.Seq != m.items[0].seq || e.N != m.n ||
			e.Grew != m.grew || !e.IsCounted {
			w.t.Fatalf("%s: at %d is %s with %d (+%d), want %s with %d (+%d)", what, i, e.Header.Link, e.N, e.Grew,
				m.page, m.n, m.grew)
		}
	}
}

// H-22, H-23: lists of entries are those of a naive model, in pages between which items arrive, counts rise and fall,
// and processes end: nothing appears twice, and nothing is missed.
func TestEntriesAgainstAModel(t *testing.T) {
	t.Parallel()
	long := 0
	for seed := range uint64(10) {
		w := random(t, seed)
		for _, order := range []explore.Order{explore.Newest, explore.Hot, explore.Rising} {
			for _, threshold := range []int{1, 3, 10} {
				for _, period := range []explore.Period{explore.Day, explore.Week, explore.Month, explore.Ever} {
					q := explore.Query{Order: order, Period: period, Threshold: threshold}
					what := fmt.Sprintf("seed %d, %+v", seed, q)
					want := w.model(q, w.clk.Now())
					offset := w.rnd.IntN(len(want) + 2)
					got, err := w.s.Entries(bg, user, explore.Query{Order: order, Period: period, Threshold: threshold,
						Offset: offset, Limit: 3})
					w.must(err)
					w.same(fmt.Sprint(what, " from ", offset), got.Entries,
						want[min(offset, len(want)):min(offset+3, len(want))])
					left := len(got.Entries) // of the others, as many as there are entries are read
					for i, e := range got.Entries {
						others := len(want[offset+i].items) - 1
						if left -= others; left >= 0 && len(e.Also) != others {
							t.Fatalf("%s: %s has %d others, want %d", what, e.Page, len(e.Also), others)
						}
					}
					var all []explore.Entry
					for pages := 0; ; pages++ {
						q.Limit = 1 + w.rnd.IntN(9)
						p, err := w.s.Entries(bg, user, q)
						w.must(err)
						all = append(all, p.Entries...)
						if q.Cursor = p.Next; p.Next == "" {
							break
						}
						if pages < 4 {
							w.meanwhile()
						}
					}
					long = max(long, len(all))
					w.same(what, all, want)
					w.clk.Add(time.Minute)
				}
			}
		}
	}
	if long < 20 {
		t.Errorf("the longest list has %d entries", long)
	}
}

// meanwhile is what may happen between two pages.
func (w *world) meanwhile() {
	switch w.rnd.IntN(4) {
	case 0:
		w.news()
	case 1:
		w.countSome()
		w.clk.Add(time.Duration(w.rnd.IntN(3)) * time.Minute)
	case 2:
		w.restart()
	}
}

// With threshold 0 a list has all items of the period, and no offset.
func TestAllEntries(t *testing.T) {
	t.Parallel()
	w := random(t, 100)
	want := map[string]bool{}
	for _, it := range w.items {
		if it.isSeen() && it.sort >= w.clk.Now().Add(-7*24*time.Hour).Unix() {
			want[fmt.Sprint(it.feed.id, "/", it.seq)] = true
		}
	}
	q := explore.Query{Order: explore.Newest, Period: explore.Week, Limit: 4}
	last := w.clk.Now().Unix()
	for {
		p, err := w.s.Entries(bg, user, q)
		w.must(err)
		for _, e := range p.Entries {
			if e.Header.Sort > last {
				t.Error("an entry is newer than the one before")
			}
			last = e.Header.Sort
			delete(want, fmt.Sprint(e.Feed, "/", e.Seq))
			for _, o := range e.Also {
				delete(want, fmt.Sprint(o.Feed, "/", o.ID.SeqAtMost(1000)))
			}
		}
		if q.Cursor = p.Next; p.Next == "" {
			break
		}
		w.countSome()
	}
	if len(want) > 0 {
		t.Errorf("%d items are missing", len(want))
	}
	if _, err := w.s.Entries(bg, user, explore.Query{Order: explore.Newest, Offset: 3}); fault.CodeOf(err) !=
		"offset_without_threshold" {
		t.Error(err)
	}
}

func TestCursorsOfAnotherList(t *testing.T) {
	t.Parallel()
	w := random(t, 101)
	q := explore.Query{Order: explore.Hot, Period: explore.Ever, Threshold: 1, Limit: 2}
	p, err := w.s.Entries(bg, user, q)
	w.must(err)
	if p.Next == "" {
		t.Fatal("one page")
	}
	for _, other := range []explore.Query{
		{Order: explore.Newest, Period: explore.Ever, Threshold: 1, Cursor: p.Next},
		{Order: explore.Hot, Period: explore.Week, Threshold: 1, Cursor: p.Next},
		{Order: explore.Hot, Period: explore.Ever, Threshold: 3, Cursor: p.Next},
		{Order: explore.Newest, Period: explore.Ever, Cursor: p.Next},
		{Order: explore.Hot, Period: explore.Ever, Threshold: 1, Cursor: p.Next + "x"},
		{Order: explore.Hot, Period: explore.Ever, Threshold: 1, Cursor: "x" + p.Next},
		{Order: explore.Hot, Period: explore.Ever, Threshold: 1, Cursor: p.Next[1:]},
		{Order: explore.Hot, Period: explore.Ever, Threshold: 1, Cursor: "."},
		{Order: explore.Hot, Period: explore.Ever, Threshold: 1, Cursor: p.Next, Offset: 1},
	} {
		_, err := w.s.Entries(bg, user, other)
		if e, ok := errors.AsType[*fault.Error](err); !ok || e.Field == "" || e.Kind != fault.Invalid {
			t.Errorf("%+v is answered: %v", other, err)
		}
	}
	// A tick of the future would make each request look for newer counts.
	if _, err := w.s.Items(bg, user, stream.Query{Cursor: "_____w8A.d"}); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 102)
	w.arrive(w.addFeed(false, false), time.Hour, "https://site.org/1")
	state := func(want explore.State) {
		t.Helper()
		w.restart()
		p, err := w.s.Entries(bg, user, explore.Query{Order: explore.Hot, Threshold: 1})
		w.must(err)
		if p.State != want || (p.Counted > 0) != (want == explore.Ready) {
			t.Errorf("%s, want %s", p.State, want)
		}
	}
	state(explore.Collecting)
	w.count(map[*item]int{})
	state(explore.Ready)
	w.must(w.store.Accounts.SetCounts(bg, false))
	state(explore.Off)
}

// Before anything is counted, "new" has everything, and what several feeds link to is hot; before the first night and
// after it.
func TestPopularWithoutCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 103)
	a, b, c := w.addFeed(false, false), w.addFeed(false, false), w.addFeed(false, false)
	muted := w.addFeed(true, false)
	w.must(w.store.Accounts.SetCounts(bg, false))
	w.arrive(a, time.Hour, "https://site.org/1", "https://shared.org/two", "https://shared.org/three",
		"https://site.org/", "https://shared.org/muted")
	w.arrive(a, time.Hour, "https://site.org/1") // twice in one feed
	w.arrive(b, time.Hour, "https://shared.org/two?utm_source=b", "https://shared.org/three", "https://site.org/")
	w.arrive(c, time.Hour, "http://shared.org/three", "https://site.org/2")
	w.arrive(muted, time.Hour, "https://shared.org/muted")
	for night := range 3 {
		for _, order := range []explore.Order{explore.Hot, explore.Rising} {
			p, err := w.s.Entries(bg, user, explore.Query{Order: order, Threshold: 3, Period: explore.Week})
			w.must(err)
			if len(p.Entries) != 2 || p.State != explore.Off || p.Counted != 0 || len(p.Entries[0].Also) != 2 ||
				!strings.Contains(p.Entries[0].Header.Link, "three") ||
				!strings.Contains(p.Entries[1].Header.Link, "two") || p.Entries[0].IsCounted {
				t.Errorf("night %d, %s: %+v", night, order, p)
			}
		}
		p, err := w.s.Entries(bg, user, explore.Query{Order: explore.Newest, Threshold: 3, Period: explore.Week})
		if w.must(err); len(p.Entries) < 5 {
			t.Errorf("night %d: new has %d entries", night, len(p.Entries))
		}
		if night == 1 { // items from before the night and from after it
			w.arrive(c, time.Minute, "https://shared.org/two")
			w.arrive(b, time.Minute, "https://shared.org/later")
			w.arrive(a, time.Minute, "https://site.org/3")
			break
		}
		w.nightly()
		w.restart()
	}
	p, err := w.s.Entries(bg, user, explore.Query{Order: explore.Hot, Threshold: 1, Period: explore.Week})
	if w.must(err); len(p.Entries) != 2 || len(p.Entries[0].Also) != 2 {
		t.Errorf("after a night: %+v", p.Entries)
	}
}

// A page that another process began has that process's counts.
func TestPagesOfTwoProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 104)
	w.arrive(w.addFeed(false, false), time.Hour, "https://site.org/1", "https://site.org/2", "https://site.org/3")
	w.count(map[*item]int{w.items[0]: 3, w.items[1]: 2, w.items[2]: 1})
	older := w.s
	q := explore.Query{Order: explore.Hot, Period: explore.Ever, Threshold: 1, Limit: 1}
	if p, err := older.Entries(bg, user, q); err != nil || len(p.Entries) != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	seen := w.clk.Now()
	w.count(map[*item]int{w.items[0]: 0, w.items[1]: 9})
	w.clk.Add(seen.Sub(w.clk.Now())) // another process ended a cycle just then
	w.restart()
	first, err := w.s.Entries(bg, user, q)
	w.must(err)
	q.Cursor = first.Next
	second, err := older.Entries(bg, user, q)
	w.must(err)
	if first.Entries[0].Seq != 2 || second.Entries[0].Seq != 3 {
		t.Errorf("item %d, then %d", first.Entries[0].Seq, second.Entries[0].Seq)
	}
}

// A page of fifty entries of fifty feeds reads their deltas once, by a process that has just begun.
func TestAPageReadsItsEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 103)
	found := map[*item]int{}
	for i := range 60 {
		f := w.addFeed(false, false)
		w.arrive(f, time.Hour, fmt.Sprint("https://site.org/", i), fmt.Sprint("https://shared.org/", i/2))
	}
	for i, it := range w.items {
		found[it] = i + 1
	}
	w.count(found)
	w.restart()
	meter := w.store.Table().Meter()
	before := meter.Snapshot().Reads["delta"]
	p, err := w.s.Entries(bg, user, explore.Query{Order: explore.Hot, Period: explore.Ever, Threshold: 1})
	w.must(err)
	feeds := map[reader.FeedID]bool{}
	for _, e := range p.Entries {
		feeds[e.Feed] = true
		for _, o := range e.Also {
			feeds[o.Feed] = true
		}
	}
	if got := meter.Snapshot().Reads["delta"] - before; len(p.Entries) != 50 ||
		got != float64(len(feeds))/2 || got > 25 {
		t.Errorf("%d entries of %d feeds read %v units of deltas", len(p.Entries), len(feeds), got)
	}
}

// H-23: any stream can be in order of popularity: what was bookmarked by its count, then the rest in order of time.
func TestStreamsByPopularity(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		w := random(t, 200+seed)
		for _, it := range w.items {
			if it.isSeen() && w.rnd.IntN(3) == 0 {
				sub, err := w.streams.Get(bg, user, it.feed.id)
				w.must(err)
				next, _ := reader.Apply(sub.State,
					reader.Change{Ops: []reader.Op{{Kind: reader.OpRead, Seqs: []reader.Seq{it.seq}}},
						Last: reader.Seq(sub.Feed.Seq)})
				_, err = w.store.Subscriptions.ChangeState(bg, user, sub.Sub, next)
				w.must(err)
			}
		}
		for _, q := range []stream.Query{
			{Filter: stream.All}, {Filter: stream.Unread},
			{Filter: stream.All, Scope: stream.Scope{Feed: w.feeds[0].id}},
			{Filter: stream.Unread, Scope: stream.Scope{Feed: w.feeds[1].id}}, {Filter: stream.Hidden},
			{Filter: stream.All, Since: w.clk.Now().Add(-5 * 24 * time.Hour).Unix()},
		} {
			w.byPopularity(fmt.Sprintf("seed %d, %+v", seed, q), q)
		}
	}
}

func (w *world) byPopularity(what string, q stream.Query) {
	counts, from := w.log[len(w.log)-1].counts, w.clk.Now().Add(-30*24*time.Hour).Unix()
	plain := q
	want := map[reader.ItemID]bool{} // all items of the plain list
	for plain.Limit = 200; ; {
		p, err := w.streams.List(bg, user, plain)
		w.must(err)
		for _, e := range p.Items {
			want[e.ID] = true
			for _, o := range e.Also {
				want[o.ID] = true
			}
		}
		if plain.Cursor = p.Next; p.Next == "" {
			break
		}
	}
	byPlace := map[stream.Place]*item{}
	for _, it := range w.items {
		byPlace[stream.Place{Feed: it.feed.id, Seq: it.seq}] = it
	}
	ranks := func(e *stream.Entry) (n int, isFirst bool) {
		n = counts[byPlace[stream.Place{Feed: e.Feed, Seq: e.Seq}]]
		return n, n > 0 && minute(e.Header.Sort) >= max(from, q.Since)
	}
	var last *stream.Entry
	stories := map[string][]reader.FeedID{}
	seen := map[reader.ItemID]bool{}
	arrived := len(w.items)
	for pages := 0; ; pages++ {
		q.Limit = 1 + w.rnd.IntN(9)
		p, err := w.s.Items(bg, user, q)
		w.must(err)
		for i := range p.Items {
			e := &p.Items[i]
			if !want[e.ID] || seen[e.ID] {
				w.t.Fatalf("%s: %s is there twice, or should not be", what, e.Header.Title)
			}
			n, isFirst := ranks(e)
			if last != nil {
				was, wasFirst := ranks(last)
				isRight := !isFirst && wasFirst || isFirst == wasFirst &&
					(!isFirst && last.Header.Sort >= e.Header.Sort ||
						isFirst && (was > n || was == n && minute(last.Header.Sort) >= minute(e.Header.Sort)))
				if !isRight {
					w.t.Fatalf("%s: %s with %d is behind %s with %d", what, e.Header.Title, n, last.Header.Title, was)
				}
			}
			last = e
			seen[e.ID] = true
			story := reader.StoryURL(e.Header.Link)
			if isFolded := q.Feed == 0 && q.Filter != stream.Hidden; isFirst || !isFolded {
				stories[story] = append(stories[story], e.Feed)
			} else if feeds := stories[story]; story != "" && len(feeds) > 0 && !slices.Contains(feeds, e.Feed) {
				w.t.Fatalf("%s: the story of %s is there twice", what, e.Header.Title)
			}
			for _, o := range e.Also {
				if seen[o.ID] || o.Feed == e.Feed {
					w.t.Fatalf("%s: %s is there twice", what, e.Header.Title)
				}
				seen[o.ID] = true
				if isFirst {
					stories[story] = append(stories[story], o.Feed)
				}
			}
		}
		if q.Cursor = p.Next; p.Next == "" {
			break
		}
		if pages < 5 && w.rnd.IntN(3) == 0 {
			w.countSome()
		} else if w.rnd.IntN(5) == 0 {
			w.restart()
		}
	}
	for _, it := range w.items[:arrived] {
		sub, err := w.streams.Get(bg, user, it.feed.id)
		if err != nil {
			continue
		}
		list, err := w.streams.Pick(bg, &stream.Searchable{All: []*stream.Subscribed{sub}},
			[]stream.Place{{Feed: it.feed.id, Seq: it.seq}})
		w.must(err)
		if e := list[0]; want[e.ID] && !seen[e.ID] && len(stories[reader.StoryURL(it.link)]) == 0 {
			w.t.Fatalf("%s: %s is missing", what, it.link)
		}
	}
}

// Counts as of a cycle are those that were read then.
func TestCountsAsOf(t *testing.T) {
	t.Parallel()
	w := random(t, 300)
	was := map[schedule.Tick]map[reader.BookmarkCount]bool{}
	keep := func() {
		c := w.popular.Counts(bg)
		was[c.Newest()] = map[reader.BookmarkCount]bool{}
		for _, x := range c.All() {
			was[c.Newest()][x] = true
		}
	}
	for range 20 {
		w.countSome()
		keep()
		w.clk.Add(time.Duration(w.rnd.IntN(60)) * time.Minute)
		if w.rnd.IntN(4) == 0 {
			w.restart()
		}
	}
	now := w.popular.Counts(bg)
	checked := 0
	for tick, want := range was {
		if now.Newest()-tick > schedule.TicksPerDay {
			continue
		}
		checked++
		got := now.AsOf(tick).All()
		for _, x := range got {
			if !want[x] {
				t.Errorf("as of %d cycles ago there is %+v", now.Newest()-tick, x)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d counts, want %d", len(got), len(want))
		}
	}
	if checked < 10 {
		t.Errorf("%d checked", checked)
	}
}
