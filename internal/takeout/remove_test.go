package takeout_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/takeout"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

var noon = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)

// installation is one whose table fails at the call that the test says.
type installation struct {
	store *store.Store
	auth  *auth.Service
	subs  *subscribe.Service
	out   *takeout.Service
	blobs *blob.Bucket
	clock *clock.Manual
	plain *table.Table // past the faults

	calls, failAt int
	meanwhile     func() // what happens in another process before a call; nil: nothing
	after         bool   // fail when the call is done already
	one, two      reader.UserID
	feeds         []*store.FeedRow
}

func (h *installation) fault(after bool) func(faultytable.Op) error {
	return func(faultytable.Op) error {
		if after != h.after {
			return nil
		}
		if h.calls++; h.failAt > 0 && h.calls == h.failAt {
			return fault.New(fault.Internal, "test_fault", "test", nil)
		}
		if h.meanwhile != nil {
			h.meanwhile()
		}
		return nil
	}
}

// discard is a queue without consumers.
type discard struct{}

func (discard) Send(context.Context, [][]byte, time.Duration) error { return nil }

func newInstallation(t *testing.T) *installation {
	t.Helper()
	h := &installation{clock: clock.NewManual(noon)}
	mem := memtable.New()
	h.plain = table.New(mem, table.Options{Clock: h.clock, Kind: store.Kind})
	d := faultytable.New(mem, faultytable.Options{Before: h.fault(false), After: h.fault(true)})
	h.store = store.New(table.New(d, table.Options{Clock: h.clock, Kind: store.Kind}), h.clock)
	files, err := fileblob.Open(t.TempDir(), fileblob.Options{Clock: h.clock})
	ok(t, err)
	h.blobs = blob.New(files)
	h.auth = auth.New(h.store.Accounts, h.clock, auth.Options{})
	h.subs = subscribe.New(subscribe.Deps{
		Store: h.store, Crawler: crawl.New(h.store, h.blobs, nil, h.clock, crawl.Options{}), Queue: discard{},
		Clock: h.clock, Files: h.blobs,
		Log: slog.New(slog.DiscardHandler),
	})
	h.out = takeout.New(h.store, h.blobs, h.subs, h.auth, discard{}, h.clock)
	return h
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bare is a row of which the key is all that matters here.
type bare struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	User string `dynamo:"user,omitempty"`
}

// populate gives two users everything that a user can have, of the same feeds.
func (h *installation) populate(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	for i := range 3 {
		f, err := h.store.Feeds.Ensure(ctx, "https://example.org/"+string(rune('a'+i)),
			func(id reader.FeedID) store.FeedRow {
				return store.FeedRow{Period: 96}
			})
		ok(t, err)
		h.feeds = append(h.feeds, f)
	}
	for i, u := range []*reader.UserID{&h.one, &h.two} {
		var err error
		*u, err = h.auth.AddUser(ctx, []string{"one@example.org", "two@example.org"}[i], "", false)
		ok(t, err)
		for _, f := range h.feeds {
			_, err := h.subs.Attach(ctx, *u, f, subscribe.Options{Folder: []string{"News"}})
			ok(t, err)
		}
		id := reader.ItemID(1 << 40)
		key := store.SnapshotBlobKey(*u, store.Star, id, noon)
		ok(t, h.blobs.Put(ctx, key, []byte("body"), blob.Meta{}))
		ok(t, h.blobs.Put(ctx, store.ImportPrefix+string(*u)+"/x", []byte("upload"), blob.Meta{}))
		ok(t, h.store.Snapshots.Put(ctx, *u, store.Star, id, store.SnapshotRow{Blob: key, Head: []byte{1}}))
		_, err = h.store.Preferences.Change(ctx, *u, func(library.Preferences) (library.Preferences, error) {
			return library.Preferences{"theme": "dark"}, nil
		})
		ok(t, err)
		for range 2 {
			for _, scope := range []string{auth.ScopeAll, auth.ScopeSync} {
				_, err = h.auth.NewToken(ctx, *u, "program", scope, time.Time{})
				ok(t, err)
			}
			_, _, err = h.auth.NewSession(ctx, *u)
			ok(t, err)
		}
		// What other rooms keep by keys of the same make.
		for _, sk := range []string{"I#hash" + string(*u), "W#key", "H#hook", "M#import", "M#import#1",
			"L#0001#0000000000000001", "P#rules", "P#searches"} {
			ok(t, h.plain.Put(ctx, bare{PK: "U#" + string(*u), SK: sk}))
		}
		ok(t, h.plain.Put(ctx, bare{PK: "IDENT#hash" + string(*u), SK: "-", User: string(*u)}))
	}
}

// rows names every row of the installation, and those that say a user's id anywhere.
func (h *installation) rows(t *testing.T, u reader.UserID) (all int, theirs []string) {
	t.Helper()
	for after := (table.Key{}); ; {
		rows, next, err := h.plain.Scan(t.Context(), after, 0)
		ok(t, err)
		for _, r := range rows {
			all++
			var user struct {
				User string `dynamo:"user"`
			}
			ok(t, r.Decode(&user))
			if name := r.Key.PK + " " + r.Key.SK; strings.Contains(name, string(u)) || user.User == string(u) {
				theirs = append(theirs, name)
			}
		}
		if after = next; next == (table.Key{}) {
			break
		}
	}
	return all, theirs
}

func (h *installation) blobsOf(t *testing.T, u reader.UserID) int {
	t.Helper()
	n := 0
	for _, prefix := range []string{store.StarPrefix, store.ImportPrefix} {
		page, _, err := h.blobs.List(t.Context(), prefix+string(u)+"/", "", 0)
		ok(t, err)
		n += len(page)
	}
	return n
}

// remove asks as a device does, and asks again after each failure.
func (h *installation) remove(t *testing.T, u reader.UserID, failAt int) (asked int) {
	t.Helper()
	h.failAt = 0
	list, err := h.auth.Sessions(t.Context(), u)
	ok(t, err)
	by := list[0].ID()
	h.calls, h.failAt = 0, failAt
	for asked = 1; ; asked++ {
		err := h.out.Remove(context.Background(), u, by)
		if err == nil {
			return asked
		}
		if fault.CodeOf(err) != "test_fault" || asked > 3 {
			t.Fatalf("asked %d times: %v", asked, err)
		}
		h.failAt = 0
		// Who was cut off can ask again: the session is there.
		if _, err := h.store.Accounts.Session(t.Context(), u, by); err != nil {
			if _, left := h.rows(t, u); len(left) > 0 {
				t.Fatalf("the session is gone and %v is left", left)
			}
		}
	}
}

// G-42, G-60, C-12: whatever step the removal dies at, asked again nothing of the user's is left, and all of the
// others' is.
func TestRemovalSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	calm := newInstallation(t)
	calm.populate(t)
	_, twos := calm.rows(t, calm.two)
	calm.remove(t, calm.one, 0)
	steps := calm.calls
	if steps < 40 {
		t.Fatalf("only %d calls: nothing is removed", steps)
	}
	for _, after := range []bool{false, true} {
		for n := 1; n <= steps; n++ {
			h := newInstallation(t)
			h.populate(t)
			h.after = after
			asked := h.remove(t, h.one, n)
			if !after && asked != 2 {
				t.Errorf("fault at call %d: asked %d times", n, asked)
			}
			if _, left := h.rows(t, h.one); len(left) != 0 || h.blobsOf(t, h.one) != 0 {
				t.Errorf("fault at call %d (after %v): %v is left, %d blobs", n, after, left, h.blobsOf(t, h.one))
			}
			if _, others := h.rows(t, h.two); len(others) != len(twos) || h.blobsOf(t, h.two) != 2 {
				t.Errorf("fault at call %d (after %v): the other user has %d rows of %d, %d blobs", n, after,
					len(others), len(twos), h.blobsOf(t, h.two))
			}
			for _, f := range h.feeds {
				row, err := h.store.Feeds.Get(t.Context(), f.ID(), true)
				if err != nil || row.Subs != 1 {
					t.Errorf("fault at call %d: feed %d counts %+v, %v", n, f.ID(), row, err)
				}
			}
			if _, err := h.auth.AddUser(t.Context(), "one@example.org", "", false); err != nil {
				t.Errorf("fault at call %d: the address is not free: %v", n, err)
			}
		}
	}
}

// TestTheOwnersPlaceIsFreeAgain: the next start makes another owner.
func TestTheOwnersPlaceIsFreeAgain(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	h.populate(t)
	owner, err := h.auth.EnsureOwner(t.Context())
	ok(t, err)
	_, _, err = h.auth.NewSession(t.Context(), owner.ID())
	ok(t, err)
	h.remove(t, owner.ID(), 0)
	again, err := h.auth.EnsureOwner(t.Context())
	if err != nil || again.ID() == owner.ID() {
		t.Errorf("the next owner is %+v, %v", again, err)
	}
	h.remove(t, h.one, 0)
	if a, err := h.auth.EnsureOwner(t.Context()); err != nil || a.ID() != again.ID() {
		t.Errorf("somebody else's removal made another owner: %+v, %v", a, err)
	}
}
