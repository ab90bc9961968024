package api_test

import (
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/indexing"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// shelf is a world whose feeds get their items by hand.
type shelf struct {
	*world
	feeds int
}

func newLibrary(t *testing.T) *shelf {
	t.Helper()
	return &shelf{world: newWorld(t)}
}

func (l *shelf) ok(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// newCloudLibrary has a table that is read as in the cloud.
func newCloudLibrary(t *testing.T) *shelf {
	t.Helper()
	return &shelf{world: newWorldOver(t, func(d table.Driver) table.Driver { return withoutLog{d} })}
}

// follow makes a feed that some users follow, in some folders of theirs.
func (l *shelf) follow(title string, change func(*store.SubscriptionRow), users ...reader.UserID) reader.FeedID {
	l.t.Helper()
	l.feeds++
	f, err := l.store.Feeds.Ensure(l.t.Context(), fmt.Sprintf("https://example.org/%d", l.feeds),
		func(reader.FeedID) store.FeedRow {
			return store.FeedRow{Period: 5, Status: "active", Title: title, Hash: []byte{1}}
		})
	l.ok(err)
	for _, u := range users {
		row := store.SubscriptionRow{Since: l.clock.Now().Unix()}
		if change != nil {
			change(&row)
		}
		l.ok(l.store.Subscriptions.PutSubscriber(l.t.Context(), f.ID(), store.Subscriber{User: u}))
		l.ok(l.store.Subscriptions.Add(l.t.Context(), u, f.ID(), row))
	}
	return f.ID()
}

// story is an item to be committed. A title alone is enough.
type story struct {
	title, text, author, link string
	at                        time.Time // published; by default at the commit
}

// commit adds items to a feed, a minute later, and returns their ids.
func (l *shelf) commit(id reader.FeedID, list ...story) (ids []string) {
	l.t.Helper()
	ctx := l.t.Context()
	now := l.clock.Add(time.Minute)
	f, err := l.store.Feeds.Get(ctx, id, true)
	l.ok(err)
	hs := make([]store.Header, len(list))
	newest := f.NewestAt
	for i, s := range list {
		at := now.Unix()
		if !s.at.IsZero() {
			at = s.at.Unix()
		}
		hs[i] = store.Header{
			Identity: uint64(f.Seq) + uint64(i) + 1, Title: s.title, Snippet: s.text, Author: s.author, Link: s.link,
			Published: at, Sort: at,
		}
		newest = max(newest, at)
		ids = append(ids, reader.NewItemID(reader.MinuteOf(now), id, reader.Seq(f.Seq)+reader.Seq(i)+1).String())
	}
	d, err := store.NewDelta(id, reader.Seq(f.Seq+1), reader.MinuteOf(now), now.UnixMilli(), "raw", hs)
	l.ok(err)
	l.ok(l.store.Items.Put(ctx, d))
	_, err = l.store.Feeds.Modify(ctx, id, func(row *store.FeedRow) {
		row.Seq, row.Stamp, row.NewestAt, row.Changed = f.Seq+uint32(len(list)), d.Stamp, newest, now.Unix()
		if f.Seq == 0 {
			row.FirstSeq = uint32(len(list))
		}
	})
	l.ok(err)
	l.clock.Add(2 * time.Minute) // feeds' rows are read again
	return ids
}

// index indexes what there is, as the nightly job would.
func (l *shelf) index() {
	l.t.Helper()
	ix := indexing.New(l.store, l.blobs, l.sent, l.clock, slog.New(slog.DiscardHandler), indexing.Options{})
	_, err := ix.All(l.t.Context(), false, func(indexing.Report) {})
	l.ok(err)
	l.clock.Add(2 * time.Minute) // the index's row is read again
}

// titles makes stories.
func titles(list ...string) (out []story) {
	for _, s := range list {
		out = append(out, story{title: s})
	}
	return out
}

type foundAnswer struct {
	Items []struct {
		ID, FeedID, Title           string
		IsRead, IsStarred, IsHidden bool
		Labels                      []string
		AlsoIn                      []struct{ FeedID string }
		Highlight                   struct{ Title, Text []string }
	}
	NextCursor, AsOf, Reached *string
	State                     string
	Total                     *struct {
		Items, Feeds int
		IsAtLeast    bool
	}
}

func (a foundAnswer) titles() (list []string) {
	for _, it := range a.Items {
		list = append(list, it.Title)
	}
	return list
}

// search asks with the owner's token: a path, and parameters as pairs. Each is a minute after the one before, far from
// the limit.
func (l *shelf) search(path string, pairs ...string) foundAnswer {
	l.t.Helper()
	return l.searchAs(l.token, path, pairs...)
}

func (l *shelf) searchAs(token, path string, pairs ...string) (a foundAnswer) {
	l.t.Helper()
	l.clock.Add(2 * time.Second)
	l.want(l.callAs(token, "GET", path+"?"+params(pairs...), nil, &a), 200)
	return a
}

func params(pairs ...string) string {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v.Encode()
}

// finds checks the titles that a search finds, in order.
func (l *shelf) finds(what string, want string, pairs ...string) {
	l.t.Helper()
	a := l.search("/api/search", pairs...)
	if got := strings.Join(a.titles(), ", "); got != want {
		l.t.Errorf("%s finds %q, want %q", what, got, want)
	}
	if a.NextCursor != nil || a.State != "ready" || a.Reached != nil {
		l.t.Errorf("%s: %+v", what, a)
	}
}

// all joins the pages of a search.
func (l *shelf) all(path string, limit int, pairs ...string) (list []string) {
	l.t.Helper()
	pairs = append(slices.Clone(pairs), "limit", fmt.Sprint(limit), "cursor", "")
	for range 1000 {
		a := l.search(path, pairs...)
		if len(a.Items) > limit {
			l.t.Fatalf("a page of %d has %d", limit, len(a.Items))
		}
		for _, it := range a.Items {
			list = append(list, it.ID)
		}
		if a.NextCursor == nil {
			return list
		}
		pairs[len(pairs)-1] = *a.NextCursor
	}
	l.t.Fatal("the pages do not end")
	return nil
}
