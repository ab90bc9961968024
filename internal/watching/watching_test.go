package watching_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/watch"
	"github.com/ruri-reader/ruri/internal/watching"
)

// A watch is made once, finds what the page lists, and announces what changes.
// M-5, M-32, M-33
func TestWatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.add(w.user, w.settings("/search?q=camera"))
	if x.Title() != "Cameras" || x.Interval() != 60 || x.Accepted == 0 || !x.Feed.IsWatch() {
		t.Fatalf("%+v", x)
	}
	wish := watching.Wish{Settings: w.settings("/search?q=camera"), Interval: 60, Accepted: true}
	again, made, err := w.Add(t.Context(), w.user, wish)
	if err != nil || made || again.ID() != x.ID() {
		t.Fatalf("the same again: %v, %v", made, err)
	}
	p, err := w.Results(t.Context(), w.user, x, watching.Query{Status: watch.OnSale, Limit: 50})
	w.must(err)
	if titles(p) != "ABCDEFGH" || p.Total != 8 || p.Results[0].Price != 1000 || p.Results[0].Currency != "JPY" {
		t.Fatalf("%q, %+v", titles(p), p.Results[0])
	}
	w.shop.set(func(s *shop) { s.things[4].price, s.things[0].sold = 600, true })
	w.look(x)
	x = w.get(w.user, x.ID())
	o, err := w.Overview(t.Context(), x)
	w.must(err)
	if o.OnSale != 7 || o.Sold != 1 || o.Lowest == nil || o.Lowest.Price != 600 ||
		o.Sparkline[watching.SparkDays-1] != 600 || o.Sparkline[0] != -1 || o.HasChange {
		t.Fatalf("%+v", o)
	}
	found, events, err := w.Result(t.Context(), w.user, x, o.Lowest.Key)
	w.must(err)
	if len(found.Prices) != 2 || found.Prices[1].Amount != 600 || len(events) != 1 ||
		events[0].Header.Offer.Event != string(watch.Dropped) || found.Item != events[0].ID {
		t.Fatalf("%+v, %+v", found, events)
	}
	trend, err := w.Trend(t.Context(), x, "")
	w.must(err)
	if len(trend.Days) != 1 || trend.Currency != "JPY" || trend.Days[0].Lowest != 600 || trend.Days[0].Sold != 1 {
		t.Fatalf("%+v", trend)
	}
	if _, err := w.Trend(t.Context(), x, "2d"); fault.CodeOf(err) != "bad_trend_range" {
		t.Fatal(err)
	}
}

// Results are filtered and sorted, and pages follow each other although results are added meanwhile.
// M-1, M-3
func TestResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.add(w.user, w.settings("/search"))
	w.clock.Add(time.Hour)
	w.shop.set(func(s *shop) {
		s.things[1].sold = true
		s.things = append(s.things, thing{id: 9, title: "Camera I with a lens", price: 1500})
	})
	w.look(x)
	x = w.get(w.user, x.ID())
	for _, c := range []struct {
		q    watching.Query
		want string
	}{
		{watching.Query{Status: watch.OnSale}, "AICDEFGH"},
		{watching.Query{}, "AIBCDEFGH"},
		{watching.Query{Status: watch.Sold}, "B"},
		{watching.Query{Status: watch.Gone}, ""},
		{watching.Query{Sort: watching.ByDate, Status: watch.OnSale, Max: 1500}, "IA"},
		{watching.Query{Sort: watching.BySold, Max: 2000}, "B*"},
		{watching.Query{Min: 3000, Max: 5000}, "CDE"},
		{watching.Query{Words: "ｃａｍｅｒａ d"}, "D"},
	} {
		p, err := w.Results(t.Context(), w.user, x, c.q)
		w.must(err)
		got := titles(p)
		if head, ok := strings.CutSuffix(c.want, "*"); ok && strings.HasPrefix(got, head) && len(got) == 3 {
			continue
		}
		if got != c.want {
			t.Errorf("%+v finds %q, want %q", c.q, got, c.want)
		}
	}
	q := watching.Query{Status: watch.OnSale, Limit: 3}
	first, err := w.Results(t.Context(), w.user, x, q)
	w.must(err)
	w.shop.set(func(s *shop) { s.things = append(s.things, thing{id: 10, title: "Camera J with a lens", price: 10}) })
	w.look(x)
	q.Cursor = first.Next
	x = w.get(w.user, x.ID())
	second, err := w.Results(t.Context(), w.user, x, q)
	w.must(err)
	q.Cursor = second.Next
	third, err := w.Results(t.Context(), w.user, x, q)
	w.must(err)
	if got := titles(first) + titles(second) + titles(third); got != "AICDEFGH" || third.Next != "" {
		t.Errorf("pages have %q", got)
	}
	for _, bad := range []string{"x", "cHJpY2U", first.Next[1:]} {
		if _, err := w.Results(t.Context(), w.user, x, watching.Query{Cursor: bad, Limit: 3}); fault.CodeOf(err) !=
			"bad_cursor" {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := w.Results(t.Context(), w.user, x, watching.Query{Cursor: first.Next, Sort: watching.ByDate,
		Limit: 3}); fault.CodeOf(err) != "bad_cursor" {
		t.Error("the cursor of another order", err)
	}
}

// Other settings take effect at the next look: what they leave out is removed without an event.
// M-6
func TestChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.add(w.user, w.settings("/search"))
	items := x.Feed.Seq
	w.clock.Add(time.Hour)
	set := w.settings("/search")
	set.Name, set.Max = "Cheap cameras", 3000
	interval := int32(120)
	x, err := w.Change(t.Context(), w.user, x.ID(), watching.Change{Settings: &set, Interval: &interval})
	w.must(err)
	p, err := w.Results(t.Context(), w.user, x, watching.Query{Status: watch.OnSale})
	w.must(err)
	if titles(p) != "ABC" || x.Title() != "Cheap cameras" || x.Interval() != 120 || x.Feed.Seq != items {
		t.Errorf("%q, %q, %d, %d items", titles(p), x.Title(), x.Interval(), x.Feed.Seq)
	}
	yes, no := true, false
	if x, err = w.Change(t.Context(), w.user, x.ID(), watching.Change{Paused: &yes}); err != nil || !x.Feed.Paused ||
		x.Feed.Live() {
		t.Fatal(x, err)
	}
	before := w.shop.pages()
	w.look(x)
	if w.shop.pages() != before {
		t.Error("a paused watch was looked at")
	}
	if x, err = w.Change(t.Context(), w.user, x.ID(), watching.Change{Paused: &no}); err != nil || !x.Feed.Live() {
		t.Fatal(x, err)
	}
	w.look(x)
	if w.shop.pages() == before {
		t.Error("a resumed watch was not looked at")
	}
	set.URL = strings.Replace(set.URL, "127.0.0.1", "127.0.0.2", 1)
	if _, err := w.Change(t.Context(), w.user, x.ID(), watching.Change{Settings: &set}); fault.CodeOf(err) !=
		"terms_not_accepted" {
		t.Error("another site without its terms:", err)
	}
	w.must(w.Remove(t.Context(), w.user, x.ID()))
	if _, err := w.Get(t.Context(), w.user, x.ID()); fault.CodeOf(err) != "watch_not_found" {
		t.Error(err)
	}
	f, err := w.store.Feeds.Get(t.Context(), x.ID(), true)
	if err != nil || f.Live() || f.UnsubscribedSince == 0 {
		t.Error("a removed watch is still looked at", err)
	}
}

// Nobody sees, changes or removes the watch of another.
// M-5
func TestOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.add(w.user, w.settings("/search"))
	set, yes := w.settings("/search"), true
	for name, do := range map[string]func() error{
		"get": func() error { _, err := w.Get(t.Context(), w.owner, x.ID()); return err },
		"change": func() error {
			_, err := w.Change(t.Context(), w.owner, x.ID(), watching.Change{Settings: &set, Paused: &yes})
			return err
		},
		"remove":  func() error { return w.Remove(t.Context(), w.owner, x.ID()) },
		"restore": func() error { _, err := w.Restore(t.Context(), w.owner, x.ID(), 60, nil); return err },
	} {
		if err := do(); fault.CodeOf(err) != "watch_not_found" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if list, err := w.List(t.Context(), w.owner); err != nil || len(list) != 0 {
		t.Error(list, err)
	}
	// Nor does who came to be subscribed to its feed.
	_, err := w.Subscribe.Attach(t.Context(), w.owner, w.get(w.user, x.ID()).Feed, subscribe.Options{})
	w.must(err)
	if _, err := w.Get(t.Context(), w.owner, x.ID()); fault.CodeOf(err) != "watch_not_found" {
		t.Error("a subscriber:", err)
	}
	w.must(w.Subscribe.Leave(t.Context(), w.owner, x.ID()))
	// The same page is another watch for another user.
	if y := w.add(w.owner, set); y.ID() == x.ID() {
		t.Error("two users share a watch")
	}
	if list, err := w.List(t.Context(), w.user); err != nil || len(list) != 1 || list[0].OnSale != 8 {
		t.Error(list, err)
	}
}

// A deleted watch comes back with what it found, as long as its feed is there, and only for its owner.
func TestRestore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.add(w.user, w.settings("/search"))
	w.clock.Add(time.Hour)
	w.shop.set(func(s *shop) { s.things[0].price = 900 })
	w.look(x)
	items := w.get(w.user, x.ID()).Feed.Seq
	w.must(w.Remove(t.Context(), w.user, x.ID()))
	if _, err := w.Restore(t.Context(), w.owner, x.ID(), 60, nil); fault.CodeOf(err) != "watch_not_found" {
		t.Error("another user takes it:", err)
	}
	w.clock.Add(6 * 24 * time.Hour)
	for range 2 {
		y, err := w.Restore(t.Context(), w.user, x.ID(), 120, nil)
		w.must(err)
		if y.ID() != x.ID() || y.Feed.Seq != items || y.Feed.Subs != 1 || y.Interval() != 120 || !y.Feed.Live() {
			t.Fatalf("%+v", y.Feed)
		}
		found, err := w.Results(t.Context(), w.user, y, watching.Query{Status: watch.OnSale})
		w.must(err)
		if r, _, err := w.Result(t.Context(), w.user, y, found.Results[0].Key); err != nil || len(r.Prices) != 2 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	// One of the same page that was made meanwhile stays the only one.
	w.must(w.Remove(t.Context(), w.user, x.ID()))
	z := w.add(w.user, w.settings("/search"))
	if y, err := w.Restore(t.Context(), w.user, x.ID(), 60, nil); err != nil || y.ID() != z.ID() {
		t.Errorf("%v, %v", y, err)
	}
	w.must(w.Remove(t.Context(), w.user, z.ID()))
	// The limits of a site hold for it as well.
	set := w.settings("/other")
	set.Layout.Pages = 14
	w.add(w.user, set)
	if _, err := w.Restore(t.Context(), w.user, x.ID(), 30, nil); fault.CodeOf(err) != "host_limit" {
		t.Error("beyond the limit:", err)
	}
	_, err := w.Store.Feeds.Modify(t.Context(), x.ID(), func(f *store.FeedRow) { f.RemovingSince = 1 })
	w.must(err)
	y, err := w.Restore(t.Context(), w.user, x.ID(), 720, nil)
	if fault.CodeOf(err) != "watch_not_found" {
		t.Errorf("one that is being removed: %v, %v", y, err)
	}
}

// Of two that are made at the same time, one stays.
func TestMadeTwiceAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	set := w.settings("/search")
	x := subscribe.NewWatch{Settings: &set}
	var first *store.FeedRow
	late := x
	late.Check = func() (err error) {
		first, _, err = w.Subscribe.Watch(t.Context(), w.user, x, subscribe.Options{Interval: 60})
		return err
	}
	second, made, err := w.Subscribe.Watch(t.Context(), w.user, late, subscribe.Options{Interval: 60})
	if err != nil || made || second.ID() != first.ID() {
		t.Fatalf("%v, %v, %v", second, made, err)
	}
	if list, err := w.List(t.Context(), w.user); err != nil || len(list) != 1 {
		t.Error(list, err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	with := func(change func(*watching.Wish)) watching.Wish {
		x := watching.Wish{Settings: w.settings("/search"), Interval: 60, Accepted: true}
		change(&x)
		return x
	}
	for _, c := range []struct {
		name, code, field string
		wish              watching.Wish
	}{
		{"unread terms", "terms_not_accepted", "accepted", with(func(x *watching.Wish) { x.Accepted = false })},
		{"an interval", "bad_interval", "interval", with(func(x *watching.Wish) { x.Interval = 5 })},
		{"no address", "bad_url", "url", with(func(x *watching.Wish) { x.Settings.URL = "" })},
		{"a script", "bad_url", "url", with(func(x *watching.Wish) { x.Settings.URL = "javascript:alert(1)" })},
		{"a password", "bad_url", "url", with(func(x *watching.Wish) {
			x.Settings.URL = "https://me:secret@example.org/"
		})},
		{"a selector", "layout_invalid", "settings.layout.rows", with(func(x *watching.Wish) {
			x.Settings.Layout.Rows.Selector = "li["
		})},
		{"prices", "bad_setting", "settings.max", with(func(x *watching.Wish) {
			x.Settings.Min, x.Settings.Max = 5, 4
		})},
		{"an event", "bad_setting", "settings.events", with(func(x *watching.Wish) {
			x.Settings.Events = []watch.EventKind{"exploded"}
		})},
		{"an adapter", "adapter_not_found", "", with(func(x *watching.Wish) { x.Settings.Adapter = "nowhere" })},
	} {
		_, _, err := w.Add(t.Context(), w.user, c.wish)
		var field string
		if e, ok := err.(*fault.Error); ok {
			field = e.Field
		}
		if fault.CodeOf(err) != c.code || field != c.field {
			t.Errorf("%s: %v at %q, want %s at %q", c.name, err, field, c.code, c.field)
		}
	}
	if n, err := w.store.Feeds.Count(t.Context()); err != nil || n != 0 {
		t.Errorf("%d feeds were made, %v", n, err)
	}
}

// All watches of a host together send at most 60 requests an hour and 300 a day, whoever has them.
func TestHostLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wide := func(i int) watch.Settings { // 20 looks a day of 7 pages are 140 requests
		set := w.settings(fmt.Sprintf("/search?n=%d", i))
		set.Layout.Pages = 7
		return set
	}
	first := w.add(w.user, wide(1))
	w.add(w.owner, wide(2))
	wish := watching.Wish{Settings: wide(3), Interval: 60, Accepted: true}
	if _, _, err := w.Add(t.Context(), w.user, wish); fault.CodeOf(err) != "host_limit" {
		t.Fatal(err)
	}
	wish.Settings.URL = strings.Replace(wish.Settings.URL, "127.0.0.1", "127.0.0.2", 1)
	if _, made, err := w.Add(t.Context(), w.user, wish); err != nil || !made {
		t.Error("another host:", err)
	}
	more := wide(1)
	more.Layout.Pages = 8 // in place of its seven: 300 with the other
	if _, err := w.Change(t.Context(), w.user, first.ID(), watching.Change{Settings: &more}); err != nil {
		t.Error("one page more:", err)
	}
	more.Layout.Pages = 9
	if _, err := w.Change(t.Context(), w.user, first.ID(), watching.Change{Settings: &more}); fault.CodeOf(err) !=
		"host_limit" {
		t.Error("more pages:", err)
	}
	yes, no := true, false
	_, err := w.Change(t.Context(), w.user, first.ID(), watching.Change{Paused: &yes})
	w.must(err)
	third := w.add(w.owner, wide(3))
	if _, err := w.Change(t.Context(), w.user, first.ID(), watching.Change{Paused: &no}); fault.CodeOf(err) !=
		"host_limit" {
		t.Error("resuming:", err)
	}
	w.must(w.Remove(t.Context(), w.owner, third.ID()))
	if _, err := w.Change(t.Context(), w.user, first.ID(), watching.Change{Paused: &no}); err != nil {
		t.Error("there is room again:", err)
	}
}

func TestUserLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range subscribe.WatchCap {
		set := w.settings("/search")
		set.URL = fmt.Sprintf("https://shop%d.example/", i)
		_, _, err := w.Add(t.Context(), w.user, watching.Wish{Settings: set, Interval: 60, Accepted: true})
		w.must(err)
	}
	wish := watching.Wish{Settings: w.settings("/search"), Interval: 60, Accepted: true}
	if _, _, err := w.Add(t.Context(), w.user, wish); fault.CodeOf(err) != "watch_limit" {
		t.Error(err)
	}
	if _, _, err := w.Add(t.Context(), w.owner, wish); err != nil {
		t.Error("the owner:", err)
	}
}
