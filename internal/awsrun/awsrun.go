// Package awsrun turns the events of AWS Lambda into calls of the rooms: a schedule's tick, a batch of
// queue messages, an HTTP request. It holds no rule but how to answer each event.
package awsrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/queue"
	"github.com/ruri-reader/ruri/internal/wire"
)

// Tick is what the schedule sends: its own time, so that a late event is still its tick's. The template
// fills it in with <aws.scheduler.scheduled-time>.
type Tick struct {
	ScheduledTime time.Time `json:"scheduledTime"`
}

// Orchestrate handles a schedule's event.
func Orchestrate(app *wire.App) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, raw json.RawMessage) error {
		var t Tick
		if err := json.Unmarshal(raw, &t); err != nil || t.ScheduledTime.IsZero() {
			return fmt.Errorf("the schedule's event names no scheduledTime: %.200s", raw)
		}
		jobs, err := app.Orchestrator.Run(ctx, t.ScheduledTime)
		if err == nil {
			app.Log.Info("tick", "scheduled", t.ScheduledTime, "messages", len(jobs))
		}
		return err
	}
}

// Crawl handles a batch of queue messages. Those that failed are named in the answer and come again;
// a busy part makes its message visible soon, the others wait out their visibility.
func Crawl(app *wire.App) func(context.Context, events.SQSEvent) (events.SQSEventResponse, error) {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		var out events.SQSEventResponse
		for _, m := range e.Records {
			err := app.Work(ctx, []byte(m.Body))
			if err == nil {
				continue
			}
			app.Log.Warn("a message was not handled", "message_id", m.MessageId, "error", err)
			settle(ctx, app, m, err)
			out.BatchItemFailures = append(out.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
		}
		return out, nil
	}
}

// settle shortens the wait of a message that met a busy part. What else failed waits out its visibility.
func settle(ctx context.Context, app *wire.App, m events.SQSMessage, err error) {
	if !errors.Is(err, crawl.ErrBusy) {
		return
	}
	d := queue.Delivery{Message: queue.Message{ID: m.MessageId, Body: []byte(m.Body)}, Handle: m.ReceiptHandle}
	if err := app.Queue.Release(ctx, d, crawl.BusyRetry); err != nil {
		app.Log.Warn("a message could not be released early", "message_id", m.MessageId, "error", err)
	}
}

// API handles requests of an HTTP API (payload version 2).
func API(app *wire.App) func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	return httpadapter.NewV2(app.Handler()).ProxyWithContext
}
