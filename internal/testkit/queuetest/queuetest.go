// Package queuetest is the conformance suite of package queue: each driver's tests call Run.
package queuetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
)

// Instance is one empty queue.
type Instance struct {
	Driver  queue.Driver
	Clock   clock.Clock                     // of the driver
	Advance func(time.Duration)             // lets time pass for the driver: a turned clock, or a sleep
	Reopen  func(t testing.TB) queue.Driver // closes the driver and opens it anew; nil when there is nothing to close
}

// Harness describes a driver to the suite.
type Harness struct {
	// New makes an empty queue that no other test sees, whose service knows that MaxReceives is the most; it cleans
	// up by t.Cleanup.
	New func(t testing.TB) Instance
	// Visibility is the timeout to test with. Where tests must sleep it is as short as a busy machine allows, which has
	// to acknowledge within it.
	Visibility time.Duration
	// Brief, where tests must sleep, is that of deliveries that a test lets run out; 0 means Visibility.
	Brief time.Duration
	// Exact: a message that is acknowledged in time is delivered once. Services promise at least once, so that their
	// messages may come again to receivers that ask at the same time.
	Exact bool
	// Differs names tests (as in "Conformance/Name") that an emulator is known to fail, with the reason. They are
	// skipped with it; a driver over the real thing has none.
	Differs map[string]string
}

// MaxReceives is the rule that the suite's queues have.
const MaxReceives = 3

// fixture is what a test gets.
type fixture struct {
	*queue.Queue
	Instance
	options queue.Options
	harness Harness
}

// Run is the suite.
func Run(t *testing.T, h Harness) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, f *fixture)
	}{
		{"SendMany", testSendMany}, {"Bodies", testBodies}, {"AstralBodies", testAstralBodies},
		{"Refused", testRefused},
		{"ReceiveLimit", testReceiveLimit}, {"Hidden", testHidden}, {"Redelivery", testRedelivery},
		{"ReleaseLater", testReleaseLater}, {"Delay", testDelay}, {"AckTwice", testAckTwice},
		{"StaleAck", testStaleAck},
		{"MaxReceives", testMaxReceives}, {"Bury", testBury}, {"Redrive", testRedrive}, {"Drop", testDrop},
		{"DeadNotFound", testDeadNotFound}, {"DeadMany", testDeadMany},
		{"ReceiversShareNothing", testReceiversShareNothing},
		{"WaitSeesSend", testWaitSeesSend}, {"Restart", testRestart}, {"Cancelled", testCancelled},
		{"Consume", testConsume}, {"ConsumeParallel", testConsumeParallel}, {"ConsumeFailures", testConsumeFailures},
		{"ConsumeStop", testConsumeStop}, {"ConsumeFaulty", testConsumeFaulty}, {"Requests", testRequests},
	} {
		t.Run(c.name, func(t *testing.T) {
			if why := h.Differs[c.name]; why != "" {
				t.Skip("known difference: " + why)
			}
			t.Parallel()
			in := h.New(t)
			o := queue.Options{Visibility: h.Visibility, MaxReceives: MaxReceives}
			if still[c.name] {
				o.Visibility = max(o.Visibility, 5*time.Minute)
			}
			c.test(t, &fixture{Queue: queue.New(in.Driver, o), Instance: in, options: o, harness: h})
		})
	}
}

// still names the tests in which no message's time may run out: on a service whose clock is the machine's they get a
// timeout that a busy machine does not outlast.
var still = map[string]bool{
	"SendMany": true, "Bodies": true, "AstralBodies": true, "Refused": true, "ReceiveLimit": true, "Hidden": true,
	"AckTwice": true, "Redrive": true, "Drop": true, "DeadNotFound": true, "DeadMany": true,
	"ReceiversShareNothing": true,
	"WaitSeesSend":          true, "Cancelled": true, "ConsumeParallel": true, "Requests": true,
}

func body(i int) []byte { return fmt.Appendf(nil, `{"kind":"test","n":%d}`, i) }

func (f *fixture) send(t testing.TB, n int) {
	t.Helper()
	var bodies [][]byte
	for i := range n {
		bodies = append(bodies, body(i))
	}
	must(t, f.Send(t.Context(), bodies, 0))
}

// receive gets n messages, or fewer when a few looks in a row find nothing: a service may answer in portions.
func (f *fixture) receive(t testing.TB, n int) (ds []queue.Delivery) {
	t.Helper()
	for empty := 0; len(ds) < n && empty < 3; {
		got, err := f.Receive(t.Context(), n-len(ds), 0)
		if err != nil {
			t.Fatalf("receive: %v", err)
		}
		if ds = append(ds, got...); len(got) == 0 {
			empty++
		}
	}
	return ds
}

func (f *fixture) receiveOne(t testing.TB) queue.Delivery {
	t.Helper()
	ds := f.receive(t, 1)
	if len(ds) != 1 {
		t.Fatalf("received %d messages, want 1", len(ds))
	}
	return ds[0]
}

// receiveAndLose receives a message and lets its time run out.
func (f *fixture) receiveAndLose(t testing.TB) queue.Delivery {
	t.Helper()
	o := f.options
	if f.harness.Brief > 0 {
		o.Visibility = f.harness.Brief
	}
	brief := fixture{Queue: queue.New(f.Driver, o)}
	d := brief.receiveOne(t)
	f.Advance(o.Visibility + time.Second)
	return d
}

func (f *fixture) wantNone(t testing.TB, when string) {
	t.Helper()
	if ds := f.receive(t, 1); len(ds) != 0 {
		t.Fatalf("%s: received %q", when, ds[0].Body)
	}
}

func (f *fixture) dead(t testing.TB, want int) []queue.DeadMessage {
	t.Helper()
	ms, err := f.Dead(t.Context(), 100)
	if err != nil || len(ms) != want {
		t.Fatalf("%d dead letters %+v, %v; want %d", len(ms), ms, err, want)
	}
	return ms
}

// reasons returns the reasons of the dead letters by body.
func (f *fixture) reasons(t testing.TB) map[string]string {
	t.Helper()
	ms, err := f.Dead(t.Context(), 100)
	must(t, err)
	reasons := map[string]string{}
	for _, m := range ms {
		reasons[string(m.Body)] = m.Reason
	}
	return reasons
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t testing.TB, what string, err error, kind fault.Kind, code string) {
	t.Helper()
	if !fault.Is(err, kind) || fault.CodeOf(err) != code {
		t.Errorf("%s: %v, want %v %s", what, err, kind, code)
	}
}

func texts(ds []queue.Delivery) (out []string) {
	for _, d := range ds {
		out = append(out, string(d.Body))
	}
	slices.Sort(out)
	return out
}

// testRequests counts what a service bills: each call once for every 64 KB, empty receives among them.
func testRequests(t *testing.T, f *fixture) {
	large := []byte(`{"kind":"` + strings.Repeat("x", 100_000) + `"}`)
	must(t, f.Send(t.Context(), [][]byte{body(1), large}, 0)) // one batch, two chunks
	ds := f.receive(t, 2)
	if len(ds) != 2 {
		t.Fatalf("received %d", len(ds))
	}
	for _, d := range ds {
		must(t, f.Ack(t.Context(), d))
	}
	between := f.Meter().Snapshot()
	f.wantNone(t, "after all were acknowledged")
	got := f.Meter().Snapshot()
	size := int64(len(body(1)) + len(large))
	if got.Sends != 2 || got.Messages != 2 || got.BytesSent != size || got.BytesReceived != size || got.Acks != 2 {
		t.Errorf("counted %+v", got)
	}
	// A service may hand two messages over in two answers, and look empty in between.
	if full := between.Receives - between.EmptyReceives; full != 2 && full != 3 {
		t.Errorf("%d requests for receiving two chunks: %+v", full, between)
	}
	if got.EmptyReceives <= between.EmptyReceives {
		t.Errorf("empty receives are not counted: %+v", got)
	}
	if got.Releases+got.Buries != 0 {
		t.Errorf("releases or buries are counted: %+v", got)
	}
}
