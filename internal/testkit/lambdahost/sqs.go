package lambdahost

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const (
	// longPoll is how long Lambda's pollers wait at an empty queue.
	longPoll = 20 * time.Second
	// pollers is how many wait at a queue at first; they grow with the work, up to the mapping's maximum.
	pollers = 5
	// receiveMax is the most that SQS gives at a time.
	receiveMax = 10
)

// EventSource is an SQS event source mapping. Redrive to the dead letters is the queue's own doing.
type EventSource struct {
	Host     *Host
	Function string
	Client   *sqs.Client
	QueueURL string
	QueueARN string

	BatchSize     int
	Window        time.Duration // how long a batch is gathered
	Maximum       int           // concurrent invocations, 2 to 1000
	ReportFailure bool          // FunctionResponseTypes: ReportBatchItemFailures

	// Visible is how soon what failed is seen again; the queue's visibility time-out when nil. A rehearsal has no
	// twelve minutes.
	Visible func(receives int) time.Duration
	// Tamper gives back the batches that are delivered of what was received; in order, by BatchSize, when nil. It
	// is called from several goroutines.
	Tamper func(received []types.Message) [][]types.Message
	// Settled is told of each batch that was delivered and the ids that failed of it; nobody when nil.
	Settled func(batch []types.Message, failed []string)

	busy sync.WaitGroup
	mu   sync.Mutex
	held int // messages received and not settled
}

// Run polls until the context ends; what is under way is finished first.
func (e *EventSource) Run(ctx context.Context) error {
	if e.BatchSize < 1 || e.BatchSize > receiveMax && e.Window == 0 {
		return fmt.Errorf("lambdahost: batches of %d: SQS gives 10 at a time, more need a window", e.BatchSize)
	}
	workers := pollers
	if e.Maximum > 0 {
		if e.Maximum < 2 {
			return fmt.Errorf("lambdahost: a maximum concurrency of %d: 2 is the least", e.Maximum)
		}
		workers = e.Maximum
	}
	for range workers {
		e.busy.Go(func() { e.poll(ctx) })
	}
	e.busy.Wait()
	return nil
}

// Held is how many messages are received and not yet settled.
func (e *EventSource) Held() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.held
}

func (e *EventSource) hold(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.held += n
}

func (e *EventSource) poll(ctx context.Context) {
	for ctx.Err() == nil {
		got, err := e.gather(ctx)
		if err != nil && ctx.Err() == nil {
			// The queue does not answer; the service's own pollers back off, too.
			pause(ctx, time.Second)
		}
		if len(got) == 0 {
			continue
		}
		batches := slices.Collect(slices.Chunk(got, e.BatchSize))
		if e.Tamper != nil {
			batches = e.Tamper(got)
		}
		for _, batch := range batches {
			e.deliver(context.WithoutCancel(ctx), batch)
		}
		e.hold(-len(got))
	}
}

// gather receives until a batch is full or its window has passed.
func (e *EventSource) gather(ctx context.Context) ([]types.Message, error) {
	var all []types.Message
	end := time.Time{}
	most := min(e.BatchSize, receiveMax)
	if e.Tamper != nil {
		most = receiveMax
	}
	for {
		wait := longPoll
		if !end.IsZero() {
			wait = time.Until(end)
		}
		out, err := e.Client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl: &e.QueueURL, MaxNumberOfMessages: int32(min(most, max(most, e.BatchSize)-len(all))),
			WaitTimeSeconds:             int32(min(max(wait.Round(time.Second), 0), longPoll) / time.Second),
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
			MessageAttributeNames:       []string{"All"},
		})
		if err != nil {
			return all, err
		}
		e.hold(len(out.Messages))
		all = append(all, out.Messages...)
		if len(all) > 0 && end.IsZero() {
			end = time.Now().Add(e.Window)
		}
		if len(all) == 0 || len(all) >= e.BatchSize || !time.Now().Before(end) {
			return all, nil
		}
	}
}

// deliver invokes the function, and removes what it does not name as failed.
func (e *EventSource) deliver(ctx context.Context, batch []types.Message) {
	r, err := e.Host.Invoke(ctx, e.Function, e.event(batch))
	failed := e.failures(batch, r, err)
	for _, m := range batch {
		if !slices.Contains(failed, aws.ToString(m.MessageId)) {
			_, _ = e.Client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &e.QueueURL, ReceiptHandle: m.ReceiptHandle})
			continue
		}
		if e.Visible != nil {
			_, _ = e.Client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
				QueueUrl: &e.QueueURL, ReceiptHandle: m.ReceiptHandle,
				VisibilityTimeout: int32(e.Visible(receives(m)) / time.Second),
			})
		}
	}
	if e.Settled != nil {
		e.Settled(batch, failed)
	}
}

// failures gives the ids of the batch that failed. An answer that names what is not in the batch, or that nobody can
// read, fails all of it; so does an id that is empty.
func (e *EventSource) failures(batch []types.Message, r Result, err error) []string {
	all := make([]string, len(batch))
	for i, m := range batch {
		all[i] = aws.ToString(m.MessageId)
	}
	if err != nil || r.Error != "" {
		return all
	}
	if !e.ReportFailure || len(r.Payload) == 0 || string(r.Payload) == "null" {
		return nil
	}
	var said struct {
		BatchItemFailures []struct{ ItemIdentifier *string }
	}
	if json.Unmarshal(r.Payload, &said) != nil {
		return all
	}
	var failed []string
	for _, f := range said.BatchItemFailures {
		if f.ItemIdentifier == nil || !slices.Contains(all, *f.ItemIdentifier) {
			return all
		}
		failed = append(failed, *f.ItemIdentifier)
	}
	return failed
}

// event is what the function is given.
func (e *EventSource) event(batch []types.Message) []byte {
	type attribute struct {
		StringValue      *string  `json:"stringValue,omitempty"`
		BinaryValue      []byte   `json:"binaryValue,omitempty"`
		StringListValues []string `json:"stringListValues"`
		BinaryListValues []string `json:"binaryListValues"`
		DataType         *string  `json:"dataType"`
	}
	type record struct {
		MessageID         *string              `json:"messageId"`
		ReceiptHandle     *string              `json:"receiptHandle"`
		Body              *string              `json:"body"`
		Attributes        map[string]string    `json:"attributes"`
		MessageAttributes map[string]attribute `json:"messageAttributes"`
		MD5OfBody         *string              `json:"md5OfBody"`
		EventSource       string               `json:"eventSource"`
		EventSourceARN    string               `json:"eventSourceARN"`
		AWSRegion         string               `json:"awsRegion"`
	}
	records := make([]record, len(batch))
	for i, m := range batch {
		attributes := map[string]attribute{}
		for name, v := range m.MessageAttributes {
			attributes[name] = attribute{StringValue: v.StringValue, BinaryValue: v.BinaryValue, DataType: v.DataType}
		}
		records[i] = record{
			MessageID: m.MessageId, ReceiptHandle: m.ReceiptHandle, Body: m.Body, Attributes: m.Attributes,
			MessageAttributes: attributes, MD5OfBody: m.MD5OfBody,
			EventSource: "aws:sqs", EventSourceARN: e.QueueARN, AWSRegion: e.Host.o.Region,
		}
	}
	b, _ := json.Marshal(map[string]any{"Records": records})
	return b
}

func receives(m types.Message) int {
	n := 0
	_, _ = fmt.Sscan(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)], &n)
	return n
}

// QueueARN is the name of a queue from its address, whose last part is the queue's name.
func (h *Host) QueueARN(url string) string {
	return fmt.Sprintf("arn:aws:sqs:%s:%s:%s", h.o.Region, h.o.AccountID, url[strings.LastIndexByte(url, '/')+1:])
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func textAttributes(values map[string]string) map[string]types.MessageAttributeValue {
	out := map[string]types.MessageAttributeValue{}
	for k, v := range values {
		out[k] = types.MessageAttributeValue{DataType: aws.String("String"), StringValue: aws.String(v)}
	}
	return out
}
