package indexing

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// breaks lets something happen at one call of table or blobs.
type breaks struct {
	calls, at int
	isDead    bool // nothing is done any more
	meet      meeting
}

// meeting is what happens at the call.
type meeting func(b *breaks, do func()) error

var errBroken = fault.New(fault.Unavailable, "storage_unavailable", "test", nil)

func (b *breaks) call(do func()) error {
	b.calls++
	switch {
	case b.isDead:
		return errBroken
	case b.calls == b.at:
		return b.meet(b, do)
	}
	do()
	return nil
}

type brokenTable struct {
	table.Driver
	*breaks
}

func (b brokenTable) Get(ctx context.Context, k table.Key, c bool) (row table.Row, ok bool, u table.Usage, err error) {
	if broken := b.call(func() { row, ok, u, err = b.Driver.Get(ctx, k, c) }); broken != nil {
		return table.Row{}, false, table.Usage{}, broken
	}
	return row, ok, u, err
}

func (b brokenTable) Query(ctx context.Context, r table.Range) (page table.Rows, u table.Usage, err error) {
	if broken := b.call(func() { page, u, err = b.Driver.Query(ctx, r) }); broken != nil {
		return table.Rows{}, table.Usage{}, broken
	}
	return page, u, err
}

func (b brokenTable) Write(ctx context.Context, op table.WriteOp) (row table.Row, ok bool, u table.Usage, err error) {
	if broken := b.call(func() { row, ok, u, err = b.Driver.Write(ctx, op) }); broken != nil {
		return table.Row{}, false, table.Usage{}, broken
	}
	return row, ok, u, err
}

type brokenBlobs struct {
	blob.Driver
	*breaks
}

func (b brokenBlobs) Get(ctx context.Context, key string, most int64) (body []byte, m blob.Meta, err error) {
	if broken := b.call(func() { body, m, err = b.Driver.Get(ctx, key, most) }); broken != nil {
		return nil, blob.Meta{}, broken
	}
	return body, m, err
}

func (b brokenBlobs) GetRange(ctx context.Context, key string, at, n int64) (body []byte, err error) {
	if broken := b.call(func() { body, err = b.Driver.GetRange(ctx, key, at, n) }); broken != nil {
		return nil, broken
	}
	return body, err
}

func (b brokenBlobs) Put(ctx context.Context, key string, body []byte, m blob.Meta,
	ifAbsent bool) (created bool, err error) {
	if broken := b.call(func() { created, err = b.Driver.Put(ctx, key, body, m, ifAbsent) }); broken != nil {
		return false, broken
	}
	return created, err
}

func (b brokenBlobs) Delete(ctx context.Context, key string) (err error) {
	if broken := b.call(func() { err = b.Driver.Delete(ctx, key) }); broken != nil {
		return broken
	}
	return err
}

// busyWorld is an index that has everything to do: new and edited items, a removed feed and one whose floor moved,
// segments to be merged and to be written again, dropped ones, and what a dead job was making.
func busyWorld(seed uint64, rows table.Driver, blobs blob.Driver) *world {
	w := newWorldOn(seed, careless{}, rows, blobs)
	s := w.service(w.rows, w.blobs)
	s.small, s.most, s.dropAfter, s.stepItems = 400, 800, dropAfter, 100
	for range 5 {
		for f := range reader.FeedID(feeds) {
			w.must(w.crawl(w.view, f+1, 3, false))
		}
		_, err := s.Step(bg, false)
		w.must(err)
		w.clk.Add(26 * 24 * time.Hour)
	}
	w.must(w.expire(w.view, 1))
	w.must(w.edit(w.view, 1, false))
	w.must(w.remove(w.view, 2))
	w.must(w.crawl(w.view, 1, 2, false))
	row, err := w.view.Search.Get(bg, true)
	w.must(err)
	next := *row
	next.Making = newName()
	w.must(blob.New(w.blobs).Put(bg, store.SegmentKey(next.Making), []byte("half"), blob.Meta{}))
	_, err = w.view.Search.Replace(bg, row, &next)
	w.must(err)
	return w
}

// jobOver is a job whose calls may break.
func jobOver(rows table.Driver, blobs blob.Driver, clk clock.Clock, b *breaks) *Service {
	s := New(store.New(table.New(brokenTable{rows, b}, table.Options{
		Clock: clk, Kind: store.Kind, Attempts: 1, Sleep: func(context.Context, time.Duration) error { return nil },
	}), clk), blob.New(brokenBlobs{blobs, b}), nil, clk, slog.New(slog.DiscardHandler), Options{})
	s.small, s.most, s.busyFor = 400, 800, 0
	return s
}

// open opens the table and the blobs in a folder.
func open(t *testing.T, folder string) (rows *sqlitetable.Driver, blobs *fileblob.Store) {
	t.Helper()
	rows, err := sqlitetable.Open(filepath.Join(folder, "ruri.db"), sqlitetable.Options{})
	if err == nil {
		blobs, err = fileblob.Open(filepath.Join(folder, "blobs"), fileblob.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows, blobs
}

func shut(t *testing.T, rows *sqlitetable.Driver, blobs *fileblob.Store) {
	t.Helper()
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	if err := blobs.Close(); err != nil {
		t.Error(err)
	}
}

// busyFolder is a busy world in files, of which each run takes a copy.
type busyFolder struct {
	*world
	folder string
}

func newBusyFolder(t *testing.T, seed uint64) *busyFolder {
	t.Helper()
	folder := t.TempDir()
	rows, blobs := open(t, folder)
	w := busyWorld(seed, rows, blobs)
	shut(t, rows, blobs)
	return &busyFolder{w, folder}
}

func (f *busyFolder) copied(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(f.folder)); err != nil {
		t.Fatal(err)
	}
	return folder
}

// in is the world over another folder, with a clock of its own.
func (f *busyFolder) in(t *testing.T, folder string, run func(*world)) {
	t.Helper()
	rows, blobs := open(t, folder)
	defer shut(t, rows, blobs)
	w := *f.world
	w.clk = clock.NewManual(f.clk.Now())
	w.open(rows, blobs)
	run(&w)
}

// fails reports what a world finds wrong.
func fails(t *testing.T) {
	switch x := recover().(type) {
	case nil:
	case wrong:
		t.Fatal(x.what)
	default:
		panic(x)
	}
}

// Whatever call of a job fails, is the last of a process, or takes minutes, over either storage: searches find what
// they should, and the next job completes the work.
func TestEveryCallMayFail(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]meeting{
		"fails":                   func(*breaks, func()) error { return errBroken },
		"fails after it was done": func(_ *breaks, do func()) error { do(); return errBroken },
		"is never made":           func(b *breaks, _ func()) error { b.isDead = true; return errBroken },
		"is the last":             func(b *breaks, do func()) error { do(); b.isDead = true; return errBroken },
		"takes minutes":           nil, // needs the clock
	} {
		step := func(w *world, at int) (calls int) {
			b := &breaks{at: at, meet: meet}
			if meet == nil {
				b.meet = func(_ *breaks, do func()) error { w.clk.Add(10 * time.Minute); do(); return nil }
			}
			if _, err := jobOver(w.rows, w.blobs, w.clk, b).Step(bg, false); at == 0 {
				w.must(err)
			}
			w.deaths = 1
			w.search()
			w.settle()
			return b.calls
		}
		t.Run("a call "+name+", in memory", func(t *testing.T) {
			t.Parallel()
			defer fails(t)
			calls := step(busyWorld(1, memtable.New(), memblob.New()), 0)
			if calls < 18 {
				t.Errorf("only %d calls were made", calls)
			}
			for at := range calls {
				step(busyWorld(1, memtable.New(), memblob.New()), at+1)
			}
		})
		t.Run("a call "+name+", in files", func(t *testing.T) {
			t.Parallel()
			defer fails(t)
			f := newBusyFolder(t, 1)
			for at, calls := 0, 1; at <= calls; at++ {
				f.in(t, f.copied(t), func(w *world) {
					if n := step(w, at); at == 0 {
						calls = n
					}
				})
			}
		})
	}
}

// The flags of a process that is to kill itself in the middle of a job.
var (
	childFolder = flag.String("child.folder", "", "a job works in this folder, until it is killed")
	childAt     = flag.Int("child.at", 0, "the call of table or blobs at which it is killed")
	childDone   = flag.Bool("child.done", false, "the call is done first")
	childNow    = flag.Int64("child.now", 0, "what the clock shows, in Unix seconds")
)

const childSurvived = "the job came to its end"

// TestJobUntilKilled is the child's part of the next test.
func TestJobUntilKilled(t *testing.T) {
	if *childFolder == "" {
		t.Skip("only as a child of TestKilledJobs")
	}
	rows, blobs := open(t, *childFolder)
	b := &breaks{at: *childAt, meet: func(_ *breaks, do func()) error {
		if *childDone {
			do()
		}
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Kill()
		}
		select {} // until the signal comes
	}}
	if _, err := jobOver(rows, blobs, clock.NewManual(time.Unix(*childNow, 0)), b).Step(bg, false); err != nil {
		t.Fatal(err)
	}
	fmt.Println(childSurvived)
}

// A process that is killed with kill -9 at any call of a job leaves files from which searches are answered, and the
// next process completes the index.
func TestKilledJobs(t *testing.T) {
	t.Parallel()
	defer fails(t)
	f := newBusyFolder(t, 2)
	kills := 0
	for at, survived := 1, false; !survived; at++ {
		for _, done := range []bool{false, true} {
			folder := f.copied(t)
			out, err := exec.Command(os.Args[0], "-test.run=^TestJobUntilKilled$", "-child.folder="+folder,
				fmt.Sprint("-child.at=", at),
				fmt.Sprint("-child.done=", done), fmt.Sprint("-child.now=", f.clk.Now().Unix())).CombinedOutput()
			if survived = strings.Contains(string(out), childSurvived); survived {
				break
			}
			if exit, isExit := err.(*exec.ExitError); !isExit || exit.Exited() {
				t.Fatalf("call %d: the child was not killed: %v, %s", at, err, out)
			}
			kills++
			f.in(t, folder, func(w *world) {
				w.deaths = 1
				w.search()
				w.settle()
			})
		}
	}
	if kills < 36 {
		t.Errorf("only %d kills", kills)
	}
}
