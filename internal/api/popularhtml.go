package api

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/popular/explore"
)

const publicStyle = `:root{color-scheme:light dark;--bg:#fff;--ink:#161b26;--soft:#4a5468;--line:#dfe4ee;--sel:#e6edfb;--link:#1f4aa8}
@media(prefers-color-scheme:dark){:root{--bg:#10141d;--ink:#e7eaf1;--soft:#b4bccb;--line:#283040;--sel:#1c2a4a;--link:#8db0ff}}
body{font:1rem/1.6 system-ui,sans-serif;max-width:44rem;margin:0 auto;padding:1rem;background:var(--bg);color:var(--ink)}
a{color:var(--link)}:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip:not(:focus){position:absolute;inset-inline-start:-99rem}
header{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:0 1rem}h1{font-size:1.5rem;margin:.4rem 0}
nav{display:flex;flex-wrap:wrap;align-items:center;gap:0 .2rem;font-size:.9rem;color:var(--soft)}nav span{min-width:5.5rem}
nav a{padding:.45rem .7rem;border-radius:.4rem;text-decoration:none}nav a:hover{text-decoration:underline}nav [aria-current]{background:var(--sel);color:var(--ink);font-weight:600}
@media(max-width:34rem){nav a{padding:.45rem .55rem}nav span{flex-basis:100%;margin-top:.4rem;line-height:1.2}}
ol{list-style:none;padding:0;margin:1rem 0}li{padding:.9rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
h2{font-size:1.05rem;line-height:1.45;margin:0}h2 a{text-decoration:none}h2 a:hover{text-decoration:underline}h2 a:visited{color:var(--soft)}
p{margin:.25rem 0}.about,footer{color:var(--soft);font-size:.875rem}footer{border-top:1px solid var(--line);padding-top:.9rem;margin-top:.9rem}`

var publicPolicy = "default-src 'none'; style-src 'sha256-" + hashOf(publicStyle) +
	"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// publicTexts are the texts of the pages.
var publicTexts = map[string]struct {
	hot, newest              string // names of the lists
	hotTitle, newestTitle    string
	tagTitle, tags           string
	lists, period, bookmarks string // names of the choices
	count, more              string // of bookmarks
	other, otherName         string // the other language
	skip, none, about        string
	date                     string // as time.Layout
	periods                  map[explore.Period]string
}{
	texts.English: {
		"Hot", "New", "Popular articles", "New popular articles", "Articles about %", "Tags", "Lists", "Published",
		"Bookmarks", "Hatena bookmarks: %", "%+", texts.Japanese, "日本語",
		"Skip to the articles", "No articles have this many bookmarks in this period.",
		"Articles from the feeds of this site, with their numbers of Hatena bookmarks.", "2 Jan 2006",
		map[explore.Period]string{explore.Day: "Past day", explore.Week: "Past week", explore.Month: "Past 30 days",
			explore.Ever: "Any time"},
	},
	texts.Japanese: {
		"人気", "新着", "人気の記事", "新着の人気記事", "「%」の記事", "タグ", "一覧", "公開日", "ブックマーク", "はてなブックマーク %件", "%件以上",
		texts.English, "English",
		"記事へ移動", "この期間に、この件数以上ブックマークされた記事はありません。", "このサイトのフィードの記事を、はてなブックマークの件数とともに掲載しています。", "2006年1月2日",
		map[explore.Period]string{explore.Day: "24時間以内", explore.Week: "1週間以内", explore.Month: "30日以内",
			explore.Ever: "期間を問わない"},
	},
}

// shownTags is the number of tags with links.
const shownTags = 20

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

// address is that of a variant of the page. Defaults are left out, so that the address of the plain page stays plain.
func (p *publicPage) address(path string, period explore.Period, threshold int, lang string) string {
	v := url.Values{}
	if period != periodOf(path) {
		v.Set("period", string(period))
	}
	if threshold != p.threshold {
		v.Set("threshold", strconv.Itoa(threshold))
	}
	if lang != "" {
		v.Set("lang", lang)
	}
	if len(v) == 0 {
		return p.base + path
	}
	return p.base + path + "?" + v.Encode()
}

// as is the address of the list in another format or language.
func (p *publicPage) as(ending, lang string) string {
	return p.address(p.path+ending, p.query.Period, p.query.Threshold, lang)
}

func (p *publicPage) title() string {
	t := publicTexts[p.lang]
	switch {
	case p.tag != "":
		return strings.Replace(t.tagTitle, "%", p.tag, 1)
	case p.query.Order == explore.Newest:
		return t.newestTitle
	}
	return t.hotTitle
}

func (p *publicPage) html() []byte {
	t, q := publicTexts[p.lang], p.query
	var m markup
	m.add(`<!doctype html><html lang="`, p.lang,
		`"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>`,
		p.title(),
		` · Ruri Reader</title><meta name="description" content="`, t.about,
		`"><link rel="alternate" type="application/atom+xml" title="Atom" href="`, p.as(".atom", p.lang),
		`"><link rel="alternate" type="application/feed+json" title="JSON Feed" href="`,
		p.as(".json", p.lang), `"><style>`)
	m.add(publicStyle + `</style></head><body><a class="skip" href="#articles">`)
	m.add(``, t.skip, `</a><header><h1>`, p.title(), `</h1><a href="`, p.as("", t.other), `" lang="`, t.other,
		`" hreflang="`, t.other, `">`, t.otherName, `</a></header>`)
	inLists := q.Period
	if p.tag != "" {
		inLists = publicPeriod
	}
	m.choices(t.lists, "page")
	m.choice(t.hot, p.address("/popular", inLists, q.Threshold, p.asked), p.path == "/popular", "page")
	m.choice(t.newest, p.address("/popular/new", inLists, q.Threshold, p.asked), p.path == "/popular/new", "page")
	m.add(`</nav>`)
	m.choices(t.period, "true")
	for _, x := range publicPeriods {
		m.choice(t.periods[x], p.address(p.path, x, q.Threshold, p.asked), x == q.Period, "true")
	}
	m.add(`</nav>`)
	m.choices(t.bookmarks, "true")
	for _, x := range explore.Thresholds {
		if x >= p.threshold {
			m.choice(withNumber(t.more, x), p.address(p.path, q.Period, x, p.asked), x == q.Threshold, "true")
		}
	}
	m.add(`</nav><main id="articles" tabindex="-1">`)
	if len(p.entries) == 0 {
		m.add(`<p>`, t.none, `</p>`)
	} else {
		m.add(`<ol>`)
	}
	for _, e := range p.entries {
		at := time.Unix(e.Posted, 0).UTC()
		m.add(`<li`)
		if e.Language != "" {
			m.add(` lang="`, e.Language, `"`)
		}
		m.add(`><h2 dir="auto"><a rel="noopener noreferrer" href="`, e.Link, `">`, e.Name(),
			`</a></h2><p class="about" lang="`, p.lang, `">`, withNumber(t.count, e.N),
			` · `, fetch.HostOf(e.Link), ` · <bdi>`, e.Feed, `</bdi> · <time datetime="`, at.Format(time.RFC3339), `">`,
			at.Format(t.date), `</time></p>`)
		if e.Excerpt != "" {
			m.add(`<p dir="auto">`, e.Excerpt, `</p>`)
		}
		m.add(`</li>`)
	}
	if len(p.entries) > 0 {
		m.add(`</ol>`)
	}
	if m.add(`</main>`); len(p.publicTags) > 0 {
		m.choices(t.tags, "true")
		for _, x := range p.publicTags[:min(shownTags, len(p.publicTags))] {
			m.choice(x.Name, p.address(tagPath(x.Name), tagPeriod, q.Threshold, p.asked), x.Name == p.tag, "page")
		}
		m.add(`</nav>`)
	}
	m.add(`<footer><p>`, t.about, `</p>`)
	if p.namesYahoo {
		m.add(`<p><a rel="noopener noreferrer" href="https://developer.yahoo.co.jp/sitemap/">Web Services by Yahoo! ` +
			`JAPAN</a></p>`)
	}
	m.add(`<p><a href="`, p.as(".atom", p.lang), `">Atom</a> · <a href="`, p.as(".json", p.lang),
		`">JSON Feed</a></p></footer></body></html>`)
	m.add("\n")
	return m.Bytes()
}

// withNumber replaces the "%" of a text by a number.
func withNumber(text string, n int) string { return strings.Replace(text, "%", strconv.Itoa(n), 1) }

// choices begins a row of links with its name, which only screen readers get if the links are pages.
func (m *markup) choices(name, current string) {
	m.add(`<nav aria-label="`, name, `">`)
	if current != "page" {
		m.add(`<span aria-hidden="true">`, name, `</span>`)
	}
}

// choice adds a link, marked if it is the present choice.
func (m *markup) choice(name, address string, isShown bool, current string) {
	m.add(`<a href="`, address, `"`)
	if isShown {
		m.add(` aria-current="`, current, `"`)
	}
	m.add(`>`, name, `</a>`)
}
