package subscribe_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

func ptr[T any](v T) *T { return &v }

// written gives the write units that f takes, by kind of row.
func written(w *flow.Env, f func()) map[string]float64 {
	before := maps.Clone(w.Main().Units().Writes)
	f()
	out := map[string]float64{}
	for kind, n := range w.Main().Units().Writes {
		if n > before[kind] {
			out[kind] = n - before[kind]
		}
	}
	return out
}

// G-58, C-4: what a change of settings costs, and what it changes.
func TestSettings(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	f := w.Add(w.Web.Site("https://site.example/feed", 30).URL, subscribe.Options{})
	if _, err := w.Store().Trees.Change(bg, flow.User, func(tree *library.Tree) error {
		tree.Ensure([]string{"A", "B"})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		w     subscribe.Settings
		code  string // of the fault
		costs map[string]float64
	}{
		{"title", subscribe.Settings{Title: ptr(" My  title ")}, "", map[string]float64{"subscription": 1}},
		{"the same title", subscribe.Settings{Title: ptr("My title")}, "", map[string]float64{}},
		{"folders, one of them twice", subscribe.Settings{Folders: &[]reader.FolderID{2, 1, 2}}, "",
			map[string]float64{"subscription": 1}},
		{"all at once", subscribe.Settings{Position: ptr(int32(7)), Mute: ptr(true), FullText: ptr(true),
			Notify: ptr(true)}, "", map[string]float64{"subscription": 1}},
		{"another interval", subscribe.Settings{Interval: ptr(int32(30))}, "",
			map[string]float64{"subscriber": 1, "feed": 1, "subscription": 1}},
		{"no interval", subscribe.Settings{Interval: ptr(int32(45))}, "bad_interval", map[string]float64{}},
		{"too short an interval", subscribe.Settings{Interval: ptr(int32(15))}, "bad_interval", map[string]float64{}},
		{"too long an interval", subscribe.Settings{Interval: ptr(int32(750))}, "bad_interval", map[string]float64{}},
		{"a folder that is not there", subscribe.Settings{Folders: &[]reader.FolderID{3}}, "folder_not_found",
			map[string]float64{}},
		{"too many folders", subscribe.Settings{Folders: ptr(make([]reader.FolderID, 21))}, "too_many_folders",
			map[string]float64{}},
		{"a position before all", subscribe.Settings{Position: ptr(int32(-1))}, "bad_position", map[string]float64{}},
		{"a title as long as a novel", subscribe.Settings{Title: ptr(string(make([]rune, 201)))}, "bad_title",
			map[string]float64{}},
	} {
		var err error
		costs := written(w, func() { _, err = service(w).Set(bg, flow.User, f.ID(), c.w) })
		if got := fault.CodeOf(err); err != nil && got != c.code || err == nil && c.code != "" {
			t.Errorf("%s: %v, want %q", c.name, err, c.code)
		}
		if !maps.Equal(costs, c.costs) {
			t.Errorf("%s wrote %v, want %v", c.name, costs, c.costs)
		}
	}
	row := subscriptions(t, w, flow.User)[f.ID()]
	if row.Title != "My title" || !slices.Equal(row.Folders, []reader.FolderID{2, 1}) || row.Position != 7 ||
		!row.Mute || !row.FullText || !row.Notify || row.Interval != 30 {
		t.Errorf("the subscription: %+v", row)
	}
	if row.Rev != 0 || row.Upto != 10 {
		t.Errorf("the reading changed: %+v", row)
	}
	if f := w.Feed(f.ID()); f.Asked != 30 || !f.Explicit {
		t.Errorf("the feed: asked %d, explicit %v", f.Asked, f.Explicit)
	}
	if _, err := service(w).Set(bg, "u9", f.ID(), subscribe.Settings{Title: ptr("x")}); !fault.Is(err, fault.NotFound) {
		t.Errorf("another user's: %v", err)
	}
}

// A smaller interval applies at once: the next poll is the new interval after the last, not the old one.
func TestIntervalTakesEffectAtOnce(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	f := w.Add(w.Web.Site("https://site.example/feed", 3).URL, subscribe.Options{Interval: 720})
	polled := w.Clock.Now()
	next := func() time.Duration { return w.Feed(f.ID()).NextCheck(w.Clock.Now()).Sub(polled) }
	if d := next(); d < 12*time.Hour {
		t.Fatalf("the next poll is in %v", d)
	}
	w.Advance(10 * time.Minute)
	set := func(minutes int32) {
		t.Helper()
		if _, err := service(w).Set(bg, flow.User, f.ID(), subscribe.Settings{Interval: &minutes}); err != nil {
			t.Fatal(err)
		}
	}
	set(30)
	if d := next(); d < 30*time.Minute || d > 62*time.Minute {
		t.Errorf("the next poll is %v after the last", d)
	}
	if row := w.Feed(f.ID()); row.Why != schedule.ReasonAsked || row.Period != schedule.PeriodFor(30*time.Minute) {
		t.Errorf("why %q, period %d", row.Why, row.Period)
	}
	// Long after the last poll: in the next tick.
	set(720)
	w.Advance(5 * time.Hour)
	now := w.Clock.Now()
	set(60)
	if d := w.Feed(f.ID()).NextCheck(now).Sub(now); d <= 0 || d > schedule.TickLength {
		t.Errorf("the next poll is in %v", d)
	}
	// The publisher's interval and an error's back-off still apply.
	w.Patch(f.ID(), func(f *store.FeedRow) { f.First, f.Errors = int32(w.Tick()+40), 3 })
	set(30)
	if first := w.Feed(f.ID()).First; first != int32(w.Tick()+40) {
		t.Errorf("a back-off ended: first %d, now %d", first, w.Tick())
	}
}

// However often a person changes the interval, the publisher is not visited more often than once in the smallest.
func TestChangingIntervalsIsPolite(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 7, 1)
	site := w.Web.Site("https://site.example/feed", 3)
	f := w.Add(site.URL, subscribe.Options{})
	for range 4 * 24 * 3 {
		w.Advance(15 * time.Minute)
		if w.Rand.IntN(2) == 0 {
			minutes := int32(30 * (1 + w.Rand.IntN(24)))
			if _, err := service(w).Set(bg, flow.User, f.ID(), subscribe.Settings{Interval: &minutes}); err != nil {
				t.Fatal(err)
			}
		}
		w.Turn()
	}
	if len(site.Visits) < 20 {
		t.Errorf("%d visits in three days", len(site.Visits))
	}
	for i := 1; i < len(site.Visits); i++ {
		if d := site.Visits[i].At.Sub(site.Visits[i-1].At); d < 30*time.Minute {
			t.Errorf("visit %d came %v after the one before", i, d)
		}
	}
}

// Whichever step a change of the interval dies at, asking again makes it whole.
func TestSettingsSurviveEveryCrash(t *testing.T) {
	t.Parallel()
	whole := false
	for step := 0; !whole && step < 40; step++ {
		w := flow.New(t, uint64(step), 1)
		f := w.Add(w.Web.Site("https://site.example/feed", 3).URL, subscribe.Options{})
		n, p := 0, w.Main()
		p.Before(func() {
			if n++; n > step {
				p.Kill()
			}
		})
		set := func() error {
			_, err := service(w).Set(bg, flow.User, f.ID(),
				subscribe.Settings{Interval: ptr(int32(30)), Title: ptr("Mine")})
			return err
		}
		whole = set() == nil
		w.Restart()
		if err := set(); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		row, feed := subscriptions(t, w, flow.User)[f.ID()], w.Feed(f.ID())
		if row.Interval != 30 || row.Title != "Mine" || feed.Asked != 30 || feed.Subs != 1 ||
			feed.Period != schedule.PeriodFor(30*time.Minute) {
			t.Fatalf("step %d: %+v, feed asked %d, period %d", step, row, feed.Asked, feed.Period)
		}
	}
	if !whole {
		t.Error("the change never went through")
	}
}

// Many changes at once: each with its own result, for a write each.
func TestBulk(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	var ids []reader.FeedID
	for i := range 6 {
		ids = append(ids, w.Add(w.Web.Site(fmt.Sprintf("https://host%d.example/feed", i), 1).URL,
			subscribe.Options{Folder: []string{"A"}}).ID())
	}
	changes := []subscribe.BulkChange{
		{Feed: ids[0], Settings: subscribe.Settings{Folders: &[]reader.FolderID{}}},
		{Feed: ids[1], Settings: subscribe.Settings{Title: ptr("Renamed"), Position: ptr(int32(3))}},
		{Feed: ids[2], Leave: true},
		{Feed: 99, Settings: subscribe.Settings{Mute: ptr(true)}},
		{Feed: ids[3], Settings: subscribe.Settings{Folders: &[]reader.FolderID{9}}},
		{Feed: ids[4], Settings: subscribe.Settings{Mute: ptr(true)}},
		{Feed: ids[4], Settings: subscribe.Settings{Mute: ptr(false), Notify: ptr(true)}},
		{Feed: ids[2], Settings: subscribe.Settings{Mute: ptr(true)}},
		{Feed: ids[2], Leave: true},
		{Feed: ids[5], Settings: subscribe.Settings{Interval: ptr(int32(1))}},
	}
	var errs []error
	costs := written(w, func() {
		var err error
		if errs, err = service(w).Bulk(bg, flow.User, changes); err != nil {
			t.Fatal(err)
		}
	})
	for i, want := range []string{"", "", "", "feed_not_found", "folder_not_found", "", "", "feed_not_found",
		"feed_not_found", "bad_interval"} {
		if errs[i] != nil {
			if got := fault.CodeOf(errs[i]); got != want {
				t.Errorf("change %d: %v, want %q", i, errs[i], want)
			}
		} else if want != "" {
			t.Errorf("change %d succeeded, want %q", i, want)
		}
	}
	// Four changes, and one that leaves: subscription, subscriber, feed.
	if want := (map[string]float64{"subscription": 5, "subscriber": 1, "feed": 1}); !maps.Equal(costs, want) {
		t.Errorf("wrote %v, want %v", costs, want)
	}
	rows := subscriptions(t, w, flow.User)
	if len(rows) != 5 || rows[ids[0]].Folders != nil || rows[ids[1]].Title != "Renamed" || rows[ids[1]].Position != 3 ||
		rows[ids[4]].Mute || !rows[ids[4]].Notify {
		t.Errorf("%+v", rows)
	}
	if _, err := service(w).Bulk(bg, flow.User, make([]subscribe.BulkChange, subscribe.MaxBulk+1)); fault.CodeOf(err) !=
		"too_many_changes" {
		t.Error(err)
	}
}

// read marks seqs read or unread and stars one.
func mark(t *testing.T, w *flow.Env, u reader.UserID, id reader.FeedID, ops ...reader.Op) {
	t.Helper()
	row, err := w.Store().Subscriptions.Get(bg, u, id)
	if err != nil {
		t.Fatal(err)
	}
	next, _ := reader.Apply(row.StateIn(w.Feed(id)), reader.Change{Ops: ops, Last: reader.Seq(w.Feed(id).Seq), At: 1})
	if _, err := w.Store().Subscriptions.ChangeState(bg, u, row, next); err != nil {
		t.Fatal(err)
	}
}

// C-30: another address for one subscription; state goes by the identity of items, others are not touched.
// G-10
func TestRepoint(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	old := w.Web.Site("https://old.example/feed", 30)
	moved := w.Web.Site("https://new.example/feed", 30)
	moved.Body, moved.ContentType = old.Feed, old.ContentType // the same items
	a := w.Add(old.URL, subscribe.Options{Folder: []string{"A"}, Title: "Mine", Interval: 30})
	u2 := user(t, w, "u2")
	if _, err := service(w).Attach(bg, u2, w.Feed(a.ID()), subscribe.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := service(w).Set(bg, flow.User, a.ID(),
		subscribe.Settings{Mute: ptr(true), Position: ptr(int32(4))}); err != nil {
		t.Fatal(err)
	}
	mark(t, w, flow.User, a.ID(), reader.Op{Kind: reader.OpRead, Seqs: []reader.Seq{12, 30}},
		reader.Op{Kind: reader.OpUnread, Seqs: []reader.Seq{2}})
	k := keeping(t, w, flow.User)
	k.set(k.id(a.ID(), 5), true)
	was := subscriptions(t, w, flow.User)[a.ID()].StateIn(w.Feed(a.ID()))

	f, err := service(w).Repoint(bg, flow.User, a.ID(), "new.example/feed")
	if err != nil || f.ID() == a.ID() || f.URL != moved.URL {
		t.Fatalf("%+v, %v", f, err)
	}
	rows := subscriptions(t, w, flow.User)
	row := rows[f.ID()]
	if len(rows) != 1 || row == nil || row.Title != "Mine" || row.Interval != 30 || !row.Mute || row.Position != 4 ||
		folderOf(t, w, flow.User, row) != "A" {
		t.Fatalf("%+v", row)
	}
	now := row.StateIn(w.Feed(f.ID()))
	for seq := reader.Seq(1); seq <= 30; seq++ {
		if now.IsRead(seq) != was.IsRead(seq) || now.Stars.Has(seq) != was.Stars.Has(seq) {
			t.Errorf("item %d: read %v, was %v; starred %v", seq, now.IsRead(seq), was.IsRead(seq), now.Stars.Has(seq))
		}
	}
	if subscriptions(t, w, u2)[a.ID()] == nil || w.Feed(a.ID()).Subs != 1 || w.Feed(a.ID()).MergedInto != 0 ||
		w.Feed(a.ID()).Asked != 60 {
		t.Errorf("the other reader's feed: %+v", w.Feed(a.ID()))
	}
	// To its own address nothing happens; to what is no feed neither.
	if same, err := service(w).Repoint(bg, flow.User, f.ID(), moved.URL); err != nil || same.ID() != f.ID() {
		t.Error(err)
	}
	if _, err := service(w).Repoint(bg, flow.User, f.ID(), "https://nowhere.example/"); err == nil ||
		len(subscriptions(t, w, flow.User)) != 1 {
		t.Errorf("to nowhere: %v", err)
	}
}

// Where the new feed is read already the two become one: what is read in either is read.
// C-30
func TestRepointMerges(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	old, there := w.Web.Site("https://old.example/feed", 5), w.Web.Site("https://new.example/feed", 5)
	there.Body, there.ContentType = old.Feed, old.ContentType
	a, b := w.Add(old.URL, subscribe.Options{}), w.Add(there.URL, subscribe.Options{Title: "There"})
	mark(t, w, flow.User, a.ID(), reader.Op{Kind: reader.OpRead, Seqs: []reader.Seq{1, 2}})
	mark(t, w, flow.User, b.ID(), reader.Op{Kind: reader.OpRead, Seqs: []reader.Seq{2, 3}})
	if _, err := service(w).Repoint(bg, flow.User, a.ID(), there.URL); err != nil {
		t.Fatal(err)
	}
	rows := subscriptions(t, w, flow.User)
	s := rows[b.ID()].StateIn(w.Feed(b.ID()))
	if len(rows) != 1 || rows[b.ID()].Title != "There" || !s.IsRead(1) || !s.IsRead(2) || !s.IsRead(3) || s.IsRead(4) {
		t.Errorf("%+v", rows[b.ID()])
	}
}

// At the cap, one subscription can still take another's place.
func TestRepointAtTheCap(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	service(w).OwnerCap = 1
	a := w.Add(w.Web.Site("https://old.example/feed", 5).URL, subscribe.Options{})
	b := w.Web.Site("https://new.example/feed", 5)
	if _, _, err := service(w).Add(bg, flow.User, b.URL, subscribe.Options{}); fault.CodeOf(err) !=
		"subscription_limit" {
		t.Fatal(err)
	}
	if f, err := service(w).Repoint(bg, flow.User, a.ID(), b.URL); err != nil || f.URL != b.URL ||
		len(subscriptions(t, w, flow.User)) != 1 {
		t.Error(err)
	}
}

// Whichever step re-pointing dies at, the subscription is never lost, and asking again ends it with the state whole.
func TestRepointSurvivesEveryCrash(t *testing.T) {
	t.Parallel()
	whole := false
	for step := 0; !whole && step < 80; step++ {
		w := flow.New(t, uint64(step), 1)
		old, moved := w.Web.Site("https://old.example/feed", 30), w.Web.Site("https://new.example/feed", 30)
		moved.Body, moved.ContentType = old.Feed, old.ContentType
		a := w.Add(old.URL, subscribe.Options{Title: "Mine"})
		mark(t, w, flow.User, a.ID(), reader.Op{Kind: reader.OpUnread, Seqs: []reader.Seq{2}},
			reader.Op{Kind: reader.OpRead, Seqs: []reader.Seq{30}})
		searchIn(t, w, flow.User, a.ID())
		n, p := 0, w.Main()
		p.Before(func() {
			if n++; n > step {
				p.Kill()
			}
		})
		_, err := service(w).Repoint(bg, flow.User, a.ID(), moved.URL)
		whole = err == nil
		w.Restart()
		w.Advance(3 * time.Minute) // the part's lease expires
		rows := subscriptions(t, w, flow.User)
		if len(rows) == 0 {
			t.Fatalf("step %d: the subscription is lost", step)
		}
		if rows[a.ID()] != nil {
			_, err := service(w).Repoint(bg, flow.User, a.ID(), moved.URL)
			for range 8 {
				if fault.CodeOf(err) != "feed_waiting" {
					break
				}
				w.Advance(15 * time.Minute)
				w.Turn()
				_, err = service(w).Repoint(bg, flow.User, a.ID(), moved.URL)
			}
			if err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
			rows = subscriptions(t, w, flow.User)
		}
		for id, row := range rows {
			s := row.StateIn(w.Feed(id))
			if got := searched(t, w, flow.User); !slices.Equal(got, []reader.FeedID{id, 99}) {
				t.Fatalf("step %d: the saved searches are in %v", step, got)
			}
			if len(rows) != 1 || id == a.ID() || row.Title != "Mine" || s.IsRead(2) || !s.IsRead(30) ||
				!s.IsRead(3) || s.IsRead(29) {
				t.Fatalf("step %d: %d rows, %+v", step, len(rows), row)
			}
		}
	}
	if !whole {
		t.Error("it never went through")
	}
}

// searchIn saves a search in a feed, and one in another.
func searchIn(t *testing.T, w *flow.Env, u reader.UserID, f reader.FeedID) {
	t.Helper()
	_, err := w.Store().Searches.Change(bg, u, func(l *library.Searches) error {
		_, err := l.Add(library.Search{Name: "x", Query: "x", Feed: f})
		_, err2 := l.Add(library.Search{Name: "y", Query: "y", Feed: 99})
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// searched lists where a user's saved searches search.
func searched(t *testing.T, w *flow.Env, u reader.UserID) (list []reader.FeedID) {
	t.Helper()
	l, err := w.Store().Searches.Latest(bg, u)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range l.List {
		list = append(list, x.Feed)
	}
	return list
}

// One subscriber who wants no provider to be asked for a feed's items is enough; other settings do not change that, and
// afterwards the feed remembers until when it was so.
func TestNeverCount(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	f := w.Add(w.Web.Site("https://site.example/feed", 3).URL, subscribe.Options{})
	s := service(w)
	if err := w.Store().Accounts.Create(bg, "u2", store.Account{Email: "b@example.org"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Attach(bg, "u2", f, subscribe.Options{}); err != nil {
		t.Fatal(err)
	}
	set := func(u reader.UserID, c subscribe.Settings) {
		t.Helper()
		if _, err := s.Set(bg, u, f.ID(), c); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		what     string
		do       func()
		noCounts bool
	}{
		{"nothing", func() {}, false},
		{"one wants it", func() { set("u2", subscribe.Settings{NeverCount: ptr(true)}) }, true},
		{"another interval", func() { set("u2", subscribe.Settings{Interval: ptr(int32(120))}) }, true},
		{"the other too", func() { set(flow.User, subscribe.Settings{NeverCount: ptr(true)}) }, true},
		{"the first leaves it", func() { set("u2", subscribe.Settings{NeverCount: ptr(false)}) }, true},
		{"subscribed once more", func() {
			if _, err := s.Attach(bg, flow.User, w.Feed(f.ID()), subscribe.Options{}); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"the other unsubscribes", func() {
			if err := s.Leave(bg, flow.User, f.ID()); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		w.Advance(time.Minute)
		step.do()
		if row := w.Feed(f.ID()); row.NoCounts != step.noCounts {
			t.Errorf("%s: %v", step.what, row.NoCounts)
		}
	}
	if row := w.Feed(f.ID()); row.CountsFrom != uint32(reader.MinuteOf(w.Clock.Now())) {
		t.Errorf("counted from minute %d, now is %d", row.CountsFrom, reader.MinuteOf(w.Clock.Now()))
	}
}
