package sanitize

import (
	"iter"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/content/picture"
)

const (
	maxDataImage  = 512 << 10 // bytes of a data: address; larger ones belong into a file
	maxDataImages = 768 << 10 // of all of an item
	tinyGIF       = ";base64,R0lGODlhAQABA"
)

// isDataImage recognises the one form of data: address that is harmless: a raster image. SVG is a document that can
// carry scripts.
func isDataImage(s string) bool {
	rest, ok := strings.CutPrefix(s, "data:image/")
	if !ok {
		return false
	}
	format, data, ok := strings.Cut(rest, ";base64,")
	switch format {
	case "png", "gif", "jpg", "jpeg", "webp", "avif":
	default:
		return false
	}
	data = strings.TrimSuffix(strings.TrimSuffix(data, "="), "=")
	for i := range len(data) {
		if c := data[i]; !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			c == '+' || c == '/') {
			return false
		}
	}
	return ok && data != ""
}

// image keeps a picture that can be loaded by https or is small enough to be in the text itself.
func (w *writer) image(l *list, attrs []html.Attribute) bool {
	if isPixelSize(attrs) {
		return false
	}
	src := ""
	for address := range w.imageSources(attrs) {
		if s, ok := w.picture(address); ok {
			src = s
			break
		}
	}
	if src == "" {
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
	for source := range w.imageSources(attrs) {
		u, ok := resolve(w.base, source)
		if !ok || u.Scheme != "http" {
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
		w.apart(words)
		return
	}
	w.link(address, "broken-image", words)
}

// within reports whether an element of that name is open and shown.
func (w *writer) within(out string) bool {
	return slices.ContainsFunc(w.open, func(e element) bool { return e.out == out })
}

// apart writes words that do not belong to the text around them.
func (w *writer) apart(words string) {
	if words == "" {
		return
	}
	isFirst := len(w.out) == 0 || len(w.open) > 0 && w.open[len(w.open)-1].body == len(w.out)
	if !isFirst && !strings.ContainsRune(whiteSpace, rune(w.out[len(w.out)-1])) {
		w.gap = true
	}
	w.text(words)
	w.gap = true
}

// imageSources yields the addresses that an img gives for its picture, the best first.
func (w *writer) imageSources(attrs []html.Attribute) iter.Seq[string] {
	var m picture.Image
	for _, a := range attrs {
		m.Set(a.Key, a.Val)
	}
	for _, a := range w.sources {
		m.SetSource(a.Key, a.Val)
	}
	return m.Sources()
}

// picture returns the address as it is shown, false if the picture must not or cannot be.
func (w *writer) picture(raw string) (string, bool) {
	if s := strings.TrimSpace(raw); len(s) >= 5 && strings.EqualFold(s[:5], "data:") {
		s = "data:" + strings.Map(func(r rune) rune {
			if r <= ' ' {
				return -1
			}
			return r
		}, s[5:])
		ok := len(s) <= maxDataImage && w.data+len(s) <= maxDataImages && w.fitsBytes(len(s)) &&
			!strings.Contains(s, tinyGIF) && isDataImage(s)
		return s, ok
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

var (
	hiddenStyle  = pattern.New(`(?i)(^|[;\s])(display\s*:\s*none|visibility\s*:\s*hidden)`)
	pixelWidth   = pattern.New(`(?i)(^|[;\s])width\s*:\s*[01](px)?\s*(!important)?\s*(;|$)`)
	pixelHeight  = pattern.New(`(?i)(^|[;\s])height\s*:\s*[01](px)?\s*(!important)?\s*(;|$)`)
	dimensionTag = pattern.New(`^\s*([0-9]{1,6})(\.[0-9]+)?\s*(px)?\s*$`)
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
	return style != "" && (hiddenStyle.MatchString(style) || pixelWidth.MatchString(style) &&
		pixelHeight.MatchString(style))
}

// trackers are hosts (with their subdomains) and paths whose pictures only count readers; an empty path stands for all
// of the host. Collected from pictures that feed services are known to add to items.
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
