package store

import (
	"context"
	"sync"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// IsDamaged reports whether an error is about a row that cannot be decoded.
func IsDamaged(err error) bool { return fault.CodeOf(err) == reader.CodeRowDamaged }

// damage handles rows that cannot be decoded. Lists put a stand-in in their place or leave them out, so that a damaged
// row does not make all others unreadable, and each is reported once.
type damage struct {
	mu     sync.Mutex
	told   map[table.Key]bool
	report func(table.Key, error)
}

// maxDamaged bounds the list of damaged rows that were reported.
const maxDamaged = 10_000

// OnDamage sets the function that is called once for each damaged row in lists. Call it before the store is
// used.
func (s *Store) OnDamage(report func(table.Key, error)) { s.Feeds.damage.report = report }

func (d *damage) found(k table.Key, err error) {
	d.mu.Lock()
	isNew := !d.told[k] && len(d.told) < maxDamaged
	if isNew {
		d.told[k] = true
	}
	d.mu.Unlock()
	if isNew && d.report != nil {
		d.report(k, err)
	}
}

// readable calls f for the rows of a query that can be decoded, until it returns false or an error.
func readable[T any](ctx context.Context, t *table.Table, d *damage, q table.Query,
	f func(*T) (more bool, err error)) error {
	for r, err := range t.Query(ctx, q) {
		if err != nil {
			return err
		}
		row := new(T)
		if err := r.Decode(row); IsDamaged(err) {
			d.found(r.Key, err)
			continue
		} else if err != nil {
			return err
		}
		if more, err := f(row); err != nil || !more {
			return err
		}
	}
	return nil
}

// feed decodes a feed's row. A stand-in is not polled and has no items; its state is an error.
func (d *damage) feed(r table.Row, decode func(any) error) (*FeedRow, error) {
	f := new(FeedRow)
	err := decode(f)
	if !IsDamaged(err) {
		return f, err
	}
	d.found(r.Key, err)
	id := parseFeedSK(r.Key.SK)
	f = &FeedRow{Damaged: true, Title: "#" + id.String(), Status: string(reader.StatusError),
		ErrCode: reader.CodeRowDamaged}
	f.PK, f.SK = r.Key.PK, r.Key.SK
	return f, nil
}

// subscription decodes a subscription's row. In a stand-in nothing is read.
func (d *damage) subscription(r table.Row) (*SubscriptionRow, error) {
	sub := new(SubscriptionRow)
	err := r.Decode(sub)
	if !IsDamaged(err) {
		return sub, err
	}
	d.found(r.Key, err)
	sub = &SubscriptionRow{Damaged: true}
	sub.PK, sub.SK = r.Key.PK, r.Key.SK
	return sub, nil
}
