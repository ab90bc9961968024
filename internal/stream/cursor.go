package stream

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"math"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// cursor is where a stream continues: after the last item shown, and in each opened feed at a seq, with the time of its
// next item. Opaque to clients.
type cursor struct {
	Mark uint32 // of the query, so that another's seqs are not taken for this one's
	Sort int64
	ID   reader.ItemID
	From map[reader.FeedID]position
}

// position is where a feed continues in a stream.
type position struct {
	seq    reader.Seq // 0: shown to its end
	behind int64      // how far its next item's rank is below the last one's, at least
}

const (
	// maxOpened is the most feeds for which a cursor's token has a position.
	maxOpened = 300
	// tokenForm is the first byte of each token: the version of its format. deflatedForm is the same, deflated.
	tokenForm    = 1
	deflatedForm = 2
	// maxToken bounds the tokens that clients send, and what they inflate to: seqs of 20,000 feeds fit.
	maxToken = 96 << 10
)

// hash distinguishes queries whose seqs mean different things.
func (q *Query) hash() uint32 {
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

// cursorOf names a cursor that a user was given.
type cursorOf struct {
	user  reader.UserID
	token string
}

// cursorBytes bounds the memory of cursors that have more positions than their tokens.
const cursorBytes = 2 << 20

// readCursor decodes a cursor, with the positions that its token had no room for where they are still in memory.
func (s *Service) readCursor(u reader.UserID, token string, mark uint32) (cursor, error) {
	if whole, ok := s.cursors.Get(cursorOf{u, token}); ok && whole.Mark == mark {
		return whole, nil
	}
	return decodeCursor(token, mark)
}

func (c cursor) encode() string {
	b := binary.AppendUvarint([]byte{tokenForm}, uint64(c.Mark))
	b = binary.AppendVarint(b, c.Sort)
	b = binary.AppendUvarint(b, uint64(c.ID))
	return base64.RawURLEncoding.EncodeToString(appendByFeed(b, c.From, maxOpened, func(b []byte, p position) []byte {
		return binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.seq)), uint64(p.behind))
	}))
}

func decodeCursor(s string, mark uint32) (cursor, error) {
	var c cursor
	if s == "" {
		return c, nil
	}
	d := readToken(s)
	c.Mark, c.Sort, c.ID = uint32(d.AtMost(math.MaxUint32)), d.Varint(), reader.ItemID(d.Uvarint())
	c.From = readByFeed(d, func() position { return position{readSeq(d), int64(d.AtMost(1 << 40))} })
	if d.Bad || len(c.From) > maxOpened || c.ID == 0 || c.Mark != mark {
		return cursor{}, badCursor()
	}
	return c, nil
}

func badCursor() error {
	return fault.Coded(fault.Invalid, "bad_cursor").At("cursor")
}

// appendByFeed writes the values of at most `most` feeds in rising order: each feed as the difference to the one
// before, then its value.
func appendByFeed[V any](b []byte, values map[reader.FeedID]V, most int, add func([]byte, V) []byte) []byte {
	at := reader.FeedID(0)
	feeds := slices.AppendSeq(make([]reader.FeedID, 0, len(values)), maps.Keys(values))
	slices.Sort(feeds)
	for _, f := range feeds[:min(len(feeds), most)] {
		b = add(binary.AppendUvarint(b, uint64(f-at)), values[f])
		at = f
	}
	return b
}

// readByFeed reads what appendByFeed wrote, up to the end of the token.
func readByFeed[V any](d *reader.Decoder, value func() V) map[reader.FeedID]V {
	values := map[reader.FeedID]V{}
	at := uint64(0)
	for d.More() {
		gap := d.AtMost(uint64(reader.MaxFeedID) - at)
		if gap == 0 {
			d.Fail()
			break
		}
		at += gap
		values[reader.FeedID(at)] = value()
	}
	return values
}

func readSeq(d *reader.Decoder) reader.Seq { return reader.Seq(d.AtMost(uint64(reader.MaxSeq))) }

// readToken begins to decode a token of a client.
func readToken(s string) *reader.Decoder {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(s) > maxToken || len(b) == 0 {
		return &reader.Decoder{Bad: true}
	}
	form, rest := b[0], b[1:]
	if form == deflatedForm {
		rest, err = store.Inflate(rest)
		form = tokenForm
	}
	if err != nil || form != tokenForm || len(rest) > maxToken {
		return &reader.Decoder{Bad: true}
	}
	return &reader.Decoder{Rest: string(rest)}
}
