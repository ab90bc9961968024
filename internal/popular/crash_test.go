package popular

import (
	"log/slog"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// killing kills the process that handles messages at one of its operations: a write, a message sent, or a call of the
// provider.
type killing struct {
	at    int  // which one
	after bool // it takes effect first
	count int
	isOn  bool
	dead  bool
}

func (k *killing) begin() {
	if k != nil {
		k.isOn = true
	}
}

// end reports whether the process has died.
func (k *killing) end() (died bool) {
	if k == nil {
		return false
	}
	died = k.dead
	k.isOn, k.dead = false, false
	return died
}

func (k *killing) around(do func() error) error {
	switch {
	case k == nil || !k.isOn:
		return do()
	case k.dead:
		return errStorage
	}
	if k.count++; k.count != k.at {
		return do()
	}
	if k.after {
		_ = do()
	}
	k.dead = true
	return errStorage
}

// Wherever a process dies, before an operation or after it, the next cycles make up for what is lost: nothing stays
// unknown or old, and no call comes too early.
func TestDeathAtEveryOperation(t *testing.T) {
	t.Parallel()
	every := 1
	if testing.Short() {
		every = 11
	}
	for _, after := range []bool{false, true} {
		for at := 1; ; at += every {
			w := newWorld(t, 12)
			w.kill = &killing{at: at, after: after}
			for i := range 3 {
				f := w.feed("https://site.org/feed/" + string(rune('a'+i)))
				w.arrive(f, w.link(f), w.link(f))
				w.clk.Add(time.Hour)
			}
			w.on(true)
			w.live(w.clk.Now().Add(28*time.Hour), func() {
				if w.rnd.IntN(12) == 0 {
					w.arrive(1, w.link(1), w.link(1)) // the first feed
				}
			})
			w.must(w.service.Nightly(bg))
			w.check(w.clk.Now().Add(-4*time.Hour), 27*time.Hour)
			if t.Failed() {
				t.Fatalf("killed at operation %d, after it: %v", at, after)
			}
			if w.kill.count < at {
				t.Logf("%d operations", w.kill.count)
				break
			}
		}
	}
}

// ahead is a clock that is ahead of another, or behind.
type ahead struct {
	clock.Clock
	by time.Duration
}

func (a ahead) Now() time.Time { return a.Clock.Now().Add(a.by) }

// Two workers whose clocks differ by a second take turns at the messages of two orchestrators, and the queue delivers
// too early: the provider counts the time between calls by its own clock, and the calls of each cycle.
func TestTwoWorkersAndTwoOrchestrators(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 13)
	w.early = true
	worker := func(by time.Duration) *Service {
		return New(w.store, w.blobs, w, ahead{w.clk, by}, slog.New(slog.DiscardHandler), NewHatena(w), Options{})
	}
	w.workers = []*Service{worker(500 * time.Millisecond), worker(-500 * time.Millisecond)}
	f := w.feed("https://site.org/feed")
	w.on(true)
	// In the middle of a write of the one, the other gets the same message.
	isNested := false
	w.faults = func() error {
		if isNested || len(w.messages) == 0 || w.rnd.IntN(3) > 0 {
			return nil
		}
		if m := w.messages[0]; !m.at.After(w.clk.Now()) {
			isNested = true
			w.messages = w.messages[1:]
			w.receive(m)
			isNested = false
		}
		return nil
	}
	for range 2 * schedule.TicksPerDay {
		if w.rnd.IntN(5) == 0 {
			isNested = true // what the publisher brings is no work of theirs
			w.bulk(f, 60)
			isNested = false
		}
		w.tick()
		w.live(schedule.TickOf(w.clk.Now()).Start().Add(schedule.TickLength), nil)
	}
	w.faults = nil
	w.check(w.clk.Now().Add(-4*time.Hour), 27*time.Hour)
	if n := len(w.hatena.Calls()); n < 100 {
		t.Errorf("%d calls", n)
	}
}
