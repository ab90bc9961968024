package fulltext

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"codeberg.org/readeck/go-readability"
	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/page"
	"github.com/ruri-reader/ruri/internal/reader"
)

// found is the article of a page, not yet sanitised.
type found struct {
	html, lang, site, title string
	code                    string // why it could not be read
}

const (
	// maxElements bounds the work: the library visits each element many times.
	maxElements = 20_000
	// maxDepth bounds recursion.
	maxDepth = 400
	// enough is the least number of characters of an article; below it the library searches with looser rules. It is
	// half of the library's default, because Japanese needs half the characters of English.
	enough = 250
)

// article reads a page.
func article(body []byte, contentType, base string) (f found) {
	defer func() {
		if recover() != nil {
			f = found{code: CodeTooHeavy} // a page at which the library panics must not fail the request
		}
	}()
	u, err := url.Parse(base)
	if err != nil {
		return found{code: CodeNoLink}
	}
	text, _ := page.Decode(body, contentType)
	doc, err := html.Parse(bytes.NewReader(text[:min(len(text), maxPage)]))
	if err != nil {
		return found{code: CodeTooHeavy} // nested too deeply for the parser
	}
	if elements, depth := measure(doc); elements > maxElements || depth > maxDepth {
		return found{code: CodeTooHeavy}
	}
	dropConsent(doc)
	data := articleBody(doc) // before the library drops scripts
	p := readability.NewParser()
	p.MaxElemsToParse, p.CharThresholds, p.DisableJSONLD = maxElements, enough, true
	a, err := p.ParseDocument(doc, u)
	if err != nil {
		return found{code: CodeNotHTML}
	}
	f = found{html: a.Content, lang: short(a.Language, 35), site: short(a.SiteName, 200), title: short(a.Title, 500)}
	return orData(f, utf8.RuneCountInString(strings.TrimSpace(a.TextContent)), data)
}

// dropConsent takes out what asks for consent to cookies: on a page with a short text the library takes it for the
// text.
func dropConsent(doc *html.Node) {
	var asking []*html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && asksConsent(n) {
			asking = append(asking, n)
		}
	}
	for _, n := range asking {
		n.Parent.RemoveChild(n)
	}
}

// asksConsent judges by id and classes; those of what has the article say that a banner is open.
func asksConsent(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key != "id" && a.Key != "class" {
			continue
		}
		for name := range strings.FieldsSeq(strings.ToLower(a.Val)) {
			if isConsentName(name) {
				return !hasArticle(n)
			}
		}
	}
	return false
}

// hasArticle reports whether a part of the page is the article or has it.
func hasArticle(n *html.Node) bool {
	is := func(n *html.Node) bool { return n.Data == "main" || n.Data == "article" || n.Data == "h1" }
	if is(n) || n.Data == "head" {
		return true
	}
	for d := range n.Descendants() {
		if is(d) {
			return true
		}
	}
	return false
}

func isConsentName(name string) bool {
	for _, program := range [...]string{"onetrust-", "didomi-", "cybotcookiebot", "qc-cmp", "cmplz-", "sp_message_"} {
		if strings.HasPrefix(name, program) {
			return true
		}
	}
	if !strings.Contains(name, "cookie") && !strings.Contains(name, "gdpr") && !strings.HasPrefix(name, "consent") {
		return false
	}
	for _, part := range [...]string{"banner", "consent", "notice", "bar", "popup", "modal", "overlay", "dialog",
		"message", "wall"} {
		if strings.HasSuffix(name, part) {
			return true
		}
	}
	return false
}

// measure returns the number of a document's elements and their depth, without recursion.
func measure(doc *html.Node) (elements, deepest int) {
	depth := 0
	for n := doc; n != nil; {
		if n.Type == html.ElementNode {
			elements++
		}
		deepest = max(deepest, depth)
		if n.FirstChild != nil {
			n = n.FirstChild
			depth++
			continue
		}
		for n != nil && n.NextSibling == nil {
			n = n.Parent
			depth--
		}
		if n != nil {
			n = n.NextSibling
		}
	}
	return elements, deepest
}

// short makes one line of at most n bytes of a text.
func short(s string, n int) string {
	return reader.CutBytes(strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " "), n)
}
