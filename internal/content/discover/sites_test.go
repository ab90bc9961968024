package discover

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

func addresses(list []Candidate) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.URL)
	}
	return out
}

// The feeds that others work out from an address alone.
func TestCorpusKnownSites(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(corpus.Dir(t, "discovery"), "known-sites.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pages []struct {
		PageURL string   `json:"page_url"`
		Feeds   []string `json:"feeds"`
		Invalid bool     `json:"invalid"`
	}
	if err := json.Unmarshal(data, &pages); err != nil {
		t.Fatal(err)
	}
	right := 0
	for _, p := range pages {
		got := addresses(Known(p.PageURL).Feeds)
		slices.Sort(got)
		slices.Sort(p.Feeds)
		if !slices.Equal(got, p.Feeds) {
			t.Errorf("%s: %q, want %q", p.PageURL, got, p.Feeds)
			continue
		}
		right++
	}
	t.Logf("known sites: %d of %d addresses right", right, len(pages))
}

// The first feed is the one that is subscribed to.
func TestKnown(t *testing.T) {
	t.Parallel()
	tests := map[string][]string{
		"https://www.youtube.com/playlist?list=PL1": {
			"https://www.youtube.com/feeds/videos.xml?playlist_id=PL1"},
		"https://www.youtube.com/channel/UC-short":              nil,
		"https://www.youtube.com/@someone":                      nil,
		"https://www.youtube.com/feeds/videos.xml?channel_id=x": nil,
		"https://github.com/a/b/releases/tag/v1": {
			"https://github.com/a/b/releases.atom", "https://github.com/a/b/tags.atom",
			"https://github.com/a/b/commits.atom"},
		"https://github.com/a/b/tree/main/doc": {
			"https://github.com/a/b/commits/main/doc.atom", "https://github.com/a/b/releases.atom",
			"https://github.com/a/b/tags.atom"},
		"https://github.com/a/b/tags": {"https://github.com/a/b/tags.atom",
			"https://github.com/a/b/releases.atom", "https://github.com/a/b/commits.atom"},
		"https://github.com/orgs/a/repositories": {"https://github.com/a.atom"},
		"https://github.com/topics/go":           nil,
		"https://github.com/a/b/releases.atom":   nil,
		"https://old.reddit.com/r/golang/top/": {
			"https://www.reddit.com/r/golang/top/.rss"},
		"https://www.reddit.com/u/someone": {
			"https://www.reddit.com/user/someone/.rss"},
		"https://www.reddit.com/":              {"https://www.reddit.com/.rss"},
		"https://www.reddit.com/r/golang/.rss": nil,
		"https://mastodon.social/@someone": {
			"https://mastodon.social/@someone.rss"},
		"https://mastodon.social/@someone/1234": {
			"https://mastodon.social/@someone.rss"},
		"https://mstdn.jp/@someone@other.example": {"https://other.example/@someone.rss"},
		"https://mastodon.social/tags/go": {
			"https://mastodon.social/tags/go.rss"},
		"https://who.hatenablog.com/entry/2026/01/01/000000": {"https://who.hatenablog.com/feed",
			"https://who.hatenablog.com/rss"},
		"https://who.hateblo.jp/archive/category/本": {
			"https://who.hateblo.jp/feed/category/%E6%9C%AC", "https://who.hateblo.jp/feed"},
		"https://who.hatenablog.com/rss": nil,
		"https://b.hatena.ne.jp/hotentry/it": {
			"https://b.hatena.ne.jp/hotentry/it.rss"},
		"https://b.hatena.ne.jp/": {
			"https://b.hatena.ne.jp/hotentry.rss"},
		"https://b.hatena.ne.jp/someone/": {
			"https://b.hatena.ne.jp/someone/bookmark.rss"},
		"https://b.hatena.ne.jp/entry/s/example.org/": nil,
		"https://note.com/someone":                    {"https://note.com/someone/rss"},
		"https://note.com/someone/n/n0123":            {"https://note.com/someone/rss"},
		"https://note.com/someone/m/m0123": {
			"https://note.com/someone/m/m0123/rss", "https://note.com/someone/rss"},
		"https://note.com/hashtag/go":         {"https://note.com/hashtag/go/rss"},
		"https://note.com/someone/rss":        nil,
		"https://zenn.dev/someone/articles/x": {"https://zenn.dev/someone/feed"},
		"https://zenn.dev/topics/go":          {"https://zenn.dev/topics/go/feed"},
		"https://zenn.dev/p/team":             {"https://zenn.dev/p/team/feed"},
		"https://zenn.dev":                    {"https://zenn.dev/feed"},
		"https://zenn.dev/articles":           nil,
		"https://qiita.com/someone/items/0":   {"https://qiita.com/someone/feed"},
		"https://qiita.com/tags/go":           {"https://qiita.com/tags/go/feed"},
		"https://qiita.com/organizations/team": {
			"https://qiita.com/organizations/team/activities.atom"},
		"https://qiita.com/": {
			"https://qiita.com/popular-items/feed"},
		"https://medium.com/@someone/a-story":       {"https://medium.com/feed/@someone"},
		"https://medium.com/a-paper":                {"https://medium.com/feed/a-paper"},
		"https://medium.com/tag/go":                 {"https://medium.com/feed/tag/go"},
		"https://someone.medium.com/a-story":        {"https://someone.medium.com/feed"},
		"https://medium.com/feed/@someone":          nil,
		"https://someone.substack.com/p/a-letter":   {"https://someone.substack.com/feed"},
		"https://open.substack.com/pub/someone/p/x": {"https://someone.substack.com/feed"},
		"https://substack.com/@someone":             nil,
		"https://someone.tumblr.com/post/1":         {"https://someone.tumblr.com/rss"},
		"https://someone.blogspot.com/": {
			"https://someone.blogspot.com/feeds/posts/default"},
		"https://someone.wordpress.com/": {
			"https://someone.wordpress.com/feed/"},
		"https://ameblo.jp/someone/entry-1.html": {
			"https://rssblog.ameba.jp/someone/rss20.html"},
		"https://dev.to/someone": {"https://dev.to/feed/someone"},
		"https://bsky.app/profile/someone.example": {
			"https://bsky.app/profile/someone.example/rss"},
		"https://stackoverflow.com/questions/tagged/go": {
			"https://stackoverflow.com/feeds/tag/go"},
		"https://podcasts.apple.com/jp/podcast/name/id1234":                     nil,
		"https://notmedium.com/@someone/x":                                      nil,
		"ftp://github.com/a/b":                                                  nil,
		"https://evil.example/https://www.youtube.com/channel/UC":               nil,
		"https://mastodon.social/@a@b:1/../x":                                   nil,
		"https://github.com.evil.example/a/b":                                   nil,
		"https://www.youtube.com.evil.example/channel/UC1234567890123456789012": nil,
	}
	for address, want := range tests {
		got := addresses(Known(address).Feeds)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
		if ordered := Order(address, Known(address).Feeds); len(want) > 0 && ordered[0].URL != want[0] {
			t.Errorf("%s: the first is %s", address, ordered[0].URL)
		}
	}
	if got := Known("https://podcasts.apple.com/jp/podcast/name/id1234?i=1").Ask; got !=
		"https://itunes.apple.com/lookup?id=1234&entity=podcast" {
		t.Errorf("a podcast asks %q", got)
	}
	if got := addresses(Known("https://social.example/@someone").Guesses); !slices.Equal(got,
		[]string{"https://social.example/@someone.rss", "https://social.example/@someone.atom"}) {
		t.Errorf("a profile guesses %q", got)
	}
}

func TestIn(t *testing.T) {
	t.Parallel()
	const channel = "UC1234567890123456789012"
	tests := []struct{ name, address, page, want string }{
		{"a handle's page", "https://www.youtube.com/@x", `<meta itemprop="identifier" content="` + channel + `">`,
			"https://www.youtube.com/feeds/videos.xml?channel_id=" + channel},
		{"a film's page", "https://www.youtube.com/watch?v=1", `{"browseId":"FEwhat_to_watch"}{"browseId":"` + channel +
			`"}`, "https://www.youtube.com/feeds/videos.xml?channel_id=" + channel},
		{"elsewhere the same", "https://site.example/", `<meta itemprop="identifier" content="` + channel + `">`, ""},
		{"the catalogue", "https://itunes.apple.com/lookup?id=1",
			`{"results":[{"feedUrl":"https:\/\/show.example\/rss"}]}`, "https://show.example/rss"},
		{"a podcast's page", "https://podcasts.apple.com/x/id1",
			`<script>{"feedUrl" : "https://show.example/rss"}</script>`, "https://show.example/rss"},
		{"no address", "https://podcasts.apple.com/x/id1", `<script>{"feedUrl":"javascript:1","feedUrl":7}</script>`,
			""},
		{"any page", "https://site.example/", `<link rel=alternate type=application/rss+xml href=/f>`,
			"https://site.example/f"},
	}
	for _, tt := range tests {
		got := In(tt.address, []byte(tt.page), "text/html")
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) == 0 || got[0].URL != tt.want) {
			t.Errorf("%s: %+v, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTyped(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" @someone@social.example ": "https://social.example/@someone",
		"acct:a@social.example":     "https://social.example/@a",
		"someone@example.org":       "someone@example.org",
		"@someone":                  "@someone",
		"@a@b/c.d":                  "@a@b/c.d",
		"@a@b.c?d":                  "@a@b.c?d",
		"@a@b.c{":                   "@a@b.c{",
		"https://x.example/@a":      "https://x.example/@a",
	} {
		if got := Typed(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// FuzzKnown: what is worked out of any address are absolute addresses of the web, and pages of any bytes are read.
func FuzzKnown(f *testing.F) {
	for _, s := range []string{
		"https://www.youtube.com/channel/UC1234567890123456789012", "https://github.com/a/b/tree/x/%2F",
		"https://mastodon.social/@a@b",
		"https://open.substack.com/pub/a", "https://reddit.com/r/%00", "https://podcasts.apple.com/id7",
	} {
		f.Add(s, []byte(`"feedUrl":"https://a.example/"`))
	}
	f.Fuzz(func(t *testing.T, address string, page []byte) {
		site := Known(address)
		for _, c := range append(append(site.Feeds, site.Guesses...), In(address, page, "text/html")...) {
			u, err := url.Parse(c.URL)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
				strings.ContainsAny(c.URL, "\r\n") {
				t.Fatalf("%q from %q: %v", c.URL, address, err)
			}
		}
	})
}
