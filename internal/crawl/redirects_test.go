package crawl_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/store"
)

func leads(code int, to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, code) }
}

// A permanent redirect is believed when it is still there a day after its first sight (FRB130 to 132).
func TestPermanentRedirectIsKeptAfterADay(t *testing.T) {
	t.Parallel()
	for _, code := range []int{301, 308} {
		l := newLab(t)
		old := l.page("/old", rss("", numbered(1, 30)...))
		fresh := l.page("/new", old.body)
		id := l.feed(l.url("/old"))
		l.want(id, reader.OutcomeChanged, 30)
		old.change(func(p *page) { p.serve = leads(code, "/new") })
		seen := time.Time{}
		for l.row(id).URL == l.url("/old") {
			l.want(id, reader.OutcomeNotModified, 0)
			if seen.IsZero() {
				seen = l.clock.Now()
				if f := l.row(id); f.MovedTo != l.url("/new") || f.MovedSince != seen.Unix() {
					t.Fatalf("%d: the first sight is not noted: %q", code, f.MovedTo)
				}
			}
			if l.clock.Now().Sub(seen) > 48*time.Hour {
				t.Fatalf("%d: never kept", code)
			}
		}
		if after := l.clock.Now().Sub(seen); after < 24*time.Hour {
			t.Errorf("%d: kept after %v", code, after)
		}
		f := l.row(id)
		if f.URL != l.url("/new") || f.MovedTo != "" || f.Seq != 30 || f.ETag != `"1"` {
			t.Errorf("%d: the moved feed: %+v", code, f)
		}
		was := old.count()
		l.want(id, reader.OutcomeNotModified, 0)
		if old.count() != was || fresh.last().Get("If-None-Match") != `"1"` {
			t.Errorf("%d: the old address is still asked, or without validators", code)
		}
		if owner, err := l.store.Feeds.FindURL(bg, l.url("/new")); err != nil || owner != id {
			t.Errorf("%d: the new address belongs to %d, %v", code, owner, err)
		}
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
		if err := l.store.Subscriptions.Add(bg, u, from, store.SubscriptionRow{Title: "Mine", Folders: []int32{3}, Since: 1}); err != nil {
			t.Fatal(err)
		}
		row, err := l.store.Subscriptions.Get(bg, u, from)
		if err != nil {
			t.Fatal(err)
		}
		next, _ := reader.Apply(row.State(), reader.Change{Ops: []reader.Op{
			{Kind: reader.OpRead, Seqs: []reader.Seq{1, 2, 3, 4, 5, 20}}, {Kind: reader.OpStar, Seqs: []reader.Seq{7}},
		}, Last: 30, At: 1})
		if err := l.store.Subscriptions.Replace(bg, row.WithState(next), row.Rev); err != nil {
			t.Fatal(err)
		}
	}
	old.change(func(p *page) { p.serve = leads(301, "/new") })
	l.want(from, reader.OutcomeNotModified, 0)
	l.clock.Add(25 * time.Hour)
	return l, from, into
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
		if row.Title != "Mine" || !slices.Equal(row.Folders, []int32{3}) {
			t.Errorf("%s: title %q, folders %v", u, row.Title, row.Folders)
		}
		s := row.State()
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
	if _, err := l.store.Feeds.Update(bg, from, store.Patch{"mergedInto": uint32(into)}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.store.Feeds.Update(bg, from, store.Patch{"subs": int32(3)}); err != nil {
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
