package queuetest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
)

func testSendMany(t *testing.T, f *fixture) {
	f.send(t, 23)
	ds := f.receive(t, 23)
	var want []string
	for i := range 23 {
		want = append(want, string(body(i)))
	}
	slices.Sort(want)
	if got := texts(ds); !slices.Equal(got, want) {
		t.Fatalf("received %v", got)
	}
	ids := map[string]bool{}
	for _, d := range ds {
		if d.Receives != 1 || d.ID == "" || d.Sent.IsZero() || d.Sent.Location() != time.UTC {
			t.Errorf("message %+v", d.Message)
		}
		ids[d.ID] = true
		must(t, f.Ack(t.Context(), d))
	}
	if len(ids) != 23 {
		t.Errorf("%d ids for 23 messages", len(ids))
	}
	must(t, f.Send(t.Context(), nil, 0))
}

func testBodies(t *testing.T, f *fixture) {
	big := append([]byte(`{"kind":"`), bytes.Repeat([]byte("x"), queue.MaxBody-11)...)
	big = append(big, `"}`...)
	in := [][]byte{[]byte(`{"kind":"test","title":"瑠璃 <&> \"\u0000\" "}`), []byte("{\n\t\"kind\": \"test\"\r\n}"), big,
		[]byte("x"), big[:200_000], big[:200_000]}
	must(t, f.Send(t.Context(), in, 0))
	got := texts(f.receive(t, len(in)))
	var want []string
	for _, b := range in {
		want = append(want, string(b))
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d bodies came back changed", len(got))
	}
}

// Characters beyond the basic plane: SQS takes them, and titles have them.
func testAstralBodies(t *testing.T, f *fixture) {
	must(t, f.Send(t.Context(), [][]byte{[]byte(`{"title":"🎐 𠮷野家"}`)}, 0))
	if d := f.receiveOne(t); string(d.Body) != `{"title":"🎐 𠮷野家"}` {
		t.Errorf("came back as %q", d.Body)
	}
}

func testRefused(t *testing.T, f *fixture) {
	ctx := t.Context()
	ok := []byte("{}")
	for name, c := range map[string]struct {
		body []byte
		kind fault.Kind
		code string
	}{
		"oversize":      {bytes.Repeat([]byte("x"), queue.MaxBody+1), fault.TooLarge, "message_too_large"},
		"empty":         {nil, fault.Invalid, "bad_message"},
		"control":       {[]byte("a\x00b"), fault.Invalid, "bad_message"},
		"no UTF-8":      {[]byte("\xff"), fault.Invalid, "bad_message"},
		"no character":  {[]byte("\uffff"), fault.Invalid, "bad_message"},
		"half a letter": {[]byte("瑠")[:2], fault.Invalid, "bad_message"},
	} {
		wantKind(t, name, f.Send(ctx, [][]byte{ok, c.body}, 0), c.kind, c.code)
	}
	wantKind(t, "long delay", f.Send(ctx, [][]byte{ok}, queue.MaxDelay+1), fault.Invalid, "bad_delay")
	wantKind(t, "negative delay", f.Send(ctx, [][]byte{ok}, -1), fault.Invalid, "bad_delay")
	f.wantNone(t, "after refusals")
}

func testReceiveLimit(t *testing.T, f *fixture) {
	f.send(t, 14)
	for _, max := range []int{3, 1, 100} {
		ds, err := f.Receive(t.Context(), max, 0)
		if err != nil || len(ds) > min(max, queue.MaxBatch) {
			t.Errorf("asked for %d: %d, %v", max, len(ds), err)
		}
	}
	if ds, err := f.Receive(t.Context(), 0, 0); err != nil || len(ds) != 0 {
		t.Errorf("asked for none: %d, %v", len(ds), err)
	}
}

func testHidden(t *testing.T, f *fixture) {
	f.send(t, 1)
	f.receiveOne(t)
	f.wantNone(t, "while another has it")
}

func testRedelivery(t *testing.T, f *fixture) {
	f.send(t, 1)
	first := f.receiveAndLose(t)
	second := f.receiveOne(t)
	if second.ID != first.ID || second.Receives != 2 || !bytes.Equal(second.Body, first.Body) ||
		!second.Sent.Equal(first.Sent) {
		t.Errorf("first %+v, then %+v", first, second)
	}
	must(t, f.Ack(t.Context(), second))
	f.Advance(f.options.Visibility + time.Second)
	f.wantNone(t, "after the second delivery was acknowledged")
}

// Released for later than its visibility, a message stays hidden beyond it.
func testReleaseLater(t *testing.T, f *fixture) {
	f.send(t, 1)
	d := f.receiveOne(t)
	must(t, f.Release(t.Context(), d, 2*f.options.Visibility))
	f.Advance(f.options.Visibility + time.Second)
	f.wantNone(t, "before its time")
	f.Advance(f.options.Visibility)
	must(t, f.Ack(t.Context(), f.receiveOne(t)))
}

func testDelay(t *testing.T, f *fixture) {
	const delay = 20 * time.Second
	must(t, f.Send(t.Context(), [][]byte{body(1)}, delay))
	f.wantNone(t, "before its delay")
	f.Advance(delay + time.Second)
	if d := f.receiveOne(t); d.Receives != 1 {
		t.Errorf("received %d times", d.Receives)
	}
}

func testAckTwice(t *testing.T, f *fixture) {
	f.send(t, 1)
	d := f.receiveOne(t)
	must(t, f.Ack(t.Context(), d))
	must(t, f.Ack(t.Context(), d))
}

// An acknowledgement that comes too late is refused or does nothing: it never removes what another is at.
func testStaleAck(t *testing.T, f *fixture) {
	f.send(t, 1)
	first := f.receiveAndLose(t)
	second := f.receiveOne(t)
	if err := f.Ack(t.Context(), first); err != nil {
		wantKind(t, "late ack", err, fault.Conflict, "stale_handle")
	}
	f.Advance(f.options.Visibility + time.Second)
	third := f.receiveOne(t)
	if third.ID != second.ID || third.Receives != 3 {
		t.Errorf("after a late ack: %+v", third)
	}
	must(t, f.Ack(t.Context(), third))
}

func testReceiversShareNothing(t *testing.T, f *fixture) {
	const n = 60
	f.send(t, n)
	ctx, cancel := context.WithTimeout(t.Context(), tooLong)
	defer cancel()
	var mu sync.Mutex
	seen := map[string]int{}
	all := func() bool { mu.Lock(); defer mu.Unlock(); return len(seen) == n }
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for !all() {
				ds, err := f.Receive(ctx, 3, 0)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, d := range ds {
					seen[d.ID]++
				}
				mu.Unlock()
				for _, d := range ds {
					if err := f.Ack(t.Context(), d); err != nil &&
						(f.harness.Exact || fault.CodeOf(err) != "stale_handle") {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if len(seen) != n {
		t.Errorf("%d of %d received", len(seen), n)
	}
	f.wantNone(t, "after all were acknowledged")
	for id, times := range seen {
		if times != 1 && f.harness.Exact {
			t.Errorf("%s received %d times", id, times)
		}
	}
}

// A receiver that waits gets what is sent meanwhile, before its wait ends.
func testWaitSeesSend(t *testing.T, f *fixture) {
	type answer struct {
		ds  []queue.Delivery
		err error
	}
	got := make(chan answer, 1)
	go func() {
		ds, err := f.Receive(t.Context(), 1, queue.MaxWait)
		got <- answer{ds, err}
	}()
	f.send(t, 1)
	select {
	case a := <-got:
		if a.err != nil || len(a.ds) != 1 {
			t.Errorf("%d received, %v", len(a.ds), a.err)
		}
	case <-time.After(queue.MaxWait - time.Second):
		t.Error("the waiting receiver slept over a message")
	}
}

func testRestart(t *testing.T, f *fixture) {
	if f.Reopen == nil {
		t.Skip("nothing to restart: the service keeps the messages")
	}
	f.send(t, 3)
	must(t, f.Send(t.Context(), [][]byte{body(9)}, time.Minute))
	ds := f.receive(t, 3)
	must(t, f.Ack(t.Context(), ds[0]))
	must(t, f.Bury(t.Context(), ds[1], "broken"))
	f.Queue = queue.New(f.Reopen(t), f.options)
	f.wantNone(t, "right after the restart: one is in work, one delayed")
	if m := f.dead(t, 1)[0]; m.Reason != "broken" || m.ID != ds[1].ID {
		t.Errorf("dead letter %+v", m)
	}
	f.Advance(max(f.options.Visibility, time.Minute) + time.Second)
	got := f.receive(t, 5)
	if want := texts([]queue.Delivery{ds[2], {Message: queue.Message{Body: body(9)}}}); !slices.Equal(texts(got),
		want) {
		t.Errorf("after the restart %v, want %v", texts(got), want)
	}
	for _, d := range got {
		if d.ID == ds[2].ID && d.Receives != 2 {
			t.Errorf("receives of %+v", d.Message)
		}
	}
	must(t, f.Send(t.Context(), [][]byte{body(10)}, 0))
	if d := f.receiveOne(t); slices.ContainsFunc(ds, func(o queue.Delivery) bool { return o.ID == d.ID }) {
		t.Errorf("id %s was used before the restart", d.ID)
	}
}

func testCancelled(t *testing.T, f *fixture) {
	f.send(t, 1)
	d := f.receiveOne(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, receiveErr := f.Receive(ctx, 1, time.Second)
	_, deadErr := f.Dead(ctx, 1)
	for what, err := range map[string]error{"send": f.Send(ctx, [][]byte{body(1)}, 0), "receive": receiveErr,
		"ack":     f.Ack(ctx, d),
		"release": f.Release(ctx, d, 0), "bury": f.Bury(ctx, d, "x"), "dead": deadErr, "redrive": f.Redrive(ctx, "1"),
		"drop": f.Drop(ctx, "1")} {
		wantKind(t, what, err, fault.Cancelled, "cancelled")
	}
	must(t, f.Ack(t.Context(), d))
	f.wantNone(t, "a cancelled send")

	ctx, cancel = context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := f.Receive(ctx, 1, queue.MaxWait); done <- err }()
	time.Sleep(20 * time.Millisecond) // it may or may not wait by now; both must end
	cancel()
	select {
	case err := <-done:
		wantKind(t, "waiting receive", err, fault.Cancelled, "cancelled")
	case <-time.After(queue.MaxWait - time.Second):
		t.Error("a cancelled receive goes on waiting")
	}
}

func testMaxReceives(t *testing.T, f *fixture) {
	f.send(t, 1)
	var sent queue.Delivery
	for i := range MaxReceives {
		sent = f.receiveOne(t)
		if sent.Receives != i+1 {
			t.Fatalf("receive %d says %d", i+1, sent.Receives)
		}
		must(t, f.Release(t.Context(), sent, 0))
	}
	f.wantNone(t, "after the last receive")
	m := f.dead(t, 1)[0]
	if !bytes.Equal(m.Body, sent.Body) || m.Reason != "max_receives" || m.Sent.Sub(sent.Sent).Abs() > time.Minute {
		t.Errorf("dead letter %+v of %+v", m, sent.Message)
	}
	f.Advance(f.options.Visibility + time.Second)
	f.wantNone(t, "a dead letter")
}

func testBury(t *testing.T, f *fixture) {
	f.send(t, 1)
	d := f.receiveOne(t)
	must(t, f.Bury(t.Context(), d, "feed 12: 瑠璃 broke\x00\n"+strings.Repeat("!", 3000)))
	for range 2 { // listing takes nothing away
		m := f.dead(t, 1)[0]
		if m.ID != d.ID || !bytes.Equal(m.Body, d.Body) || m.Receives != 1 || !m.Sent.Equal(d.Sent) ||
			m.Died.IsZero() ||
			!strings.HasPrefix(m.Reason, "feed 12: 瑠璃 broke") || len(m.Reason) > 1000 {
			t.Errorf("dead letter %+v of %+v", m, d.Message)
		}
	}
	f.Advance(f.options.Visibility + time.Second)
	f.wantNone(t, "buried")
}

func testRedrive(t *testing.T, f *fixture) {
	f.send(t, 2)
	for _, d := range f.receive(t, 2) {
		must(t, f.Bury(t.Context(), d, "x"))
	}
	ms := f.dead(t, 2)
	must(t, f.Redrive(t.Context(), ms[0].ID))
	d := f.receiveOne(t)
	if !bytes.Equal(d.Body, ms[0].Body) || d.Receives != 1 || d.ID == ms[0].ID {
		t.Errorf("redriven %+v of %+v", d.Message, ms[0])
	}
	if left := f.dead(t, 1)[0]; left.ID != ms[1].ID {
		t.Errorf("left %s, want %s", left.ID, ms[1].ID)
	}
	wantKind(t, "redriven twice", f.Redrive(t.Context(), ms[0].ID), fault.NotFound, "dead_letter_not_found")
	must(t, f.Ack(t.Context(), d))
}

func testDrop(t *testing.T, f *fixture) {
	f.send(t, 2)
	for _, d := range f.receive(t, 2) {
		must(t, f.Bury(t.Context(), d, "x"))
	}
	ms := f.dead(t, 2)
	must(t, f.Drop(t.Context(), ms[1].ID))
	if left := f.dead(t, 1)[0]; left.ID != ms[0].ID {
		t.Errorf("left %s, want %s", left.ID, ms[0].ID)
	}
	f.wantNone(t, "dropped")
}

func testDeadNotFound(t *testing.T, f *fixture) {
	for _, id := range []string{"", "12345", "no-such-id", "1; DROP TABLE queue_dead"} {
		wantKind(t, "redrive "+id, f.Redrive(t.Context(), id), fault.NotFound, "dead_letter_not_found")
		wantKind(t, "drop "+id, f.Drop(t.Context(), id), fault.NotFound, "dead_letter_not_found")
	}
}

func testDeadMany(t *testing.T, f *fixture) {
	const n = 13 // more than a batch
	f.send(t, n)
	for i, d := range f.receive(t, n) {
		must(t, f.Bury(t.Context(), d, fmt.Sprint("reason ", i)))
	}
	ms := f.dead(t, n)
	if reasons := slices.Sorted(maps.Values(f.reasons(t))); len(slices.Compact(reasons)) != n {
		t.Errorf("reasons %v", reasons)
	}
	if few, err := f.Dead(t.Context(), 4); err != nil || len(few) != 4 {
		t.Errorf("asked for 4: %d, %v", len(few), err)
	}
	must(t, f.Drop(t.Context(), ms[n-1].ID))
	f.dead(t, n-1)
}
