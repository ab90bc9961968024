package discover

import (
	"strings"
	"testing"
)

// TestChoices: what a person chooses from. Formats of one feed stand together, in brackets.
// G-9
func TestChoices(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in   []Candidate // addresses without the site
		want string
	}{
		"two feeds": {[]Candidate{{"/news.xml", "News", RSS}, {"/jobs.xml", "Jobs", Atom}},
			"/news.xml /jobs.xml"},
		"two feeds, alike addresses": {[]Candidate{{"/rss.xml", "News", RSS}, {"/atom.xml", "Jobs", Atom}},
			"/rss.xml /atom.xml"},
		"formats by titles": {[]Candidate{{"/a", "My site » RSS 2.0", RSS},
			{"/b", "My site » Atom feed", Atom}, {"/c", "My site (JSON Feed)", JSON}}, "[/b /a /c]"},
		"formats by addresses": {[]Candidate{{"/index.rdf", "", RDF}, {"/index.xml", "RSS", RSS},
			{"/atom.xml", "Atom", Atom}}, "[/atom.xml /index.rdf /index.xml]"},
		"formats of two feeds": {[]Candidate{{"/news.rss", "", RSS}, {"/news.atom", "", Atom},
			{"/jobs/feed.json", "", JSON}, {"/jobs/feed", "", RSS}},
			"[/news.atom /news.rss] [/jobs/feed /jobs/feed.json]"},
		"without titles": {[]Candidate{{"/news.rss", "", RSS}, {"/jobs.atom", "", Atom}},
			"/news.rss /jobs.atom"},
		"two of one format": {[]Candidate{{"/feed", "RSS", RSS}, {"/feed/podcast", "RSS", RSS}},
			"/feed /feed/podcast"},
		"versions of one format": {[]Candidate{{"/?feed=rss", "Blog RSS .92", RSS},
			{"/?feed=rss2", "Blog RSS 2.0", RSS}, {"/?feed=atom", "Blog Atom 0.3", Atom}},
			"[/?feed=atom /?feed=rss /?feed=rss2]"},
		"comments": {[]Candidate{{"/comments/feed/", "Blog » Comments Feed", RSS},
			{"/feed/", "Blog » Feed", RSS}, {"/feed/atom/", "Blog » Feed", Atom}},
			"[/feed/atom/ /feed/] /comments/feed/"},
		"languages": {[]Candidate{{"/en/feed.xml", "English", RSS}, {"/ja/feed.xml", "日本語", RSS}},
			"/en/feed.xml /ja/feed.xml"},
	} {
		for i := range tt.in {
			tt.in[i].URL = "https://site.example" + tt.in[i].URL
		}
		var lines [][]string
		got := Choices("https://site.example/", tt.in)
		for i, c := range got {
			address := strings.TrimPrefix(c.URL, "https://site.example")
			if i > 0 && SameFeed(got[i-1], c) {
				lines[len(lines)-1] = append(lines[len(lines)-1], address)
				continue
			}
			lines = append(lines, []string{address})
		}
		var out []string
		for _, l := range lines {
			line := strings.Join(l, " ")
			if len(l) > 1 {
				line = "[" + line + "]"
			}
			out = append(out, line)
		}
		if s := strings.Join(out, " "); s != tt.want {
			t.Errorf("%s: %s, want %s", name, s, tt.want)
		}
	}
}
