// Package worker handles the messages of the queue. It has one table from a message's kind to its handler, one retry
// policy, and one log line for each message. Lambda (internal/wire/lambda) and the single binary (Consume) both work
// through it.
package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/ruri-reader/ruri/internal/cleanup"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/crawl/websub"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/search/indexing"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/takeout"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// Options are the dependencies of a worker; all fields are required.
type Options struct {
	Queue     *queue.Queue
	Crawler   *crawl.Crawler
	Subscribe *subscribe.Service
	Cleanup   *cleanup.Service
	Takeout   *takeout.Service
	Webhooks  *webhook.Service
	Icons     *icon.Service
	Hubs      *websub.Service
	Indexing  *indexing.Service
	Popular   *popular.Service
	// Phrases handles messages of kind job.Phrases.
	Phrases func(context.Context, job.Job) error
	// MoveIn handles messages of kind job.MoveIn.
	MoveIn func(context.Context, job.Job) error
	// Budget handles messages of kind job.Budget.
	Budget func(context.Context) error
	// Notice handles messages of kind job.Notice.
	Notice func(context.Context, job.Job) error
	// Parts returns into how many parts the hosts are split now.
	Parts func(context.Context) (int, error)
	// Nightly follows the nightly cleanup, in this order.
	Nightly []func(context.Context) error
	Clock   clock.Clock
	Log     *slog.Logger
}

// Worker handles messages. It is safe for concurrent use.
type Worker struct {
	Options
	handlers map[string]handler
}

// New makes a worker.
func New(o Options) *Worker {
	w := &Worker{Options: o}
	w.handlers = w.table()
	return w
}

// Handle handles one message and logs it. The error says what the queue is to do with the message
// (see queue.Handler): nil, a retry, a rejection, or another failure.
func (w *Worker) Handle(ctx context.Context, m queue.Message) error {
	began := w.Clock.Now()
	ctx = logs.WithRequest(ctx, m.ID)
	j, details, err := w.handle(ctx, m)
	out := outcome(err)
	line := []any{
		"request_id", m.ID, "kind", j.Kind, "feeds", len(j.Feeds), "receives", m.Receives, "outcome", out,
		"duration_ms", w.Clock.Now().Sub(began).Milliseconds(),
	}
	if err != nil {
		line = append(line, "code", fault.CodeOf(err), "error", err)
	}
	w.Log.Log(ctx, level(out, m.Receives), "message", append(line, details...)...)
	return policy(err, m.Receives)
}

func (w *Worker) handle(ctx context.Context, m queue.Message) (job.Job, []any, error) {
	j, err := job.Decode(m.Body)
	if err != nil {
		return job.Job{Kind: "unknown"}, nil, err // the body's content is not logged
	}
	j.Receives = m.Receives
	details, err := w.handlers[j.Kind](ctx, j)
	return j, details, err
}

// Consume handles the queue's messages, parallel at once, until ctx ends. Handlers that run then have the grace period
// to finish.
func (w *Worker) Consume(ctx context.Context, parallel int, grace time.Duration) error {
	return w.Queue.Consume(ctx, queue.ConsumeOptions{Parallel: parallel, Grace: grace, Failed: w.queueFailed}, w.Handle)
}

// queueFailed logs what the queue could not do, or that a handler panicked; m is nil when no message could be received.
func (w *Worker) queueFailed(m *queue.Message, err error) {
	if m == nil {
		w.Log.Error("the queue does not answer", "code", fault.CodeOf(err), "error", err)
		return
	}
	w.Log.Warn("a message was not settled", "request_id", m.ID, "receives", m.Receives, "code",
		fault.CodeOf(err), "error", err)
}

// HandleDelivery handles a message that Lambda has received. It reports whether the message is finished, so that Lambda
// removes it.
func (w *Worker) HandleDelivery(ctx context.Context, d queue.Delivery) (isFinished bool) {
	err := w.Handle(ctx, d.Message)
	if err == nil {
		return true
	}
	isDead, err := w.Queue.Fail(ctx, d, err)
	if err != nil {
		w.queueFailed(&d.Message, err)
	}
	return isDead
}
