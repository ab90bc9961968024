package api

import (
	"bytes"
	"context"
	"encoding/binary"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// A list of all feeds is the largest frequent answer, and mostly the same as the last one. It is kept as JSON in chunks
// of some 64 feeds, compressed: what changes is made anew chunk by chunk, an answer is joined from them, and a tag is
// known without any of it (decision 0108).

// keptLists are the lists of all users. The least recently used go when they are too large together.
type keptLists struct {
	mu    sync.Mutex
	byKey map[listKey]*keptList
	bytes int
	uses  int
	built atomic.Int64 // feeds that were shaped, for tests
}

type listKey struct {
	user reader.UserID
	kind string // what it has of a feed, and in which language
}

const (
	// maxKept bounds the bytes of all lists but the one that was used last; 5,000 feeds take about 10 MB if they are
	// asked for with and without compression.
	maxKept = 48 << 20
	// rowBytes is about what the rows of a feed take that a chunk was made from. They are mostly those of the side bar
	// in memory, but may outlive it.
	rowBytes = 1000
)

// keptList is a list with its lock: one request at a time brings it up to date, and the others use what that one made.
type keptList struct {
	lists *keptLists
	key   listKey
	bytes int // guarded by lists.mu, as used
	used  int

	mu        sync.Mutex
	now       *listVersion
	needPlain bool // somebody asks without compression
}

func newKeptLists() *keptLists { return &keptLists{byKey: map[listKey]*keptList{}} }

func (l *keptLists) get(key listKey) *keptList {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.byKey[key]
	if k == nil {
		k = &keptList{lists: l, key: key, now: &listVersion{}}
		l.byKey[key] = k
	}
	l.uses++
	k.used = l.uses
	return k
}

// resized notes the size of a list in use, and drops others until all fit.
func (l *keptLists) resized(k *keptList, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byKey[k.key] != k {
		return // dropped meanwhile: it goes with the requests that use it
	}
	l.bytes += bytes - k.bytes
	k.bytes = bytes
	for l.bytes > maxKept && len(l.byKey) > 1 {
		var oldest *keptList
		for _, one := range l.byKey {
			if one != k && (oldest == nil || one.used < oldest.used) {
				oldest = one
			}
		}
		delete(l.byKey, oldest.key)
		l.bytes -= oldest.bytes
	}
}

// listVersion is a list at some time. What it says is never changed.
type listVersion struct {
	in          []*stream.Subscribed // as the stream gave it
	basis       basis
	from, until time.Time // when it holds
	chunks      []*chunk
	size        int
	hash        uint64
	sum         stream.Totals
	history
}

// basis is what shaped feeds depend on beside their subscriptions and the time.
type basis struct {
	folders []library.Folder
	parts   int
	checks  uint64 // revision of what leases say of polls
}

func (b *basis) equal(c *basis) bool {
	return b.parts == c.parts && b.checks == c.checks && slices.Equal(b.folders, c.folders)
}

// chunk is the JSON of adjacent feeds, with commas between them, and one before them unless they are the first.
type chunk struct {
	piece
	plain   []byte // nil until somebody wants it; the same is true of deflated
	hash    uint64
	steady  uint64 // hash of the feeds' own
	feeds   []listed
	isFirst bool
	until   time.Time
	sum     stream.Totals
}

// listed is a feed in a chunk.
type listed struct {
	of      *stream.Subscribed // the same pointer means the same content
	id      reader.FeedID
	steady  uint64 // hash of what does not move with the clock alone
	changed uint32 // in which generation that last changed
}

// shaper writes feeds as JSON.
type shaper interface {
	// order returns the feeds as they are listed.
	order([]*stream.Subscribed) []*stream.Subscribed
	// prepare reads what the feeds will need.
	prepare(context.Context, []*stream.Subscribed) error
	// shape appends a feed. It may be called for several at the same time.
	shape(context.Context, []byte, *stream.Subscribed) (shaped, error)
}

// shaped is the result of appending a feed: the bytes with it, the hash of what does not move with the clock alone, and
// when it says something else; zero for never.
type shaped struct {
	b      []byte
	steady uint64
	until  time.Time
}

// steadyShaper is of lists that are a function of the subscriptions and the basis, and whose changes nobody asks for.
type steadyShaper struct{}

func (steadyShaper) prepare(context.Context, []*stream.Subscribed) error { return nil }

// update brings the list up to date. now returns the time at which it begins to.
func (k *keptList) update(ctx context.Context, in []*stream.Subscribed, b basis, now func() time.Time,
	by shaper) (*listVersion, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	old, at := k.now, now()
	holds := b.equal(&old.basis) && !at.Before(old.from)
	if holds && at.Before(old.until) && sameList(in, old.in) {
		return old, nil
	}
	next := &listVersion{in: in, basis: b, from: at, until: farAway, chunks: old.cut(by.order(in))}
	var stale []*chunk
	var feeds []*stream.Subscribed
	for i, c := range next.chunks {
		if holds && c.hash != 0 && at.Before(c.until) {
			continue
		}
		fresh := &chunk{feeds: c.feeds, isFirst: c.isFirst}
		next.chunks[i] = fresh
		stale = append(stale, fresh)
		for _, f := range c.feeds {
			feeds = append(feeds, f.of)
		}
	}
	if err := by.prepare(ctx, feeds); err != nil {
		return nil, err
	}
	k.lists.built.Add(int64(len(feeds)))
	same := old.byHash()
	if err := eachChunk(stale, func(c *chunk) error { return c.make(ctx, by, same) }); err != nil {
		return nil, err
	}
	next.history = old.follow(next.chunks)
	next.total()
	k.now = next
	k.lists.resized(k, next.bytes())
	return next, nil
}

// eachChunk works at chunks on all cores: after a start somebody waits for all of them.
func eachChunk(list []*chunk, do func(*chunk) error) error {
	if len(list) == 1 {
		return do(list[0])
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range list {
		g.Go(func() error { return do(c) })
	}
	return g.Wait()
}

// feedBytes is the usual size of a feed in JSON.
const feedBytes = 900

// farAway is when what never changes by itself does.
var farAway = time.Unix(1<<40, 0)

func sameList(a, b []*stream.Subscribed) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// cut divides a list into chunks: those of the version where nothing changed, and others that have no content yet. A
// chunk ends with a feed whose number is the last of 64, so that a feed that comes or goes changes one chunk alone.
func (v *listVersion) cut(list []*stream.Subscribed) []*chunk {
	chunks := make([]*chunk, 0, len(v.chunks)+1)
	for i, at := 0, 0; i < len(list); {
		if at < len(v.chunks) && v.chunks[at].begins(list[i:], i == 0) {
			chunks = append(chunks, v.chunks[at])
			i += len(v.chunks[at].feeds)
			at++
			continue
		}
		c := &chunk{isFirst: i == 0}
		for isLast := false; i < len(list) && !isLast; i++ {
			id := list[i].Sub.Feed()
			c.feeds = append(c.feeds, listed{of: list[i], id: id})
			isLast = id%64 == 63
		}
		chunks = append(chunks, c)
		if i < len(list) {
			at = v.chunkFrom(list[i].Sub.Feed(), at)
		}
	}
	return chunks
}

// begins reports whether a list begins with the chunk's feeds.
func (c *chunk) begins(list []*stream.Subscribed, isFirst bool) bool {
	if c.isFirst != isFirst || len(c.feeds) > len(list) {
		return false
	}
	for i := range c.feeds {
		if c.feeds[i].of != list[i] {
			return false
		}
	}
	return true
}

// chunkFrom returns the index of the chunk that begins with a feed, looking first from at on; that of none if there is
// none.
func (v *listVersion) chunkFrom(id reader.FeedID, at int) int {
	for n := range v.chunks {
		i := (at + n) % len(v.chunks)
		if v.chunks[i].feeds[0].id == id {
			return i
		}
	}
	return len(v.chunks)
}

// byHash returns the chunks by their content.
func (v *listVersion) byHash() map[uint64]*chunk {
	m := make(map[uint64]*chunk, len(v.chunks))
	for _, c := range v.chunks {
		m[c.hash] = c
	}
	return m
}

// make writes a chunk's content, or takes it from a chunk that has the same.
func (c *chunk) make(ctx context.Context, by shaper, same map[uint64]*chunk) error {
	buf := buffer()
	defer giveBack(buf)
	b := slices.Grow(buf.AvailableBuffer(), feedBytes*len(c.feeds))
	c.feeds = slices.Clone(c.feeds)
	c.until = farAway
	var steady xxhash.Digest
	steady.Reset()
	of := make([]*stream.Subscribed, len(c.feeds))
	for i := range c.feeds {
		if i > 0 || !c.isFirst {
			b = append(b, ',')
		}
		f := &c.feeds[i]
		x, err := by.shape(ctx, b, f.of)
		if err != nil {
			return err
		}
		b, f.steady, of[i] = x.b, x.steady, f.of
		_, _ = steady.Write(binary.LittleEndian.AppendUint64(nil, x.steady))
		if !x.until.IsZero() && x.until.Before(c.until) {
			c.until = x.until
		}
	}
	buf.Write(b) // so that the buffer keeps its size when it is given back
	c.sum = stream.Sum(of)
	c.hash, c.steady = xxhash.Sum64(b), steady.Sum64()
	if was := same[c.hash]; was != nil && was.size == len(b) {
		c.piece, c.plain = was.piece, was.plain
		return nil
	}
	c.piece = newPiece(b)
	c.plain = bytes.Clone(b)
	return nil
}

// total adds up the chunks.
func (v *listVersion) total() {
	var d xxhash.Digest
	d.Reset()
	for _, c := range v.chunks {
		_, _ = d.Write(binary.LittleEndian.AppendUint64(nil, c.hash))
		v.size += c.size
		v.sum.Feeds += c.sum.Feeds
		v.sum.Unread += c.sum.Unread
		v.sum.Starred += c.sum.Starred
		if c.until.Before(v.until) {
			v.until = c.until
		}
	}
	v.hash = d.Sum64()
}

// bytes estimates what the version takes in memory.
func (v *listVersion) bytes() int {
	n := 500 + 8*len(v.tokens) + 8*len(v.removed)
	for _, c := range v.chunks {
		n += 200 + rowBytes*len(c.feeds) + len(c.plain) + len(c.deflated)
	}
	return n
}

// ready makes a version's chunks available compressed or not, whichever is wanted. They are kept in both forms only
// while both are wanted.
func (k *keptList) ready(v *listVersion, zip bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.needPlain = k.needPlain || !zip
	var missing []*chunk
	for _, c := range v.chunks {
		if zip && c.deflated == nil || !zip && c.plain == nil {
			missing = append(missing, c)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := eachChunk(missing, func(c *chunk) error { return c.convert(zip, k.needPlain) }); err != nil {
		return err
	}
	k.lists.resized(k, v.bytes())
	return nil
}

// convert makes a chunk available in a form that it lacks.
func (c *chunk) convert(zip, keepPlain bool) (err error) {
	if !zip {
		c.plain, err = c.inflate(nil)
		return err
	}
	c.deflated = deflate(c.plain)
	if !keepPlain {
		c.plain = nil
	}
	return nil
}
