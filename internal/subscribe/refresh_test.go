package subscribe_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// broken is a queue that takes nothing.
type broken struct{}

func (broken) Send(context.Context, [][]byte, time.Duration) error { return errors.New("down") }

// A refresh whose messages could not be sent is not waited for: the next request starts another.
func TestRefreshThatCouldNotBeSent(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	w.Add(w.Web.Site("https://one.example/feed", 3).URL, subscribe.Options{})
	w.Advance(10 * time.Minute)
	down := subscribe.New(subscribe.Deps{Store: w.Store(), Queue: broken{}, Clock: w.Clock, Parts: 1,
		Log: slog.New(slog.DiscardHandler)})
	if _, err := down.Refresh(t.Context(), flow.User, subscribe.RefreshScope{}); err == nil {
		t.Fatal("a refresh that could not be sent succeeds")
	}
	r, err := w.Main().Subscribe.Refresh(t.Context(), flow.User, subscribe.RefreshScope{})
	if err != nil || r.Name == "" || r.Feeds != 1 {
		t.Fatalf("the next try: %+v, %v", r, err)
	}
	again, err := w.Main().Subscribe.Refresh(t.Context(), flow.User, subscribe.RefreshScope{})
	if err != nil || again.Name != r.Name || again.Done {
		t.Errorf("while it is under way: %+v, %v", again, err)
	}
}
