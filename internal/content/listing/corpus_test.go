package listing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

// known is a page of the corpus with the rows that it lists.
type known struct {
	Page        string
	URL         string `json:"page_url"`
	ContentType string `json:"http_content_type"`
	Count       int    `json:"item_count"`
	Rows        string `json:"row_css"`
	Items       []struct {
		Title string
		URL   *string
	}
	Next *string `json:"next_page"`
	body []byte
}

func knownPages(t testing.TB) []known {
	t.Helper()
	dir := corpus.Dir(t, "listing")
	var pages []known
	corpus.ReadJSON(t, filepath.Join(dir, "expected.json"), &pages)
	for i := range pages {
		body, err := os.ReadFile(filepath.Join(dir, "pages", pages[i].Page))
		if err != nil {
			t.Fatal(err)
		}
		pages[i].body = body
	}
	return pages
}

// corpusFields are the fields of the corpus' pages as selectors; its own are in XPath.
var corpusFields = map[string]map[string]Field{
	"authored__base-href.html": {"title": {At: "a"}, "link": {At: "a"}},
	"authored__catalogue-en.html": {"title": {At: "h3 a", Attr: "title"}, "link": {At: "h3 a"},
		"price": {At: "p.price_color"}, "image": {At: "img"}},
	"authored__market-shell.html": {"title": {At: "a"}, "link": {At: "a"}},
	"authored__news-list-ja.html": {"title": {At: "a"}, "link": {At: "a"},
		"date": {At: "< dt time", Attr: "datetime"}},
	"authored__news-table-sjis.html": {"title": {At: "td:nth-child(2) a"}, "link": {At: "td:nth-child(2) a"},
		"date": {At: "td"}},
	"authored__next-data.html":             {"title": {At: "a"}, "link": {At: "a"}},
	"authored__xss-list.html":              {"title": {At: "a"}, "link": {At: "a"}},
	"html2rss__dynamic_content_site.html":  {"title": {At: "h1, h2, h3"}, "link": {At: "a"}},
	"html2rss__local_feed_test.html":       {"title": {At: "h2 a"}, "link": {At: "h2 a"}},
	"html2rss__media_enclosures_site.html": {"title": {At: "h1, h2, h3"}, "link": {At: "a"}},
	"html2rss__multilang_site.html":        {"title": {At: "h1, h2, h3"}, "link": {At: "a"}},
	"html2rss__page_1_news_front.html":     {"title": {At: "[class*=tout__list-item-title]"}, "link": {Attr: "href"}},
	"toscrape__books_catalogue.html": {"title": {At: "h3 a", Attr: "title"}, "link": {At: "h3 a"},
		"price": {At: "p.price_color"}, "image": {At: "img"}},
}

// expected are the rows of a page after the removal of repeats and of links that must not be kept.
func (k *known) expected() (titles, links []string) {
	seen := map[string]bool{}
	for _, it := range k.Items {
		link := ""
		if it.URL != nil && strings.HasPrefix(*it.URL, "http") {
			link = *it.URL
		}
		if link != "" && seen[link] {
			continue
		}
		seen[link] = true
		titles, links = append(titles, oneLine(it.Title)), append(links, link)
	}
	return titles, links
}

func TestCorpusWithSelectors(t *testing.T) {
	t.Parallel()
	for _, k := range knownPages(t) {
		p, err := Read(t.Context(), k.body, k.ContentType, k.URL,
			&Layout{Rows: Rows{Selector: k.Rows}, Fields: corpusFields[k.Page]})
		if err != nil {
			t.Errorf("%s: %v", k.Page, err)
			continue
		}
		titles, links := k.expected()
		if len(p.Rows) != len(titles) {
			t.Errorf("%s: %d rows, want %d", k.Page, len(p.Rows), len(titles))
			continue
		}
		for i, r := range p.Rows {
			if r.Title != titles[i] || r.Link != links[i] {
				t.Errorf("%s: row %d is %q %q, want %q %q", k.Page, i, r.Title, r.Link, titles[i], links[i])
			}
		}
		if k.Next == nil && p.Next != "" {
			t.Errorf("%s: next page %q, want none", k.Page, p.Next)
		}
	}
}
