package discover

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxIcons bounds the list; when the first few fail, more would not help.
const maxIcons = 4

// Icons lists the images that a page names as its icon, the one that fits a tile of 64 pixels best first.
// Drawings (SVG, masks) are left out: they are not rasterised.
func Icons(pageURL string, page []byte, contentType string) []string {
	base, err := url.Parse(pageURL)
	if err != nil {
		return nil
	}
	found := iconLinks(&base, page, contentType)
	// From 64 pixels upwards the smaller before the larger, then what must be enlarged, the larger first.
	slices.SortStableFunc(found, func(a, b icon) int {
		if a.side >= 64 && b.side >= 64 {
			return a.side - b.side
		}
		return b.side - a.side
	})
	var out []string
	for _, i := range found {
		if !slices.Contains(out, i.url) && len(out) < maxIcons {
			out = append(out, i.url)
		}
	}
	return out
}

type icon struct {
	url  string
	side int
}

// iconLinks reads the link elements of a page, until its body begins.
func iconLinks(base **url.URL, page []byte, contentType string) (out []icon) {
	z := tokens(page, contentType)
	based := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch string(name) {
			case "body":
				return out
			case "base":
				if href := attribute(z, more)["href"]; !based && isWeb(href) {
					if b, ok := resolve(*base, href); ok {
						*base, based = b, true
					}
				}
			case "link":
				if i, ok := iconOf(*base, attribute(z, more)); ok && len(out) < maxCandidates {
					out = append(out, i)
				}
			}
		}
	}
}

// iconOf judges a link element. Sizes that are not given are those that the kinds usually have.
func iconOf(base *url.URL, attrs map[string]string) (i icon, ok bool) {
	for _, word := range strings.Fields(strings.ToLower(attrs["rel"])) {
		switch word {
		case "icon":
			i.side = max(i.side, 32)
		case "apple-touch-icon", "apple-touch-icon-precomposed":
			i.side = max(i.side, 180)
		}
	}
	u, good := resolve(base, attrs["href"])
	if i.side == 0 || !good || strings.Contains(strings.ToLower(attrs["type"]), "svg") ||
		strings.HasSuffix(strings.ToLower(u.Path), ".svg") {
		return icon{}, false
	}
	if side := largest(attrs["sizes"]); side > 0 {
		i.side = side
	}
	i.url = u.String()
	return i, true
}

// largest reads the attribute sizes: "16x16 32x32", "any".
func largest(sizes string) (side int) {
	for _, word := range strings.Fields(strings.ToLower(sizes)) {
		w, _, _ := strings.Cut(word, "x")
		if n, err := strconv.Atoi(w); err == nil && n > 0 && n <= 4096 {
			side = max(side, n)
		}
	}
	return side
}
