package sqsqueue

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
)

const (
	// Dead letters can only be listed by receiving them: they are hidden meanwhile and released afterwards. A
	// concurrent listing returns fewer.
	listVisibility = 30 * time.Second
	// Any wait makes SQS ask all of its hosts instead of a sample, so an empty response is the end.
	listWait = time.Second
	// maxListed bounds the search for one id.
	maxListed = 1000
)

// Attributes that Bury sets; dead letters moved by the redrive policy have none of them.
const (
	attrID       = "ruri-id"
	attrReason   = "ruri-reason"
	attrSent     = "ruri-sent"
	attrDied     = "ruri-died"
	attrReceives = "ruri-receives"
)

// Attributes that EventBridge Scheduler sets on messages that it could not deliver.
const (
	attrErrorCode    = "ERROR_CODE"
	attrErrorMessage = "ERROR_MESSAGE"
)

// Bury implements queue.Driver: it sends the dead letter before it deletes the message, so that a crash in between
// duplicates but never loses it.
func (s *Store) Bury(ctx context.Context, d queue.Delivery, reason string) error {
	const op = "sqsqueue: bury"
	if err := s.needDead(op); err != nil {
		return err
	}
	attrs := map[string]types.MessageAttributeValue{}
	for k, v := range map[string]string{attrID: d.ID, attrReason: reason, attrReceives: strconv.Itoa(d.Receives),
		attrSent: strconv.FormatInt(d.Sent.UnixMilli(), 10),
		attrDied: strconv.FormatInt(s.clock.Now().UnixMilli(), 10)} {
		attrs[k] = types.MessageAttributeValue{DataType: aws.String("String"), StringValue: aws.String(v)}
	}
	_, err := s.client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: &s.dead, MessageBody: aws.String(string(d.Body)), MessageAttributes: attrs})
	if err != nil {
		return classify(op, err)
	}
	return s.remove(ctx, op, s.url, d.Handle)
}

func (s *Store) needDead(op string) error {
	if s.dead == "" {
		return fault.New(fault.Internal, "no_dead_letter_queue", op, nil)
	}
	return nil
}

// Dead implements queue.Driver.
func (s *Store) Dead(ctx context.Context, limit int) (ms []queue.DeadMessage, err error) {
	err = s.eachDead(ctx, "sqsqueue: dead letters", limit, func(m queue.DeadMessage, _ string) (bool, error) {
		ms = append(ms, m)
		return false, nil
	})
	return ms, err
}

// Redrive implements queue.Driver. Like Bury it may duplicate but never loses the message.
func (s *Store) Redrive(ctx context.Context, id string) error {
	const op = "sqsqueue: redrive"
	return s.removeDead(ctx, op, id, func(m queue.DeadMessage) error {
		_, err := s.client.SendMessage(ctx,
			&sqs.SendMessageInput{QueueUrl: &s.url, MessageBody: aws.String(string(m.Body))})
		return classify(op, err)
	})
}

// Drop implements queue.Driver.
func (s *Store) Drop(ctx context.Context, id string) error {
	return s.removeDead(ctx, "sqsqueue: drop", id, func(queue.DeadMessage) error { return nil })
}

func (s *Store) removeDead(ctx context.Context, op, id string, before func(queue.DeadMessage) error) error {
	found := false
	err := s.eachDead(ctx, op, maxListed, func(m queue.DeadMessage, handle string) (bool, error) {
		if m.ID != id {
			return false, nil
		}
		found = true
		if err := before(m); err != nil {
			return false, err
		}
		err := s.remove(ctx, op, s.dead, handle)
		return err == nil, err
	})
	if err == nil && !found {
		return fault.New(fault.NotFound, "dead_letter_not_found", op, nil)
	}
	return err
}

// eachDead receives dead letters until there are no more, limit is reached, or visit reports that it has removed one;
// then it releases all others, so that they can be listed again.
func (s *Store) eachDead(ctx context.Context, op string, limit int,
	visit func(m queue.DeadMessage, handle string) (removed bool, err error)) error {
	if err := s.needDead(op); err != nil {
		return err
	}
	var held []string
	defer func() { s.giveBack(context.WithoutCancel(ctx), held) }()
	for seen := map[string]bool{}; len(seen) < limit; {
		ms, err := s.receive(ctx, s.dead, min(limit-len(seen), queue.MaxBatch), listWait, listVisibility)
		if err != nil {
			return classify(op, err)
		}
		before := len(seen)
		first := len(held)
		for _, m := range ms {
			held = append(held, aws.ToString(m.ReceiptHandle))
		}
		for i, m := range ms {
			id := aws.ToString(m.MessageId)
			if seen[id] {
				continue // received twice: its visibility timeout ended
			}
			seen[id] = true
			removed, err := visit(deadMessage(m), held[first+i])
			if removed {
				held = slices.Delete(held, first+i, first+i+1)
			}
			if removed || err != nil {
				return err
			}
		}
		if len(seen) == before {
			return nil
		}
	}
	return nil
}

// giveBack releases messages. After an error they stay hidden for listVisibility.
func (s *Store) giveBack(ctx context.Context, handles []string) {
	ctx, cancel := context.WithTimeout(ctx, listVisibility)
	defer cancel()
	for len(handles) > 0 {
		n := min(len(handles), queue.MaxBatch)
		in := &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: &s.dead}
		for i, h := range handles[:n] {
			in.Entries = append(in.Entries, types.ChangeMessageVisibilityBatchRequestEntry{
				Id: aws.String(strconv.Itoa(i)), ReceiptHandle: aws.String(h), VisibilityTimeout: 0})
		}
		if _, err := s.client.ChangeMessageVisibilityBatch(ctx, in); err != nil {
			return
		}
		handles = handles[n:]
	}
}

func deadMessage(m types.Message) queue.DeadMessage {
	attr := func(name string) string { return aws.ToString(m.MessageAttributes[name].StringValue) }
	d := queue.DeadMessage{Message: message(m), Reason: "max_receives"}
	if code := attr(attrErrorCode); code != "" {
		d.Reason = code + ": " + attr(attrErrorMessage)
		return d
	}
	if attr(attrReason) == "" {
		return d
	}
	d.ID, d.Reason, d.Receives = attr(attrID), attr(attrReason), int(number(attr(attrReceives)))
	d.Sent, d.Died = time.UnixMilli(number(attr(attrSent))).UTC(), time.UnixMilli(number(attr(attrDied))).UTC()
	return d
}
