package webhook_test

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// A feed that stops and a watch that has a problem are told to those webhooks that want it, once each, and nothing is
// when it has passed. M-34
func TestTroubles(t *testing.T) {
	t.Parallel()
	stopped := func(f *store.FeedRow) { f.Status, f.ErrCode = string(reader.StatusStopped), reader.CodeHTTP404 }
	suspect := func(f *store.FeedRow) { f.Status, f.ErrCode = string(reader.StatusError), reader.CodeListingChanged }
	watch := func(f *store.FeedRow) { f.Kind = store.KindWatch }
	for _, tt := range []struct {
		name string
		as   []func(*store.FeedRow)
		want string // of the webhook that wants everything
	}{
		{"a feed that stops", []func(*store.FeedRow){stopped}, webhook.EventStopped},
		{"a feed that fails", []func(*store.FeedRow){suspect}, ""},
		{"a feed that is back", nil, ""},
		{"a watch that stops", []func(*store.FeedRow){watch, stopped}, webhook.EventProblem},
		{"a watch whose page cannot be read", []func(*store.FeedRow){watch, suspect}, webhook.EventProblem},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			id := w.feed()
			w.hook("/other", webhook.EventStarred)
			w.hook("/all", webhook.EventStopped, webhook.EventProblem)
			_, err := w.Store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) {
				f.ErrSince, f.Probe = w.Clock.Now().Unix(), w.Clock.Now().Add(1000*time.Hour).Unix()
				for _, change := range tt.as {
					change(f)
				}
			})
			w.ok(err)
			for range 2 { // messages may come twice
				w.ok(w.s.Work(t.Context(), job.Job{Kind: job.Trouble, Feeds: []reader.FeedID{id}}))
			}
			w.work()
			ids := map[string]bool{}
			for _, got := range w.received() {
				ids[got.Delivery] = true
				if got.Event != tt.want || got.Problem == nil || got.Problem.Since == "" ||
					got.Problem.IsStopped != (got.Problem.Code == reader.CodeHTTP404) ||
					got.Feed.ID != id.String() || len(got.Items) > 0 {
					t.Errorf("%+v, %+v", got.Body, got.Problem)
				}
			}
			if want := min(len(tt.want), 1); len(ids) != want {
				t.Errorf("%d deliveries, want %d", len(ids), want)
			}
		})
	}
}

// TestServerTroubles: only the owner is told of a failed backup, once, and not when one has succeeded meanwhile.
func TestServerTroubles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.ok(w.Store.Accounts.Create(t.Context(), user, store.Account{Email: "a@example.org"}))
	w.hook("/server", webhook.EventServer)
	fail := func() int {
		_, err := w.Store.Accounts.SetBackupFailed(t.Context(), w.Clock.Now(), "backup_denied")
		w.ok(err)
		before := len(w.received())
		for range 2 { // messages may come twice
			w.ok(w.s.Work(t.Context(), job.Job{Kind: job.Trouble, Event: webhook.EventServer}))
		}
		w.work()
		return len(w.received()) - before
	}
	if n := fail(); n != 0 {
		t.Errorf("%d deliveries without an owner", n)
	}
	w.ok(w.Store.Accounts.ClaimOwner(t.Context(), user))
	fail()
	ids := map[string]bool{}
	for _, got := range w.received() {
		ids[got.Delivery] = true
		if p := got.Problem; got.Event != webhook.EventServer || p.Code != "backup_denied" || p.Category != "backup" ||
			got.Feed != nil {
			t.Errorf("%+v, %+v", got.Body, got.Problem)
		}
	}
	if len(ids) != 1 {
		t.Errorf("%d deliveries", len(ids))
	}
	_, err := w.Store.Accounts.SetBackupFailed(t.Context(), w.Clock.Now(), "backup_denied")
	w.ok(err)
	w.ok(w.s.TellServer(t.Context()))
	w.ok(w.Store.Accounts.SetBackup(t.Context(), w.Clock.Now()))
	before := len(w.received())
	w.work()
	if n := len(w.received()) - before; n != 0 {
		t.Errorf("%d deliveries after a backup succeeded", n)
	}
}
