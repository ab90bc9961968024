package extract

import (
	"strings"
	"testing"
	"time"
)

// TestCasesThatPatternsGetWrong: what a pattern over the text, or a cut at the first kilobyte, would take for the
// feed's own., C-31
func TestCasesThatPatternsGetWrong(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ contentType, body, title, updated string }{
		"items before the channel's own title and date": {
			"application/rss+xml",
			`<rss version="2.0"><channel><item><guid>1</guid><title>Item</title><pubDate>Sat, 21 Nov 2026 09:00:00 ` +
				`GMT</pubDate></item>` +
				`<title>Feed</title><lastBuildDate>Sat, 21 Nov 2026 10:00:00 GMT</lastBuildDate></channel></rss>`,
			"Feed", "2026-11-21T10:00:00Z",
		},
		"an image's title before the channel's": {
			"application/rss+xml",
			`<rss version="2.0"><channel><image><title>Image</title></image><title>Feed</title><item><guid>1</guid>` +
				`<title>Item</title></item></channel></rss>`, "Feed", "",
		},
		"an entry before the feed's title": {
			"application/atom+xml",
			`<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title>Entry</title><updated>` +
				`2026-11-21T09:00:00Z</updated></entry>` +
				`<title>Feed</title><updated>2026-11-21T10:00:00Z</updated></feed>`, "Feed", "2026-11-21T10:00:00Z",
		},
		"JSON whose items begin after the first kilobyte": {
			"application/json", `{"version":"https://jsonfeed.org/version/1.1","description":"` +
				strings.Repeat("long ", 400) +
				`","items":[{"id":"1","title":"Item","date_published":"2026-11-21T09:00:00Z","content_text":"x"}],` +
				`"title":"Feed"}`, "Feed", "",
		},
	}
	for name, c := range cases {
		f, err := Scan([]byte(c.body), c.contentType, "https://example.org/feed", Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if f.Title != c.title || len(f.Items) != 1 || f.Items[0].Title == c.title {
			t.Errorf("%s: the feed is %q with %d items", name, f.Title, len(f.Items))
		}
		if c.updated != "" && f.Updated.UTC().Format(time.RFC3339) != c.updated {
			t.Errorf("%s: updated %s, want %s", name, f.Updated, c.updated)
		}
	}
}
