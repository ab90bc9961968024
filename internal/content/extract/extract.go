package extract

import (
	"fmt"
	"time"
)

// Format is the family of a feed document.
type Format string

// The formats that Scan reads.
const (
	RSS  Format = "rss"  // RSS 0.91 to 2.0
	RDF  Format = "rdf"  // RSS 0.90 and 1.0
	Atom Format = "atom" // Atom 0.3 and 1.0
	JSON Format = "json" // JSON Feed 1 and 1.1
)

// Options narrow a scan.
type Options struct {
	// Known returns the content hash that is stored for an identity. An item whose identity and content
	// hash are both known is not decoded. Nil: every item is new.
	Known func(id uint64) (content uint32, ok bool)
	// Shared reports whether several items of the feed are known to have this Identity; such an item is distinguished
	// from the others even where it is listed alone. Nil: only the body decides.
	Shared func(id uint64) bool
	// MaxItems is the greatest number of items kept, the newest first in rank; 0 means DefaultMaxItems.
	MaxItems int
	// Text fills Item.Text and Item.Length, Length the latter alone.
	Text, Length bool
}

// DefaultMaxItems is the number of items of a body that are kept (requirement R-31).
const DefaultMaxItems = 200

// Feed is the metadata of a document, and its items in document order.
type Feed struct {
	Format      Format
	Title       string // plain text
	Description string // plain text
	Link        string // address of the site
	Language    string // as declared ("en-US"), not checked
	Icon        string // icon, logo or channel image
	Hub         string // WebSub hub
	Self        string // the feed's own address, as declared
	NewURL      string // itunes:new-feed-url
	Author      string
	Updated     time.Time // last update of the channel, UTC; zero when absent

	TTL       time.Duration // RSS ttl; 0 when absent
	SkipHours uint32        // bit h set: hour h (0 to 23, UTC) is to be skipped
	SkipDays  uint8         // bit d set: day d (0 = Sunday) is to be skipped

	Channel uint64 // hash of the channel, see channelHash
	Items   []Item
	LeftOut int // items beyond Options.MaxItems
	// items dropped because an earlier one of this body equals them in all that identifies; not in LeftOut
	Repeated  int
	Truncated bool // the document ends before its end; the items are those complete before the cut
	Fallback  bool // read by gofeed, since the structure was in doubt

	itemsStart, itemsEnd int // bounds of all items in the decoded text: start of the first, end of the last
}

// Item is one item. Its strings share memory with those of the feed's other items.
type Item struct {
	Identity uint64 // 48 bits, see Identity; IdentityWithin where Shared is set
	// Shared is the Identity that the item has in common with others of its feed, Nameless for an item without
	// guid and link, 0 for one with its own.
	Shared uint64
	// Within is the identity that the item would have if it turned out to share its Identity. It is set only where
	// Options.Known has the identity with another content: an edit, or another item with the same guid.
	Within  uint64
	Content uint32 // 24 bits, see volatile.go
	// Known reports whether Options.Known had this identity with this content hash: the fields below are not
	// filled.
	Known bool
	// Start and End bound the item's element or object in the decoded body, see ScanText. When Feed.Fallback,
	// Start is the item's index among those that gofeed finds, and End 0.
	Start, End int

	GUID      string // RSS guid, Atom id, JSON Feed id; at most 2,048 bytes; RSS 1.0 has none
	Title     string // plain text
	Link      string // absolute, see link.go
	Author    string // name, or mail address; several joined by ", "
	Published time.Time
	Updated   time.Time // zero = missing; Published takes it when missing itself
	// Undated reports whether Published was missing and is Updated: the time of an edit, not of publication.
	Undated    bool
	Categories []string
	Enclosures []Enclosure
	Image      string // lead image
	ImageSize  Size   // as the publisher gives it
	Snippet    string // plain text, about 200 runes
	Lang       string // declared on the item
	Text       string // the body as plain text, the content rather than a summary; about 65,000 runes at most
	Length     int    // the runes of Text
}

// Size is the declared size of an image in pixels; both zero when unknown.
type Size struct{ Width, Height uint16 }

// Enclosure is an attached file.
type Enclosure struct {
	URL    string
	Type   string // media type, may be empty
	Length int64  // bytes, 0 when unknown
}

// Codes of Error.
const (
	CodeEmpty     = "empty_body"
	CodeNotAFeed  = "not_a_feed"
	CodeHTML      = "html_page"
	CodeBinary    = "binary"
	CodeTruncated = "truncated"
	CodeBadXML    = "bad_xml"
	CodeBadJSON   = "bad_json"
	CodeTooDeep   = "too_deep"
)

// Error is the reason why a body cannot be read as a feed.
type Error struct {
	Code string // one of the codes above; stable
	Line int    // line of the decoded body, from 1; 0 when it concerns no line
}

func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("extract: %s (line %d)", e.Code, e.Line)
	}
	return "extract: " + e.Code
}

// Scan reads a feed document. contentType is the HTTP header of that name (may be empty), baseURL the
// address the body came from, against which relative links are resolved. The error is an *Error.
// Scan is safe for concurrent use; it keeps no reference to body.
func Scan(body []byte, contentType, baseURL string, o Options) (*Feed, error) {
	feed, _, err := ScanText(body, contentType, baseURL, o)
	return feed, err
}

// ScanText is Scan, and returns the decoded text that Start and End of the items refer to. The text is
// UTF-8 but may hold control characters that XML forbids: DropControls before it goes to a parser.
func ScanText(body []byte, contentType, baseURL string, o Options) (*Feed, []byte, error) {
	if o.MaxItems <= 0 {
		o.MaxItems = DefaultMaxItems
	}
	doc, err := decode(body, contentType)
	if err != nil {
		return nil, nil, err
	}
	s := newScanner(doc, baseURL, o)
	feed, err := s.read()
	if err == nil && s.siteLate && s.relative { // rare: relative addresses before the link that they count from
		site := s.site
		s = newScanner(doc, baseURL, o)
		s.site = site
		feed, err = s.read()
	}
	if err != nil {
		return nil, nil, err
	}
	return feed, s.b, nil
}

func (s *scanner) read() (*Feed, error) {
	start, err := s.begin()
	if err != nil {
		return nil, err
	}
	if start.json {
		err = s.scanJSON(start.at)
	} else {
		err = s.scanXML(start)
	}
	if s.outside != nil && len(s.feed.Items) == 0 {
		return nil, s.outside
	}
	if err != nil || s.uncertain {
		return s.fallback(err)
	}
	return s.finish(), nil
}
