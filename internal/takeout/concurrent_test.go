package takeout_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/takeout"
)

// other is another process over the same rows, without faults.
func (h *installation) other() (*subscribe.Service, *takeout.Service) {
	st := store.New(h.plain, h.clock)
	subs := subscribe.New(subscribe.Deps{
		Store: st, Crawler: crawl.New(st, h.blobs, nil, h.clock, crawl.Options{}), Queue: discard{}, Clock: h.clock,
		Files: h.blobs, Log: slog.New(slog.DiscardHandler),
	})
	return subs, takeout.New(st, h.blobs, subs, h.auth, discard{}, h.clock)
}

// list is an OPML document of feeds in a folder.
const list = `<opml version="2.0"><body><outline text="New"><outline type="rss" xmlUrl="https://example.org/a"/>` +
	`<outline type="rss" xmlUrl="https://example.org/x"/></outline></body></opml>`

// nothingLeft checks that a user is gone, and that no feed counts them.
func (h *installation) nothingLeft(t *testing.T, when string, n int) {
	t.Helper()
	if _, left := h.rows(t, h.one); len(left) != 0 || h.blobsOf(t, h.one) != 0 {
		t.Errorf("%s, call %d: %v is left, %d blobs", when, n, left, h.blobsOf(t, h.one))
	}
	err := store.New(h.plain, h.clock).Feeds.Each(t.Context(), func(f *store.FeedRow) error {
		if f.Subs > 1 || f.Subs == 1 && f.URL == "https://example.org/x" {
			t.Errorf("%s, call %d: feed %s counts %d", when, n, f.URL, f.Subs)
		}
		return nil
	})
	ok(t, err)
}

// G-42, G-60: a list that is brought in, or a feed that is added, while the account is removed leaves nothing of it:
// neither when the removal goes by between any two steps of theirs, nor when they go by between any two of its own.
func TestRemovalWhileFeedsAreAdded(t *testing.T) {
	t.Parallel()
	writers := map[string]func(context.Context, *subscribe.Service, *installation) error{
		"import": func(ctx context.Context, s *subscribe.Service, h *installation) error {
			_, err := s.StartImport(ctx, h.one, []byte(list))
			return err
		},
		"adopt": func(ctx context.Context, s *subscribe.Service, h *installation) error {
			_, _, err := s.Adopt(ctx, h.one, "https://example.org/x", "", "", nil, 0, false)
			return err
		},
	}
	for name, write := range writers {
		for n := 1; ; n++ {
			h := newInstallation(t)
			h.populate(t)
			h.calls = 0
			done := false
			h.meanwhile = func() {
				if h.calls == n {
					_, out := h.other()
					done = true
					ok(t, out.Remove(t.Context(), h.one, ""))
				}
			}
			err := write(t.Context(), h.subs, h)
			if !done {
				break
			}
			// What happens after the last look at the account cannot be noticed.
			if err != nil && fault.CodeOf(err) != "user_not_found" && fault.CodeOf(err) != "import_not_found" {
				t.Errorf("%s, call %d: %v", name, n, err)
			}
			h.nothingLeft(t, "removed during "+name, n)
		}
		for n := 1; ; n++ {
			h := newInstallation(t)
			h.populate(t)
			h.calls = 0
			done := false
			h.meanwhile = func() {
				if h.calls == n {
					subs, _ := h.other()
					done = true
					if err := write(t.Context(), subs, h); err != nil && fault.CodeOf(err) != "user_not_found" {
						t.Errorf("%s at call %d: %v", name, n, err)
					}
				}
			}
			ok(t, h.out.Remove(t.Context(), h.one, ""))
			if !done {
				break
			}
			h.nothingLeft(t, name+" during removal", n)
		}
	}
}

// G-42: an archive that is being brought in while its account is removed leaves nothing either.
func TestRemovalWhileAnArchiveIsBroughtIn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	archive := bytes.NewReader(packed(t, files(map[string]string{
		"preferences.json":    `{"theme":"dark"}`,
		"tree.json":           `{"folders":[["New"]],"labels":["later"]}`,
		"subscriptions.jsonl": `{"url":"https://example.org/x","folders":[["New"]],"title":"X"}`,
		"items.jsonl": `{"identity":"0000000000000001","starredAt":"2026-01-01T00:00:00Z","title":"T",` +
			`"contentHtml":"<p>b</p>"}`,
	})))
	for n := 1; ; n++ {
		h := newInstallation(t)
		h.populate(t)
		h.calls = 0
		done := false
		h.meanwhile = func() {
			if h.calls == n {
				_, out := h.other()
				done = true
				ok(t, out.Remove(ctx, h.one, ""))
			}
		}
		_, err := h.out.Import(ctx, h.one, archive, archive.Size())
		if !done {
			break
		}
		if err != nil && fault.CodeOf(err) != "user_not_found" {
			t.Errorf("call %d: %v", n, err)
		}
		h.nothingLeft(t, "removed during an import of an archive", n)
	}
}
