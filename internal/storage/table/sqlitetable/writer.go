package sqlitetable

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// maxGroup bounds how many writes share a transaction, so that the first is not kept waiting.
const maxGroup = 256

// The states of a write: the goroutine that moves it out of waiting decides whether it is done or given up.
const (
	waiting = iota
	taken
	givenUp
)

// job is one write in the writer. run may be called again after a rollback; it returns outcome for what concerns this
// write alone, and broken if the engine failed.
type job struct {
	run     func(*conn) (outcome, broken error)
	keys    []table.Key // the rows that it changes
	err     error
	changed bool
	state   atomic.Int32
	done    chan struct{}
}

// writer owns the one connection that writes.
type writer struct {
	c        *conn
	jobs     chan *job
	closing  sync.RWMutex // held shared while sending, so that jobs closes after the last
	closed   bool
	finished chan struct{}
	commits  atomic.Int64
}

func newWriter(c *conn) *writer {
	return &writer{c: c, jobs: make(chan *job, maxGroup), finished: make(chan struct{})}
}

// do hands a write to the loop and waits for its commit. If the context ends before it was taken, it is taken back.
func (w *writer) do(ctx context.Context, keys []table.Key, run func(*conn) (outcome, broken error)) error {
	j := &job{run: run, keys: keys, done: make(chan struct{})}
	if err := w.send(ctx, j); err != nil {
		return err
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.state.CompareAndSwap(waiting, givenUp) {
			return fault.New(fault.Cancelled, "cancelled", "sqlitetable: write", ctx.Err())
		}
		<-j.done
	}
	return j.err
}

func (w *writer) send(ctx context.Context, j *job) error {
	w.closing.RLock()
	defer w.closing.RUnlock()
	if w.closed {
		return errClosed()
	}
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Cancelled, "cancelled", "sqlitetable: write", err)
	}
	select {
	case w.jobs <- j:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Cancelled, "cancelled", "sqlitetable: write", ctx.Err())
	}
}

// loop commits group after group until the jobs end.
func (w *writer) loop() {
	defer close(w.finished)
	group := make([]*job, 0, maxGroup)
	for j := range w.jobs {
		group = w.commit(append(group[:0], j))
		clear(group)
	}
}

// commit runs a group of one job and those that arrive meanwhile. The job is taken once the lock is there; until then
// it can be given up.
func (w *writer) commit(group []*job) []*job {
	first := group[0]
	broken := w.begin()
	if !first.state.CompareAndSwap(waiting, taken) {
		_, _ = w.c.exec("ROLLBACK") // nothing was done; fails when nothing was begun
		return group
	}
	if broken == nil {
		broken = w.runJob(first)
	}
	for broken == nil && len(group) < maxGroup {
		j := w.next()
		if j == nil {
			break
		}
		if !j.state.CompareAndSwap(waiting, taken) {
			continue
		}
		group = append(group, j)
		broken = w.runJob(j)
	}
	w.finish(group, broken)
	return group
}

// next returns a waiting job, or nil. It yields the processor once, for the writers that the last commit woke: each
// would otherwise wait for a flush of its own.
func (w *writer) next() *job {
	for yielded := false; ; yielded = true {
		select {
		case j := <-w.jobs:
			return j
		default:
		}
		if yielded {
			return nil
		}
		runtime.Gosched()
	}
}

func (w *writer) runJob(j *job) (broken error) {
	j.err, broken = j.run(w.c)
	j.changed = broken == nil && j.err == nil
	return broken
}

// finish commits and acknowledges a group. If the engine failed, all is rolled back and each write tried by itself.
func (w *writer) finish(group []*job, broken error) {
	if broken == nil {
		if broken = w.commitLogged(group); broken == nil {
			acknowledge(group)
			return
		}
	}
	_, _ = w.c.exec("ROLLBACK") // fails when the engine rolled back by itself
	if len(group) == 1 {
		group[0].err, group[0].changed = broken, false
		acknowledge(group)
		return
	}
	for i := range group {
		one := group[i : i+1]
		broken := w.begin()
		if broken == nil {
			broken = w.runJob(one[0])
		}
		w.finish(one, broken)
	}
}

func (w *writer) commitLogged(group []*job) error {
	err := w.log(group)
	if err == nil {
		_, err = w.c.exec("COMMIT")
	}
	if err == nil {
		w.commits.Add(1)
	}
	return err
}

func acknowledge(group []*job) {
	for _, j := range group {
		close(j.done)
	}
}

// begin takes SQLite's write lock. Another process may hold it: then it waits in steps.
func (w *writer) begin() error {
	const patience = 10 * time.Second
	step := 200 * time.Microsecond
	for waited := time.Duration(0); ; waited += step {
		_, err := w.c.exec("BEGIN IMMEDIATE")
		if !busy(err) || waited >= patience {
			return err
		}
		step = min(2*step, 10*time.Millisecond)
		time.Sleep(step)
	}
}

// stop ends the taking of writes and waits for those under way; false when it was stopped before.
func (w *writer) stop() bool {
	w.closing.Lock()
	if w.closed {
		w.closing.Unlock()
		return false
	}
	w.closed = true
	close(w.jobs)
	w.closing.Unlock()
	<-w.finished
	return true
}

// close moves the log into the file, as far as no other process reads it, and closes the connection.
func (w *writer) close() error {
	_, _ = w.c.number("PRAGMA wal_checkpoint(TRUNCATE)") // the log is as durable as the file
	w.c.close()
	return nil
}
