package subscribe

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// What is starred or labelled lies in rows of its own (snapshots), which outlive the subscription. The row is the
// truth, and the bit in the subscription is for counts: who subscribes again has the bits of the rows that are there,
// and who re-points a subscription takes the rows along to the ids that the items have in the other feed.

// marks are the stars and labels of one feed's items, as seqs.
type marks struct {
	stars  []reader.Seq
	labels map[reader.LabelID][]reader.Seq
}

// add takes one in; an item that the feed never listed here has no seq, and no bit.
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

// into sets the bits of a subscription that is about to be made.
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

// ops sets the bits, or takes them off.
func (m *marks) ops(star, label reader.OpKind) []reader.Op {
	ops := []reader.Op{{Kind: star, Seqs: m.stars}}
	for _, l := range slices.Sorted(maps.Keys(m.labels)) {
		ops = append(ops, reader.Op{Kind: label, Label: l, Seqs: m.labels[l]})
	}
	return ops
}

// eachKept streams a user's snapshots. What a label left that was deleted is on its way out, and none.
func (s *Service) eachKept(ctx context.Context, u reader.UserID, each func(reader.LabelID, *store.StarRow) error) error {
	err := s.store.Stars.EachLatest(ctx, u, func(row *store.StarRow) error { return each(0, row) })
	if err != nil {
		return err
	}
	var tree *reader.Tree
	return s.store.Labels.EachLatest(ctx, u, func(row *store.StarRow) error {
		if tree == nil {
			t, err := s.store.Trees.Get(ctx, u, table.Consistent())
			if err != nil {
				return err
			}
			tree = &t
		}
		if _, there := tree.Label(row.Label()); !there {
			return nil
		}
		return each(row.Label(), row)
	})
}

// allMarks gives what a user has starred and labelled, by feed: one query of the stars and one of the labels.
func (s *Service) allMarks(ctx context.Context, u reader.UserID) (map[reader.FeedID]*marks, error) {
	out := map[reader.FeedID]*marks{}
	err := s.eachKept(ctx, u, func(label reader.LabelID, row *store.StarRow) error {
		id := reader.FeedID(row.Feed)
		if id == reader.ArchiveFeed {
			return nil
		}
		if out[id] == nil {
			out[id] = new(marks)
		}
		out[id].add(label, reader.Seq(row.Seq))
		return nil
	})
	return out, err
}

// marksIn gives what a user has starred and labelled in a feed that is about to be subscribed to. Where nothing has
// arrived yet, or all that arrived did so a moment ago, nobody has starred anything.
func (s *Service) marksIn(ctx context.Context, u reader.UserID, f *store.FeedRow, w *Wish) (marks, error) {
	if f.Seq == 0 || w.anew {
		return marks{}, nil
	}
	read := w.marks
	if read == nil {
		read = s.allMarks
	}
	all, err := read(ctx, u)
	if err != nil || all[f.ID()] == nil {
		return marks{}, err
	}
	return *all[f.ID()], nil
}

// moving is a snapshot of an item that the other feed has too.
type moving struct {
	label reader.LabelID // 0: a star
	row   *store.StarRow
	to    place
}

// movingTo finds what a user has starred or labelled of one feed and the other has too, by the identity that the
// snapshot itself holds: the feed may have let go of the item long ago. The marks are those of the other feed as they
// are to be, with what was starred in it before.
func (s *Service) movingTo(ctx context.Context, u reader.UserID, old, target reader.FeedID, there map[uint64]place) (list []moving, m marks, err error) {
	err = s.eachKept(ctx, u, func(label reader.LabelID, row *store.StarRow) error {
		switch reader.FeedID(row.Feed) {
		case target:
			m.add(label, reader.Seq(row.Seq))
			return nil
		case old:
		default:
			return nil
		}
		h, err := row.Header()
		if err != nil {
			return err
		}
		if to, ok := there[h.Identity]; ok {
			list = append(list, moving{label, row, to})
			m.add(label, to.seq)
		}
		return nil
	})
	return list, m, err
}

// snapshotsAtOnce are moved at the same time.
const snapshotsAtOnce = 8

func (s *Service) eachMoving(ctx context.Context, list []moving, do func(context.Context, *moving) error) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(min(snapshotsAtOnce, s.atOnce))
	for i := range list {
		g.Go(func() error { return do(gctx, &list[i]) })
	}
	return g.Wait()
}

// bring makes the snapshots under their new ids, where there are none: what was starred there too stays as it was.
// A blob is named by its item, so it is copied, and is there before its row.
func (s *Service) bring(ctx context.Context, u reader.UserID, target reader.FeedID, list []moving) error {
	return s.eachMoving(ctx, list, func(ctx context.Context, m *moving) error {
		id := reader.NewItemID(m.to.stamp, target, m.to.seq)
		row := *m.row
		row.Feed, row.Seq = uint32(target), uint32(m.to.seq)
		if row.Blob != "" {
			if has, err := s.hasKept(ctx, u, m.label, id); err != nil || has {
				return err
			}
			if err := s.copyBody(ctx, u, m.label, id, &row); err != nil {
				return err
			}
		}
		var err error
		if m.label == 0 {
			err = s.store.Stars.Add(ctx, u, id, row)
		} else {
			err = s.store.Labels.Add(ctx, u, m.label, id, row)
		}
		if fault.Is(err, fault.Conflict) {
			return nil
		}
		return err
	})
}

func (s *Service) hasKept(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID) (bool, error) {
	var err error
	if label == 0 {
		_, err = s.store.Stars.Latest(ctx, u, id)
	} else {
		_, err = s.store.Labels.Latest(ctx, u, label, id)
	}
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

func (s *Service) copyBody(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID, row *store.StarRow) error {
	if s.files == nil {
		return fault.New(fault.Internal, "no_files", "subscribe: a large body without the bucket it lies in", nil)
	}
	body, meta, err := s.files.Get(ctx, row.Blob, blob.Range{})
	if fault.Is(err, fault.NotFound) {
		row.Blob = "" // a body that is gone is a state
		return nil
	}
	if err != nil {
		return err
	}
	if row.Blob = store.StarBlobKey(u, id, s.clock.Now()); label != 0 {
		row.Blob = store.LabelBlobKey(u, label, id, s.clock.Now())
	}
	return s.files.Put(ctx, row.Blob, body, blob.Meta{ContentType: meta.ContentType, ContentEncoding: meta.ContentEncoding})
}

// letGo takes the snapshots away that were brought to another feed: bits, rows, blobs, as for every star.
func (s *Service) letGo(ctx context.Context, u reader.UserID, old *store.FeedRow, list []moving) error {
	if len(list) == 0 {
		return nil
	}
	var m marks
	for i := range list {
		m.add(list[i].label, reader.Seq(list[i].row.Seq))
	}
	if err := s.change(ctx, u, old, m.ops(reader.OpUnstar, reader.OpUnlabel), nil); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return s.eachMoving(ctx, list, func(ctx context.Context, m *moving) error {
		var err error
		if m.label == 0 {
			err = s.store.Stars.Remove(ctx, u, m.row.ID())
		} else {
			err = s.store.Labels.Remove(ctx, u, m.label, m.row.ID())
		}
		if err != nil || m.row.Blob == "" || s.files == nil {
			return err
		}
		return s.files.Delete(ctx, m.row.Blob)
	})
}
