package cleanup

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// A row above the floor is extended extendBefore its expiry.
	extendBefore = 60 * 24 * time.Hour
	// refreshAge is the age from which a body that is still needed is written again, before the bucket's lifecycle
	// removes it: that is after 190 days at the earliest (template.yaml), and a feed is visited once a week.
	refreshAge = 180 * 24 * time.Hour
)

// oldest describes a feed's oldest deltas, as far as they are known.
type oldest struct {
	floor  reader.Seq   // items up to it are past their retention
	extend []reader.Seq // deltas that would expire before they may, oldest first
	raws   []string     // bodies that are still needed
	gap    bool         // deltas above the floor are missing
}

// applyRetention moves a feed's floor above the items past their retention, except for the newest, and keeps rows and
// bodies above the floor from expiring: what counts as unread always exists. Usually it reads one page, and writes
// nothing or the floor. Rows are extended from the newest down, so that the next walk from the oldest up, which stops
// at young rows, finds those that a crash left out.
func (r *run) applyRetention(ctx context.Context, f *store.FeedRow) error {
	a, err := r.readOldest(ctx, f, false)
	if err == nil && a.gap {
		a, err = r.readOldest(ctx, f, true) // an eventually consistent read may show a gap too
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
	next := *f
	next.Floor = uint32(a.floor)
	_, err = r.store.Feeds.Change(ctx, f, &next, store.SameFloor)
	if err == nil {
		r.report.Floors++
	}
	return fault.Ignore(err, fault.Conflict)
}

// readOldest reads a feed's deltas from the floor up, as far as they may be past their retention.
func (r *run) readOldest(ctx context.Context, f *store.FeedRow, latest bool) (oldest, error) {
	a := oldest{floor: reader.Seq(f.Floor)}
	from := a.floor + 1
	if a.floor > 0 {
		// The floor may lie within a delta, which is then read again.
		switch d, err := r.store.Items.At(ctx, f.ID(), from); {
		case err == nil:
			from = d.First()
		case !fault.Is(err, fault.NotFound):
			return a, err
		}
	}
	past := r.started.AddDate(0, 0, -r.o.Keep)
	young := past // rows and bodies after it need nothing yet
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
			// Deltas have expired, after a year without cleanup perhaps: items that cannot be read must not count.
			a.floor, a.gap = max(a.floor, d.First()-1), true
		}
		next = d.Last() + 1
		if !at.Before(young) && !r.isFullPass {
			return false, nil
		}
		if at.Before(past) {
			a.floor = max(a.floor, min(d.Last(), most))
		}
		if d.TTL == 0 || d.Last() > a.floor && r.expiresTooEarly(d, at) {
			a.extend = append(a.extend, d.First())
		}
		if d.Last() <= a.floor {
			return true, nil
		}
		return true, a.addBodies(d, seen)
	})
	if err == nil && next <= reader.Seq(f.Seq) && next == a.floor+1 && a.floor == reader.Seq(f.Floor) {
		// No delta is left of the committed items.
		a.floor, a.gap = reader.Seq(f.Seq), true
	}
	return a, err
}

// expiresTooEarly reports whether a row above the floor would expire before it may.
func (r *run) expiresTooEarly(d *store.DeltaRow, at time.Time) bool {
	return d.TTL < r.started.Add(extendBefore).Unix() || r.isFullPass && d.TTL < store.KeptUntil(at, r.o.Keep)
}

// addBodies adds the bodies of a delta that stays.
func (a *oldest) addBodies(d *store.DeltaRow, seen map[string]bool) error {
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

// refresh writes a body again, under the same key, that the bucket's lifecycle would remove soon.
func (r *run) refresh(ctx context.Context, key string) error {
	old := r.started.Add(-refreshAge)
	if day, _, ok := store.ParseRawKey(key); !ok || !day.Before(old) {
		return nil
	}
	m, err := r.blobs.Stat(ctx, key)
	if err != nil || !m.Modified.Before(old) {
		return fault.Ignore(err, fault.NotFound)
	}
	body, m, err := r.blobs.Get(ctx, key)
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	return r.blobs.Put(ctx, key, body, m)
}
