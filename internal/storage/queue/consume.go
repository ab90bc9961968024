package queue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
)

// ConsumeOptions shape the loop; zero values mean the defaults.
type ConsumeOptions struct {
	Parallel int           // handlers at once: 1
	Wait     time.Duration // of one empty-handed Receive: MaxWait
	// Grace bounds how long running handlers may continue after ctx has ended; then their contexts end. 0 lets them
	// finish.
	Grace time.Duration
	// Failed reports failures of the queue itself (m is nil when it could not receive) and panics of handlers, for the
	// log; what handlers return they log themselves. It must be safe for concurrent use. May be nil.
	Failed func(m *Message, err error)
}

// Handler processes a message. Its context ends with the message's visibility timeout, so that two handlers never
// process one message at the same time. The result decides:
//
//	nil                 the message is removed
//	Retry(after, err)   it is delivered again after a delay
//	Reject(err)         it is moved to the dead letters at once
//	any other error     it is delivered again when its visibility timeout ends; also after a panic
//
// When the last allowed receive fails, the message is moved to the dead letters with the error as reason.
type Handler func(ctx context.Context, m Message) error

type retryError struct {
	after time.Duration
	error
}

func (e retryError) Unwrap() error { return e.error }

type rejectError struct{ error }

func (e rejectError) Unwrap() error { return e.error }

// Retry returns an error after which the message is delivered again, after a delay.
func Retry(after time.Duration, err error) error { return retryError{after, cause(err, "retry")} }

// Reject returns an error that moves the message to the dead letters at once: it can never succeed.
func Reject(err error) error { return rejectError{cause(err, "rejected")} }

func cause(err error, word string) error {
	if err == nil {
		return errors.New(word)
	}
	return err
}

const (
	firstBackoff = 100 * time.Millisecond // after a failing Receive, doubled up to
	lastBackoff  = 30 * time.Second
	settleTime   = 30 * time.Second // for reporting an outcome to the queue, also while stopping
)

// Consume receives and handles messages until ctx ends, then lets the running handlers finish and returns nil. An error
// of the queue does not end it: it retries with backoff.
func (q *Queue) Consume(ctx context.Context, o ConsumeOptions, h Handler) error {
	if o.Parallel <= 0 {
		o.Parallel = 1
	}
	if o.Wait <= 0 {
		o.Wait = MaxWait
	}
	if o.Failed == nil {
		o.Failed = func(*Message, error) {}
	}
	work, stop := outlive(ctx, o.Grace)
	defer stop()
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, o.Parallel)
	backoff := firstBackoff
	for {
		free := takeSlots(ctx, slots)
		if free == 0 {
			return nil
		}
		ds, err := q.Receive(ctx, free, o.Wait)
		for range free - len(ds) {
			<-slots
		}
		for _, d := range ds {
			running.Go(func() {
				defer func() { <-slots }()
				if ctx.Err() != nil { // stopped while receiving: another consumer can have it at once
					q.conclude(work, d, o, func(ctx context.Context) error { return q.Release(ctx, d, 0) })
					return
				}
				q.handle(ctx, work, d, o, h)
			})
		}
		if err == nil {
			backoff = firstBackoff
		} else if ctx.Err() == nil {
			o.Failed(nil, err)
			_ = clock.Sleep(ctx, backoff/2+rand.N(backoff/2)) // takeSlots notices the end of ctx
			backoff = min(2*backoff, lastBackoff)
		}
	}
}

// outlive returns the handlers' context: it has ctx's values and ends grace after ctx, or never by itself.
func outlive(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if grace <= 0 {
		return work, cancel
	}
	unhook := context.AfterFunc(ctx, func() {
		t := time.NewTimer(grace)
		defer t.Stop()
		select {
		case <-t.C:
			cancel()
		case <-work.Done():
		}
	})
	return work, func() { unhook(); cancel() }
}

// takeSlots waits for a free slot and takes all free ones, up to a batch; 0 when ctx ends.
func takeSlots(ctx context.Context, slots chan struct{}) int {
	if ctx.Err() != nil {
		return 0
	}
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	for n := 1; n < MaxBatch; n++ {
		select {
		case slots <- struct{}{}:
		default:
			return n
		}
	}
	return MaxBatch
}

// HandleOne handles one delivery as Consume does, for other kinds of loops.
func (q *Queue) HandleOne(ctx context.Context, d Delivery, o ConsumeOptions, h Handler) {
	if o.Failed == nil {
		o.Failed = func(*Message, error) {}
	}
	q.handle(ctx, context.WithoutCancel(ctx), d, o, h)
}

func (q *Queue) handle(stopping, work context.Context, d Delivery, o ConsumeOptions, h Handler) {
	ctx, cancel := context.WithTimeout(work, q.policy.Visibility)
	err := guard(ctx, d.Message, h)
	cancel()
	if fault.CodeOf(err) == panicked {
		o.Failed(&d.Message, err)
	}
	switch {
	case err == nil:
		q.conclude(work, d, o, func(ctx context.Context) error { return q.Ack(ctx, d) })
	case stopping.Err() != nil && fault.Is(err, fault.Cancelled): // stopped, not failed
		q.conclude(work, d, o, func(ctx context.Context) error { return q.Release(ctx, d, 0) })
	default:
		q.conclude(work, d, o, func(ctx context.Context) error {
			_, failErr := q.Fail(ctx, d, err)
			return failErr
		})
	}
}

// Fail concludes a delivery whose handler returned cause (see Handler), and reports whether the message went to the
// dead letters. A message that waits for the end of its visibility is left alone.
func (q *Queue) Fail(ctx context.Context, d Delivery, cause error) (isDead bool, err error) {
	var retry retryError
	var reject rejectError
	switch {
	case errors.As(cause, &reject), d.Receives >= q.policy.MaxReceives:
		err = q.Bury(ctx, d, cause.Error())
		return err == nil, err
	case errors.As(cause, &retry):
		return false, q.Release(ctx, d, retry.after)
	}
	return false, nil
}

// conclude reports an outcome to the queue, also when the loop has been stopped.
func (q *Queue) conclude(work context.Context, d Delivery, o ConsumeOptions, report func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(work), settleTime)
	defer cancel()
	if err := report(ctx); err != nil {
		o.Failed(&d.Message, err)
	}
}

// panicked is the code of the error of a handler that panicked.
const panicked = "handler_panicked"

// guard turns a handler's panic into an error: one message must not end the process.
func guard(ctx context.Context, m Message, h Handler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, panicked, "queue: handle", fmt.Errorf("%v\n%s", p, debug.Stack()))
		}
	}()
	return h(ctx, m)
}
