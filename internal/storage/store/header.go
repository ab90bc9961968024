package store

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Enclosure is a file of an item.
type Enclosure struct {
	URL    string
	Type   string
	Length int64
}

// Size is an image's size in pixels as the publisher states it; both are zero when unknown.
type Size struct{ Width, Height uint16 }

// Header is an item as lists show it. Times are Unix seconds, zero meaning unknown.
type Header struct {
	Identity   uint64
	Shared     uint64 // the guid or link that others of the feed have too, as an identity; 0 for one's own
	Content    uint32
	Title      string
	Link       string
	Author     string
	Published  int64 // as the publisher dates it, even in the future
	Updated    int64
	Sort       int64 // its position in lists
	Estimated  bool  // the publisher gave no date: Sort is the arrival or, on a first crawl, an estimate
	Snippet    string
	Image      string
	ImageSize  Size
	Lang       string
	Categories []string
	Enclosures []Enclosure
	// Length counts the characters of the item's text in the feed; 0 = unknown.
	Length int
	// Raw overrides the delta's blob after an edit.
	Raw string
	// Offer is the change that an event of a watch announces; nil for all other items.
	Offer *Offer
}

// Offer is the change of one result of a watch. Amounts are in minor units of the currency; -1 means none.
type Offer struct {
	Event    string // watch.EventKind
	Key      uint64 // of the result
	Price    int64
	Before   int64 // the price before
	Currency string
	Status   string // watch.Status
}

// Shown returns the time to show: the publisher's, else Sort.
func (h *Header) Shown() int64 {
	if h.Published != 0 {
		return h.Published
	}
	return h.Sort
}

// Headers are packed as deflated records of our own: a page over fifty feeds opens fifty rows of two dozen
// headers each, and JSON took ten times as long to read. A record is, in order:
//
//	uvarint identity, content; varint published, updated, sort; byte of flags: 1 the date is estimated, 2 a size
//	        follows, 4 a shared identity follows, 8 an offer follows, 16 a length follows
//	uvarint width, height of the image, with that flag
//	uvarint shared identity, with that flag
//	text event, uvarint key, varint price, before, text currency, status: of an offer, with that flag
//	uvarint length, with that flag
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
	flagOffer
	flagLength
)

// maxHeaders bounds the inflated headers of a delta: 100 items of bounded fields stay far below.
const maxHeaders = 8 << 20

// usualHeader is the usual length of a header before it is deflated, snippet and all.
const usualHeader = 700

// PackHeaders deflates headers for a delta row.
func PackHeaders(hs []Header) ([]byte, error) {
	plain := append(make([]byte, 0, usualHeader*(len(hs)+1)), headerFormat)
	plain = binary.AppendUvarint(plain, uint64(len(hs)))
	for i := range hs {
		plain = hs[i].append(plain)
	}
	return reader.Deflate(nil, plain), nil
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
	if h.Offer != nil {
		flags |= flagOffer
	}
	if h.Length > 0 {
		flags |= flagLength
	}
	b = append(b, flags)
	if sized {
		b = binary.AppendUvarint(b, uint64(h.ImageSize.Width))
		b = binary.AppendUvarint(b, uint64(h.ImageSize.Height))
	}
	if h.Shared != 0 {
		b = binary.AppendUvarint(b, h.Shared)
	}
	if o := h.Offer; o != nil {
		b = binary.AppendUvarint(appendText(b, o.Event), o.Key)
		b = binary.AppendVarint(binary.AppendVarint(b, o.Price), o.Before)
		b = appendText(appendText(b, o.Currency), o.Status)
	}
	if h.Length > 0 {
		b = binary.AppendUvarint(b, uint64(h.Length))
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

// Record packs the header alone, for the index of searches.
func (h *Header) Record() []byte { return h.append([]byte{headerFormat}) }

// ParseRecord is the inverse of Record. The header's texts share the record's memory.
func ParseRecord(record string) (h Header, err error) {
	d := &reader.Decoder{Rest: record}
	format := d.Byte()
	if h.read(d); format != headerFormat || !d.Done() {
		return Header{}, fault.New(fault.Internal, "bad_record", "store: record", nil)
	}
	return h, nil
}

// unpackHeaders inflates headers. Their strings share one piece of memory: they live and die together.
func unpackHeaders(packed []byte) ([]Header, error) {
	d, n, err := openHeaders(packed)
	if err != nil {
		return nil, err
	}
	hs := make([]Header, n)
	for i := range hs {
		hs[i].read(d)
	}
	if !d.Done() {
		return nil, badHeaders(nil)
	}
	return hs, nil
}

// openHeaders inflates headers and reads how many there are.
func openHeaders(packed []byte) (d *reader.Decoder, n int, err error) {
	text, err := reader.Inflate(packed, maxHeaders)
	if err != nil {
		return nil, 0, badHeaders(err)
	}
	d = &reader.Decoder{Rest: text}
	if d.Byte() != headerFormat {
		return nil, 0, badHeaders(nil)
	}
	return d, d.Count(), nil
}

func badHeaders(err error) error {
	return fault.New(fault.Internal, "bad_delta", "store: headers", err)
}

// read reads the header that append appended. It reuses the lists that h has.
func (h *Header) read(d *reader.Decoder) {
	h.Identity, h.Content = d.Uvarint(), uint32(d.Uvarint())
	h.Published, h.Updated, h.Sort = d.Varint(), d.Varint(), d.Varint()
	flags := d.Byte()
	h.Estimated = flags&flagEstimated != 0
	if flags&flagSized != 0 {
		h.ImageSize = Size{uint16(d.Uvarint()), uint16(d.Uvarint())}
	}
	if flags&flagShared != 0 {
		h.Shared = d.Uvarint()
	}
	h.Offer = nil
	if flags&flagOffer != 0 {
		h.Offer = &Offer{
			Event: d.Text(), Key: d.Uvarint(), Price: d.Varint(), Before: d.Varint(), Currency: d.Text(),
			Status: d.Text(),
		}
	}
	h.Length = 0
	if flags&flagLength != 0 {
		h.Length = int(d.AtMost(math.MaxInt32))
	}
	for _, s := range [...]*string{&h.Title, &h.Link, &h.Author, &h.Snippet, &h.Image, &h.Lang, &h.Raw} {
		*s = d.Text()
	}
	n := d.Count()
	h.Categories = slices.Grow(h.Categories[:0], n) // nil when there are none
	for range n {
		h.Categories = append(h.Categories, d.Text())
	}
	n = d.Count()
	h.Enclosures = slices.Grow(h.Enclosures[:0], n)
	for range n {
		h.Enclosures = append(h.Enclosures, Enclosure{URL: d.Text(), Type: d.Text(), Length: d.Varint()})
	}
}
