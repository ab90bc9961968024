package parse

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/extract"
)

// baseIn returns the base inside an element: its own xml:base against the outer one, or that.
func baseIn(outer string, text []byte, t tag, document string) string {
	if v, at := t.attr(text, "xml:base"); at >= 0 {
		if joined, ok := join(cmp.Or(outer, document), v); ok {
			return joined
		}
	}
	return outer
}

// The replacement for xml:base: gofeed would resolve against it by its own rules (it takes every base for a folder) and
// render the markup anew, so it gets another name of the same length.
const (
	nowhere = "xml-none" // it has been passed on in Item.Base
	inside  = "xml-base" // it counts within XHTML, see rebase
)

func hide(raw []byte, at int, name string) { copy(raw[at:], name) }

// join resolves an xml:base inside another (XML Base, 4.2; RFC 3986, 5); false when that gives no address
// of the web, and the outer one stays in force.
func join(outer, base string) (string, bool) {
	// A zero byte may have been taken out of the document before, or not yet.
	base = string(extract.DropControls([]byte(base)))
	ref, err := url.Parse(strings.ReplaceAll(base, " ", "%20"))
	if err != nil {
		return "", false
	}
	if o, err := url.Parse(outer); err == nil && o.Host != "" {
		ref = o.ResolveReference(ref)
	}
	if ref.Scheme != "http" && ref.Scheme != "https" || ref.Host == "" {
		return "", false
	}
	return ref.String(), true
}

// addressed are the attributes of XHTML whose addresses a base is for.
var addressed = []string{"href", "src", "poster", "cite", "longdesc", "data-src", "data-original"}

// addressedLists are those that hold several, as srcset does.
var addressedLists = []string{"srcset", "data-srcset"}

// rebase makes the addresses absolute in those parts of XHTML that have a base of their own (XML Base, 4.2: the
// innermost counts); those elsewhere stay as they are. outer is the base around the markup.
func rebase(markup, outer string) string {
	if !strings.Contains(markup, inside) {
		return markup
	}
	z := html.NewTokenizer(strings.NewReader(markup))
	z.AllowCDATA(true)
	var out strings.Builder
	bases := []string{""} // of the open elements; "": none but the outer one
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out.String()
		}
		raw := string(z.Raw())
		z.NextIsNotRawText() // there is none in XHTML
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			base := bases[len(bases)-1]
			if own := attribute(t, inside); own != "" {
				if joined, ok := join(cmp.Or(base, outer), own); ok {
					base = joined
				}
			}
			if base != "" {
				rebaseTag(&t, base)
				raw = t.String()
			}
			if kind == html.StartTagToken {
				bases = append(bases, base)
			}
		case html.EndTagToken:
			bases = bases[:max(1, len(bases)-1)]
		}
		out.WriteString(raw)
	}
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func rebaseTag(t *html.Token, base string) {
	for i := range t.Attr {
		switch a := &t.Attr[i]; {
		case slices.Contains(addressed, a.Key):
			a.Val = against(base, a.Val)
		case slices.Contains(addressedLists, a.Key):
			words := strings.Fields(a.Val)
			for k, w := range words {
				if k == 0 || strings.HasSuffix(words[k-1], ",") { // an address, then its size
					own := strings.TrimRight(w, ",")
					words[k] = against(base, own) + w[len(own):]
				}
			}
			a.Val = strings.Join(words, " ")
		}
	}
}

// against resolves an address; a fragment is one of this text, and an address that cannot be resolved stays as it is.
func against(base, ref string) string {
	ref = strings.TrimSpace(ref)
	if ref == "" || strings.HasPrefix(ref, "#") {
		return ref
	}
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	u, err := b.Parse(strings.ReplaceAll(ref, " ", "%20"))
	if err != nil {
		return ref
	}
	return u.String()
}
