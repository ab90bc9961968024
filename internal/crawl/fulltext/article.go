package fulltext

import (
	"bytes"
	"net/url"
	"strings"

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
	p := readability.NewParser()
	p.MaxElemsToParse, p.CharThresholds, p.DisableJSONLD = maxElements, enough, true
	a, err := p.ParseDocument(doc, u)
	if err != nil {
		return found{code: CodeNotHTML}
	}
	return found{html: a.Content, lang: short(a.Language, 35), site: short(a.SiteName, 200), title: short(a.Title, 500)}
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
