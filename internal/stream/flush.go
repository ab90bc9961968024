package stream

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// MaxFlush is how many ids one flush may name.
const MaxFlush = 1000

// Flush is a device's batch of state changes. Devices number their batches, so that a repeated one is applied once.
// Without a device (0) it is applied each time.
type Flush struct {
	Device, Counter uint32
	Changes         []BulkChange // in order: the last change of an item counts
	Remember        bool         // keep the state before, for undo
	// Notes go along with the change of the first feed; there is no write for them alone.
	Notes []reader.Note
}

// BulkChange changes the state of items.
type BulkChange struct {
	IDs []reader.ItemID
	Change
}

// Change is a change of an item's state; nil leaves a side unchanged (G-19).
type Change struct {
	Read, Starred           *bool
	AddLabels, RemoveLabels []reader.LabelID
}

// ItemState is an item's state after a change.
type ItemState struct {
	ID            reader.ItemID
	Read, Starred bool
	Labels        []reader.LabelID
	Gone          bool // there is no such item any more
}

// Flushed is the result of a flush: the items that it named, in the order of first mention, and their feeds.
type Flushed struct {
	Items []ItemState
	Feeds []*Subscribed
	Undo  string
	Noted bool // the notes were stored, by this flush or an earlier delivery of it
}

// Flush applies a batch with one write for each feed and a row for each star and label. Items that are gone are
// reported.
func (s *Service) Flush(ctx context.Context, u reader.UserID, f Flush) (Flushed, error) {
	var order []*target
	targets, byFeed := map[reader.ItemID]*target{}, map[reader.FeedID][]*target{}
	var add []reader.LabelID
	for i := range f.Changes {
		c := &f.Changes[i]
		add = append(add, c.AddLabels...)
		for _, id := range c.IDs {
			x := targets[id]
			if x == nil {
				x = newTarget(id)
				targets[id], order, byFeed[id.Feed()] = x, append(order, x), append(byFeed[id.Feed()], x)
			}
			x.add(&c.Change)
		}
	}
	if len(add) > 0 {
		if _, err := s.treeWith(ctx, u, add); err != nil {
			return Flushed{}, err
		}
	}
	feeds := slices.Sorted(maps.Keys(byFeed))
	parts := make([]flushing, len(feeds))
	err := s.each(len(feeds), func(i int) error {
		parts[i] = flushing{s: s, u: u, feed: feeds[i], flush: &f, targets: byFeed[feeds[i]]}
		if i == 0 {
			parts[i].notes = f.Notes
		}
		return parts[i].run(ctx)
	})
	if err != nil {
		return Flushed{}, err
	}
	gone, err := s.unlabelGone(ctx, u, add)
	if err != nil {
		return Flushed{}, err
	}
	var out Flushed
	for _, x := range order {
		st := x.state()
		st.Labels = without(st.Labels, gone)
		out.Items = append(out.Items, st)
	}
	var changed []*Subscribed
	for i := range parts {
		out.Noted = out.Noted || parts[i].noted
		if parts[i].sub != nil {
			out.Feeds = append(out.Feeds, parts[i].sub)
		}
		if parts[i].wrote {
			changed = append(changed, parts[i].sub)
		}
	}
	if f.Remember {
		out.Undo = s.undoToken(changed)
	}
	return out, nil
}

// SetState changes one item's state for a user; repeating it changes nothing. Without a subscription, which only a
// snapshot outlives, the second result is nil.
func (s *Service) SetState(ctx context.Context, u reader.UserID, id reader.ItemID, c Change) (ItemState,
	*Subscribed, error) {
	x := newTarget(id)
	x.add(&c)
	w := flushing{s: s, u: u, feed: id.Feed(), flush: &Flush{}, targets: []*target{x}}
	err := w.run(ctx)
	if err == nil && x.gone {
		err = itemNotFound()
	}
	return x.state(), w.sub, err
}

// target is an item of a flush and the state that it is to have. A star counts as label store.Star.
type target struct {
	id     reader.ItemID
	read   *bool
	unread bool                    // some change marks it unread, which shows it again whatever follows
	labels map[reader.LabelID]bool // true to add, false to remove

	entry  Entry
	gone   bool
	isRead bool
	had    []reader.LabelID // before the flush
	has    []reader.LabelID // now, in order
}

func newTarget(id reader.ItemID) *target {
	return &target{id: id, labels: map[reader.LabelID]bool{}}
}

func (x *target) add(c *Change) {
	if c.Read != nil {
		x.read, x.unread = c.Read, x.unread || !*c.Read
	}
	if c.Starred != nil {
		x.labels[store.Star] = *c.Starred
	}
	for _, l := range c.AddLabels {
		x.labels[l] = true
	}
	for _, l := range c.RemoveLabels {
		x.labels[l] = false
	}
}

func (x *target) state() ItemState {
	if x.gone {
		return ItemState{ID: x.id, Gone: true}
	}
	return ItemState{
		ID: x.id, Read: x.isRead, Starred: slices.Contains(x.has, store.Star),
		Labels: without(x.has, []reader.LabelID{store.Star}),
	}
}

// flushing is a flush in one feed. Without a subscription there are only snapshots.
type flushing struct {
	s       *Service
	u       reader.UserID
	feed    reader.FeedID
	flush   *Flush
	targets []*target
	sub     *Subscribed // nil without a subscription
	wrote   bool
	notes   []reader.Note
	noted   bool
}

// run applies the changes: first the rows of new stars and labels, then the one write of the feed, then rows are
// removed (see keep.go).
func (w *flushing) run(ctx context.Context) (err error) {
	w.sub, err = w.s.Get(ctx, w.u, w.feed)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	if err := w.resolve(ctx); err != nil {
		return err
	}
	if w.sub != nil {
		if _, fresh := w.sub.State.Devices.Admit(w.flush.Device, w.flush.Counter); !fresh {
			w.noted = true
			return nil // a repetition
		}
	}
	if err := w.putSnapshots(ctx); err != nil {
		return err
	}
	if err := w.write(ctx); err != nil {
		return err
	}
	return w.removeSnapshots(ctx)
}

// resolve finds the items, mostly by the places that a list noted a moment ago. Items that get a snapshot are read.
func (w *flushing) resolve(ctx context.Context) error {
	for _, x := range w.targets {
		whole := false
		for _, wanted := range x.labels {
			whole = whole || wanted
		}
		var err error
		if x.entry, err = w.find(ctx, x.id, whole); fault.Is(err, fault.NotFound) {
			x.gone, err = true, nil
		}
		if err != nil {
			return err
		}
	}
	for _, x := range w.targets {
		w.note(x)
		x.had = x.has
	}
	return nil
}

func (w *flushing) find(ctx context.Context, id reader.ItemID, whole bool) (Entry, error) {
	if w.sub == nil {
		return w.s.findKept(ctx, w.u, id)
	}
	if uint32(id.Stamp()) > w.sub.Feed.Stamp {
		latest, err := w.s.Latest(ctx, w.u, w.feed)
		if err != nil {
			return Entry{}, err
		}
		w.sub = latest
	}
	if seq, ok := w.s.places.find(id); ok && !whole && seq > reader.Seq(w.sub.Feed.Floor) &&
		seq <= reader.Seq(w.sub.Feed.Seq) {
		return Entry{ID: id, Feed: w.feed, Seq: seq}, nil
	}
	e, err := w.s.find(ctx, w.sub, id)
	if fault.Is(err, fault.NotFound) {
		return w.s.findKept(ctx, w.u, id)
	}
	return e, err
}

// note sets an item's state from the subscription; without one, from its snapshots.
func (w *flushing) note(x *target) {
	starred, labels := x.entry.Starred, x.entry.Labels
	x.isRead = true
	if w.sub != nil {
		seq := x.entry.Seq
		starred, labels, x.isRead = w.sub.State.Stars.Has(seq), w.sub.State.Labels.On(seq), w.sub.State.IsRead(seq)
	}
	x.has = nil
	if starred {
		x.has = append(x.has, store.Star)
	}
	x.has = append(x.has, labels...)
}

// putSnapshots makes the snapshots that are wanted and do not exist.
func (w *flushing) putSnapshots(ctx context.Context) error {
	for _, x := range w.targets {
		if x.gone {
			continue
		}
		for _, l := range slices.Sorted(maps.Keys(x.labels)) {
			if !x.labels[l] || slices.Contains(x.had, l) {
				continue
			}
			if err := w.s.putSnapshot(ctx, w.u, l, x.entry, w.sub); err != nil {
				return err
			}
			if err := w.forgetKept(ctx, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// write applies the changes to the feed's row.
func (w *flushing) write(ctx context.Context) (err error) {
	if w.sub == nil {
		for _, x := range w.targets {
			x.relabel()
		}
		return nil
	}
	c := reader.Change{Ops: w.ops(), Counts: true, Device: w.flush.Device, Counter: w.flush.Counter,
		Remember: w.flush.Remember}
	if len(c.Ops) == 0 {
		return nil
	}
	highest := reader.Seq(0)
	for _, x := range w.targets {
		highest = max(highest, x.entry.Seq)
	}
	// A floor may have passed items of which only the snapshots are left: their seqs are not above what the feed has.
	m := mutation{feed: w.feed, sub: w.sub, known: min(highest, reader.Seq(w.sub.Feed.Seq))}
	m.edit = func(sub *Subscribed) (store.SubscriptionRow, bool) {
		next, changed := w.s.applied(sub, c)
		if changed && len(w.notes) > 0 {
			next.Notes, w.noted = reader.Notes(next.Notes).Add(w.s.today(), w.notes)
		}
		return next, changed
	}
	if w.sub, w.wrote, err = w.s.write(ctx, w.u, m); err != nil {
		return err
	}
	for _, x := range w.targets {
		w.note(x)
	}
	return nil
}

// relabel gives an item without a subscription its new labels.
func (x *target) relabel() {
	for l, wanted := range x.labels {
		x.has = without(x.has, []reader.LabelID{l})
		if wanted {
			x.has = append(x.has, l)
		}
	}
	slices.Sort(x.has)
}

// ops returns one operation for each kind of change, OpUnread before OpRead.
func (w *flushing) ops() (ops []reader.Op) {
	type kind struct {
		reader.OpKind
		label reader.LabelID
	}
	seqs := map[kind][]reader.Seq{}
	for _, x := range w.targets {
		if x.gone {
			continue
		}
		note := func(k kind) { seqs[k] = append(seqs[k], x.entry.Seq) }
		if x.unread {
			note(kind{reader.OpUnread, 0})
		}
		if x.read != nil && *x.read {
			note(kind{reader.OpRead, 0})
		}
		for l, wanted := range x.labels {
			if l == store.Star {
				note(kind{pick(wanted, reader.OpStar, reader.OpUnstar), 0})
			} else {
				note(kind{pick(wanted, reader.OpLabel, reader.OpUnlabel), l})
			}
		}
	}
	for k, list := range seqs {
		ops = append(ops, reader.Op{Kind: k.OpKind, Label: k.label, Seqs: list})
	}
	slices.SortFunc(ops, func(a, b reader.Op) int { return cmp.Compare(b.Kind, a.Kind) })
	return ops
}

func pick(yes bool, a, b reader.OpKind) reader.OpKind {
	if yes {
		return a
	}
	return b
}

// removeSnapshots removes snapshots without a bit: unwanted ones, and those that a repetition of this flush made.
func (w *flushing) removeSnapshots(ctx context.Context) error {
	for _, x := range w.targets {
		if x.gone {
			continue
		}
		for _, l := range slices.Sorted(maps.Keys(x.labels)) {
			if slices.Contains(x.has, l) {
				continue
			}
			if l != store.Star && !x.labels[l] && !slices.Contains(x.had, l) {
				// Most likely it never had the label, and a stale read is cheap; but a crash may have left the row.
				if _, err := w.s.store.Snapshots.Get(ctx, w.u, l, x.id); fault.Is(err, fault.NotFound) {
					continue
				}
			}
			if err := w.s.removeSnapshot(ctx, w.u, l, x.id); err != nil {
				return err
			}
			if err := w.forgetKept(ctx, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// forgetKept removes the cached ids of a star or label that changed where no subscription shows it.
func (w *flushing) forgetKept(ctx context.Context, l reader.LabelID) error {
	if w.sub != nil {
		return nil
	}
	return w.s.forgetKept(ctx, w.u, l)
}
