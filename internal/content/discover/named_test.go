package discover

import "testing"

// TestNamed: a link that its words call a feed is one when nothing else on the page looks like it.
func TestNamed(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		`<a href="/about">About</a><a href="/xml/news.php?f=2"> <b>RSS</b> Feed </a>`:    "https://site.example/xml/news.php?f=2",
		`<a href="/n.xml">RSS</a><a href="/feed">All</a>`:                                "https://site.example/feed",
		`<a href="/rss-readers">About RSS feeds</a><a href="mailto:a@b.example">RSS</a>`: "",
	} {
		got := ""
		for _, c := range Links("https://site.example/", []byte(page), "text/html") {
			got += c.URL
		}
		if got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}
