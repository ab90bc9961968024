package search_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// breaks lets something happen before one read of table or blobs. It is safe for concurrent use.
type breaks struct {
	mu        sync.Mutex
	calls, at int
	meet      func() error // its error is the answer
}

var errBroken = fault.New(fault.Unavailable, "storage_unavailable", "test", nil)

func (b *breaks) call() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls++; b.calls != b.at {
		return nil
	}
	return b.meet()
}

type brokenTable struct {
	table.Driver
	*breaks
}

func (b brokenTable) Get(ctx context.Context, k table.Key, c bool) (table.Row, bool, table.Usage, error) {
	if err := b.call(); err != nil {
		return table.Row{}, false, table.Usage{}, err
	}
	return b.Driver.Get(ctx, k, c)
}

func (b brokenTable) Query(ctx context.Context, r table.Range) (table.Rows, table.Usage, error) {
	if err := b.call(); err != nil {
		return table.Rows{}, table.Usage{}, err
	}
	return b.Driver.Query(ctx, r)
}

// brokenLog is brokenTable on one machine.
type brokenLog struct {
	brokenTable
	table.Logger
}

type brokenBlobs struct {
	blob.Driver
	*breaks
}

func (b brokenBlobs) GetRange(ctx context.Context, key string, at, n int64) ([]byte, error) {
	if err := b.call(); err != nil {
		return nil, err
	}
	return b.Driver.GetRange(ctx, key, at, n)
}

// brokenWorld has several segments, edited items and new ones.
type brokenWorld struct {
	*world
	rows  table.Driver
	files blob.Driver
}

func newBrokenWorld(t *testing.T, onDisk bool) brokenWorld {
	t.Helper()
	x := brokenWorld{rows: remote{memtable.New()}, files: memblob.New()}
	if onDisk {
		folder := t.TempDir()
		d, err := sqlitetable.Open(filepath.Join(folder, "ruri.db"), sqlitetable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		files, err := fileblob.Open(filepath.Join(folder, "blobs"), fileblob.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = d.Close(), files.Close() })
		x.rows, x.files = d, files
	}
	w := newWorldOn(t, 11, x.rows, x.files)
	for range 3 {
		w.feed()
	}
	for range 5 {
		for f := range w.feeds {
			w.commit(f, []string{w.words(60), w.words(60)}, w.header(), w.header())
		}
		w.indexAll(0)
		w.clk.Add(time.Hour)
	}
	w.edit(0, 1, w.rewrite)
	w.edit(1, 3, w.rewrite)
	w.indexAll(0, 1)
	w.edit(2, 1, w.rewrite)
	w.commit(0, nil, w.header(), w.header())
	x.world = w
	return x
}

// broken returns a service that has nothing in memory and reads through breaks.
func (w *brokenWorld) broken() (*search.Service, *breaks) {
	b := &breaks{}
	var rows table.Driver = brokenTable{w.rows, b}
	if log, ok := w.rows.(table.Logger); ok {
		rows = brokenLog{brokenTable{w.rows, b}, log}
	}
	return search.New(store.New(table.New(rows, table.Options{
		Clock: w.clk, Kind: store.Kind, Attempts: 1, Sleep: func(context.Context, time.Duration) error { return nil },
	}), w.clk), blob.New(brokenBlobs{w.files, b}), w.clk), b
}

func (w *world) rewrite(hs []store.Header) { hs[0] = w.header() }

// Whatever read of a search fails, the search says so, and what was read before does not make the next one wrong.
// Whatever read answers late, so that an index job has merged everything meanwhile and deleted what it merged, the
// search finds what it should.
func TestEveryReadOfASearchMayFail(t *testing.T) {
	t.Parallel()
	for _, onDisk := range []bool{false, true} {
		for _, text := range []string{"go", "東京 -update", "th*"} {
			if onDisk && text != "go" {
				continue // each of them costs many writes of files
			}
			t.Run(fmt.Sprintf("%q, on disk: %v", text, onDisk), func(t *testing.T) {
				t.Parallel()
				same := newBrokenWorld(t, onDisk) // what fails changes nothing in it
				for at, calls := 0, 1; at <= calls; at++ {
					for _, late := range []bool{false, true} {
						w := same
						if late {
							w = newBrokenWorld(t, onDisk)
						}
						s, b := w.broken()
						r := w.request(text)
						r.Limit = 1000
						look := func() ([]string, error) {
							res, err := s.Search(t.Context(), r)
							var found []string
							for _, h := range res.Hits {
								found = append(found, fmt.Sprintf("%d/%d", h.Feed, h.Seq))
							}
							return found, err
						}
						want := w.wanted(r)
						b.at, b.meet = at, func() error { return errBroken }
						if late {
							b.meet = func() error { w.put(10, nil); return nil }
						}
						got, err := look()
						if at == 0 {
							if calls = b.calls; calls < 10 {
								t.Fatalf("%d reads", calls)
							}
						}
						switch {
						case late || at == 0:
							if err != nil || !slices.Equal(got, want) || len(want) == 0 {
								t.Fatalf("read %d of %d is late: %v, %v, want %v", at, calls, got, err, want)
							}
						case fault.CodeOf(err) != "storage_unavailable" || len(got) > 0:
							t.Fatalf("read %d of %d fails: %v, %v", at, calls, got, err)
						}
						if got, err = look(); err != nil || !slices.Equal(got, want) {
							t.Fatalf("after read %d of %d: %v, %v, want %v", at, calls, got, err, want)
						}
					}
				}
			})
		}
	}
}
