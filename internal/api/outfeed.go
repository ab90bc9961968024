package api

import (
	"encoding/json"
	"net/http"
	"time"
)

// outFeed is a feed that we publish, as Atom (RFC 4287) and as JSON Feed 1.1 (jsonfeed.org).
type outFeed struct {
	ID, Title, About, Lang string
	Self, Page             string    // addresses: of the feed, and of the page with the same list
	Updated                time.Time // of a feed without entries
	Entries                []outEntry
}

type outEntry struct {
	ID, Title, Link, Author, Text string
	Published, Updated            time.Time
}

const (
	atomType     = "application/atom+xml; charset=utf-8"
	jsonFeedType = "application/feed+json; charset=utf-8"
)

// answer answers with the feed in one of the two formats.
func (f *outFeed) answer(r *request, isAtom bool) error {
	if isAtom {
		return r.bytes(http.StatusOK, atomType, f.atom())
	}
	body, err := f.json()
	if err != nil {
		return err
	}
	return r.bytes(http.StatusOK, jsonFeedType, body)
}

func (f *outFeed) atom() []byte {
	var m markup
	updated := f.Updated
	for i, e := range f.Entries {
		if i == 0 || e.Updated.After(updated) {
			updated = e.Updated
		}
	}
	m.add(`<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"`)
	if f.Lang != "" {
		m.add(` xml:lang="`, f.Lang, `"`)
	}
	m.add(`><id>`, f.ID, `</id><title>`, f.Title, `</title>`)
	if f.About != "" {
		m.add(`<subtitle>`, f.About, `</subtitle>`)
	}
	m.add(`<updated>`, rfc3339(updated.Unix()), `</updated><generator>Ruri Reader</generator>`+
		`<link rel="self" type="application/atom+xml" href="`, f.Self, `"/>`)
	if f.Page != "" {
		m.add(`<link rel="alternate" type="text/html" href="`, f.Page, `"/>`)
	}
	for _, e := range f.Entries {
		m.add(`<entry><id>`, e.ID, `</id><title>`, e.Title, `</title>`)
		if e.Link != "" {
			m.add(`<link rel="alternate" href="`, e.Link, `"/>`)
		}
		m.add(`<author><name>`, e.Author, `</name></author><published>`, rfc3339(e.Published.Unix()),
			`</published><updated>`, rfc3339(e.Updated.Unix()), `</updated><summary>`, e.Text, `</summary></entry>`)
	}
	m.add("</feed>\n")
	return m.Bytes()
}

func (f *outFeed) json() ([]byte, error) {
	type author struct {
		Name string `json:"name"`
	}
	type item struct {
		ID        string   `json:"id"`
		URL       string   `json:"url,omitempty"`
		Title     string   `json:"title"`
		Content   string   `json:"content_text"`
		Published string   `json:"date_published"`
		Modified  string   `json:"date_modified,omitempty"`
		Authors   []author `json:"authors"`
	}
	return json.Marshal(struct {
		Version     string `json:"version"`
		Title       string `json:"title"`
		Description string `json:"description,omitempty"`
		Home        string `json:"home_page_url,omitempty"`
		Self        string `json:"feed_url"`
		Language    string `json:"language,omitempty"`
		Items       []item `json:"items"`
	}{"https://jsonfeed.org/version/1.1", f.Title, f.About, f.Page, f.Self, f.Lang, mapped(f.Entries,
		func(e outEntry) item {
			out := item{e.ID, e.Link, e.Title, e.Text, rfc3339(e.Published.Unix()), "", []author{{e.Author}}}
			if e.Updated.After(e.Published) {
				out.Modified = rfc3339(e.Updated.Unix())
			}
			return out
		})})
}
