package lambdahost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Schedule is an EventBridge schedule whose target is a function: it hands the event over as an asynchronous
// invocation, which Lambda then retries by the function's own settings.
type Schedule struct {
	Host       *Host
	Function   string
	ARN        string
	Expression string // cron(…) of UTC
	Input      string // with <aws.scheduler.…> as the template writes it

	// Retries and MaxAge are the schedule's policy, for events that Lambda does not take.
	Retries int
	MaxAge  time.Duration
	// AsyncRetries and AsyncMaxAge are the function's, for events that it failed with.
	AsyncRetries int
	AsyncMaxAge  time.Duration

	Client *sqs.Client
	// DeadLetters takes events that Lambda did not take, OnFailure those that the function failed with; "" loses them.
	DeadLetters, OnFailure string
	// Wait passes the time between tries; as long as AWS waits when nil.
	Wait func(context.Context, time.Duration)
}

var placeholder = regexp.MustCompile(`<aws\.scheduler\.([a-z-]+)>`)

// Fire is one tick at the time that it was due, from the hand-over to the last retry. Its error is that of the
// last try, after the event has gone where the policies send it.
func (s *Schedule) Fire(ctx context.Context, due time.Time) error {
	execution := requestID()
	wait := s.Wait
	if wait == nil {
		wait = pause
	}
	var age time.Duration
	for attempt := 1; ; attempt++ {
		payload := placeholder.ReplaceAllStringFunc(s.Input, func(name string) string {
			switch placeholder.FindStringSubmatch(name)[1] {
			case "scheduled-time":
				return due.UTC().Format(time.RFC3339)
			case "execution-id":
				return execution
			case "attempt-number":
				return strconv.Itoa(attempt)
			case "schedule-arn":
				return s.ARN
			}
			return name
		})
		refused, err := s.async(ctx, []byte(payload), age, wait)
		if !refused {
			return err
		}
		// The service's own back-off is not documented; this one is bounded by the event's age all the same.
		back := time.Minute << min(attempt-1, 5)
		if attempt > s.Retries || age+back > s.MaxAge {
			s.bury(ctx, s.DeadLetters, []byte(payload), err)
			return err
		}
		age += back
		wait(ctx, back)
	}
}

// async is an asynchronous invocation. Lambda queues what it cannot run at once and tries again until the event is
// too old; what the function fails with is tried again after one and two minutes.
func (s *Schedule) async(ctx context.Context, payload []byte, age time.Duration, wait func(context.Context, time.Duration)) (refused bool, err error) {
	throttled := time.Second
	for tries := 0; ; {
		r, err := s.Host.Invoke(ctx, s.Function, payload)
		var back time.Duration
		switch {
		case errors.Is(err, ErrThrottled):
			back, throttled = throttled, min(2*throttled, 5*time.Minute)
		case err != nil:
			return true, err
		case r.Error == "":
			return false, nil
		default:
			tries++
			err = fmt.Errorf("lambdahost: %s failed: %s", s.Function, r.Payload)
			if back = time.Duration(tries) * time.Minute; tries > s.AsyncRetries {
				s.destination(ctx, payload, r, "RetriesExhausted", tries)
				return false, err
			}
		}
		if age += back; age > s.AsyncMaxAge {
			s.destination(ctx, payload, r, "EventAgeExceeded", tries)
			return false, err
		}
		wait(ctx, back)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
	}
}

// destination sends the record of an asynchronous invocation that failed for good.
func (s *Schedule) destination(ctx context.Context, payload []byte, r Result, condition string, tries int) {
	if s.OnFailure == "" {
		return
	}
	record := map[string]any{
		"version": "1.0", "timestamp": time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		"requestContext": map[string]any{
			"requestId": r.RequestID, "functionArn": s.Host.ARN(s.Function) + ":$LATEST", "condition": condition,
			"approximateInvokeCount": tries,
		},
		"requestPayload": json.RawMessage(payload),
	}
	if r.Error != "" {
		record["responseContext"] = map[string]any{"statusCode": 200, "executedVersion": "$LATEST", "functionError": r.Error}
		record["responsePayload"] = json.RawMessage(r.Payload)
	}
	b, _ := json.Marshal(record)
	_, _ = s.Client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &s.OnFailure, MessageBody: aws.String(string(b))})
}

func (s *Schedule) bury(ctx context.Context, queue string, payload []byte, cause error) {
	if queue == "" {
		return
	}
	_, _ = s.Client.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: &queue, MessageBody: aws.String(string(payload)), MessageAttributes: textAttributes(map[string]string{
			"ERROR_CODE": "LambdaError", "ERROR_MESSAGE": cause.Error(), "SCHEDULE_ARN": s.ARN,
		}),
	})
}

// Run fires by the clock until the context ends.
func (s *Schedule) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		due, err := Next(s.Expression, time.Now())
		if err != nil {
			return err
		}
		pause(ctx, time.Until(due))
		if ctx.Err() == nil {
			_ = s.Fire(ctx, due) // what failed went where the policies send it
		}
	}
	return nil
}

// Next is the first time after t that a cron expression of AWS names. It reads minutes and hours; the fields of days
// are "*" or "?", as in every schedule that the template takes.
func Next(expression string, t time.Time) (time.Time, error) {
	inner, ok := strings.CutPrefix(expression, "cron(")
	fields := strings.Fields(strings.TrimSuffix(inner, ")"))
	if !ok || len(fields) != 6 || strings.Trim(strings.Join(fields[2:], ""), "*?") != "" {
		return time.Time{}, fmt.Errorf("lambdahost: %s is no cron expression of minutes and hours", expression)
	}
	minutes, err := field(fields[0], 59)
	if err != nil {
		return time.Time{}, err
	}
	hours, err := field(fields[1], 23)
	if err != nil {
		return time.Time{}, err
	}
	next := t.UTC().Truncate(time.Minute)
	for range 25 * 60 {
		next = next.Add(time.Minute)
		if slices.Contains(minutes, next.Minute()) && slices.Contains(hours, next.Hour()) {
			return next, nil
		}
	}
	return time.Time{}, fmt.Errorf("lambdahost: %s names no minute of a day", expression)
}

// field lists the values of one field: *, numbers, ranges, steps, and lists of them.
func field(text string, most int) ([]int, error) {
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		span, by, stepped := strings.Cut(part, "/")
		step, from, to := 1, 0, most
		var err error
		if stepped {
			if step, err = strconv.Atoi(by); err != nil || step < 1 {
				return nil, fmt.Errorf("lambdahost: the step of %q", part)
			}
		}
		if span != "*" {
			low, high, ranged := strings.Cut(span, "-")
			if from, err = strconv.Atoi(low); err != nil || from > most {
				return nil, fmt.Errorf("lambdahost: the field %q", part)
			}
			switch {
			case ranged:
				if to, err = strconv.Atoi(high); err != nil || to > most {
					return nil, fmt.Errorf("lambdahost: the field %q", part)
				}
			case !stepped:
				to = from
			}
		}
		for v := from; v <= to; v += step {
			all = append(all, v)
		}
	}
	return all, nil
}
