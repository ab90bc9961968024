package tidy

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	// expiring is how long before a row above the floor would expire it is given more time.
	expiring = 60 * 24 * time.Hour
	// refreshAge is from which age on a body that is still needed is put again, before a bucket's lifecycle takes it:
	// after 190 days at the earliest (template.yaml), and a feed has its turn once a week.
	refreshAge = 180 * 24 * time.Hour
)

// aging is what a walk over a feed's oldest deltas finds.
type aging struct {
	floor  reader.Seq   // items up to it are past their time
	extend []reader.Seq // deltas that would expire before they may, oldest first
	raws   []string     // bodies that are still needed
	gap    bool         // the first delta lies behind the floor: what was between is gone
}

// keep moves a feed's floor up to what is past its time, but for the newest items, and makes sure that what is above
// it stays: rows and bodies. Usually it reads one page and writes nothing, or the floor (DESIGN: what counts as
// unread always exists). Rows are given more time from the newest down, so that a walk from the oldest up, which
// stops at young rows, finds those that a crash left out.
func (r *run) keep(ctx context.Context, f *store.FeedRow) error {
	a, err := r.age(ctx, f, false)
	if err == nil && a.gap {
		a, err = r.age(ctx, f, true) // a read that lags shows a gap too
	}
	if err != nil {
		return err
	}
	until := store.KeptUntil(r.started, r.o.Keep)
	for i := len(a.extend) - 1; i >= 0; i-- {
		if err := r.store.Items.Extend(ctx, f.ID(), a.extend[i], until); err != nil {
			return err
		}
	}
	for _, key := range a.raws {
		if err := r.refresh(ctx, key); err != nil {
			return err
		}
	}
	if a.floor <= reader.Seq(f.Floor) {
		return nil
	}
	_, err = r.store.Feeds.Update(ctx, f.ID(), store.Patch{"floor": uint32(a.floor)}, table.IfEqual("floor", f.Floor))
	if err == nil {
		r.report.Floors++
	}
	return unlessConflict(err)
}

// age walks a feed's deltas from the floor up, as far as they may be past their time.
func (r *run) age(ctx context.Context, f *store.FeedRow, latest bool) (aging, error) {
	a := aging{floor: reader.Seq(f.Floor)}
	from := a.floor + 1
	if a.floor > 0 {
		// The floor may lie within a delta, which is then walked again.
		switch d, err := r.store.Items.At(ctx, f.ID(), from); {
		case err == nil:
			from = d.First()
		case !fault.Is(err, fault.NotFound):
			return a, err
		}
	}
	past := r.started.AddDate(0, 0, -r.o.Keep)
	young := past // whose rows and bodies need nothing yet
	if b := r.started.Add(-refreshAge); b.After(young) {
		young = b
	}
	most := reader.Seq(max(0, int64(f.Seq)-store.KeepNewest))
	seen := map[string]bool{}
	next := a.floor + 1
	err := r.store.Items.Ascend(ctx, f.ID(), from, latest, func(d *store.DeltaRow) (bool, error) {
		if d.First() > reader.Seq(f.Seq) {
			return false, nil // not committed
		}
		at := time.UnixMilli(d.At)
		if d.First() > next {
			// What lies between has expired, after a year of rest perhaps: it cannot be read, so it must not count.
			a.floor, a.gap = max(a.floor, d.First()-1), true
		}
		next = d.Last() + 1
		if !at.Before(young) && !r.whole {
			return false, nil
		}
		if at.Before(past) {
			a.floor = max(a.floor, min(d.Last(), most))
		}
		if d.TTL == 0 || d.Last() > a.floor && r.short(d, at) {
			a.extend = append(a.extend, d.First())
		}
		if d.Last() <= a.floor {
			return true, nil
		}
		return true, a.needs(d, seen)
	})
	if err == nil && next <= reader.Seq(f.Seq) && next == a.floor+1 && a.floor == reader.Seq(f.Floor) {
		// Not one delta is left of what is committed.
		a.floor, a.gap = reader.Seq(f.Seq), true
	}
	return a, err
}

// short tells that a row above the floor would expire too early.
func (r *run) short(d *store.DeltaRow, at time.Time) bool {
	return d.TTL < r.started.Add(expiring).Unix() || r.whole && d.TTL < store.KeptUntil(at, r.o.Keep)
}

// needs notes the bodies of a delta that stays.
func (a *aging) needs(d *store.DeltaRow, seen map[string]bool) error {
	hs, err := d.Headers()
	for _, h := range hs {
		raw := h.Raw
		if raw == "" {
			raw = d.Raw
		}
		if raw != "" && !seen[raw] {
			seen[raw] = true
			a.raws = append(a.raws, raw)
		}
	}
	return err
}

// refresh puts a body again that would soon be taken for its age. Its name stays, so that no row is to be written.
func (r *run) refresh(ctx context.Context, key string) error {
	old := r.started.Add(-refreshAge)
	if day, _, ok := store.ParseRawKey(key); !ok || !day.Before(old) {
		return nil
	}
	m, err := r.blobs.Stat(ctx, key)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || !m.Modified.Before(old) {
		return err
	}
	body, m, err := r.blobs.Get(ctx, key, blob.Range{})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.blobs.Put(ctx, key, body, m)
}
