package queuetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/testkit/faultyqueue"
)

const (
	tooLong  = 5 * time.Minute        // only a defect waits so long
	shortNap = 200 * time.Millisecond // of an idle loop, so that stopping it is quick
)

// consume runs the loop in the background; stop ends it and waits.
func consume(t *testing.T, q *queue.Queue, o queue.ConsumeOptions, h queue.Handler) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- q.Consume(ctx, o, h) }()
	return sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("consume: %v", err)
			}
		case <-time.After(tooLong):
			t.Error("the loop does not stop")
		}
	})
}

// await gives up on what only a defect leaves open.
func await(t testing.TB, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(tooLong):
		t.Fatalf("%s: not within %v", what, tooLong)
	}
}

func testConsume(t *testing.T, f *fixture) {
	const n = 25
	f.send(t, n)
	var mu sync.Mutex
	seen := map[string]int{}
	all := make(chan struct{})
	stop := consume(t, f.Queue, queue.ConsumeOptions{Wait: shortNap}, func(_ context.Context, m queue.Message) error {
		mu.Lock()
		defer mu.Unlock()
		if seen[string(m.Body)]++; len(seen) == n && seen[string(m.Body)] == 1 {
			close(all)
		}
		return nil
	})
	await(t, "all messages", all)
	stop()
	f.Advance(f.options.Visibility + time.Second)
	f.wantNone(t, "after all were handled")
}

func testConsumeParallel(t *testing.T, f *fixture) {
	const parallel = 3
	f.send(t, 9)
	var running, most, handled atomic.Int32
	full, all := make(chan struct{}), make(chan struct{})
	stop := consume(t, f.Queue, queue.ConsumeOptions{Parallel: parallel, Wait: shortNap},
		func(context.Context, queue.Message) error {
			now := running.Add(1)
			defer running.Add(-1)
			for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
			}
			if n := handled.Add(1); n == parallel {
				close(full) // the first three are all inside
			} else if n == 9 {
				close(all)
			}
			<-full
			return nil
		})
	await(t, "three at once", full)
	await(t, "all messages", all)
	stop()
	if most.Load() != parallel {
		t.Errorf("%d handlers at once, want %d", most.Load(), parallel)
	}
}

// What a handler says decides where its message goes.
func testConsumeFailures(t *testing.T, f *fixture) {
	must(t, f.Send(t.Context(), [][]byte{[]byte("ok"), []byte("reject"), []byte("retry"), []byte("panic"),
		[]byte("fail")}, 0))
	var mu sync.Mutex
	receives := map[string]int{}
	var failures []string
	spent := make(chan struct{})
	o := queue.ConsumeOptions{Parallel: 2, Wait: shortNap, Failed: func(m *queue.Message, err error) {
		mu.Lock()
		defer mu.Unlock()
		if m != nil {
			failures = append(failures, string(m.Body)+": "+err.Error())
		} else if !fault.Is(err, fault.Cancelled) {
			t.Errorf("the queue failed: %v", err)
		}
	}}
	stop := consume(t, f.Queue, o, func(_ context.Context, m queue.Message) error {
		kind := string(m.Body)
		mu.Lock()
		receives[kind] = m.Receives
		if receives["retry"] == MaxReceives && receives["reject"] == 1 && receives["panic"] > 0 &&
			receives["fail"] > 0 && receives["ok"] == 1 {
			select {
			case <-spent:
			default:
				close(spent)
			}
		}
		mu.Unlock()
		switch kind {
		case "reject":
			return queue.Reject(errors.New("unknown kind"))
		case "retry":
			return queue.Retry(0, errors.New("lease is busy"))
		case "panic":
			panic("boom")
		case "fail":
			return errors.New("storage is away")
		}
		return nil
	})
	await(t, "three retries", spent)
	stop()
	reasons := f.reasons(t)
	if reasons["reject"] != "unknown kind" || reasons["retry"] != "lease is busy" {
		t.Errorf("dead letters %v", reasons)
	}
	// The other two come again when their visibility ends, until they too are spent.
	for receive := 2; receive <= MaxReceives; receive++ {
		f.Advance(f.options.Visibility + time.Second)
		both := make(chan struct{})
		var came atomic.Int32
		stop := consume(t, f.Queue, queue.ConsumeOptions{Wait: shortNap},
			func(_ context.Context, m queue.Message) error {
				if m.Receives == receive && came.Add(1) == 2 {
					close(both)
				}
				if string(m.Body) == "panic" {
					panic("boom")
				}
				return errors.New("storage is away")
			})
		await(t, fmt.Sprint("both for the time ", receive), both)
		stop()
	}
	reasons = f.reasons(t)
	if len(reasons) != 4 || reasons["fail"] != "storage is away" || !strings.Contains(reasons["panic"], "boom") {
		t.Errorf("dead letters %v", reasons)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(failures) == 0 || slices.ContainsFunc(failures, func(f string) bool {
		return !strings.HasPrefix(f, "panic: ")
	}) {
		t.Errorf("failures reported: %v; want panics alone", failures)
	}
}

// A stopped loop takes nothing new, lets what runs finish, and acknowledges it.
func testConsumeStop(t *testing.T, f *fixture) {
	f.send(t, 1)
	started, goOn := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- f.Consume(ctx, queue.ConsumeOptions{Wait: shortNap}, func(ctx context.Context, _ queue.Message) error {
			close(started)
			<-goOn
			return ctx.Err()
		})
	}()
	await(t, "the handler", started)
	cancel()
	select {
	case <-done:
		t.Error("returned while a handler runs")
	case <-time.After(50 * time.Millisecond):
	}
	close(goOn)
	select {
	case err := <-done:
		must(t, err)
	case <-time.After(tooLong):
		t.Fatal("the loop does not stop")
	}
	f.Advance(f.options.Visibility + time.Second)
	f.wantNone(t, "finished while stopping")

	// After the grace period the handler's context ends, and its message is available to the next receiver at once.
	f.send(t, 1)
	started = make(chan struct{})
	stop := consume(t, f.Queue, queue.ConsumeOptions{Wait: shortNap, Grace: time.Millisecond},
		func(ctx context.Context, _ queue.Message) error {
			close(started)
			<-ctx.Done()
			return ctx.Err()
		})
	await(t, "the second handler", started)
	stop()
	must(t, f.Ack(t.Context(), f.receiveOne(t)))
}

// Under duplicates, lost acknowledgements, other orders, partial sends and throttling, every message is handled at
// least once. A queue may deliver a message twice.
func testConsumeFaulty(t *testing.T, f *fixture) {
	// Four consumers take turns as they like, so the rates are such that each fault is played however they do.
	const n = 40
	d := faultyqueue.New(f.Driver, faultyqueue.Options{Seed: 7, Duplicate: 0.4, DropAck: 0.5, Reorder: 0.6,
		Partial: 0.3, Throttle: 0.05})
	q := queue.New(d, f.options)
	f.Queue = q
	f.send(t, n)
	var mu sync.Mutex
	seen := map[string]bool{}
	all := make(chan struct{})
	stop := consume(t, q, queue.ConsumeOptions{Parallel: 4, Wait: shortNap},
		func(_ context.Context, m queue.Message) error {
			mu.Lock()
			defer mu.Unlock()
			if fresh := !seen[string(m.Body)]; fresh {
				if seen[string(m.Body)] = true; len(seen) == n {
					close(all)
				}
			}
			return nil
		})
	await(t, "all messages", all)
	stop()
	if c := d.Counts(); c.Duplicates == 0 || c.DroppedAcks == 0 || c.Reorders == 0 || c.Partials == 0 {
		t.Errorf("faults were not played: %+v", c)
	}
}
