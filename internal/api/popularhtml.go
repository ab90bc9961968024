package api

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/explore"
	"github.com/ruri-reader/ruri/internal/fault/texts"
)

const publicStyle = `:root{color-scheme:light dark;--link:#2450a8;--soft:#5c6470;--line:#dfe3e8}
@media(prefers-color-scheme:dark){:root{--link:#9dbcff;--soft:#a3abb8;--line:#373d47}}
body{font:1rem/1.6 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:1rem}
a{color:var(--link)}h1{font-size:1.4rem;margin:0}h2{font-size:1.05rem;line-height:1.4;margin:0}h2 a{text-decoration:none}h2 a:hover{text-decoration:underline}
ol{list-style:none;padding:0}li{padding:.9rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}p{margin:.2rem 0}.m,nav,footer{color:var(--soft);font-size:.9rem}
nav a,nav b{display:inline-block;margin-right:.9rem;padding:.3rem 0}b{color:CanvasText}`

var publicPolicy = "default-src 'none'; style-src 'sha256-" + hashOf(publicStyle) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// publicTexts are the texts of the pages.
var publicTexts = map[string]struct {
	hot, newest, other, otherName, none, about, counts, least, periods string
	period                                                             map[explore.Period]string
}{
	texts.English: {
		"Popular", "New", texts.Japanese, "日本語", "Nothing was bookmarked as often in this time.", "What the feeds of this site have, by bookmarks at Hatena.",
		"Hatena bookmarks", "At least", "Posted in",
		map[explore.Period]string{explore.Day: "a day", explore.Week: "a week", explore.Month: "a month", explore.Ever: "all time"},
	},
	texts.Japanese: {
		"人気", "新着", texts.English, "English", "この期間に、これ以上ブックマークされた記事はありません。", "このサイトのフィードの記事を、はてなブックマークの件数で並べています。",
		"はてなブックマーク", "件数", "期間",
		map[explore.Period]string{explore.Day: "1日", explore.Week: "1週間", explore.Month: "1か月", explore.Ever: "すべて"},
	},
}

var publicPeriods = []explore.Period{explore.Day, explore.Week, explore.Month, explore.Ever}

// escaper is for text in elements and quoted attributes of HTML and XML.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// escape returns a text for HTML or XML, without the characters that XML 1.0 (2.2) forbids.
func escape(s string) string {
	return escaper.Replace(strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' && c != '\n' || c == 0xFFFE || c == 0xFFFF || c == 0x7F {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

// markup collects HTML or XML.
type markup struct{ bytes.Buffer }

// add appends markup and, in turn, texts, which are escaped.
func (m *markup) add(parts ...string) {
	for i, part := range parts {
		if i%2 == 1 {
			part = escape(part)
		}
		m.WriteString(part)
	}
}

// address is that of a variant of the page.
func (p *publicPage) address(path string, period explore.Period, threshold int, lang string) string {
	return path + "?" + url.Values{"period": {string(period)}, "threshold": {strconv.Itoa(threshold)}, "lang": {lang}}.Encode()
}

func (p *publicPage) title() string {
	t := publicTexts[p.lang]
	if p.query.Order == explore.Newest {
		return t.newest
	}
	return t.hot
}

func (p *publicPage) html() (string, []byte, error) {
	t, q := publicTexts[p.lang], p.query
	var m markup
	m.add(`<!doctype html><html lang="`, p.lang, `"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>`, p.title(), ` · Ruri</title>`)
	m.add(`<link rel="alternate" type="application/atom+xml" href="`, p.address(p.path+".atom", q.Period, q.Threshold, p.lang),
		`"><link rel="alternate" type="application/feed+json" href="`, p.address(p.path+".json", q.Period, q.Threshold, p.lang), `">`)
	m.add(`<style>` + publicStyle + `</style></head><body><header><h1>`)
	m.add(``, p.title(), `</h1><nav>`)
	for _, path := range []string{"/popular", "/popular/new"} {
		name := map[string]string{"/popular": t.hot, "/popular/new": t.newest}[path]
		m.choice(name, p.address(path, q.Period, q.Threshold, p.lang), path == p.path)
	}
	m.add(`<a href="`, p.address(p.path, q.Period, q.Threshold, t.other), `" lang="`, t.other, `" hreflang="`, t.other, `">`, t.otherName, `</a></nav><nav>`, t.periods, ` `)
	for _, x := range publicPeriods {
		m.choice(t.period[x], p.address(p.path, x, q.Threshold, p.lang), x == q.Period)
	}
	m.add(`</nav><nav>`, t.least, ` `)
	for _, x := range explore.Thresholds {
		m.choice(strconv.Itoa(x), p.address(p.path, q.Period, x, p.lang), x == q.Threshold)
	}
	m.add(`</nav></header><main>`)
	if len(p.entries) == 0 {
		m.add(`<p>`, t.none, `</p>`)
	} else {
		m.add(`<ol>`)
	}
	for _, e := range p.entries {
		day := time.Unix(e.Posted, 0).UTC().Format(time.DateOnly)
		m.add(`<li><h2 dir="auto"><a rel="noopener noreferrer" href="`, e.Link, `">`, e.Name(), `</a></h2><p class="m">`, t.counts+": "+strconv.Itoa(e.N),
			` · `, fetch.HostOf(e.Link), ` · `, e.Feed, ` · <time datetime="`, day, `">`, day, `</time></p>`)
		if e.Excerpt != "" {
			m.add(`<p dir="auto">`, e.Excerpt, `</p>`)
		}
		m.add(`</li>`)
	}
	if len(p.entries) > 0 {
		m.add(`</ol>`)
	}
	m.add(`</main><footer><p>`, t.about, ` <a href="`, p.address(p.path+".atom", q.Period, q.Threshold, p.lang), `">Atom</a> · <a href="`,
		p.address(p.path+".json", q.Period, q.Threshold, p.lang), `">JSON Feed</a></p></footer></body></html>`)
	m.add("\n")
	return "text/html; charset=utf-8", m.Bytes(), nil
}

// choice adds a link, or the name of what is shown.
func (m *markup) choice(name, address string, isShown bool) {
	if isShown {
		m.add(`<b aria-current="true">`, name, `</b>`)
		return
	}
	m.add(`<a href="`, address, `">`, name, `</a>`)
}

// atom is the list as RFC 4287 has it.
func (p *publicPage) atom() (string, []byte, error) {
	var m markup
	self := p.origin + p.address(p.path+".atom", p.query.Period, p.query.Threshold, p.lang)
	updated := int64(0)
	for _, e := range p.entries {
		updated = max(updated, e.Posted)
	}
	m.add(`<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="`, p.lang, `"><id>`, self, `</id><title>`, p.title()+" · Ruri",
		`</title><updated>`, rfc3339(updated), `</updated><author><name>Ruri</name></author><link rel="self" href="`, self, `"/><link rel="alternate" type="text/html" href="`,
		p.origin+p.address(p.path, p.query.Period, p.query.Threshold, p.lang), `"/>`)
	for _, e := range p.entries {
		m.add(`<entry><id>`, p.entryID(e), `</id><title>`, e.Name(), `</title><link rel="alternate" href="`, e.Link, `"/><published>`, rfc3339(e.Posted),
			`</published><updated>`, rfc3339(e.Posted), `</updated><summary>`, e.Excerpt, `</summary></entry>`)
	}
	m.add("</feed>\n")
	return "application/atom+xml; charset=utf-8", m.Bytes(), nil
}

// json is the list as a JSON Feed 1.1 (jsonfeed.org).
func (p *publicPage) json() (string, []byte, error) {
	type item struct {
		ID        string `json:"id"`
		URL       string `json:"url"`
		Title     string `json:"title"`
		Content   string `json:"content_text"`
		Published string `json:"date_published"`
	}
	out := struct {
		Version  string `json:"version"`
		Title    string `json:"title"`
		Home     string `json:"home_page_url"`
		Self     string `json:"feed_url"`
		Language string `json:"language"`
		Items    []item `json:"items"`
	}{
		"https://jsonfeed.org/version/1.1", p.title() + " · Ruri", p.origin + p.address(p.path, p.query.Period, p.query.Threshold, p.lang),
		p.origin + p.address(p.path+".json", p.query.Period, p.query.Threshold, p.lang), p.lang,
		mapped(p.entries, func(e explore.PublicEntry) item {
			return item{p.entryID(e), e.Link, e.Name(), e.Excerpt, rfc3339(e.Posted)}
		}),
	}
	body, err := json.Marshal(out)
	return "application/feed+json; charset=utf-8", body, err
}

func (p *publicPage) entryID(e explore.PublicEntry) string { return p.origin + "/popular#" + e.Page }

func rfc3339(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) }
