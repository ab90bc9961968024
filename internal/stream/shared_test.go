package stream_test

import (
	"context"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// TestBodiesOfItemsWithOneGuid: each item has its own body, whether its raw feed lists it among others or alone; an
// item that was stored under the guid, when such items were not distinguished, is the first of its body.
func TestBodiesOfItemsWithOneGuid(t *testing.T) {
	t.Parallel()
	const head, tail = `<rss version="2.0"><channel><title>T</title>`, `</channel></rss>`
	a := `<item><guid>g</guid><title>A</title><description>body of A</description></item>`
	b := `<item><guid>g</guid><title>B</title><description>body of B</description></item>`
	silent := `<item><guid>g</guid><title>C</title></item>`
	shared := extract.Identity("g", "", "", "", "")
	of := func(title, body string) uint64 { return extract.IdentityWithin(shared, "", title, "", body, 0) }
	for _, c := range []struct {
		name, raw string
		header    store.Header
		want      string
	}{
		{"among others", a + b, store.Header{Identity: of("B", "body of B"), Shared: shared}, "body of B"},
		{"alone", b, store.Header{Identity: of("B", "body of B"), Shared: shared}, "body of B"},
		{"stored under the guid", a + b, store.Header{Identity: shared}, "body of A"},
		{"without a text, among others", a + silent, store.Header{Identity: of("C", ""), Shared: shared}, ""},
	} {
		w := newWorld(t, 61)
		var packed strings.Builder
		z := gzip.NewWriter(&packed)
		_, err := z.Write([]byte(head + c.raw + tail))
		w.ok(err)
		w.ok(z.Close())
		w.ok(w.blobs.Put(context.Background(), "feeds/raw.gz", []byte(packed.String()),
			blob.Meta{ContentType: "application/rss+xml"}))
		feed := w.feed()
		got, err := w.s.Body(t.Context(), user, stream.Entry{Feed: feed, Header: c.header, Raw: "feeds/raw.gz"}, nil)
		if err != nil || got.HTML != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got.HTML, err, c.want)
		}
	}
}
