package crawl

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// The commit of a changed feed, step by step; each step may be the last.
//
//	1 the raw body goes to the blob store, addressed by its content
//	2 the listing is compared with what the feed row knows, and where it had to forget, with the deltas
//	3 the new items go into the delta row D#(seq+1), IF ABSENT
//	4 the feed row takes seq, known, stamp, and with the last delta hash and validators, IF seq = first-1
//	  and the stamp is the one read
//
// Whoever finds a delta above the feed's seq rolls it forward with the old validators and compares
// anew. There is no lease on a feed and no version: seq is both.

const (
	// deltaItems is how many items one delta row holds.
	deltaItems = 100
	// settleAge is how old a stamp may be at its commit: native clients are answered only minutes
	// closed for 60 s, so that what they have not seen is always greater than what they have.
	settleAge = 30 * time.Second
	// maxRounds bounds the retries of a commit that keeps losing races.
	maxRounds = 40
)

var errTooManyRaces = fault.New(fault.Unavailable, "commit_contended", "crawl: commit", nil)

// listing is what one body says, ready to be compared with any state of the feed row.
type listing struct {
	all    []store.KnownItem  // every item listed, newest knowledge; and a mark for each identity that several share
	header map[uint64]newItem // those that were not known by identity and content
	order  []uint64           // identities of header, oldest first
	marks  []uint64           // marks of what several items share (shared.go)
	// returned are items that the feed row had to forget and a delta still has, with the content it has.
	returned map[uint64]uint32
	asked    map[uint64]bool // those that were looked for
	// renamed are items that are stored under another identity, by the one they have now; compared tells that they
	// were looked for.
	renamed  map[uint64]uint64
	compared bool
	putRaw   func(context.Context) (string, error) // stores the body once, gives its key
	// final gives the attributes that go with the last step: hash, validators, channel, schedule. seq is
	// the feed's after it.
	final func(row *store.FeedRow, seq uint32, added int) store.Patch
	// partial tells that the body does not list all that the feed does: nothing left by not being in it.
	partial bool
}

type newItem struct {
	store.Header
	published time.Time
	estimate  time.Time // of a first crawl, for an item that the publisher gave no date
	undated   bool      // published is the time of the last edit, the only one that the publisher gives
	was       uint64    // the identity under which it is stored, where that is another
	trusted   bool      // its guid tells it from all others of the feed, as far as is known
	within    uint64    // the identity it would have among others with the same guid, where it is known with another content
}

// committed tells what a commit did.
type committed struct {
	added, edited int
	wrote         bool
	loose         bool // a delta holds bodies that an edit made loose
	renamed       int  // items that have new identities and are the old ones
	row           *store.FeedRow
}

type committer struct {
	store *store.Store
	clock clock.Clock
	keep  int // days that items are kept
}

// commit brings a listing into the store. row may be stale; it is read again whenever a condition says
// so. The validators of `final` are those of the response that the listing came with.
func (c *committer) commit(ctx context.Context, row *store.FeedRow, l *listing) (committed, error) {
	out := committed{row: row}
	var mine *store.DeltaRow // the newest delta of this very commit: its stamp is shared
	for range maxRounds {
		fresh, edited := l.diff(out.row)
		switch again, err := c.recall(ctx, out.row, fresh, l); {
		case err != nil:
			return out, err
		case again:
			continue
		}
		switch again, err := c.renames(ctx, out.row, fresh, l.headers(edited), l); {
		case err != nil:
			return out, err
		case again:
			out.renamed = len(l.renamed)
			continue
		}
		if len(fresh) == 0 {
			done, err := c.finish(ctx, l, edited, &out)
			if err != nil || done {
				return out, err
			}
			continue
		}
		raw, err := l.putRaw(ctx)
		if err != nil {
			return out, err
		}
		if err := c.edit(ctx, out.row, l.headers(edited), raw, &out); err != nil {
			return out, err
		}
		l.renamedNow(edited)
		last := len(fresh) <= deltaItems
		if !last {
			fresh = fresh[:deltaItems]
		}
		d, sorts, err := c.delta(out.row, fresh, raw, mine)
		if err != nil {
			return out, err
		}
		switch err := c.store.Items.Put(ctx, d); {
		case fault.Is(err, fault.Conflict):
			if err := c.rollForward(ctx, d, &out); err != nil {
				return out, err
			}
			continue
		case err != nil:
			return out, err
		}
		next, err := c.commitDelta(ctx, d, out.row, func(row *store.FeedRow) store.Patch {
			return l.patch(row, d, fresh, sorts, last, &out)
		})
		if fault.Is(err, fault.Conflict) {
			if err := c.reread(ctx, &out); err != nil {
				return out, err
			}
			continue
		}
		if err != nil {
			return out, err
		}
		mine = d
		out.row, out.wrote, out.added = next, true, out.added+len(fresh)
		if last {
			return out, nil
		}
	}
	return out, errTooManyRaces
}

// finish is the end of a commit without new items: edits, then at most one update.
func (c *committer) finish(ctx context.Context, l *listing, edited []uint64, out *committed) (bool, error) {
	raw, before := "", out.edited
	if len(edited) > 0 {
		var err error
		if raw, err = l.putRaw(ctx); err != nil {
			return false, err
		}
		if err := c.edit(ctx, out.row, l.headers(edited), raw, out); err != nil {
			return false, err
		}
		l.renamedNow(edited)
	}
	p := l.final(out.row, out.row.Seq, out.added)
	if len(edited)+len(l.returned) > 0 || l.unmarked(out.row) {
		remember(p, out.row, l.all, dayOf(c.clock.Now()), !l.partial)
	}
	if len(p) == 0 {
		return true, nil
	}
	// A body that no item needs is not kept: of a change of the channel alone none is stored.
	delete(p, "raw")
	if out.edited > before {
		p["raw"] = raw
	}
	if out.loose {
		p["loose"] = c.clock.Now().UnixMilli()
	}
	next, err := c.store.Feeds.Update(ctx, out.row.ID(), p, table.IfEqual("seq", out.row.Seq))
	if fault.Is(err, fault.Conflict) {
		return false, c.reread(ctx, out)
	}
	if err != nil {
		return false, err
	}
	out.row, out.wrote = next, true
	return true, nil
}

// delta makes the next delta row. Deltas of one commit share their stamp, which is above every earlier
// stamp of the feed, so that ids are unique without an allocator. It also gives the items' sort times.
func (c *committer) delta(row *store.FeedRow, fresh []newItem, raw string, mine *store.DeltaRow) (*store.DeltaRow, []int64, error) {
	now := c.clock.Now()
	stamp := nextStamp(now, row)
	if mine != nil && mine.Stamp == row.Stamp && now.UnixMilli()-mine.At < settleAge.Milliseconds() {
		stamp = reader.Minute(mine.Stamp)
	}
	first := len(row.Hash) == 0
	headers, sorts := make([]store.Header, len(fresh)), make([]int64, len(fresh))
	for i, it := range fresh {
		headers[i] = it.Header
		headers[i].Sort, headers[i].Estimated = sortTime(it.published, it.estimate, now, first)
		sorts[i] = headers[i].Sort
	}
	d, err := store.NewDelta(row.ID(), reader.Seq(row.Seq+1), stamp, now.UnixMilli(), raw, headers)
	if err == nil {
		d.TTL = store.KeptUntil(now, c.keep)
	}
	return d, sorts, err
}

// arrive notes that a delta's items are the feed's newest ones, and of which times they are.
func arrive(p store.Patch, row *store.FeedRow, d *store.DeltaRow, sorts []int64) {
	p["seq"] = uint32(d.Last())
	p["newestAt"] = slices.Max(append(slices.Clip(sorts), row.NewestAt))
	p["ages"] = []byte(row.Ages.Add(reader.Seq(row.Floor), d.First(), sorts))
}

func nextStamp(now time.Time, row *store.FeedRow) reader.Minute {
	return max(reader.MinuteOf(now), reader.Minute(row.Stamp)+1)
}

// sortTime is where an item stands in streams: a first crawl keeps the publisher's dates; later ones
// are held within a day of their arrival, so that late posts appear where a reader will see them. Nothing
// stands above what arrives now; Header.Published keeps a date in the future as the publisher gave it.
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

// commitDelta is step 4: the feed row takes a delta that lies in its place. A stamp that grew old since
// the put, or that is not above the feed's, is renewed first, and in an order that needs no timing: the
// feed row takes the new stamp while the delta is still uncommitted, then the delta does, and the commit
// asks for the very stamp that was read. So nobody can commit with the old stamp any more, and nobody
// can restamp what is committed and perhaps seen.
func (c *committer) commitDelta(ctx context.Context, d *store.DeltaRow, row *store.FeedRow, patch func(*store.FeedRow) store.Patch) (*store.FeedRow, error) {
	now := c.clock.Now()
	shared := row.Stamp == d.Stamp // an earlier delta of the same commit
	if now.UnixMilli()-d.At > settleAge.Milliseconds() || d.Stamp < row.Stamp {
		stamp := max(nextStamp(now, row), reader.Minute(d.Stamp)+1)
		next, err := c.store.Feeds.Update(ctx, row.ID(), store.Patch{"stamp": uint32(stamp)}, uncommitted(d, row)...)
		if err != nil {
			return nil, err
		}
		if err := c.store.Items.Restamp(ctx, d, stamp, now.UnixMilli()); err != nil {
			return nil, err
		}
		row, shared = next, true
	}
	p := patch(row)
	if !shared {
		p["stamp"] = d.Stamp
	}
	return c.store.Feeds.Update(ctx, row.ID(), p, uncommitted(d, row)...)
}

// uncommitted holds while the delta is next in line and nobody renewed its stamp.
func uncommitted(d *store.DeltaRow, row *store.FeedRow) []table.Cond {
	return []table.Cond{table.IfEqual("seq", uint32(d.First()-1)), table.IfEqual("stamp", row.Stamp)}
}

// rollForward meets a delta that is already there: an orphan of a crash or of a crawler still at work
// is committed with the old validators; either way the feed row is read anew.
func (c *committer) rollForward(ctx context.Context, d *store.DeltaRow, out *committed) error {
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
	next, err := c.commitDelta(ctx, found, out.row, func(row *store.FeedRow) store.Patch {
		items, sorts := make([]store.KnownItem, len(hs)), make([]int64, len(hs))
		for i, h := range hs {
			items[i], sorts[i] = store.KnownItem{Identity: h.Identity, Content: h.Content}, h.Sort
		}
		p := store.Patch{}
		arrive(p, row, found, sorts)
		remember(p, row, items, dayOf(c.clock.Now()), false)
		return p
	})
	if fault.Is(err, fault.Conflict) {
		return c.reread(ctx, out)
	}
	if err != nil {
		return err
	}
	out.row, out.wrote, out.added = next, true, out.added+found.N
	return nil
}

// reread takes the feed row anew after a lost race.
func (c *committer) reread(ctx context.Context, out *committed) error {
	row, err := c.store.Feeds.Get(ctx, out.row.ID(), true)
	if err == nil {
		out.row = row
	}
	return err
}

// diff compares the listing with a feed row: the items it does not know, oldest first, and those whose
// content it knows otherwise. Items that were skipped as known when the body was read have no header
// and never count: a newer row knows no less than an older one.
func (l *listing) diff(row *store.FeedRow) (fresh []newItem, edited []uint64) {
	known := store.Known(row.Known)
	for _, id := range l.order {
		it := l.header[id]
		content, ok := known.Content(id)
		if !ok {
			content, ok = l.returned[id]
		}
		if _, other := l.renamed[id]; other && !ok {
			edited = append(edited, id)
			continue
		}
		switch {
		case !ok:
			fresh = append(fresh, it)
		case content != it.Content:
			edited = append(edited, id)
		}
	}
	return fresh, edited
}

func (l *listing) headers(ids []uint64) []newItem {
	out := make([]newItem, len(ids))
	for i, id := range ids {
		out[i] = l.header[id]
		out[i].was = l.renamed[id]
	}
	return out
}

// patch is step 4: with the last delta everything, before it only what the delta added.
func (l *listing) patch(row *store.FeedRow, d *store.DeltaRow, fresh []newItem, sorts []int64, last bool, out *committed) store.Patch {
	now := time.UnixMilli(d.At)
	items := make([]store.KnownItem, len(fresh))
	for i, it := range fresh {
		items[i] = store.KnownItem{Identity: it.Identity, Content: it.Content}
	}
	p := store.Patch{}
	if last {
		p = l.final(row, uint32(d.Last()), out.added+len(fresh))
		items = l.all
		p["raw"] = d.Raw
	}
	if out.loose {
		p["loose"] = d.At
	}
	arrive(p, row, d, sorts)
	remember(p, row, items, dayOf(now), last && !l.partial)
	return p
}

// maxEditScan bounds how many deltas are opened to find the rows of edited items.
const maxEditScan = 200

// edit updates the headers of items whose content changed, in the deltas that hold them: no new seq,
// never unread again. An item whose delta is gone is left alone; the feed row just learns its hash.
func (c *committer) edit(ctx context.Context, row *store.FeedRow, items []newItem, raw string, out *committed) error {
	if len(items) == 0 {
		return nil
	}
	left := make(map[uint64]newItem, len(items))
	for _, it := range items {
		if it.was == 0 {
			it.was = it.Identity
		}
		left[it.was] = it
	}
	opened := 0
	look := func(d *store.DeltaRow) (bool, error) {
		opened++
		n, err := c.editDelta(ctx, d, left, raw)
		out.loose = out.loose || len(d.Loose) > 0
		if n > 0 {
			out.edited += n
			out.wrote = true
		}
		return len(left) > 0 && opened < maxEditScan, err
	}
	err := c.store.Items.Descend(ctx, row.ID(), reader.Seq(row.Seq), look)
	if err != nil || len(left) == 0 {
		return err
	}
	// A read that lags may not show the delta yet; once the feed row knows the new hash, nobody looks again.
	opened = 0
	return c.store.Items.DescendLatest(ctx, row.ID(), look)
}

// editDelta rewrites one delta's headers, anew when somebody else edited it between.
func (c *committer) editDelta(ctx context.Context, d *store.DeltaRow, left map[uint64]newItem, raw string) (int, error) {
	for range maxRounds {
		hs, err := d.Headers()
		if err != nil {
			return 0, err
		}
		var held []uint64
		for i := range hs {
			held = append(held, hs[i].Identity)
		}
		done := applyEdits(hs, left, raw)
		if len(done) > 0 {
			err = c.store.Items.Edit(ctx, d, hs)
		}
		if fault.Is(err, fault.Conflict) {
			latest, err := c.store.Items.Get(ctx, d.Feed(), d.First())
			if err != nil {
				return 0, err
			}
			*d = *latest
			continue
		}
		if err != nil {
			return 0, err
		}
		for _, id := range held {
			delete(left, id)
		}
		return len(done), nil
	}
	return 0, errTooManyRaces
}

// applyEdits overwrites the headers whose content differs from an item of left, and names them. Sort
// time, and with it the place in every stream, stays.
func applyEdits(hs []store.Header, left map[uint64]newItem, raw string) (done []uint64) {
	for i := range hs {
		it, ok := left[hs[i].Identity]
		if !ok || hs[i].Content == it.Content && hs[i].Identity == it.Identity {
			continue
		}
		h := it.Header
		h.Sort, h.Estimated, h.Raw = hs[i].Sort, hs[i].Estimated, raw
		hs[i] = h
		done = append(done, h.Identity)
	}
	return done
}

var dayZero = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// dayOf counts days since 2026-01-01, for Known.
func dayOf(t time.Time) uint16 {
	d := t.Sub(dayZero) / (24 * time.Hour)
	return uint16(max(0, min(d, 1<<16-1)))
}
