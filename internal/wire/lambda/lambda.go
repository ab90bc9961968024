// Package lambda handles the events of AWS Lambda: a tick of the schedule, a batch of queue messages, an HTTP request.
package lambda

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	awslambda "github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
)

// Run opens the backend that the environment names and handles events until the process ends. shrink decodes icons; nil
// in functions that do not look for them, which then do not link the decoders.
func Run[H any](version string, lookup func(string) (string, bool), shrink icon.Shrink, handler func(*wire.App) H) {
	app, err := awswire.Open(version, lookup, shrink)
	if err != nil {
		slog.Error("the backend cannot be opened", "error", err)
		os.Exit(1)
	}
	awslambda.Start(handler(app))
}

// Tick is the event of the schedule. It contains the scheduled time, so that a late event still belongs to its tick.
// The template fills it in with <aws.scheduler.scheduled-time>.
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
			app.FlushMetrics()
		}
		return err
	}
}

// invocation returns Lambda's id of this call, "" outside of Lambda.
func invocation(ctx context.Context) string {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		return lc.AwsRequestID
	}
	return ""
}

// Crawl handles a batch of queue messages. The answer names those that Lambda must not remove.
func Crawl(app *wire.App) func(context.Context, events.SQSEvent) (events.SQSEventResponse, error) {
	worker := app.Worker()
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		var out events.SQSEventResponse
		for _, m := range e.Records {
			if !worker.HandleDelivery(ctx, delivery(m)) {
				out.BatchItemFailures = append(out.BatchItemFailures,
					events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
			}
		}
		app.FlushMetrics()
		return out, nil
	}
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
	return Requests(app.Handler())
}

// Requests hands the events of an HTTP API to a handler.
func Requests(h http.Handler) func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse,
	error) {
	proxy := httpadapter.NewV2(h).ProxyWithContext
	return func(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		e.RawPath = encodePath(e.RawPath)
		return proxy(ctx, e)
	}
}

// encodePath encodes the path of an event, because HTTP APIs pass rawPath decoded despite its name: a "#" would end the
// path, and a lone "%" would fail the function, so that anybody could trigger the alarm. Encoded bytes stay unchanged.
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
