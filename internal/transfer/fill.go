package transfer

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// filler fills one target from one source.
type filler struct {
	o      Options
	src    source
	to     Installation
	cutoff int64
	mark   store.TransferRow
	total  int64       // members of the source; 0 while unknown
	last   []table.Row // rows that move last
	report Report
}

// fill fills the target: it writes what differs, compares everything, and activates the target.
func (f *filler) fill(ctx context.Context, owner, from string) (Report, error) {
	if err := f.begin(ctx, owner, from); err != nil {
		return Report{}, err
	}
	isDone := f.mark.State == store.TransferDone
	if !isDone {
		if _, err := f.pass(ctx, true); err != nil {
			return f.report, err
		}
	}
	differed, err := f.pass(ctx, false)
	switch {
	case err != nil:
		return f.report, err
	case differed > 0 && isDone:
		return f.report, fault.Newf(fault.Conflict, "target_in_use",
			"The copy into %s was finished earlier, and one of the two has been used since: %d rows or files differ. "+
				"Nothing was changed.", f.to.Name, differed)
	case differed > 0:
		return f.report, sourceChanges(from)
	}
	if f.report.Already = isDone; isDone {
		return f.report, nil
	}
	return f.report, f.activate(ctx)
}

// begin claims the target for an installation, or finds it claimed by an earlier run.
func (f *filler) begin(ctx context.Context, owner, from string) error {
	marks := store.TransfersOf(f.to.Table)
	mark, err := marks.Get(ctx)
	if err != nil {
		return err
	}
	switch {
	case mark.State == "":
		if err := f.requireEmpty(ctx); err != nil {
			return err
		}
		f.mark = store.TransferRow{Home: owner, From: from, State: store.TransferFilling, At: f.o.Clock.Now().Unix()}
		err := marks.Begin(ctx, f.mark)
		if fault.Is(err, fault.Conflict) { // a repeated put whose first answer was lost, or another run
			return f.begin(ctx, owner, from)
		}
		return err
	case mark.Home != owner && mark.State != store.TransferDone:
		return fault.Newf(fault.Conflict, "target_of_another",
			"%s is an unfinished copy of another installation, %s. Finish that copy, or choose an empty target.",
			f.to.Name, mark.From)
	case mark.Home != owner:
		return f.notEmpty()
	}
	f.mark = mark
	return f.completeMark(ctx)
}

// completeMark marks a target as done whose run was interrupted between its very last row and the mark.
func (f *filler) completeMark(ctx context.Context) (err error) {
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
		"%s is not empty: two installations cannot be mixed. Choose a new folder, or a stack in which no reader was "+
			"started yet.", f.to.Name)
}

// requireEmpty refuses a target that has anything that moves.
func (f *filler) requireEmpty(ctx context.Context) error {
	for _, err := range rowsOf(ctx, f.to.Table, 0) {
		if err != nil {
			return err
		}
		return f.notEmpty()
	}
	for page, err := range blobsOf(ctx, f.to.Blobs) {
		if err != nil {
			return err
		}
		if len(page) > 0 {
			return f.notEmpty()
		}
	}
	return nil
}

// pass compares the source with the target and returns in how many rows and blobs they differ. With write it makes
// them equal, except for the rows that move last.
func (f *filler) pass(ctx context.Context, write bool) (differed int64, err error) {
	have, err := f.inventory(ctx)
	if err != nil {
		return 0, err
	}
	stage := "comparing"
	if write {
		stage = "copying"
	}
	f.last = nil
	c := counter{o: f.o, stage: stage, total: f.total, sums: Sums{}}
	w, wctx := newWriter(ctx, f.to)
	for m, err := range f.src.members(wctx, f.cutoff) {
		if err != nil {
			return differed, w.close(wctx, err)
		}
		c.add(m)
		isSame := have[m.id] == m.digest
		delete(have, m.id)
		switch {
		case m.how == movesLast:
			f.last = append(f.last, m.row)
			if !isSame && f.mark.State == store.TransferDone {
				differed++
			}
		case !isSame && write:
			differed++
			f.report.Written++
			if err := w.put(wctx, m); err != nil {
				return differed, w.close(wctx, err)
			}
		case !isSame:
			differed++
		case write:
			f.report.Kept++
		}
	}
	f.total, f.report.Sums = c.done, c.sums
	differed += int64(len(have))
	if write && len(have) > 0 {
		err = f.deleteSurplus(wctx, w, have)
	}
	return differed, w.close(wctx, err)
}

// inventory reads the whole target. A row that moves last and is there too early was written by another program.
func (f *filler) inventory(ctx context.Context) (map[id]digest, error) {
	have, c := map[id]digest{}, counter{o: f.o, stage: "reading target", sums: Sums{}}
	target := &live{Installation: f.to}
	for m, err := range target.members(ctx, f.cutoff) {
		if err != nil {
			return nil, err
		}
		if m.how == movesLast && f.mark.State == store.TransferFilling {
			return nil, f.inUse(m.kind)
		}
		c.add(m)
		have[m.id] = m.digest
	}
	return have, nil
}

func (f *filler) inUse(kind string) error {
	return fault.Newf(fault.Conflict, "target_in_use",
		"Somebody began to use %s before the copy was complete: it has a row of kind %s that was not copied. Empty "+
			"it and start again.", f.to.Name, kind)
}

// deleteSurplus deletes what the source does not have. Rows that move last stay: removing an account needs a person.
func (f *filler) deleteSurplus(ctx context.Context, w *writer, surplus map[id]digest) error {
	for m, err := range rowsOf(ctx, f.to.Table, f.cutoff) {
		if err != nil {
			return err
		}
		if _, yes := surplus[m.id]; !yes {
			continue
		}
		if m.how == movesLast {
			return f.inUse(m.kind)
		}
		if err := w.drop(ctx, m.row.Key); err != nil {
			return err
		}
	}
	for page, err := range blobsOf(ctx, f.to.Blobs) {
		if err != nil {
			return err
		}
		for _, m := range page {
			if _, yes := surplus[m.id]; !yes {
				continue
			}
			if err := f.to.Blobs.Delete(ctx, m.key); err != nil {
				return err
			}
		}
	}
	return nil
}

// writer writes to an installation: rows in batches, blobs concurrently. Not safe for concurrent use.
type writer struct {
	to    Installation
	puts  []table.Row
	drops []table.Key
	blobs *errgroup.Group
}

// newWriter returns a writer and the context for its calls, which ends when a blob could not be written.
func newWriter(ctx context.Context, to Installation) (*writer, context.Context) {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(blobWorkers)
	return &writer{to: to, blobs: g}, gctx
}

func (w *writer) put(ctx context.Context, m member) error {
	if m.key == "" {
		w.puts = append(w.puts, m.row)
		return w.flush(ctx, batchRows)
	}
	w.blobs.Go(func() error { return w.to.Blobs.Put(ctx, m.key, m.body, plainMeta(m.meta)) })
	return nil
}

func (w *writer) drop(ctx context.Context, k table.Key) error {
	w.drops = append(w.drops, k)
	return w.flush(ctx, batchRows)
}

const batchRows = 25 // of one request

// flush writes the rows when there are so many.
func (w *writer) flush(ctx context.Context, least int) error {
	if len(w.puts)+len(w.drops) < least {
		return nil
	}
	err := w.to.Table.WriteRows(ctx, w.puts, w.drops)
	w.puts, w.drops = w.puts[:0], w.drops[:0]
	return err
}

// close writes the remaining rows unless there is an error already, and waits for the blobs. A blob's error comes
// first: it ended the context, which is the other error.
func (w *writer) close(ctx context.Context, err error) error {
	if err == nil {
		err = w.flush(ctx, 1)
	}
	if failed := w.blobs.Wait(); failed != nil {
		return failed
	}
	return err
}

// activate writes the rows that move last, and marks the target as done.
func (f *filler) activate(ctx context.Context) error {
	marks := store.TransfersOf(f.to.Table)
	var err error
	if f.mark.State == store.TransferFilling {
		if f.mark, err = marks.Advance(ctx, f.mark, store.TransferOpening, f.o.Clock.Now().Unix()); err != nil {
			return err
		}
	}
	slices.SortStableFunc(f.last, func(a, b table.Row) int { return activationRank(a.Key) - activationRank(b.Key) })
	for i, r := range f.last {
		f.o.progress(Progress{Stage: "opening", Done: int64(i + 1), Total: int64(len(f.last))})
		if err := f.putAndCompare(ctx, r); err != nil {
			return err
		}
	}
	_, err = marks.Advance(ctx, f.mark, store.TransferDone, f.o.Clock.Now().Unix())
	return err
}

// putAndCompare puts one row, reads it back and compares it.
func (f *filler) putAndCompare(ctx context.Context, r table.Row) error {
	if err := f.to.Table.PutRow(ctx, r); err != nil {
		return err
	}
	back, err := f.to.Table.GetRow(ctx, r.Key, table.Consistent())
	if err != nil {
		return err
	}
	want, err := rowDigest(r)
	if err != nil {
		return err
	}
	if got, err := rowDigest(back); err != nil || got != want {
		return fault.Newf(fault.Internal, "copy_differs",
			"%s does not return the row that was written to it. Run the same command again.", f.to.Name)
	}
	return nil
}

// activationRank orders the rows that move last. The counter of feeds comes at the very end: with it the orchestrator
// finds the feeds.
func activationRank(k table.Key) int {
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
