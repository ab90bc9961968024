package lambdahost

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const (
	longPoll   = 20 // seconds that Lambda's pollers wait at an empty queue
	receiveMax = 10 // messages that SQS returns at a time
)

// EventSource is an SQS event source mapping without a batching window that takes reports of partial failures. Redrive
// to the dead letters is done by the queue itself.
type EventSource struct {
	Host     *Host
	Function string
	Client   *sqs.Client
	QueueURL string
	QueueARN string

	BatchSize int // 1 to 10
	Maximum   int // concurrent invocations, 2 to 1000

	// Visible returns after how long a failed message is visible again; the queue's visibility timeout when nil. A
	// rehearsal has no twelve minutes.
	Visible func(receives int) time.Duration
	// Tamper returns the batches to deliver of what was received; in order, by BatchSize, when nil. It is called from
	// several goroutines.
	Tamper func(received []types.Message) [][]types.Message
	// Settled, when set, is called with each delivered batch and the ids of its failed messages.
	Settled func(batch []types.Message, failed []string)

	held atomic.Int64 // messages received and not settled
}

// Run polls until the context ends and the running invocations have finished.
func (e *EventSource) Run(ctx context.Context) error {
	if e.BatchSize < 1 || e.BatchSize > receiveMax || e.Maximum < 2 {
		return fmt.Errorf("lambdahost: batches of %d, %d at a time: 1 to 10, and at least 2", e.BatchSize, e.Maximum)
	}
	var pollers sync.WaitGroup
	for range e.Maximum {
		pollers.Go(func() {
			for ctx.Err() == nil {
				e.poll(ctx)
			}
		})
	}
	pollers.Wait()
	return nil
}

// Held returns the number of messages that are received and not yet settled.
func (e *EventSource) Held() int { return int(e.held.Load()) }

func (e *EventSource) poll(ctx context.Context) {
	most := e.BatchSize
	if e.Tamper != nil {
		most = receiveMax
	}
	out, err := e.Client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &e.QueueURL, MaxNumberOfMessages: int32(most), WaitTimeSeconds: longPoll,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil {
		select {
		case <-time.After(time.Second): // the service's own pollers back off, too
		case <-ctx.Done():
		}
		return
	}
	e.held.Add(int64(len(out.Messages)))
	defer e.held.Add(-int64(len(out.Messages)))
	batches := slices.Collect(slices.Chunk(out.Messages, e.BatchSize))
	if e.Tamper != nil {
		batches = e.Tamper(out.Messages)
	}
	for _, batch := range batches {
		e.deliver(context.WithoutCancel(ctx), batch)
	}
}

// deliver invokes the function, and deletes the messages that it does not report as failed.
func (e *EventSource) deliver(ctx context.Context, batch []types.Message) {
	r, err := e.Host.Invoke(ctx, e.Function, e.event(batch))
	failed := failures(batch, r, err)
	for _, m := range batch {
		if !slices.Contains(failed, aws.ToString(m.MessageId)) {
			_, _ = e.Client.DeleteMessage(ctx,
				&sqs.DeleteMessageInput{QueueUrl: &e.QueueURL, ReceiptHandle: m.ReceiptHandle})
		} else if e.Visible != nil {
			receives, _ := strconv.Atoi(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])
			_, _ = e.Client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
				QueueUrl: &e.QueueURL, ReceiptHandle: m.ReceiptHandle,
				VisibilityTimeout: int32(e.Visible(receives) / time.Second),
			})
		}
	}
	if e.Settled != nil {
		e.Settled(batch, failed)
	}
}

// failures returns the ids of the batch's failed messages: all of them when the response is unreadable, or names an id
// that is not in the batch.
func failures(batch []types.Message, r Result, err error) []string {
	all := make([]string, len(batch))
	for i, m := range batch {
		all[i] = aws.ToString(m.MessageId)
	}
	if err != nil || r.Error != "" {
		return all
	}
	if len(r.Payload) == 0 || string(r.Payload) == "null" {
		return nil
	}
	var said events.SQSEventResponse
	if json.Unmarshal(r.Payload, &said) != nil {
		return all
	}
	var failed []string
	for _, f := range said.BatchItemFailures {
		if !slices.Contains(all, f.ItemIdentifier) {
			return all
		}
		failed = append(failed, f.ItemIdentifier)
	}
	return failed
}

func (e *EventSource) event(batch []types.Message) []byte {
	records := make([]events.SQSMessage, len(batch))
	for i, m := range batch {
		records[i] = events.SQSMessage{
			MessageId: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle),
			Body:      aws.ToString(m.Body),
			Md5OfBody: aws.ToString(m.MD5OfBody), Attributes: m.Attributes,
			EventSource: "aws:sqs", EventSourceARN: e.QueueARN, AWSRegion: Region,
		}
	}
	b, _ := json.Marshal(events.SQSEvent{Records: records})
	return b
}

// QueueARN returns the ARN of a queue by its URL.
func QueueARN(url string) string {
	return "arn:aws:sqs:" + Region + ":" + Account + ":" + url[strings.LastIndexByte(url, '/')+1:]
}
