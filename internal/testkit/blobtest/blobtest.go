// Package blobtest is the conformance suite of package blob: each driver's tests call Run.
package blobtest

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// Harness describes a driver to the suite.
type Harness struct {
	// New makes a driver over an empty place that no other test sees; it cleans up by t.Cleanup.
	New func(t testing.TB) blob.Driver
	// Differs names tests (as in "Conformance/Name") that an emulator is known to fail, with the reason. They are
	// skipped with it; a driver over the real thing has none.
	Differs map[string]string
}

// Run is the suite.
func Run(t *testing.T, h Harness) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, b *blob.Bucket, d blob.Driver)
	}{
		{"Sizes", testSizes}, {"Overwrite", testOverwrite}, {"BodyIsNotKept", testBodyIsNotKept},
		{"Metadata", testMetadata}, {"EncodedBodiesComeBackAsPut", testEncodedBody}, {"Modified", testModified},
		{"Keys", testKeys}, {"KeyThatBeginsAnother", testNestedKeys}, {"BadKeys", testBadKeys},
		{"TooLarge", testTooLarge}, {"NotFound", testNotFound}, {"Delete", testDelete},
		{"PutIfAbsent", testPutIfAbsent}, {"PutIfAbsentRace", testPutIfAbsentRace},
		{"OverwriteRace", testOverwriteRace}, {"PutDeleteRace", testPutDeleteRace},
		{"Range", testRange}, {"List", testList}, {"ListPaging", testListPaging}, {"ListOrder", testListOrder},
		{"Cancelled", testCancelled},
		{"Requests", testRequests},
	} {
		t.Run(c.name, func(t *testing.T) {
			if why := h.Differs[c.name]; why != "" {
				t.Skip("known difference: " + why)
			}
			t.Parallel()
			d := h.New(t)
			c.test(t, blob.New(d), d)
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, b *blob.Bucket, key, body string) {
	t.Helper()
	if err := b.Put(t.Context(), key, []byte(body), blob.Meta{}); err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
}

func want(t testing.TB, b *blob.Bucket, key, body string) {
	t.Helper()
	got, m, err := b.Get(t.Context(), key)
	if err != nil || string(got) != body || m.Size != int64(len(body)) {
		t.Fatalf("get %s: %.40q, size %d, %v; want %.40q", key, got, m.Size, err, body)
	}
}

func wantKind(t testing.TB, what string, err error, kind fault.Kind, code string) {
	t.Helper()
	if !fault.Is(err, kind) || fault.CodeOf(err) != code {
		t.Errorf("%s: %v, want %v %s", what, err, kind, code)
	}
}

func random(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func testSizes(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	for i, n := range []int{0, 1, 39, 40, 983, 984, 985, 4096, 65537, 1 << 20, 6 << 20} {
		body := random(uint64(i), n)
		key := fmt.Sprintf("s/%d", n)
		if err := b.Put(t.Context(), key, body, blob.Meta{ContentType: "application/octet-stream"}); err != nil {
			t.Fatalf("put %d bytes: %v", n, err)
		}
		got, m, err := b.Get(t.Context(), key)
		if err != nil || !bytes.Equal(got, body) || m.Size != int64(n) {
			t.Errorf("%d bytes: got %d, size %d, %v", n, len(got), m.Size, err)
		}
		if m, err = b.Stat(t.Context(), key); err != nil || m.Size != int64(n) {
			t.Errorf("stat of %d bytes: size %d, %v", n, m.Size, err)
		}
	}
}

func testRange(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	body := random(9, 5000)
	must(t, b.Put(t.Context(), "r/x", body, blob.Meta{ContentType: "text/plain", User: map[string]string{"a": "1"}}))
	put(t, b, "r/empty", "")
	for _, c := range []struct{ offset, n, want int64 }{
		{0, 1, 1}, {0, 5000, 5000}, {4999, 1, 1}, {100, 300, 300}, {4990, 11, 10},
		{0, blob.MaxSize, 5000}, {5000, 1, 0},
		{5001, 7, 0}, {blob.MaxSize, blob.MaxSize, 0},
	} {
		got, err := b.GetRange(t.Context(), "r/x", c.offset, c.n)
		from := min(c.offset, 5000)
		if err != nil || !bytes.Equal(got, body[from:from+c.want]) {
			t.Errorf("%d bytes from %d: got %d, %v", c.n, c.offset, len(got), err)
		}
	}
	if got, err := b.GetRange(t.Context(), "r/empty", 0, 5); err != nil || len(got) != 0 {
		t.Errorf("of an empty blob: %q, %v", got, err)
	}
	_, err := b.GetRange(t.Context(), "r/none", 0, 5)
	wantKind(t, "absent", err, fault.NotFound, "blob_not_found")
	for _, c := range [][2]int64{{-1, 5}, {0, 0}, {0, -1}, {0, blob.MaxSize + 1}, {blob.MaxSize + 1, 1}} {
		_, err := b.GetRange(t.Context(), "r/x", c[0], c[1])
		wantKind(t, fmt.Sprint(c), err, fault.Invalid, "bad_range")
	}
}

func testOverwrite(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	long := string(random(7, 5000))
	put(t, b, "k", long)
	put(t, b, "k", long)
	want(t, b, "k", long)
	must(t, b.Put(t.Context(), "k", []byte("short"), blob.Meta{User: map[string]string{"a": "1"}}))
	want(t, b, "k", "short")
	put(t, b, "k", "bare")
	if m, err := b.Stat(t.Context(), "k"); err != nil || len(m.User) != 0 {
		t.Errorf("metadata of the overwritten blob stayed: %v %v", m.User, err)
	}
}

func testBodyIsNotKept(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	body := []byte("first")
	must(t, b.Put(t.Context(), "k", body, blob.Meta{}))
	copy(body, "xxxxx")
	want(t, b, "k", "first")
	got, _, _ := b.Get(t.Context(), "k")
	copy(got, "yyyyy")
	want(t, b, "k", "first")
}

func testMetadata(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	in := blob.Meta{ContentType: "application/atom+xml; charset=\"utf-8\"", ContentEncoding: "gzip",
		User: map[string]string{
			"feed": "f_12", "etag": `W/"a b/%41+&=,;:'~"`, "title": "瑠璃 – naïve\r\n\x00 x", "spaces": "  both  ",
			"url-2": "https://example.org/a?b=c&d=%E3%81%82#e", "long": string(bytes.Repeat([]byte("x"), 1200)),
		}}
	must(t, b.Put(t.Context(), "m", []byte("body"), in))
	_, got, err := b.Get(t.Context(), "m")
	stat, err2 := b.Stat(t.Context(), "m")
	for name, m := range map[string]blob.Meta{"get": got, "stat": stat} {
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if m.ContentType != in.ContentType || m.ContentEncoding != in.ContentEncoding ||
			!maps.Equal(m.User, in.User) || m.Size != 4 {
			t.Errorf("%s: %+v, want %+v", name, m, in)
		}
	}
	wantKind(t, "bad metadata key", b.Put(t.Context(), "m", nil, blob.Meta{User: map[string]string{"A b": ""}}),
		fault.Invalid, "bad_meta")
	big := blob.Meta{User: map[string]string{"a": string(bytes.Repeat([]byte("x"), blob.MaxUserMeta))}}
	wantKind(t, "too much metadata", b.Put(t.Context(), "m", nil, big), fault.TooLarge, "metadata_too_large")
	want(t, b, "m", "body")
}

// An HTTP client that unpacks what says "gzip" would break every stored feed.
func testEncodedBody(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	gz := []byte("\x1f\x8b\x08\x00not really gzip")
	must(t, b.Put(t.Context(), "z", gz, blob.Meta{ContentEncoding: "gzip", ContentType: "text/xml"}))
	want(t, b, "z", string(gz))
	// Where a publisher named no type, none may be made up.
	must(t, b.Put(t.Context(), "untyped", gz, blob.Meta{}))
	_, m, err := b.Get(t.Context(), "untyped")
	if st, err2 := b.Stat(t.Context(), "untyped"); err != nil || err2 != nil || m.ContentType != "" ||
		st.ContentType != "" {
		t.Errorf("a blob without a type has %q, %q (%v, %v)", m.ContentType, st.ContentType, err, err2)
	}
}

func testModified(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	put(t, b, "k", "x")
	m, err := b.Stat(t.Context(), "k")
	if err != nil || m.Modified.IsZero() || m.Modified.Location() != time.UTC {
		t.Fatalf("modified %v, %v", m.Modified, err)
	}
	page, _, err := b.List(t.Context(), "", "", 0)
	if err != nil || len(page) != 1 || page[0].Size != 1 || page[0].Modified.Sub(m.Modified).Abs() >= time.Second {
		t.Errorf("listing %v, %v; stat said %v", page, err, m.Modified)
	}
}

var oddKeys = []string{"a", "A", "0", "-", "_", "a.b", "a-b", "a_b", ".x", "x.", "a/b", "a/.b/c", "a/b.c/d-e_f/G",
	"tmp/lock", "lock"}

func testKeys(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	keys := append([]string{string(bytes.Repeat([]byte("k"), 250)),
		string(bytes.Repeat([]byte("0123456789abcde/"), 32))[:blob.MaxKey-1]}, oddKeys...)
	for _, k := range keys {
		put(t, b, k, "of "+k)
	}
	for _, k := range keys {
		want(t, b, k, "of "+k)
	}
}

func testNestedKeys(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	for _, k := range []string{"n/m/o", "n", "n/m"} {
		put(t, b, k, k)
	}
	for _, k := range []string{"n/m/o", "n", "n/m"} {
		want(t, b, k, k)
	}
	must(t, b.Delete(t.Context(), "n/m"))
	want(t, b, "n/m/o", "n/m/o")
	want(t, b, "n", "n")
}

func testBadKeys(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	ctx := t.Context()
	for _, k := range []string{"", "/", "/etc/passwd", "..", "../x", "a/../../x", "a/..", "a//b", "a/", ".", "./a",
		"a b", "a\x00b",
		"a\\b", "é", "a%2fb", "@tmp/lock", "a@", string(bytes.Repeat([]byte("k"), blob.MaxKey+1))} {
		_, _, getErr := b.Get(ctx, k)
		_, rangeErr := b.GetRange(ctx, k, 0, 1)
		_, statErr := b.Stat(ctx, k)
		_, absentErr := b.PutIfAbsent(ctx, k, nil, blob.Meta{})
		for what, err := range map[string]error{"get": getErr, "get range": rangeErr, "stat": statErr,
			"put if absent": absentErr,
			"put":           b.Put(ctx, k, nil, blob.Meta{}), "delete": b.Delete(ctx, k)} {
			wantKind(t, fmt.Sprintf("%s %q", what, k), err, fault.Invalid, "bad_key")
		}
	}
	_, _, err := b.List(ctx, "../", "", 0)
	wantKind(t, "list ../", err, fault.Invalid, "bad_key")
	_, _, err = b.List(ctx, "", "not a cursor!", 0)
	wantKind(t, "list with a bad cursor", err, fault.Invalid, "bad_cursor")
}

func testTooLarge(t *testing.T, b *blob.Bucket, d blob.Driver) {
	put(t, b, "big", string(random(3, 1000)))
	_, _, err := d.Get(t.Context(), "big", 999)
	wantKind(t, "get", err, fault.TooLarge, "blob_too_large")
	wantKind(t, "put", b.Put(t.Context(), "other", make([]byte, blob.MaxSize+1), blob.Meta{}), fault.TooLarge,
		"blob_too_large")
	if _, err := b.Stat(t.Context(), "other"); !fault.Is(err, fault.NotFound) {
		t.Errorf("refused put left something: %v", err)
	}
}

func testNotFound(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	put(t, b, "a/b", "x")
	for _, k := range []string{"none", "a", "a/b/c", "a/c", "b/b"} {
		_, _, err := b.Get(t.Context(), k)
		wantKind(t, "get "+k, err, fault.NotFound, "blob_not_found")
		_, err = b.Stat(t.Context(), k)
		wantKind(t, "stat "+k, err, fault.NotFound, "blob_not_found")
	}
}

func testDelete(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	put(t, b, "d/e/f", "1")
	put(t, b, "d/e/g", "2")
	for range 2 { // the second time it is absent
		must(t, b.Delete(t.Context(), "d/e/f"))
	}
	if err := b.Delete(t.Context(), "never/was"); err != nil {
		t.Error(err)
	}
	if _, err := b.Stat(t.Context(), "d/e/f"); !fault.Is(err, fault.NotFound) {
		t.Errorf("deleted blob: %v", err)
	}
	want(t, b, "d/e/g", "2")
	put(t, b, "d/e/f", "again")
	want(t, b, "d/e/f", "again")
}

func testPutIfAbsent(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	m := blob.Meta{ContentType: "text/xml", User: map[string]string{"a": "1"}}
	for i, wantCreated := range []bool{true, false, false} {
		created, err := b.PutIfAbsent(t.Context(), "c/x", fmt.Appendf(nil, "body %d", i), m)
		if err != nil || created != wantCreated {
			t.Fatalf("put %d: created %v, %v", i, created, err)
		}
		m = blob.Meta{}
	}
	want(t, b, "c/x", "body 0")
	if got, _ := b.Stat(t.Context(), "c/x"); got.ContentType != "text/xml" || got.User["a"] != "1" {
		t.Errorf("metadata of the first: %+v", got)
	}
	must(t, b.Delete(t.Context(), "c/x"))
	if created, err := b.PutIfAbsent(t.Context(), "c/x", []byte("new"), m); err != nil || !created {
		t.Errorf("after a delete: %v %v", created, err)
	}
}

func testPutIfAbsentRace(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	const racers = 8
	for round := range 5 {
		key := fmt.Sprintf("race/%d/x", round)
		var wg sync.WaitGroup
		created := make([]bool, racers)
		for i := range racers {
			wg.Go(func() {
				var err error
				if created[i], err = b.PutIfAbsent(t.Context(), key, fmt.Appendf(nil, "of %d", i),
					blob.Meta{}); err != nil {
					t.Errorf("racer %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		winner := -1
		for i, c := range created {
			if c && winner >= 0 {
				t.Fatalf("round %d: both %d and %d created", round, winner, i)
			}
			if c {
				winner = i
			}
		}
		want(t, b, key, fmt.Sprintf("of %d", winner))
	}
}

// A read concurrent with writes returns one of the bodies, never a mixture and never nothing.
func testOverwriteRace(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	bodies := map[string]bool{}
	write := func(c byte) string { return string(bytes.Repeat([]byte{c}, 20_000+int(c))) }
	for c := byte('a'); c < 'e'; c++ {
		bodies[write(c)] = true
	}
	put(t, b, "k", write('a'))
	var wg sync.WaitGroup
	for c := byte('a'); c < 'e'; c++ {
		wg.Go(func() {
			for range 5 {
				if err := b.Put(t.Context(), "k", []byte(write(c)), blob.Meta{}); err != nil {
					t.Error(err)
				}
				if got, _, err := b.Get(t.Context(), "k"); err != nil || !bodies[string(got)] {
					t.Errorf("read %d bytes that nobody wrote: %v", len(got), err)
				}
			}
		})
	}
	wg.Wait()
}

// Deleting the last blob of a folder must not take the folder away from a put under way.
func testPutDeleteRace(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			key := fmt.Sprintf("p/q/r/%d", i)
			for n := range 15 {
				if err := b.Put(t.Context(), key, []byte{byte(n)}, blob.Meta{}); err != nil {
					t.Errorf("put %d: %v", n, err)
				} else if got, _, err := b.Get(t.Context(), key); err != nil || got[0] != byte(n) {
					t.Errorf("get %d: %v %v", n, got, err)
				}
				if err := b.Delete(t.Context(), key); err != nil {
					t.Errorf("delete %d: %v", n, err)
				}
			}
		})
	}
	wg.Wait()
}

func testCancelled(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	put(t, b, "k", "old")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, getErr := b.Get(ctx, "k")
	_, rangeErr := b.GetRange(ctx, "k", 0, 1)
	_, statErr := b.Stat(ctx, "k")
	_, absentErr := b.PutIfAbsent(ctx, "new", nil, blob.Meta{})
	_, _, listErr := b.List(ctx, "", "", 0)
	for what, err := range map[string]error{"get": getErr, "get range": rangeErr, "stat": statErr,
		"put if absent": absentErr, "list": listErr,
		"put": b.Put(ctx, "k", []byte("new"), blob.Meta{}), "delete": b.Delete(ctx, "k")} {
		wantKind(t, what, err, fault.Cancelled, "cancelled")
	}
	want(t, b, "k", "old")
}

// testRequests counts what a service bills: each call, also one that changes or finds nothing.
func testRequests(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	ctx := t.Context()
	before := b.Meter().Snapshot()
	put(t, b, "m/a", "12345")
	for range 2 { // the second finds the key taken: S3 bills the refusal too
		if _, err := b.PutIfAbsent(ctx, "m/b", []byte("123"), blob.Meta{}); err != nil {
			t.Fatal(err)
		}
	}
	want(t, b, "m/a", "12345")
	if _, _, err := b.Get(ctx, "m/a"); err != nil {
		t.Fatal(err)
	}
	_, _, _ = b.Get(ctx, "m/none")
	for _, key := range []string{"m/a", "m/none"} { // a part is billed as the whole
		_, _ = b.GetRange(ctx, key, 1, 2)
	}
	_, _ = b.Stat(ctx, "m/a")
	_, _, _ = b.List(ctx, "m/", "", 1)
	_ = b.Delete(ctx, "m/a")
	_, _, _ = b.Get(ctx, "/bad") // refused here: no request
	got := b.Meter().Snapshot().Minus(before)
	if want := (blob.Requests{
		Puts: 3, Gets: 5, Stats: 1, Lists: 1, Deletes: 1, BytesPut: 11, BytesGot: 12, Created: 2, BytesCreated: 8,
	}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}
