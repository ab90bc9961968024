package extract

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/picture"
	"github.com/ruri-reader/ruri/internal/reader"
)

// takeMedia reads enclosures and images of Media RSS, iTunes and RSS.
func (s *scanner) takeMedia(d *draft, n *node) {
	switch n.kind {
	case elEnclosure:
		s.enclosure(d, s.attr(n.tag, "url"), s.attr(n.tag, "type"), s.attr(n.tag, "length"), n.tag)
	case elMediaThumbnail:
		if d.thumbnail == "" {
			d.thumbnail, d.thumbnailSize = s.address(s.attr(n.tag, "url"), s.itemBase), s.sizeOf(n.tag)
		}
	case elITunesImage:
		if d.itunesImage == "" {
			d.itunesImage = s.address(s.attr(n.tag, "href"), s.itemBase)
		}
	case elImage:
		if d.imageFile == "" {
			d.imageFile = s.imageURL(n)
		}
	}
}

// mediaContent is an image, or a file attached; a thumbnail may lie inside it.
func (s *scanner) mediaContent(d *draft, n *node) {
	if n.bodyEnd > n.tag.body {
		if in, ok := s.child(n, "thumbnail"); ok && d.thumbnail == "" {
			d.thumbnail, d.thumbnailSize = s.address(s.attr(in.tag, "url"), s.itemBase), s.sizeOf(in.tag)
		}
	}
	url, typ, medium := s.attr(n.tag, "url"), s.attr(n.tag, "type"), s.attr(n.tag, "medium")
	if string(medium) == "image" || bytes.HasPrefix(typ, []byte("image/")) {
		if d.mediaImage == "" {
			d.mediaImage, d.mediaSize = s.address(url, s.itemBase), s.sizeOf(n.tag)
		}
		return
	}
	s.enclosure(d, url, typ, s.attr(n.tag, "fileSize"), n.tag)
}

// enclosure adds an attached file; the same address is one file.
func (s *scanner) enclosure(d *draft, url, typ, length []byte, t tag) {
	if len(s.encs)-d.encs >= maxEnclosures {
		return
	}
	e := Enclosure{URL: s.address(url, s.baseOf(t, s.itemBase))}
	if e.URL == "" {
		return
	}
	for i := range s.encs[d.encs:] {
		if s.encs[d.encs+i].URL == e.URL {
			return
		}
	}
	e.Type = s.flatText(typ, maxName)
	if n, err := strconv.ParseInt(string(bytes.TrimSpace(length)), 10, 64); err == nil && n > 0 {
		e.Length = n
	}
	if d.imageFile == "" && strings.HasPrefix(e.Type, "image/") {
		d.imageFile = e.URL
	}
	s.encs = append(s.encs, e)
}

// imageReach bounds the part of a body in which the lead image is looked for.
const imageReach = 2560

// excerptOf makes snippet and lead image: the snippet of the first body that has text, the image of
// media elements, else of the bodies.
func (s *scanner) excerptOf(it *Item, d *draft) {
	for i := range d.bodies {
		if n := d.bodies[i]; n != nil && it.Snippet == "" {
			if it.Snippet = s.excerpt(n, snippetRunes); isTeaserText(it.Snippet) {
				it.Snippet = ""
			}
		}
	}
	if s.wantsText() {
		text := ""
		for _, i := range [len(d.bodies)]int{2, 0, 1, 3, 4} { // content first
			if n := d.bodies[i]; n != nil && text == "" {
				if text = s.excerpt(n, textRunes); isTeaserText(text) {
					text = ""
				}
			}
		}
		s.setText(it, text)
	}
	if n := d.bodies[2]; n != nil && it.Lang == "" && n.tag.attrEnd > n.tag.nameEnd {
		it.Lang = s.flatText(s.attr(n.tag, "xml:lang"), maxName)
	}
	it.Image = cmp.Or(d.itunesImage, d.mediaImage, d.thumbnail, d.imageFile)
	if it.Image != "" && picture.IsPlaceholder(it.Image) {
		it.Image = ""
	}
	switch {
	case it.Image == "" || d.itunesImage != "":
	case d.mediaImage != "":
		it.ImageSize = d.mediaSize
	case d.thumbnail != "":
		it.ImageSize = d.thumbnailSize
	}
	for _, i := range [...]int{2, 0, 1} {
		if n := d.bodies[i]; n != nil && it.Image == "" && s.typeOf(n) != textPlain {
			base := s.baseOf(n.tag, s.itemBase)
			if s.itemXML == "" && it.Link != "" {
				base = it.Link
			}
			base = s.innerBase(n, base)
			it.Image, it.ImageSize = s.firstImage(s.content(n), base)
		}
	}
}

// innerBase is the base in force at the first image of XHTML, whose elements may have one of their own.
func (s *scanner) innerBase(n *node, base string) string {
	raw := s.content(n)
	if s.typeOf(n) != textXHTML || !bytes.Contains(raw, []byte("xml:base")) {
		return base
	}
	at := indexImage(raw[:min(len(raw), imageReach)], false)
	bases := []string{base}
	for i := n.tag.body; i <= n.tag.body+at; i++ {
		if s.b[i] != '<' {
			continue
		}
		switch s.b[i+1] {
		case '/':
			bases = bases[:max(1, len(bases)-1)]
			continue
		case '!', '?':
			if i = s.pastMarkup(i) - 1; i < 0 {
				return base
			}
			continue
		}
		t, ok := s.startTag(i)
		if !ok {
			continue
		}
		inner := s.baseOf(t, bases[len(bases)-1])
		if i == n.tag.body+at {
			return inner
		}
		if i = t.body - 1; !t.self {
			bases = append(bases, inner)
		}
	}
	return base
}

// sizeOf reads the attributes width and height of an element of Media RSS.
func (s *scanner) sizeOf(t tag) Size {
	return sizeFrom(pixels(s.attr(t, "width")), pixels(s.attr(t, "height")))
}

func sizeFrom(width, height uint16) Size {
	if width == 0 || height == 0 {
		return Size{} // one side alone gives no aspect ratio
	}
	return Size{width, height}
}

// pixels reads a number of pixels, with or without its unit; 0 for anything else, such as a percentage.
func pixels(v []byte) uint16 {
	v = bytes.TrimSuffix(bytes.TrimSpace(v), []byte("px"))
	n := 0
	for _, c := range v {
		if c < '0' || c > '9' || n > 1<<16 {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	if n >= 1<<16 {
		return 0
	}
	return uint16(n)
}

// firstImage returns the address of the first image near the start of a body that is no tracking pixel, and its size,
// by the rule of package picture. raw is searched as it is: a tag is "<img" there in CDATA and XHTML, "&lt;img" when
// escaped.
func (s *scanner) firstImage(raw []byte, base string) (string, Size) {
	near := raw[:min(len(raw), imageReach)]
	escaped := bytes.IndexByte(near, '<') < 0
	first := indexImage(near, escaped)
	if first < 0 {
		return "", Size{}
	}
	raw = raw[:min(len(raw), imageReach+imageTag)]
	if !escaped {
		url, size, _ := s.imageIn(raw, imageReach, base)
		return url, size
	}
	if p := bytes.LastIndex(near[:first], []byte("&lt;picture")); p >= 0 {
		first = p
	}
	// A small part is decoded first; all of it when the image does not end well within that.
	for _, part := range [...]int{imagePart, len(raw)} {
		s.scratch, _ = appendXML(s.scratch[:0], raw[first:], part)
		if url, size, end := s.imageIn(s.scratch, imageReach-first, base); url != "" && end < part/2 ||
			part >= len(raw)-first {
			return url, size
		}
	}
	return "", Size{}
}

// imageIn returns the first image of markup that begins before reach, and where it ends.
func (s *scanner) imageIn(raw []byte, reach int, base string) (url string, size Size, at int) {
	for range 8 {
		i := -1
		if at < reach && at < len(raw) {
			i = indexImage(raw[at:], false)
		}
		if i < 0 {
			return "", Size{}, at
		}
		before := raw[at : at+i]
		at += i
		end := htmlTagEnd(raw[at:])
		if end < 0 {
			return "", Size{}, at
		}
		url, size = s.imageURLOf(raw[at:at+end], before, base)
		at += end
		// The same picture for readers without scripts: its address is in src.
		if twin, ok := fallbackImage(raw[at:]); ok {
			if u, sz := s.imageURLOf(twin, nil, base); u != "" {
				url, size = u, sz
			}
		}
		if url != "" {
			return url, size, at
		}
	}
	return "", Size{}, at
}

// imagePart is the length of an escaped body that is decoded for its first image; most fit.
const imagePart = 2 << 10

// imageTag is the greatest length of an image's tag: it may have a small picture in the text itself before the address
// of the real one.
const imageTag = 8 << 10

// imageURLOf returns the address of an img tag, and its size; before is the text in which the source elements of its
// picture element are.
func (s *scanner) imageURLOf(tag, before []byte, base string) (string, Size) {
	var m picture.Image
	size, ok := imageAttributes(tag[len("<img"):], m.Set)
	if !ok {
		return "", Size{}
	}
	if i := bytes.LastIndex(before, []byte("<picture")); i >= 0 && !bytes.Contains(before[i:], []byte("</picture")) {
		for rest := before[i:]; ; {
			k := bytes.Index(rest, []byte("<source"))
			if k < 0 {
				break
			}
			rest = rest[k:]
			end := htmlTagEnd(rest)
			if end < 0 {
				break
			}
			imageAttributes(rest[len("<source"):end], m.SetSource)
			rest = rest[end:]
		}
	}
	for address := range m.Sources() {
		s.body, _ = appendXML(s.body[:0], []byte(address), reader.MaxLink)
		if url := s.resolve(s.body, base); strings.HasPrefix(url, "http") {
			return url, size
		}
	}
	return "", Size{}
}

// fallbackImage returns the img tag of a noscript element with which b begins.
func fallbackImage(b []byte) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("<noscript>"))
	if !ok {
		return nil, false
	}
	if end := bytes.Index(rest, []byte("</noscript")); end >= 0 {
		rest = rest[:end]
	}
	i := indexImage(rest, false)
	if i < 0 {
		return nil, false
	}
	if end := htmlTagEnd(rest[i:]); end > 0 {
		return rest[i : i+end], true
	}
	return nil, false
}

// indexImage finds the next image tag, in either case. Searching for one
// byte and checking its neighbours is faster than a search for the whole, whose first byte is everywhere: in
// escaped markup the 'm' is the rarest.
func indexImage(raw []byte, escaped bool) int {
	if !escaped {
		for i := 0; ; i++ {
			k := bytes.IndexByte(raw[i:], '<')
			if k < 0 || i+k+4 > len(raw) {
				return -1
			}
			i += k
			if raw[i+1]|0x20 == 'i' && raw[i+2]|0x20 == 'm' && raw[i+3]|0x20 == 'g' {
				return i
			}
		}
	}
	for _, m := range [...]byte{'m', 'M'} {
		for i := 0; ; i++ {
			k := bytes.IndexByte(raw[i:], m)
			if k < 0 || i+k+1 >= len(raw) {
				break
			}
			i += k
			if raw[i+1]|0x20 == 'g' && i >= 5 && raw[i-1]|0x20 == 'i' && string(raw[i-5:i-1]) == "&lt;" {
				return i - 5
			}
		}
	}
	return -1
}

// imageAttributes hands over the attributes of an img or source element that may matter, and returns the size; false
// for one pixel by one (a beacon).
func imageAttributes(region []byte, set func(name, value string)) (Size, bool) {
	a := attrs{bytes.TrimRight(region, "/>")}
	var sides [2]uint16
	tiny, sized := 0, false
	for range maxImageAttrs {
		name, value, ok := a.next()
		if !ok {
			break
		}
		side := 0
		switch {
		case len(name) == 0 || len(value) == 0:
			continue
		case bytes.EqualFold(name, []byte("width")):
		case bytes.EqualFold(name, []byte("height")):
			side = 1
		default:
			setImage(name, value, set)
			continue
		}
		if v := string(bytes.TrimSpace(value)); v == "0" || v == "1" || v == "0px" || v == "1px" {
			tiny++
		} else {
			sized, sides[side] = true, pixels(value) // no beacon, whatever the other side
		}
	}
	return sizeFrom(sides[0], sides[1]), tiny < 2 || sized
}

const maxImageAttrs = 64

// setImage hands over an attribute that may matter; most do not, and cost no memory.
func setImage(name, value []byte, set func(name, value string)) {
	switch string(name) {
	case "src":
		set("src", string(value))
		return
	case "srcset":
		set("srcset", string(value))
		return
	case "class":
		if bytes.Contains(bytes.ToLower(value), []byte("lazy")) {
			set("class", string(value))
		}
		return
	}
	var low [32]byte
	n := lowerName(low[:0], name)
	if string(n) == "src" || string(n) == "srcset" || string(n) == "class" || bytes.HasPrefix(n, []byte("data-")) ||
		bytes.HasPrefix(n, []byte("lazy-")) {
		set(strings.ToLower(string(name)), string(value))
	}
}
