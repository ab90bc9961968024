package crawl_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

func leads(code int, to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, code) }
}

// A permanent redirect is believed when five polls in a row and three days have seen it (FRB130 to 132); until
// then it costs five writes at most, however many the polls are.
func TestPermanentRedirectIsCounted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		code  int
		gap   time.Duration // between polls, beside the feed's own hour
		polls int           // that are needed; 0: as many as three days have
	}{
		{"hourly", 301, 0, 0},
		{"daily", 308, 24 * time.Hour, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			old := l.page("/old", rss("", numbered(1, 30)...))
			fresh := l.page("/new", old.body)
			id := l.feed(l.url("/old"))
			l.want(id, reader.OutcomeChanged, 30)
			old.change(func(p *page) { p.serve = leads(tt.code, "/new") })
			seen, polls := time.Time{}, 0
			for l.row(id).URL == l.url("/old") {
				l.clock.Add(tt.gap)
				had := l.row(id).MovedPolls
				rows, _ := l.writes(func() { l.want(id, reader.OutcomeNotModified, 0) })
				if polls++; seen.IsZero() {
					seen = l.clock.Now()
				}
				f := l.row(id)
				// the part's lease, twice, and the run's row
				if f.URL == l.url("/old") && f.MovedPolls == had && rows > 3 {
					t.Errorf("poll %d wrote %d rows", polls, rows)
				}
				if polls > 200 {
					t.Fatal("never kept")
				}
			}
			if after := l.clock.Now().Sub(seen); after < 3*24*time.Hour || polls < 5 || tt.polls > 0 &&
				polls != tt.polls {
				t.Errorf("kept after %d polls in %v", polls, after)
			}
			f := l.row(id)
			if f.URL != l.url("/new") || f.MovedTo != "" || f.MovedPolls != 0 || f.Seq != 30 || f.ETag != `"1"` {
				t.Errorf("the moved feed: %+v", f)
			}
			was := old.count()
			l.want(id, reader.OutcomeNotModified, 0)
			if old.count() != was || fresh.last().Get("If-None-Match") != `"1"` {
				t.Error("the old address is still asked, or without validators")
			}
			if owner, err := l.store.Feeds.FindURL(bg, l.url("/new")); err != nil || owner != id {
				t.Errorf("the new address belongs to %d, %v", owner, err)
			}
		})
	}
}

// In a row means in a row: another place, or an answer without a redirect, begins anew; a failure says nothing.
func TestRedirectsHaveToAgree(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	old := l.page("/old", rss("", numbered(1, 30)...))
	for _, path := range []string{"/new", "/other"} {
		l.page(path, old.body)
	}
	id := l.feed(l.url("/old"))
	l.want(id, reader.OutcomeChanged, 30)
	poll := func(how http.HandlerFunc, outcome reader.Outcome, want int32) {
		t.Helper()
		old.change(func(p *page) { p.serve = how })
		l.clock.Add(24 * time.Hour)
		l.want(id, outcome, 0)
		if f := l.row(id); f.MovedPolls != want || f.URL != l.url("/old") {
			t.Fatalf("%d counted, at %s; want %d", f.MovedPolls, f.URL, want)
		}
	}
	broken := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	for n := range int32(4) {
		poll(leads(301, "/new"), reader.OutcomeNotModified, n+1)
	}
	poll(leads(301, "/other"), reader.OutcomeNotModified, 1)
	poll(leads(308, "/other"), reader.OutcomeNotModified, 2)
	poll(broken, reader.OutcomeFailed, 2)
	poll(leads(302, "/other"), reader.OutcomeNotModified, 0)
	for n := range int32(4) {
		poll(leads(301, "/new"), reader.OutcomeNotModified, n+1)
	}
}

func TestPassingRedirectsAreNotKept(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	old := l.page("/old", rss("", numbered(1, 30)...))
	l.page("/new", old.body)
	id := l.feed(l.url("/old"))
	l.want(id, reader.OutcomeChanged, 30)
	for _, code := range []int{302, 303, 307} {
		old.change(func(p *page) { p.serve = leads(code, "/new") })
		for range 3 {
			l.clock.Add(24 * time.Hour)
			l.want(id, reader.OutcomeNotModified, 0)
		}
	}
	if f := l.row(id); f.URL != l.url("/old") || f.MovedTo != "" {
		t.Errorf("a temporary redirect was kept: %s, %q", f.URL, f.MovedTo)
	}
	old.change(func(p *page) { p.serve = leads(301, "/new") })
	l.want(id, reader.OutcomeNotModified, 0)
	old.change(func(p *page) { p.serve = nil })
	l.want(id, reader.OutcomeNotModified, 0)
	if f := l.row(id); f.MovedTo != "" || f.MovedSince != 0 {
		t.Errorf("a redirect that went away is remembered: %q", f.MovedTo)
	}
	old.change(func(p *page) { p.serve = leads(301, "/gone") }) // a permanent way to a 404 is no move
	l.want(id, reader.OutcomeFailed, 0)
	if f := l.row(id); f.MovedTo != "" || f.URL != l.url("/old") {
		t.Errorf("moved to what is not there: %q", f.MovedTo)
	}
}

// merging makes two feeds of one publisher, the first of which leads to the second for good.
func merging(t *testing.T) (l *lab, from, into reader.FeedID) {
	t.Helper()
	l = newLab(t)
	old := l.page("/old", rss("", numbered(1, 30)...))
	l.page("/new", rss("", numbered(1, 30)...))
	from, into = l.feed(l.url("/old")), l.feed(l.url("/new"))
	l.want(from, reader.OutcomeChanged, 30)
	l.want(into, reader.OutcomeChanged, 30)
	for _, u := range []reader.UserID{"u2", "u3"} {
		if err := l.store.Subscriptions.PutSubscriber(bg, from, store.Subscriber{User: u}); err != nil {
			t.Fatal(err)
		}
		if err := l.store.Subscriptions.Add(bg, u, from,
			store.SubscriptionRow{Title: "Mine", Folders: []reader.FolderID{3}, Since: 1}); err != nil {
			t.Fatal(err)
		}
		row, err := l.store.Subscriptions.Get(bg, u, from)
		if err != nil {
			t.Fatal(err)
		}
		next, _ := reader.Apply(row.StateIn(new(store.FeedRow)), reader.Change{Ops: []reader.Op{
			{Kind: reader.OpRead, Seqs: []reader.Seq{1, 2, 3, 4, 5, 20}}, {Kind: reader.OpStar, Seqs: []reader.Seq{7}},
		}, Last: 30, At: 1})
		if _, err := l.store.Subscriptions.ChangeState(bg, u, row, next); err != nil {
			t.Fatal(err)
		}
		id, star := starOf(t, l, from, 7)
		if err := l.store.Snapshots.Put(bg, u, store.Star, id, star); err != nil {
			t.Fatal(err)
		}
	}
	old.change(func(p *page) { p.serve = leads(301, "/new") })
	for range 4 {
		l.want(from, reader.OutcomeNotModified, 0)
		l.clock.Add(25 * time.Hour)
	}
	return l, from, into
}

// starOf makes the row that a star of an item is.
func starOf(t *testing.T, l *lab, f reader.FeedID, seq reader.Seq) (reader.ItemID, store.SnapshotRow) {
	t.Helper()
	d, err := l.store.Items.At(bg, f, seq)
	if err != nil {
		t.Fatal(err)
	}
	hs, err := d.Headers()
	if err != nil {
		t.Fatal(err)
	}
	head, err := store.PackHeaders(hs[seq-d.First():][:1])
	if err != nil {
		t.Fatal(err)
	}
	return reader.NewItemID(reader.Minute(d.Stamp), f, seq),
		store.SnapshotRow{Feed: uint32(f), Seq: uint32(seq), At: 1, Head: head}
}

func merged(t *testing.T, l *lab, from, into reader.FeedID) {
	t.Helper()
	old, f := l.row(from), l.row(into)
	if old.MergedInto != uint32(into) || old.Subs != 0 || old.Live() {
		t.Errorf("the old feed: merged into %d, %d subscribers", old.MergedInto, old.Subs)
	}
	if f.Subs != 3 {
		t.Errorf("the target has %d subscribers", f.Subs)
	}
	if owner, err := l.store.Feeds.FindURL(bg, l.url("/old")); err != nil || owner != into {
		t.Errorf("the old address belongs to %d, %v", owner, err)
	}
	for _, u := range []reader.UserID{"u2", "u3"} {
		if _, err := l.store.Subscriptions.Get(bg, u, from); err == nil {
			t.Errorf("%s is still subscribed to the old feed", u)
		}
		row, err := l.store.Subscriptions.Get(bg, u, into)
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		if row.Title != "Mine" || !slices.Equal(row.Folders, []reader.FolderID{3}) {
			t.Errorf("%s: title %q, folders %v", u, row.Title, row.Folders)
		}
		id, star := starOf(t, l, into, 7)
		if now, err := l.store.Snapshots.Latest(bg, u, store.Star, id); err != nil || now.Feed != star.Feed ||
			now.Seq != star.Seq {
			t.Errorf("%s: the star's row: %+v, %v", u, now, err)
		}
		s := row.StateIn(new(store.FeedRow))
		for seq := reader.Seq(1); seq <= 30; seq++ {
			if read := seq <= 5 || seq == 20; s.IsRead(seq) != read {
				t.Errorf("%s: item %d read %v", u, seq, s.IsRead(seq))
			}
			if s.Stars.Has(seq) != (seq == 7) {
				t.Errorf("%s: item %d starred %v", u, seq, s.Stars.Has(seq))
			}
		}
	}
}

// A feed that moves to the address of another is merged with it: every subscriber goes along, with the
// state of each item that both have.
func TestMergeTakesSubscribersAndStateAlong(t *testing.T) {
	t.Parallel()
	l, from, into := merging(t)
	l.want(from, reader.OutcomeNotModified, 0)
	merged(t, l, from, into)
}

// A merge that broke off is gone on with by the next run, not forgotten.
func TestMergeThatBrokeOffIsGoneOnWith(t *testing.T) {
	t.Parallel()
	l, from, into := merging(t)
	if _, err := l.store.Feeds.Modify(bg, from, func(f *store.FeedRow) { f.MergedInto = uint32(into) }); err != nil {
		t.Fatal(err)
	}
	if _, err := l.store.Feeds.Modify(bg, from, func(f *store.FeedRow) { f.Subs = 3 }); err != nil {
		t.Fatal(err)
	}
	tick := schedule.TickOf(l.clock.Now()) + 1
	l.clock.Set(tick.Start())
	r, err := l.crawler.Run(bg, job.Job{Kind: job.Scheduled, Tick: tick, Late: []reader.FeedID{from}}, 1)
	if err != nil || r.Polled != 0 {
		t.Fatalf("run: %+v, %v", r, err)
	}
	merged(t, l, from, into)
}
