package stream_test

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// later is after all that tests list.
const later int64 = math.MaxInt64

// naive is IDs by its definition: every row is read, every item compared. Of items that are listed later than a time
// it has none.
func (w *world) naive(s *stream.Service, q stream.IDQuery, upTo int64) []reader.ItemID {
	w.t.Helper()
	ctx := context.Background()
	list, err := s.Feeds(ctx, user)
	w.ok(err)
	subs := map[reader.FeedID]*stream.Subscribed{}
	for _, x := range list {
		subs[x.Feed.ID()] = x
	}
	tree, err := w.store.Trees.Get(ctx, user)
	w.ok(err)
	within, _ := tree.Within(q.Folder)
	var ids []reader.ItemID
	add := func(id reader.ItemID, isRead, isStarred bool) {
		is := map[stream.State]bool{stream.IsUnread: !isRead, stream.IsRead: isRead, stream.IsStarred: isStarred}
		at := s.Listed(id)
		if (q.Is == stream.AnyState || is[q.Is]) && !is[q.Not] && id > q.Above && (q.Below == 0 || id < q.Below) &&
			(q.From == 0 || at >= q.From-1) && (q.To == 0 || at <= q.To) && at <= upTo {
			ids = append(ids, id)
		}
	}
	if q.Label > 0 || q.Is == stream.IsStarred {
		w.ok(w.store.Snapshots.Walk(ctx, user, q.Label, 0, false, 100, func(row *store.SnapshotRow) (bool, error) {
			x := subs[reader.FeedID(row.Feed)]
			switch {
			case q.Feed > 0 && row.Feed != uint32(q.Feed), q.Folder > 0 && (x == nil || !x.Sub.In(within)):
			case x == nil:
				add(row.ID(), true, q.Label == 0)
			default:
				add(row.ID(), x.State.IsRead(reader.Seq(row.Seq)), x.State.Stars.Has(reader.Seq(row.Seq)))
			}
			return true, nil
		}))
	} else {
		for id, x := range subs {
			if q.Feed > 0 && id != q.Feed || q.Folder > 0 && !x.Sub.In(within) ||
				q.Scope == (stream.Scope{}) && x.Sub.Mute {
				continue
			}
			w.ok(w.store.Items.EachItem(ctx, x.Feed, func(_ *store.Header, at store.Place) {
				if !x.State.Hid.Has(at.Seq) {
					add(reader.NewItemID(at.Stamp, id, at.Seq), x.State.IsRead(at.Seq), x.State.Stars.Has(at.Seq))
				}
			}))
		}
	}
	slices.SortFunc(ids, func(a, b reader.ItemID) int {
		if q.Oldest {
			a, b = b, a
		}
		return cmp.Compare(b, a)
	})
	return ids
}

// listed reads a list of ids to its end, page by page.
func (w *world) listed(ctx context.Context, s *stream.Service, q stream.IDQuery) (all []reader.ItemID) {
	w.t.Helper()
	for range 10_000 {
		ids, more, err := s.IDs(ctx, user, q)
		w.ok(err)
		if len(ids) > q.Limit || more && len(ids) < q.Limit {
			w.t.Fatalf("a page of %d ids, at most %d, more: %v", len(ids), q.Limit, more)
		}
		if all = append(all, ids...); !more {
			return all
		}
		if q.Oldest {
			q.Above = ids[len(ids)-1]
		} else {
			q.Below = ids[len(ids)-1]
		}
	}
	w.t.Fatal("the list does not end")
	return nil
}

// remote opens the same rows as where the table is remote.
func (w *world) remote() *stream.Service {
	far := table.New(remoteTable{w.store.Table().Driver()}, table.Options{Clock: w.clk, Kind: store.Kind})
	return stream.New(store.New(far, w.clk), w.blobs, w.clk)
}

// TestIDsAgainstAModel compares lists of ids with their definition while feeds get items, the user reads, stars,
// labels, hides, mutes, moves and leaves feeds, and old items are removed: in the process that has all in memory, in
// one that starts anew, and where the table is remote; over SQLite as well.
func TestIDsAgainstAModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		var rows table.Driver = memtable.New()
		if seed == 0 {
			file, err := sqlitetable.Open(filepath.Join(t.TempDir(), "ruri.db"), sqlitetable.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = file.Close() })
			rows = file
		}
		m := newModel(t, 700+seed, rows)
		for range 120 {
			m.step()
			m.clk.Add(time.Duration(m.rng.IntN(200)) * time.Second)
			q := m.query()
			far := m.far
			if m.rng.IntN(3) == 0 {
				far = m.remote()
			}
			m.clk.Add(61 * time.Second) // rows of feeds that are held expire
			for name, s := range map[string]*stream.Service{"same": m.s, "new": stream.New(m.store, m.blobs, m.clk),
				"remote": far} {
				ctx, upTo := t.Context(), later
				if m.rng.IntN(2) == 0 {
					ctx, upTo = stream.Settled(ctx), m.clk.Now().Unix()
				}
				got, want := m.listed(ctx, s, q), m.naive(s, q, upTo)
				if !slices.Equal(got, want) {
					i := 0
					for i < min(len(got), len(want)) && got[i] == want[i] {
						i++
					}
					t.Fatalf("seed %d, %s, %+v: %d ids, want %d; they differ from the %dth on: %v, want %v", seed, name,
						q, len(got), len(want), i, got[i:min(i+3, len(got))], want[i:min(i+3, len(want))])
				}
			}
		}
	}
}

// model is a user who does all there is to do.
type model struct {
	*world
	far    *stream.Service
	subs   []reader.FeedID
	folder [2]reader.FolderID // the second is in the first
	label  reader.LabelID
}

func newModel(t *testing.T, seed uint64, rows table.Driver) *model {
	m := &model{world: newWorldOver(t, seed, rows)}
	m.far, m.label = m.remote(), m.labelDefined("later")
	_, err := m.store.Trees.Change(t.Context(), user, func(tree *library.Tree) error {
		m.folder = [2]reader.FolderID{tree.Ensure([]string{"outer"}), tree.Ensure([]string{"outer", "inner"})}
		return nil
	})
	m.ok(err)
	for range 6 {
		m.subs = append(m.subs, m.feed())
		m.news(m.subs[len(m.subs)-1], 1+m.rng.IntN(60))
	}
	return m
}

// step changes something.
func (m *model) step() {
	ctx, id := context.Background(), m.subs[m.rng.IntN(len(m.subs))]
	items := m.naive(m.s, stream.IDQuery{Scope: stream.Scope{Feed: id}}, later)
	some := func() (list []reader.ItemID) {
		for range min(1+m.rng.IntN(4), len(items)) {
			list = append(list, items[m.rng.IntN(len(items))])
		}
		return list
	}
	change := func(ids []reader.ItemID, c stream.Change) {
		_, err := m.s.Flush(ctx, user, stream.Flush{Changes: []stream.BulkChange{{IDs: ids, Change: c}}})
		m.ok(err)
	}
	yes := m.rng.IntN(2) == 0
	switch m.rng.IntN(11) {
	case 0, 1:
		m.news(id, 1+m.rng.IntN(5))
	case 2:
		m.news(id, 200+m.rng.IntN(500)) // so that ids of one minute begin anew now and then
	case 3:
		change(some(), stream.Change{Read: &yes})
	case 4:
		change(some(), stream.Change{Starred: &yes})
	case 5:
		c := stream.Change{AddLabels: []reader.LabelID{m.label}}
		if yes {
			c = stream.Change{RemoveLabels: []reader.LabelID{m.label}}
		}
		change(some(), c)
	case 6:
		_, err := m.s.MarkRead(ctx, user, stream.Mark{Scope: stream.Scope{Folder: m.folder[m.rng.IntN(2)]}})
		m.ok(err)
	case 7:
		m.settings(id, func(row *store.SubscriptionRow) {
			row.Mute = yes
			row.Folders = []reader.FolderID{m.folder[m.rng.IntN(2)]}
		})
	case 8: // retention
		_, err := m.store.Feeds.Modify(ctx, id, func(f *store.FeedRow) {
			if f.Seq > f.Floor {
				f.Floor += uint32(m.rng.IntN(int(f.Seq-f.Floor) + 1))
			}
		})
		m.ok(err)
	case 9:
		if len(items) == 0 {
			return
		}
		sub, err := m.s.Get(ctx, user, id)
		m.ok(err)
		next, _ := reader.Apply(sub.State,
			reader.Change{Ops: []reader.Op{{Kind: reader.OpHide, Seqs: []reader.Seq{reader.Seq(sub.Feed.Seq)}}},
				Last: reader.Seq(sub.Feed.Seq), At: 1})
		_, err = m.store.Subscriptions.ChangeState(ctx, user, sub.Sub, next)
		m.ok(err)
	case 10: // what is starred or labelled stays, and can be changed
		m.ok(m.store.Subscriptions.Remove(ctx, user, id))
		m.subs = slices.DeleteFunc(m.subs, func(x reader.FeedID) bool { return x == id })
		_ = m.listed(ctx, m.far, stream.IDQuery{Is: stream.IsStarred, Limit: 9})
		if kept := m.naive(m.s, stream.IDQuery{Is: stream.IsStarred, Limit: 9}, later); len(kept) > 0 {
			no := false
			change(kept[:1], stream.Change{Starred: &no})
		}
		m.subs = append(m.subs, m.feed())
		m.news(m.subs[len(m.subs)-1], 30)
	}
}

func (m *model) query() stream.IDQuery {
	states := []stream.State{stream.AnyState, stream.IsUnread, stream.IsRead, stream.IsStarred}
	q := stream.IDQuery{
		Is: states[m.rng.IntN(4)], Not: states[m.rng.IntN(4)], Oldest: m.rng.IntN(2) == 0,
		Limit: []int{1, 3, 40, 1000, 50_000}[m.rng.IntN(5)],
	}
	switch m.rng.IntN(6) {
	case 0:
		q.Feed = m.subs[m.rng.IntN(len(m.subs))]
	case 1:
		q.Folder = m.folder[m.rng.IntN(2)]
	case 2:
		q.Label = m.label
	}
	if q.Limit == 1 && q.Is != stream.IsStarred {
		q.Limit = 2 // thousands of pages say no more
	}
	ago := func() int64 { return m.clk.Now().Unix() - int64(m.rng.IntN(4000)) }
	if m.rng.IntN(3) == 0 {
		q.From = ago()
	}
	if m.rng.IntN(4) == 0 {
		q.To = ago()
	}
	if all := m.naive(m.s, stream.IDQuery{}, later); len(all) > 0 && m.rng.IntN(2) == 0 {
		q.Above = all[m.rng.IntN(len(all))]
		if m.rng.IntN(3) == 0 {
			q.Below = all[m.rng.IntN(len(all))]
		}
	}
	return q
}

// TestReadUnitsOfASync bounds what an incremental synchronisation of 100 feeds costs where each row read has its price:
// the lists of folders and of subscriptions, the ids of unread and of starred items, and of what is new. Beside the
// feeds' rows, which are read once, it is two and a half read units, and one more in a new process, which reads what
// another has cached. Nothing is written. With rows of 680 bytes, as most are, that makes 11 and 12.
func TestReadUnitsOfASync(t *testing.T) {
	t.Parallel()
	w := manyFeeds(t, 100)
	yes := true
	page, err := w.s.List(t.Context(), user, stream.Query{Limit: 100})
	w.ok(err)
	for _, e := range page.Items {
		_, _, err := w.s.SetState(t.Context(), user, e.ID, stream.Change{Starred: &yes})
		w.ok(err)
	}
	far := table.New(remoteTable{w.store.Table().Driver()}, table.Options{Clock: w.clk, Kind: store.Kind})
	st := store.New(far, w.clk)
	before := far.Meter().Snapshot()
	w.ok(st.Feeds.Each(t.Context(), func(*store.FeedRow) error { return nil }))
	rows := far.Meter().Snapshot().Reads["feed"] - before.Reads["feed"]
	unread := w.naive(w.s, stream.IDQuery{Is: stream.IsUnread}, later)
	process := func() *stream.Service { return stream.New(store.New(far, w.clk), w.blobs, w.clk) }
	s := process()
	sync := func(what string, most float64) {
		t.Helper()
		w.clk.Add(10 * time.Minute)
		before := far.Meter().Snapshot()
		for range 2 { // folders, subscriptions
			ctx := stream.Syncing(t.Context())
			_, err := s.Tree(ctx, user)
			w.ok(err)
			_, err = s.Feeds(ctx, user)
			w.ok(err)
			w.clk.Add(300 * time.Millisecond)
		}
		for _, q := range []stream.IDQuery{{Is: stream.IsUnread}, {Is: stream.IsStarred},
			{From: w.clk.Now().Unix() - 900}} {
			q.Limit = stream.MaxIDs
			ids, _, err := s.IDs(stream.Syncing(t.Context()), user, q)
			w.ok(err)
			if want := map[stream.State]int{stream.IsUnread: len(unread),
				stream.IsStarred: len(page.Items)}[q.Is]; want > 0 && len(ids) != want {
				t.Errorf("%s: %d ids of %+v, want %d", what, len(ids), q, want)
			}
			w.clk.Add(300 * time.Millisecond)
		}
		after := far.Meter().Snapshot()
		reads, feeds, writes := after.TotalReads()-before.TotalReads(), after.Reads["feed"]-before.Reads["feed"],
			after.TotalWrites()-before.TotalWrites()
		t.Logf("%-32s %5.1f read units, %.1f of them for feeds' rows (%.0f bytes each); %.1f written", what, reads,
			feeds, rows*8192/100, writes)
		if most > 0 && (reads-feeds > most || feeds > rows || writes > 0) {
			t.Errorf("%s: %.1f read units, %.1f of them for feeds, %.1f write units", what, reads, feeds, writes)
		}
	}
	sync("the first of all", 0)
	sync("the next", 0)
	sync("an incremental one", 2.5)
	s = process()
	sync("by a new process", 3.5)
	sync("by the same again", 2.5)
}

// TestSyncingSeesWhatIsWritten: a program's own changes are in its next list, and others' a few seconds later.
func TestSyncingSeesWhatIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 94)
	id := w.feed()
	w.news(id, 5)
	w.clk.Add(time.Hour)
	s, other := w.remote(), w.remote()
	unread := func() int {
		t.Helper()
		ids, _, err := s.IDs(stream.Syncing(t.Context()), user, stream.IDQuery{Is: stream.IsUnread, Limit: 100})
		w.ok(err)
		return len(ids)
	}
	read := func(s *stream.Service, id reader.ItemID) {
		yes := true
		_, _, err := s.SetState(stream.Syncing(t.Context()), user, id, stream.Change{Read: &yes})
		w.ok(err)
	}
	ids := w.naive(w.s, stream.IDQuery{}, later)
	for i, want := range []int{5, 4, 3, 2} {
		if n := unread(); n != want {
			t.Errorf("after %d marks %d are unread", i, n)
		}
		read(s, ids[i])
		w.clk.Add(700 * time.Millisecond)
	}
	w.clk.Add(time.Second)
	if n := unread(); n != 1 {
		t.Errorf("%d are unread, want 1", n)
	}
	read(other, ids[4])
	w.clk.Add(5 * time.Second)
	if n := unread(); n != 0 {
		t.Errorf("5 s after another process's mark %d are unread", n)
	}
}

// TestNothingIsMissed: a program that goes on from the newest id it has, or from the time of its last request, gets
// every item once, or at least once, whatever is committed in between: in the minute it was stamped in or up to 30
// seconds later, in any order of feeds, and where the table is remote.
func TestNothingIsMissed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		w := newWorld(t, 800+seed)
		feeds := make([]reader.FeedID, 20)
		for i := range feeds {
			feeds[i] = w.feed()
		}
		w.clk.Add(time.Hour)
		type client struct {
			s      *stream.Service
			recent bool
			above  reader.ItemID
			at     int64
			have   map[reader.ItemID]int
		}
		clients := map[string]*client{
			"by id": {s: w.s}, "by id, remote": {s: w.remote()}, "by time": {s: w.s, at: 1},
			"by time, remote":              {s: w.remote(), at: 1},
			"by time, as soon as possible": {s: w.s, at: 1, recent: true},
			"the same, remote":             {s: w.remote(), at: 1, recent: true},
		}
		for _, c := range clients {
			c.have = map[reader.ItemID]int{}
		}
		sync := func(c *client) {
			q := stream.IDQuery{Limit: 10_000, Above: c.above, From: c.at, Oldest: true}
			ctx := stream.Syncing(t.Context())
			if !c.recent {
				ctx = stream.Settled(ctx)
			}
			ids, more, err := c.s.IDs(ctx, user, q)
			w.ok(err)
			if more {
				t.Fatal("more than are there")
			}
			for _, id := range ids {
				c.have[id]++
			}
			if c.at > 0 {
				c.at = w.clk.Now().Unix()
			} else if len(ids) > 0 {
				c.above = ids[len(ids)-1]
			}
		}
		late := map[reader.FeedID]func(){}
		for range 600 {
			w.clk.Add(time.Duration(w.rng.IntN(12_000)) * time.Millisecond)
			id := feeds[w.rng.IntN(len(feeds))]
			if commit := late[id]; commit != nil {
				commit()
				delete(late, id)
			} else {
				began := w.clk.Now()
				late[id] = func() {
					if w.clk.Now().Sub(began) > 30*time.Second {
						began = w.clk.Now() // a commit takes a new stamp
					}
					now := w.clk.Now()
					w.clk.Set(began)
					w.news(id, 1+w.rng.IntN(3))
					w.clk.Set(now)
				}
			}
			for _, c := range clients {
				if w.rng.IntN(4) == 0 {
					sync(c)
				}
			}
		}
		w.clk.Add(5 * time.Minute)
		want := w.naive(w.s, stream.IDQuery{}, later)
		for name, c := range clients {
			sync(c)
			for _, id := range want {
				if n := c.have[id]; n == 0 || n > 1 && c.at == 0 {
					t.Errorf("seed %d, %s: item %d came %d times", seed, name, id, n)
				}
			}
		}
	}
}
