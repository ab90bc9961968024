package sanitize

import (
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// Links within an article, such as those of footnotes and of a table of contents, lead to their places in it. Only
// places that a link of the article leads to keep their ids, with a prefix, so that they cannot meet ids of the page
// around the article.
const (
	placePrefix = "ruri-"
	maxPlace    = 128 // bytes of an id
)

// withPlaces rewrites in with the places that its links lead to. A place whose element or links turn out not to be
// shown is no place: the links lead to the publisher's page then.
func withPlaces(in string, base, self *url.URL) string {
	places := findPlaces(in, self)
	for range 4 {
		out := rewrite(in, base, self, places)
		if len(places) == 0 {
			return out
		}
		left := findPlaces(out, nil)
		if len(left) == len(places) {
			return out
		}
		places = left
	}
	return rewrite(in, base, self, nil)
}

// findPlaces returns the ids in markup that a link in it leads to, with the prefix.
func findPlaces(markup string, self *url.URL) map[string]bool {
	if !strings.Contains(markup, "#") {
		return nil
	}
	ids, wanted := map[string]bool{}, map[string]bool{}
	z := html.NewTokenizer(strings.NewReader(markup))
	for {
		switch z.Next() {
		case html.ErrorToken:
			for id := range wanted {
				if !ids[id] {
					delete(wanted, id)
				}
			}
			return wanted
		case html.StartTagToken, html.SelfClosingTagToken:
			name, has := z.TagName()
			if rawText[string(name)] {
				z.NextIsNotRawText()
			}
			if !has {
				continue
			}
			attrs := readAttributes(z)
			for _, id := range idsOf(string(name), attrs) {
				ids[id] = true
			}
			if len(name) == 1 && name[0] == 'a' {
				if id := placeOf(text(attrs, "href"), self); id != "" {
					wanted[id] = true
				}
			}
		}
	}
}

// idsOf returns the ids by which an element can be linked to.
func idsOf(name string, attrs []html.Attribute) []string {
	var out []string
	for _, key := range []string{"id", "name"} {
		if key == "name" && name != "a" {
			continue
		}
		if id := placeID(text(attrs, key)); id != "" {
			out = append(out, id)
		}
	}
	return out
}

func placeID(id string) string {
	if id == "" || len(id) > maxPlace || strings.ContainsFunc(id, func(r rune) bool {
		return unicode.IsSpace(r) || isControl(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar
	}) {
		return ""
	}
	if strings.HasPrefix(id, placePrefix) {
		return id
	}
	return placePrefix + id
}

// placeOf returns the place that a link leads to if it leads into the same document.
func placeOf(href string, self *url.URL) string {
	href = strings.TrimSpace(href)
	at := strings.IndexByte(href, '#')
	if at < 0 {
		return ""
	}
	if at > 0 {
		u, ok := resolve(self, href[:at])
		if !ok || self == nil || !isSame(u, self) {
			return ""
		}
	}
	name, err := url.PathUnescape(href[at+1:])
	if err != nil {
		name = href[at+1:]
	}
	return placeID(name)
}

func isSame(a, b *url.URL) bool {
	return strings.EqualFold(strings.TrimPrefix(a.Host, "www."), strings.TrimPrefix(b.Host, "www.")) &&
		queryOf(a) == queryOf(b) &&
		strings.TrimSuffix(a.Path, "/") == strings.TrimSuffix(b.Path, "/")
}

// queryOf is an address's query without what only counts where readers come from, as addresses in feeds often have it.
func queryOf(u *url.URL) string {
	if !strings.Contains(u.RawQuery, "utm_") {
		return u.RawQuery
	}
	values := u.Query()
	for key := range values {
		if strings.HasPrefix(key, "utm_") {
			values.Del(key)
		}
	}
	return values.Encode()
}

// place returns the id that an element keeps: the first that a link leads to and no element has had.
func (w *writer) place(name string, attrs []html.Attribute) string {
	if len(w.places) == 0 {
		return ""
	}
	for _, id := range idsOf(name, attrs) {
		if w.places[id] && !w.taken[id] {
			return id
		}
	}
	return ""
}
