// Package sqsqueue is the queue driver for SQS: a standard queue with a redrive policy to a dead-letter queue. The
// template makes both; their visibility timeout and maxReceiveCount must agree with queue.Options. In a Lambda function
// SQS itself delivers and removes the messages; there the driver only sends and manages dead letters.
//
// Differences from the embedded driver, which package queue allows: times are whole seconds (rounded up), an old
// receipt handle may be accepted without effect, and dead letters moved by the redrive policy have no reason and no
// time.
package sqsqueue

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
)

// Options of a Store.
type Options struct {
	DeadURL string      // of the dead-letter queue; without it Bury, Dead, Redrive and Drop fail
	Clock   clock.Clock // for the time of death; the system's when nil
}

// Store is one SQS queue with its dead letters. It implements queue.Driver and is safe for concurrent use.
type Store struct {
	client *sqs.Client
	url    string
	dead   string
	clock  clock.Clock
}

var _ queue.Driver = (*Store)(nil)

// New makes a driver for an existing queue. An endpoint in cfg overrides the host of the URLs.
func New(cfg aws.Config, url string, o Options) *Store {
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	return &Store{client: sqs.NewFromConfig(cfg), url: url, dead: o.DeadURL, clock: o.Clock}
}

// Send implements queue.Driver.
func (s *Store) Send(ctx context.Context, bodies [][]byte, delay time.Duration) ([]int, error) {
	const op = "sqsqueue: send"
	in := &sqs.SendMessageBatchInput{QueueUrl: &s.url}
	for i, b := range bodies {
		in.Entries = append(in.Entries, types.SendMessageBatchRequestEntry{
			Id: aws.String(strconv.Itoa(i)), MessageBody: aws.String(string(b)), DelaySeconds: seconds(delay)})
	}
	out, err := s.client.SendMessageBatch(ctx, in)
	if err != nil {
		return nil, classify(op, err)
	}
	var again []int
	for _, f := range out.Failed {
		i, err := strconv.Atoi(aws.ToString(f.Id))
		if err != nil || i < 0 || i >= len(bodies) {
			return nil, fault.New(fault.Internal, "queue_failed", op, fmt.Errorf("failed entry %q", aws.ToString(f.Id)))
		}
		if f.SenderFault {
			return nil, fault.New(fault.Invalid, "bad_message", op,
				fmt.Errorf("%s: %s", aws.ToString(f.Code), aws.ToString(f.Message)))
		}
		again = append(again, i)
	}
	return again, nil
}

// Receive implements queue.Driver. The redrive policy applies MaxReceives.
func (s *Store) Receive(ctx context.Context, limit int, wait time.Duration, p queue.Policy) ([]queue.Delivery, error) {
	ms, err := s.receive(ctx, s.url, limit, wait, p.Visibility)
	if err != nil {
		return nil, classify("sqsqueue: receive", err)
	}
	var ds []queue.Delivery
	for _, m := range ms {
		ds = append(ds, queue.Delivery{Message: message(m), Handle: aws.ToString(m.ReceiptHandle)})
	}
	return ds, nil
}

func (s *Store) receive(ctx context.Context, url string, limit int, wait, visibility time.Duration) ([]types.Message,
	error) {
	out, err := s.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &url, MaxNumberOfMessages: int32(limit), WaitTimeSeconds: seconds(wait),
		VisibilityTimeout:     seconds(visibility),
		MessageAttributeNames: []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{
			types.MessageSystemAttributeNameApproximateReceiveCount, types.MessageSystemAttributeNameSentTimestamp},
	})
	if err != nil {
		return nil, err
	}
	return out.Messages, nil
}

func message(m types.Message) queue.Message {
	return queue.Message{
		ID: aws.ToString(m.MessageId), Body: []byte(aws.ToString(m.Body)),
		Receives: int(number(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])),
		Sent:     time.UnixMilli(number(m.Attributes[string(types.MessageSystemAttributeNameSentTimestamp)])).UTC(),
	}
}

// number parses a number of the service; a missing or invalid one is 0, which is harmless.
func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// seconds rounds up: too short a visibility timeout would deliver a message twice.
func seconds(d time.Duration) int32 { return int32((d + time.Second - 1) / time.Second) }

// Ack implements queue.Driver.
func (s *Store) Ack(ctx context.Context, d queue.Delivery) error {
	return s.remove(ctx, "sqsqueue: ack", s.url, d.Handle)
}

func (s *Store) remove(ctx context.Context, op, url, handle string) error {
	_, err := s.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: &handle})
	return classify(op, err)
}

// Release implements queue.Driver.
func (s *Store) Release(ctx context.Context, d queue.Delivery, after time.Duration) error {
	_, err := s.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: &s.url, ReceiptHandle: &d.Handle, VisibilityTimeout: seconds(after)})
	return classify("sqsqueue: release", err)
}
