package lambda_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/lambda"
)

// watchedApp is newApp whose log and embedded metrics can be read.
func watchedApp(t *testing.T, log, emf io.Writer) *wire.App {
	t.Helper()
	app, _ := buildApp(t, func(s *wire.Seams) {
		s.Log, s.EMF = logs.New(log, "json", slog.LevelInfo), emf
	})
	return app
}

// TestRunWritesItsMetricsOnce: with embedded metrics on, a crawl writes one line with what it counted, and its log
// lines carry the message's id; the orchestrator's carries the invocation's. Off, nothing is written.
//
func TestRunWritesItsMetricsOnce(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		var log, emf bytes.Buffer
		var to io.Writer
		if on {
			to = &emf
		}
		app := watchedApp(t, &log, to)
		srv, _ := publisher(t)
		feed(t, app, srv.URL)
		ctx := lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "invocation-1"})
		if err := lambda.Orchestrate(app)(ctx, json.RawMessage(`{"scheduledTime":"2026-04-01T08:00:00Z"}`)); err !=
			nil {
			t.Fatal(err)
		}
		emf.Reset() // the tick's own
		j := job.Job{Kind: job.Scheduled, Tick: schedule.TickOf(start), Late: []reader.FeedID{1}}
		out, err := lambda.Crawl(app)(ctx,
			events.SQSEvent{Records: []events.SQSMessage{{MessageId: "message-1", Body: string(j.Encode())}}})
		if err != nil || len(out.BatchItemFailures) > 0 {
			t.Fatal(out, err)
		}
		if !on {
			if emf.Len() > 0 {
				t.Errorf("metrics are off, and %s", emf.String())
			}
			continue
		}
		var line struct {
			Success float64 `json:"fetch_success_count"`
			Items   float64 `json:"items_upserted_count"`
			Writes  float64 `json:"table_write_units_count"`
			Fetches float64 `json:"fetch_latency_fetches"`
			AWS     struct {
				CloudWatchMetrics []struct {
					Namespace string
					Metrics   []any
				}
			} `json:"_aws"`
		}
		if err := json.Unmarshal(emf.Bytes(), &line); err != nil {
			t.Fatalf("not one line: %v: %s", err, emf.String())
		}
		if line.Success != 1 || line.Items != 1 || line.Writes < 4 || line.Fetches != 1 ||
			line.AWS.CloudWatchMetrics[0].Namespace != "ruri-dev" {
			t.Errorf("the line is %s", emf.String())
		}
		if n := len(line.AWS.CloudWatchMetrics[0].Metrics); n > 18 { // each is 0.30 USD a month
			t.Errorf("%d metrics, docs/run/monitoring.md says at most 18", n)
		}
		ids := map[string]any{}
		for _, raw := range bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n")) {
			var l map[string]any
			if err := json.Unmarshal(raw, &l); err != nil {
				t.Fatal(err)
			}
			ids[l["msg"].(string)] = l["request_id"]
		}
		if ids["run"] != "message-1" || ids["poll"] != "message-1" || ids["tick"] != "invocation-1" {
			t.Errorf("request ids are %v", ids)
		}
	}
}
