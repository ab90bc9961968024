package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// M-19
func TestEveryKindHasAHandler(t *testing.T) {
	t.Parallel()
	handlers := New(Options{}).handlers
	for _, kind := range job.Kinds() {
		if handlers[kind] == nil {
			t.Errorf("%s has no handler", kind)
		}
	}
	if len(handlers) != len(job.Kinds()) {
		t.Errorf("%d handlers for %d kinds", len(handlers), len(job.Kinds()))
	}
}

//
func TestRetryPolicy(t *testing.T) {
	t.Parallel()
	unreadable := fault.New(fault.Invalid, "bad_message", "test", nil)
	for name, c := range map[string]struct {
		err      error
		receives int
		outcome  string
		level    slog.Level
		again    time.Duration // until it is visible again; 0: it is dead
	}{
		"unreadable":                    {unreadable, 1, rejected, slog.LevelWarn, 0},
		"another failure":               {errors.New("storage is away"), 1, failed, slog.LevelWarn, visibility},
		"another failure, last receive": {errors.New("storage is away"), 5, failed, slog.LevelWarn, 0},
		"busy part": {fmt.Errorf("run: %w", crawl.ErrBusy), 1, early, slog.LevelInfo,
			30 * time.Second},
		"busy part, second receive":      {crawl.ErrBusy, 2, early, slog.LevelInfo, 30 * time.Second},
		"busy part, third receive":       {crawl.ErrBusy, 3, early, slog.LevelWarn, time.Minute},
		"busy part, fourth receive":      {crawl.ErrBusy, 4, early, slog.LevelWarn, 2 * time.Minute},
		"busy part, last receive":        {crawl.ErrBusy, 5, early, slog.LevelWarn, 0},
		"a delivery before its time":     {&webhook.EarlyError{After: time.Hour}, 1, early, slog.LevelInfo, time.Hour},
		"a delivery, after long waiting": {&webhook.EarlyError{After: time.Hour}, 4, early, slog.LevelWarn, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out := outcome(c.err); out != c.outcome || level(out, c.receives) != c.level {
				t.Errorf("outcome %s, logged at %v; want %s, %v", out, level(out, c.receives), c.outcome, c.level)
			}
			isDead, again := settle(t, c.err, c.receives)
			if isDead != (c.again == 0) || !isDead && again != c.again {
				t.Errorf("dead: %v, visible again after %v; want %v", isDead, again, c.again)
			}
		})
	}
}

const visibility = 12 * time.Minute

// settle lets the queue conclude a message whose handler returned err, and returns when it is visible again.
func settle(t *testing.T, cause error, receives int) (isDead bool, again time.Duration) {
	t.Helper()
	ctx := t.Context()
	clk := clock.NewManual(time.Date(2026, 4, 1, 8, 0, 0, 0, time.UTC))
	driver, err := sqlitequeue.Open(ctx, filepath.Join(t.TempDir(), "queue.db"), sqlitequeue.Options{Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = driver.Close() })
	q := queue.New(driver, queue.Options{Visibility: visibility})
	if err := q.Send(ctx, [][]byte{[]byte("message")}, 0); err != nil {
		t.Fatal(err)
	}
	receive := func() []queue.Delivery {
		t.Helper()
		ds, err := q.Receive(ctx, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		return ds
	}
	for range receives - 1 {
		if err := q.Release(ctx, receive()[0], 0); err != nil {
			t.Fatal(err)
		}
	}
	isDead, err = q.Fail(context.WithoutCancel(ctx), receive()[0], policy(cause, receives))
	if err != nil {
		t.Fatal(err)
	}
	for again < 2*time.Hour && !isDead && len(receive()) == 0 {
		clk.Add(10 * time.Second)
		again += 10 * time.Second
	}
	return isDead, again
}
