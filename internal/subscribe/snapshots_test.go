package subscribe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// keeper stars and labels items as the reader does, and looks at what is kept.
type keeper struct {
	t *testing.T
	w *flow.Env
	u reader.UserID
	s *stream.Service
}

func keeping(t *testing.T, w *flow.Env, u reader.UserID) *keeper {
	t.Helper()
	return &keeper{t, w, u, stream.New(w.Store(), blob.New(w.Blobs), w.Clock)}
}

func (k *keeper) ok(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

func (k *keeper) label(name string) (l reader.LabelID) {
	k.t.Helper()
	_, err := k.w.Store().Trees.Change(bg, k.u, func(tr *library.Tree) (err error) {
		l, err = tr.AddLabel(name)
		return err
	})
	k.ok(err)
	return l
}

// id is that of a feed's item.
func (k *keeper) id(f reader.FeedID, seq reader.Seq) reader.ItemID {
	k.t.Helper()
	d, err := k.w.Store().Items.At(bg, f, seq)
	k.ok(err)
	return reader.NewItemID(reader.Minute(d.Stamp), f, seq)
}

// set stars an item, and labels it.
func (k *keeper) set(id reader.ItemID, starred bool, labels ...reader.LabelID) {
	k.t.Helper()
	_, _, err := k.s.SetState(bg, k.u, id, stream.Change{Starred: &starred})
	k.ok(err)
	_, _, err = k.s.SetLabels(bg, k.u, id, labels)
	k.ok(err)
}

// large gives a star a body that lies in a blob of its own, and all labels of the item.
func (k *keeper) large(id reader.ItemID, labels ...reader.LabelID) {
	k.t.Helper()
	put := func(row *store.SnapshotRow, key string) {
		row.Body, row.Blob = nil, key
		k.ok(blob.New(k.w.Blobs).Put(bg, key, []byte("large"), blob.Meta{ContentType: "text/html"}))
	}
	row, err := k.w.Store().Snapshots.Latest(bg, k.u, store.Star, id)
	k.ok(err)
	put(row, store.SnapshotBlobKey(k.u, store.Star, id, k.w.Clock.Now()))
	k.ok(k.w.Store().Snapshots.Put(bg, k.u, store.Star, id, *row))
	for _, l := range labels {
		row, err := k.w.Store().Snapshots.Latest(bg, k.u, l, id)
		k.ok(err)
		put(row, store.SnapshotBlobKey(k.u, l, id, k.w.Clock.Now()))
		k.ok(k.w.Store().Snapshots.Put(bg, k.u, l, id, *row))
	}
}

// seen describes what a person sees of stars and labels: in the feed's own list, in that of its stars, in that of all
// stars and of each label, and the side bar's count. All are to say the same.
func (k *keeper) seen(f reader.FeedID, labels ...reader.LabelID) string {
	k.t.Helper()
	var out []string
	list := func(name string, q stream.Query, keep func(stream.Entry) bool) {
		p, err := k.s.List(bg, k.u, q)
		k.ok(err)
		var items []string
		for _, e := range p.Items {
			if keep(e) {
				items = append(items, fmt.Sprintf("%d/%d:%v%v", e.Feed, e.Seq, e.Starred, e.Labels))
			}
		}
		slices.Sort(items)
		out = append(out, name+" "+strings.Join(items, " "))
	}
	all := func(stream.Entry) bool { return true }
	list("feed", stream.Query{Scope: stream.Scope{Feed: f}, Limit: 200}, func(e stream.Entry) bool {
		return e.Starred || e.Labels != nil
	})
	list("its stars", stream.Query{Scope: stream.Scope{Feed: f}, Filter: stream.Starred}, all)
	list("stars", stream.Query{Filter: stream.Starred}, all)
	for _, l := range labels {
		list("label", stream.Query{Scope: stream.Scope{Label: l}}, all)
	}
	sub, err := k.s.Get(bg, k.u, f)
	k.ok(err)
	return strings.Join(append(out, fmt.Sprint(sub.StarredCount())), "; ")
}

// blobs counts the bodies that are blobs.
func (k *keeper) blobs() (keys []string) {
	k.t.Helper()
	page, _, err := blob.New(k.w.Blobs).List(bg, store.StarPrefix, "", 100)
	k.ok(err)
	for _, o := range page {
		keys = append(keys, o.Key)
	}
	return keys
}

// C-30: with the subscription its stars and labels go to the items of the other feed, rows, bodies and bits: all
// lists and counts say the same, and taking them off there takes them off everywhere.
func TestRepointTakesStarsAndLabelsAlong(t *testing.T) {
	t.Parallel()
	for _, both := range []bool{false, true} {
		w := flow.New(t, 1, 1)
		old, moved := w.Web.Site("https://old.example/feed", 6), w.Web.Site("https://new.example/feed", 6)
		moved.Body, moved.ContentType = old.Feed, old.ContentType
		a := w.Add(old.URL, subscribe.Options{})
		w.Advance(time.Hour)
		k := keeping(t, w, flow.User)
		later, work := k.label("later"), k.label("work")
		if both { // what was starred there too stays one
			b := w.Add(moved.URL, subscribe.Options{})
			k.set(k.id(b.ID(), 6), true, work)
		}
		k.set(k.id(a.ID(), 2), true, later)
		k.set(k.id(a.ID(), 6), true, later, work)
		k.set(k.id(a.ID(), 4), false, work)
		k.large(k.id(a.ID(), 2), later)
		f, err := service(w).Repoint(bg, flow.User, a.ID(), moved.URL)
		k.ok(err)
		n := f.ID()
		want := fmt.Sprintf("feed %[1]d/2:true[1] %[1]d/4:false[2] %[1]d/6:true[1 2]; its stars %[1]d/2:true[1] "+
			"%[1]d/6:true[1 2]; "+
			"stars %[1]d/2:true[1] %[1]d/6:true[1 2]; label %[1]d/2:true[1] %[1]d/6:true[1 2]; label "+
			"%[1]d/4:false[2] %[1]d/6:true[1 2]; 2", n)
		if got := k.seen(n, later, work); got != want {
			t.Errorf("both %v: seen\n%s, want\n%s", both, got, want)
		}
		keys := k.blobs()
		if len(keys) != 2 || !strings.Contains(keys[0], k.id(n, 2).String()) ||
			!strings.Contains(keys[1], k.id(n, 2).String()) {
			t.Errorf("both %v: bodies %v", both, keys)
		}
		for seq := reader.Seq(1); seq <= 6; seq++ {
			k.set(k.id(n, seq), false)
		}
		if got := k.seen(n, later, work); got != "feed ; its stars ; stars ; label ; label ; 0" || len(k.blobs()) != 0 {
			t.Errorf("both %v: after all are taken off: %s, %v", both, got, k.blobs())
		}
	}
}

// Who re-points a subscription and takes that back has it as it was last, although what was read there is kept.
func TestRepointThereAndBack(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	old, moved := w.Web.Site("https://old.example/feed", 6), w.Web.Site("https://new.example/feed", 6)
	moved.Body, moved.ContentType = old.Feed, old.ContentType
	a := w.Add(old.URL, subscribe.Options{Title: "Mine"})
	k := keeping(t, w, flow.User)
	k.set(k.id(a.ID(), 2), true)
	mark(t, w, flow.User, a.ID(), reader.Op{Kind: reader.OpRead, Seqs: []reader.Seq{3, 4}})
	b, err := service(w).Repoint(bg, flow.User, a.ID(), moved.URL)
	k.ok(err)
	_, err = service(w).Set(bg, flow.User, b.ID(), subscribe.Settings{Mute: ptr(true), Position: ptr(int32(4))})
	k.ok(err)
	mark(t, w, flow.User, b.ID(), reader.Op{Kind: reader.OpUnread, Seqs: []reader.Seq{3}},
		reader.Op{Kind: reader.OpRead, Seqs: []reader.Seq{5}})
	k.set(k.id(b.ID(), 1), true)
	_, err = service(w).Repoint(bg, flow.User, b.ID(), old.URL)
	k.ok(err)
	row := subscriptions(t, w, flow.User)[a.ID()]
	if row == nil || !row.Mute || row.Position != 4 || row.Title != "Mine" {
		t.Fatalf("%+v", row)
	}
	if s := row.StateIn(w.Feed(a.ID())); s.IsRead(3) || !s.IsRead(4) || !s.IsRead(5) || s.IsRead(6) {
		t.Errorf("read: %+v", row)
	}
	want := fmt.Sprintf("feed %[1]d/1:true[] %[1]d/2:true[]; its stars %[1]d/1:true[] %[1]d/2:true[]; stars "+
		"%[1]d/1:true[] %[1]d/2:true[]; 2", a.ID())
	if got := k.seen(a.ID()); got != want {
		t.Errorf("seen\n%s, want\n%s", got, want)
	}
}

// What the other feed does not have stays kept, as after leaving.
func TestRepointLeavesOtherStars(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	a := w.Add(w.Web.Site("https://old.example/feed", 3).URL, subscribe.Options{})
	k := keeping(t, w, flow.User)
	k.set(k.id(a.ID(), 2), true)
	f, err := service(w).Repoint(bg, flow.User, a.ID(), w.Web.Site("https://new.example/feed", 3).URL)
	k.ok(err)
	if got, want := k.seen(f.ID()), fmt.Sprintf("feed ; its stars ; stars %d/2:true[]; 0", a.ID()); got != want {
		t.Errorf("seen %s, want %s", got, want)
	}
}

// C-30: whichever step the move of stars dies at, none is lost nor doubled for good: asking again ends it.
func TestStarsSurviveEveryCrashOfRepointing(t *testing.T) {
	t.Parallel()
	whole := false
	for step := 0; !whole && step < 120; step++ {
		w := flow.New(t, uint64(step), 1)
		old, moved := w.Web.Site("https://old.example/feed", 4), w.Web.Site("https://new.example/feed", 4)
		moved.Body, moved.ContentType = old.Feed, old.ContentType
		a, b := w.Add(old.URL, subscribe.Options{}), w.Add(moved.URL, subscribe.Options{})
		k := keeping(t, w, flow.User)
		later := k.label("later")
		k.set(k.id(a.ID(), 2), true, later)
		k.set(k.id(a.ID(), 3), true)
		k.large(k.id(a.ID(), 2), later)
		n, p := 0, w.Main()
		p.Before(func() {
			if n++; n > step {
				p.Kill()
			}
		})
		p.Subscribe.Concurrency = 1
		_, err := p.Subscribe.Repoint(bg, flow.User, a.ID(), moved.URL)
		whole = err == nil
		w.Restart()
		w.Advance(time.Minute)
		kept := map[reader.Seq]bool{}
		k.ok(w.Store().Snapshots.Walk(bg, flow.User, store.Star, 0, true, 64,
			func(row *store.SnapshotRow) (bool, error) {
				kept[reader.Seq(row.Seq)] = true
				return true, nil
			}))
		if !kept[2] || !kept[3] {
			t.Fatalf("step %d: left are stars of %v", step, kept)
		}
		if subscriptions(t, w, flow.User)[a.ID()] != nil {
			_, err := service(w).Repoint(bg, flow.User, a.ID(), moved.URL)
			k.ok(err)
		}
		want := fmt.Sprintf("feed %[1]d/2:true[1] %[1]d/3:true[]; its stars %[1]d/2:true[1] %[1]d/3:true[]; "+
			"stars %[1]d/2:true[1] %[1]d/3:true[]; label %[1]d/2:true[1]; 2", b.ID())
		if got := k.seen(b.ID(), later); got != want {
			t.Fatalf("step %d: seen\n%s, want\n%s", step, got, want)
		}
		body := func(row *store.SnapshotRow, err error) {
			k.ok(err)
			if got, _, err := blob.New(w.Blobs).Get(bg, row.Blob); err != nil || string(got) != "large" {
				t.Fatalf("step %d: the body of %s: %q, %v", step, row.SK, got, err)
			}
		}
		body(w.Store().Snapshots.Latest(bg, flow.User, store.Star, k.id(b.ID(), 2)))
		body(w.Store().Snapshots.Latest(bg, flow.User, later, k.id(b.ID(), 2)))
	}
	if !whole {
		t.Error("it never went through")
	}
}

// C-30: a feed that is merged into another, for a permanent redirect, takes each reader's stars along.
func TestMergeTakesStarsAndLabelsAlong(t *testing.T) {
	t.Parallel()
	for _, both := range []bool{false, true} {
		w := flow.New(t, 1, 1)
		old, moved := w.Web.Site("https://old.example/feed", 4), w.Web.Site("https://new.example/feed", 4)
		moved.Body, moved.ContentType = old.Feed, old.ContentType
		a, b := w.Add(old.URL, subscribe.Options{}), w.Add(moved.URL, subscribe.Options{})
		u2 := user(t, w, "u2")
		k := keeping(t, w, u2)
		later := k.label("later")
		_, err := service(w).Attach(bg, u2, w.Feed(b.ID()), subscribe.Options{})
		k.ok(err)
		k.set(k.id(b.ID(), 1), true)
		if !both {
			k.ok(service(w).Leave(bg, u2, b.ID()))
		}
		_, err = service(w).Attach(bg, u2, w.Feed(a.ID()), subscribe.Options{})
		k.ok(err)
		k.set(k.id(a.ID(), 3), true, later)
		searchIn(t, w, u2, a.ID())
		k.ok(service(w).MoveFeed(bg, w.Feed(a.ID()), moved.URL))
		if got := searched(t, w, u2); !slices.Equal(got, []reader.FeedID{b.ID(), 99}) {
			t.Errorf("both %v: the saved searches are in %v", both, got)
		}
		want := fmt.Sprintf("feed %[1]d/1:true[] %[1]d/3:true[1]; its stars %[1]d/1:true[] %[1]d/3:true[1]; stars "+
			"%[1]d/1:true[] %[1]d/3:true[1]; label %[1]d/3:true[1]; 2", b.ID())
		if got := k.seen(b.ID(), later); got != want {
			t.Errorf("both %v: seen\n%s, want\n%s", both, got, want)
		}
		if got := keeping(t, w, flow.User).seen(b.ID()); got != "feed ; its stars ; stars ; 0" {
			t.Errorf("the other reader sees %s", got)
		}
	}
}

// C-10: who leaves a feed and comes back finds the stars and labels that are still kept, in every list, and no other;
// by address, and by a list that is brought in, which reads them once.
func TestStarsAreThereAfterComingBack(t *testing.T) {
	t.Parallel()
	back := map[string]func(w *flow.Env, f *store.FeedRow) error{
		"by address": func(w *flow.Env, f *store.FeedRow) error {
			_, _, err := service(w).Add(bg, flow.User, f.URL, subscribe.Options{})
			return err
		},
		"by a list": func(w *flow.Env, f *store.FeedRow) error {
			_, err := service(w).Import(bg, flow.User,
				opml.Document{Feeds: []opml.Feed{{XMLURL: f.URL}, {XMLURL: "https://other.example/feed"}}})
			return err
		},
		"by an archive": func(w *flow.Env, f *store.FeedRow) error {
			_, _, err := service(w).Adopt(bg, flow.User, f.URL, "", "", nil, 0, false)
			return err
		},
	}
	for name, again := range back {
		w := flow.New(t, 1, 1)
		f := w.Add(w.Web.Site("https://a.example/feed", 30).URL, subscribe.Options{})
		k := keeping(t, w, flow.User)
		later, gone := k.label("later"), k.label("gone")
		for _, seq := range []reader.Seq{22, 28, 30} {
			k.set(k.id(f.ID(), seq), true, later, gone)
		}
		k.ok(service(w).Leave(bg, flow.User, f.ID()))
		k.set(k.id(f.ID(), 30), false)
		_, err := w.Store().Trees.Change(bg, flow.User, func(tr *library.Tree) error { return tr.DeleteLabel(gone) })
		k.ok(err)
		if _, err := k.s.Get(bg, flow.User, f.ID()); !fault.Is(err, fault.NotFound) {
			t.Fatal(err)
		}
		k.ok(again(w, f))
		want := fmt.Sprintf("feed %[1]d/22:true[1] %[1]d/28:true[1]; its stars %[1]d/22:true[1] %[1]d/28:true[1]; "+
			"stars %[1]d/22:true[1] %[1]d/28:true[1]; label %[1]d/22:true[1] %[1]d/28:true[1]; 2", f.ID())
		if got := k.seen(f.ID(), later); got != want {
			t.Errorf("%s: seen\n%s, want\n%s", name, got, want)
		}
		row := subscriptions(t, w, flow.User)[f.ID()]
		if row.Upto != 10 {
			t.Errorf("%s: it begins at %d", name, row.Upto)
		}
	}
}

// C-13: a list of many feeds that others read does not look for stars at each of them, and a feed that is made now
// not at all.
func TestStarsAreReadOnceForAList(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	u2 := user(t, w, "u2")
	var list []opml.Feed
	for i := range 20 {
		list = append(list,
			opml.Feed{XMLURL: w.Add(w.Web.Site(fmt.Sprintf("https://s%d.example/feed", i), 3).URL,
				subscribe.Options{}).URL})
	}
	before := w.Main().Units()
	if _, err := service(w).Import(bg, u2, opml.Document{Feeds: list}); err != nil {
		t.Fatal(err)
	}
	spent := func(u table.Units) float64 { return u.Reads["star"] + u.Reads["label"] }
	if n := spent(w.Main().Units()) - spent(before); n > 2 {
		t.Errorf("%v read units for stars and labels", n)
	}
	before = w.Main().Units()
	if _, _, err := service(w).Add(bg, u2, w.Web.Site("https://new.example/feed", 3).URL,
		subscribe.Options{}); err != nil {
		t.Fatal(err)
	}
	if n := spent(w.Main().Units()) - spent(before); n != 0 {
		t.Errorf("a new feed: %v read units for stars and labels", n)
	}
}
