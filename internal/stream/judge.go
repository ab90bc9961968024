package stream

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/rules"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Rules are carried out for a user when that user next looks: a side bar or a list first judges what has arrived
// since. A subscription remembers up to which seq (`ruled`), so an item is judged once. What is not judged yet
// counts as unread, so that counts stay a pure function of the rows: they fall when rules take items away, and
// never rise again by themselves.
//
// A feed judged is one write: star and label rows first, then the bits, what is read and hidden, and `ruled`
// together, on the condition that nobody changed the row. Each step may be the last: the next look judges again
// and wants the same.

const (
	// judgedAtOnce bounds the deltas that one look judges; the next goes on.
	judgedAtOnce = 64
	// snapshotsAtOnce bounds the items that rules star and label in one look: each is a row with a body.
	snapshotsAtOnce = 20
)

// ruling is a user's rules with what says which feeds they look at.
type ruling struct {
	set  *rules.Set
	tree reader.Tree
}

func (r *ruling) none() bool { return r == nil || r.set.Empty() }

// of gives the rules that look at a subscription.
func (r *ruling) of(sub *store.SubscriptionRow) rules.Scoped {
	return r.set.For(sub.Feed(), r.around(sub.Folders))
}

// around gives folders and all that they lie in.
func (r *ruling) around(folders []int32) []int32 {
	out := slices.Clone(folders)
	for i := 0; i < len(out) && len(out) < 1000; i++ {
		if f, ok := r.tree.Folder(reader.FolderID(out[i])); ok && f.Parent != 0 && !slices.Contains(out, int32(f.Parent)) {
			out = append(out, int32(f.Parent))
		}
	}
	return out
}

// compiled keeps rules ready for use, by the hash of how they are stored.
type compiled struct {
	mu   sync.Mutex
	sets map[[sha256.Size]byte]*rules.Set
}

// maxCompiled bounds how many users' rules are kept.
const maxCompiled = 64

// ruling makes stored rules ready. Stored rules that cannot be read carry nothing out: lists must not fail for
// them, and the page of rules tells.
func (c *compiled) ruling(r store.Ruling) *ruling {
	if len(r.Rules) == 0 {
		return nil
	}
	key := sha256.Sum256(r.Rules)
	c.mu.Lock()
	defer c.mu.Unlock()
	set, ok := c.sets[key]
	if !ok {
		if list, err := rules.Unpack(r.Rules); err == nil {
			set, _ = rules.Compile(list)
		}
		if c.sets == nil || len(c.sets) >= maxCompiled {
			c.sets = map[[sha256.Size]byte]*rules.Set{}
		}
		c.sets[key] = set
	}
	return &ruling{set: set, tree: r.Tree}
}

// allowance is what one look may still judge.
type allowance struct{ deltas, snapshots int }

func (a *allowance) spent() bool { return a.deltas <= 0 || a.snapshots <= 0 }

// judged carries the rules out on the feeds of a side bar that have news, and gives it as it then is. The list
// handed in is not changed.
func (s *Service) judged(ctx context.Context, u reader.UserID, list []Subscribed, r *ruling) ([]Subscribed, error) {
	if r.none() {
		return list, nil
	}
	left := allowance{judgedAtOnce, snapshotsAtOnce}
	own := false
	for i := range list {
		if list[i].Sub.Ruled >= list[i].Feed.Seq || left.spent() {
			continue
		}
		scoped := r.of(list[i].Sub)
		if scoped.None() || quiet(&list[i], scoped.Since()) {
			continue
		}
		now, err := s.judge(ctx, u, list[i], r, scoped, &left)
		if fault.Is(err, fault.NotFound) {
			continue // unsubscribed meanwhile
		}
		if err != nil {
			return nil, err
		}
		if !own {
			list, own = slices.Clone(list), true
		}
		list[i] = now
	}
	return list, nil
}

// judgedFeed is judged for a list of one feed. Only a feed that rules have looked at before asks for them, which
// costs nothing to know: the side bar sees to the first time.
func (s *Service) judgedFeed(ctx context.Context, u reader.UserID, sub Subscribed) (Subscribed, error) {
	if sub.Sub.Ruled == 0 || sub.Sub.Ruled >= sub.Feed.Seq {
		return sub, nil
	}
	r, err := s.rulingOf(ctx, u)
	if err != nil {
		return sub, err
	}
	var scoped rules.Scoped
	if !r.none() {
		scoped = r.of(sub.Sub)
	}
	if scoped.None() {
		// No rule looks at it any more: the next look need not ask.
		row, err := s.changeRow(ctx, u, sub.Sub, store.Patch{"ruled": uint32(0)})
		if err != nil || row == nil {
			return sub, err
		}
		return subscribed(sub.Feed, row), nil
	}
	left := allowance{judgedAtOnce, snapshotsAtOnce}
	return s.judge(ctx, u, sub, r, scoped, &left)
}

// rulingOf reads a user's rules, and the tree when there are any.
func (s *Service) rulingOf(ctx context.Context, u reader.UserID) (*ruling, error) {
	packed, _, err := s.store.Rules.Get(ctx, u)
	if err != nil || len(packed) == 0 {
		return nil, err
	}
	tree, err := s.store.Trees.Get(ctx, u)
	return s.rules.ruling(store.Ruling{Rules: packed, Tree: tree}), err
}

// quiet tells that nothing can have arrived for a feed since the rules came to be that were never carried out on it.
func quiet(sub *Subscribed, since int64) bool {
	return sub.Sub.Ruled == 0 && sub.Feed.Changed*1000 <= since && sub.Sub.Since*1000 <= since
}

// judge carries rules out on what a feed has above `ruled`.
func (s *Service) judge(ctx context.Context, u reader.UserID, sub Subscribed, r *ruling, scoped rules.Scoped, left *allowance) (Subscribed, error) {
	w := wanted{to: reader.Seq(sub.Sub.Ruled), tree: &r.tree}
	if sub.Sub.Ruled == 0 {
		w.to = sub.State.Upto // of a feed never judged, what is read at one stretch stays as it is
	}
	w.to = max(w.to, reader.Seq(sub.Feed.Floor))
	if err := s.want(ctx, &sub, &w, scoped, left); err != nil {
		return sub, err
	}
	return s.carryOut(ctx, u, sub, &w, uint32(w.to), false)
}

// want judges a feed's items above w.to, as far as the allowance goes, and moves w.to.
func (s *Service) want(ctx context.Context, sub *Subscribed, w *wanted, scoped rules.Scoped, left *allowance) error {
	last := reader.Seq(sub.Feed.Seq)
	if w.to < last && w.to != reader.Seq(sub.Sub.Ruled) {
		// It may lie within a delta, whose rest comes first.
		switch d, err := s.store.Items.At(ctx, sub.Feed.ID(), w.to+1); {
		case err == nil && d.First() <= w.to:
			if err := w.judge(sub, d, scoped, left); err != nil {
				return err
			}
		case err != nil && !fault.Is(err, fault.NotFound):
			return err
		}
	}
	for w.to < last && !left.spent() {
		n := min(left.deltas, deltasAtFirst)
		list, err := s.store.Items.Following(ctx, sub.Feed.ID(), w.to, last, n)
		if err != nil {
			return err
		}
		for _, d := range list {
			if left.spent() {
				return nil
			}
			if err := w.judge(sub, d, scoped, left); err != nil {
				return err
			}
		}
		if len(list) < n {
			w.to = last // what is not there any more has nothing to judge
		}
	}
	return nil
}

// wanted gathers what rules want of a feed's items.
type wanted struct {
	hide, read []reader.Seq
	stars      []Entry
	labels     map[int32][]Entry
	order      []int32 // of the labels
	tree       *reader.Tree
	to         reader.Seq // judged up to
	arrived    int64      // of all items; 0 = that of their deltas
	unread     bool       // read items are left alone
	judged     int
}

// judge judges a delta above w.to, and moves that. Items count as arrived when the feed got them, or when the person
// got the feed.
func (w *wanted) judge(sub *Subscribed, d *store.DeltaRow, scoped rules.Scoped, left *allowance) error {
	list, err := entries(sub, d)
	if err != nil {
		return err
	}
	arrived := max(d.At, sub.Sub.Since*1000, w.arrived)
	shown := reader.SeqSet(sub.Sub.Shown)
	for _, e := range list {
		if e.Seq <= w.to || e.Hidden || shown.Has(e.Seq) || w.unread && e.Read {
			continue
		}
		w.judged++
		left.snapshots -= w.add(sub, e, scoped.Judge(ruleItem(&e.Header), arrived))
	}
	left.deltas--
	w.to = min(d.Last(), reader.Seq(sub.Feed.Seq))
	return nil
}

// add takes a verdict in, and tells how many snapshots it asks for.
func (w *wanted) add(sub *Subscribed, e Entry, v rules.Verdict) (snapshots int) {
	if v.Hide {
		w.hide = append(w.hide, e.Seq)
	}
	if v.Read {
		w.read = append(w.read, e.Seq)
	}
	if v.Star && !e.Starred {
		w.stars = append(w.stars, e)
		snapshots++
	}
	for _, l := range v.Labels {
		label := reader.LabelID(l)
		if _, there := w.tree.Label(label); !there || sub.State.Labels.Of(label).Has(e.Seq) {
			continue // the label was taken away, or is on the item already
		}
		if w.labels == nil {
			w.labels = map[int32][]Entry{}
		}
		if w.labels[l] == nil {
			w.order = append(w.order, l)
		}
		w.labels[l] = append(w.labels[l], e)
		snapshots++
	}
	return snapshots
}

// ruleItem is what rules see of an item.
func ruleItem(h *store.Header) *rules.Item {
	return &rules.Item{Title: h.Title, Author: h.Author, Content: h.Snippet, Link: h.Link, Categories: h.Categories}
}

func seqsOf(list []Entry) []reader.Seq {
	out := make([]reader.Seq, len(list))
	for i := range list {
		out[i] = list[i].Seq
	}
	return out
}

// carryOut does what is wanted: rows of stars and labels, then one write of the subscription, with `ruled` when that
// is not zero. remember keeps the reading before, for undo.
func (s *Service) carryOut(ctx context.Context, u reader.UserID, sub Subscribed, w *wanted, ruled uint32, remember bool) (Subscribed, error) {
	ops := []reader.Op{{Kind: reader.OpHide, Seqs: w.hide}, {Kind: reader.OpRead, Seqs: w.read}}
	for _, e := range w.stars {
		if err := s.putStar(ctx, u, e, &sub); err != nil {
			return sub, err
		}
	}
	ops = append(ops, reader.Op{Kind: reader.OpStar, Seqs: seqsOf(w.stars)})
	for _, l := range w.order {
		label := reader.LabelID(l)
		for _, e := range w.labels[l] {
			if err := s.putLabel(ctx, u, label, e, &sub); err != nil {
				return sub, err
			}
		}
		ops = append(ops, reader.Op{Kind: reader.OpLabel, Label: label, Seqs: seqsOf(w.labels[l])})
	}
	known := sub.Feed
	for try := 0; ; try++ {
		if ruled > 0 && sub.Sub.Ruled >= ruled {
			return sub, nil // another look was as far
		}
		next, changed := reader.Apply(sub.State, reader.Change{
			Ops: ops, Floor: reader.Seq(sub.Feed.Floor), Last: reader.Seq(sub.Feed.Seq), At: s.clock.Now().UnixMilli(), Remember: remember,
		})
		if !changed && ruled == 0 {
			return sub, nil
		}
		now, err := s.writeJudged(ctx, u, &sub, next, changed, ruled)
		if err == nil {
			return now, nil
		}
		if !fault.Is(err, fault.Conflict) || try == maxTries {
			return sub, err
		}
		row, err := s.store.Subscriptions.Get(ctx, u, known.ID())
		if err != nil {
			return sub, err
		}
		sub = subscribed(known, row)
	}
}

// writeJudged is one write: of the reading with `ruled`, or of `ruled` alone, which is no change of the reading.
func (s *Service) writeJudged(ctx context.Context, u reader.UserID, sub *Subscribed, next reader.State, changed bool, ruled uint32) (Subscribed, error) {
	if !changed {
		row, err := s.changeRow(ctx, u, sub.Sub, store.Patch{"ruled": ruled})
		if err == nil && row == nil {
			err = fault.New(fault.Conflict, "state_contended", "stream: judge", nil)
		}
		if err != nil {
			return *sub, err
		}
		return subscribed(sub.Feed, row), nil
	}
	row := sub.Sub.WithState(next)
	row.Ruled = max(row.Ruled, ruled)
	before, _ := s.store.Subscriptions.Version(ctx, u)
	if err := s.store.Subscriptions.Replace(ctx, row, sub.Sub.Rev); err != nil {
		return *sub, err
	}
	s.views.replaced(ctx, u, before, &row)
	return subscribed(sub.Feed, &row), nil
}

// changeRow changes what is no reading; nil without an error when somebody else changed such since.
func (s *Service) changeRow(ctx context.Context, u reader.UserID, sub *store.SubscriptionRow, p store.Patch) (*store.SubscriptionRow, error) {
	before, _ := s.store.Subscriptions.Version(ctx, u)
	row, err := s.store.Subscriptions.Change(ctx, u, sub, p)
	if fault.Is(err, fault.Conflict) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.views.replaced(ctx, u, before, row)
	return row, nil
}
