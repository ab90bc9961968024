package takeout_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/takeout"
)

// mailbox keeps what is sent. A send that fails has sent nothing.
type mailbox struct {
	t    *testing.T
	list []job.Job
	fail bool
}

// Send implements job.Sender.
func (m *mailbox) Send(_ context.Context, bodies [][]byte, _ time.Duration) error {
	if m.fail {
		m.fail = false
		return fault.New(fault.Unavailable, "test_fault", "test", nil)
	}
	for _, b := range bodies {
		j, err := job.Decode(b)
		ok(m.t, err)
		m.list = append(m.list, j)
	}
	return nil
}

func (m *mailbox) take() (j job.Job, ok bool) {
	if len(m.list) == 0 {
		return j, false
	}
	j, m.list = m.list[0], m.list[1:]
	return j, true
}

// background is an installation whose messages are kept.
func background(t *testing.T) (*installation, *mailbox) {
	h := newInstallation(t)
	box := &mailbox{t: t}
	h.out = takeout.New(h.store, h.blobs, h.subs, h.auth, box, h.clock)
	return h, box
}

// hash is the identity of an item.
func hash(k int) uint64 { return (uint64(k) + 1) * 0xD6E8FEB86659FD93 }

// stars gives a user n stars, and each third of them a label too.
func (h *installation) stars(t *testing.T, u reader.UserID, n int) {
	t.Helper()
	var label reader.LabelID
	_, err := h.store.Trees.Change(t.Context(), u, func(tree *library.Tree) error {
		failed := tree.Merge([][]string{{"News"}}, []string{"Later"})
		label = tree.LabelNamed("Later")
		if len(failed) > 0 {
			return failed[0]
		}
		return nil
	})
	ok(t, err)
	for k := range n {
		head, err := store.PackHeaders([]store.Header{{Identity: hash(k), Title: fmt.Sprint("Story ", k),
			Link: fmt.Sprintf("https://s.example/%d", k), Sort: int64(1_700_000_000 + 600*k)}})
		ok(t, err)
		feed := reader.ArchiveFeed // from another reader, or of a feed that is gone
		if k%2 == 0 {
			feed = 7
		}
		id := reader.NewItemID(reader.Minute(k), feed, reader.Seq(k&1023))
		row := store.SnapshotRow{Feed: uint32(feed), At: int64(1_600_000_000 + k), Title: "S", Head: head,
			Origin: "https://s.example/feed"}
		row.Body = reader.Deflate(nil, []byte(fmt.Sprintf("<p>Text %d</p>", k)))
		ok(t, h.store.Snapshots.Put(t.Context(), u, store.Star, id, row))
		if k%3 == 0 {
			ok(t, h.store.Snapshots.Put(t.Context(), u, label, id, row))
		}
	}
}

// shown is what a user has starred and labelled, in order.
func (h *installation) shown(t *testing.T, u reader.UserID) []string {
	t.Helper()
	var out []string
	ok(t, h.store.Snapshots.EachLatest(t.Context(), u, func(row *store.SnapshotRow) error {
		head, err := row.Header()
		if err != nil {
			return err
		}
		body, err := row.ReadBody(t.Context(), h.blobs)
		out = append(out, fmt.Sprint(row.Label(), row.At, head.Title, head.Link, row.Title, row.Origin, body))
		return err
	}))
	slices.Sort(out)
	return out
}

func (h *installation) user(t *testing.T, name string) reader.UserID {
	t.Helper()
	u, err := h.auth.AddUser(t.Context(), name+"@example.org", "", false)
	ok(t, err)
	return u
}

// parts exports an account in parts.
func (h *installation) parts(t *testing.T, u reader.UserID) (list [][]byte) {
	t.Helper()
	for cursor := ""; ; {
		var b bytes.Buffer
		next, err := h.out.ExportPart(t.Context(), u, cursor, &b)
		ok(t, err)
		if list = append(list, b.Bytes()); next == "" {
			return list
		}
		if len(next) > 6000 || len(list) > 300 {
			t.Fatalf("after %d parts a cursor has %d characters", len(list), len(next))
		}
		cursor = next
	}
}

// upload sends an archive in parts.
func (h *installation) upload(t *testing.T, u reader.UserID, b []byte) *store.Import {
	t.Helper()
	im, err := h.out.Begin(t.Context(), u, int64(len(b)))
	ok(t, err)
	for n := 0; n*takeout.PartSize < len(b); n++ {
		im, err = h.out.Part(t.Context(), u, im.ID(), n, b[n*takeout.PartSize:min((n+1)*takeout.PartSize, len(b))])
		ok(t, err)
	}
	return im
}

func (h *installation) imported(t *testing.T, u reader.UserID, id string) *store.Import {
	t.Helper()
	im, err := h.store.Imports.One(t.Context(), u, id)
	ok(t, err)
	return im
}

func items(im *store.Import) (n, kb int) {
	for _, c := range im.Done {
		n, kb = n+c.Items, kb+c.N
	}
	return n, kb
}

// TestALargeAccountMoves: what has 100,000 stars goes out in parts that fit an answer, and comes in by messages.
func TestALargeAccountMoves(t *testing.T) {
	t.Parallel()
	n := 100_000
	if testing.Short() {
		n = 6_000
	}
	h, _ := background(t)
	u := h.user(t, "a")
	h.stars(t, u, n)
	parts := h.parts(t, u)
	for i, p := range parts {
		if len(p) > 3<<20 {
			t.Errorf("part %d has %d bytes", i, len(p))
		}
	}
	whole := bytes.Join(parts, nil)
	var streamed bytes.Buffer
	ok(t, h.out.Export(t.Context(), u, &streamed))
	if !bytes.Equal(whole, streamed.Bytes()) {
		t.Error("the parts are not the archive")
	}
	there, box := background(t)
	v := there.user(t, "v")
	im := there.upload(t, v, whole)
	messages := 0
	for j, more := box.take(); more; j, more = box.take() {
		ok(t, there.out.RunImport(t.Context(), j))
		messages++
	}
	im = there.imported(t, v, im.ID())
	got, kb := items(im)
	if im.Ended == 0 || im.Failed != "" || got != n+(n+2)/3 || kb != im.Total || messages < n/2000 {
		t.Errorf("ended %d, failed %q, %d items, %d of %d KB in %d messages", im.Ended, im.Failed, got, kb, im.Total,
			messages)
	}
	if !slices.Equal(there.shown(t, v), h.shown(t, u)) {
		t.Error("the stars are not the same")
	}
	if there.blobsOf(t, v) != 0 {
		t.Error("the archive is still there")
	}
}

// TestPartsOfSeveralFilesAreAZip: an export that is cut within each kind of file.
func TestPartsOfSeveralFilesAreAZip(t *testing.T) {
	t.Parallel()
	h, box := background(t)
	u := h.user(t, "a")
	for i := range 5 {
		_, _, err := h.subs.Adopt(t.Context(), u, fmt.Sprintf("https://example.org/%d", i), "", "", nil, 0, false)
		ok(t, err)
	}
	h.stars(t, u, 7)
	step := false
	h.meanwhile = func() { // each read takes so long that a part has a line or two
		if step {
			h.clock.Add(6 * time.Second)
		}
	}
	step = true
	parts := h.parts(t, u)
	step = false
	whole := bytes.Join(parts, nil)
	z, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	ok(t, err)
	count := 0
	for _, f := range z.File {
		text, err := fs.ReadFile(z, f.Name)
		ok(t, err)
		if strings.HasSuffix(f.Name, ".jsonl") {
			count += bytes.Count(text, []byte("\n"))
		}
	}
	about, err := fs.ReadFile(z, "ruri.json")
	if err != nil || !strings.Contains(string(about), `"version":2`) {
		t.Errorf("%s, %v", about, err)
	}
	if len(parts) < 5 || count != 5+7+3 {
		t.Errorf("%d lines in %d parts, %d files", count, len(parts), len(z.File))
	}
	v := h.user(t, "v")
	im := h.upload(t, v, whole)
	for j, more := box.take(); more; j, more = box.take() {
		ok(t, h.out.RunImport(t.Context(), j))
	}
	if im = h.imported(t, v, im.ID()); im.Ended == 0 || im.Failed != "" || len(im.Done) != 1 ||
		len(im.Done[0].Made) != 5 || im.Done[0].Items != 10 {
		t.Errorf("%+v", im)
	}
}

func TestCursorsOfExports(t *testing.T) {
	t.Parallel()
	h, _ := background(t)
	u := h.user(t, "a")
	for _, cursor := range []string{"x", "!", "AAAA", strings.Repeat("A", 20_000), "____________"} {
		if _, err := h.out.ExportPart(t.Context(), u, cursor, &bytes.Buffer{}); fault.CodeOf(err) != "bad_cursor" {
			t.Errorf("%.20q: %v", cursor, err)
		}
	}
}

// TestImportsSurviveCrashes: a process dies within each message, wherever, and each message comes twice.
func TestImportsSurviveCrashes(t *testing.T) {
	t.Parallel()
	from, _ := background(t)
	u := from.user(t, "a")
	from.stars(t, u, 3500)
	whole := bytes.Join(from.parts(t, u), nil)
	want := from.shown(t, u)
	random := rand.New(rand.NewPCG(1, 2)) // the same each time
	for _, after := range []bool{false, true} {
		h, box := background(t)
		v := h.user(t, "v")
		im := h.upload(t, v, whole)
		h.after = after
		crashes, messages := 0, 0
		for j, more := box.take(); more; j, more = box.take() {
			for _, most := range []int{10, 5000} { // early, and anywhere
				box.fail = most == 10 && messages%2 == 1
				h.calls, h.failAt = 0, 1+random.IntN(most)
				if err := h.out.RunImport(t.Context(), j); err != nil {
					crashes++
				}
				h.failAt = 0
			}
			box.fail = false
			ok(t, h.out.RunImport(t.Context(), j))
			if messages++; messages > 500 {
				t.Fatal("the messages do not end")
			}
		}
		im = h.imported(t, v, im.ID())
		if im.Ended == 0 || im.Failed != "" || crashes < 3 {
			t.Errorf("ended %d, failed %q, %d crashes, %d messages", im.Ended, im.Failed, crashes, messages)
		}
		if got, kb := items(im); got != len(want) || kb != im.Total {
			t.Errorf("%d items, want %d; %d of %d KB", got, len(want), kb, im.Total)
		}
		if !slices.Equal(h.shown(t, v), want) {
			t.Error("the stars are not the same")
		}
	}
}

// TestUploadsAreChecked: parts of another size or of another user are refused, a missing one and what is no archive
// end the import, a newer one replaces an older one, and one that is removed does nothing more.
func TestUploadsAreChecked(t *testing.T) {
	t.Parallel()
	h, box := background(t)
	u, other := h.user(t, "a"), h.user(t, "b")
	ctx := t.Context()
	refused := func(what, code string, err error) {
		t.Helper()
		if fault.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", what, err, code)
		}
	}
	_, err := h.out.Begin(ctx, u, takeout.MaxArchive+1)
	refused("a large one", "request_too_large", err)
	im, err := h.out.Begin(ctx, u, takeout.PartSize+3)
	ok(t, err)
	_, err = h.out.Part(ctx, other, im.ID(), 0, make([]byte, takeout.PartSize))
	refused("another user", "import_not_found", err)
	_, err = h.out.Part(ctx, u, im.ID(), 0, make([]byte, 4))
	refused("another size", "bad_upload", err)
	_, err = h.out.Part(ctx, u, im.ID(), 2, make([]byte, 3))
	refused("a part too many", "bad_upload", err)
	_, err = h.out.Part(ctx, u, im.ID(), 1, make([]byte, 3))
	refused("a part missing", "import_file_gone", err)
	if im = h.imported(t, u, im.ID()); im.Failed != "import_file_gone" {
		t.Errorf("the import is %+v", im)
	}
	_, err = h.out.Part(ctx, u, im.ID(), 1, make([]byte, 3))
	refused("after its end", "import_not_found", err)

	for name, c := range map[string]struct {
		b    []byte
		code string
	}{
		"no zip": {[]byte("no zip at all"), "not_takeout"},
		"a later version": {packed(t, files(map[string]string{"ruri.json": `{"format":"ruri-takeout","version":9}`})),
			"takeout_newer"},
		"a bomb": {bomb(t, "items.jsonl", repeated(t, " ", 1024), 1<<30, nil),
			"takeout_too_large"},
	} {
		im, err := h.out.Begin(ctx, u, int64(len(c.b)))
		ok(t, err)
		_, err = h.out.Part(ctx, u, im.ID(), 0, c.b)
		refused(name, c.code, err)
		if im = h.imported(t, u, im.ID()); im.Failed != c.code || h.blobsOf(t, u) != 0 {
			t.Errorf("%s: %+v", name, im)
		}
	}

	good := archive(t, 2500)
	first, second := h.upload(t, u, good), h.upload(t, u, good)
	if _, err := h.store.Imports.One(ctx, u, first.ID()); !fault.Is(err, fault.NotFound) {
		t.Errorf("the import before is still there: %v", err)
	}
	for j, more := box.take(); more; j, more = box.take() {
		ok(t, h.out.RunImport(ctx, j))
		if j.List == second.ID() && j.Chunk == 0 {
			ok(t, h.subs.RemoveImport(ctx, u, second.ID()))
		}
	}
	if h.blobsOf(t, u) != 0 {
		t.Error("a removed import has left its file")
	}
	if list, err := h.store.Imports.List(ctx, other); err != nil || len(list) != 0 {
		t.Errorf("another user sees %+v, %v", list, err)
	}
}

// unsteady is a storage of files of which each second read fails.
type unsteady struct {
	blob.Driver
	reads int
}

func (d *unsteady) Get(ctx context.Context, key string, most int64) ([]byte, blob.Meta, error) {
	if d.reads++; d.reads%2 == 1 {
		return nil, blob.Meta{}, fault.New(fault.Unavailable, "test_fault", "test", nil)
	}
	return d.Driver.Get(ctx, key, most)
}

// TestImportsOutliveTheStorage: an archive that cannot be read for a moment is not taken for a broken one.
func TestImportsOutliveTheStorage(t *testing.T) {
	t.Parallel()
	h, box := background(t)
	u := h.user(t, "a")
	folder, err := fileblob.Open(t.TempDir(), fileblob.Options{Clock: h.clock})
	ok(t, err)
	d := &unsteady{Driver: folder}
	h.blobs = blob.New(d)
	h.out = takeout.New(h.store, h.blobs, h.subs, h.auth, box, h.clock)
	d.reads = 1 // not while it is uploaded
	im := h.upload(t, u, archive(t, 2500))
	failed := 0
	for j, more := box.take(); more; j, more = box.take() {
		if err := h.out.RunImport(t.Context(), j); fault.CodeOf(err) == "test_fault" {
			failed++
			ok(t, h.out.RunImport(t.Context(), j))
		} else {
			ok(t, err)
		}
	}
	if im = h.imported(t, u, im.ID()); im.Ended == 0 || im.Failed != "" || failed == 0 {
		t.Errorf("%+v after %d failures", im, failed)
	}
}

// archive is one of so many lines of the same star.
func archive(t *testing.T, n int) []byte {
	t.Helper()
	return packed(t, files(map[string]string{"items.jsonl": strings.Repeat(
		`{"identity":"000000000000000a","starredAt":"2020-01-01T00:00:00Z","title":"T"}`+"\n", n)}))
}

// TestBrokenArchivesEndTheirImports: what a message finds broken is said, and what was before it stays.
func TestBrokenArchivesEndTheirImports(t *testing.T) {
	t.Parallel()
	h, box := background(t)
	u := h.user(t, "a")
	line := `{"identity":"000000000000000a","starredAt":"2020-01-01T00:00:00Z","title":"T"}` + "\n"
	b := packed(t, files(map[string]string{"items.jsonl": strings.Repeat(line, 2500) + "{"}))
	done, im, err := h.out.Receive(t.Context(), u, bytes.NewReader(b))
	if err != nil || done != nil || im == nil || im.Ended != 0 || im.Total == 0 {
		t.Fatalf("%+v, %+v, %v", done, im, err)
	}
	for j, more := box.take(); more; j, more = box.take() {
		ok(t, h.out.RunImport(t.Context(), j))
	}
	if im = h.imported(t, u, im.ID()); im.Failed != "takeout_broken" || len(im.Done) != 1 ||
		len(h.shown(t, u)) != 1 || h.blobsOf(t, u) != 0 {
		t.Errorf("%+v", im)
	}
	// A short one is imported at once.
	short := packed(t, files(map[string]string{"items.jsonl": line}))
	done, im, err = h.out.Receive(t.Context(), u, bytes.NewReader(short))
	if err != nil || im != nil || done.Items != 1 {
		t.Errorf("%+v, %+v, %v", done, im, err)
	}
}
