package extract

import (
	"bytes"
	"encoding/binary"
	"net/url"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// The kinds of identity are hashed in, so that a link that equals another item's guid is another item.
const (
	kindGUID   uint64 = 0xa0761d6478bd642f
	kindLink   uint64 = 0xe7037ed1a0b428db
	kindText   uint64 = 0x8ebc6af09c88c6e3
	kindWithin uint64 = 0x589965cc75374cc3
	kindShared uint64 = 0x1d8e4e27c47d124f
)

// identityRunes is the length of title and summary that counts when an item has neither guid nor link.
const identityRunes = 300

// Identity is the rule of what makes an item the same item: its guid or id; without one its link; without
// both its title, publication date and summary. Where several items of a feed have the same, each has the
// one of IdentityWithin instead (shared.go). The result has 48 bits and never changes for the same
// wire fields, whatever the item's place in the document, the charset or the parser. All arguments are
// texts with the XML layer taken off (references decoded, CDATA unwrapped), as gofeed gives them too:
//
//   - guid: RSS guid, Atom id, JSON Feed id. Not rdf:about, which gofeed does not return.
//   - link: as written, resolved against an xml:base in scope if there is one, but not against the
//     address of the feed: a feed that moves keeps its items.
//   - title: as written, may hold markup.
//   - published: the date as written (RSS pubDate, else dc:date; Atom published, else updated). Dates that
//     ParseDate understands count as the instant, others as the text.
//   - summary: RSS description, Atom summary; else the body. May hold markup.
//
// Of title and summary the first 300 runes of their plain text count, without white space, so that
// re-indented or re-rendered markup is the same text.
func Identity(guid, link, title, published, summary string) uint64 {
	if g := addressID([]byte(guid)); len(g) > 0 {
		return idHash(kindGUID, g)
	}
	if l := addressID([]byte(link)); len(l) > 0 {
		return idHash(kindLink, l)
	}
	return textIdentity([]byte(title), published, []byte(summary))
}

// IdentityWithin is the identity of an item whose Identity other items of the feed have too (a site with one guid for
// every item, status messages that all link to one page). The distinguishing fields of such items are made part of it:
// link, title and publication date, in the forms of Identity; where title or date is missing, the summary as well; and
// where all three are missing, the hash of the element.
//
// Items that are equal in all of these are one item listed several times.
func IdentityWithin(shared uint64, link, title, published, summary string, element uint64) uint64 {
	return within(shared, []byte(link), []byte(title), published, []byte(summary), element)
}

func within(shared uint64, link, title []byte, published string, summary []byte, element uint64) uint64 {
	b := binary.BigEndian.AppendUint64(nil, shared)
	b = append(append(b, addressID(link)...), 0)
	n := len(b)
	b = append(squeeze(b, title), 0)
	untitled := len(b) == n+1
	n = len(b)
	b = append(append(b, canonicalDate(published)...), 0)
	undated := len(b) == n+1
	n = len(b)
	if untitled || undated {
		b = squeeze(b, summary)
	}
	if untitled && undated && len(b) == n {
		b = binary.BigEndian.AppendUint64(b, element)
	}
	return idHash(kindWithin, b)
}

// Nameless reports that an item has neither guid nor link: its Identity is made of texts, which an edit changes.
const Nameless uint64 = 1

// SharedMark is the entry in a feed's stored identities that marks an Identity as shared by several items; it is stored
// in addition to the identities of these items.
func SharedMark(shared uint64) uint64 {
	return idHash(kindShared, binary.BigEndian.AppendUint64(nil, shared))
}

func textIdentity(title []byte, published string, summary []byte) uint64 {
	buf := squeeze(nil, title)
	buf = append(buf, 0)
	buf = append(buf, canonicalDate(published)...)
	buf = append(buf, 0)
	return idHash(kindText, squeeze(buf, summary))
}

// canonicalDate is the form in which a date is part of an identity: the second, or the text where it cannot be parsed.
func canonicalDate(published string) string {
	published = strings.TrimSpace(published)
	if t, ok := ParseDate(published); ok {
		return t.Format("2006-01-02T15:04:05")
	}
	return published
}

// squeeze appends the plain text of html without white space.
func squeeze(dst, html []byte) []byte {
	w := liner{limit: identityRunes, keepRuby: true}
	w.markup(html, nil)
	for _, c := range w.b {
		if c != ' ' {
			dst = append(dst, c)
		}
	}
	return dst
}

func idHash(kind uint64, b []byte) uint64 {
	h := (xxhash.Sum64(b) ^ kind) * 0x9e3779b97f4a7c15
	return (h ^ h>>32) & (1<<48 - 1)
}

// cleanID trims white space and drops control characters; it copies only if there are any.
func cleanID(b []byte) []byte {
	b = bytes.TrimSpace(b)
	for _, c := range b {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
			return bytes.TrimSpace(DropControls(b))
		}
	}
	return b
}

// addressID is the form of a guid or link that identifies: trimmed, and as net/url writes it (scheme in
// lower case, odd characters percent-encoded), since gofeed returns Atom's ids and links in that form only.
// Most are in that form already and are not copied.
func addressID(b []byte) []byte {
	b = cleanID(b)
	scheme := true
	for _, c := range b {
		if c == ':' {
			scheme = false
		}
		if !plainInURL[c] || scheme && c >= 'A' && c <= 'Z' {
			return []byte(normalURL(string(b)))
		}
	}
	return b
}

// plainInURL marks what net/url never rewrites.
var plainInURL = func() (t [256]bool) {
	for c := byte('!'); c < 0x7f; c++ {
		t[c] = true
	}
	for _, c := range []byte("\"<>[]^`{|}\\#%") {
		t[c] = false
	}
	return t
}()

// resolveAsGofeed resolves a relative id or link against an xml:base as gofeed does, which takes the
// base's path for a folder even without a slash at its end. Identity needs the same text both ways; the
// addresses that are shown are resolved by RFC 3986.
func resolveAsGofeed(base string, ref []byte) []byte {
	b, err := url.Parse(base)
	u, err2 := url.Parse(strings.TrimLeft(string(ref), " "))
	if err != nil || err2 != nil {
		return ref
	}
	if b.Path != "" && len(ref) > 0 && !strings.HasSuffix(b.Path, "/") {
		b.Path += "/"
	}
	return []byte(b.ResolveReference(u).String())
}
