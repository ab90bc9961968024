package crawl

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl/pages"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// The commit of an observation, step by step; each step may be the last.
//
//	1 judge compares it with the feed row, and where the row had to forget, with the deltas (lookup.go)
//	2 the raw body goes to the blob store, addressed by its content
//	3 items that were edited are overwritten in their deltas
//	4 the new items go into the delta row D#(seq+1), IF ABSENT
//	5 the message for webhooks and devices is sent, if any want the items
//	6 the feed row takes seq, known, stamp, and with the last delta hash and validators, IF seq and stamp are those
//	  that were read
//
// A run that finds a delta above the feed's seq commits it with the old validators and judges again. A feed has no
// lease and no version: its seq serves as both.

const (
	// deltaItems is the number of items in one delta row.
	deltaItems = 100
	// settleAge is the greatest age of a stamp at its commit. Where several processes write, native clients are sent
	// only minutes that ended 60 s ago, so that later items always have greater ids (store.Stamps).
	settleAge = 30 * time.Second
	maxRounds = pages.MaxRounds
)

var errTooManyRaces = pages.ErrTooManyRaces

// committed is the result of a commit.
type committed struct {
	row           *store.FeedRow // as it was stored last
	added, edited int
	renamed       int // items that have new identities and are the old ones
	blobs         int
	news          bool // items or channel had changed, not just the feed's state
	wrote         bool
	stopped       bool // the feed was given up
	outcome       reader.Outcome

	// uncounted are the first seqs of deltas that this commit edited, as long as no row counts it: after a lost race
	// there may be nothing else left to write.
	uncounted []reader.Seq

	loose bool            // a delta lists bodies that an edit left unreferenced
	mine  *store.DeltaRow // the newest delta of this very commit: its stamp is shared
}

// commit stores an observation. row may be stale; it is read again whenever a condition says so.
func (c *Crawler) commit(ctx context.Context, row *store.FeedRow, obs *observation) (_ committed, err error) {
	if obs.slow, err = c.slow(ctx); err != nil {
		return committed{row: row}, err
	}
	if obs.page != nil {
		return c.commitPage(ctx, row, obs)
	}
	out := committed{row: row}
	if row.IsWatch() && obs.kind == failed && obs.code != row.ErrCode {
		if err := c.keepPage(ctx, obs, &out); err != nil { // of a body, which failures of servers have none of
			return out, err
		}
	}
	for range maxRounds {
		v := judge(out.row, obs, out.added, c.clock.Now())
		out.news, out.stopped, out.outcome = out.news || v.news, v.stopped, v.outcome
		if v.news {
			obs.raw.pack()
			again, err := c.lookUp(ctx, &v, obs.items, &out)
			if err != nil {
				return out, err
			}
			if again {
				continue
			}
		}
		done, err := c.write(ctx, &v, obs, &out)
		if err != nil || done {
			if out.outcome == reader.OutcomeChanged && !out.wrote {
				out.outcome = reader.OutcomeUnchanged // another crawler had committed all of it
			}
			return out, err
		}
	}
	return out, errTooManyRaces
}

// write writes a verdict, or as much of it as fits into one delta. done is false when the rest, or a lost race, has to
// be judged again.
func (c *Crawler) write(ctx context.Context, v *verdict, obs *observation, out *committed) (done bool, err error) {
	raw := ""
	if len(v.fresh)+len(v.edited) > 0 {
		key, created, err := obs.raw.put(ctx, c.blobs)
		if err != nil {
			return false, err
		}
		if created {
			out.blobs++
		}
		raw = key
		c.tellTexts(raw, v.edited)
		c.tellTexts(raw, v.fresh)
	}
	before := out.edited
	if len(v.edited) > 0 {
		if err := c.edit(ctx, out.row, v.edited, raw, out); err != nil {
			return false, err
		}
		obs.items.renamedNow(v.edited)
	}
	if len(v.edited)+len(out.uncounted) > 0 {
		v.next.NoteEdits(out.uncounted)
		v.next.Edited = c.clock.Now().UnixMilli()
	}
	if obs.items != nil && obs.items.uncounted {
		v.next.NoteEditOfAll()
	}
	if len(v.fresh) > 0 {
		return c.writeItems(ctx, v, raw, out)
	}
	next := v.next
	if out.row.Equal(&next) {
		return true, nil
	}
	// The body of a change of the channel alone is not stored.
	if out.edited > before {
		next.Raw = raw
	}
	if out.loose {
		next.Loose = c.clock.Now().UnixMilli()
	}
	conds := []store.FeedCond{store.SameSeq}
	if next.Edits != out.row.Edits {
		conds = append(conds, store.SameEdits)
	}
	now, err := c.store.Feeds.Change(ctx, out.row, &next, conds...)
	if fault.Is(err, fault.Conflict) {
		// Without news this does no harm: another run committed some meanwhile, and losing a validator pair costs one
		// full answer.
		if !v.news && next.Edits == out.row.Edits {
			return true, nil
		}
		return false, c.reread(ctx, out)
	}
	if err == nil {
		out.row, out.wrote, out.uncounted = now, true, nil
	}
	return err == nil, err
}

// tellTexts hands over what a body says of items, before they are listed.
func (c *Crawler) tellTexts(raw string, items []newItem) {
	if c.o.Text == nil {
		return
	}
	for i := range items {
		if it := &items[i]; it.text != "" {
			c.o.Text(raw, it.Identity, it.text)
		}
	}
}

// writeItems writes the next delta, and with the last one the verdict's row.
func (c *Crawler) writeItems(ctx context.Context, v *verdict, raw string, out *committed) (done bool, err error) {
	batch := v.fresh[:min(len(v.fresh), deltaItems)]
	last := len(batch) == len(v.fresh)
	d, err := c.newDelta(out.row, batch, raw, out.mine)
	if err != nil {
		return false, err
	}
	err = c.store.Items.Put(ctx, d)
	if fault.Is(err, fault.Conflict) {
		return false, c.rollForward(ctx, d, out)
	}
	if err != nil {
		return false, err
	}
	next := v.next
	if last {
		next.Raw = d.Raw
	} else {
		next = *out.row
		next.Edited, next.Edits, next.EditedSeqs = v.next.Edited, v.next.Edits, v.next.EditedSeqs
		remember(&next, knownItems(batch), dayOf(time.UnixMilli(d.At)), false)
	}
	if out.loose {
		next.Loose = d.At
	}
	err = c.commitDelta(ctx, d, batch, &next, out)
	if err != nil || out.mine != d {
		return false, err
	}
	out.uncounted = nil
	return last, nil
}

// newDelta returns the next delta row. Deltas of one commit share their stamp, which is above every earlier stamp of
// the feed, so that ids are unique without an allocator. It sets the items' sort times.
func (c *Crawler) newDelta(row *store.FeedRow, fresh []newItem, raw string,
	mine *store.DeltaRow) (*store.DeltaRow, error) {
	now := c.clock.Now()
	stamp := nextStamp(now, row)
	if mine != nil && mine.Stamp == row.Stamp && now.UnixMilli()-mine.At < settleAge.Milliseconds() {
		stamp = reader.Minute(mine.Stamp)
	}
	stamp = c.store.Stamps.Next(row.ID(), stamp)
	first := len(row.Hash) == 0
	headers := make([]store.Header, len(fresh))
	for i := range fresh {
		it := &fresh[i]
		it.Sort, it.Estimated = sortTime(it.published, it.estimate, now, first)
		headers[i] = it.Header
	}
	d, err := store.NewDelta(row.ID(), reader.Seq(row.Seq+1), stamp, now.UnixMilli(), raw, headers)
	if err == nil {
		d.TTL = store.KeptUntil(now, c.o.Keep)
	}
	return d, err
}

func nextStamp(now time.Time, row *store.FeedRow) reader.Minute {
	return max(reader.MinuteOf(now), reader.Minute(row.Stamp)+1)
}

// sortTime returns an item's place in streams. A first crawl uses the publisher's dates; later items are at most a day
// older than their arrival, so that late posts appear where a reader sees them. No item is placed in the future;
// Header.Published keeps the publisher's date.
func sortTime(published, estimate, arrival time.Time, first bool) (unix int64, estimated bool) {
	switch {
	case published.IsZero() && !estimate.IsZero() && estimate.Before(arrival):
		return estimate.Unix(), true
	case published.IsZero():
		return arrival.Unix(), true
	case published.After(arrival):
		return arrival.Unix(), false
	case !first && published.Before(arrival.Add(-24*time.Hour)):
		return arrival.Add(-24 * time.Hour).Unix(), false
	}
	return published.Unix(), false
}

// commitDelta is steps 5 and 6: the feed row takes a delta that was written. A stamp that has become old since, or that
// is not above the feed's, or that lists have settled meanwhile, is renewed first: the feed row takes the new stamp
// while the delta is uncommitted, then the delta does, and the commit is conditional on the stamp that was read. So no
// run can commit with the old stamp any more, nor change the stamp of what is committed. A worker that has waited
// too long for the commit announced by its message gives the feed row a new stamp, too (package webhook). After a lost
// race the row is read again.
func (c *Crawler) commitDelta(ctx context.Context, d *store.DeltaRow, items []newItem, next *store.FeedRow,
	out *committed) error {
	now, err := c.takeDelta(ctx, d, items, next, out.row)
	if fault.Is(err, fault.Conflict) {
		return c.reread(ctx, out)
	}
	if err != nil {
		return err
	}
	out.mine, out.row, out.wrote, out.added = d, now, true, out.added+len(items)
	return nil
}

func (c *Crawler) takeDelta(ctx context.Context, d *store.DeltaRow, items []newItem, next,
	row *store.FeedRow) (*store.FeedRow, error) {
	base := *row
	now := c.clock.Now()
	stamp := reader.Minute(d.Stamp)
	if now.UnixMilli()-d.At > settleAge.Milliseconds() || d.Stamp < row.Stamp {
		stamp = max(nextStamp(now, row), stamp+1)
	}
	stamp, end, err := c.store.Stamps.Begin(ctx, row.ID(), stamp)
	if err != nil {
		return nil, err
	}
	defer end()
	if uint32(stamp) != d.Stamp {
		base.Stamp = uint32(stamp)
		if _, err := c.store.Feeds.Change(ctx, row, &base, store.SameSeq, store.SameStamp); err != nil {
			return nil, err
		}
		if err := c.store.Items.Restamp(ctx, d, stamp, now.UnixMilli()); err != nil {
			return nil, err
		}
	}
	if c.o.News != nil {
		if err := c.o.News(ctx, row, d); err != nil {
			return nil, err
		}
	}
	sorts := make([]int64, len(items))
	for i := range items {
		sorts[i] = items[i].Sort
	}
	next.Take(d)
	next.NewestAt = max(slices.Max(sorts), row.NewestAt)
	next.Ages = row.Ages.Add(reader.Seq(row.Floor), d.First(), sorts)
	// On condition that no other body was committed meanwhile, and that no webhook or device wants messages since.
	return c.store.Feeds.Change(ctx, &base, next, store.SameSeq, store.SameStamp, store.SameHash, store.SameETag,
		store.SameEdits, store.SameHooked)
}

// rollForward handles a delta that already exists: one of a crashed run, or of a run under way, is committed with the
// old validators. The feed row is read again.
func (c *Crawler) rollForward(ctx context.Context, d *store.DeltaRow, out *committed) error {
	found, err := c.store.Items.Get(ctx, d.Feed(), d.First())
	if fault.Is(err, fault.NotFound) {
		return c.reread(ctx, out) // expired between the two reads
	}
	if err != nil {
		return err
	}
	if err := c.reread(ctx, out); err != nil {
		return err
	}
	if reader.Seq(out.row.Seq) != found.First()-1 {
		return nil // committed long ago: only the first read was stale
	}
	hs, err := found.Headers()
	if err != nil {
		return err
	}
	items := make([]newItem, len(hs))
	for i := range hs {
		items[i].Header = hs[i]
	}
	next, mine := *out.row, out.mine
	if next.IsWatch() {
		forgetPage(&next)
	} else {
		remember(&next, knownItems(items), dayOf(c.clock.Now()), false)
	}
	err = c.commitDelta(ctx, found, items, &next, out)
	out.mine = mine
	return err
}

// reread reads the feed row again after a lost race.
func (c *Crawler) reread(ctx context.Context, out *committed) error {
	row, err := c.store.Feeds.Get(ctx, out.row.ID(), true)
	if err == nil {
		out.row = row
	}
	return err
}
