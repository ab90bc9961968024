package blobtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// listAll follows the cursors and checks what every listing promises.
func listAll(t testing.TB, b *blob.Bucket, prefix string, limit int) []string {
	t.Helper()
	var keys []string
	cursor := ""
	for pages := 0; ; pages++ {
		page, next, err := b.List(t.Context(), prefix, cursor, limit)
		if err != nil {
			t.Fatalf("list %q: %v", prefix, err)
		}
		if limit > 0 && len(page) > limit {
			t.Fatalf("page of %d, limit %d", len(page), limit)
		}
		for _, o := range page {
			if !strings.HasPrefix(o.Key, prefix) || len(keys) > 0 && keys[len(keys)-1] >= o.Key {
				t.Fatalf("%q after %v in the listing of %q", o.Key, keys, prefix)
			}
			keys = append(keys, o.Key)
		}
		if next == "" {
			return keys
		}
		if cursor = next; pages > 1000 {
			t.Fatal("the listing does not end")
		}
	}
}

func testList(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	if got := listAll(t, b, "", 0); len(got) != 0 {
		t.Fatalf("empty bucket lists %v", got)
	}
	all := []string{"a", "a/b", "a/b/c", "a/bc", "a/d", "ab", "b/a", "feeds/2026/01/x", "feeds/2026/02/y"}
	for _, k := range all {
		put(t, b, k, k)
	}
	for _, prefix := range []string{"", "a", "a/", "a/b", "a/b/", "ab", "b", "feeds/20", "feeds/2026/",
		"feeds/2026/02/y", "none", "none/x", "a/b/c/d"} {
		var want []string
		for _, k := range all {
			if strings.HasPrefix(k, prefix) {
				want = append(want, k)
			}
		}
		if got := listAll(t, b, prefix, 0); !slices.Equal(got, want) {
			t.Errorf("prefix %q: %v, want %v", prefix, got, want)
		}
	}
	must(t, b.Delete(t.Context(), "a/b"))
	if got := listAll(t, b, "a/b", 0); !slices.Equal(got, []string{"a/b/c", "a/bc"}) {
		t.Errorf("after a delete: %v", got)
	}
	page, _, err := b.List(t.Context(), "feeds/", "", 1)
	if err != nil || len(page) != 1 || page[0].Size != int64(len("feeds/2026/01/x")) {
		t.Errorf("sizes: %v %v", page, err)
	}
}

func testListPaging(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	var all []string
	for i := range 23 {
		k := fmt.Sprintf("p/%d/%02d/x", i%3, i)
		put(t, b, k, "")
		all = append(all, k)
	}
	slices.Sort(all)
	for _, limit := range []int{1, 2, 7, 22, 23, 24} {
		if got := listAll(t, b, "p/", limit); !slices.Equal(got, all) {
			t.Errorf("limit %d: %v", limit, got)
		}
	}
	// A cursor stays good when the blob that it names is deleted, and when others come.
	page, next, err := b.List(t.Context(), "p/", "", 5)
	if err != nil || next == "" {
		t.Fatal(page, next, err)
	}
	must(t, b.Delete(t.Context(), page[4].Key))
	put(t, b, "p/0/00/early", "")
	rest, _, err := b.List(t.Context(), "p/", next, 100)
	if err != nil || len(rest) != 18 || rest[0].Key != all[5] {
		t.Errorf("after the cursor: %d from %v, %v", len(rest), rest, err)
	}
}

// Keys are in byte order, where "-" and "." come before "/": a walk of folders by name gets this wrong.
func testListOrder(t *testing.T, b *blob.Bucket, _ blob.Driver) {
	all := []string{"a/z", "a", "a-b", "a.b", "a/b", "a/b/c", "a0", "a_b", "A", "aa", "a-/x", "a./x", "a/b-c", "a/b.c"}
	for _, k := range all {
		put(t, b, k, "")
	}
	slices.Sort(all)
	for _, limit := range []int{0, 1, 3} {
		if got := listAll(t, b, "", limit); !slices.Equal(got, all) {
			t.Errorf("limit %d:\n got %v\nwant %v", limit, got, all)
		}
	}
}
