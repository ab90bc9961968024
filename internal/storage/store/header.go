package store

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Enclosure is a file that an item carries.
type Enclosure struct {
	URL    string
	Type   string
	Length int64
}

// Size is how many pixels the publisher says that an image has, both zero when unknown.
type Size struct{ Width, Height uint16 }

// Header is what lists show of an item. Times are Unix seconds, zero meaning unknown.
type Header struct {
	Identity   uint64
	Shared     uint64 // the guid or link that others of the feed have too, as an identity; 0 for one's own
	Content    uint32
	Title      string
	Link       string
	Author     string
	Published  int64 // as the publisher dates it, even in the future
	Updated    int64
	Sort       int64 // where it stands in lists
	Estimated  bool  // the publisher gave no date: Sort is the arrival or, on a first crawl, an estimate
	Snippet    string
	Image      string
	ImageSize  Size
	Lang       string
	Categories []string
	Enclosures []Enclosure
	// Raw overrides the delta's blob after an edit.
	Raw string
}

// Shown is the time to show of the item: the publisher's, else where it stands in lists.
func (h *Header) Shown() int64 {
	if h.Published != 0 {
		return h.Published
	}
	return h.Sort
}

// Headers are packed as deflated records of our own: a page over fifty feeds opens fifty rows of two dozen
// headers each, and JSON took ten times as long to read. A record is, in order:
//
//	uvarint identity, content; varint published, updated, sort; byte of flags: 1 the date is estimated, 2 a size follows,
//	        4 a shared identity follows
//	uvarint width, height of the image, with that flag
//	uvarint shared identity, with that flag
//	text    title, link, author, snippet, image, lang, raw
//	uvarint n, n texts: categories
//	uvarint n, n times text url, text type, varint length: enclosures
//
// where text is a uvarint length and so many bytes. Before the records stand the format's number and
// their count.
const headerFormat = 1

const (
	flagEstimated = 1 << iota
	flagSized
	flagShared
)

// maxHeaders bounds what a delta may inflate to: 100 items of bounded fields stay far below.
const maxHeaders = 8 << 20

var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, 3)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// unpacker holds what unpacking needs, for use again.
type unpacker struct {
	src   bytes.Reader
	plain bytes.Buffer
	r     io.ReadCloser
}

var unpackers = sync.Pool{New: func() any { return &unpacker{r: flate.NewReader(nil)} }}

// usualHeader is how long a header is before it is deflated, snippet and all.
const usualHeader = 700

// PackHeaders deflates headers for a delta row.
func PackHeaders(hs []Header) ([]byte, error) {
	plain := append(make([]byte, 0, usualHeader*(len(hs)+1)), headerFormat)
	plain = binary.AppendUvarint(plain, uint64(len(hs)))
	for i := range hs {
		plain = hs[i].append(plain)
	}
	var out bytes.Buffer
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&out)
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (h *Header) append(b []byte) []byte {
	b = binary.AppendUvarint(b, h.Identity)
	b = binary.AppendUvarint(b, uint64(h.Content))
	b = binary.AppendVarint(b, h.Published)
	b = binary.AppendVarint(b, h.Updated)
	b = binary.AppendVarint(b, h.Sort)
	sized, flags := h.ImageSize != Size{}, byte(0)
	if h.Estimated {
		flags |= flagEstimated
	}
	if sized {
		flags |= flagSized
	}
	if h.Shared != 0 {
		flags |= flagShared
	}
	b = append(b, flags)
	if sized {
		b = binary.AppendUvarint(b, uint64(h.ImageSize.Width))
		b = binary.AppendUvarint(b, uint64(h.ImageSize.Height))
	}
	if h.Shared != 0 {
		b = binary.AppendUvarint(b, h.Shared)
	}
	for _, s := range [...]string{h.Title, h.Link, h.Author, h.Snippet, h.Image, h.Lang, h.Raw} {
		b = appendText(b, s)
	}
	b = binary.AppendUvarint(b, uint64(len(h.Categories)))
	for _, s := range h.Categories {
		b = appendText(b, s)
	}
	b = binary.AppendUvarint(b, uint64(len(h.Enclosures)))
	for _, e := range h.Enclosures {
		b = appendText(b, e.URL)
		b = appendText(b, e.Type)
		b = binary.AppendVarint(b, e.Length)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// unpackHeaders inflates headers. Their strings share one piece of memory: they live and die together.
func unpackHeaders(packed []byte) ([]Header, error) {
	u := unpackers.Get().(*unpacker)
	defer unpackers.Put(u)
	u.src.Reset(packed)
	if err := u.r.(flate.Resetter).Reset(&u.src, nil); err != nil {
		return nil, badHeaders(err)
	}
	u.plain.Reset()
	n, err := u.plain.ReadFrom(io.LimitReader(u.r, maxHeaders+1))
	if err != nil || n > maxHeaders {
		return nil, badHeaders(err)
	}
	d := headerReader{s: u.plain.String()}
	if d.byte() != headerFormat {
		return nil, badHeaders(nil)
	}
	hs := make([]Header, d.count())
	for i := range hs {
		d.header(&hs[i])
	}
	if d.bad || d.s != "" {
		return nil, badHeaders(nil)
	}
	return hs, nil
}

func badHeaders(err error) error {
	return fault.New(fault.Internal, "bad_delta", "store: headers", err)
}

// headerReader reads records; after the first fault it gives zeros.
type headerReader struct {
	s   string
	bad bool
}

func (d *headerReader) fail() {
	d.s, d.bad = "", true
}

func (d *headerReader) header(h *Header) {
	h.Identity, h.Content = d.uvarint(), uint32(d.uvarint())
	h.Published, h.Updated, h.Sort = d.varint(), d.varint(), d.varint()
	flags := d.byte()
	h.Estimated = flags&flagEstimated != 0
	if flags&flagSized != 0 {
		h.ImageSize = Size{uint16(d.uvarint()), uint16(d.uvarint())}
	}
	if flags&flagShared != 0 {
		h.Shared = d.uvarint()
	}
	for _, s := range [...]*string{&h.Title, &h.Link, &h.Author, &h.Snippet, &h.Image, &h.Lang, &h.Raw} {
		*s = d.text()
	}
	if n := d.count(); n > 0 {
		h.Categories = make([]string, n)
		for i := range h.Categories {
			h.Categories[i] = d.text()
		}
	}
	if n := d.count(); n > 0 {
		h.Enclosures = make([]Enclosure, n)
		for i := range h.Enclosures {
			h.Enclosures[i] = Enclosure{URL: d.text(), Type: d.text(), Length: d.varint()}
		}
	}
}

func (d *headerReader) byte() byte {
	if d.s == "" {
		d.fail()
		return 0
	}
	c := d.s[0]
	d.s = d.s[1:]
	return c
}

func (d *headerReader) uvarint() uint64 {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		c := d.byte()
		if v |= uint64(c&0x7F) << shift; c < 0x80 {
			return v
		}
	}
	d.fail()
	return 0
}

func (d *headerReader) varint() int64 {
	v := d.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

func (d *headerReader) text() string {
	n := d.uvarint()
	if n > uint64(len(d.s)) {
		d.fail()
		return ""
	}
	s := d.s[:n]
	d.s = d.s[n:]
	return s
}

// count reads how many of something follow; each takes a byte at least, so that a damaged row cannot ask
// for memory that it does not have.
func (d *headerReader) count() int {
	n := d.uvarint()
	if n > uint64(len(d.s)) {
		d.fail()
		return 0
	}
	return int(n)
}
