package queue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// ConsumeOptions shape the loop; zero values mean the defaults.
type ConsumeOptions struct {
	Parallel int           // handlers at once: 1
	Wait     time.Duration // of one empty-handed Receive: MaxWait
	// Grace bounds how long running handlers may go on after the loop was told to stop; then their contexts end.
	// 0 lets them finish.
	Grace time.Duration
	// Failed hears of every handler's failure and of every failure of the queue itself (then m is nil), for the log
	// of whoever runs the loop. It must be safe for concurrent use. May be nil.
	Failed func(m *Message, err error)
}

// Handler does what a message asks for. Its context ends when the message's visibility does, so that two handlers
// are never at one message together. Its outcome decides:
//
//	nil                 the message is done and removed
//	Retry(after, err)   it comes again after a time
//	Reject(err)         it goes to the dead letters at once
//	any other error     it comes again when its visibility ends; so does a panic
//
// A failure of the last receive that the rules allow goes to the dead letters with the error's text as reason.
type Handler func(ctx context.Context, m Message) error

type retryError struct {
	after time.Duration
	error
}

func (e retryError) Unwrap() error { return e.error }

type rejectError struct{ error }

func (e rejectError) Unwrap() error { return e.error }

// Retry makes an error that asks for the message again after a time.
func Retry(after time.Duration, err error) error { return retryError{after, cause(err, "retry")} }

// Reject makes an error that sends the message to the dead letters at once: nothing can come of it.
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
	settleTime   = 30 * time.Second // for telling the queue an outcome, also while stopping
)

// Consume receives and handles messages until ctx ends, then lets the running handlers finish and returns nil. A
// failing queue does not end it: it tries again with growing pauses.
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
				if ctx.Err() != nil { // stopped while receiving: another takes it up at once
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
			_ = pause(ctx, backoff/2+rand.N(backoff/2)) // its end is seen above
			backoff = min(2*backoff, lastBackoff)
		}
	}
}

// outlive gives the handlers' context: it keeps ctx's values and ends a grace after it, or never by itself.
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

// takeSlots waits for a free slot and takes it with all that are free besides, up to a batch; 0 when ctx ends.
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

// HandleOne handles one delivery as Consume does, and tells the queue what came of it: for loops of another kind.
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
	if err != nil {
		o.Failed(&d.Message, err)
	}
	var retry retryError
	var reject rejectError
	switch {
	case err == nil:
		q.conclude(work, d, o, func(ctx context.Context) error { return q.Ack(ctx, d) })
	case stopping.Err() != nil && fault.Is(err, fault.Cancelled): // stopped, not failed
		q.conclude(work, d, o, func(ctx context.Context) error { return q.Release(ctx, d, 0) })
	case errors.As(err, &reject), q.Spent(d.Message):
		q.conclude(work, d, o, func(ctx context.Context) error { return q.Bury(ctx, d, err.Error()) })
	case errors.As(err, &retry):
		q.conclude(work, d, o, func(ctx context.Context) error { return q.Release(ctx, d, retry.after) })
	}
}

// conclude tells the queue an outcome, also when the loop has been stopped.
func (q *Queue) conclude(work context.Context, d Delivery, o ConsumeOptions, tell func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(work), settleTime)
	defer cancel()
	if err := tell(ctx); err != nil {
		o.Failed(&d.Message, err)
	}
}

// guard turns a handler's panic into its error: one poisonous message must not end the process.
func guard(ctx context.Context, m Message, h Handler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "handler_panicked", "queue: handle", fmt.Errorf("%v\n%s", p, debug.Stack()))
		}
	}()
	return h(ctx, m)
}
