package parse

import (
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/content/extract"
)

// TestTeasers: an invitation to read on is no text, and never hides one.
func TestTeasers(t *testing.T) {
	t.Parallel()
	const link = "<link>https://site.example/1</link>"
	for _, tt := range []struct{ item, content, snippet string }{
		{link + "<description>Read more</description>", "", ""},
		{link + "<description>&lt;p class='more'&gt;&lt;a href='/1'&gt;続きを読む »&lt;/a&gt;&lt;/p&gt;</description>", "", ""},
		{link + "<description>[Weiterlesen …]</description>", "", ""},
		{"<description>&lt;a href='/1'&gt;Lire la suite&lt;/a&gt;</description>", "Lire la suite", ""},
		{link + "<description>Continue reading…</description><content:encoded>The text.</content:encoded>", "The text.",
			"The text."},
		{link + "<description>A summary.</description><content:encoded>&lt;a href='/1'&gt;Read More&lt;/a&gt;" +
			"</content:encoded>", "A summary.", "A summary."},
		{link + "<description>Read more books this year.</description>", "Read more books this year.",
			"Read more books this year."},
		{link + "<description>&lt;img src='/a.png'&gt; Read more</description>", "a.png", "Read more"},
	} {
		doc := `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item><title>T` +
			`</title><guid isPermaLink="false">1</guid>` + tt.item + `</item></channel></rss>`
		if got := one(t, doc).Content; got == "" != (tt.content == "") || !strings.Contains(got, tt.content) {
			t.Errorf("%s\ncontent %q, want %q", tt.item, got, tt.content)
		}
		f, err := extract.Scan([]byte(doc), "", feedURL, extract.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Items[0].Snippet; got != tt.snippet && tt.content != "a.png" {
			t.Errorf("%s\nsnippet %q, want %q", tt.item, got, tt.snippet)
		}
	}
}
