package stream_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// titled commits a delta of items with the titles, as the crawler would.
func (w *world) titled(id reader.FeedID, titles ...string) {
	w.t.Helper()
	ctx := w.t.Context()
	f, err := w.store.Feeds.Get(ctx, id, true)
	w.ok(err)
	now := w.clk.Add(time.Minute)
	hs := make([]store.Header, len(titles))
	for i := range hs {
		hs[i] = store.Header{Identity: uint64(f.Seq) + uint64(i) + 1, Title: titles[i], Sort: now.Unix(),
			Snippet: "about " + titles[i]}
	}
	d, err := store.NewDelta(id, reader.Seq(f.Seq+1), reader.MinuteOf(now), now.UnixMilli(), "raw", hs)
	w.ok(err)
	w.ok(w.store.Items.Put(ctx, d))
	_, err = w.store.Feeds.Modify(ctx, id, func(row *store.FeedRow) {
		row.Seq = f.Seq + uint32(len(titles))
		row.Stamp = d.Stamp
		row.NewestAt = now.Unix()
		row.Changed = now.Unix()
		row.Hash = []byte{1}
	})
	w.ok(err)
}

func hide(id, word string) rules.Rule {
	return rules.Rule{
		ID: id, Conditions: []rules.Condition{{Field: rules.Title, Mode: rules.AnyWord, Words: []string{word}}},
		Actions: []rules.Action{{Do: rules.Hide}},
	}
}

func does(id, word string, actions ...rules.Action) rules.Rule {
	r := hide(id, word)
	r.Actions = actions
	return r
}

func (w *world) setRules(list ...rules.Rule) {
	w.t.Helper()
	_, rev, err := w.s.Rules(w.t.Context(), user)
	w.ok(err)
	w.ok(w.s.SetRules(w.t.Context(), user, list, rev))
	w.clk.Add(time.Second)
}

// titles lists what a filter shows, of one feed or of all.
func (w *world) titles(f stream.Filter) []string {
	w.t.Helper()
	p, err := w.s.List(w.t.Context(), user, stream.Query{Filter: f, Limit: 200})
	w.ok(err)
	var out []string
	for _, e := range p.Items {
		out = append(out, e.Header.Title)
	}
	slices.Sort(out)
	return out
}

func (w *world) unread() int {
	w.t.Helper()
	list, err := w.s.Feeds(w.t.Context(), user)
	w.ok(err)
	return stream.Sum(list).Unread
}

// TestRulesJudgeWhatArrives: rules hide, read and star what arrives after them, once, with exact counts, and leave
// what was there before. (issue 4, 2: rules)
func TestRulesJudgeWhatArrives(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	id := w.feed()
	w.titled(id, "old ad", "old news")
	w.setRules(
		does("both", "gold", rules.Action{Do: rules.Star}, rules.Action{Do: rules.MarkRead}),
		hide("ads", "ad"),
	)
	if n := w.unread(); n != 2 {
		t.Fatalf("%d unread right after the rules, want the 2 that were there", n)
	}
	w.titled(id, "ad one", "news", "gold ad", "gold")
	if n := w.unread(); n != 3 {
		t.Errorf("%d unread, want the 2 that were there and news", n)
	}
	if got, want := w.titles(stream.All), []string{"gold", "news", "old ad", "old news"}; !slices.Equal(got, want) {
		t.Errorf("all: %q, want %q", got, want)
	}
	if got, want := w.titles(stream.Hidden), []string{"ad one", "gold ad"}; !slices.Equal(got, want) {
		t.Errorf("hidden: %q, want %q", got, want)
	}
	if got, want := w.titles(stream.Starred), []string{"gold", "gold ad"}; !slices.Equal(got, want) {
		t.Errorf("starred: %q, want %q", got, want)
	}
	p, err := w.s.List(t.Context(), user, stream.Query{Filter: stream.Hidden, Limit: 50})
	w.ok(err)
	by, err := w.s.HiddenBy(t.Context(), user, p.Items, p.Feeds)
	w.ok(err)
	for _, e := range p.Items {
		if by[e.ID] == nil || by[e.ID].ID != "ads" {
			t.Errorf("%q is hidden by %v", e.Header.Title, by[e.ID])
		}
	}
	// What was judged is not judged again: unread stays unread.
	yes, no := true, false
	i := slices.IndexFunc(p.Items, func(e stream.Entry) bool { return e.Header.Title == "ad one" })
	_, _, err = w.s.SetState(t.Context(), user, p.Items[i].ID, stream.Change{Read: &no})
	w.ok(err)
	if got := w.titles(stream.Unread); !slices.Contains(got, "ad one") {
		t.Errorf("asked to see it, it is not among %q", got)
	}
	_, _, err = w.s.SetState(t.Context(), user, p.Items[i].ID, stream.Change{Read: &yes})
	w.ok(err)
}

// TestRulesLabel: items get their label once, with a snapshot; a label that was taken away is left out.
func TestRulesLabel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 12)
	id := w.feed()
	var kept, gone reader.LabelID
	_, err := w.store.Trees.Change(t.Context(), user, func(tree *library.Tree) (err error) {
		if kept, err = tree.AddLabel("kept"); err == nil {
			gone, err = tree.AddLabel("gone")
		}
		return err
	})
	w.ok(err)
	w.setRules(does("l", "gold", rules.Action{Do: rules.WithLabel, Label: kept},
		rules.Action{Do: rules.WithLabel, Label: gone}))
	_, err = w.store.Trees.Change(t.Context(), user, func(tree *library.Tree) error { return tree.DeleteLabel(gone) })
	w.ok(err)
	w.titled(id, "gold", "lead")
	w.unread()
	sub, err := w.store.Subscriptions.Get(t.Context(), user, id)
	w.ok(err)
	labels := reader.LabelSets(sub.Labels)
	if !labels.Of(kept).Has(1) || labels.Of(kept).Len() != 1 || labels.Of(gone).Len() != 0 {
		t.Errorf("labels on item 1: %v, on item 2: %v", labels.On(1), labels.On(2))
	}
	n := 0
	w.ok(w.store.Snapshots.Walk(t.Context(), user, kept, 0, true, 10, func(*store.SnapshotRow) (bool, error) {
		n++
		return true, nil
	}))
	if n != 1 {
		t.Errorf("%d snapshots", n)
	}
	done, err := w.s.ApplyRules(t.Context(), user, "", stream.Scope{}, "")
	w.ok(err)
	if done.Labelled != 0 {
		t.Errorf("labelled %d again", done.Labelled)
	}
}

// TestNoRulesCostNothing: who has no rules reads and writes not a unit more, whatever they look at.
func TestNoRulesCostNothing(t *testing.T) {
	t.Parallel()
	cost := func(withRules bool) (reads, writes float64) {
		w := newWorld(t, 2)
		id := w.feed()
		w.titled(id, "a", "b")
		if withRules {
			w.setRules(hide("x", "nothing"))
		}
		w.titled(id, "c")
		w.clk.Add(2 * time.Minute)
		before := w.meter.Snapshot()
		_, err := w.s.Feeds(t.Context(), user)
		w.ok(err)
		_, err = w.s.List(t.Context(), user, stream.Query{Scope: stream.Scope{Feed: id}, Filter: stream.All})
		w.ok(err)
		after := w.meter.Snapshot()
		return after.TotalReads() - before.TotalReads(), after.TotalWrites() - before.TotalWrites()
	}
	reads, writes := cost(false)
	// The side bar is in memory on this engine after one query of subscriptions and one of feeds (0.5 each); the list
	// takes subscription and feed from it, and reads a page of deltas (0.5).
	if writes != 0 || reads != 1.5 {
		t.Errorf("without rules: %v read units, %v write units", reads, writes)
	}
	reads, writes = cost(true)
	if writes != 1 || reads > 6 {
		t.Errorf("with a rule and one delta: %v read units, %v write units", reads, writes)
	}
}

// TestQuietFeedsAreNotJudged: with rules, a look at feeds without news writes nothing.
func TestQuietFeedsAreNotJudged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	for range 5 {
		w.titled(w.feed(), "ad", "news")
	}
	w.setRules(hide("ads", "ad"))
	w.unread()
	before := w.meter.Snapshot()
	w.unread()
	w.titles(stream.All)
	if d := w.meter.Snapshot().TotalWrites() - before.TotalWrites(); d != 0 {
		t.Errorf("%v write units", d)
	}
}

func TestScopesOfRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	a, b, c := w.feed(), w.feed(), w.feed()
	var outer, inner reader.FolderID
	_, err := w.store.Trees.Change(t.Context(), user, func(tree *library.Tree) error {
		inner = tree.Ensure([]string{"outer", "inner"})
		outer = tree.Ensure([]string{"outer"})
		return nil
	})
	w.ok(err)
	sub, err := w.store.Subscriptions.Get(t.Context(), user, b)
	w.ok(err)
	next := *sub
	next.Folders = []reader.FolderID{inner}
	_, err = w.store.Subscriptions.Change(t.Context(), user, sub, &next)
	w.ok(err)
	one, folder := hide("one", "ad"), hide("folder", "pr")
	one.Feeds, folder.Folders = []reader.FeedID{a}, []reader.FolderID{outer}
	w.setRules(one, folder)
	for _, id := range []reader.FeedID{a, b, c} {
		w.titled(id, fmt.Sprint("ad ", id), fmt.Sprint("pr ", id))
	}
	if got, want := w.titles(stream.Hidden), []string{"ad 1", "pr 2"}; !slices.Equal(got, want) {
		t.Errorf("hidden: %q, want %q", got, want)
	}
	one.Folders = []reader.FolderID{99}
	_, rev, err := w.s.Rules(t.Context(), user)
	w.ok(err)
	if err := w.s.SetRules(t.Context(), user, []rules.Rule{one}, rev); fault.CodeOf(err) != "bad_rule_value" {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := w.s.SetRules(t.Context(), user, []rules.Rule{does("l", "x", rules.Action{Do: rules.WithLabel, Label: 7})},
		rev); fault.CodeOf(err) != "bad_rule_value" {
		t.Errorf("a label that is not there: %v", err)
	}
	if err := w.s.SetRules(t.Context(), user, nil, rev-1); fault.CodeOf(err) != "rules_changed" {
		t.Errorf("an old revision: %v", err)
	}
}

// TestALongAbsenceIsJudgedInParts: what is not judged yet counts as unread, and counts only fall until all is.
func TestALongAbsenceIsJudgedInParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5)
	a, b := w.feed(), w.feed()
	w.titled(a, "begin")
	w.titled(b, "begin")
	w.setRules(hide("ads", "ad"))
	for i := range 50 {
		w.titled(a, fmt.Sprint("ad ", i), fmt.Sprint("news ", i))
		w.titled(b, fmt.Sprint("ad ", i), fmt.Sprint("news ", i))
	}
	var seen []int
	for range 4 {
		seen = append(seen, w.unread())
	}
	if want := []int{138, 102, 102, 102}; !slices.Equal(seen, want) {
		t.Errorf("unread counts %v, want %v", seen, want)
	}
	// One feed's own list goes on with what the side bar left.
	w.titled(a, "ad", "news")
	p, err := w.s.List(t.Context(), user, stream.Query{Scope: stream.Scope{Feed: a}, Filter: stream.Unread})
	w.ok(err)
	sub := p.Feeds[0]
	if sub.Unread() != 52 {
		t.Errorf("%d unread after the feed's own list", sub.Unread())
	}
}

// TestRulesThatAreGone stop costing: the marker goes with the first list that finds no rule.
func TestRulesThatAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 6)
	id := w.feed()
	w.titled(id, "begin")
	w.setRules(hide("ads", "ad"))
	w.setRules()
	w.titled(id, "ad")
	_, err := w.s.List(t.Context(), user, stream.Query{Scope: stream.Scope{Feed: id}, Filter: stream.All})
	w.ok(err)
	sub, err := w.store.Subscriptions.Get(t.Context(), user, id)
	w.ok(err)
	if sub.Ruled != 0 || len(w.titles(stream.Hidden)) != 0 {
		t.Errorf("ruled is %d, hidden %q", sub.Ruled, w.titles(stream.Hidden))
	}
}

// TestASubscriptionMadeLater: what was unread when it was made is judged, as it arrives for the person then.
func TestASubscriptionMadeLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 7)
	w.titled(w.feed(), "begin")
	f, err := w.store.Feeds.Ensure(t.Context(), "https://example.org/later", func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Period: 5, Status: "active", Subs: 1}
	})
	w.ok(err)
	w.titled(f.ID(), "ad read", "ad unread", "news")
	w.setRules(hide("ads", "ad"))
	w.ok(w.store.Subscriptions.Add(t.Context(), user, f.ID(),
		store.SubscriptionRow{Since: w.clk.Now().Unix() + 1, Upto: 1}))
	if got, want := w.titles(stream.Hidden), []string{"ad unread"}; !slices.Equal(got, want) {
		t.Errorf("hidden: %q, want %q", got, want)
	}
}

// TestShownStaysShown: what a person asks to see again is unread, and no rule takes it away a second time.
func TestShownStaysShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 8)
	id := w.feed()
	w.setRules(hide("ads", "ad"))
	w.titled(id, "ad 1", "ad 2")
	p, err := w.s.List(t.Context(), user, stream.Query{Filter: stream.Hidden, Limit: 50})
	w.ok(err)
	for range 2 { // the second time does nothing
		e, sub, err := w.s.Show(t.Context(), user, p.Items[0].ID)
		w.ok(err)
		if e.Hidden || e.Read || sub.Unread() != 1 {
			t.Errorf("%+v, %d unread", e, sub.Unread())
		}
	}
	done, err := w.s.ApplyRules(t.Context(), user, "", stream.Scope{}, "")
	w.ok(err)
	if done.Hidden != 0 || len(w.titles(stream.Unread)) != 1 {
		t.Errorf("%+v, unread %q", done, w.titles(stream.Unread))
	}
}

// TestApplyRules applies rules to what was unread before them, in parts, with undo of what was marked read.
func TestApplyRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9)
	a, b := w.feed(), w.feed()
	for i := range 150 {
		w.titled(a, fmt.Sprint("ad ", i), fmt.Sprint("dull ", i))
	}
	for i := range 60 {
		w.titled(b, fmt.Sprint("ad ", i), fmt.Sprint("news ", i))
	}
	w.setRules(hide("ads", "ad"), does("dull", "dull", rules.Action{Do: rules.MarkRead}))
	if n := w.unread(); n != 420 {
		t.Fatalf("%d unread", n)
	}
	if _, err := w.s.ApplyRules(t.Context(), user, "none", stream.Scope{}, ""); fault.CodeOf(err) != "rule_not_found" {
		t.Errorf("a rule that is not there: %v", err)
	}
	if _, err := w.s.ApplyRules(t.Context(), user, "", stream.Scope{}, "x"); fault.CodeOf(err) != "bad_cursor" {
		t.Errorf("a bad cursor: %v", err)
	}
	part, err := w.s.ApplyRules(t.Context(), user, "ads", stream.Scope{Feed: a}, "")
	w.ok(err)
	if part.Hidden != 150 || part.Read != 0 || part.Next != "" {
		t.Errorf("one rule of one feed: %+v", part)
	}
	for i := range 140 {
		w.titled(b, fmt.Sprint("more ", i))
	}
	var sum stream.Applied
	undo := map[reader.FeedID]string{}
	after, calls := "", 0
	for ; calls == 0 || after != ""; calls++ {
		part, err := w.s.ApplyRules(t.Context(), user, "", stream.Scope{}, after)
		w.ok(err)
		sum.Hidden, sum.Read, after = sum.Hidden+part.Hidden, sum.Read+part.Read, part.Next
		for _, x := range part.Undo {
			undo[x.Feed] = x.Token
		}
	}
	if sum.Hidden != 60 || sum.Read != 150 || calls != 1 || len(undo) != 1 || w.unread() != 200 {
		t.Errorf("%+v in %d calls, %d unread", sum, calls, w.unread())
	}
	if _, err := w.s.Undo(t.Context(), user, a, undo[a]); err != nil {
		t.Errorf("undo: %v", err)
	}
	if n := w.unread(); n != 350 {
		t.Errorf("%d unread after undo, want what was marked read and the news, and nothing hidden", n)
	}
}

// TestApplyGoesOn: a feed with more than one call looks at is gone through in parts.
func TestApplyGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 11)
	a, b := w.feed(), w.feed()
	for i := range 230 {
		w.titled(a, fmt.Sprint("ad ", i))
	}
	w.titled(b, "ad")
	w.setRules(hide("ads", "ad"))
	var hidden []int
	after := ""
	for len(hidden) == 0 || after != "" {
		part, err := w.s.ApplyRules(t.Context(), user, "", stream.Scope{}, after)
		w.ok(err)
		hidden, after = append(hidden, part.Hidden), part.Next
	}
	if !slices.Equal(hidden, []int{200, 31}) || w.unread() != 0 {
		t.Errorf("hidden %v, %d unread", hidden, w.unread())
	}
}

func TestTryRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10)
	a, b := w.feed(), w.feed()
	w.titled(a, "Ｇｏ言語の話", "other")
	w.titled(b, "Going", "go again")
	r := hide("try", "go")
	before := w.meter.Snapshot()
	found, looked, _, err := w.s.TryRule(t.Context(), user, r, stream.Scope{}, 200)
	w.ok(err)
	if looked != 4 || len(found) != 2 || found[0].Parts[0].Match != "go" || found[1].Parts[0].Match != "Ｇｏ" ||
		found[1].Parts[0].After != "言語の話" {
		t.Errorf("%d looked at, found %+v", looked, found)
	}
	if d := w.meter.Snapshot().TotalWrites() - before.TotalWrites(); d != 0 || len(w.titles(stream.Hidden)) != 0 {
		t.Errorf("a trial wrote %v units", d)
	}
	if _, looked, _, err := w.s.TryRule(t.Context(), user, r, stream.Scope{Feed: b}, 200); err != nil || looked != 2 {
		t.Errorf("one feed: %d, %v", looked, err)
	}
	if _, _, _, err := w.s.TryRule(t.Context(), user, r, stream.Scope{Feed: 99}, 200); !fault.Is(err, fault.NotFound) {
		t.Errorf("a feed without a subscription: %v", err)
	}
	if _, _, _, err := w.s.TryRule(t.Context(), user, r, stream.Scope{Folder: 9}, 200); !fault.Is(err, fault.NotFound) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestRulesSend: a rule sends each new item once, however many requests judge it, and not again when rules are applied
// to what was there.
func TestRulesSend(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	id := w.feed()
	hook, err := w.store.Webhooks.Add(t.Context(), user, "abc",
		store.WebhookRow{URL: "https://example.org/", Sent: true})
	w.ok(err)
	var sent []job.Spot
	w.s.OnSend(func(_ context.Context, u reader.UserID, to string, items []job.Spot) error {
		if u != user || to != hook.Hook() {
			t.Errorf("sent to %s of %s", to, u)
		}
		sent = append(sent, items...)
		return nil
	})
	gold := does("gold", "gold", rules.Action{Do: rules.Send, Hook: "abc"})
	w.setRules(gold)
	w.titled(id, "gold one", "news", "gold two")
	for range 3 {
		w.titles(stream.All)
	}
	if len(sent) != 2 || sent[0].Seq != 1 || sent[1].Seq != 3 || sent[0].Item.Feed() != id {
		t.Errorf("sent %+v", sent)
	}
	gold.Actions[0].Hook = "other"
	_, rev, err := w.s.Rules(t.Context(), user)
	w.ok(err)
	if err := w.s.SetRules(t.Context(), user, []rules.Rule{gold}, rev); fault.CodeOf(err) != "bad_rule_value" {
		t.Errorf("a webhook that does not exist: %v", err)
	}
}
