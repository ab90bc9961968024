package stream

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// cursor is where a stream goes on: beyond the item last shown, and for each feed opened so far from
// which seq on and when its next item can come, so that deep pages do not read from the top and open again only
// what is next. Opaque to clients.
type cursor struct {
	Mark uint32 // of the query, so that another's positions are not taken for this one's
	Sort int64
	ID   reader.ItemID
	From map[reader.FeedID]standing
}

// standing is where a feed goes on in a stream.
type standing struct {
	seq    reader.Seq // 0: shown to its end
	behind int64      // how far its next item's rank lies below the last one's, at least
}

// positions names a seq for each of some feeds.
type positions map[reader.FeedID]reader.Seq

const (
	// maxOpened is for how many feeds a cursor keeps a position.
	maxOpened = 300
	// tokenForm begins each token, so that another form can be told from it.
	tokenForm = 1
	// maxToken bounds a token that clients bring: positions of 10,000 feeds fit.
	maxToken = 96 << 10
)

// mark tells queries apart whose positions mean different things.
func (q *Query) mark() uint32 {
	h := fnv.New32a()
	b := binary.AppendVarint([]byte(q.Filter), q.Since)
	for _, n := range [...]uint64{uint64(q.Feed), uint64(q.Folder), uint64(q.Label)} {
		b = binary.AppendUvarint(b, n)
	}
	if q.Oldest {
		b = append(b, 1)
	}
	_, _ = h.Write(b)
	return h.Sum32()
}

func (c cursor) encode() string {
	b := binary.LittleEndian.AppendUint32([]byte{tokenForm}, c.Mark)
	b = binary.AppendVarint(b, c.Sort)
	b = binary.AppendUvarint(b, uint64(c.ID))
	at := reader.FeedID(0)
	for _, f := range slices.Sorted(maps.Keys(c.From)) {
		b = binary.AppendUvarint(b, uint64(f-at))
		b = binary.AppendUvarint(b, uint64(c.From[f].seq))
		b = binary.AppendUvarint(b, uint64(c.From[f].behind))
		at = f
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func decodeCursor(s string, mark uint32) (cursor, error) {
	var c cursor
	if s == "" {
		return c, nil
	}
	t, err := readToken(s)
	if err == nil {
		c.Mark, c.Sort, c.ID = t.uint32(), t.varint(), reader.ItemID(t.uvarint())
		c.From = t.places(maxOpened)
	}
	if err != nil || t.bad || len(t.b) > 0 || c.ID == 0 || c.Mark != mark {
		return cursor{}, fault.Newf(fault.Invalid, "bad_cursor", "This page's address is not valid any more. Open the list anew.").At("cursor")
	}
	return c, nil
}

// positionsOf gives the newest seq of each feed of a list, as the list knows it.
func positionsOf(list []Subscribed) positions {
	p := make(positions, len(list))
	for i := range list {
		p[list[i].Feed.ID()] = reader.Seq(list[i].Feed.Seq)
	}
	return p
}

func (p positions) encode() string {
	return base64.RawURLEncoding.EncodeToString(p.append([]byte{tokenForm}))
}

// append writes feeds in rising order: how far each lies above the one before, and its seq.
func (p positions) append(b []byte) []byte {
	at := reader.FeedID(0)
	for _, f := range slices.Sorted(maps.Keys(p)) {
		b = binary.AppendUvarint(b, uint64(f-at))
		b = binary.AppendUvarint(b, uint64(p[f]))
		at = f
	}
	return b
}

func decodePositions(s string) (positions, error) {
	t, err := readToken(s)
	p := t.positions(maxToken)
	if err != nil || t.bad {
		return nil, fault.Newf(fault.Invalid, "bad_as_of", "What the list showed is not known any more. Open the list anew.").At("asOf")
	}
	return p, nil
}

// token reads one that a client brings; after the first fault it gives zeros.
type token struct {
	b   []byte
	bad bool
}

func readToken(s string) (*token, error) {
	if len(s) > maxToken {
		return &token{bad: true}, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) == 0 || b[0] != tokenForm {
		return &token{bad: true}, err
	}
	return &token{b: b[1:]}, nil
}

func (t *token) fail() { t.b, t.bad = nil, true }

func (t *token) uint32() uint32 {
	if len(t.b) < 4 {
		t.fail()
		return 0
	}
	n := binary.LittleEndian.Uint32(t.b)
	t.b = t.b[4:]
	return n
}

func (t *token) uvarint() uint64 {
	n, k := binary.Uvarint(t.b)
	if k <= 0 {
		t.fail()
		return 0
	}
	t.b = t.b[k:]
	return n
}

func (t *token) varint() int64 {
	n, k := binary.Varint(t.b)
	if k <= 0 {
		t.fail()
		return 0
	}
	t.b = t.b[k:]
	return n
}

// pairs reads numbers two by two to the token's end, the first of each pair as what it is above the one
// before.
func (t *token) pairs(most int, each func(f reader.FeedID, n uint64)) {
	at := uint64(0)
	for i := 0; len(t.b) > 0 && !t.bad; i++ {
		gap, n := t.uvarint(), t.uvarint()
		if at += gap; gap == 0 || gap > uint64(reader.MaxFeedID) || at > uint64(reader.MaxFeedID) || i >= most {
			t.fail()
			return
		}
		each(reader.FeedID(at), n)
	}
}

// places reads the rest of a cursor.
func (t *token) places(most int) map[reader.FeedID]standing {
	p := map[reader.FeedID]standing{}
	t.pairs(most, func(f reader.FeedID, seq uint64) {
		behind := t.uvarint()
		if seq > uint64(reader.MaxSeq) || behind > 1<<40 {
			t.fail()
			return
		}
		p[f] = standing{reader.Seq(seq), int64(behind)}
	})
	return p
}

// positions reads what append wrote, at most so many.
func (t *token) positions(most int) positions {
	p := positions{}
	t.pairs(most, func(f reader.FeedID, seq uint64) {
		if seq > uint64(reader.MaxSeq) {
			t.fail()
			return
		}
		p[f] = reader.Seq(seq)
	})
	return p
}
