package stream

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Rules are applied when a user next looks: the side bar and lists first judge what has arrived since. Searches show
// the effect of rules without storing it. A subscription records up to which seq it was judged (`ruled`). Items that
// were not judged yet count as unread.
//
// Judging a feed writes the rows of stars and labels first, then the bits, the states and `ruled` in one conditional
// write. After a crash the next look judges again.

const (
	// judgedAtOnce bounds the deltas that one request judges; the next request continues.
	judgedAtOnce = 64
	// snapshotsAtOnce bounds the items that rules star and label in one request: each is a row with a body.
	snapshotsAtOnce = 20
)

// ruling is a user's rules, and the tree that says which folders contain others.
type ruling struct {
	set  *rules.Set
	tree library.Tree
}

func (r *ruling) none() bool { return r == nil || r.set.Empty() }

// of returns the rules that apply to a subscription.
func (r *ruling) of(sub *store.SubscriptionRow) rules.Scoped {
	return r.set.For(sub.Feed(), r.around(sub.Folders))
}

// around returns some folders and all their ancestors.
func (r *ruling) around(folders []reader.FolderID) []reader.FolderID {
	out := slices.Clone(folders)
	for i := 0; i < len(out) && len(out) < 1000; i++ {
		if f, ok := r.tree.Folder(out[i]); ok && f.Parent != 0 && !slices.Contains(out, f.Parent) {
			out = append(out, f.Parent)
		}
	}
	return out
}

// maxCompiled bounds how many users' compiled rules are cached, by the hash of their stored form.
const maxCompiled = 64

// compile compiles stored rules. Damaged ones are ignored here; the page of rules shows the error.
func (s *Service) compile(r store.Ruling) *ruling {
	if len(r.Rules) == 0 {
		return nil
	}
	key := sha256.Sum256(r.Rules)
	set, ok := s.compiled.Get(key)
	if !ok {
		if list, err := rules.Unpack(r.Rules); err == nil {
			set, _ = rules.Compile(list)
		}
		s.compiled.Put(key, set, 1)
	}
	return &ruling{set: set, tree: r.Tree}
}

// allowance is the number of deltas and snapshots that one request may still judge.
type allowance struct{ deltas, snapshots int }

func (a *allowance) spent() bool { return a.deltas <= 0 || a.snapshots <= 0 }

// settle applies rules to a feed's items: stored (keepVerdicts) for lists that a person reads, or for this request
// alone (foresee) for searches and others that must not write.
type settle func(ctx context.Context, u reader.UserID, sub *Subscribed, w *verdicts) (*Subscribed, error)

// keepVerdicts stores verdicts.
func (s *Service) keepVerdicts(ctx context.Context, u reader.UserID, sub *Subscribed, w *verdicts) (*Subscribed,
	error) {
	if w.noRules { // the next request need not look
		sub, _, err := s.write(ctx, u, setRuled(sub, 0))
		return sub, err
	}
	now, isOurs, err := s.applyVerdicts(ctx, u, sub, w, uint32(w.to), false)
	if err != nil || !isOurs || s.onSend == nil {
		return now, err
	}
	// Sent after the write, which one of several requests makes: nothing is sent twice.
	for _, hook := range slices.Sorted(maps.Keys(w.sends)) {
		if err := s.onSend(ctx, u, hook, w.sends[hook]); err != nil {
			return now, err
		}
	}
	return now, nil
}

// foresee returns the subscription as it will be once the verdicts are stored. It writes nothing.
func (s *Service) foresee(_ context.Context, _ reader.UserID, sub *Subscribed, w *verdicts) (*Subscribed, error) {
	row, changed := s.applied(sub, reader.Change{Ops: w.ops()})
	if !changed {
		return sub, nil
	}
	return sub.with(&row), nil
}

// judged applies the rules to the feeds of a side bar that have new items, and returns the result as a new view.
func (s *Service) judged(ctx context.Context, u reader.UserID, v *view, settle settle) (*view, error) {
	r := s.compile(v.ruling)
	if r.none() {
		return v, nil
	}
	left := allowance{judgedAtOnce, snapshotsAtOnce}
	var done, changed []*Subscribed
	for _, x := range v.unruled {
		if left.spent() {
			break
		}
		scoped := r.of(x.Sub)
		if x.Sub.Ruled >= x.Feed.Seq || scoped.None() || quiet(x, scoped.Since()) {
			done = append(done, x)
			continue
		}
		w, err := s.judge(ctx, x, r, scoped, &left)
		if err == nil {
			x, err = settle(ctx, u, x, w)
		}
		if fault.Is(err, fault.NotFound) {
			continue // unsubscribed meanwhile
		}
		if err != nil {
			return nil, err
		}
		changed = append(changed, x)
	}
	s.views.ruled(u, v, done)
	return v.with(changed), nil
}

// judgedFeed is judged for one feed. It reads the rules only if the feed's row shows that they were applied before.
func (s *Service) judgedFeed(ctx context.Context, u reader.UserID, sub *Subscribed, settle settle) (*Subscribed,
	error) {
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
		return settle(ctx, u, sub, &verdicts{noRules: true})
	}
	w, err := s.judge(ctx, sub, r, scoped, &allowance{judgedAtOnce, snapshotsAtOnce})
	if err != nil {
		return sub, err
	}
	return settle(ctx, u, sub, w)
}

// rulingOf reads a user's rules, and the tree if there are any.
func (s *Service) rulingOf(ctx context.Context, u reader.UserID) (*ruling, error) {
	packed, _, err := s.store.Rules.Get(ctx, u)
	if err != nil || len(packed) == 0 {
		return nil, err
	}
	tree, err := s.store.Trees.Get(ctx, u)
	return s.compile(store.Ruling{Rules: packed, Tree: tree}), err
}

// quiet reports that a feed that was never judged has had nothing new since the rules were made.
func quiet(sub *Subscribed, since int64) bool {
	return sub.Sub.Ruled == 0 && sub.Feed.Changed*1000 <= since && sub.Sub.Since*1000 <= since
}

// judge returns what rules do with a feed's items above `ruled`.
func (s *Service) judge(ctx context.Context, sub *Subscribed, r *ruling, scoped rules.Scoped,
	left *allowance) (*verdicts, error) {
	w := &verdicts{to: reader.Seq(sub.Sub.Ruled), tree: &r.tree}
	if sub.Sub.Ruled == 0 {
		w.to = sub.State.Upto // in a feed that was never judged, the items up to the first unread one are left alone
	}
	w.to = max(w.to, reader.Seq(sub.Feed.Floor))
	return w, s.judgeItems(ctx, sub, w, scoped, left)
}

// judgeItems judges a feed's items above w.to, within the allowance, and raises w.to.
func (s *Service) judgeItems(ctx context.Context, sub *Subscribed, w *verdicts, scoped rules.Scoped,
	left *allowance) error {
	last := reader.Seq(sub.Feed.Seq)
	if w.to < last && w.to != reader.Seq(sub.Sub.Ruled) {
		// w.to may lie within a delta, whose rest comes first.
		switch d, err := s.store.Items.At(ctx, sub.Feed.ID(), w.to+1); {
		case err == nil && d.First() <= w.to:
			if err := w.judgeDelta(sub, d, scoped, left); err != nil {
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
			if err := w.judgeDelta(sub, d, scoped, left); err != nil {
				return err
			}
		}
		if len(list) < n {
			w.to = last // deltas that are gone need no verdict
		}
	}
	return nil
}

// verdicts are the effects of rules on a feed's items.
type verdicts struct {
	hide, read []reader.Seq
	labels     map[reader.LabelID][]Entry // to put on items; a star is store.Star
	order      []reader.LabelID           // of the labels
	sends      map[string][]job.Spot      // to send to webhooks
	tree       *library.Tree
	to         reader.Seq // judged up to
	arrived    int64      // of all items; 0 = that of their deltas
	unread     bool       // read items are left alone
	judged     int
	noRules    bool // applies to the feed any more
}

// judgeDelta judges the items of a delta above w.to, and raises it. An item arrived when the feed got it, or when the
// user subscribed.
func (w *verdicts) judgeDelta(sub *Subscribed, d *store.DeltaRow, scoped rules.Scoped, left *allowance) error {
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

// add records a verdict and returns how many snapshots it needs.
func (w *verdicts) add(sub *Subscribed, e Entry, v rules.Verdict) (snapshots int) {
	if v.Hide {
		w.hide = append(w.hide, e.Seq)
	}
	if v.Read {
		w.read = append(w.read, e.Seq)
	}
	if v.Star && !e.Starred {
		w.label(store.Star, e)
		snapshots++
	}
	for _, hook := range v.Hooks {
		if w.sends == nil {
			w.sends = map[string][]job.Spot{}
		}
		w.sends[hook] = append(w.sends[hook], job.Spot{Item: e.ID, Seq: e.Seq})
	}
	for _, label := range v.Labels {
		if _, there := w.tree.Label(label); !there || sub.State.Labels.Of(label).Has(e.Seq) {
			continue // the label was taken away, or is on the item already
		}
		w.label(label, e)
		snapshots++
	}
	return snapshots
}

func (w *verdicts) label(l reader.LabelID, e Entry) {
	if w.labels == nil {
		w.labels = map[reader.LabelID][]Entry{}
	}
	if w.labels[l] == nil {
		w.order = append(w.order, l)
	}
	w.labels[l] = append(w.labels[l], e)
}

// ruleItem is an item as rules read it.
func ruleItem(h *store.Header) *rules.Item {
	return &rules.Item{Title: h.Title, Author: h.Author, Content: h.Snippet, Link: h.Link, Categories: h.Categories}
}

// ops are the verdicts as changes of the subscription's state.
func (w *verdicts) ops() []reader.Op {
	ops := []reader.Op{{Kind: reader.OpHide, Seqs: w.hide}, {Kind: reader.OpRead, Seqs: w.read}}
	for _, l := range w.order {
		op := reader.Op{Kind: reader.OpLabel, Label: l}
		if l == store.Star {
			op = reader.Op{Kind: reader.OpStar}
		}
		for _, e := range w.labels[l] {
			op.Seqs = append(op.Seqs, e.Seq)
		}
		ops = append(ops, op)
	}
	return ops
}

// applyVerdicts stores the rows of stars and labels, then writes the subscription once, with `ruled` unless it is zero.
// remember keeps the state before, for undo.
func (s *Service) applyVerdicts(ctx context.Context, u reader.UserID, sub *Subscribed, w *verdicts, ruled uint32,
	remember bool) (*Subscribed, bool, error) {
	for _, l := range w.order {
		for _, e := range w.labels[l] {
			if err := s.putSnapshot(ctx, u, l, e, sub); err != nil {
				return sub, false, err
			}
		}
	}
	ops := w.ops()
	return s.write(ctx, u, mutation{feed: sub.Feed.ID(), sub: sub, known: reader.Seq(sub.Feed.Seq),
		edit: func(sub *Subscribed) (store.SubscriptionRow, bool) {
			row, changed := s.applied(sub, reader.Change{Ops: ops, Remember: remember})
			row.Ruled = max(row.Ruled, ruled)
			isJudged := ruled > 0 && sub.Sub.Ruled >= ruled // by another request
			return row, !isJudged && (changed || ruled > 0)
		}})
}

// setRuled records up to which seq a subscription was judged, unless its row has changed. The version of the read state
// stays.
func setRuled(sub *Subscribed, ruled uint32) mutation {
	was := sub.Sub.Ruled
	return mutation{feed: sub.Feed.ID(), sub: sub, edit: func(sub *Subscribed) (store.SubscriptionRow, bool) {
		row := *sub.Sub
		row.Ruled = ruled
		return row, sub.Sub.Ruled == was
	}}
}
