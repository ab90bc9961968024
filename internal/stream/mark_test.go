package stream_test

import (
	"fmt"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// reading describes the user's reading byte for byte, without the versions of the rows.
func (w *world) reading() string {
	w.t.Helper()
	var out string
	w.ok(w.store.Subscriptions.EachLatest(w.t.Context(), user, func(row *store.SubscriptionRow) error {
		f, err := w.store.Feeds.Get(w.t.Context(), row.Feed(), true)
		s := row.StateIn(f)
		out += fmt.Sprintf("%d: %d %x %x %d %x\n", row.Feed(), s.Upto, s.Runs, s.Stars, s.ReadAt, s.Tally)
		return err
	}))
	return out
}

// TestMarkingAllAsShown marks every feed up to what a list showed, for one write unit in all, and takes it back
// byte for byte.
func TestMarkingAllAsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 81)
	var ids []reader.FeedID
	for i := range 20 {
		id := w.feed()
		ids = append(ids, id)
		if i%5 > 0 { // every fifth has nothing
			w.news(id, 1+w.rng.IntN(5))
		}
	}
	w.settings(ids[1], func(f *store.SubscriptionRow) { f.Mute = true })
	p, err := w.s.List(t.Context(), user, stream.Query{Limit: 3})
	w.ok(err)
	w.clk.Add(time.Hour)
	w.news(ids[2], 2)
	w.news(ids[5], 1)
	before, units := w.reading(), w.meter.Snapshot().TotalWrites()
	done, err := w.s.MarkRead(t.Context(), user, stream.Mark{AsOf: p.AsOf})
	w.ok(err)
	if n := w.meter.Snapshot().TotalWrites() - units; n != 1 || len(done.Feeds) != 15 {
		t.Errorf("%v write units, %d feeds; 15 had something that was shown", n, len(done.Feeds))
	}
	list, err := w.s.Feeds(t.Context(), user)
	w.ok(err)
	for i := range list {
		want := map[reader.FeedID]int{ids[1]: int(list[1].Feed.Seq), ids[2]: 2, ids[5]: 1}[list[i].Feed.ID()]
		if list[i].Unread() != want {
			t.Errorf("feed %s has %d unread, want %d", list[i].Feed.ID(), list[i].Unread(), want)
		}
	}
	totals, err := w.s.Totals(t.Context(), user)
	w.ok(err)
	if totals.Unread != 3 {
		t.Errorf("%d are unread in all, want the 3 that came later", totals.Unread)
	}
	if len(done.Undo) > 20 {
		t.Errorf("the undo of 15 feeds is %d bytes", len(done.Undo))
	}
	w.clk.Add(9 * time.Minute)
	back, err := w.s.Undo(t.Context(), user, 0, done.Undo)
	w.ok(err)
	if got := w.reading(); got != before || len(back) != 15 {
		t.Errorf("undone in %d feeds:\n%s\nwas\n%s", len(back), got, before)
	}
	if _, err := w.s.Undo(t.Context(), user, 0, done.Undo); !fault.Is(err, fault.Conflict) {
		t.Errorf("undone twice: %v", err)
	}
	done, err = w.s.MarkRead(t.Context(), user, stream.Mark{AsOf: p.AsOf})
	w.ok(err)
	w.clk.Add(stream.UndoFor + time.Second)
	if _, err := w.s.Undo(t.Context(), user, 0, done.Undo); !fault.Is(err, fault.Conflict) {
		t.Errorf("undone after more than ten minutes: %v", err)
	}
	if again, err := w.s.MarkRead(t.Context(), user, stream.Mark{AsOf: p.AsOf}); err != nil || len(again.Feeds) > 0 ||
		again.Undo != "" {
		t.Errorf("marking what is read changed %d feeds, %v", len(again.Feeds), err)
	}
}

// TestMarkingAboveAndBelow compares marks above and below an item with the list that they refer to, in both orders.
func TestMarkingAboveAndBelow(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		w := newWorld(t, 2000+seed)
		ids := []reader.FeedID{w.feed(), w.feed(), w.feed()}
		if seed%4 == 3 {
			w.noted, w.steps = true, []time.Duration{10 * time.Minute, hours(20), hours(24 * 20)}
		}
		for range 15 {
			w.news(ids[w.rng.IntN(3)], 1+w.rng.IntN(6))
			w.pass(600)
		}
		list := w.pages(stream.Query{Oldest: seed%2 == 1}, func() int { return 50 })
		p, err := w.s.List(t.Context(), user, stream.Query{})
		w.ok(err)
		for _, e := range list {
			if yes := true; w.rng.IntN(3) == 0 {
				_, _, err := w.s.SetState(t.Context(), user, e.ID, stream.Change{Read: &yes})
				w.ok(err)
			}
		}
		w.news(ids[0], 3) // not shown: never touched
		list = w.states(list)
		at := w.rng.IntN(len(list))
		m := stream.Mark{AsOf: p.AsOf, Item: list[at].ID, Below: seed%4 > 1, Oldest: seed%2 == 1}
		if w.rng.IntN(3) == 0 {
			m.Scope.Feed = list[at].Feed
		}
		before := w.reading()
		done, err := w.s.MarkRead(t.Context(), user, m)
		w.ok(err)
		for i, e := range w.states(list) {
			side := i != at && (i > at) == m.Below && (m.Feed == 0 || m.Feed == e.Feed)
			if e.Read != (list[i].Read || side) {
				t.Fatalf("seed %d, %+v: item %d of %d (at %d) is read: %v, was %v", seed, m, i, len(list), at,
					e.Read, list[i].Read)
			}
		}
		sub, err := w.s.Get(t.Context(), user, ids[0])
		w.ok(err)
		for seq := sub.Feed.Seq - 2; seq <= sub.Feed.Seq; seq++ {
			if sub.State.IsRead(reader.Seq(seq)) {
				t.Fatalf("seed %d: an item that was not shown was marked", seed)
			}
		}
		if done.Undo != "" {
			_, err = w.s.Undo(t.Context(), user, 0, done.Undo)
			w.ok(err)
		}
		if got := w.reading(); got != before {
			t.Fatalf("seed %d: undone it is\n%s\nwas\n%s", seed, got, before)
		}
	}
}

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

func idsOf(list []stream.Entry) []reader.ItemID {
	out := make([]reader.ItemID, len(list))
	for i := range list {
		out[i] = list[i].ID
	}
	return out
}

// TestAFlushIsOneWriteAFeed: a thousand items of five feeds cost five write units, and what was just listed is resolved
// without a read; repeated, it does nothing, not even after another device changed the items back. (G-19, G-55)
func TestAFlushIsOneWriteAFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 82)
	var ids []reader.FeedID
	for range 5 {
		ids = append(ids, w.feed())
	}
	for range 10 {
		for _, id := range ids {
			w.news(id, 20)
		}
		w.clk.Add(time.Hour)
	}
	list := w.pages(stream.Query{}, func() int { return 200 })
	if len(list) != 1000 {
		t.Fatalf("%d items", len(list))
	}
	flush := stream.Flush{Device: 7, Counter: 1, Changes: []stream.BulkChange{
		{IDs: idsOf(list), Change: stream.Change{Read: yes()}},
		{IDs: idsOf(list[:10]), Change: stream.Change{Read: no()}},
	}}
	before := w.meter.Snapshot()
	done, err := w.s.Flush(t.Context(), user, flush)
	w.ok(err)
	after := w.meter.Snapshot()
	if n := after.TotalWrites() - before.TotalWrites(); n != 5 {
		t.Errorf("%v write units", n)
	}
	if n := after.Reads["delta"] - before.Reads["delta"]; n != 0 {
		t.Errorf("%v read units to find what was just listed", n)
	}
	for i, it := range done.Items {
		if it.ID != list[i].ID || it.Gone || it.Read != (i >= 10) {
			t.Fatalf("item %d is %+v", i, it)
		}
	}
	_, err = w.s.Flush(t.Context(), user,
		stream.Flush{Device: 8, Counter: 1,
			Changes: []stream.BulkChange{{IDs: idsOf(list[500:]), Change: stream.Change{Read: no()}}}})
	w.ok(err)
	before = w.meter.Snapshot()
	again, err := w.s.Flush(t.Context(), user, flush)
	w.ok(err)
	if n := w.meter.Snapshot().TotalWrites() - before.TotalWrites(); n != 0 || again.Items[500].Read ||
		!again.Items[400].Read {
		t.Errorf("repeated: %v write units, %+v", n, again.Items[500])
	}
	// A fresh process knows no places, and finds them.
	cold := stream.New(w.store, w.blobs, w.clk)
	found, err := cold.Flush(t.Context(), user,
		stream.Flush{Device: 7, Counter: 2, Remember: true,
			Changes: []stream.BulkChange{{IDs: idsOf(list), Change: stream.Change{Read: yes()}}}})
	w.ok(err)
	if slices.ContainsFunc(found.Items, func(i stream.ItemState) bool {
		return i.Gone || !i.Read
	}) || found.Undo == "" {
		t.Error("not all are found and read")
	}
	_, err = cold.Undo(t.Context(), user, 0, found.Undo)
	w.ok(err)
	totals, err := w.s.Totals(t.Context(), user)
	w.ok(err)
	if totals.Unread != 510 {
		t.Errorf("%d unread after undo, want 510", totals.Unread)
	}
}

// TestChangesOfAFlushAreInOrder: a hidden item that is marked unread and then read is no longer hidden.
func TestChangesOfAFlushAreInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 84)
	id := w.feed()
	w.news(id, 9)
	list := idsOf(w.pages(stream.Query{}, func() int { return 9 }))
	for _, last := range []*bool{yes(), no()} {
		putAway(t, w, id, 1, 2, 3, 4, 5, 6, 7, 8, 9)
		done, err := w.s.Flush(t.Context(), user, stream.Flush{Changes: []stream.BulkChange{
			{IDs: list, Change: stream.Change{Read: yes()}}, {IDs: list[2:], Change: stream.Change{Read: no()}},
			{IDs: list, Change: stream.Change{Read: last}},
		}})
		w.ok(err)
		want := 0
		if *last {
			want = 2
		}
		if hidden := done.Feeds[0].State.Hid.Len(); hidden != want || done.Items[5].Read != *last {
			t.Errorf("last read %v: %d are hidden, %+v", *last, hidden, done.Items[5])
		}
	}
}

// TestAFlushTellsWhatIsGone: items below the floor and ids that never were stop nothing.
func TestAFlushTellsWhatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 83)
	id := w.feed()
	for range 5 {
		w.news(id, 3)
		w.clk.Add(time.Hour)
	}
	list := w.pages(stream.Query{Oldest: true, Scope: stream.Scope{Feed: id}}, func() int { return 50 })
	sort.Slice(list, func(i, j int) bool { return list[i].Seq < list[j].Seq })
	_, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) { f.Floor = 6 })
	w.ok(err)
	want := append(idsOf(list), reader.NewItemID(1, id, 3), reader.NewItemID(5, 99, 1))
	done, err := w.s.Flush(t.Context(), user,
		stream.Flush{Changes: []stream.BulkChange{{IDs: want, Change: stream.Change{Read: yes(), Starred: yes()}}}})
	w.ok(err)
	for i, it := range done.Items {
		if gone := i < 6 || i >= 15; it.Gone != gone || !gone && (!it.Read || !it.Starred) {
			t.Errorf("item %d: %+v", i, it)
		}
	}
	if stars := w.pages(stream.Query{Filter: stream.Starred}, func() int { return 4 }); len(stars) != 9 {
		t.Errorf("%d stars", len(stars))
	}
}

func (w *world) labelDefined(name string) (l reader.LabelID) {
	w.t.Helper()
	_, err := w.store.Trees.Change(w.t.Context(), user, func(tr *library.Tree) (err error) {
		l, err = tr.AddLabel(name)
		return err
	})
	w.ok(err)
	return l
}

// TestLabelledItemsOutliveTheirFeed: labels are snapshots as stars are, in streams and counts of their own.
func TestLabelledItemsOutliveTheirFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 84)
	a, b := w.labelDefined("later"), w.labelDefined("work")
	id := w.feed()
	small, large := w.item(id, "raw1", w.raw("raw1", "small")), w.item(id, "raw2", w.raw("raw2", noise(20_000)))
	for _, item := range []reader.ItemID{small, large} {
		_, _, err := w.s.SetLabels(t.Context(), user, item, []reader.LabelID{a, b})
		w.ok(err)
	}
	e, _, err := w.s.SetLabels(t.Context(), user, small, []reader.LabelID{b})
	w.ok(err)
	if !slices.Equal(e.Labels, []reader.LabelID{b}) {
		t.Errorf("the item has %v", e.Labels)
	}
	list, err := w.s.Feeds(t.Context(), user)
	w.ok(err)
	for label, want := range map[reader.LabelID]int{a: 1, b: 2} {
		items, unread := 0, 0
		for i := range list {
			items, unread = items+list[i].State.Labels.Of(label).Len(), unread+list[i].LabelledUnread(label)
		}
		if items != want || unread != want {
			t.Errorf("label %d has %d items, %d unread, want %d", label, items, unread, want)
		}
	}
	few := func() int { return 1 }
	for label, want := range map[reader.LabelID]int{a: 1, b: 2} {
		if got := w.pages(stream.Query{Scope: stream.Scope{Label: label}}, few); len(got) != want ||
			!slices.Contains(got[0].Labels, label) {
			t.Errorf("label %d lists %+v", label, got)
		}
	}
	if _, _, err := w.s.SetLabels(t.Context(), user, small, []reader.LabelID{77}); !fault.Is(err, fault.NotFound) {
		t.Errorf("a label that is not there gives %v", err)
	}
	if _, err := w.s.List(t.Context(), user, stream.Query{Scope: stream.Scope{Label: 77}}); !fault.Is(err,
		fault.NotFound) {
		t.Errorf("the stream of a label that is not there gives %v", err)
	}
	w.ok(w.store.Subscriptions.Remove(t.Context(), user, id))
	found, sub, err := w.s.Find(t.Context(), user, large)
	w.ok(err)
	body, err := w.s.Body(t.Context(), user, found, sub)
	w.ok(err)
	if body.State != stream.ContentFull || len(body.HTML) < 20_000 || found.Starred {
		t.Errorf("the labelled item has %d bytes, %s, starred %v", len(body.HTML), body.State, found.Starred)
	}
	if n := w.count(store.StarPrefix); n != 2 {
		t.Errorf("%d blobs for the two labels of the large one", n)
	}
	_, err = w.store.Trees.Change(t.Context(), user, func(tr *library.Tree) error { return tr.DeleteLabel(b) })
	w.ok(err)
	done, err := w.s.RemoveLabel(t.Context(), user, b)
	if err != nil || !done || w.count(store.StarPrefix) != 1 {
		t.Errorf("removing a label: %v, %v, %d blobs are left", done, err, w.count(store.StarPrefix))
	}
	if _, err := w.s.Flush(t.Context(), user,
		stream.Flush{
			Changes: []stream.BulkChange{
				{IDs: []reader.ItemID{large}, Change: stream.Change{RemoveLabels: []reader.LabelID{a}}}}}); err != nil {
		t.Fatal(err)
	}
	if n := w.count(store.StarPrefix); n != 0 {
		t.Errorf("%d blobs are left", n)
	}
	if _, _, err := w.s.Find(t.Context(), user, large); !fault.Is(err, fault.NotFound) {
		t.Errorf("an item that nothing keeps gives %v", err)
	}
}

// TestRemovingALabelInParts goes on where the call before ended, and leaves no bit.
func TestRemovingALabelInParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 85)
	l := w.labelDefined("x")
	id := w.feed()
	for range 60 {
		w.news(id, 10)
		w.clk.Add(time.Hour)
	}
	list := w.pages(stream.Query{}, func() int { return 200 })
	_, err := w.s.Flush(t.Context(), user,
		stream.Flush{
			Changes: []stream.BulkChange{{IDs: idsOf(list), Change: stream.Change{AddLabels: []reader.LabelID{l}}}}})
	w.ok(err)
	for i, want := range []bool{false, true} {
		done, err := w.s.RemoveLabel(t.Context(), user, l)
		if err != nil || done != want {
			t.Fatalf("call %d: %v, %v", i, done, err)
		}
		sub, err := w.s.Get(t.Context(), user, id)
		w.ok(err)
		if len(sub.Sub.Labels) > 0 {
			t.Fatalf("bits are left: %x", sub.Sub.Labels)
		}
	}
	if left := w.pages(stream.Query{Scope: stream.Scope{Label: l}}, func() int { return 50 }); len(left) != 0 {
		t.Errorf("%d are left", len(left))
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("")
	f.Add("AQEBAg")
	f.Add("AZDzt_3NZwEBAQI")
	w := newWorld(&testing.T{}, 86)
	f.Fuzz(func(t *testing.T, token string) {
		ctx := t.Context()
		_, err := w.s.MarkRead(ctx, user, stream.Mark{AsOf: token})
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("as of %q: %v", token, err)
		}
		_, err = w.s.Undo(ctx, user, 0, token)
		if err == nil || !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.Conflict) {
			t.Fatalf("undo %q: %v", token, err)
		}
	})
}
