package crawl

import (
	"context"
	"reflect"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Replay extracts the stored bodies again, after a fix of the extractor, and repairs the headers of items in place: in
// the same delta, under the same seq and id, so that nothing is new, unread or lost. An item whose identity the fix
// changed is found by its link, or by title and date, and takes the new one, or the next poll would add it a second
// time. Each step may be the last before a crash:
//
//	1 the feed row takes the new identities and content hashes, the new times of the items, and that they are being
//	  edited
//	2 each delta takes its repaired headers, IF it was not edited meanwhile
//	3 the feed row takes the time of the edits, so that nobody shows headers that they kept from before
//
// A second replay finds nothing to do.

// Replayed is the result of a replay for one feed.
type Replayed struct {
	Items     int `json:"items"`     // headers looked at
	Changed   int `json:"changed"`   // of these, repaired
	Remapped  int `json:"remapped"`  // of these, with another identity
	Missing   int `json:"missing"`   // whose body is no longer kept
	Failed    int `json:"failed"`    // whose body cannot be read
	Unmatched int `json:"unmatched"` // that their body does not list any more: left as they are
}

// Add sums up.
func (r *Replayed) Add(x Replayed) {
	r.Items += x.Items
	r.Changed += x.Changed
	r.Remapped += x.Remapped
	r.Missing += x.Missing
	r.Failed += x.Failed
	r.Unmatched += x.Unmatched
}

// Replay repairs the headers of one feed, or with dry counts what it would repair. It holds the feed's part of hosts,
// so that no crawl compares a body with a row that is being repaired; ErrBusy when a run holds it.
func (c *Crawler) Replay(ctx context.Context, id reader.FeedID, dry bool) (Replayed, error) {
	f, err := c.store.Feeds.Get(ctx, id, true)
	if err != nil || f.IsWatch() { // nothing is kept of its pages
		return Replayed{}, err
	}
	if !dry {
		release, err := c.Hold(ctx, f.URL)
		if err != nil {
			return Replayed{}, err
		}
		defer release()
	}
	for range maxRounds {
		if f, err = c.store.Feeds.Get(ctx, id, true); err != nil {
			return Replayed{}, err
		}
		r := &replay{c: c, f: f, known: map[uint64]store.KnownItem{}, newest: f.NewestAt, ages: f.Ages}
		sum, err := r.walk(ctx, false)
		if err != nil || dry || sum.Changed == 0 && f.Edited >= 0 {
			return sum, err
		}
		next := *f
		next.Known, next.Ages, next.NewestAt = store.Known(f.Known).Replace(r.known), r.ages, r.newest
		next.Edited = -c.clock.Now().UnixMilli()
		if _, err = c.store.Feeds.Change(ctx, f, &next, store.SameSeq); err == nil {
			_, err = r.walk(ctx, true)
		}
		if err == nil {
			err = c.noteReplay(ctx, id)
		}
		if !fault.Is(err, fault.Conflict) {
			return sum, err
		}
	}
	return Replayed{}, errTooManyRaces
}

// noteReplay is step 3. The edits are counted with it, so that the index of searches takes the feed's items again.
func (c *Crawler) noteReplay(ctx context.Context, id reader.FeedID) error {
	f, err := c.store.Feeds.Get(ctx, id, true)
	if err != nil {
		return err
	}
	next := *f
	next.Edited = c.clock.Now().UnixMilli()
	next.NoteEditOfAll()
	_, err = c.store.Feeds.Change(ctx, f, &next, store.SameEdits)
	return err
}

type replay struct {
	c     *Crawler
	f     *store.FeedRow
	known map[uint64]store.KnownItem // by the identity that it replaces
	// newest and ages bound the times of the items after the repair.
	newest int64
	ages   store.Ages
	raw    string // the body last read: deltas come in the order of their bodies
	body   *rescan
	// owned are the identities of all items of the feed, nil until needed: none is given to another item.
	owned map[uint64]bool
}

// rescan is a body, extracted again.
type rescan struct {
	lang string
	byID map[uint64]*extract.Item
	// first has the first item of each shared identity, which was stored under it before such items were distinguished.
	first map[uint64]*extract.Item
	all   []*extract.Item
	code  string // why there is none
}

const (
	rawMissing = "missing"
	rawFailed  = "failed"
	// maxReplayed bounds the items of a body: more than any stored body has.
	maxReplayed = 5000
	maxRawBody  = 16 << 20
)

// walk goes through all deltas; apply stores what it repairs, else it is counted and noted.
func (r *replay) walk(ctx context.Context, apply bool) (sum Replayed, err error) {
	r.owned = nil
	err = r.c.store.Items.DescendLatest(ctx, r.f.ID(), func(d *store.DeltaRow) (bool, error) {
		if d.Last() > reader.Seq(r.f.Seq) {
			return true, nil // not committed yet
		}
		hs, err := d.Headers()
		if err != nil {
			return false, err
		}
		fixed, one, err := r.repair(ctx, d, hs)
		if err != nil {
			return false, err
		}
		if sum.Add(one); one.Changed > 0 && apply {
			err = r.c.store.Items.Edit(ctx, d, fixed)
		}
		return true, err
	})
	return sum, err
}

// repair returns a delta's headers as extracted now.
func (r *replay) repair(ctx context.Context, d *store.DeltaRow, hs []store.Header) ([]store.Header, Replayed, error) {
	sum := Replayed{Items: len(hs)}
	fixed := make([]store.Header, len(hs))
	copy(fixed, hs)
	for i := range hs {
		raw := hs[i].Raw
		if raw == "" {
			raw = d.Raw
		}
		body, err := r.read(ctx, raw)
		if err != nil {
			return nil, sum, err
		}
		switch body.code {
		case rawMissing:
			sum.Missing++
			continue
		case rawFailed:
			sum.Failed++
			continue
		}
		it, err := r.find(ctx, body, &hs[i])
		if err != nil {
			return nil, sum, err
		}
		if it == nil {
			sum.Unmatched++
			continue
		}
		h := header(it, body.lang)
		if it.Identity == hs[i].Shared { // its body lists it alone
			h.Identity, h.Shared = hs[i].Identity, hs[i].Shared
		}
		h.Raw, h.Sort, h.Estimated = hs[i].Raw, hs[i].Sort, hs[i].Estimated
		if h.Published != hs[i].Published {
			// The item's place in the streams was wrong as well.
			first := d.Last() <= reader.Seq(r.f.FirstSeq)
			h.Sort, h.Estimated = sortTime(it.Published, time.Unix(hs[i].Sort, 0), time.UnixMilli(d.At), first)
			r.newest, r.ages = max(r.newest, h.Sort), r.ages.Lower(d.First()+reader.Seq(i), h.Sort)
		}
		if reflect.DeepEqual(h, hs[i]) {
			continue
		}
		sum.Changed++
		if h.Identity != hs[i].Identity {
			sum.Remapped++
		}
		if content, ok := store.Known(r.f.Known).Content(hs[i].Identity); ok &&
			(content == hs[i].Content || h.Identity != hs[i].Identity) {
			r.known[hs[i].Identity] = store.KnownItem{Identity: h.Identity, Content: h.Content}
		}
		fixed[i] = h
	}
	return fixed, sum, nil
}

// find returns the item that a header was made of: by identity, else by its link, else by title and date if no other
// item has the same; nil when there is none.
func (r *replay) find(ctx context.Context, b *rescan, h *store.Header) (*extract.Item, error) {
	if it := b.byID[h.Identity]; it != nil {
		return it, nil
	}
	if it := b.byID[h.Shared]; it != nil {
		return it, nil
	}
	if err := r.loadOwned(ctx); err != nil {
		return nil, err
	}
	if it := b.first[h.Identity]; it != nil && !r.owned[it.Identity] {
		r.owned[it.Identity] = true
		return it, nil
	}
	only := func(is func(*extract.Item) bool) *extract.Item {
		var found *extract.Item
		for _, it := range b.all {
			if r.owned[it.Identity] || !is(it) {
				continue
			}
			if found != nil {
				return nil
			}
			found = it
		}
		return found
	}
	var it *extract.Item
	if h.Link != "" {
		it = only(func(it *extract.Item) bool { return link(it.Link) == h.Link })
	}
	if it == nil && h.Title != "" && h.Published != 0 {
		it = only(func(it *extract.Item) bool {
			return reader.CutBytes(it.Title, maxTitle) == h.Title && unixOrZero(it.Published) == h.Published
		})
	}
	if it != nil {
		r.owned[it.Identity] = true
	}
	return it, nil
}

// loadOwned lists the identities of the feed's items, once in a walk.
func (r *replay) loadOwned(ctx context.Context) error {
	if r.owned != nil {
		return nil
	}
	owned := map[uint64]bool{}
	err := r.c.store.Items.DescendLatest(ctx, r.f.ID(), func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		for i := range hs {
			owned[hs[i].Identity] = true
		}
		return true, err
	})
	if err == nil {
		r.owned = owned
	}
	return err
}

// read extracts a body as the crawler does now.
func (r *replay) read(ctx context.Context, raw string) (*rescan, error) {
	if r.body != nil && r.raw == raw {
		return r.body, nil
	}
	b := &rescan{code: rawMissing}
	r.raw, r.body = raw, b
	if raw == "" {
		return b, nil
	}
	packed, meta, err := r.c.blobs.Get(ctx, raw)
	if err != nil {
		return b, fault.Ignore(err, fault.NotFound)
	}
	b.code = rawFailed
	plain, err := blob.Gunzip(packed, maxRawBody)
	if err != nil {
		return b, nil //nolint:nilerr // a damaged body is counted, and repairs nothing
	}
	scan, err := extract.Scan(plain, meta.ContentType, r.base(meta),
		extract.Options{MaxItems: maxReplayed, Length: true})
	if err != nil {
		return b, nil //nolint:nilerr // as above
	}
	b.code, b.lang = "", scan.Language
	b.byID, b.first = make(map[uint64]*extract.Item, len(scan.Items)), map[uint64]*extract.Item{}
	for i := range scan.Items {
		it := &scan.Items[i]
		b.all, b.byID[it.Identity] = append(b.all, it), it
		if it.Shared != 0 && b.first[it.Shared] == nil {
			b.first[it.Shared] = it
		}
	}
	return b, nil
}

// base returns the address that a body came from. The blob's metadata has it without query and password.
func (r *replay) base(m blob.Meta) string {
	from := m.User["originalurl"]
	if from == "" || from == publicURL(r.f.URL) {
		return reader.WithoutUser(r.f.URL)
	}
	return from
}
