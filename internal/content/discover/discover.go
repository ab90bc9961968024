// Package discover finds the feeds that a web page names: by link elements (rel="alternate" with a feed's
// media type, the way of RSS autodiscovery, or rel="feed"), and where there are none, by links in the
// text that look like feeds; and the feeds of well-known sites, from the address or from what their pages
// carry. It fetches nothing; the caller checks whether a candidate is a feed.
package discover

import (
	"bytes"
	"mime"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/idna"

	"github.com/ruri-reader/ruri/internal/content/page"
	"github.com/ruri-reader/ruri/internal/reader"
)

// The media types of candidates.
const (
	Atom = "application/atom+xml"
	RSS  = "application/rss+xml"
	RDF  = "application/rdf+xml" // RSS 1.0
	JSON = "application/feed+json"
)

// Candidate is an address that a page calls a feed.
type Candidate struct {
	URL   string // absolute, http or https
	Title string // plain text, "" when absent
	Type  string // one of the media types above; "" when unknown
}

const (
	maxPage       = 4 << 20 // bytes looked at
	maxCandidates = 500
	maxBodyLinks  = 20  // guesses by the look of a link are worth less
	maxTitle      = 300 // bytes
)

// Links lists the feeds that the page names, in the page's order but feeds of comments last, each address
// once. The content type is that of the HTTP header; it decides the charset together with the page.
func Links(pageURL string, body []byte, contentType string) []Candidate {
	p := scan(body, contentType)
	base, err := url.Parse(pageURL)
	if err != nil {
		return nil
	}
	if b, ok := resolve(base, p.base); ok {
		base = b
	}
	found := collect(base, p.links, maxCandidates)
	if len(found) == 0 {
		found = collect(base, p.weak, maxCandidates)
	}
	if len(found) == 0 {
		found = collect(base, p.anchors, maxBodyLinks)
	}
	if len(found) == 0 {
		found = collect(base, slices.DeleteFunc(p.others, isNotNamed), maxBodyLinks)
	}
	return commentsLast(found)
}

// reference is a candidate as the page writes it.
type reference struct{ href, title, kind string }

type pageLinks struct {
	base           string
	links, anchors []reference
	weak           []reference // links whose media type others have too
	others         []reference // links of the text that only their words may call a feed
}

// maxOthers bounds the links of the text that are kept until their words are read.
const maxOthers = 500

// isNotNamed reports a link of the text whose words do not call it a feed.
func isNotNamed(r reference) bool {
	switch strings.ToLower(strings.Join(strings.Fields(r.title), " ")) {
	case "rss", "rss feed", "rss-feed", "rss 2.0", "rss 1.0", "atom", "atom feed", "atom-feed", "feed", "json feed",
		"subscribe via rss", "rssフィード", "rss フィード", "フィード":
		return false
	}
	return true
}

// tokens reads the tags of a page. A tokenizer is enough, and does not stumble over deep nesting; it passes over
// comments, scripts and text areas by itself.
func tokens(body []byte, contentType string) *html.Tokenizer {
	text, _ := page.Decode(body[:min(len(body), maxPage)], contentType)
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(maxPage)
	return z
}

// scan finds the links of a page; those in templates are passed over.
func scan(body []byte, contentType string) pageLinks {
	var p pageLinks
	z := tokens(body, contentType)
	templates := 0
	var label *reference // the anchor whose text is being read
	for {
		tt := z.Next()
		switch tt {
		case html.ErrorToken:
			return p // io.EOF, or a token beyond the limit: what was found so far stands
		case html.TextToken:
			if label != nil && len(label.title) < maxTitle {
				label.title += string(z.Text())
			}
		case html.EndTagToken:
			switch name, _ := z.TagName(); string(name) {
			case "template":
				templates = max(0, templates-1)
			case "a":
				label = nil
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, hasAttr := z.TagName()
			switch string(name) {
			case "template":
				templates++
			case "base":
				if href := attribute(z, hasAttr)["href"]; p.base == "" && isWeb(href) {
					p.base = href
				}
			case "link":
				if templates == 0 {
					p.link(attribute(z, hasAttr))
				}
			case "a":
				label = nil
				if templates == 0 {
					label = p.anchor(attribute(z, hasAttr))
				}
			}
		}
	}
}

func attribute(z *html.Tokenizer, more bool) map[string]string {
	attrs := map[string]string{}
	for more {
		var key, val []byte
		key, val, more = z.TagAttr()
		if _, twice := attrs[string(key)]; !twice && len(attrs) < 32 {
			attrs[string(key)] = string(val)
		}
	}
	return attrs
}

// isWeb accepts what can be the base of a page: nothing but http and https, or relative.
func isWeb(href string) bool {
	u, err := url.Parse(strings.TrimSpace(href))
	return err == nil && (u.Scheme == "" || u.Scheme == "http" || u.Scheme == "https") && strings.TrimSpace(href) != ""
}

// link takes a link element that names a feed.
func (p *pageLinks) link(attrs map[string]string) {
	rel := map[string]bool{}
	for _, word := range strings.Fields(strings.ToLower(attrs["rel"])) {
		rel[word] = true
	}
	kind, ok := feedType(attrs["type"], attrs["href"])
	if rel["stylesheet"] || len(p.links)+len(p.weak) >= 2*maxCandidates {
		return
	}
	r := reference{href: attrs["href"], title: attrs["title"], kind: kind}
	switch {
	case rel["alternate"] && ok && isShared(attrs["type"]):
		p.weak = append(p.weak, r)
	case rel["alternate"] && ok, rel["feed"] && (ok || attrs["type"] == ""):
		p.links = append(p.links, r)
	}
}

// isShared reports media types that are not only a feed's: application/json was that of JSON Feed 1.0, and
// is that of every programming interface.
func isShared(mediaType string) bool {
	t := strings.ToLower(mediaType)
	return strings.Contains(t, "json") && !strings.Contains(t, "feed") || strings.Contains(t, "/xml")
}

// feedType reads a media type, parameters and letter case aside. Types that other things have too count
// only when the address looks like a feed's: JSON is also what WordPress answers its own API with.
func feedType(mediaType, href string) (kind string, ok bool) {
	t, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		t, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(mediaType)), ";")
		t = strings.TrimSpace(t)
	}
	switch t {
	case Atom, RSS, JSON:
		return t, true
	case "application/x-atom+xml", "application/x.atom+xml", "text/atom+xml", "text/atom":
		return Atom, true
	case "application/x-rss+xml", "application/x.rss+xml", "text/rss+xml", "text/rss", "application/rss":
		return RSS, true
	case RDF, "text/rdf+xml", "text/rdf":
		return RDF, true
	case "application/json", "text/json":
		return JSON, strings.HasSuffix(strings.ToLower(pathOf(href)), "feed.json")
	case "application/xml", "text/xml":
		return lookOf(href)
	}
	return "", false
}

// anchor adds a link of the text that looks like a feed, and returns it so that its label can be filled in; else nil.
func (p *pageLinks) anchor(attrs map[string]string) *reference {
	kind, ok := lookOf(attrs["href"])
	if t, typed := feedType(attrs["type"], attrs["href"]); typed && attrs["type"] != "" {
		kind, ok = t, true
	}
	if !ok && attrs["href"] != "" && len(p.others) < maxOthers {
		p.others = append(p.others, reference{href: attrs["href"]})
		return &p.others[len(p.others)-1]
	}
	if !ok || len(p.anchors) >= 2*maxBodyLinks {
		return nil
	}
	p.anchors = append(p.anchors, reference{href: attrs["href"], kind: kind})
	return &p.anchors[len(p.anchors)-1]
}

// lookOf guesses the kind of feed from the last part of an address's path.
func lookOf(href string) (kind string, ok bool) {
	path := strings.TrimSuffix(strings.ToLower(pathOf(href)), "/")
	name := path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case strings.HasSuffix(name, ".atom") || name == "atom.xml" || name == "atom":
		return Atom, true
	case strings.HasSuffix(name, ".rss") || name == "rss.xml" || name == "rss" || name == "rss2.xml" || name == "rss2":
		return RSS, true
	case strings.HasSuffix(name, ".rdf"):
		return RDF, true
	case name == "feed.json":
		return JSON, true
	case name == "feed" || name == "feed.xml" || name == "feeds.xml":
		return "", true
	}
	return "", false
}

func pathOf(href string) string {
	u, err := url.Parse(strings.TrimSpace(href))
	if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Path
}

// Announced makes a candidate of a link of the HTTP header with rel=alternate; false if its type is no feed's.
func Announced(address, mediaType, title string) (c Candidate, ok bool) {
	kind, ok := feedType(mediaType, address)
	found := collect(&url.URL{}, []reference{{href: address, title: title, kind: kind}}, 1)
	if !ok || len(found) == 0 {
		return c, false
	}
	return found[0], true
}

func collect(base *url.URL, refs []reference, limit int) []Candidate {
	var out []Candidate
	seen := map[string]bool{}
	for _, r := range refs {
		u, ok := resolve(base, r.href)
		if !ok || len(out) >= limit {
			continue
		}
		u.Fragment, u.RawFragment = "", ""
		address := u.String()
		if seen[address] {
			continue
		}
		seen[address] = true
		title := strings.Join(strings.Fields(strings.ToValidUTF8(r.title, "\uFFFD")), " ")
		out = append(out, Candidate{URL: address, Title: reader.CutBytes(title, maxTitle), Type: r.kind})
	}
	return out
}

// resolve makes an address absolute, with scheme and host in the form they have on the wire.
func resolve(base *url.URL, href string) (*url.URL, bool) {
	href = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1 // WHATWG URL: removed wherever they stand
		}
		return r
	}, strings.TrimSpace(href))
	if href == "" || len(href) > reader.MaxLink {
		return nil, false
	}
	u, err := base.Parse(strings.ReplaceAll(href, " ", "%20"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, false
	}
	if host, err := idna.Lookup.ToASCII(u.Hostname()); err == nil && !strings.Contains(u.Hostname(), ":") {
		if port := u.Port(); port != "" {
			host += ":" + port
		}
		u.Host = host
	}
	u.Host = strings.ToLower(u.Host)
	return u, true
}
