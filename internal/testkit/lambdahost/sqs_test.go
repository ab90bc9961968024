package lambdahost_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ruri-reader/ruri/internal/testkit/doubles"
	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
)

// queues makes a queue whose messages die at the second receive, and its dead letters.
func queues(t *testing.T) (client *sqs.Client, queue, dead string) {
	t.Helper()
	url := doubles.Fauxqs(t)
	client = sqs.NewFromConfig(aws.Config{Region: "us-east-1",
		Credentials: credentials.NewStaticCredentialsProvider("x", "x", "")},
		func(o *sqs.Options) { o.BaseEndpoint = &url })
	made := func(name string, attributes map[string]string) string {
		out, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(doubles.Name(name)),
			Attributes: attributes})
		if err != nil {
			t.Fatal(err)
		}
		return *out.QueueUrl
	}
	dead = made("dead", nil)
	a, err := client.GetQueueAttributes(t.Context(),
		&sqs.GetQueueAttributesInput{QueueUrl: &dead, AttributeNames: []types.QueueAttributeName{"QueueArn"}})
	if err != nil {
		t.Fatal(err)
	}
	policy, _ := json.Marshal(map[string]any{"deadLetterTargetArn": a.Attributes["QueueArn"], "maxReceiveCount": 2})
	return client, made("queue", map[string]string{"RedrivePolicy": string(policy), "VisibilityTimeout": "720"}), dead
}

func send(t *testing.T, client *sqs.Client, queue string, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		if _, err := client.SendMessage(t.Context(),
			&sqs.SendMessageInput{QueueUrl: &queue, MessageBody: &body}); err != nil {
			t.Fatal(err)
		}
	}
}

// settled runs a source until n batches are settled, and gives what was delivered and what failed, by body.
func settled(t *testing.T, e *lambdahost.EventSource, n int) (delivered, failed []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	e.Settled = func(batch []types.Message, bad []string) {
		mu.Lock()
		defer mu.Unlock()
		for _, m := range batch {
			delivered = append(delivered, *m.Body)
			if slices.Contains(bad, *m.MessageId) {
				failed = append(failed, *m.Body)
			}
		}
		if n--; n == 0 {
			cancel()
		}
	}
	if err := e.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return delivered, failed
}

func bodies(t *testing.T, client *sqs.Client, queue string) (all []string) {
	t.Helper()
	out, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &queue, MaxNumberOfMessages: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range out.Messages {
		all = append(all, *m.Body)
	}
	return all
}

func TestEventSourceReportsPartialFailures(t *testing.T) {
	t.Parallel()
	h := function(t, lambdahost.Options{}, nil)
	client, queue, dead := queues(t)
	send(t, client, queue, "good", "fail", "fine")
	// What failed comes again, alone; after its second failure the queue's own policy sends it to the dead letters.
	delivered, failed := settled(t, &lambdahost.EventSource{
		Host: h, Function: "f", Client: client, QueueURL: queue, QueueARN: lambdahost.QueueARN(queue),
		BatchSize: 3, Maximum: 2,
		Visible: func(int) time.Duration { return 0 },
	}, 2)
	if len(delivered) != 4 || !slices.Equal(failed, []string{"fail", "fail"}) {
		t.Fatalf("of %q failed %q", delivered, failed)
	}
	if left := bodies(t, client, queue); len(left) != 0 {
		t.Errorf("left in the queue: %q", left)
	}
	if got := bodies(t, client, dead); !slices.Equal(got, []string{"fail"}) {
		t.Errorf("dead are %q", got)
	}
}

func TestEventSourceFailsWholeBatches(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"garbage", "crash"} {
		h := function(t, lambdahost.Options{}, nil)
		client, queue, _ := queues(t)
		send(t, client, queue, "good", bad)
		_, failed := settled(t, &lambdahost.EventSource{
			Host: h, Function: "f", Client: client, QueueURL: queue, BatchSize: 10, Maximum: 2,
			Visible: func(int) time.Duration { return time.Hour },
		}, 1)
		if slices.Sort(failed); len(failed) != 2 {
			t.Errorf("with %s failed %q", bad, failed)
		}
	}
}

func TestEventSourceTampers(t *testing.T) {
	t.Parallel()
	h := function(t, lambdahost.Options{}, nil)
	client, queue, _ := queues(t)
	send(t, client, queue, "a", "b")
	delivered, _ := settled(t, &lambdahost.EventSource{
		Host: h, Function: "f", Client: client, QueueURL: queue, BatchSize: 1, Maximum: 2,
		Tamper: func(got []types.Message) (out [][]types.Message) {
			for _, m := range got {
				out = append(out, []types.Message{m}, []types.Message{m})
			}
			return out
		},
	}, 4)
	if slices.Sort(delivered); !slices.Equal(delivered, []string{"a", "a", "b", "b"}) {
		t.Errorf("delivered were %q", delivered)
	}
}

func TestEventSourceHoldsToTheLimits(t *testing.T) {
	t.Parallel()
	for _, e := range []*lambdahost.EventSource{{BatchSize: 0}, {BatchSize: 100}, {BatchSize: 1, Maximum: 1}} {
		if err := e.Run(t.Context()); err == nil {
			t.Errorf("%d messages, %d at a time: taken", e.BatchSize, e.Maximum)
		}
	}
}
