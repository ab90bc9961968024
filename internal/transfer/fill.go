package transfer

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// filler fills one target from one source.
type filler struct {
	o        Options
	src      source
	to       Place
	mark     store.TransferRow
	fresh    bool         // nothing was in the target when this run began
	mu       sync.Mutex   // of what the workers share: from here to report
	proven   index        // blobs of the target that were read and are right
	read     map[id]known // blobs of the source that were read
	from, at Sums         // of the last pass: of the source, and of the target
	report   Report
	nRows    int64
	nBlobs   int64
	doors    []table.Row
}

// begin claims the target for a home, or finds it claimed by an earlier run.
func (f *filler) begin(ctx context.Context, home, from string) error {
	marks := store.TransfersOf(f.to.Table)
	mark, err := marks.Get(ctx)
	if err != nil {
		return err
	}
	switch {
	case mark.State == "":
		if err := f.empty(ctx); err != nil {
			return err
		}
		mark = store.TransferRow{Home: home, From: from, State: store.TransferFilling, At: f.o.Clock.Now().Unix()}
		err := marks.Begin(ctx, mark)
		if fault.Is(err, fault.Conflict) { // a repeated put whose first answer was lost, or another run
			return f.begin(ctx, home, from)
		}
		f.fresh = true
		f.mark = mark
		return err
	case mark.Home != home && mark.State != store.TransferDone:
		return fault.Newf(fault.Conflict, "target_of_another",
			"%s is being filled with another home, from %s. Finish that, or choose an empty target.", f.to.Name, mark.From)
	case mark.Home != home:
		return f.notEmpty()
	}
	f.mark = mark
	return f.settle(ctx)
}

// settle closes a run that was broken off between its very last row and the mark.
func (f *filler) settle(ctx context.Context) (err error) {
	if f.mark.State != store.TransferOpening {
		return nil
	}
	_, err = f.to.Table.GetRow(ctx, store.FeedCounter(), table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err == nil {
		f.mark, err = store.TransfersOf(f.to.Table).Advance(ctx, f.mark, store.TransferDone, f.o.Clock.Now().Unix())
	}
	return err
}

func (f *filler) notEmpty() error {
	return fault.Newf(fault.Conflict, "target_not_empty",
		"%s is not empty: two homes cannot be mixed. Choose a new folder, or a stack in which no reader was started yet.", f.to.Name)
}

// empty refuses a target that holds anything that moves.
func (f *filler) empty(ctx context.Context) error {
	err := eachRow(ctx, f.to.Table, true, func(string, fate, table.Row) error { return errFound })
	if err == nil {
		err = eachBlob(ctx, f.to.Blobs, func(string, blob.Object) error { return errFound })
	}
	if errors.Is(err, errFound) {
		return f.notEmpty()
	}
	return err
}

// run goes from the mark to the end.
func (f *filler) run(ctx context.Context) (Report, error) {
	done := f.mark.State == store.TransferDone
	var err error
	if f.nRows, f.nBlobs, err = f.src.count(ctx); err != nil {
		return f.report, err
	}
	f.proven, f.read = index{}, map[id]known{}
	for {
		f.report.Passes++
		first := f.report.Passes == 1
		differed, err := f.pass(ctx, first && f.fresh, done)
		switch {
		case err != nil:
			return f.report, err
		case differed == 0:
			return f.finish(ctx, done)
		case done:
			return f.report, fault.Newf(fault.Conflict, "target_in_use",
				"The copy into %s was finished earlier, and the two have gone separate ways since: %d rows or files differ. Nothing was changed.", f.to.Name, differed)
		case f.report.Passes >= f.o.Passes:
			return f.report, fault.Newf(fault.Conflict, "source_changes",
				"The source changed in each of %d passes, so the copy is not finished. Stop its server (in the cloud: deploy with "+
					"ScheduleState=DISABLED) and run the same command again: it goes on where it is.", f.report.Passes)
		}
	}
}

// pass makes the target equal to the source, and says in how much it was not. The first pass over a fresh target
// looks at nothing there and reads the source as it comes.
func (f *filler) pass(ctx context.Context, blind, readOnly bool) (differed int64, err error) {
	f.from, f.at, f.doors = Sums{}, Sums{}, nil
	rows, err := f.passRows(ctx, blind, readOnly)
	if err != nil {
		return rows, err
	}
	blobs, err := f.passBlobs(ctx, blind, readOnly)
	return rows + blobs, err
}

func (f *filler) passRows(ctx context.Context, blind, readOnly bool) (differed int64, err error) {
	have := index{}
	if !blind {
		if have, err = f.targetRows(ctx); err != nil {
			return 0, err
		}
	}
	stage := "comparing rows"
	if blind {
		stage = "copying rows"
	}
	w := &rowWriter{t: f.to.Table}
	var n, size int64
	err = f.src.rows(ctx, !blind, func(kind string, ft fate, r table.Row) error {
		d, full, err := rowDigest(r)
		if err != nil {
			return err
		}
		f.from.add(kind, full, int64(r.Size()))
		n++
		size += int64(r.Size())
		f.o.Progress(Progress{Stage: stage, Done: n, Total: f.nRows, Bytes: size})
		key := rowID(r.Key)
		was, there := have[key]
		delete(have, key)
		if ft == door {
			f.doors = append(f.doors, r)
			if readOnly && (!there || was != d) {
				differed++
			}
			return nil
		}
		if there && was == d {
			if f.report.Passes == 1 {
				f.report.Kept++
			}
			return nil
		}
		differed++
		if readOnly {
			return nil
		}
		f.report.Written++
		return w.put(ctx, r)
	})
	if err == nil {
		err = w.flush(ctx)
	}
	if err != nil {
		return differed, err
	}
	f.nRows = n
	differed += int64(len(have))
	if len(have) > 0 && !readOnly {
		err = f.dropRows(ctx, have)
	}
	return differed, err
}

// targetRows indexes the target. A door row before its time was written by somebody else.
func (f *filler) targetRows(ctx context.Context) (index, error) {
	have := index{}
	err := eachRow(ctx, f.to.Table, true, func(kind string, ft fate, r table.Row) error {
		if ft == door && f.mark.State == store.TransferFilling {
			return fault.Newf(fault.Conflict, "target_in_use",
				"Somebody began to use %s while it was being filled: it has a row of kind %s. Empty it and begin anew.", f.to.Name, kind)
		}
		d, full, err := rowDigest(r)
		if err != nil {
			return err
		}
		have[rowID(r.Key)] = d
		f.at.add(kind, full, int64(r.Size()))
		return nil
	})
	return have, err
}

// dropRows deletes what the source has no more. Doors stay: taking an account away needs a person.
func (f *filler) dropRows(ctx context.Context, surplus index) error {
	w := &rowWriter{t: f.to.Table}
	err := eachRow(ctx, f.to.Table, true, func(kind string, ft fate, r table.Row) error {
		if _, yes := surplus[rowID(r.Key)]; !yes {
			return nil
		}
		if ft == door {
			return fault.Newf(fault.Conflict, "target_in_use",
				"Somebody began to use %s before it was whole: it has a row of kind %s that the source has not. Empty it and begin anew.", f.to.Name, kind)
		}
		return w.drop(ctx, r.Key)
	})
	if err != nil {
		return err
	}
	return w.flush(ctx)
}

// rowWriter writes in batches.
type rowWriter struct {
	t     *table.Table
	puts  []table.Row
	drops []table.Key
}

const batchRows = 25 // of one request

func (w *rowWriter) put(ctx context.Context, r table.Row) error {
	w.puts = append(w.puts, r)
	return w.full(ctx)
}

func (w *rowWriter) drop(ctx context.Context, k table.Key) error {
	w.drops = append(w.drops, k)
	return w.full(ctx)
}

func (w *rowWriter) full(ctx context.Context) error {
	if len(w.puts)+len(w.drops) < batchRows {
		return nil
	}
	return w.flush(ctx)
}

func (w *rowWriter) flush(ctx context.Context) error {
	if len(w.puts)+len(w.drops) == 0 {
		return nil
	}
	err := w.t.WriteRows(ctx, w.puts, w.drops)
	w.puts, w.drops = w.puts[:0], w.drops[:0]
	return err
}

// finish opens the doors of a target that is whole, and proves that they are as at the source.
func (f *filler) finish(ctx context.Context, done bool) (Report, error) {
	f.report.Sums, f.report.Already = f.from, done
	if done {
		return f.report, f.same()
	}
	marks := store.TransfersOf(f.to.Table)
	var err error
	if f.mark.State == store.TransferFilling {
		if f.mark, err = marks.Advance(ctx, f.mark, store.TransferOpening, f.o.Clock.Now().Unix()); err != nil {
			return f.report, err
		}
	}
	slices.SortStableFunc(f.doors, func(a, b table.Row) int { return doorRank(a.Key) - doorRank(b.Key) })
	for kind, ft := range fates {
		if ft == door {
			delete(f.at, kind)
		}
	}
	for i, r := range f.doors {
		f.o.Progress(Progress{Stage: "opening", Done: int64(i + 1), Total: int64(len(f.doors))})
		// The counter of feeds is what lets the orchestrator find them: it comes when all else is proven.
		if r.Key == store.FeedCounter() {
			if err := f.same(r); err != nil {
				return f.report, err
			}
		}
		if err := f.open(ctx, r); err != nil {
			return f.report, err
		}
	}
	if err := f.same(); err != nil {
		return f.report, err
	}
	_, err = marks.Advance(ctx, f.mark, store.TransferDone, f.o.Clock.Now().Unix())
	return f.report, err
}

// open puts one door row and reads it back.
func (f *filler) open(ctx context.Context, r table.Row) error {
	if err := f.to.Table.PutRow(ctx, r); err != nil {
		return err
	}
	back, err := f.to.Table.GetRow(ctx, r.Key, table.Consistent())
	if err != nil {
		return err
	}
	_, full, err := rowDigest(back)
	if err != nil {
		return err
	}
	f.at.add(store.Kind(r.Key), full, int64(back.Size()))
	return nil
}

func doorRank(k table.Key) int {
	switch store.Kind(k) {
	case "account":
		return 0
	case "token":
		return 1
	case "email":
		return 2
	}
	if k == store.FeedCounter() {
		return 4
	}
	return 3
}

// same compares the sums of both sides, but for rows that are still to come.
func (f *filler) same(missing ...table.Row) error {
	at := Sums{}
	for kind, sum := range f.at {
		s := *sum
		at[kind] = &s
	}
	for _, r := range missing {
		_, full, err := rowDigest(r)
		if err != nil {
			return err
		}
		at.add(store.Kind(r.Key), full, int64(r.Size()))
	}
	if !f.from.equal(at) {
		return fault.Newf(fault.Internal, "copy_differs", "%s is not what it was copied from: the counts or hashes of a kind differ. Run the same command again.", f.to.Name)
	}
	return nil
}
