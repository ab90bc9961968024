package api

import (
	"encoding/json"
	"net/url"
	"time"

	"github.com/ruri-reader/ruri/internal/popular/explore"
)

// atom is the list as RFC 4287 has it.
func (p *publicPage) atom() []byte {
	var m markup
	updated := p.made.Unix() // of an empty list
	for i, e := range p.entries {
		if i == 0 || e.Posted > updated {
			updated = e.Posted
		}
	}
	m.add(`<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="`, p.lang,
		`"><id>`, p.id(p.as("", "")), `</id><title>`, p.title(),
		`</title><subtitle>`, publicTexts[p.lang].about, `</subtitle><updated>`, rfc3339(updated),
		`</updated><generator>Ruri Reader</generator><link rel="self" type="application/atom+xml" href="`,
		p.origin+p.as(".atom", p.asked), `"/><link rel="alternate" type="text/html" href="`,
		p.origin+p.as("", p.asked), `"/>`)
	for _, e := range p.entries {
		m.add(`<entry><id>`, p.entryID(e), `</id><title>`, e.Name(), `</title><link rel="alternate" href="`, e.Link,
			`"/><author><name>`, e.Feed, `</name></author><published>`, rfc3339(e.Posted),
			`</published><updated>`, rfc3339(e.Posted), `</updated><summary>`, e.Excerpt, `</summary></entry>`)
	}
	m.add("</feed>\n")
	return m.Bytes()
}

// json is the list as a JSON Feed 1.1 (jsonfeed.org).
func (p *publicPage) json() ([]byte, error) {
	type author struct {
		Name string `json:"name"`
	}
	type item struct {
		ID        string   `json:"id"`
		URL       string   `json:"url"`
		Title     string   `json:"title"`
		Content   string   `json:"content_text"`
		Published string   `json:"date_published"`
		Authors   []author `json:"authors"`
	}
	out := struct {
		Version     string `json:"version"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Home        string `json:"home_page_url"`
		Self        string `json:"feed_url"`
		Language    string `json:"language"`
		Items       []item `json:"items"`
	}{
		"https://jsonfeed.org/version/1.1", p.title(), publicTexts[p.lang].about, p.origin + p.as("", p.asked),
		p.origin + p.as(".json", p.asked), p.lang,
		mapped(p.entries, func(e explore.PublicEntry) item {
			return item{p.entryID(e), e.Link, e.Name(), e.Excerpt, rfc3339(e.Posted), []author{{e.Feed}}}
		}),
	}
	return json.Marshal(out)
}

// id is a tag URI (RFC 4151): that of a list or an entry stays when formats, languages and ports change.
func (p *publicPage) id(path string) string {
	host := p.origin
	if u, err := url.Parse(p.origin); err == nil {
		host = u.Hostname()
	}
	return "tag:" + host + ",2026:" + path
}

func (p *publicPage) entryID(e explore.PublicEntry) string { return p.id("/entry/" + e.Page) }

func rfc3339(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) }
