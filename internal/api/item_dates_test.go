package api

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// Clients get the publisher's date even where the item stands at another time in lists.
// G-22
func TestItemDates(t *testing.T) {
	t.Parallel()
	const arrival, yesterday = 1_700_000_000, 1_700_000_000 - 86_400
	tests := map[string]struct {
		header            store.Header
		published, sorted string
	}{
		"as dated": {store.Header{Published: arrival, Sort: arrival}, "2023-11-14T22:13:20Z", ""},
		"in the future": {store.Header{Published: 2_147_483_647, Sort: arrival}, "2038-01-19T03:14:07Z",
			"2023-11-14T22:13:20Z"},
		"late": {store.Header{Published: 1_600_000_000, Sort: yesterday}, "2020-09-13T12:26:40Z",
			"2023-11-13T22:13:20Z"},
		"before 1970": {store.Header{Published: -86_400, Sort: -86_400}, "1969-12-31T00:00:00Z", ""},
		"without":     {store.Header{Sort: arrival, Estimated: true}, "2023-11-14T22:13:20Z", ""},
	}
	for name, tt := range tests {
		got := item(&stream.Entry{Header: tt.header}, nil, nil)
		sorted := ""
		if got.SortedAt > 0 {
			sorted = time.Unix(int64(got.SortedAt), 0).UTC().Format(time.RFC3339)
		}
		if got.PublishedAt != tt.published || sorted != tt.sorted || got.DateEstimated != tt.header.Estimated {
			t.Errorf("%s: published %s, sorted %q, estimated %v", name, got.PublishedAt, sorted, got.DateEstimated)
		}
	}
}

func TestLeadImagesByHTTPAreAskedForByHTTPS(t *testing.T) {
	t.Parallel()
	for image, want := range map[string]string{"http://x.example/a.png": "https://x.example/a.png",
		"http://x.example:81/a.png": "", "": ""} {
		got := ""
		if p := item(&stream.Entry{Header: store.Header{Image: image}}, nil, nil).ImageURL; p != nil {
			got = *p
		}
		if got != want {
			t.Errorf("%q is shown as %q, want %q", image, got, want)
		}
	}
}
