package stream

import (
	"context"
	"maps"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// MaxFlush is how many ids one flush may name.
const MaxFlush = 1000

// Flush is what a device has to say about items. It counts its flushes up and sends one after the other: a flush that
// is repeated, because its answer was lost, does nothing in feeds where it was carried out. Device 0 is nobody, whose
// flushes are carried out each time.
type Flush struct {
	Device, Counter uint32
	Changes         []BulkChange // in order: the last word about an item counts
	Remember        bool         // how it was before, for undo
}

// BulkChange is a wish for the state of items; nil leaves a side unchanged.
type BulkChange struct {
	IDs                     []reader.ItemID
	Read, Starred           *bool
	AddLabels, RemoveLabels []reader.LabelID
}

// ItemState is an item's state after a flush.
type ItemState struct {
	ID            reader.ItemID
	Read, Starred bool
	Labels        []reader.LabelID
	Gone          bool // there is no such item any more
}

// Flushed is what became of a flush: the state of each item that it named, in the order of its first mention, and the
// feeds that changed.
type Flushed struct {
	Items []ItemState
	Feeds []Subscribed
	Undo  string
}

// Flush carries a device's changes out: one write for each feed touched, and a row for each star and label. An item
// that is gone is told and stops nothing.
func (s *Service) Flush(ctx context.Context, u reader.UserID, f Flush) (Flushed, error) {
	byFeed := map[reader.FeedID][]int{}
	var order []reader.ItemID
	seen := map[reader.ItemID]bool{}
	var add []reader.LabelID
	for i, c := range f.Changes {
		add = append(add, c.AddLabels...)
		for _, id := range c.IDs {
			if list := byFeed[id.Feed()]; len(list) == 0 || list[len(list)-1] != i {
				byFeed[id.Feed()] = append(list, i)
			}
			if !seen[id] {
				seen[id], order = true, append(order, id)
			}
		}
	}
	if len(add) > 0 {
		tree, err := s.store.Trees.Get(ctx, u)
		if err == nil {
			err = known(&tree, add)
		}
		if err != nil {
			return Flushed{}, err
		}
	}
	feeds := slices.Sorted(maps.Keys(byFeed))
	_, exact := s.store.Subscriptions.Version(ctx, u)
	parts := make([]flushed, len(feeds))
	err := s.each(exact, len(feeds), func(i int) (err error) {
		parts[i], err = s.flushFeed(ctx, u, feeds[i], f, byFeed[feeds[i]])
		return err
	})
	if err != nil {
		return Flushed{}, err
	}
	out := Flushed{Items: make([]ItemState, len(order))}
	var changed []Subscribed
	states := map[reader.ItemID]ItemState{}
	for _, p := range parts {
		maps.Copy(states, p.items)
		if p.sub.Feed != nil {
			out.Feeds = append(out.Feeds, p.sub)
			if p.wrote {
				changed = append(changed, p.sub)
			}
		}
	}
	gone, err := s.unlabelGone(ctx, u, add)
	if err != nil {
		return Flushed{}, err
	}
	for i, id := range order {
		out.Items[i] = states[id]
		if len(gone) > 0 {
			out.Items[i].Labels = without(out.Items[i].Labels, gone)
		}
	}
	if f.Remember {
		out.Undo = s.undoToken(changed)
	}
	return out, nil
}

// flushed is what became of a flush in one feed.
type flushed struct {
	items map[reader.ItemID]ItemState
	sub   Subscribed
	wrote bool
}

// wish is what is wanted of one item in the end.
type wish struct {
	entry  Entry
	gone   bool
	star   *bool
	labels map[reader.LabelID]bool
	had    []reader.LabelID // before
}

// flushFeed carries the changes of a flush that touch one feed out. Rows of new stars and labels are first, then the
// one write of the feed, then rows are taken away: see keep.go.
func (s *Service) flushFeed(ctx context.Context, u reader.UserID, id reader.FeedID, f Flush, which []int) (flushed, error) {
	sub, err := s.Get(ctx, u, id)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return flushed{}, err
	}
	w := flushing{s: s, u: u, feed: id, f: f, sub: sub, wishes: map[reader.ItemID]*wish{}}
	if err := w.resolve(ctx, which); err != nil {
		return flushed{}, err
	}
	if w.sub.Sub != nil {
		if _, fresh := w.sub.State.Devices.Admit(f.Device, f.Counter); !fresh {
			return w.outcome(false), nil // said before
		}
	}
	w.wish(which)
	if err := w.keep(ctx); err != nil {
		return flushed{}, err
	}
	wrote, err := w.write(ctx, which)
	if err != nil {
		return flushed{}, err
	}
	if err := w.letGo(ctx); err != nil {
		return flushed{}, err
	}
	return w.outcome(wrote), nil
}

// flushing is a flush in one feed under way. Without a subscription only snapshots are left.
type flushing struct {
	s      *Service
	u      reader.UserID
	feed   reader.FeedID
	f      Flush
	sub    Subscribed
	wishes map[reader.ItemID]*wish
	order  []reader.ItemID
}

// each walks the items of this feed that a change names.
func (w *flushing) each(c *BulkChange, do func(*wish)) {
	for _, id := range c.IDs {
		if x := w.wishes[id]; x != nil && !x.gone {
			do(x)
		}
	}
}

// resolve finds the items that are named. Most were shown by a list of late, which remembers where they lie; what a
// snapshot is to be made of is read in any case.
func (w *flushing) resolve(ctx context.Context, which []int) error {
	for _, i := range which {
		c := &w.f.Changes[i]
		whole := c.Starred != nil && *c.Starred || len(c.AddLabels) > 0
		for _, id := range c.IDs {
			if id.Feed() != w.feed {
				continue
			}
			if x := w.wishes[id]; x != nil && (x.gone || !whole || x.entry.Header.Sort != 0) {
				continue
			}
			x := &wish{}
			var err error
			if x.entry, err = w.find(ctx, id, whole); fault.Is(err, fault.NotFound) {
				x.gone, err = true, nil
			}
			if err != nil {
				return err
			}
			if w.wishes[id] == nil {
				w.order = append(w.order, id)
			}
			w.wishes[id] = x
		}
	}
	return nil
}

func (w *flushing) find(ctx context.Context, id reader.ItemID, whole bool) (Entry, error) {
	if w.sub.Sub == nil {
		return w.s.findKept(ctx, w.u, id)
	}
	if uint32(id.Stamp()) > w.sub.Feed.Stamp {
		latest, err := w.s.Latest(ctx, w.u, w.feed)
		if err != nil {
			return Entry{}, err
		}
		w.sub = latest
	}
	if seq, ok := w.s.places.find(id); ok && !whole && seq > reader.Seq(w.sub.Feed.Floor) && seq <= reader.Seq(w.sub.Feed.Seq) {
		return Entry{ID: id, Feed: w.feed, Seq: seq}, nil
	}
	e, err := w.s.find(ctx, &w.sub, id)
	if fault.Is(err, fault.NotFound) {
		return w.s.findKept(ctx, w.u, id)
	}
	return e, err
}

// wish gathers what is wanted of stars and labels in the end.
func (w *flushing) wish(which []int) {
	for _, i := range which {
		c := &w.f.Changes[i]
		w.each(c, func(x *wish) {
			if c.Starred != nil {
				x.star = c.Starred
			}
			if x.labels == nil && len(c.AddLabels)+len(c.RemoveLabels) > 0 {
				x.labels = map[reader.LabelID]bool{}
			}
			for _, l := range c.AddLabels {
				x.labels[l] = true
			}
			for _, l := range c.RemoveLabels {
				x.labels[l] = false
			}
		})
	}
}

func (w *flushing) starred(x *wish) bool {
	if w.sub.Sub == nil {
		return x.entry.Starred
	}
	return w.sub.State.Stars.Has(x.entry.Seq)
}

func (w *flushing) labelled(x *wish) []reader.LabelID {
	if w.sub.Sub == nil {
		return x.entry.Labels
	}
	return w.sub.State.Labels.On(x.entry.Seq)
}

// keep makes the snapshots that are wanted and not there.
func (w *flushing) keep(ctx context.Context) error {
	for _, id := range w.order {
		x := w.wishes[id]
		if x.gone {
			continue
		}
		if x.star != nil && *x.star && !w.starred(x) {
			if err := w.s.putStar(ctx, w.u, x.entry, &w.sub); err != nil {
				return err
			}
		}
		x.had = w.labelled(x)
		for _, l := range slices.Sorted(maps.Keys(x.labels)) {
			if x.labels[l] && !slices.Contains(x.had, l) {
				if err := w.s.putLabel(ctx, w.u, l, x.entry, &w.sub); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// write carries the operations out on the feed's row.
func (w *flushing) write(ctx context.Context, which []int) (wrote bool, err error) {
	if w.sub.Sub == nil {
		for _, x := range w.wishes {
			if x.star != nil {
				x.entry.Starred = *x.star
			}
			for l, on := range x.labels {
				x.entry.Labels = slices.DeleteFunc(slices.Clone(x.entry.Labels), func(o reader.LabelID) bool { return o == l })
				if on {
					x.entry.Labels = append(x.entry.Labels, l)
				}
			}
			slices.Sort(x.entry.Labels)
		}
		return false, nil
	}
	ops, highest := w.ops(which)
	if len(ops) == 0 {
		return false, nil
	}
	before := w.sub.State.Version
	now, err := w.s.update(ctx, w.u, w.feed, highest, func(sub *Subscribed) (reader.State, bool) {
		c := w.s.change(sub, ops)
		c.Device, c.Counter, c.Remember = w.f.Device, w.f.Counter, w.f.Remember
		return reader.Apply(sub.State, c)
	})
	if err != nil {
		return false, err
	}
	w.sub = now
	return now.State.Version != before, nil
}

func (w *flushing) ops(which []int) (ops []reader.Op, highest reader.Seq) {
	for _, i := range which {
		c := &w.f.Changes[i]
		var seqs []reader.Seq
		w.each(c, func(x *wish) {
			seqs = append(seqs, x.entry.Seq)
			highest = max(highest, x.entry.Seq)
		})
		if len(seqs) == 0 {
			continue
		}
		if c.Read != nil {
			ops = append(ops, reader.Op{Kind: pick(*c.Read, reader.OpRead, reader.OpUnread), Seqs: seqs})
		}
		if c.Starred != nil {
			ops = append(ops, reader.Op{Kind: pick(*c.Starred, reader.OpStar, reader.OpUnstar), Seqs: seqs})
		}
		for _, l := range c.AddLabels {
			ops = append(ops, reader.Op{Kind: reader.OpLabel, Label: l, Seqs: seqs})
		}
		for _, l := range c.RemoveLabels {
			ops = append(ops, reader.Op{Kind: reader.OpUnlabel, Label: l, Seqs: seqs})
		}
	}
	// A floor may have passed items whose snapshots are all that is left: they are not above what the feed has.
	return ops, min(highest, reader.Seq(w.sub.Feed.Seq))
}

// letGo takes the snapshots away that have no bit any more: those that were not wanted, and one that was made here
// although the flush had been carried out before.
func (w *flushing) letGo(ctx context.Context) error {
	for _, id := range w.order {
		x := w.wishes[id]
		if x.gone {
			continue
		}
		if x.star != nil && !w.starred(x) {
			if err := w.s.removeStar(ctx, w.u, id); err != nil {
				return err
			}
		}
		has := w.labelled(x)
		for _, l := range slices.Sorted(maps.Keys(x.labels)) {
			if slices.Contains(has, l) {
				continue
			}
			if !x.labels[l] && !slices.Contains(x.had, l) {
				// Most likely it never had the label, and looking is cheap; but its bit may be gone and its row not.
				if _, err := w.s.store.Labels.Get(ctx, w.u, l, id); fault.Is(err, fault.NotFound) {
					continue
				}
			}
			if err := w.s.removeLabelled(ctx, w.u, l, id); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *flushing) outcome(wrote bool) flushed {
	out := flushed{items: make(map[reader.ItemID]ItemState, len(w.wishes)), sub: w.sub, wrote: wrote}
	for id, x := range w.wishes {
		st := ItemState{ID: id, Gone: x.gone}
		if !x.gone {
			st.Starred, st.Labels, st.Read = w.starred(x), w.labelled(x), true
			if w.sub.Sub != nil {
				st.Read = w.sub.State.IsRead(x.entry.Seq)
			}
		}
		out.items[id] = st
	}
	return out
}
