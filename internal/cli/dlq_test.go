package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// dlqWorld is an installation with dead letters, on which commands are run.
type dlqWorld struct {
	*testing.T
	app  *backend.Backend
	env  map[string]string
	spec string
}

func newDlqWorld(t *testing.T, spec string, env map[string]string) *dlqWorld {
	t.Helper()
	w := &dlqWorld{T: t, env: env, spec: spec}
	c, err := config.Load(w.lookup)
	if err != nil {
		t.Fatal(err)
	}
	if w.app, err = backend.Open(t.Context(), spec,
		backend.Options{Config: c, Lookup: w.lookup, Clock: clock.NewManual(early)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.app.Close() })
	return w
}

func (w *dlqWorld) lookup(k string) (string, bool) { v, ok := w.env[k]; return v, ok }

func (w *dlqWorld) ruri(args ...string) (code int, stdout, stderr string) {
	w.Helper()
	var out, errs bytes.Buffer
	args = append(args, "--home", w.spec)
	code = run(w.Context(), Env{
		Args: args, Version: "test", Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Clock: clock.NewManual(early), Lookup: w.lookup,
	})
	return code, out.String(), errs.String()
}

func (w *dlqWorld) must(args ...string) string {
	w.Helper()
	code, out, errs := w.ruri(args...)
	if code != ExitOK {
		w.Fatalf("ruri %v ended with %d: %s", args, code, errs)
	}
	return out
}

func (w *dlqWorld) list() []letter {
	w.Helper()
	var out []letter
	if err := json.Unmarshal([]byte(w.must("dlq", "list", "--json")), &out); err != nil {
		w.Fatal(err)
	}
	return out
}

// bury lets messages die with a reason, in their order.
func (w *dlqWorld) bury(bodies []string, reason string) {
	w.Helper()
	ctx := w.Context()
	for _, b := range bodies {
		if err := w.app.Queue.Send(ctx, [][]byte{[]byte(b)}, 0); err != nil {
			w.Fatal(err)
		}
		got, err := w.app.Queue.Receive(ctx, 1, time.Second)
		if err != nil || len(got) != 1 {
			w.Fatalf("received %d, %v", len(got), err)
		}
		if err := w.app.Queue.Bury(ctx, got[0], reason); err != nil {
			w.Fatal(err)
		}
	}
}

// letters runs the commands on two dead letters: a scheduled run, and one that cannot be decoded.
func (w *dlqWorld) letters() {
	t := w.T
	_, err := w.app.Store.Feeds.Ensure(t.Context(), "https://example.org/feed", func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Title: "A feed", Period: 5, Status: "active", First: 1 << 20, Polled: 1}
	})
	if err != nil {
		t.Fatal(err)
	}
	tick := schedule.TickOf(early) - 40
	run := string(job.Job{Kind: job.Scheduled, Tick: tick, Part: 0, Feeds: []reader.FeedID{1},
		Late: []reader.FeedID{77}}.Encode())
	w.bury([]string{run, "no JSON at all"}, "the store was down"+strings.Repeat(" and so on", 30)+" with a stack")

	got := map[string]letter{}
	for _, l := range w.list() {
		got[l.Kind] = l
	}
	l := got["scheduled"]
	if l.Queue != "jobs" || !strings.HasPrefix(l.Reason, "the store was down") || l.Receives != 1 ||
		l.FirstSent.IsZero() || l.Died == nil ||
		l.Tick == nil || !l.Tick.Equal(tick.Start()) || len(l.Feeds) != 2 || l.Feeds[0].Title != "A feed" ||
		l.Feeds[0].URL != "https://example.org/feed" ||
		l.Feeds[1].ID != "77" || l.Body != run {
		t.Errorf("the run's letter is %+v", l)
	}
	odd := got["unknown"]
	if odd.Body != "no JSON at all" || odd.Part != nil || odd.Feeds == nil {
		t.Errorf("the unreadable one is %+v", odd)
	}
	if !w.app.Spec.Cloud() { // each listing of SQS waits for seconds
		w.words(l, odd)
	}
	if out := w.must("dlq", "retry", l.ID); !strings.Contains(out, "sent again") ||
		!strings.Contains(out, "the next tick catches up") {
		t.Errorf("retry says %s", out)
	}
	again, err := w.app.Queue.Receive(t.Context(), 10, time.Second)
	if err != nil || len(again) != 1 || string(again[0].Body) != run {
		t.Errorf("in the queue are %+v, %v", again, err)
	}
	if left := w.list(); len(left) != 1 || left[0].ID != odd.ID {
		t.Errorf("left are %+v", left)
	}
	if out := w.must("dlq", "drop", "--all"); !strings.Contains(out, odd.ID) || len(w.list()) != 0 {
		t.Errorf("drop says %s and leaves %+v", out, w.list())
	}
}

// words checks what is printed for people.
func (w *dlqWorld) words(l, odd letter) {
	t := w.T
	people := w.must("dlq", "list")
	for _, want := range []string{l.ID, odd.ID, "scheduled of ", "the store was down", "received 1 times", "A feed",
		"feed 77, which is gone", "2 dead letters", "no JSON at all"} {
		if !strings.Contains(people, want) {
			t.Errorf("the list lacks %q:\n%s", want, people)
		}
	}
	if strings.Contains(people, "with a stack") {
		t.Error("a person is shown the stack")
	}

	for _, args := range [][]string{{"dlq", "retry"}, {"dlq", "drop", "--all", l.ID}} {
		if code, _, errs := w.ruri(args...); code != ExitUsage || !strings.Contains(errs, "--all") {
			t.Errorf("%v ended with %d: %s", args, code, errs)
		}
	}
	if code, _, errs := w.ruri("dlq", "retry", l.ID, "4711-nobody"); code != ExitError ||
		!strings.Contains(errs, "4711-nobody") || len(w.list()) != 2 {
		t.Errorf("an id that is not there ended with %d: %s", code, errs)
	}
}

func TestDeadLettersOfAFolder(t *testing.T) {
	t.Parallel()
	w := newDlqWorld(t, t.TempDir(), map[string]string{})
	none := func(args ...string) {
		if out := w.must(args...); !strings.Contains(out, "no dead letters") {
			t.Errorf("%v says %s", args, out)
		}
	}
	none("dlq", "list")
	w.letters()
	none("dlq", "drop", "--all")
}

// TestDeadLettersOfAStack does the same over the services' protocols, and looks at the schedule's letters besides.
func TestDeadLettersOfAStack(t *testing.T) {
	t.Parallel()
	cloud := doubles.NewCloud(t)
	w := newDlqWorld(t, "aws:"+cloud.Deploy(t, doubles.StorageTemplate), cloud.Env())
	w.letters()

	endpoint := cloud.Env()["AWS_ENDPOINT_URL"]
	client := sqs.NewFromConfig(aws.Config{
		Region: doubles.Region, BaseEndpoint: &endpoint,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})
	text := func(s string) types.MessageAttributeValue {
		return types.MessageAttributeValue{DataType: aws.String("String"), StringValue: &s}
	}
	for _, m := range []sqs.SendMessageInput{
		{MessageBody: aws.String(`{"scheduledTime":"2026-04-01T07:45:00Z"}`),
			MessageAttributes: map[string]types.MessageAttributeValue{
				"ERROR_CODE": text("AWS.Lambda.TooManyRequestsException"), "ERROR_MESSAGE": text("Rate exceeded"),
			}},
		{MessageBody: aws.String(
			`{"version":"1.0","requestContext":{"condition":"RetriesExhausted","approximateInvokeCount":3},` +
				`"requestPayload":{"scheduledTime":"2026-04-01T07:30:00Z"},"responsePayload":{"errorType":"Runtime.` +
				`ExitError","errorMessage":"it died"}}`)},
	} {
		m.QueueUrl = &w.app.Stack.ScheduleDeadQueueURL
		if _, err := client.SendMessage(t.Context(), &m); err != nil {
			t.Fatal(err)
		}
	}
	got := w.list()
	if len(got) != 2 {
		t.Fatalf("the schedule's letters are %+v", got)
	}
	for _, l := range got {
		reason, receives := "AWS.Lambda.TooManyRequestsException: Rate exceeded", 0
		if l.Tick != nil && l.Tick.Minute() == 30 {
			reason, receives = "Runtime.ExitError: it died (RetriesExhausted)", 3
		}
		if l.Queue != "schedule" || l.Kind != "tick" || l.Reason != reason || receives > 0 && l.Receives != receives {
			t.Errorf("a tick's letter is %+v", l)
		}
	}
	if out := w.must("dlq", "retry", got[0].ID); !strings.Contains(out, "the present tick is planned") {
		t.Errorf("retrying a tick says %s", out)
	}
	w.must("dlq", "drop", got[1].ID)
	if left := w.list(); len(left) != 0 {
		t.Errorf("left are %+v", left)
	}
}
