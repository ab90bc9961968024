package transfer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// TestEveryKindHasATreatment fails when a new row kind was not decided about.
func TestEveryKindHasATreatment(t *testing.T) {
	t.Parallel()
	for _, kind := range store.Kinds() {
		if treatments[kind] == unknown {
			t.Errorf("rows of kind %q: do they move with an installation (treatments in kinds.go, docs/run/backup.md)?",
				kind)
		}
		if treatments[kind] != stays && !slices.Contains(order, kind) {
			t.Errorf("rows of kind %q have no place in the final table", kind)
		}
	}
	for kind := range treatments {
		if !slices.Contains(store.Kinds(), kind) {
			t.Errorf("there is no row kind %q", kind)
		}
	}
}

// TestEveryBlobHasATreatment copies an installation with a blob of each kind.
func TestEveryBlobHasATreatment(t *testing.T) {
	t.Parallel()
	from, to := newDisk("from"), newDisk("to")
	populate(t, from, 0)
	var move []string
	for _, prefix := range store.BlobPrefixes() {
		ok(t, from.place(noon(), nil).Blobs.Put(t.Context(), prefix+"x", []byte(prefix), blob.Meta{}))
		kind, how := classifyBlob(prefix + "x")
		if strings.HasPrefix(kind, unknownPrefix) {
			t.Errorf("do files under %s move with an installation (prefixes in kinds.go, docs/run/backup.md)?", prefix)
		}
		if how == moves {
			if move = append(move, prefix); !slices.Contains(order, kind) {
				t.Errorf("files of kind %q have no place in the final table", kind)
			}
		}
	}
	if _, err := Copy(t.Context(), from.place(noon(), calm), to.place(noon(), calm), Options{Clock: noon()}); err !=
		nil {
		t.Fatal(err)
	}
	for _, prefix := range store.BlobPrefixes() {
		body, _, err := to.place(noon(), nil).Blobs.Get(t.Context(), prefix+"x")
		if got := string(body) == prefix; got != slices.Contains(move, prefix) || got != (err == nil) {
			t.Errorf("%s: copied %q, %v", prefix, body, err)
		}
	}
}

func TestCopyMovesTheInstallation(t *testing.T) {
	t.Parallel()
	from, to := newDisk("from"), newDisk("to")
	populate(t, from, 30)
	r, err := Copy(t.Context(), from.place(noon(), calm), to.place(noon(), calm), Options{Clock: noon()})
	ok(t, err)
	want := dump(t, from)
	same(t, want, dump(t, to))
	if state(t, to) != store.TransferDone || r.Written == 0 || r.Kept != 0 || r.Already {
		t.Errorf("the copy is %q after %+v", state(t, to), r)
	}
	counts := map[string]int64{}
	for _, l := range r.Lines() {
		counts[l.Kind] = l.Count
	}
	for kind, n := range map[string]int64{
		"account": 2, "email": 2, "token": 2, "system": 4, "feed": 30, "url": 30, "delta": 30, "subscriber": 30,
		"subscription": 30, "star": 10, "lease": 1, "run": 1, rawKind: 30, starKind: 10,
	} {
		if counts[kind] != n {
			t.Errorf("the table says %d of kind %s, want %d", counts[kind], kind, n)
		}
	}
	lease, err := store.New(to.place(noon(), nil).Table, noon()).Leases.Get(t.Context(), 0)
	if err != nil || lease.Until != 0 || lease.AllAt != start.Unix() {
		t.Errorf("the lease is %+v, %v", lease, err)
	}
	// What belongs to the source's machine was not copied.
	all, _, err := to.place(noon(), nil).Table.Scan(t.Context(), table.Key{}, 0)
	ok(t, err)
	for _, row := range all {
		if k := store.Kind(row.Key); treatments[k] == stays && k != "transfer" {
			t.Errorf("a row of kind %s came along", k)
		}
	}
	// Once more: nothing to do, and it says so.
	again, err := Copy(t.Context(), from.place(noon(), calm), to.place(noon(), calm), Options{Clock: noon()})
	if err != nil || !again.Already || again.Written != 0 || !again.Sums.equal(r.Sums) {
		t.Errorf("a second copy gave %+v, %v", again, err)
	}
}

var errDead = errors.New("the program was killed")

// killer ends the program at a step: from then on nothing happens any more.
type killer struct {
	mu    sync.Mutex
	at, n int
	after bool
	dead  bool
}

func (k *killer) step(after bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dead {
		return errDead
	}
	if after == k.after {
		if k.n++; k.n == k.at {
			k.dead = true
			return errDead
		}
	}
	return nil
}

// TestKilledAnywhereResumes ends the copy before and after each call to each seam, and starts it again: the result
// is the same, and before it is complete the target cannot be used.
func TestKilledAnywhereResumes(t *testing.T) {
	t.Parallel()
	from := newDisk("from")
	populate(t, from, 5)
	want := dump(t, from)
	kills := 0
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			to, k := newDisk("to"), &killer{at: at, after: after}
			_, err := Copy(t.Context(), from.place(noon(), k.step), to.place(noon(), k.step), Options{Clock: noon()})
			if !k.dead {
				ok(t, err)
				break
			}
			kills++
			if s := state(t, to); s == store.TransferFilling {
				if _, err := auth.New(store.New(to.place(noon(), nil).Table, noon()).Accounts, noon(),
					auth.Options{}).EnsureOwner(t.Context()); code(err) != "home_half_filled" {
					t.Fatalf("killed at %d: a half filled installation created its own owner: %v", at, err)
				}
				if n, _ := store.New(to.place(noon(), nil).Table, noon()).Feeds.Count(t.Context()); n != 0 {
					t.Fatalf("killed at %d: the orchestrator finds %d feeds in a half filled installation", at, n)
				}
			}
			_, err = Copy(t.Context(), from.place(noon(), calm), to.place(noon(), calm), Options{Clock: noon()})
			if err != nil {
				t.Fatalf("killed at %d (after: %v), started again: %v", at, after, err)
			}
			same(t, want, dump(t, to))
			if state(t, to) != store.TransferDone {
				t.Fatalf("killed at %d: the copy is %q in the end", at, state(t, to))
			}
		}
	}
	if kills < 60 {
		t.Errorf("only %d places to be killed at", kills)
	}
	t.Logf("killed at %d places", kills)
}

func TestInstallationsAreNotMixed(t *testing.T) {
	t.Parallel()
	from, other, to := newDisk("from"), newDisk("other"), newDisk("to")
	populate(t, from, 3)
	ctx, o := t.Context(), Options{Clock: noon()}
	st := store.New(other.place(noon(), nil).Table, noon())
	ok(t, st.Accounts.Create(ctx, "stranger", store.Account{Email: "s@example.org", Owner: true}))
	ok(t, st.Accounts.ClaimOwner(ctx, "stranger"))
	copyTo := func(a, b *disk) error {
		_, err := Copy(ctx, a.place(noon(), calm), b.place(noon(), calm), o)
		return err
	}
	if err := copyTo(from, other); code(err) != "target_not_empty" {
		t.Errorf("into another installation: %v", err)
	}
	if err := copyTo(from, from); code(err) != "target_not_empty" {
		t.Errorf("into itself: %v", err)
	}
	if err := copyTo(newDisk("empty"), to); code(err) != "source_empty" {
		t.Errorf("of an empty installation: %v", err)
	}
	onlyFile := newDisk("files")
	ok(t, onlyFile.place(noon(), nil).Blobs.Put(ctx, "feeds/x", []byte("x"), blob.Meta{}))
	if err := copyTo(from, onlyFile); code(err) != "target_not_empty" {
		t.Errorf("into a bucket with files: %v", err)
	}
	// An interrupted copy of one installation is not resumed by another's.
	k := &killer{at: 20}
	_, _ = Copy(ctx, from.place(noon(), k.step), to.place(noon(), k.step), o)
	if state(t, to) != store.TransferFilling {
		t.Fatalf("the copy is %q", state(t, to))
	}
	if err := copyTo(other, to); code(err) != "target_of_another" {
		t.Errorf("of another installation into a half filled one: %v", err)
	}
	if err := copyTo(to, newDisk("third")); code(err) != "source_half_filled" {
		t.Errorf("of a half filled installation: %v", err)
	}
	ok(t, copyTo(from, to))
	if err := copyTo(other, to); code(err) != "target_not_empty" {
		t.Errorf("of another installation into a finished one: %v", err)
	}
}

func TestTargetThatIsUsedIsLeftAlone(t *testing.T) {
	t.Parallel()
	from, to := newDisk("from"), newDisk("to")
	populate(t, from, 3)
	ctx, o := t.Context(), Options{Clock: noon()}
	k := &killer{at: 20}
	_, _ = Copy(ctx, from.place(noon(), k.step), to.place(noon(), k.step), o)
	st := store.New(to.place(noon(), nil).Table, noon())
	ok(t, st.Accounts.Create(ctx, "early", store.Account{Email: "e@example.org"}))
	if _, err := Copy(ctx, from.place(noon(), calm), to.place(noon(), calm), o); code(err) != "target_in_use" {
		t.Errorf("a user was added meanwhile: %v", err)
	}
	done := newDisk("done")
	_, err := Copy(ctx, from.place(noon(), calm), done.place(noon(), calm), o)
	ok(t, err)
	_, err = store.New(done.place(noon(), nil).Table, noon()).Feeds.Modify(ctx, 1, func(f *store.FeedRow) { f.Seq = 9 })
	ok(t, err)
	before := dump(t, done)
	if _, err := Copy(ctx, from.place(noon(), calm), done.place(noon(), calm), o); code(err) != "target_in_use" {
		t.Errorf("the target was crawled since: %v", err)
	}
	same(t, before, dump(t, done))
}

// TestSourceThatChanges changes the source at every call for a while: rows, files, deletions. Each try that saw a
// change ends with source_changes; the first one that succeeds has copied the final source.
func TestSourceThatChanges(t *testing.T) {
	t.Parallel()
	for _, archive := range []bool{false, true} {
		from, to := newDisk("from"), newDisk("to")
		populate(t, from, 12)
		ctx := context.Background()
		st := store.New(from.place(noon(), nil).Table, noon())
		blobs := from.place(noon(), nil).Blobs
		n := 0
		var mu sync.Mutex
		live := func(after bool) error {
			mu.Lock()
			defer mu.Unlock()
			if n++; after || n > 160 {
				return nil
			}
			switch n % 5 {
			case 0:
				populateFeed(t, st, blobs, 100+n)
			case 1:
				_, _ = st.Feeds.Modify(ctx, 3, func(f *store.FeedRow) { f.Seq = uint32(n) })
			case 2:
				_ = blobs.Delete(ctx, "stars/user/3")
				_ = st.Snapshots.Remove(ctx, "u2", store.Star, 1003)
			case 3:
				_ = blobs.Put(ctx, "stars/user/0", []byte{byte(n)}, blob.Meta{})
			case 4:
				_ = st.Subscriptions.Remove(ctx, "u1", 1)
			}
			return nil
		}
		o := Options{Clock: noon()}
		refused := 0
		for {
			var packed bytes.Buffer
			var err error
			if archive {
				_, err = Backup(t.Context(), from.place(noon(), live), &packed, o)
			} else {
				_, err = Copy(t.Context(), from.place(noon(), live), to.place(noon(), calm), o)
			}
			if code(err) == "source_changes" {
				refused++
				continue
			}
			ok(t, err)
			if archive {
				_, err := restore(t.Context(), packed.Bytes(), to.place(noon(), calm), o)
				ok(t, err)
			}
			break
		}
		if refused == 0 {
			t.Error("no change was noticed")
		}
		same(t, dump(t, from), dump(t, to))
	}
}

func TestSourceThatNeverRests(t *testing.T) {
	t.Parallel()
	from, to := newDisk("from"), newDisk("to")
	populate(t, from, 3)
	st := store.New(from.place(noon(), nil).Table, noon())
	n := uint32(0)
	var mu sync.Mutex
	restless := func(bool) error {
		mu.Lock()
		defer mu.Unlock()
		n++
		_, err := st.Feeds.Modify(context.Background(), 1, func(f *store.FeedRow) { f.Seq = n })
		return err
	}
	if _, err := Copy(t.Context(), from.place(noon(), restless), to.place(noon(), calm),
		Options{Clock: noon()}); code(err) != "source_changes" {
		t.Errorf("the copy ended with %v", err)
	}
	if state(t, to) != store.TransferFilling {
		t.Errorf("the target is %q", state(t, to))
	}
	_, err := Copy(t.Context(), from.place(noon(), calm), to.place(noon(), calm), Options{Clock: noon()})
	ok(t, err)
	same(t, dump(t, from), dump(t, to))
}

// TestSilentDamageIsFound: a target with other bytes of the same size is not activated, and the next run repairs it.
func TestSilentDamageIsFound(t *testing.T) {
	t.Parallel()
	from, to := newDisk("from"), newDisk("to")
	populate(t, from, 4)
	want := dump(t, from)
	puts := 0
	o := Options{Clock: noon(), Progress: func(p Progress) {
		if p.Stage == "reading target rows" && p.Done == 1 {
			puts++
			b := to.place(noon(), calm).Blobs
			page, _, err := b.List(t.Context(), "feeds/", "", 1)
			ok(t, err)
			if puts == 1 {
				ok(t, b.Put(t.Context(), page[0].Key, make([]byte, page[0].Size), blob.Meta{}))
			}
		}
	}}
	for _, want := range []string{"source_changes", ""} {
		if _, err := Copy(t.Context(), from.place(noon(), calm), to.place(noon(), calm), o); code(err) != want {
			t.Fatalf("the copy ended with %v, want %q", err, want)
		}
	}
	same(t, want, dump(t, to))
}

func TestNewerRowsAreRefused(t *testing.T) {
	t.Parallel()
	from := newDisk("from")
	populate(t, from, 0)
	ok(t, from.place(noon(), nil).Table.Put(t.Context(),
		map[string]any{"pk": "U#u1", "sk": "S#000001", "v": store.SchemaVersion + 1}))
	if _, err := Copy(t.Context(), from.place(noon(), calm), newDisk("to").place(noon(), calm),
		Options{Clock: noon()}); code(err) != "newer_row" {
		t.Errorf("the copy ended with %v", err)
	}
}

// TestUnknownRowsAndFiles: what another version of the program wrote does not keep an owner from copying and backing
// up. Rows that expire anyway are left out, such as the one-time links that old versions kept in partitions of their
// own.
func TestUnknownRowsAndFiles(t *testing.T) {
	t.Parallel()
	from := newDisk("from")
	populate(t, from, 0)
	place := from.place(noon(), nil)
	want := dump(t, from)
	ok(t, place.Table.Put(t.Context(),
		map[string]any{"pk": "LINK#old", "sk": "-", "ttl": start.Add(90 * 24 * time.Hour).Unix()}))
	ok(t, place.Table.Put(t.Context(), map[string]any{"pk": "NEW#1", "sk": "-", "text": "kept"}))
	ok(t, place.Blobs.Put(t.Context(), "other/x", []byte("kept"), blob.Meta{}))

	check := func(r Report, to *disk) {
		t.Helper()
		var named []string
		for _, l := range r.Lines() {
			if strings.HasPrefix(l.Kind, unknownPrefix) {
				named = append(named, l.Kind)
			}
		}
		if !slices.Equal(named, []string{"unknown: NEW", "unknown: other"}) {
			t.Errorf("the report names %q", named)
		}
		var row struct {
			Text string `dynamo:"text"`
		}
		ok(t, to.place(noon(), nil).Table.Get(t.Context(), table.Key{PK: "NEW#1", SK: "-"}, &row))
		body, _, err := to.place(noon(), nil).Blobs.Get(t.Context(), "other/x")
		if err != nil || string(body) != "kept" || row.Text != "kept" {
			t.Errorf("copied %q and %q, %v", row.Text, body, err)
		}
		if got := dump(t, to); len(got) != len(want)+2 {
			t.Errorf("%d rows and files, want %d", len(got), len(want)+2)
		}
	}
	copied := newDisk("copied")
	r, err := Copy(t.Context(), place, copied.place(noon(), calm), Options{Clock: noon()})
	ok(t, err)
	check(r, copied)
	var archive bytes.Buffer
	_, err = Backup(t.Context(), place, &archive, Options{Clock: noon()})
	ok(t, err)
	restored := newDisk("restored")
	r, err = restore(t.Context(), archive.Bytes(), restored.place(noon(), calm), Options{Clock: noon()})
	ok(t, err)
	check(r, restored)
}

// TestRowsThatExpireMeanwhile: a row that expires while it is copied is no change of the source.
func TestRowsThatExpireMeanwhile(t *testing.T) {
	t.Parallel()
	for _, archive := range []bool{false, true} {
		from, to := newDisk("from"), newDisk("to")
		populate(t, from, 9)
		clk := noon()
		clk.Set(start.Add(24*time.Hour - 10*time.Minute))
		tick := func(bool) error {
			if clk.Now().Before(start.Add(24*time.Hour + 40*time.Minute)) {
				clk.Add(time.Minute)
			}
			return nil
		}
		o := Options{Clock: clk}
		if archive {
			_, err := Backup(t.Context(), from.place(clk, tick), io.Discard, o)
			ok(t, err)
			continue
		}
		r, err := Copy(t.Context(), from.place(clk, tick), to.place(clk, tick), o)
		ok(t, err)
		if n := r.Sums["delta"].Count; n != 8 || state(t, to) != store.TransferDone {
			t.Errorf("%d deltas of 9, one of which has expired, %q", n, state(t, to))
		}
	}
}
