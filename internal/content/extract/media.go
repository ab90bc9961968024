package extract

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
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

// imageReach is how far into a body the lead image is looked for.
const imageReach = 2560

// excerptOf makes snippet and lead image: the snippet of the first body that has text, the image of
// media elements, else of the bodies.
func (s *scanner) excerptOf(it *Item, d *draft) {
	for i := range d.bodies {
		if n := d.bodies[i]; n != nil && it.Snippet == "" {
			it.Snippet = s.excerpt(n, snippetRunes)
		}
	}
	if s.o.Text {
		for _, i := range [len(d.bodies)]int{2, 0, 1, 3, 4} { // content first
			if n := d.bodies[i]; n != nil && it.Text == "" {
				it.Text = s.excerpt(n, textRunes)
			}
		}
	}
	if n := d.bodies[2]; n != nil && it.Lang == "" && n.tag.attrEnd > n.tag.nameEnd {
		it.Lang = s.flatText(s.attr(n.tag, "xml:lang"), maxName)
	}
	it.Image = cmp.Or(d.itunesImage, d.mediaImage, d.thumbnail, d.imageFile)
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
			it.Image, it.ImageSize = s.firstImage(s.content(n), base)
		}
	}
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
	n, err := strconv.ParseUint(string(bytes.TrimSuffix(bytes.TrimSpace(v), []byte("px"))), 10, 16)
	if err != nil {
		return 0
	}
	return uint16(n)
}

// firstImage returns the address of the first image near the start of a body that is no tracking pixel, and its size.
// raw is searched as it is: a tag is "<img" there in CDATA and XHTML, "&lt;img" when escaped.
func (s *scanner) firstImage(raw []byte, base string) (string, Size) {
	raw = raw[:min(len(raw), imageReach)]
	escaped := bytes.IndexByte(raw, '<') < 0
	for range 8 {
		i, n := indexImage(raw, escaped)
		if i < 0 {
			return "", Size{}
		}
		raw = raw[i:]
		var region []byte
		if !escaped {
			if k := htmlTagEnd(raw); k > 0 {
				region = raw[n:k]
			}
		} else if k := bytes.Index(raw, []byte("&gt;")); k > 0 {
			s.scratch, _ = appendXML(s.scratch[:0], raw[n:k], imageReach)
			region = s.scratch
		}
		if src, size := imageSource(region); len(src) > 0 {
			s.body, _ = appendXML(s.body[:0], src, maxURL)
			if url := s.resolve(s.body, base); strings.HasPrefix(url, "http") {
				return url, size
			}
		}
		raw = raw[n:]
	}
	return "", Size{}
}

// indexImage finds the next image tag, in either case, and the length of its opening. Searching for one
// byte and checking its neighbours is faster than a search for the whole, whose first byte is everywhere: in
// escaped markup the 'm' is the rarest.
func indexImage(raw []byte, escaped bool) (at, n int) {
	if !escaped {
		for i := 0; ; i++ {
			k := bytes.IndexByte(raw[i:], '<')
			if k < 0 || i+k+4 > len(raw) {
				return -1, 0
			}
			i += k
			if raw[i+1]|0x20 == 'i' && raw[i+2]|0x20 == 'm' && raw[i+3]|0x20 == 'g' {
				return i, len("<img")
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
				return i - 5, len("&lt;img")
			}
		}
	}
	return -1, 0
}

// imageSource returns the src of an img tag's attributes and its size, or nothing for one pixel by one (a beacon).
func imageSource(region []byte) ([]byte, Size) {
	a := attrs{bytes.TrimRight(region, "/>")}
	var src []byte
	var sides [2]uint16
	tiny, sized := 0, false
	for {
		name, value, ok := a.next()
		if !ok {
			break
		}
		side := 0
		switch {
		case bytes.EqualFold(name, []byte("src")):
			if src == nil {
				src = value
			}
			continue
		case bytes.EqualFold(name, []byte("width")):
		case bytes.EqualFold(name, []byte("height")):
			side = 1
		default:
			continue
		}
		if v := string(bytes.TrimSpace(value)); v == "0" || v == "1" || v == "0px" || v == "1px" {
			tiny++
		} else {
			sized, sides[side] = true, pixels(value) // no beacon, whatever the other side
		}
		if src != nil && sides[0] > 0 && sides[1] > 0 {
			break
		}
	}
	if tiny >= 2 && !sized {
		return nil, Size{}
	}
	return src, sizeFrom(sides[0], sides[1])
}
