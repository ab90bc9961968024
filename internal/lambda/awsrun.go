// Package awsrun turns the events of AWS Lambda into calls of the rooms: a schedule's tick, a batch of
// queue messages, an HTTP request. It holds no rule but how to answer each event.
package awsrun

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/storage/queue"
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
			app.Log.Info("tick", "request_id", invocation(ctx), "scheduled", t.ScheduledTime, "messages", len(jobs))
			app.TellMetrics()
		}
		return err
	}
}

// invocation gives the id that Lambda has for this call, "" outside of it.
func invocation(ctx context.Context) string {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return ""
}

// Crawl handles a batch of queue messages. Those that failed are named in the answer and come again;
// a busy part makes its message visible soon, the others wait out their visibility.
func Crawl(app *wire.App) func(context.Context, events.SQSEvent) (events.SQSEventResponse, error) {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		var out events.SQSEventResponse
		for _, m := range e.Records {
			err := app.Work(logs.WithRequest(ctx, m.MessageId), []byte(m.Body))
			if err == nil {
				continue
			}
			d := delivery(m)
			app.Log.Log(ctx, wire.Level(err, d.Receives), "a message was not handled", "request_id", m.MessageId, "code", fault.CodeOf(err), "error", err)
			if settle(ctx, app, d, err) {
				continue
			}
			out.BatchItemFailures = append(out.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
		}
		return out, nil
	}
}

// settle tells the queue what Lambda's own answer cannot say, and whether with that the message is dealt with. What
// nobody can read, and what has failed as often as it may, goes to the dead letters with its reason: the redrive
// policy would move it there without one. A message that met a busy part is visible again soon; what else failed
// waits out its visibility.
func settle(ctx context.Context, app *wire.App, d queue.Delivery, failed error) (done bool) {
	var err error
	switch {
	case fault.Is(failed, fault.Invalid), app.Queue.Spent(d.Message):
		err = app.Queue.Bury(ctx, d, failed.Error())
		done = err == nil
	case wire.Early(failed, d.Receives) > 0:
		err = app.Queue.Release(ctx, d, wire.Early(failed, d.Receives))
	}
	if err != nil {
		app.Log.Warn("the queue could not be told of a failure", "request_id", d.ID, "error", err)
	}
	return done
}

func delivery(m events.SQSMessage) queue.Delivery {
	const receives, sent = "ApproximateReceiveCount", "SentTimestamp"
	// A count that is missing is 0: then the redrive policy decides alone.
	n, _ := strconv.Atoi(m.Attributes[receives])
	ms, _ := strconv.ParseInt(m.Attributes[sent], 10, 64)
	return queue.Delivery{
		Message: queue.Message{ID: m.MessageId, Body: []byte(m.Body), Receives: n, Sent: time.UnixMilli(ms).UTC()},
		Handle:  m.ReceiptHandle,
	}
}

// API handles requests of an HTTP API (payload version 2).
func API(app *wire.App) func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	proxy := httpadapter.NewV2(app.Handler()).ProxyWithContext
	return func(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		e.RawPath = encodePath(e.RawPath)
		return proxy(ctx, e)
	}
}

// encodePath undoes what HTTP APIs do to a path: in spite of its name they hand it over decoded, and an address made
// of it is cut at a "#", or none at all where a "%" stands alone. The request would end as a failure of the function,
// which anybody could ring the alarm with. What is encoded already stays as it is.
func encodePath(path string) string {
	hex := func(i int) bool {
		return i < len(path) && (path[i]|0x20 >= 'a' && path[i]|0x20 <= 'f' || path[i] >= '0' && path[i] <= '9')
	}
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c == '%' && hex(i+1) && hex(i+2):
			b.WriteByte(c)
		case c <= ' ', c >= 0x7f, strings.IndexByte("%#?\"<>\\^`{|}", c) >= 0:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
