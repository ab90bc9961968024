package subscribe_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/takeout"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// However a subscription comes about, and before and after its first change, the newest 20 items are unread.
func TestTheNewestItemsAreUnreadOnEveryPath(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	s := service(w)
	streams := stream.New(w.Store(), blob.New(w.Blobs), w.Clock)
	unread := func(what string, u reader.UserID, id reader.FeedID, want int) {
		t.Helper()
		sub, err := streams.Latest(bg, u, id)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if sub.Unread() != want || !sub.State.IsRead(30) || sub.State.IsRead(31) {
			t.Errorf("%s: %d unread, want %d; item 30 read %v, item 31 read %v", what, sub.Unread(), want,
				sub.State.IsRead(30), sub.State.IsRead(31))
		}
	}
	site := w.Web.Site("https://a.example/feed", 50)
	early, late, moving, pointing := flow.User, user(t, w, "late"), user(t, w, "moving"), user(t, w, "pointing")

	a, _, err := s.Adopt(bg, early, site.URL, "", "", nil, 0, false)
	if err == nil {
		err = s.FirstCrawls(bg, map[reader.FeedID]string{a.ID(): a.URL})
	}
	if err != nil {
		t.Fatal(err)
	}
	drain(t, w)
	a = w.Feed(a.ID())
	unread("subscribed before the first crawl", early, a.ID(), 20)
	if _, err := s.Attach(bg, late, a, subscribe.Options{}); err != nil {
		t.Fatal(err)
	}
	unread("subscribed after it", late, a.ID(), 20)
	if read, left := exported(t, w, early); read != 30 || left != 20 {
		t.Errorf("exported: %d read, %d unread", read, left)
	}

	// Another feed with other items and one with the same: the first is merged into, the second re-pointed to, the
	// feed.
	old, same := w.Web.Site("https://b.example/feed", 50), w.Web.Site("https://c.example/feed", 50)
	same.Body, same.ContentType = site.Feed, site.ContentType
	b := w.Add(old.URL, subscribe.Options{})
	c := w.Add(same.URL, subscribe.Options{})
	for _, u := range []reader.UserID{moving, pointing} {
		if _, err := s.Attach(bg, u, b, subscribe.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Repoint(bg, pointing, b.ID(), site.URL); err != nil {
		t.Fatal(err)
	}
	unread("re-pointed", pointing, a.ID(), 20)
	if err := s.MoveFeed(bg, w.Feed(b.ID()), site.URL); err != nil {
		t.Fatal(err)
	}
	unread("merged", moving, a.ID(), 20)
	unread("read by somebody who had the merged feed too", early, a.ID(), 20)

	mark(t, w, early, c.ID(), reader.Op{Kind: reader.OpRead, Seqs: []reader.Seq{50}})
	if err := s.MoveFeed(bg, w.Feed(c.ID()), site.URL); err != nil {
		t.Fatal(err)
	}
	unread("changed first by a merge", early, a.ID(), 19)
}

// exported counts the read and unread items of the first subscription in a user's archive.
func exported(t *testing.T, w *flow.Env, u reader.UserID) (read, unread int) {
	t.Helper()
	var b bytes.Buffer
	if err := takeout.New(w.Store(), blob.New(w.Blobs), service(w), nil, nil, w.Clock).Export(bg, u, &b); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open("subscriptions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var line struct{ Read, Unread []string }
	if err := json.NewDecoder(f).Decode(&line); err != nil {
		t.Fatal(err)
	}
	return len(line.Read), len(line.Unread)
}
