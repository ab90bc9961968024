package faultyqueue_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/testkit/faultyqueue"
)

// trace plays a fixed sequence of calls and writes down what came of each.
func trace(t *testing.T, seed uint64) (out []string, c faultyqueue.Counts) {
	t.Helper()
	clk := clock.NewManual(time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC))
	s, err := sqlitequeue.Open(t.Context(), filepath.Join(t.TempDir(), "queue.db"), sqlitequeue.Options{Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := faultyqueue.New(s, faultyqueue.Options{Seed: seed, Duplicate: 0.3, DropAck: 0.3, Reorder: 0.5, Partial: 0.3,
		Throttle: 0.1})
	p := queue.Policy{Visibility: time.Minute, MaxReceives: 5}
	for i := range 30 {
		again, err := d.Send(t.Context(), [][]byte{fmt.Appendf(nil, "%d-a", i), fmt.Appendf(nil, "%d-b", i)}, 0)
		out = append(out, fmt.Sprint("send ", again, err))
		ds, err := d.Receive(t.Context(), 3, 0, p)
		out = append(out, fmt.Sprint("receive ", err))
		for _, m := range ds {
			out = append(out, fmt.Sprintf("%s %d %v", m.Body, m.Receives, d.Ack(t.Context(), m)))
		}
		clk.Add(13 * time.Second)
	}
	return out, d.Counts()
}

func TestSameSeedSameFaults(t *testing.T) {
	t.Parallel()
	a, counts := trace(t, 1)
	b, _ := trace(t, 1)
	other, _ := trace(t, 2)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("one seed, two runs:\n%v\n%v", a, b)
	}
	if fmt.Sprint(a) == fmt.Sprint(other) {
		t.Error("two seeds give the same faults")
	}
	if counts.Duplicates == 0 || counts.DroppedAcks == 0 || counts.Reorders == 0 || counts.Partials == 0 ||
		counts.Throttles == 0 {
		t.Errorf("not all faults were played: %+v", counts)
	}
}

func TestWithoutFaultsNothingChanges(t *testing.T) {
	t.Parallel()
	s, err := sqlitequeue.Open(t.Context(), filepath.Join(t.TempDir(), "queue.db"), sqlitequeue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := faultyqueue.New(s, faultyqueue.Options{Seed: 1})
	q := queue.New(d, queue.Options{})
	if err := q.Send(t.Context(), [][]byte{[]byte("a"), []byte("b"), []byte("c")}, 0); err != nil {
		t.Fatal(err)
	}
	ds, err := q.Receive(t.Context(), 10, 0)
	if err != nil || len(ds) != 3 || d.Counts() != (faultyqueue.Counts{}) {
		t.Errorf("%d received, %v, %+v", len(ds), err, d.Counts())
	}
}
