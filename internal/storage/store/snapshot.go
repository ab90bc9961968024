package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	// MaxSnapshotBody bounds compressed bodies in rows; larger ones are blobs, which cost less to write than four more
	// units.
	MaxSnapshotBody = 3 << 10
)

// Star is the label number of stars, for which reader.LabelID zero is free: a snapshot is of a star or of a label.
const Star reader.LabelID = 0

// SnapshotRow is a user's copy of a starred or labelled item, which outlives feed, retention and subscription. The row
// is the truth; the bit in the subscription is for counts.
type SnapshotRow struct {
	rowKey

	Feed  uint32 `dynamo:"feed"`
	Seq   uint32 `dynamo:"seq"`
	At    int64  `dynamo:"at"` // Unix seconds of the starring or labelling
	Title string `dynamo:"feedTitle,omitempty"`
	// Origin and Site are the addresses of the feed and its site, of an item imported from another reader.
	Origin string `dynamo:"origin,omitempty"`
	Site   string `dynamo:"site,omitempty"`
	Head   []byte `dynamo:"h"`              // one packed header
	Body   []byte `dynamo:"body,omitempty"` // compressed, sanitised
	Blob   string `dynamo:"blob,omitempty"` // key of a larger body

	header *Header // unpacked by Walk
}

// ID is the item's id, from the row's key.
func (r *SnapshotRow) ID() reader.ItemID {
	n, _ := strconv.ParseUint(r.SK[strings.LastIndexByte(r.SK, '#')+1:], 10, 64)
	return reader.ItemID(n)
}

// Label is the label's number, from the row's key; Star for a star.
func (r *SnapshotRow) Label() reader.LabelID {
	rest, of := strings.CutPrefix(r.SK, labelsPrefix)
	if !of {
		return Star
	}
	number, _, _ := strings.Cut(rest, "#")
	n, _ := strconv.ParseUint(number, 10, 31)
	return reader.LabelID(n)
}

// Header unpacks the item's header.
func (r *SnapshotRow) Header() (Header, error) {
	if r.header != nil {
		return *r.header, nil
	}
	hs, err := unpackHeaders(r.Head)
	if err != nil || len(hs) == 0 {
		return Header{}, fault.New(fault.Internal, "bad_star", "store: snapshot", err)
	}
	return hs[0], nil
}

// Snapshots reads and writes snapshots: a row for each star, and one for each label of an item.
type Snapshots struct {
	t      *table.Table
	damage *damage
}

func snapshotKey(u reader.UserID, label reader.LabelID, id reader.ItemID) table.Key {
	if label == Star {
		return starKey(u, id)
	}
	return labelKey(u, label, id)
}

// Put writes a snapshot; writing it again is harmless.
func (s *Snapshots) Put(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID,
	row SnapshotRow) error {
	return s.put(ctx, u, label, id, row)
}

// Add writes a snapshot if there is none; Conflict when there is.
func (s *Snapshots) Add(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID,
	row SnapshotRow) error {
	return s.put(ctx, u, label, id, row, table.IfAbsent())
}

func (s *Snapshots) put(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID, row SnapshotRow,
	conds ...table.Cond) error {
	return put(ctx, s.t, snapshotKey(u, label, id), &row, conds...)
}

// Get reads one snapshot.
func (s *Snapshots) Get(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID,
	opts ...table.ReadOption) (*SnapshotRow, error) {
	return get[SnapshotRow](ctx, s.t, snapshotKey(u, label, id), "row_not_found", opts...)
}

// Latest is Get that sees every acknowledged write.
func (s *Snapshots) Latest(ctx context.Context, u reader.UserID, label reader.LabelID,
	id reader.ItemID) (*SnapshotRow, error) {
	return s.Get(ctx, u, label, id, table.Consistent())
}

// Remove deletes a snapshot; absent is success.
func (s *Snapshots) Remove(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID) error {
	return s.t.Delete(ctx, snapshotKey(u, label, id))
}

// EachLatest streams all of a user's snapshots that can be read, the stars first, and sees every acknowledged write.
func (s *Snapshots) EachLatest(ctx context.Context, u reader.UserID, do func(*SnapshotRow) error) error {
	for _, prefix := range []string{starsPrefix, labelsPrefix} {
		q := table.Query{PK: userPK(u), Prefix: prefix, Consistent: true}
		if err := readable(ctx, s.t, s.damage, q, func(row *SnapshotRow) (bool, error) {
			return true, do(row)
		}); err != nil {
			return err
		}
	}
	return nil
}

// Walk calls each for stars, or items with a label, in order of id beyond `after` (0: all), until it returns false.
// Damaged rows are left out. atOnce is the size of a page.
func (s *Snapshots) Walk(ctx context.Context, u reader.UserID, label reader.LabelID, after reader.ItemID, desc bool,
	atOnce int, each func(*SnapshotRow) (bool, error)) error {
	prefix := starsPrefix
	if label != Star {
		prefix = labelPrefix(label)
	}
	q := table.Query{PK: userPK(u), From: prefix, To: prefix[:len(prefix)-1] + "$", Desc: desc, Page: atOnce}
	switch {
	case after == 0:
	case desc:
		q.To = prefix + fixed(uint64(after), 16)
	default:
		q.From = prefix + fixed(uint64(after)+1, 16)
	}
	return readable(ctx, s.t, s.damage, q, func(row *SnapshotRow) (bool, error) {
		h, err := row.Header()
		if err != nil {
			s.damage.found(row.key(), err)
			return true, nil
		}
		row.header = &h
		return each(row)
	})
}

// SnapshotPlace is the present or former place of the item of a snapshot.
type SnapshotPlace struct {
	ID  reader.ItemID `json:"id"`
	Seq reader.Seq    `json:"seq"`
}

// Places reads the places of all items with a star or a label, in order of id, and sees every acknowledged write.
func (s *Snapshots) Places(ctx context.Context, u reader.UserID, label reader.LabelID) (list []SnapshotPlace,
	err error) {
	prefix := starsPrefix
	if label != Star {
		prefix = labelPrefix(label)
	}
	q := table.Query{PK: userPK(u), Prefix: prefix, Consistent: true}
	err = readable(ctx, s.t, s.damage, q, func(r *placedRow) (bool, error) {
		list = append(list, SnapshotPlace{(&SnapshotRow{rowKey: r.rowKey}).ID(), reader.Seq(r.Seq)})
		return true, nil
	})
	return list, err
}

// placedRow has the columns of a SnapshotRow that Places needs.
type placedRow struct {
	rowKey
	Seq uint32 `dynamo:"seq"`
}

// SetBody puts a body into the row, or a large one into the bucket under a new name: a blob that no row names within an
// hour is an orphan.
func (r *SnapshotRow) SetBody(ctx context.Context, b *blob.Bucket, u reader.UserID, label reader.LabelID,
	id reader.ItemID, html string, now time.Time) error {
	if html == "" {
		return nil
	}
	packed := reader.Deflate(nil, []byte(html))
	if len(packed) <= MaxSnapshotBody {
		r.Body = packed
		return nil
	}
	r.Blob = SnapshotBlobKey(u, label, id, now)
	return b.Put(ctx, r.Blob, packed, blob.Meta{ContentType: "text/html; charset=utf-8", ContentEncoding: "deflate"})
}

// ReadBody returns the item's body; empty when the snapshot has none, or one that is gone or damaged.
func (r *SnapshotRow) ReadBody(ctx context.Context, b *blob.Bucket) (string, error) {
	packed := r.Body
	if r.Blob != "" {
		var err error
		packed, _, err = b.Get(ctx, r.Blob)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return "", err
		}
	}
	if len(packed) == 0 {
		return "", nil
	}
	plain, err := Inflate(packed)
	if err != nil {
		return "", nil //nolint:nilerr // a damaged body is none
	}
	return string(plain), nil
}
