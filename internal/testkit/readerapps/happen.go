package readerapps

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// State is what the page shows of an item.
type State struct{ Read, Starred bool }

// Shown returns the items of all feeds that the user follows, as the page lists them.
func (w *World) Shown() map[reader.ItemID]State {
	w.T.Helper()
	out := map[reader.ItemID]State{}
	for _, x := range w.feeds() {
		q := stream.Query{Scope: stream.Scope{Feed: x.Feed.ID()}, Fresh: true, Limit: stream.MaxLimit}
		for {
			p, err := w.Streams.List(context.Background(), flow.User, q)
			if err != nil {
				w.T.Fatal(err)
			}
			for i := range p.Items {
				out[p.Items[i].ID] = State{p.Items[i].Read, p.Items[i].Starred}
			}
			if q.Cursor = p.Next; q.Cursor == "" {
				break
			}
		}
	}
	return out
}

// Listed reports whether an item is in the lists that programs continue.
func (w *World) Listed(id reader.ItemID) bool {
	return w.Streams.Listed(id) <= w.Clock.Now().Unix()
}

func (w *World) feeds() []*stream.Subscribed {
	w.T.Helper()
	list, err := w.Streams.Feeds(context.Background(), flow.User)
	if err != nil {
		w.T.Fatal(err)
	}
	return list
}

// Happen lets something happen that a program has no part in, and says what.
func (w *World) Happen() string {
	w.T.Helper()
	ctx, list := context.Background(), w.feeds()
	check := func(err error) {
		w.T.Helper()
		if err != nil {
			w.T.Fatal(err)
		}
	}
	n := w.Rand.IntN(100)
	if len(list) == 0 || n < 6 && len(list) < 8 {
		url := fmt.Sprintf("https://%d.example/feed", w.Rand.IntN(1000))
		if w.Web.Of(url) == nil {
			w.Web.Site(url, 1+w.Rand.IntN(60))
		}
		path := [][]string{nil, {"News"}, {"News", "Tech"}, {"Fun"}}[w.Rand.IntN(4)]
		w.Add(url, subscribe.Options{Folder: path})
		return "follow " + url
	}
	x := list[w.Rand.IntN(len(list))]
	id := x.Feed.ID()
	switch {
	case n < 10 && len(list) > 2:
		check(w.Main().Subscribe.Leave(ctx, flow.User, id))
		return fmt.Sprintf("leave %d", id)
	case n < 45:
		w.Web.Of(x.Feed.URL).Publish(w.Now(), 1+w.Rand.IntN(12))
		w.poll(x.Feed)
		return fmt.Sprintf("arrivals in %d", id)
	case n < 52:
		s := w.Web.Of(x.Feed.URL)
		s.Items[w.Rand.IntN(len(s.Items))].Title += ", edited"
		s.Version++
		w.poll(x.Feed)
		return fmt.Sprintf("an edit in %d", id)
	case n < 57:
		w.Patch(id, func(f *store.FeedRow) { f.Floor = min(f.Floor+uint32(w.Rand.IntN(5)), f.Seq) })
		w.Advance(time.Minute) // rows of feeds are held so long
		return fmt.Sprintf("retention in %d", id)
	case n < 62:
		w.Restart()
		return "restart"
	case n < 66:
		_, err := w.Streams.MarkRead(ctx, flow.User, stream.Mark{Scope: stream.Scope{Feed: id}})
		check(err)
		return fmt.Sprintf("a mark of %d", id)
	case n < 68:
		_, err := w.Streams.MarkRead(ctx, flow.User, stream.Mark{})
		check(err)
		return "a mark of all"
	case n < 85:
		yes := w.Rand.IntN(2) == 0
		c := stream.Change{Read: &yes}
		if w.Rand.IntN(3) == 0 {
			c = stream.Change{Starred: &yes}
		}
		ids := slices.Sorted(maps.Keys(w.Shown()))
		if len(ids) == 0 {
			return "nothing"
		}
		var some []reader.ItemID
		for range 1 + w.Rand.IntN(6) {
			some = append(some, ids[w.Rand.IntN(len(ids))])
		}
		_, err := w.Streams.Flush(ctx, flow.User, stream.Flush{Changes: []stream.BulkChange{{IDs: some, Change: c}}})
		check(err)
		return fmt.Sprintf("%+v of %v", c, some)
	default:
		w.Advance(time.Duration(w.Rand.IntN(150)) * time.Second)
		return "time passes"
	}
}

// poll polls a feed, as soon as it may be.
func (w *World) poll(f *store.FeedRow) {
	w.T.Helper()
	for range 3 {
		_, at, err := w.Refresh(f.ID())
		if err != nil {
			w.T.Fatal(err)
		}
		if at.IsZero() {
			return
		}
		w.Advance(at.Sub(w.Clock.Now()))
	}
	w.T.Fatalf("feed %d cannot be polled", f.ID())
}
