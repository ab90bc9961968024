package api

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// The list of all feeds is the largest frequent answer, and mostly the same as the last one. So the last answer to each
// user in each language is kept: of the next one only the feeds that have changed are made anew (decision 0108).

// feedLists are the lists of all users.
type feedLists struct {
	mu    sync.Mutex // of the first access to a list
	byKey *lru.Cache[listKey, *feedList]
	built atomic.Int64 // feeds that were shaped, for tests
}

type listKey struct {
	user reader.UserID
	lang string
}

const (
	// maxListed bounds the bytes of all lists. One of 1,000 feeds takes some 2 MB.
	maxListed = 48 << 20
	// rowBytes estimates the rows from which a feed in a list was made. They are mostly those of the side bar in
	// memory, but may outlive it.
	rowBytes = 1000
)

func (l *feedLists) get(key listKey) *feedList {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, ok := l.byKey.Get(key)
	if !ok {
		list = &feedList{lists: l, key: key, now: &listVersion{}}
		l.byKey.Put(key, list, 0)
	}
	return list
}

// feedList is a user's list with its lock: one request at a time brings it up to date, and the others use what that one
// made.
type feedList struct {
	lists *feedLists
	key   listKey

	mu     sync.Mutex
	now    *listVersion
	zipped zipped
}

// zipped is the compressed answer with the list.
type zipped struct {
	of   *listVersion
	tail string
	body []byte
}

// listVersion is a list at some time. It is never changed.
type listVersion struct {
	in          []*stream.Subscribed // as the stream gave it
	basis       basis
	from, until time.Time // when it holds
	feeds       []listedFeed
	size        int // of the feeds in JSON
	hash        uint64
	sum         stream.Totals
	history
}

// basis is the data that shaped feeds depend on, apart from their subscriptions and the time.
type basis struct {
	folders []library.Folder
	parts   int
	checks  uint64 // revision of the polls that leases show
}

func (b *basis) equal(c *basis) bool {
	return b.parts == c.parts && b.checks == c.checks && slices.Equal(b.folders, c.folders)
}

// listedFeed is a feed in a list.
type listedFeed struct {
	of      *stream.Subscribed // the same pointer means the same content
	id      reader.FeedID
	json    []byte
	until   time.Time // when it says something else
	steady  uint64    // hash of everything that does not change with the clock alone
	changed uint32    // the generation in which that last changed
}

// update brings the list up to date.
func (l *feedList) update(ctx context.Context, in []*stream.Subscribed, b basis, by *feedShaper) (*listVersion, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old, at := l.now, by.Clock.Now()
	holds := b.equal(&old.basis) && !at.Before(old.from)
	if holds && at.Before(old.until) && slices.Equal(in, old.in) {
		return old, nil
	}
	next := &listVersion{in: in, basis: b, from: at, feeds: make([]listedFeed, len(in))}
	before := old.byID()
	var stale []*listedFeed
	var feeds []*stream.Subscribed
	for i, x := range by.order(in) {
		f := &next.feeds[i]
		*f = listedFeed{of: x, id: x.Sub.Feed()}
		if was := before[f.id]; holds && was != nil && was.of == x && at.Before(was.until) {
			*f = *was
			continue
		}
		stale, feeds = append(stale, f), append(feeds, x)
	}
	if err := by.prepare(ctx, feeds); err != nil {
		return nil, err
	}
	l.lists.built.Add(int64(len(feeds)))
	for _, f := range stale {
		if err := by.shape(ctx, f, at); err != nil {
			return nil, err
		}
	}
	next.follow(old, before)
	next.total()
	l.now = next
	l.lists.byKey.Put(l.key, l, l.bytes())
	return next, nil
}

func (v *listVersion) byID() map[reader.FeedID]*listedFeed {
	m := make(map[reader.FeedID]*listedFeed, len(v.feeds))
	for i := range v.feeds {
		m[v.feeds[i].id] = &v.feeds[i]
	}
	return m
}

// total adds up the feeds.
func (v *listVersion) total() {
	v.sum = stream.Sum(v.in)
	var d xxhash.Digest
	d.Reset()
	for i := range v.feeds {
		f := &v.feeds[i]
		_, _ = d.Write(f.json)
		v.size += len(f.json) + 1 // with a comma
		if i == 0 || f.until.Before(v.until) {
			v.until = f.until
		}
	}
	v.hash = d.Sum64()
}

// write appends the feeds as a JSON list.
func (v *listVersion) write(buf *bytes.Buffer) {
	buf.Grow(v.size + 2)
	buf.WriteByte('[')
	for i := range v.feeds {
		if i > 0 {
			buf.WriteByte(',')
		}
		buf.Write(v.feeds[i].json)
	}
	buf.WriteByte(']')
}

// bytes estimates what the list takes in memory.
func (l *feedList) bytes() int {
	v := l.now
	return 500 + v.size + (rowBytes+200)*len(v.feeds) + 8*len(v.tokens) + 8*len(v.removed) + len(l.zipped.body)
}

// answer answers with a version of the list between two texts, with the headers of r.bytes. A compressed answer is kept
// for the next request.
func (l *feedList) answer(r *request, v *listVersion, head, tail string) error {
	zip, isDone := r.begin(200, jsonType, len(head)+v.size+len(tail), func() uint64 {
		return xxhash.Sum64(binary.LittleEndian.AppendUint64([]byte(head+tail), v.hash))
	})
	if isDone {
		return nil
	}
	if zip {
		body, err := l.zip(v, head, tail)
		if err != nil {
			return err
		}
		r.Header().Set("Content-Encoding", "gzip")
		r.send(200, body)
		return nil
	}
	buf := buffer()
	defer giveBack(buf)
	v.between(buf, head, tail)
	r.send(200, buf.Bytes())
	return nil
}

// zip returns the compressed answer. One request at a time compresses, and the others use what that one made.
func (l *feedList) zip(v *listVersion, head, tail string) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.zipped.of == v && l.zipped.tail == tail {
		return l.zipped.body, nil
	}
	plain, out := buffer(), buffer()
	defer giveBack(plain)
	defer giveBack(out)
	v.between(plain, head, tail)
	if err := zipInto(out, plain.Bytes()); err != nil {
		return nil, err
	}
	l.zipped = zipped{v, tail, bytes.Clone(out.Bytes())}
	l.lists.byKey.Put(l.key, l, l.bytes())
	return l.zipped.body, nil
}

func (v *listVersion) between(buf *bytes.Buffer, head, tail string) {
	buf.WriteString(head)
	v.write(buf)
	buf.WriteString(tail)
}
