package stream

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/rules"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// scoped gives the feeds of a scope. A feed that is not subscribed to, and a folder that is not there, are NotFound.
func (s *Service) scoped(ctx context.Context, u reader.UserID, sc Scope, list []Subscribed) ([]Subscribed, error) {
	switch {
	case sc.Feed != 0:
		for i := range list {
			if list[i].Feed.ID() == sc.Feed {
				return list[i : i+1 : i+1], nil
			}
		}
		return nil, fault.New(fault.NotFound, "feed_not_found", "stream: scope", nil)
	case sc.Folder != 0:
		tree, err := s.store.Trees.Get(ctx, u)
		if err != nil {
			return nil, err
		}
		if !tree.Has(sc.Folder) {
			return nil, fault.Newf(fault.NotFound, "folder_not_found", "There is no such folder.")
		}
		within := tree.Within(sc.Folder)
		var out []Subscribed
		for i := range list {
			if slices.ContainsFunc(list[i].Sub.Folders, func(f int32) bool { return slices.Contains(within, reader.FolderID(f)) }) {
				out = append(out, list[i])
			}
		}
		return out, nil
	}
	return list, nil
}

// Rules gives a user's rules in order, and the revision under which they can be replaced.
func (s *Service) Rules(ctx context.Context, u reader.UserID) ([]rules.Rule, int64, error) {
	packed, rev, err := s.store.Rules.Get(ctx, u)
	if err != nil {
		return nil, 0, err
	}
	list, err := rules.Unpack(packed)
	return list, rev, err
}

// marked is how many subscriptions are told at once that rules look at them; the side bar tells the others when they
// have news.
const marked = 200

// SetRules replaces a user's rules. What has arrived is judged by those that were; rules that are new, or do
// something else than before, are for what arrives from now on.
func (s *Service) SetRules(ctx context.Context, u reader.UserID, list []rules.Rule, rev int64) error {
	if err := rules.Check(list); err != nil {
		return err
	}
	old, now, err := s.Rules(ctx, u)
	if err != nil && fault.CodeOf(err) != "bad_rules" {
		return err
	}
	if err == nil && now != rev {
		return rulesChanged()
	}
	tree, err := s.store.Trees.Get(ctx, u)
	if err != nil {
		return err
	}
	if err := since(list, old, &tree, s.clock.Now().UnixMilli()); err != nil {
		return err
	}
	feeds, err := s.Feeds(ctx, u)
	if err != nil {
		return err
	}
	if err := s.store.Rules.Put(ctx, u, list, rev); err != nil {
		if fault.Is(err, fault.Conflict) {
			return rulesChanged()
		}
		return err
	}
	set, err := rules.Compile(list)
	if err != nil {
		return err
	}
	r, left := &ruling{set: set, tree: tree}, marked
	for i := range feeds {
		sub := feeds[i].Sub
		if left == 0 || sub.Ruled > 0 || feeds[i].Feed.Seq == 0 || r.of(sub).None() {
			continue
		}
		left--
		if _, err := s.changeRow(ctx, u, sub, store.Patch{"ruled": feeds[i].Feed.Seq}); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return nil
}

func rulesChanged() error {
	return fault.Newf(fault.Conflict, "rules_changed", "The rules were changed elsewhere since they were read.")
}

// since dates rules: those that are as they were keep their date. Folders and labels that a new one names must be
// there; an older one may outlive them.
func since(list, old []rules.Rule, tree *reader.Tree, now int64) error {
	was := map[string]*rules.Rule{}
	for i := range old {
		was[old[i].ID] = &old[i]
	}
	var wrong []*fault.Error
	for i := range list {
		r := &list[i]
		if o := was[r.ID]; o != nil && o.SameAs(r) {
			r.Since = o.Since
			continue
		}
		r.Since = now
		for j, f := range r.Folders {
			if !tree.Has(reader.FolderID(f)) {
				wrong = append(wrong, fault.Newf(fault.Invalid, "bad_rule_value", "This value is not one of those that can stand here.").At(fmt.Sprintf("rules[%d].folders[%d]", i, j)))
			}
		}
		for j, a := range r.Actions {
			if _, ok := tree.Label(reader.LabelID(a.Label)); a.Do == rules.WithLabel && !ok {
				wrong = append(wrong, fault.Newf(fault.Invalid, "bad_rule_value", "This value is not one of those that can stand here.").At(fmt.Sprintf("rules[%d].actions[%d].label", i, j)))
			}
		}
	}
	return fault.Several(wrong...)
}

// Found is an item that a rule matches, with the parts that it found.
type Found struct {
	Entry
	Parts []rules.Part
}

// TryRule tells which of the newest items of a scope a rule would match, and how many it looked at. Nothing is done.
func (s *Service) TryRule(ctx context.Context, u reader.UserID, r rules.Rule, sc Scope, n int) (found []Found, looked int, feeds []Subscribed, err error) {
	set, err := rules.Compile([]rules.Rule{r})
	if err != nil {
		return nil, 0, nil, err
	}
	list, err := s.Feeds(ctx, u)
	if err == nil {
		feeds, err = s.scoped(ctx, u, sc, list)
	}
	if err != nil {
		return nil, 0, nil, err
	}
	p, err := s.merged(ctx, Query{Filter: All, Limit: Limit(n), every: true}, cursor{}, sideBar{chosen: feeds})
	if err != nil {
		return nil, 0, nil, err
	}
	only := set.Only(r.ID)
	for _, e := range p.Items {
		if ok, parts := only.Show(ruleItem(&e.Header)); ok {
			found = append(found, Found{e, parts})
		}
	}
	return found, len(p.Items), feeds, nil
}

// HiddenBy names the rules that hide items, as the rules are now; an item that none would hide any more has none.
func (s *Service) HiddenBy(ctx context.Context, u reader.UserID, list []Entry, feeds []Subscribed) (map[reader.ItemID]*rules.Rule, error) {
	out := map[reader.ItemID]*rules.Rule{}
	if len(list) == 0 {
		return out, nil
	}
	r, err := s.rulingOf(ctx, u)
	if err != nil || r.none() {
		return out, err
	}
	byFeed := map[reader.FeedID]rules.Scoped{}
	for i := range feeds {
		byFeed[feeds[i].Feed.ID()] = r.of(feeds[i].Sub)
	}
	for i := range list {
		v := byFeed[list[i].Feed].Judge(ruleItem(&list[i].Header), rules.Always)
		if rule, ok := r.set.Rule(v.HiddenBy); ok {
			out[list[i].ID] = rule
		}
	}
	return out, nil
}

// Show takes an item out of the hidden ones: it is unread, and no rule takes it away again.
func (s *Service) Show(ctx context.Context, u reader.UserID, id reader.ItemID) (Entry, Subscribed, error) {
	e, sub, err := s.findInFeed(ctx, u, id)
	if err != nil {
		return e, sub, err
	}
	for range maxTries {
		next, changed := reader.Apply(sub.State, reader.Change{
			Ops:   []reader.Op{{Kind: reader.OpUnread, Seqs: []reader.Seq{e.Seq}}},
			Floor: reader.Seq(sub.Feed.Floor), Last: reader.Seq(sub.Feed.Seq), At: s.clock.Now().UnixMilli(),
		})
		if !sub.State.Hid.Has(e.Seq) || !changed {
			e.Hidden, e.Read = false, sub.State.IsRead(e.Seq)
			return e, sub, nil
		}
		row := sub.Sub.WithState(next)
		row.Shown = reader.SeqSet(row.Shown).RemoveRange(1, reader.Seq(sub.Feed.Floor)).Add(e.Seq)
		before, _ := s.store.Subscriptions.Version(ctx, u)
		if err = s.store.Subscriptions.Replace(ctx, row, sub.Sub.Rev); err == nil {
			s.views.replaced(ctx, u, before, &row)
			e.Hidden, e.Read = false, false
			return e, subscribed(sub.Feed, &row), nil
		}
		if !fault.Is(err, fault.Conflict) {
			return e, sub, err
		}
		if sub, err = s.Latest(ctx, u, id.Feed()); err != nil {
			return e, sub, err
		}
	}
	return e, sub, fault.New(fault.Unavailable, "state_contended", "stream: show", nil)
}

// Applied is what a pass of rules over unread items did.
type Applied struct {
	Judged, Hidden, Read, Starred, Labelled int
	// Next is where the next pass goes on; empty at the end.
	Next string
	// Undo takes back what was marked read, feed by feed; of a feed that took several calls, what the last one did.
	Undo []FeedUndo
}

// FeedUndo is what Undo takes for one feed.
type FeedUndo struct {
	Feed  reader.FeedID
	Token string
}

// appliedAtOnce bounds the deltas of one feed that a pass looks at, and after how many it ends.
const appliedAtOnce = 200

// ApplyRules carries rules out on the unread items of a scope, whenever those arrived: all rules that are on, or the
// one named. One call does a part of it; `after` is the Next of the call before. What a person has asked to see
// stays. A feed is one write, and what the call says twice does nothing the second time.
func (s *Service) ApplyRules(ctx context.Context, u reader.UserID, only string, sc Scope, after string) (Applied, error) {
	var out Applied
	feed, seq, err := parsePlace(after)
	if err != nil {
		return out, err
	}
	r, err := s.rulingOf(ctx, u)
	if err != nil {
		return out, err
	}
	if only != "" && !r.has(only) {
		return out, fault.Newf(fault.NotFound, "rule_not_found", "There is no such rule.")
	}
	list, err := s.Feeds(ctx, u)
	if err == nil {
		list, err = s.scoped(ctx, u, sc, list)
	}
	if err != nil || r.none() {
		return out, err
	}
	spent := allowance{appliedAtOnce, snapshotsAtOnce}
	for _, sub := range list {
		id := sub.Feed.ID()
		scoped := r.of(sub.Sub)
		if only != "" {
			scoped = scoped.Named(only)
		}
		if id < feed || sub.Unread() == 0 || scoped.None() {
			continue
		}
		w := wanted{to: max(sub.State.Upto, reader.Seq(sub.Feed.Floor)), arrived: rules.Always, unread: true, tree: &r.tree}
		if id == feed {
			w.to = max(w.to, seq)
		}
		if spent.spent() {
			out.Next = place(id, w.to)
			return out, nil
		}
		left := allowance{appliedAtOnce, snapshotsAtOnce} // of its own: a feed in parts could be undone in part only
		if err := s.want(ctx, &sub, &w, scoped, &left); err != nil {
			return out, err
		}
		spent.deltas -= appliedAtOnce - left.deltas
		spent.snapshots -= snapshotsAtOnce - left.snapshots
		now, err := s.carryOut(ctx, u, sub, &w, 0, true)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return out, err
		}
		out.count(&w)
		if len(w.read) > 0 && err == nil && now.State.Prev.Version == now.State.Version && now.State.Version != sub.State.Version {
			out.Undo = append(out.Undo, FeedUndo{id, s.undoToken([]Subscribed{now})})
		}
		if w.to < reader.Seq(sub.Feed.Seq) {
			out.Next = place(id, w.to)
			return out, nil
		}
	}
	return out, nil
}

func (a *Applied) count(w *wanted) {
	a.Judged += w.judged
	a.Hidden += len(w.hide)
	a.Read += len(w.read)
	a.Starred += len(w.stars)
	for _, list := range w.labels {
		a.Labelled += len(list)
	}
}

func (r *ruling) has(id string) bool {
	if r.none() {
		return false
	}
	_, ok := r.set.Rule(id)
	return ok
}

func place(f reader.FeedID, seq reader.Seq) string { return fmt.Sprintf("%d-%d", f, seq) }

func parsePlace(s string) (reader.FeedID, reader.Seq, error) {
	if s == "" {
		return 0, 0, nil
	}
	f, q, ok := strings.Cut(s, "-")
	feed, err := reader.ParseFeedID(f)
	seq, err2 := strconv.ParseUint(q, 10, 32)
	if !ok || err != nil || err2 != nil {
		return 0, 0, fault.Newf(fault.Invalid, "bad_cursor", "This page's address is not valid any more. Open the list anew.").At("cursor")
	}
	return feed, reader.Seq(seq), nil
}
