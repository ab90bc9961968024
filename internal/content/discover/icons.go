package discover

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/reader"
)

// maxIcons bounds the list; when the first few fail, more would not help.
const maxIcons = 4

// Icons lists the images that a page names as its icon, the one that fits a tile of 64 pixels best first, and the
// address of the page's manifest, which may name more (ManifestIcons); "" without one. An address may be a data: URL
// (RFC 2397). Masks are left out: they are shapes without colours.
func Icons(pageURL string, page []byte, contentType string) (icons []string, manifest string) {
	base, err := url.Parse(pageURL)
	if err != nil {
		return nil, ""
	}
	found, manifest := iconLinks(&base, page, contentType)
	return bestFirst(found), manifest
}

// ManifestIcons lists the images that a web application's manifest names, in the same order.
func ManifestIcons(address string, body []byte) []string {
	base, err := url.Parse(address)
	var m struct {
		Icons []struct{ Src, Sizes, Type, Purpose string }
	}
	if err != nil || json.Unmarshal(body, &m) != nil {
		return nil
	}
	var found []icon
	for _, i := range m.Icons[:min(len(m.Icons), maxCandidates)] {
		// Those for masks and for one colour alone are not as they look.
		if i.Purpose != "" && !slices.Contains(strings.Fields(i.Purpose), "any") {
			continue
		}
		attrs := map[string]string{"rel": "icon", "href": i.Src, "sizes": i.Sizes, "type": i.Type}
		if one, ok := iconOf(base, attrs); ok {
			found = append(found, one)
		}
	}
	return bestFirst(found)
}

func bestFirst(found []icon) (out []string) {
	// From 64 pixels upwards the smaller before the larger, then what must be enlarged, the larger first.
	slices.SortStableFunc(found, func(a, b icon) int {
		if a.side >= 64 && b.side >= 64 {
			return a.side - b.side
		}
		return b.side - a.side
	})
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
func iconLinks(base **url.URL, page []byte, contentType string) (out []icon, manifest string) {
	z := tokens(page, contentType)
	based := false
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out, manifest
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch string(name) {
			case "body":
				return out, manifest
			case "base":
				if href := attribute(z, more)["href"]; !based && isWeb(href) {
					if b, ok := resolve(*base, href); ok {
						*base, based = b, true
					}
				}
			case "link":
				attrs := attribute(z, more)
				if i, ok := iconOf(*base, attrs); ok && len(out) < maxCandidates {
					out = append(out, i)
				}
				if u, ok := resolve(*base, attrs["href"]); ok && strings.EqualFold(attrs["rel"], "manifest") {
					manifest = cmp.Or(manifest, u.String())
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
	if i.side == 0 {
		return icon{}, false
	}
	if side := largest(attrs["sizes"]); side > 0 {
		i.side = side
	}
	kind := strings.ToLower(attrs["type"])
	if href := strings.TrimSpace(attrs["href"]); strings.HasPrefix(href, "data:image/") && len(href) <= reader.MaxLink {
		i.url = href
		kind, _, _ = strings.Cut(href, ",")
	} else if u, ok := resolve(base, href); ok {
		i.url = u.String()
		kind += strings.ToLower(path.Ext(u.Path))
	}
	if strings.Contains(kind, "svg") {
		i.side = min(i.side, 31) // behind images that are sharp everywhere: apps may not show drawings
	}
	return i, i.url != ""
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
