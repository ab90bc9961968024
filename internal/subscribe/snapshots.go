package subscribe

import (
	"context"
	"maps"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Stars and labels are rows of their own (snapshots), which outlive the subscription. The row is the truth, and the bit
// in the subscription is for counts: subscribing again sets the bits of the existing rows, and re-pointing a
// subscription moves the rows to the ids of the items in the other feed.

// marks are the stars and labels of one feed's items, as seqs.
type marks struct {
	stars  []reader.Seq
	labels map[reader.LabelID][]reader.Seq
}

// add records a star or label; an item that the feed never listed here has no seq, and no bit.
func (m *marks) add(label reader.LabelID, seq reader.Seq) {
	switch {
	case seq == 0:
	case label == 0:
		m.stars = append(m.stars, seq)
	default:
		if m.labels == nil {
			m.labels = map[reader.LabelID][]reader.Seq{}
		}
		m.labels[label] = append(m.labels[label], seq)
	}
}

// into sets the bits of a new subscription.
func (m *marks) into(row *store.SubscriptionRow) {
	var stars reader.SeqSet
	var labels reader.LabelSets
	if len(m.stars) > 0 {
		stars = stars.Add(m.stars...)
	}
	for label, seqs := range m.labels {
		labels = labels.With(label, reader.SeqSet(nil).Add(seqs...))
	}
	row.Stars, row.Labels = stars, labels
}

// ops returns the operations that set or clear the bits.
func (m *marks) ops(star, label reader.OpKind) []reader.Op {
	ops := []reader.Op{{Kind: star, Seqs: m.stars}}
	for _, l := range slices.Sorted(maps.Keys(m.labels)) {
		ops = append(ops, reader.Op{Kind: label, Label: l, Seqs: m.labels[l]})
	}
	return ops
}

// eachSnapshot calls each for a user's snapshots, except those of labels that were deleted, which are about to be
// removed.
func (s *Service) eachSnapshot(ctx context.Context, u reader.UserID, each func(*store.SnapshotRow) error) error {
	var tree *library.Tree
	return s.Store.Snapshots.EachLatest(ctx, u, func(row *store.SnapshotRow) error {
		if row.Label() == store.Star {
			return each(row)
		}
		if tree == nil {
			t, err := s.Store.Trees.Get(ctx, u, table.Consistent())
			if err != nil {
				return err
			}
			tree = &t
		}
		if _, exists := tree.Label(row.Label()); !exists {
			return nil
		}
		return each(row)
	})
}

// allMarks returns what a user has starred and labelled, by feed: one query of the stars and one of the labels.
func (s *Service) allMarks(ctx context.Context, u reader.UserID) (map[reader.FeedID]*marks, error) {
	out := map[reader.FeedID]*marks{}
	err := s.eachSnapshot(ctx, u, func(row *store.SnapshotRow) error {
		id := reader.FeedID(row.Feed)
		if id == reader.ArchiveFeed {
			return nil
		}
		if out[id] == nil {
			out[id] = new(marks)
		}
		out[id].add(row.Label(), reader.Seq(row.Seq))
		return nil
	})
	return out, err
}

// marksIn returns what a user has starred and labelled in a feed. A feed that is empty or was just created has none.
func (s *Service) marksIn(ctx context.Context, u reader.UserID, f *store.FeedRow, o *Options) (marks, error) {
	if f.Seq == 0 || o.isNew {
		return marks{}, nil
	}
	read := o.marks
	if read == nil {
		read = func() (map[reader.FeedID]*marks, error) { return s.allMarks(ctx, u) }
	}
	all, err := read()
	if err != nil || all[f.ID()] == nil {
		return marks{}, err
	}
	return *all[f.ID()], nil
}

// moving is a snapshot of an item that the other feed has too.
type moving struct {
	row *store.SnapshotRow
	to  store.Place
}

// movingTo finds the starred and labelled items of one feed that the other has too, by the identity in the snapshot:
// the feed may not list the item any more. The marks are all those of the other feed afterwards.
func (s *Service) movingTo(ctx context.Context, u reader.UserID, old, target reader.FeedID,
	there map[uint64]store.Place) (list []moving, m marks, err error) {
	err = s.eachSnapshot(ctx, u, func(row *store.SnapshotRow) error {
		switch reader.FeedID(row.Feed) {
		case target:
			m.add(row.Label(), reader.Seq(row.Seq))
			return nil
		case old:
		default:
			return nil
		}
		h, err := row.Header()
		if err != nil {
			return nil //nolint:nilerr // a damaged one stays with the old feed
		}
		if to, ok := there[h.Identity]; ok {
			list = append(list, moving{row, to})
			m.add(row.Label(), to.Seq)
		}
		return nil
	})
	return list, m, err
}

// copySnapshots makes the snapshots under their new ids, where there are none: an item that was starred there too keeps
// its snapshot. A blob is named by its item, so it is copied, and exists before its row.
func (s *Service) copySnapshots(ctx context.Context, u reader.UserID, target reader.FeedID, list []moving) error {
	return each(ctx, s, list, func(ctx context.Context, m moving) error {
		id, label := reader.NewItemID(m.to.Stamp, target, m.to.Seq), m.row.Label()
		row := *m.row
		row.Feed, row.Seq = uint32(target), uint32(m.to.Seq)
		if row.Blob != "" {
			_, err := s.Store.Snapshots.Latest(ctx, u, label, id)
			if err == nil || !fault.Is(err, fault.NotFound) {
				return err
			}
			if err := s.copyBody(ctx, u, label, id, &row); err != nil {
				return err
			}
		}
		err := s.Store.Snapshots.Add(ctx, u, label, id, row)
		if fault.Is(err, fault.Conflict) {
			return nil
		}
		return err
	})
}

func (s *Service) copyBody(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID,
	row *store.SnapshotRow) error {
	body, meta, err := s.Files.Get(ctx, row.Blob)
	if fault.Is(err, fault.NotFound) {
		row.Blob = "" // a body that is gone is a state
		return nil
	}
	if err != nil {
		return err
	}
	row.Blob = store.SnapshotBlobKey(u, label, id, s.Clock.Now())
	return s.Files.Put(ctx, row.Blob, body,
		blob.Meta{ContentType: meta.ContentType, ContentEncoding: meta.ContentEncoding})
}

// removeSnapshots removes the snapshots that were copied to another feed: bits, rows, blobs, as for every star.
func (s *Service) removeSnapshots(ctx context.Context, u reader.UserID, old *store.FeedRow, list []moving) error {
	if len(list) == 0 {
		return nil
	}
	var m marks
	for i := range list {
		m.add(list[i].row.Label(), reader.Seq(list[i].row.Seq))
	}
	if err := s.change(ctx, u, old, m.ops(reader.OpUnstar, reader.OpUnlabel), nil); err != nil &&
		!fault.Is(err, fault.NotFound) {
		return err
	}
	return each(ctx, s, list, func(ctx context.Context, m moving) error {
		err := s.Store.Snapshots.Remove(ctx, u, m.row.Label(), m.row.ID())
		if err != nil || m.row.Blob == "" {
			return err
		}
		return s.Files.Delete(ctx, m.row.Blob)
	})
}
