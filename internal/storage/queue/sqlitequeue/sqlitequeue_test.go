package sqlitequeue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/testkit/queuetest"
)

func manual() *clock.Manual { return clock.NewManual(time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)) }

func open(t testing.TB, path string, c clock.Clock) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, Options{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, queuetest.Harness{Visibility: 12 * time.Minute, Exact: true,
		New: func(t testing.TB) queuetest.Instance {
			c, path := manual(), filepath.Join(t.TempDir(), "queue.db")
			s := open(t, path, c)
			return queuetest.Instance{Driver: s, Clock: c, Advance: func(d time.Duration) { c.Add(d) },
				Reopen: func(t testing.TB) queue.Driver {
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					return open(t, path, c)
				}}
		}})
}

// A path is a path, whatever SQLite's URI syntax would make of its letters.
func TestOddPaths(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a b?mode=ro#%41 瑠璃")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "queue.db")
	s := open(t, path, manual())
	if _, err := s.Send(t.Context(), [][]byte{[]byte("x")}, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestOpenFailures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	junk := filepath.Join(dir, "junk.db")
	if err := os.WriteFile(junk, []byte(strings.Repeat("not a database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{junk: "storage_corrupt",
		filepath.Join(dir, "none", "queue.db"): "storage_denied"} {
		if s, err := Open(t.Context(), path, Options{}); fault.CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", path, err, want)
			if err == nil {
				_ = s.Close()
			}
		}
	}
}

func TestDurablePragmas(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "queue.db"), manual())
	var mode string
	var sync int
	if err := s.write.QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
		t.Errorf("journal mode %q, %v", mode, err)
	}
	if err := s.write.QueryRow("PRAGMA synchronous").Scan(&sync); err != nil || sync != 2 {
		t.Errorf("synchronous %d, %v; want FULL (2)", sync, err)
	}
	var erase int
	if err := s.write.QueryRow("PRAGMA secure_delete").Scan(&erase); err != nil || erase != 1 {
		t.Errorf("secure_delete %d, %v; want ON (1)", erase, err)
	}
}

// Two Stores stand for two processes: they share nothing but the file.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	path, c := filepath.Join(t.TempDir(), "queue.db"), manual()
	o := queue.Options{}
	a, b := queue.New(open(t, path, c), o), queue.New(open(t, path, c), o)
	const n = 100
	var wg sync.WaitGroup
	for _, q := range []*queue.Queue{a, b} {
		wg.Go(func() {
			for i := range n / 2 {
				if err := q.Send(t.Context(), [][]byte{fmt.Appendf(nil, "%d", i)}, 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var mu sync.Mutex
	seen := map[string]int{}
	for _, q := range []*queue.Queue{a, b} {
		wg.Go(func() {
			for {
				ds, err := q.Receive(t.Context(), 3, 0)
				if err != nil || len(ds) == 0 {
					if err != nil {
						t.Error(err)
					}
					return
				}
				mu.Lock()
				for _, d := range ds {
					seen[d.ID]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != n {
		t.Errorf("%d of %d received", len(seen), n)
	}
	for id, times := range seen {
		if times != 1 {
			t.Errorf("%s received %d times within its visibility", id, times)
		}
	}
	// A receiver that waits in one process sees what the other sends.
	got := make(chan int, 1)
	go func() {
		ds, _ := a.Receive(t.Context(), 1, queue.MaxWait)
		got <- len(ds)
	}()
	if err := b.Send(t.Context(), [][]byte{[]byte("late")}, 0); err != nil {
		t.Fatal(err)
	}
	select {
	case k := <-got:
		if k != 1 {
			t.Errorf("received %d", k)
		}
	case <-time.After(queue.MaxWait - time.Second):
		t.Error("slept over the other process's message")
	}
}

func TestHandlesOfOtherWorlds(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "queue.db"), manual())
	for _, h := range []string{"", "x", "1", "1.x", "9.9.9"} {
		d := queue.Delivery{Handle: h}
		for what, err := range map[string]error{"ack": s.Ack(t.Context(), d), "release": s.Release(t.Context(), d, 0),
			"bury": s.Bury(t.Context(), d, "x")} {
			if !fault.Is(err, fault.Conflict) {
				t.Errorf("%s %q: %v, want conflict", what, h, err)
			}
		}
	}
}

// A full disk, as SQLite reports it: the message is refused, what was there is intact.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "queue.db"), manual())
	q := queue.New(s, queue.Options{})
	if _, err := s.write.Exec("PRAGMA max_page_count = 40"); err != nil {
		t.Fatal(err)
	}
	body := []byte(strings.Repeat("x", 10_000))
	sent := 0
	var err error
	for ; err == nil && sent < 100; sent++ {
		err = q.Send(t.Context(), [][]byte{body}, 0)
	}
	sent--
	if fault.CodeOf(err) != "storage_full" || !fault.Is(err, fault.Unavailable) || sent == 0 {
		t.Fatalf("after %d: %v, want storage_full", sent, err)
	}
	got := 0
	for {
		ds, err := q.Receive(t.Context(), 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(ds) == 0 {
			break
		}
		for _, d := range ds {
			got++
			if err := q.Ack(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got != sent {
		t.Errorf("%d came of %d sent", got, sent)
	}
	if err := q.Send(t.Context(), [][]byte{body}, 0); err != nil {
		t.Errorf("after space was freed: %v", err)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "queue.db"), manual())
	_ = s.Close()
	if err := queue.New(s, queue.Options{}).Send(t.Context(), [][]byte{[]byte("x")}, 0); !fault.Is(err,
		fault.Unavailable) {
		t.Errorf("%v, want unavailable", err)
	}
}
