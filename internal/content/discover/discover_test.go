package discover

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

func normal(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return u.String()
}

// G-8
func TestCorpusPages(t *testing.T) {
	t.Parallel()
	dir := corpus.Dir(t, "discovery")
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pages []struct {
		Page, Group string
		PageURL     string   `json:"page_url"`
		ContentType string   `json:"http_content_type"`
		Must        []string `json:"must"`
		AnyOf       []string `json:"any_of"`
		Optional    []string `json:"optional"`
		MustNot     []string `json:"must_not"`
		FirstChoice string   `json:"first_choice"`
	}
	if err := json.Unmarshal(data, &pages); err != nil {
		t.Fatal(err)
	}
	right, total := map[string]int{}, map[string]int{}
	for _, p := range pages {
		body, err := os.ReadFile(filepath.Join(dir, "pages", p.Page))
		if err != nil {
			t.Fatal(err)
		}
		total[p.Group]++
		found := map[string]bool{}
		got := Links(p.PageURL, body, p.ContentType)
		why := ""
		for _, c := range got {
			if found[normal(c.URL)] {
				why = "twice: " + c.URL
			}
			found[normal(c.URL)] = true
		}
		allowed := map[string]bool{}
		for _, want := range p.Must {
			if allowed[normal(want)] = true; !found[normal(want)] {
				why = "missing: " + want
			}
		}
		any := len(p.AnyOf) == 0
		for _, want := range p.AnyOf {
			any = any || found[normal(want)]
			allowed[normal(want)] = true
		}
		if !any {
			why = "none of any_of"
		}
		for _, want := range p.Optional {
			allowed[normal(want)] = true
		}
		for address := range found {
			if !allowed[address] {
				why = "offered: " + address
			}
		}
		if p.FirstChoice != "" && (len(got) == 0 || normal(got[0].URL) != normal(p.FirstChoice)) {
			why = "first choice"
		}
		if why != "" {
			t.Errorf("%s: %s (got %+v)", p.Page, why, got)
			continue
		}
		right[p.Group]++
	}
	for g := range total {
		t.Logf("%s: %d of %d pages right", g, right[g], total[g])
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		page string
		want []Candidate
	}{
		"atom with a title": {`<link rel=alternate type=application/atom+xml title=" A  b " href=/a>`,
			[]Candidate{{"https://site.example/a", "A b", Atom}}},
		"rel feed": {`<link rel=feed href=/f>`, []Candidate{{"https://site.example/f", "", ""}}},
		"json by its name": {`<link rel=alternate type=application/json href=/feed.json><link rel=alternate ` +
			`type=application/json href=/wp-json/1>`, []Candidate{{"https://site.example/feed.json", "", JSON}}},
		"relative base": {`<base href="sub/"><link rel=alternate type=application/rss+xml href=f>`,
			[]Candidate{{"https://site.example/blog/sub/f", "", RSS}}},
		"a script base": {
			`<base href="javascript:x"><base href="/b/"><link rel=alternate type=application/rss+xml href=f>`,
			[]Candidate{{"https://site.example/b/f", "", RSS}}},
		"other schemes": {`<link rel=alternate type=application/rss+xml href="data:,x">`, nil},
		"text links as a resort": {`<a href="/blog/feed/">Our <b>feed</b></a> <a href=/about>x</a>`,
			[]Candidate{{"https://site.example/blog/feed/", "Our feed", ""}}},
		"no text links beside": {`<a href="/x.rss">x</a><link rel=alternate type=application/rss+xml href=/f>`,
			[]Candidate{{"https://site.example/f", "", RSS}}},
		"comments last": {`<link rel=alternate type=application/rss+xml href=/comments/feed/><link ` +
			`rel=alternate type=application/rss+xml href=/feed/>`,
			[]Candidate{{"https://site.example/feed/", "", RSS}, {"https://site.example/comments/feed/", "", RSS}}},
		"twice": {`<link rel=alternate type=application/rss+xml href=/f><link rel=alternate ` +
			`type=application/rss+xml href=/f#x>`, []Candidate{{"https://site.example/f", "", RSS}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Links("https://site.example/blog/", []byte(tt.page),
				"text/html"); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestLinksOfUndeclaredCharset: titles of feeds have their letters where neither header nor page names the charset.
func TestLinksOfUndeclaredCharset(t *testing.T) {
	t.Parallel()
	page, err := japanese.ShiftJIS.NewEncoder().String(
		`<title>東京の日記</title><link rel=alternate type=application/rss+xml title="日記の更新" href=/f>`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Candidate{{"https://site.example/f", "日記の更新", RSS}}
	if got := Links("https://site.example/", []byte(page), "text/html"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// G-9
func TestOrder(t *testing.T) {
	t.Parallel()
	c := func(u, kind string) Candidate { return Candidate{URL: u, Type: kind} }
	tests := map[string]struct {
		in   []Candidate
		want string
	}{
		"own host before Atom": {[]Candidate{c("https://other.example/a", Atom), c("https://www.site.example/r", RSS)},
			"https://www.site.example/r"},
		"Atom before RSS": {[]Candidate{c("https://site.example/r", RSS), c("https://site.example/a", Atom)},
			"https://site.example/a"},
		"RSS before JSON": {[]Candidate{c("https://site.example/j", JSON), c("https://site.example/r", RSS)},
			"https://site.example/r"},
		"else the first": {[]Candidate{c("https://site.example/1", RSS), c("https://site.example/2", RSS)},
			"https://site.example/1"},
		"comments never first": {[]Candidate{c("https://site.example/comments/feed", Atom),
			c("https://x.example/r", "")}, "https://x.example/r"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Order("https://site.example/", tt.in)[0]; got.URL != tt.want {
				t.Errorf("the first is %v", got)
			}
		})
	}
}

func TestWellKnown(t *testing.T) {
	t.Parallel()
	got := WellKnown("https://site.example/blog/post")
	if len(got) != 2*len(wellKnown) || got[0] != "https://site.example/blog/feed" ||
		got[len(wellKnown)] != "https://site.example/feed" {
		t.Errorf("%q", got)
	}
	if got := WellKnown("https://site.example"); len(got) != len(wellKnown) || got[0] != "https://site.example/feed" {
		t.Errorf("%q", got)
	}
	for _, bad := range []string{"", "ftp://x/", "://", "mailto:a@b"} {
		if got := WellKnown(bad); got != nil {
			t.Errorf("%q gives %q", bad, got)
		}
	}
}

// FuzzLinks: candidates are absolute addresses of the web, each once.
func FuzzLinks(f *testing.F) {
	f.Add("https://site.example/a",
		[]byte(`<base href=x><link rel="alternate" type="application/rss+xml" href="f"><a href=x.rss>t</a>`))
	f.Add("http://[::1]:8080/", []byte("<template><link rel=feed href='//h/\t\x00'>"))
	f.Fuzz(func(t *testing.T, page string, body []byte) {
		seen := map[string]bool{}
		for _, c := range Links(page, body, "text/html") {
			u, err := url.Parse(c.URL)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || seen[c.URL] {
				t.Fatalf("%q from %q", c.URL, body)
			}
			seen[c.URL] = true
		}
	})
}

func TestAnnounced(t *testing.T) {
	t.Parallel()
	got, ok := Announced("https://a.example/f#x", "Application/RSS+xml; charset=utf-8", " The  news ")
	if want := (Candidate{"https://a.example/f", "The news", RSS}); !ok || got != want {
		t.Errorf("%+v, %v", got, ok)
	}
	for _, c := range [][2]string{{"https://a.example/wp-json/posts/1", "application/json"},
		{"https://a.example/en", "text/html"}, {"mailto:a@b.example", RSS}} {
		if got, ok := Announced(c[0], c[1], ""); ok {
			t.Errorf("%q: %+v", c, got)
		}
	}
}
