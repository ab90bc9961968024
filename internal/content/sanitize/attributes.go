package sanitize

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

const (
	maxAttributes = 64   // read of one tag
	maxText       = 2048 // bytes of an alt or title
)

var (
	languageTag = pattern.New(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,5}$`) // BCP 47, loosely
	direction   = pattern.New(`^(ltr|rtl|auto)$`)
	plainNumber = pattern.New(`^-?[0-9]{1,9}$`)
	dateTime    = pattern.New(`^[0-9A-Za-z:+. -]{1,40}$`) // HTML's date, time and duration forms
	mediaType   = pattern.New(`^[a-z]+/[a-zA-Z0-9.+-]{1,60}(; ?codecs="?[a-zA-Z0-9., -]{1,80}"?)?$`)
	cellScope   = pattern.New(`^(col|row|colgroup|rowgroup)$`)
	// Classes that this package writes; kept so that sanitising twice changes nothing.
	embedClass       = pattern.New(`^embed$`)
	brokenImageClass = pattern.New(`^broken-image$`)
	listType         = pattern.New(`^[1aAiI]$`)
)

// value is the value of the attribute, nil when it is absent.
func value(attrs []html.Attribute, key string) *string {
	for i := range attrs {
		if attrs[i].Key == key {
			return &attrs[i].Val
		}
	}
	return nil
}

func text(attrs []html.Attribute, key string) string {
	if v := value(attrs, key); v != nil {
		return *v
	}
	return ""
}

// list collects the attributes of one start tag.
type list []html.Attribute

func (l *list) add(key, val string) { *l = append(*l, html.Attribute{Key: key, Val: val}) }

// match adds the attribute when its trimmed value has the form.
func (l *list) match(attrs []html.Attribute, key string, form *pattern.Pattern) {
	if v := strings.TrimSpace(text(attrs, key)); v != "" && form.MatchString(v) {
		l.add(key, v)
	}
}

// words adds an attribute of free text, shortened to a sane length.
func (l *list) words(attrs []html.Attribute, key string) {
	v := strings.Join(strings.Fields(clean(text(attrs, key), maxText)), " ")
	if v != "" {
		l.add(key, v)
	}
}

// size adds a width or height that is a plain positive number of pixels.
func (l *list) size(attrs []html.Attribute, key string) {
	v := strings.TrimSuffix(strings.TrimSpace(text(attrs, key)), "px")
	if n, err := strconv.Atoi(v); err == nil && n > 0 && n <= 20000 {
		l.add(key, strconv.Itoa(n))
	}
}

// count adds a number between 1 and limit.
func (l *list) count(attrs []html.Attribute, key string, limit int) {
	if n, err := strconv.Atoi(strings.TrimSpace(text(attrs, key))); err == nil && n >= 1 && n <= limit {
		l.add(key, strconv.Itoa(n))
	}
}

// flag adds a boolean attribute.
func (l *list) flag(attrs []html.Attribute, key string) {
	if value(attrs, key) != nil {
		l.add(key, "")
	}
}

// attributes returns the attributes that the element keeps, and those that are added; ok is false when the element is
// useless without the others. The address, if any, comes first.
func (w *writer) attributes(out string, attrs []html.Attribute) (l list, ok bool) {
	switch out {
	case "a":
		ok = w.anchor(&l, attrs)
	case "img":
		ok = w.image(&l, attrs)
	case "audio", "video":
		w.player(&l, out, attrs)
		ok = true
	case "source":
		if src, fits := w.media(text(attrs, "src")); fits {
			l.add("src", src)
			l.match(attrs, "type", mediaType)
			ok = true
		}
	case "span", "bdo": // nothing but carriers of language and direction
		l.common(attrs)
		return l, len(l) > 0
	default:
		l.specific(out, attrs)
		ok = true
	}
	l.common(attrs)
	return l, ok
}

// specific adds what single elements may have besides language and direction.
func (l *list) specific(out string, attrs []html.Attribute) {
	switch out {
	case "p":
		l.match(attrs, "class", embedClass)
	case "ol":
		l.match(attrs, "start", plainNumber)
		l.match(attrs, "type", listType)
		l.flag(attrs, "reversed")
	case "li":
		l.match(attrs, "value", plainNumber)
	case "td", "th":
		l.count(attrs, "colspan", 1000)
		l.count(attrs, "rowspan", 1000)
		if out == "th" {
			l.match(attrs, "scope", cellScope)
		}
	case "col", "colgroup":
		l.count(attrs, "span", 100)
	case "abbr", "dfn":
		l.words(attrs, "title")
	case "time":
		l.match(attrs, "datetime", dateTime)
	case "details":
		l.flag(attrs, "open")
	}
}

func (l *list) common(attrs []html.Attribute) {
	before := len(*l)
	if l.match(attrs, "lang", languageTag); len(*l) == before {
		if v := strings.TrimSpace(text(attrs, "xml:lang")); languageTag.MatchString(v) {
			l.add("lang", v) // XHTML's spelling
		}
	}
	if v := strings.ToLower(strings.TrimSpace(text(attrs, "dir"))); direction.MatchString(v) {
		l.add("dir", v)
	}
}

// anchor keeps a link with a usable address.
func (w *writer) anchor(l *list, attrs []html.Attribute) bool {
	href := value(attrs, "href")
	if href == nil {
		return false
	}
	if id := placeOf(*href, w.self); id != "" && w.places[id] {
		l.add("href", (&url.URL{Fragment: id}).String())
		l.words(attrs, "title")
		return true
	}
	u, ok := resolve(w.base, *href)
	if !ok || !linkScheme(u.Scheme) {
		return false
	}
	l.add("href", u.String())
	l.words(attrs, "title")
	l.external()
	l.match(attrs, "class", brokenImageClass)
	return true
}

// external makes a link open in its own tab, without referrer or opener.
func (l *list) external() {
	l.add("target", "_blank")
	l.add("rel", "noopener noreferrer")
}

// player keeps audio and video; nothing is loaded until it is played.
func (w *writer) player(l *list, out string, attrs []html.Attribute) {
	if src, ok := w.media(text(attrs, "src")); ok {
		l.add("src", src)
	}
	l.add("controls", "")
	l.add("preload", "none")
	if out == "video" {
		if poster, ok := w.media(text(attrs, "poster")); ok {
			l.add("poster", poster)
		}
		l.size(attrs, "width")
		l.size(attrs, "height")
	}
}

// media resolves the address of something the page itself would load: https only.
func (w *writer) media(raw string) (string, bool) {
	if strings.TrimSpace(raw) == "" {
		return "", false
	}
	u, ok := resolve(w.base, raw)
	if !ok {
		return "", false
	}
	if u, ok = secure(u); !ok {
		return "", false
	}
	return u.String(), true
}

// Secure returns the https address of an image that is to be loaded, "" when there is none.
func Secure(address string) string {
	if strings.HasPrefix(address, "https://") {
		return address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if u, ok := secure(u); ok {
		return u.String()
	}
	return ""
}

// secure raises http to https. Hosts that serve images on port 80 nearly all serve them on 443 too; where one does
// not, the page shows a link to the image.
func secure(u *url.URL) (*url.URL, bool) {
	switch u.Scheme {
	case "https":
		return u, true
	case "http":
		if p := u.Port(); p != "" && p != "80" {
			return nil, false
		}
		s := *u
		s.Scheme, s.Host = "https", strings.TrimSuffix(u.Host, ":80")
		return &s, true
	}
	return nil, false
}
