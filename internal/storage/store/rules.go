package store

import (
	"context"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/rules"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// rulesRow is all rules of a user in order, guarded by its revision.
type rulesRow struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	V     int    `dynamo:"v"`
	Rules []byte `dynamo:"rules,omitempty"` // rules.Pack
	Rev   int64  `dynamo:"rev,omitempty"`
}

const rulesName = "rules"

// Rules reads and writes users' rules.
type Rules struct{ t *table.Table }

// Get gives a user's rules as they are stored, and their revision; none and 0 when there were never any.
func (s *Rules) Get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (packed []byte, rev int64, err error) {
	var row rulesRow
	err = s.t.Get(ctx, settingsKey(u, rulesName), &row, opts...)
	if fault.Is(err, fault.NotFound) {
		return nil, 0, nil
	}
	return row.Rules, row.Rev, err
}

// Put replaces a user's rules if they still have the revision that was read.
func (s *Rules) Put(ctx context.Context, u reader.UserID, list []rules.Rule, read int64) error {
	packed, err := rules.Pack(list)
	if err != nil {
		return err
	}
	k := settingsKey(u, rulesName)
	return s.t.Put(ctx, rulesRow{PK: k.PK, SK: k.SK, V: SchemaVersion, Rules: packed, Rev: read + 1}, table.IfEqual("rev", read))
}

// Ruling is what a side bar learns of a user's rules on the way to the subscriptions: both rows lie before them, so
// that who has no rules pays nothing to know it.
type Ruling struct {
	Rules []byte // as Rules.Get gives them
	Tree  reader.Tree
}

// EachRuled is Each that also gives the user's rules, after the last subscription.
func (s *Subscriptions) EachRuled(ctx context.Context, u reader.UserID, each func(*SubscriptionRow) error) (Ruling, error) {
	var out Ruling
	var tree []byte
	q := table.Query{PK: userPK(u), From: settingsKey(u, rulesName).SK, To: "S$"}
	err := s.t.Each(ctx, q, func(it table.Row) error {
		switch sk := it.Key.SK; {
		case strings.HasPrefix(sk, "S#"):
			row := new(SubscriptionRow)
			if err := it.Decode(row); err != nil {
				return err
			}
			return each(row)
		case sk == settingsKey(u, rulesName).SK:
			var row rulesRow
			if err := it.Decode(&row); err != nil {
				return err
			}
			out.Rules = row.Rules
		case sk == settingsKey(u, treeName).SK:
			var row treeRow
			if err := it.Decode(&row); err != nil {
				return err
			}
			tree = row.Tree
		}
		return nil
	})
	if err != nil || len(out.Rules) == 0 {
		return out, err
	}
	out.Tree, err = reader.DecodeTree(tree)
	return out, err
}

// Following reads a few of a feed's deltas above a seq, oldest first, up to the one that holds the last. What was
// committed is there: where one seems to be missing, the rows are read anew in their latest state.
func (s *Items) Following(ctx context.Context, f reader.FeedID, above, last reader.Seq, n int) ([]*DeltaRow, error) {
	list, err := s.ascend(ctx, f, above+1, last, n, false)
	if err != nil || whole(list, above, last, n) {
		return list, err
	}
	return s.ascend(ctx, f, above+1, last, n, true)
}

// whole tells that deltas follow one another without a gap, as far as they were asked for.
func whole(list []*DeltaRow, above, last reader.Seq, n int) bool {
	for _, d := range list {
		if d.First() != above+1 {
			return false
		}
		above = d.Last()
	}
	return len(list) == n || above >= last
}

func (s *Items) ascend(ctx context.Context, f reader.FeedID, from, last reader.Seq, n int, latest bool) ([]*DeltaRow, error) {
	q := table.Query{PK: feedPK(f), From: deltaSK(from), To: deltaSK(last + 1), Limit: n, Consistent: latest}
	var list []*DeltaRow
	for {
		p, err := s.t.QueryRows(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range p.Rows {
			d := new(DeltaRow)
			if err := it.Decode(d); err != nil {
				return nil, err
			}
			list = append(list, d)
		}
		if p.Next == "" || len(list) >= n {
			return list, nil // a page may end before its limit
		}
		q.Cursor = p.Next
	}
}
