package webhook_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// The owner's webhooks that want to know it are told of each step of a month once, and of nothing when it has passed.
// C-4
func TestBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.owner(newService(t, w, "ntfy"))
	w.hook("/other", webhook.EventStopped)
	w.hook("/mine", webhook.EventBudget)
	tell := func(row store.BudgetRow) {
		w.ok(w.Store.Budget.Put(t.Context(), row))
		for range 2 { // messages may come twice
			w.ok(w.s.Work(t.Context(), job.Job{Kind: job.Trouble, Event: webhook.EventBudget}))
		}
		w.work()
	}
	month := w.Clock.Now().Format("2006-01")
	tell(store.BudgetRow{Month: month, Slow: 2, Spent: 3.6, Limit: 5})
	tell(store.BudgetRow{Month: month, Slow: 4, Spent: 4.3, Limit: 5})
	tell(store.BudgetRow{Month: month, Slow: 1, Spent: 4.3, Limit: 50})
	tell(store.BudgetRow{Month: "2026-01", Slow: 8, Spent: 5, Limit: 5})
	var steps []webhook.Budget
	ids := map[string]bool{}
	for _, got := range w.received() {
		if !ids[got.Delivery] {
			steps = append(steps, *got.Budget)
		}
		ids[got.Delivery] = true
		if got.path != "/mine" || got.Event != webhook.EventBudget || got.Feed != nil {
			t.Errorf("%s: %+v", got.path, got.Body)
		}
	}
	if want := []webhook.Budget{{month, 72, 3.6, 5, 2}, {month, 86, 4.3, 5, 4}}; !slices.Equal(steps, want) {
		t.Errorf("told %+v, want %+v", steps, want)
	}
}

// A delivery that was given up can be sent again. C-4
func TestBudgetAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.owner(newService(t, w, "ntfy"))
	hook := w.hook("/mine", webhook.EventBudget)
	w.ok(w.Store.Budget.Put(t.Context(), store.BudgetRow{Month: "2026-11", Slow: 2, Spent: 4, Limit: 5}))
	w.answers(always(500))
	w.ok(w.s.TellBudget(t.Context()))
	for range webhook.Attempts {
		w.Clock.Add(12 * time.Hour)
		w.work()
	}
	row, err := w.Store.Webhooks.Get(t.Context(), user, hook)
	w.ok(err)
	if len(row.GivenUp()) != 1 {
		t.Fatalf("given up: %+v", row.GivenUp())
	}
	w.answers(always(204))
	before := len(w.received())
	_, err = w.s.Resend(t.Context(), user, hook, row.GivenUp()[0].Delivery)
	w.ok(err)
	w.work()
	if got := w.received()[before:]; len(got) != 1 || got[0].Budget == nil {
		t.Errorf("sent again: %+v", got)
	}
}

// Nobody but the owner is told of the bill. C-4
func TestBudgetOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.ok(w.Store.Accounts.Create(t.Context(), user, store.Account{Email: "b@example.org"}))
	url := "https://example.org/hook"
	_, err := w.s.Create(t.Context(), user, webhook.Change{URL: &url, Events: events("new", webhook.EventBudget)})
	if fault.CodeOf(err) != "owner_only" {
		t.Errorf("a webhook of another user: %v", err)
	}
	row, err := w.s.Create(t.Context(), user, webhook.Change{URL: &url, Events: events("new")})
	w.ok(err)
	_, err = w.s.Update(t.Context(), user, row.Hook(), webhook.Change{Events: events(webhook.EventBudget)})
	if fault.CodeOf(err) != "owner_only" {
		t.Errorf("a change: %v", err)
	}
}
