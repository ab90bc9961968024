package sqsqueue_test

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqsqueue"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
	"github.com/ruri-reader/ruri/internal/testkit/queuetest"
)

// TestMain lets the tests overlap beyond the number of cores: nearly all their time is sleep, because the clock of a
// service cannot be turned.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "24"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func config(endpoint string) aws.Config {
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: &endpoint, RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	}
}

// create makes a queue as the template does, and gives its URL and that of its dead letters.
func create(t testing.TB, cfg aws.Config, maxReceives int) (url, dead string) {
	t.Helper()
	c := sqs.NewFromConfig(cfg)
	name := doubles.Name("queue")
	d, err := c.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(name + "-dead")})
	if err != nil {
		t.Fatal(err)
	}
	attrs, err := c.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: d.QueueUrl,
		AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn}})
	if err != nil {
		t.Fatal(err)
	}
	q, err := c.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: map[string]string{
		"RedrivePolicy": fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":%d}`, attrs.Attributes["QueueArn"],
			maxReceives)}})
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(q.QueueUrl), aws.ToString(d.QueueUrl)
}

func conformance(t *testing.T, endpoint string, differs map[string]string) {
	cfg := config(endpoint)
	// The service's clock cannot be turned, so the tests sleep.
	queuetest.Run(t, queuetest.Harness{Visibility: 15 * time.Second, Brief: 2 * time.Second, Differs: differs,
		New: func(t testing.TB) queuetest.Instance {
			url, dead := create(t, cfg, queuetest.MaxReceives)
			return queuetest.Instance{Driver: sqsqueue.New(cfg, url, sqsqueue.Options{DeadURL: dead}),
				Clock: clock.System{}, Advance: time.Sleep}
		}})
}

func TestConformanceOnFauxqs(t *testing.T) {
	t.Parallel()
	conformance(t, doubles.Fauxqs(t), map[string]string{
		"AstralBodies": "fauxqs 1.9.2 refuses characters beyond U+FFFF, which SQS documents as valid (#x10000 to " +
			"#x10FFFF)",
	})
}

func TestConformanceOnMoto(t *testing.T) {
	t.Parallel()
	conformance(t, doubles.Moto(t), map[string]string{
		"StaleAck": "moto 5.2.1 removes a message by the handle of an earlier delivery, which SQS leaves alone or " +
			"refuses",
	})
}

// answer is a service that says what f does; the request's action and fields are decoded.
func answer(t *testing.T, f func(w http.ResponseWriter, action string, in map[string]any)) *queue.Queue {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var in map[string]any
		if err := json.Unmarshal(raw, &in); err != nil {
			t.Errorf("request %q: %v", raw, err)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		f(w, r.Header.Get("X-Amz-Target"), in)
	}))
	t.Cleanup(srv.Close)
	return queue.New(sqsqueue.New(config(srv.URL), "http://q/1/main", sqsqueue.Options{DeadURL: "http://q/1/dead"}),
		queue.Options{})
}

func fail(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"__type":"com.amazonaws.sqs#%s","message":"m"}`, code)
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		code   string
		kind   fault.Kind
		want   string
	}{
		"no queue":     {400, "QueueDoesNotExist", fault.NotFound, "queue_not_found"},
		"bad handle":   {400, "ReceiptHandleIsInvalid", fault.Conflict, "stale_handle"},
		"not inflight": {400, "MessageNotInflight", fault.Conflict, "stale_handle"},
		"throttled":    {400, "RequestThrottled", fault.RateLimited, "queue_throttled"},
		"over limit":   {400, "OverLimit", fault.RateLimited, "queue_throttled"},
		"denied":       {403, "AccessDeniedException", fault.Internal, "queue_denied"},
		"internal":     {500, "InternalFailure", fault.Unavailable, "queue_unavailable"},
		"unknown":      {400, "Whatever", fault.Internal, "queue_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := answer(t, func(w http.ResponseWriter, _ string, _ map[string]any) { fail(w, c.status, c.code) })
			_, receiveErr := q.Receive(t.Context(), 1, 0)
			d := queue.Delivery{Handle: "h"}
			for what, err := range map[string]error{"receive": receiveErr, "ack": q.Ack(t.Context(), d),
				"release": q.Release(t.Context(), d, 0)} {
				if !fault.Is(err, c.kind) || fault.CodeOf(err) != c.want {
					t.Errorf("%s: %v, want %v %s", what, err, c.kind, c.want)
				}
			}
		})
	}
}

// SQS takes a batch in part and says of each refused entry whose fault it was.
func TestPartlyTakenBatchIsSentAgain(t *testing.T) {
	t.Parallel()
	var sent []string
	calls := 0
	q := answer(t, func(w http.ResponseWriter, action string, in map[string]any) {
		calls++
		var ok, failed []map[string]any
		for i, e := range in["Entries"].([]any) {
			e := e.(map[string]any)
			if calls == 1 && i%2 == 0 {
				failed = append(failed, map[string]any{"Id": e["Id"], "Code": "InternalError", "SenderFault": false})
				continue
			}
			sent = append(sent, e["MessageBody"].(string))
			ok = append(ok,
				map[string]any{"Id": e["Id"], "MessageId": "m", "MD5OfMessageBody": md5Of(e["MessageBody"].(string))})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"Successful": ok, "Failed": failed})
	})
	var bodies [][]byte
	for i := range 10 {
		bodies = append(bodies, []byte(strconv.Itoa(i)))
	}
	if err := q.Send(t.Context(), bodies, 90*time.Second); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(sent); calls != 2 || got != "[1 3 5 7 9 0 2 4 6 8]" {
		t.Errorf("%d calls sent %s", calls, got)
	}
}

func TestSendersFaultIsNotSentAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	q := answer(t, func(w http.ResponseWriter, _ string, in map[string]any) {
		calls.Add(1)
		_ = json.NewEncoder(w).Encode(
			map[string]any{
				"Failed": []any{map[string]any{"Id": "0", "Code": "InvalidMessageContents", "SenderFault": true}}})
	})
	if err := q.Send(t.Context(), [][]byte{[]byte("x")}, 0); !fault.Is(err, fault.Invalid) || calls.Load() != 1 {
		t.Errorf("%v after %d calls, want invalid after one", err, calls.Load())
	}
}

func TestNeverTakenEndsUnavailable(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	q := answer(t, func(w http.ResponseWriter, _ string, in map[string]any) {
		calls.Add(1)
		_ = json.NewEncoder(w).Encode(
			map[string]any{"Failed": []any{map[string]any{"Id": "0", "Code": "InternalError"}}})
	})
	if err := q.Send(t.Context(), [][]byte{[]byte("x")}, 0); !fault.Is(err, fault.Unavailable) || calls.Load() != 6 {
		t.Errorf("%v after %d calls, want unavailable after six", err, calls.Load())
	}
}

// Times are whole seconds there, rounded up: hidden for too short means handled twice.
func TestTimesRoundUp(t *testing.T) {
	t.Parallel()
	var visibility, delay atomic.Int64
	q := answer(t, func(w http.ResponseWriter, action string, in map[string]any) {
		switch action {
		case "AmazonSQS.ChangeMessageVisibility":
			visibility.Store(int64(in["VisibilityTimeout"].(float64)))
			_, _ = w.Write([]byte("{}"))
		case "AmazonSQS.SendMessageBatch":
			e := in["Entries"].([]any)[0].(map[string]any)
			delay.Store(int64(e["DelaySeconds"].(float64)))
			_ = json.NewEncoder(w).Encode(
				map[string]any{
					"Successful": []any{map[string]any{"Id": "0", "MessageId": "m", "MD5OfMessageBody": md5Of("x")}}})
		}
	})
	if err := q.Release(t.Context(), queue.Delivery{Handle: "h"}, 1001*time.Millisecond); err != nil ||
		visibility.Load() != 2 {
		t.Errorf("visibility %d, %v", visibility.Load(), err)
	}
	if err := q.Send(t.Context(), [][]byte{[]byte("x")}, time.Millisecond); err != nil || delay.Load() != 1 {
		t.Errorf("delay %d, %v", delay.Load(), err)
	}
}

func TestCancelWhileWaiting(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	stop := make(chan struct{})
	q := answer(t, func(http.ResponseWriter, string, map[string]any) { cancel(); <-stop })
	defer close(stop)
	if _, err := q.Receive(ctx, 1, queue.MaxWait); !fault.Is(err, fault.Cancelled) {
		t.Errorf("%v, want cancelled", err)
	}
}

func TestWithoutDeadLetterQueue(t *testing.T) {
	t.Parallel()
	q := queue.New(sqsqueue.New(config("http://127.0.0.1:1"), "http://q/1/main", sqsqueue.Options{}), queue.Options{})
	if _, err := q.Dead(t.Context(), 1); fault.CodeOf(err) != "no_dead_letter_queue" {
		t.Errorf("%v", err)
	}
	if err := q.Bury(t.Context(), queue.Delivery{}, "x"); fault.CodeOf(err) != "no_dead_letter_queue" {
		t.Errorf("%v", err)
	}
}

// md5Of is the sum that the SDK checks answers by.
func md5Of(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}
