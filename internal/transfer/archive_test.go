package transfer

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// roundTrip goes from a place through an archive to a disk.
func roundTrip(t *testing.T, from Installation, to *disk, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	made, err := Backup(t.Context(), from, &b, o)
	ok(t, err)
	got, err := restore(t.Context(), b.Bytes(), to.place(o.Clock, calm), o)
	ok(t, err)
	if !made.equal(got.Sums) {
		t.Errorf("the backup reported %v, the restore %v", made.Lines(), got.Lines())
	}
	return b.Bytes()
}

// H-32, H-34
func TestArchiveRoundTrip(t *testing.T) {
	t.Parallel()
	from, to := newDisk("from"), newDisk("to")
	populate(t, from, 30)
	roundTrip(t, from.place(noon(), calm), to, Options{Clock: noon(), Version: "test"})
	same(t, dump(t, from), dump(t, to))
	if state(t, to) != store.TransferDone {
		t.Errorf("the restore is %q", state(t, to))
	}
}

// restore checks an archive and restores it, as the command does.
func restore(ctx context.Context, archive []byte, to Installation, o Options) (Report, error) {
	a, err := OpenArchive(ctx, bytes.NewReader(archive), o)
	if err != nil {
		return Report{}, err
	}
	return Restore(ctx, a, to, o)
}

func archiveOf(t testing.TB, feeds int) (*disk, []byte) {
	t.Helper()
	from := newDisk("from")
	populate(t, from, feeds)
	var b bytes.Buffer
	_, err := Backup(context.Background(), from.place(noon(), calm), &b, Options{Clock: noon(), Version: "test"})
	ok(t, err)
	return from, b.Bytes()
}

// TestRestoreKilledAnywhere is TestKilledAnywhereResumes for archives.
func TestRestoreKilledAnywhere(t *testing.T) {
	t.Parallel()
	from, archive := archiveOf(t, 3)
	want := dump(t, from)
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			to, k := newDisk("to"), &killer{at: at, after: after}
			_, err := restore(t.Context(), archive, to.place(noon(), k.step), Options{Clock: noon()})
			if !k.dead {
				ok(t, err)
				if at < 15 {
					t.Errorf("only %d places to be killed at", at)
				}
				break
			}
			if _, err := restore(t.Context(), archive, to.place(noon(), calm), Options{Clock: noon()}); err != nil {
				t.Fatalf("killed at %d (after: %v), started again: %v", at, after, err)
			}
			same(t, want, dump(t, to))
		}
	}
}

func TestOldArchiveLeavesOutWhatExpired(t *testing.T) {
	t.Parallel()
	_, archive := archiveOf(t, 9)
	to, later := newDisk("to"), noon()
	later.Set(start.Add(5*24*time.Hour + time.Minute))
	r, err := restore(t.Context(), archive, to.place(later, calm), Options{Clock: later})
	ok(t, err)
	if n := r.Sums["delta"].Count; n != 4 {
		t.Errorf("%d deltas of 9 came along, of which 5 have expired", n)
	}
}

// untouched fails when a refused archive left anything behind.
func untouched(t *testing.T, to *disk) {
	t.Helper()
	if left := dump(t, to); len(left) > 0 || state(t, to) != "" {
		t.Errorf("a refused archive left %d members and the mark %q", len(left), state(t, to))
	}
}

// TestDamagedArchives cuts the archive off at every length and turns a bit at every place: each is refused, and
// nothing of it is restored.
func TestDamagedArchives(t *testing.T) {
	t.Parallel()
	from, archive := archiveOf(t, 2)
	want := dump(t, from)
	refused := 0
	refuse := func(b []byte) {
		t.Helper()
		to := newDisk("to")
		_, err := restore(t.Context(), b, to.place(noon(), calm), Options{Clock: noon()})
		if err == nil { // a bit that fills up a byte between blocks says nothing
			same(t, want, dump(t, to))
			return
		}
		refused++
		if !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
			t.Fatalf("it ended with %v", err)
		}
		untouched(t, to)
	}
	for n := 0; n < len(archive); n += 23 {
		refuse(archive[:n])
	}
	if all := (len(archive) + 22) / 23; refused != all {
		t.Errorf("%d of %d parts of an archive were refused", refused, all)
	}
	for i := 10; i < len(archive); i += 17 { // the ten before are a time and the system, which no reader looks at
		b := bytes.Clone(archive)
		b[i] ^= 1 << (i % 8)
		refuse(b)
	}
	if all := len(archive)/23 + len(archive)/17; refused < all-5 {
		t.Errorf("%d of some %d damaged archives were refused", refused, all)
	}
	refused = 0
	refuse(append(bytes.Clone(archive), 0))
	refuse(append(bytes.Clone(archive), archive...))
	refuse([]byte("<opml version=\"2.0\"/>"))
	if refused != 3 {
		t.Error("what is no archive, or more than one, was taken")
	}
}

// file is an entry of an archive in the making.
type file struct {
	name string
	body []byte
	kind byte
	pax  map[string]string
}

func unpack(t testing.TB, archive []byte) (files []file) {
	t.Helper()
	gz, err := gzip.NewReader(bytes.NewReader(archive))
	ok(t, err)
	for r := tar.NewReader(gz); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		ok(t, err)
		b, err := io.ReadAll(r)
		ok(t, err)
		files = append(files, file{h.Name, b, h.Typeflag, h.PAXRecords})
	}
}

// pack makes an archive of files, with an end that fits them when theirs is left out.
func pack(t testing.TB, files []file, kinds []Line) []byte {
	t.Helper()
	var b bytes.Buffer
	a := newArchiver(&b)
	for _, f := range files {
		if f.kind == 0 || f.kind == tar.TypeReg {
			ok(t, a.file(f.name, f.body, f.pax[metaRecord]))
			continue
		}
		ok(t, a.tar.WriteHeader(&tar.Header{Typeflag: f.kind, Name: f.name, Linkname: string(f.body), Mode: 0o600}))
		a.files++
	}
	if kinds != nil {
		ok(t, a.finish(kinds))
	} else {
		ok(t, a.tar.Close())
		ok(t, a.gz.Close())
	}
	return b.Bytes()
}

// promise makes an archive whose one file says that it is so large.
func promise(t testing.TB, head file, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	a := newArchiver(&b)
	ok(t, a.file(head.name, head.body, ""))
	ok(t, a.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "blobs/feeds/x", Mode: 0o600, Size: size}))
	ok(t, a.gz.Close())
	return b.Bytes()
}

// TestBomb: what unpacks to far more than its size is refused early.
func TestBomb(t *testing.T) {
	t.Parallel()
	_, archive := archiveOf(t, 1)
	files := unpack(t, archive)
	for range 4 {
		files = slices.Insert(files, 1, file{name: "blobs/feeds/x", body: make([]byte, 1<<20)})
	}
	bomb := pack(t, files, nil)
	for free, want := range map[int64]string{freeExpand: "archive_damaged", 1 << 20: "archive_bomb"} {
		in := bytes.NewReader(bomb)
		a := &Archive{file: in, free: free}
		if err := a.check(t.Context(), Options{}); code(err) != want {
			t.Errorf("with %d bytes free it ended with %v", free, err)
		}
	}
}

// TestHostileArchives are whole and have right checksums; they are malicious, or of another version.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	_, archive := archiveOf(t, 2)
	files := unpack(t, archive)
	var end archiveEnd
	ok(t, json.Unmarshal(files[len(files)-1].body, &end))
	head, rest := files[0], files[1:len(files)-1]
	with := func(more ...file) []byte { return pack(t, slices.Concat([]file{head}, rest, more), end.Kinds) }
	manifestOf := func(change func(map[string]any)) []byte {
		var m map[string]any
		ok(t, json.Unmarshal(head.body, &m))
		change(m)
		b, _ := json.Marshal(m)
		return pack(t, append([]file{{name: manifestName, body: b}}, rest...), end.Kinds)
	}
	row := func(text string) file { return file{name: "rows/99999999.jsonl", body: []byte(text)} }
	for name, c := range map[string]struct {
		archive []byte
		code    string
	}{
		"itself, packed again":    {with(), ""},
		"up the tree":             {with(file{name: "../etc/passwd"}), "archive_damaged"},
		"up the tree below blobs": {with(file{name: "blobs/feeds/../../x"}), "archive_damaged"},
		"absolute":                {with(file{name: "/etc/passwd"}), "archive_damaged"},
		"blob that does not move": {with(file{name: "blobs/imports/x"}), "archive_damaged"},
		"blob with a bad name":    {with(file{name: "blobs/feeds/a b"}), "archive_damaged"},
		"symbolic link": {
			with(file{name: "blobs/feeds/x", body: []byte("/etc/passwd"), kind: tar.TypeSymlink}), "archive_damaged"},
		"hard link": {
			with(file{name: "blobs/feeds/x", body: []byte("/etc/passwd"), kind: tar.TypeLink}), "archive_damaged"},
		"folder":                  {with(file{name: "blobs/feeds/x", kind: tar.TypeDir}), "archive_damaged"},
		"device":                  {with(file{name: "blobs/feeds/x", kind: tar.TypeChar}), "archive_damaged"},
		"blob that is too large":  {promise(t, head, 32<<20+1), "archive_damaged"},
		"chunk that is too large": {with(row(strings.Repeat(" ", maxChunk+1))), "archive_damaged"},
		"metadata that is none": {with(file{name: "blobs/feeds/x", pax: map[string]string{metaRecord: "{"}}),
			"archive_damaged"},
		"row that is none":  {with(row("{\"row\":[]}\n")), "archive_damaged"},
		"row without a key": {with(row("{\"row\":{\"pk\":{\"S\":\"x\"}}}\n")), "archive_damaged"},
		"row that is too large": {
			with(row(`{"row":{"pk":{"S":"U#u"},"sk":{"S":"S#000001"},"x":{"S":"` + strings.Repeat("x", 400<<10) +
				`"}}}` + "\n")), "archive_damaged"},
		"row of no known kind": {
			with(row("{\"row\":{\"pk\":{\"S\":\"NEW#\"},\"sk\":{\"S\":\"-\"},\"ttl\":{\"N\":\"1\"}}}\n")),
			"unknown_row"},
		"row that does not move": {with(row("{\"row\":{\"pk\":{\"S\":\"C#x\"},\"sk\":{\"S\":\"-\"}}}\n")),
			"archive_damaged"},
		"mark of a copy": {with(row("{\"row\":{\"pk\":{\"S\":\"SYS\"},\"sk\":{\"S\":\"transfer\"}}}\n")),
			"archive_damaged"},
		"value of two types": {
			with(row("{\"row\":{\"pk\":{\"S\":\"U#u\",\"N\":\"1\"},\"sk\":{\"S\":\"A\"}}}\n")), "archive_damaged"},
		"nested too deep": {
			with(row(`{"row":{"pk":{"S":"U#u"},"sk":{"S":"A"},"x":` + strings.Repeat(`{"L":[`, 60) +
				strings.Repeat(`]}`, 60) + "}}\n")), "archive_damaged"},
		"line that is both": {with(row("{\"row\":{},\"gone\":\"00000000000000000000000000000000\"}\n")),
			"archive_damaged"},
		"line that is neither": {with(row("{}\n")), "archive_damaged"},
		"row twice":            {with(rest[0]), "archive_damaged"},
		"row that was not counted": {with(row("{\"row\":{\"pk\":{\"S\":\"U#u\"},\"sk\":{\"S\":\"A\"}}}\n")),
			"archive_damaged"},
		"blob that was not counted": {with(file{name: "blobs/feeds/x", body: []byte("x")}), "archive_damaged"},
		"two manifests":             {with(head), "archive_damaged"},
		"no manifest":               {pack(t, rest, end.Kinds), "not_an_archive"},
		"no end":                    {pack(t, append([]file{head}, rest...), nil), "archive_damaged"},
		"a row is missing":          {pack(t, append([]file{head}, rest[1:]...), end.Kinds), "archive_damaged"},
		"nothing at all":            {pack(t, []file{head}, end.Kinds), "archive_damaged"},
		"another program's":         {manifestOf(func(m map[string]any) { m["format"] = "other" }), "not_an_archive"},
		"a later version":           {manifestOf(func(m map[string]any) { m["version"] = 2 }), "archive_version"},
		"nobody's":                  {manifestOf(func(m map[string]any) { m["home"] = "" }), "archive_damaged"},
		"something after the end": {pack(t, append(slices.Clone(files), file{name: "rows/1.jsonl"}), nil),
			"archive_damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := newDisk("to")
			_, err := restore(t.Context(), c.archive, to.place(noon(), calm), Options{Clock: noon()})
			if code(err) != c.code {
				t.Errorf("it ended with %v", err)
			}
			if c.code != "" {
				untouched(t, to)
			}
		})
	}
}

// FuzzReadArchive feeds the reader with strange archives, compressed as well as not: it never panics, never takes
// what it refuses, and what it takes it can write and read again.
func FuzzReadArchive(f *testing.F) {
	_, archive := archiveOf(f, 2)
	gz, err := gzip.NewReader(bytes.NewReader(archive))
	ok(f, err)
	plain, err := io.ReadAll(gz)
	ok(f, err)
	f.Add(archive, false)
	f.Add(plain, true)
	f.Add(plain[:len(plain)/2], true)
	f.Fuzz(func(t *testing.T, b []byte, pack bool) {
		if pack {
			var z bytes.Buffer
			w, _ := gzip.NewWriterLevel(&z, gzip.BestSpeed)
			_, _ = w.Write(b)
			_ = w.Close()
			b = z.Bytes()
		}
		to := newDisk("to")
		_, err := restore(t.Context(), b, to.place(noon(), calm), Options{Clock: noon()})
		if err != nil {
			if fault.Is(err, fault.Internal) || fault.Is(err, fault.Unavailable) {
				t.Fatalf("a strange archive ended with %v", err)
			}
			return
		}
		again := newDisk("again")
		if _, err := store.New(to.place(noon(), nil).Table, noon()).Accounts.Owner(t.Context()); err != nil {
			return // what has no owner cannot be backed up
		}
		roundTrip(t, to.place(noon(), calm), again, Options{Clock: noon()})
		if !maps.Equal(dump(t, to), dump(t, again)) {
			t.Error("what was restored is not what it backs up as")
		}
	})
}

// FuzzArchiveEntry puts one strange entry into an archive that is right in all else: what the reader hands on is of
// a kind that moves, under a name that stays inside, and the same row when it is written and read again.
func FuzzArchiveEntry(f *testing.F) {
	_, archive := archiveOf(f, 1)
	for _, e := range unpack(f, archive)[1:] {
		f.Add(e.name, e.body[:min(len(e.body), 600)], e.pax[metaRecord])
	}
	f.Add("rows/1.jsonl",
		[]byte(`{"row":{"pk":{"S":"U#u"},"sk":{"S":"A"},"n":{"N":"1e2"},"l":{"L":[{"SS":["b","a"]},`+
			`{"M":{"x":{"NULL":true}}}]}}}`), "")
	f.Add("rows/1.jsonl", []byte(`{"gone":"00112233445566778899aabbccddeeff"}`), "")
	f.Add("blobs/stars/../x", []byte("x"), `{"type":"a"}`)
	head, err := json.Marshal(manifest{Format: archiveFormat, Version: archiveVersion, Home: "u"})
	ok(f, err)
	f.Fuzz(func(t *testing.T, name string, body []byte, meta string) {
		var b bytes.Buffer
		a := newArchiver(&b)
		ok(t, a.file(manifestName, head, ""))
		if a.file(name, body, meta) != nil || a.finish(nil) != nil {
			return // tar cannot say such a name
		}
		r, err := newArchiveReader(&b, freeExpand)
		ok(t, err)
		for m, err := range r.members(t.Context()) {
			switch {
			case err != nil:
				if fault.Is(err, fault.Internal) || fault.Is(err, fault.Unavailable) {
					t.Errorf("a strange entry ended with %v", err)
				}
			case m.how != moves && m.how != movesLast:
				t.Errorf("a member of kind %s was handed on", m.kind)
			case m.key != "":
				if !blob.ValidKey(m.key) || strings.Contains(m.key, "..") || !strings.HasPrefix(m.key, "feeds/") &&
					!strings.HasPrefix(m.key, "stars/") && !strings.HasPrefix(m.key, "icons/") {
					t.Errorf("a file %q was handed on", m.key)
				}
			default:
				text, err := m.row.JSON()
				ok(t, err)
				again, err := table.ParseJSON(text)
				ok(t, err)
				if e, err := rowDigest(again); err != nil || e != m.digest {
					t.Errorf("a row is another when it is read again: %s (%v)", text, err)
				}
			}
		}
	})
}
