package stream

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Rules returns a user's rules in order, and the revision for SetRules.
func (s *Service) Rules(ctx context.Context, u reader.UserID) ([]rules.Rule, int64, error) {
	packed, rev, err := s.store.Rules.Get(ctx, u)
	if err != nil {
		return nil, 0, err
	}
	list, err := rules.Unpack(packed)
	return list, rev, err
}

// marked bounds the subscriptions that record new rules at once; the side bar does it for the others when they have new
// items.
const marked = 200

// SetRules replaces a user's rules. What has arrived is judged by the old ones; new and changed rules apply to what
// arrives from now on.
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
	if err := s.checkHooks(ctx, u, list, old); err != nil {
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
	r := &ruling{set: set, tree: tree}
	var ruled []mutation
	for i := range feeds {
		x := feeds[i]
		if len(ruled) < marked && x.Sub.Ruled == 0 && x.Feed.Seq > 0 && !r.of(x.Sub).None() {
			ruled = append(ruled, setRuled(x, x.Feed.Seq))
		}
	}
	_, err = s.updateAll(ctx, u, ruled)
	return err
}

// checkHooks reports webhooks of new and changed rules that do not exist.
func (s *Service) checkHooks(ctx context.Context, u reader.UserID, list, old []rules.Rule) error {
	var wrong []*fault.Error
	var hooks []*store.WebhookRow
	for i := range list {
		if slices.ContainsFunc(old, func(o rules.Rule) bool { return o.ID == list[i].ID && o.SameAs(&list[i]) }) {
			continue
		}
		for j, a := range list[i].Actions {
			if a.Do != rules.Send {
				continue
			}
			if hooks == nil {
				var err error
				if hooks, err = s.store.Webhooks.List(ctx, u); err != nil {
					return err
				}
			}
			if !slices.ContainsFunc(hooks, func(h *store.WebhookRow) bool { return h.Hook() == a.Hook }) {
				wrong = append(wrong, fault.Coded(fault.Invalid, "bad_rule_value").
					At(fmt.Sprintf("rules[%d].actions[%d].webhook", i, j)))
			}
		}
	}
	return fault.Several(wrong...)
}

func rulesChanged() error {
	return fault.Coded(fault.Conflict, "rules_changed")
}

// since sets the start of rules; unchanged ones keep theirs. The folders and labels of a new rule must exist; an older
// rule may outlive them.
func since(list, old []rules.Rule, tree *library.Tree, now int64) error {
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
			if !tree.Has(f) {
				wrong = append(wrong,
					fault.Coded(fault.Invalid, "bad_rule_value").At(fmt.Sprintf("rules[%d].folders[%d]", i, j)))
			}
		}
		for j, a := range r.Actions {
			if _, ok := tree.Label(a.Label); a.Do == rules.WithLabel && !ok {
				wrong = append(wrong,
					fault.Coded(fault.Invalid, "bad_rule_value").At(fmt.Sprintf("rules[%d].actions[%d].label", i, j)))
			}
		}
	}
	return fault.Several(wrong...)
}

// Found is an item that a rule matches, with the matching parts.
type Found struct {
	Entry
	Parts []rules.Part
}

// TryRule returns which of the newest items of a scope a rule would match, and how many it examined. Nothing is
// changed.
func (s *Service) TryRule(ctx context.Context, u reader.UserID, r rules.Rule, sc Scope, n int) (found []Found,
	looked int, feeds []*Subscribed, err error) {
	set, err := rules.Compile([]rules.Rule{r})
	if err != nil {
		return nil, 0, nil, err
	}
	list, err := s.Feeds(ctx, u)
	if err == nil {
		feeds, err = s.choose(ctx, u, sc, list)
	}
	if err != nil {
		return nil, 0, nil, err
	}
	p, err := s.merged(ctx, u, Query{Filter: All, Limit: Limit(n), every: true}, cursor{}, &sideBar{all: feeds})
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

// HiddenBy returns the rule that hides each item, as the rules are now; items that none would hide any more are
// missing.
func (s *Service) HiddenBy(ctx context.Context, u reader.UserID, list []Entry,
	feeds []*Subscribed) (map[reader.ItemID]*rules.Rule, error) {
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

// Show makes a hidden item visible: it is unread, and no rule hides it again.
func (s *Service) Show(ctx context.Context, u reader.UserID, id reader.ItemID) (Entry, *Subscribed, error) {
	e, sub, err := s.findInFeed(ctx, u, id)
	if err != nil {
		return e, sub, err
	}
	sub, _, err = s.write(ctx, u,
		mutation{feed: id.Feed(), sub: sub, known: e.Seq, edit: func(sub *Subscribed) (store.SubscriptionRow, bool) {
			row, changed := s.applied(sub,
				reader.Change{Ops: []reader.Op{{Kind: reader.OpUnread, Seqs: []reader.Seq{e.Seq}}}})
			row.Shown = reader.SeqSet(row.Shown).RemoveRange(1, reader.Seq(sub.Feed.Floor)).Add(e.Seq)
			return row, changed && sub.State.Hid.Has(e.Seq)
		}})
	if err != nil {
		return e, sub, err
	}
	e.Hidden, e.Read = false, sub.State.IsRead(e.Seq)
	return e, sub, nil
}

// Applied is the result of a pass of rules over unread items.
type Applied struct {
	Judged, Hidden, Read, Starred, Labelled int
	// Next is where the next pass continues; empty at the end.
	Next string
	// Undo takes back what was marked read, feed by feed; of a feed that took several calls, only the last one.
	Undo []FeedUndo
}

// FeedUndo is the undo token of one feed.
type FeedUndo struct {
	Feed  reader.FeedID
	Token string
}

// appliedAtOnce bounds the deltas that a pass reads of one feed and in all.
const appliedAtOnce = 200

// ApplyRules applies all enabled rules, or one, to the unread items of a scope. One call does a part; `after` is the
// Next of the call before. Items that a person made visible stay so. Repeating a call changes nothing.
func (s *Service) ApplyRules(ctx context.Context, u reader.UserID, only string, sc Scope,
	after string) (Applied, error) {
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
		return out, fault.Coded(fault.NotFound, "rule_not_found")
	}
	list, err := s.Feeds(ctx, u)
	if err == nil {
		list, err = s.choose(ctx, u, sc, list)
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
		w := verdicts{to: max(sub.State.Upto, reader.Seq(sub.Feed.Floor)), arrived: rules.Always,
			unread: true, tree: &r.tree}
		if id == feed {
			w.to = max(w.to, seq)
		}
		if spent.spent() {
			out.Next = place(id, w.to)
			return out, nil
		}
		left := allowance{appliedAtOnce, snapshotsAtOnce} // of its own: a feed in parts could be undone in part only
		if err := s.judgeItems(ctx, sub, &w, scoped, &left); err != nil {
			return out, err
		}
		spent.deltas -= appliedAtOnce - left.deltas
		spent.snapshots -= snapshotsAtOnce - left.snapshots
		now, changed, err := s.applyVerdicts(ctx, u, sub, &w, 0, true)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return out, err
		}
		out.count(&w)
		if undo := s.undoToken([]*Subscribed{now}); undo != "" && changed && len(w.read) > 0 {
			out.Undo = append(out.Undo, FeedUndo{id, undo})
		}
		if w.to < reader.Seq(sub.Feed.Seq) {
			out.Next = place(id, w.to)
			return out, nil
		}
	}
	return out, nil
}

func (a *Applied) count(w *verdicts) {
	a.Judged += w.judged
	a.Hidden += len(w.hide)
	a.Read += len(w.read)
	a.Starred += len(w.labels[store.Star])
	for _, l := range w.order {
		if l != store.Star {
			a.Labelled += len(w.labels[l])
		}
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
		return 0, 0, badCursor()
	}
	return feed, reader.Seq(seq), nil
}
