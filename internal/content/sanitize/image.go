package sanitize

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

const (
	maxDataImage = 32 << 10 // bytes of a data: address; larger ones belong into a file
	tinyGIF      = ";base64,R0lGODlhAQABA"
)

// dataImage is the one form of data: address that is harmless: a raster image. SVG is a document that
// can carry scripts.
var dataImage = regexp.MustCompile(`^data:image/(png|gif|jpe?g|webp|avif);base64,[A-Za-z0-9+/]+={0,2}$`)

// lazySources are the attributes in which lazy-loading scripts keep the real address.
var lazySources = []string{"data-src", "data-lazy-src", "data-original", "data-original-src", "data-actualsrc", "data-orig-file"}

// image keeps a picture that can be loaded by https or is small enough to be in the text itself.
func (w *writer) image(l *list, attrs []html.Attribute) bool {
	if isPixelSize(attrs) {
		return false
	}
	src, ok := w.imageSource(attrs)
	if !ok {
		return false
	}
	l.add("src", src)
	l.add("alt", altText(attrs))
	l.words(attrs, "title")
	l.size(attrs, "width")
	l.size(attrs, "height")
	l.add("loading", "lazy")
	l.add("decoding", "async")
	l.add("referrerpolicy", "no-referrer")
	return true
}

// altText returns the altText text of an image, shortened.
func altText(attrs []html.Attribute) string {
	return strings.Join(strings.Fields(clean(text(attrs, "alt"), maxText)), " ")
}

// imageFallback writes a replacement for an image that is not kept: a link to it where it has an address, with its
// altText text or else its file name; nothing for tracking pixels.
func (w *writer) imageFallback(attrs []html.Attribute) {
	if isPixelSize(attrs) {
		return
	}
	words, address := altText(attrs), ""
	for _, key := range append([]string{"src"}, lazySources...) {
		u, ok := resolve(w.base, text(attrs, key))
		if text(attrs, key) == "" || !ok || u.Scheme != "http" {
			continue
		}
		if isTracker(u) {
			return
		}
		if address = u.String(); words == "" {
			words = path.Base("/" + u.Path)
		}
		if words == "/" {
			words = u.Host
		}
		break
	}
	if w.noscript && words == w.lastWords {
		return // the script-free twin of a lazily loaded image
	}
	w.lastWords = words
	if address == "" || !w.fits() || w.within("a") {
		w.text(words)
		return
	}
	w.link(address, "broken-image", words)
}

// within reports whether an element of that name is open and shown.
func (w *writer) within(out string) bool {
	return slices.ContainsFunc(w.open, func(e element) bool { return e.out == out })
}

// imageSource picks the address: src, unless it is a stand-in and a lazy-loading attribute has the real
// one; failing both, the widest of srcset.
func (w *writer) imageSource(attrs []html.Attribute) (string, bool) {
	src := text(attrs, "src")
	if isPlaceholder(src) {
		for _, key := range lazySources {
			if real, ok := w.picture(text(attrs, key)); ok {
				return real, true
			}
		}
	}
	if s, ok := w.picture(src); ok {
		return s, true
	}
	for _, key := range []string{"srcset", "data-srcset", "data-lazy-srcset"} {
		if s, ok := w.picture(widest(text(attrs, key))); ok {
			return s, true
		}
	}
	return "", false
}

func (w *writer) picture(raw string) (string, bool) {
	if s := strings.TrimSpace(raw); len(s) >= 5 && strings.EqualFold(s[:5], "data:") {
		s = "data:" + strings.Map(func(r rune) rune {
			if r <= ' ' {
				return -1
			}
			return r
		}, s[5:])
		ok := len(s) <= maxDataImage && !strings.Contains(s, tinyGIF) && dataImage.MatchString(s)
		return s, ok
	}
	if s := strings.TrimSpace(raw); s == "" || s[0] == '#' {
		return "", false
	}
	u, ok := resolve(w.base, raw)
	if !ok || isTracker(u) {
		return "", false
	}
	if u, ok = secure(u); !ok {
		return "", false
	}
	return u.String(), true
}

// isPlaceholder recognises what lazy-loading scripts put into src until the picture is near.
func isPlaceholder(src string) bool {
	src = strings.TrimSpace(src)
	if src == "" || src[0] == '#' || strings.HasPrefix(src, "data:") || strings.HasPrefix(src, "about:") {
		return true
	}
	name := strings.ToLower(path.Base(strings.SplitN(src, "?", 2)[0]))
	for _, word := range []string{"placeholder", "spacer", "blank.", "transparent", "loading", "lazy", "1x1", "grey.gif", "gray.gif"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// widest picks from a srcset the candidate with the largest width or density. An address ends at white
// space and may hold commas; a comma at its very end separates (HTML, "parse a srcset attribute").
func widest(srcset string) string {
	best, bestSize := "", -1.0
	for range 64 {
		srcset = strings.TrimLeft(srcset, ", \t\n\f\r")
		address, rest := cut(srcset, " \t\n\f\r")
		descriptor := ""
		if trimmed := strings.TrimRight(address, ","); trimmed == address {
			descriptor, rest = cut(rest, ",")
		} else {
			address = trimmed
		}
		if srcset = rest; address == "" {
			break
		}
		size := 1.0
		if d := strings.TrimRight(strings.TrimSpace(descriptor), "wx"); d != "" {
			size, _ = strconv.ParseFloat(d, 64)
		}
		if size > bestSize {
			best, bestSize = address, size
		}
	}
	return best
}

// cut splits s around the first of the characters.
func cut(s, chars string) (before, after string) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

var (
	hiddenStyle  = regexp.MustCompile(`(?i)(^|[;\s])(display\s*:\s*none|visibility\s*:\s*hidden)`)
	pixelWidth   = regexp.MustCompile(`(?i)(^|[;\s])width\s*:\s*[01](px)?\s*(!important)?\s*(;|$)`)
	pixelHeight  = regexp.MustCompile(`(?i)(^|[;\s])height\s*:\s*[01](px)?\s*(!important)?\s*(;|$)`)
	dimensionTag = regexp.MustCompile(`^\s*([0-9]{1,6})(\.[0-9]+)?\s*(px)?\s*$`)
)

// isPixelSize reports an invisible image: a side of 0, both sides at most 1, or a style that hides it.
func isPixelSize(attrs []html.Attribute) bool {
	side := func(key string) int {
		if m := dimensionTag.FindStringSubmatch(text(attrs, key)); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
		return -1
	}
	width, height := side("width"), side("height")
	if width == 0 || height == 0 || width == 1 && height == 1 {
		return true
	}
	style := text(attrs, "style")
	return style != "" && (hiddenStyle.MatchString(style) || pixelWidth.MatchString(style) && pixelHeight.MatchString(style))
}

// trackers are hosts (with their subdomains) and paths whose pictures only count readers; an empty path
// stands for all of the host. Collected from what feed services are known to add to items.
var trackers = []struct{ host, path string }{
	{"feeds.feedburner.com", "/~r/"}, {"feeds.feedburner.com", "/~ff/"}, {"feedsportal.com", ""},
	{"pixel.wp.com", ""}, {"stats.wordpress.com", ""}, {"feeds.wordpress.com", "/1.0/"},
	{"google-analytics.com", ""}, {"doubleclick.net", ""}, {"googleadservices.com", ""},
	{"facebook.com", "/tr"}, {"scorecardresearch.com", ""}, {"quantserve.com", ""},
	{"medium.com", "/_/stat"}, {"ads.pheedo.com", ""}, {"a.rfihub.com", ""},
	{"rss.buysellads.com", ""}, {"api.flattr.com", "/button/"},
	{"list-manage.com", "/track/"}, {"mailstat.us", ""}, {"bat.bing.com", ""}, {"hits.theguardian.com", ""},
	{"counter.rambler.ru", ""}, {"mc.yandex.ru", "/watch/"},
	{"px.a8.net", ""}, {"rss.rssad.jp", "/rss/artclk/"}, {"rss.rssad.jp", "/rss/ad/"},
	{"open.feedpress.me", ""}, {"tracking.feedpress.it", ""}, {"tracking.feedpress.com", ""},
	{"imp.admarketplace.net", ""},
}

func isTracker(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	for _, t := range trackers {
		if (host == t.host || strings.HasSuffix(host, "."+t.host)) && strings.HasPrefix(u.Path, t.path) {
			return true
		}
	}
	// Blogger's feed counter: blogger.googleusercontent.com/tracker/…
	return host == "blogger.googleusercontent.com" && strings.HasPrefix(u.Path, "/tracker/")
}
