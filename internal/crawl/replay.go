package crawl

import (
	"bytes"
	"context"
	"io"
	"reflect"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Replay reads the bodies that are kept once more, after a fix of the extractor, and repairs the headers of items
// where they are: in the same delta, under the same seq and id, so that nothing is new, unread or lost by it. An item
// whose identity the fix changed is found by its link, or by title and date, and takes the new one, or the next poll
// would bring it a second time. Each step may be the last:
//
//	1 the feed row knows the new identities and content hashes, beside the old ones, which age by themselves, and
//	  between which times the items lie now
//	2 each delta takes its repaired headers, IF nobody edited it meanwhile
//
// A second replay finds nothing to do.

// Replayed is what a replay found in one feed.
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

// Replay repairs the headers of one feed, or tells what it would repair. It holds the feed's part of hosts, so that no
// crawl compares its body with a row that is being repaired; ErrBusy when one is under way.
func (c *Crawler) Replay(ctx context.Context, id reader.FeedID, dry bool) (Replayed, error) {
	f, err := c.store.Feeds.Get(ctx, id, true)
	if err != nil {
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
		if err != nil || dry || sum.Changed == 0 {
			return sum, err
		}
		if p := r.patch(); len(p) > 0 {
			_, err = c.store.Feeds.Update(ctx, id, p, table.IfEqual("seq", f.Seq))
		}
		if err == nil {
			_, err = r.walk(ctx, true)
		}
		if !fault.Is(err, fault.Conflict) {
			return sum, err
		}
	}
	return Replayed{}, errTooManyRaces
}

type replay struct {
	c     *Crawler
	f     *store.FeedRow
	known map[uint64]store.KnownItem // what an identity is to be known as
	// newest and ages bound the times of the items after the repair.
	newest int64
	ages   store.Ages
	raw    string // the body last read, for deltas come in the order of their bodies
	body   *rescan
	// owned are the identities of all items of the feed, nil until one is needed: none of them is given to another.
	owned map[uint64]bool
}

// rescan is a body as it is read now.
type rescan struct {
	lang string
	byID map[uint64]*extract.Item
	// first has the first item of each shared identity, which was stored under it before items with one guid were
	// told apart.
	first map[uint64]*extract.Item
	all   []*extract.Item
	code  string // why there is none
}

const (
	rawMissing = "missing"
	rawFailed  = "failed"
	// maxReplayed is how many items of a body are looked at: more than one ever had that was kept of.
	maxReplayed = 5000
	maxRawBody  = 16 << 20
)

// patch is what the feed row is to know before a delta is repaired.
func (r *replay) patch() store.Patch {
	p := store.Patch{}
	if known := store.Known(r.f.Known).Replace(r.known); !bytes.Equal(known, r.f.Known) {
		p["known"] = []byte(known)
	}
	if !bytes.Equal(r.ages, r.f.Ages) {
		p["ages"] = []byte(r.ages)
	}
	if r.newest != r.f.NewestAt {
		p["newestAt"] = r.newest
	}
	return p
}

// walk goes through all deltas; apply stores what it repairs, else it is counted and noted.
func (r *replay) walk(ctx context.Context, apply bool) (sum Replayed, err error) {
	r.owned = nil
	err = r.c.store.Items.DescendLatest(ctx, r.f.ID(), func(d *store.DeltaRow) (bool, error) {
		if d.Last() > reader.Seq(r.f.Seq) {
			return true, nil // not committed: whoever commits it is at work
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

// repair reads a delta's headers anew.
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
			// The date was misread, and with it the place in the streams.
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
		if content, ok := store.Known(r.f.Known).Content(hs[i].Identity); ok && (content == hs[i].Content || h.Identity != hs[i].Identity) {
			r.known[hs[i].Identity] = store.KnownItem{Identity: h.Identity, Content: h.Content}
		}
		fixed[i] = h
	}
	return fixed, sum, nil
}

// find looks for the item that a header was made of: by identity, else by its link, else by title and date, and only
// where there is no other like it.
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
			return cut(it.Title, maxTitle) == h.Title && unixOrZero(it.Published) == h.Published
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
	packed, meta, err := r.c.blobs.Get(ctx, raw, blob.Range{})
	if fault.Is(err, fault.NotFound) {
		return b, nil
	}
	if err != nil {
		r.body = nil
		return nil, err
	}
	b.code = rawFailed
	plain, err := unpack(packed)
	if err != nil {
		return b, nil //nolint:nilerr // a spoilt body is counted, and repairs nothing
	}
	scan, err := extract.Scan(plain, meta.ContentType, r.base(meta), extract.Options{MaxItems: maxReplayed})
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

// base is the address that a body came from. The blob keeps it without what may be secret in it.
func (r *replay) base(m blob.Meta) string {
	from := m.User["originalurl"]
	if from == "" || from == publicURL(r.f.URL) {
		return reader.WithoutUser(r.f.URL)
	}
	return from
}

func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	plain, err := io.ReadAll(io.LimitReader(z, maxRawBody+1))
	if err == nil && len(plain) > maxRawBody {
		err = fault.New(fault.TooLarge, "body_too_large", "crawl: replay", nil)
	}
	return plain, err
}
