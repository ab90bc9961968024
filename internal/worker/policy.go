package worker

import (
	"errors"
	"log/slog"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// Outcomes of a message, as logged.
const (
	done     = "done"
	early    = "early"    // comes again soon: its part was busy, or its time has not come
	rejected = "rejected" // unreadable
	failed   = "failed"   // comes again when its visibility ends, unless that was the last receive
)

func outcome(err error) string {
	switch {
	case err == nil:
		return done
	case fault.Is(err, fault.Invalid):
		return rejected
	case retryAfter(err, 0) > 0:
		return early
	}
	return failed
}

// policy decides what the queue does with a message that failed. Whatever it says, the queue moves a message to the
// dead letters when its last receive fails.
func policy(err error, receives int) error {
	switch outcome(err) {
	case rejected:
		return queue.Reject(err)
	case early:
		return queue.Retry(retryAfter(err, receives), err)
	}
	return err
}

// retryAfter returns after which time a message that came too early comes again, 0 for other failures. The waits for a
// busy part grow, so that all receives of a message outlast the leases of two crawlers that died one after the other.
func retryAfter(err error, receives int) time.Duration {
	var e *webhook.EarlyError
	switch {
	case errors.Is(err, crawl.ErrBusy):
		return crawl.BusyRetry << min(max(receives-2, 0), 3)
	case errors.As(err, &e):
		return e.After
	}
	return 0
}

// usualRetries is the number of early deliveries of a message before a warning.
const usualRetries = 2

func level(outcome string, receives int) slog.Level {
	if outcome == done || outcome == early && receives <= usualRetries {
		return slog.LevelInfo
	}
	return slog.LevelWarn
}
