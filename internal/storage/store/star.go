package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// MaxStarBody is how large a compressed body may be to lie in the star's row; larger ones are blobs. A page of
// 50 of the largest rows is 23 read units, and a blob costs less to write than four further units of a row.
const MaxStarBody = 3 << 10

// StarRow is a snapshot of a starred or labelled item in the user's own partition: it outlives the feed, the
// retention and the subscription. The row is the truth; the bit in the subscription is for counts.
type StarRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	Feed  uint32 `dynamo:"feed"`
	Seq   uint32 `dynamo:"seq"`
	At    int64  `dynamo:"at"` // Unix seconds of the starring or labelling
	Title string `dynamo:"feedTitle,omitempty"`
	// Origin and Site are the addresses of the feed and its site, of what another reader's file brought along: no
	// other row knows them.
	Origin string `dynamo:"origin,omitempty"`
	Site   string `dynamo:"site,omitempty"`
	Head   []byte `dynamo:"h"`              // one packed header
	Body   []byte `dynamo:"body,omitempty"` // compressed, sanitised
	Blob   string `dynamo:"blob,omitempty"` // where a larger body lies
}

// ID is the item's id, from the row's key.
func (r *StarRow) ID() reader.ItemID {
	n, _ := strconv.ParseUint(r.SK[strings.LastIndexByte(r.SK, '#')+1:], 10, 64)
	return reader.ItemID(n)
}

// Label is the number of the label that the row is of, from its key; zero for a star.
func (r *StarRow) Label() reader.LabelID {
	rest, of := strings.CutPrefix(r.SK, labelsPrefix)
	if !of {
		return 0
	}
	number, _, _ := strings.Cut(rest, "#")
	n, _ := strconv.ParseUint(number, 10, 31)
	return reader.LabelID(n)
}

// Header unpacks the item's header.
func (r *StarRow) Header() (Header, error) {
	d := DeltaRow{Head: r.Head}
	hs, err := d.Headers()
	if err != nil || len(hs) == 0 {
		return Header{}, fault.New(fault.Internal, "bad_star", "store: star", err)
	}
	return hs[0], nil
}

// Stars reads and writes snapshots.
type Stars struct{ t *table.Table }

// Put writes a snapshot; writing it again is harmless.
func (s *Stars) Put(ctx context.Context, u reader.UserID, id reader.ItemID, row StarRow) error {
	k := starKey(u, id)
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	return s.t.Put(ctx, row)
}

// Get reads one snapshot.
func (s *Stars) Get(ctx context.Context, u reader.UserID, id reader.ItemID) (*StarRow, error) {
	var row StarRow
	if err := s.t.Get(ctx, starKey(u, id), &row); err != nil {
		return nil, err
	}
	return &row, nil
}

// Latest is Get that sees every acknowledged write.
func (s *Stars) Latest(ctx context.Context, u reader.UserID, id reader.ItemID) (*StarRow, error) {
	var row StarRow
	if err := s.t.Get(ctx, starKey(u, id), &row, table.Consistent()); err != nil {
		return nil, err
	}
	return &row, nil
}

// Add writes a snapshot if there is none; Conflict when there is.
func (s *Stars) Add(ctx context.Context, u reader.UserID, id reader.ItemID, row StarRow) error {
	k := starKey(u, id)
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	return s.t.Put(ctx, row, table.IfAbsent())
}

// EachLatest streams all of a user's snapshots and sees every acknowledged write: for what decides by them.
func (s *Stars) EachLatest(ctx context.Context, u reader.UserID, each func(*StarRow) error) error {
	return eachSnapshot(ctx, s.t, u, "X#", each)
}

func eachSnapshot(ctx context.Context, t *table.Table, u reader.UserID, prefix string, each func(*StarRow) error) error {
	return t.Each(ctx, table.Query{PK: userPK(u), Prefix: prefix, Consistent: true}, func(it table.Row) error {
		row := new(StarRow)
		if err := it.Decode(row); err != nil {
			return err
		}
		return each(row)
	})
}

// Remove deletes a snapshot; absent is success.
func (s *Stars) Remove(ctx context.Context, u reader.UserID, id reader.ItemID) error {
	return s.t.Delete(ctx, starKey(u, id))
}

// Descend walks snapshots in falling order of id, below `before` when it is not zero, until each
// returns false.
func (s *Stars) Descend(ctx context.Context, u reader.UserID, before reader.ItemID, each func(*StarRow) (bool, error)) error {
	return s.Walk(ctx, u, before, true, 64, each)
}

// Walk is Descend in either order, reading so many rows at once.
func (s *Stars) Walk(ctx context.Context, u reader.UserID, after reader.ItemID, desc bool, atOnce int, each func(*StarRow) (bool, error)) error {
	return walkSnapshots(ctx, s.t, u, "X#", after, desc, atOnce, each)
}

// walkSnapshots walks snapshots beyond `after`, when it is not zero.
func walkSnapshots(ctx context.Context, t *table.Table, u reader.UserID, prefix string, after reader.ItemID, desc bool, atOnce int, each func(*StarRow) (bool, error)) error {
	q := table.Query{PK: userPK(u), From: prefix, To: prefix[:len(prefix)-1] + "$", Desc: desc, Limit: atOnce}
	switch {
	case after == 0:
	case desc:
		q.To = prefix + fixed(uint64(after), 16)
	default:
		q.From = prefix + fixed(uint64(after)+1, 16)
	}
	for {
		p, err := t.QueryRows(ctx, q)
		if err != nil {
			return err
		}
		for _, it := range p.Rows {
			var row StarRow
			if err := it.Decode(&row); err != nil {
				return err
			}
			more, err := each(&row)
			if err != nil || !more {
				return err
			}
		}
		if p.Next == "" {
			return nil
		}
		q.Cursor = p.Next
	}
}
