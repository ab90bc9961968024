package extract

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
)

// member is a member of a JSON Feed item that this package reads.
type member uint8

const (
	jmID member = iota
	jmURL
	jmTitle
	jmSummary
	jmText
	jmHTML
	jmPublished
	jmModified
	jmImage
	jmBanner
	jmAuthor
	jmAuthors
	jmTags
	jmAttachments
	jmLanguage
	jmExternal
	jmCount
)

func memberOf(key []byte) member {
	switch string(key) {
	case "id":
		return jmID
	case "url":
		return jmURL
	case "title":
		return jmTitle
	case "summary":
		return jmSummary
	case "content_text":
		return jmText
	case "content_html":
		return jmHTML
	case "date_published":
		return jmPublished
	case "date_modified":
		return jmModified
	case "image":
		return jmImage
	case "banner_image":
		return jmBanner
	case "author":
		return jmAuthor
	case "authors":
		return jmAuthors
	case "tags":
		return jmTags
	case "attachments":
		return jmAttachments
	case "language":
		return jmLanguage
	case "external_url":
		return jmExternal
	}
	return jmCount
}

// jsonItem holds the raw values of the item located last; nil when absent or null.
type jsonItem [jmCount][]byte

// scanJSON reads a JSON Feed from its '{' on.
func (s *scanner) scanJSON(at int) error {
	s.feed.Format = JSON
	b, hasItems := s.b, false
	var top jsonFeed
	end := jsonBad
	if b[at] == '{' {
		end = eachMember(b, at, 0, func(key []byte, start int) int {
			if string(key) == "items" && start < len(b) && b[start] == '[' {
				hasItems = true
				return eachElement(b, start, 1, s.jsonItem)
			}
			e := jsonEnd(b, start, 1)
			if e > 0 {
				top.set(key, b[start:e])
			}
			return e
		})
	}
	top.fill(s)
	isFeed := bytes.Contains(top.version, []byte("jsonfeed.org")) || hasItems && (top.title != nil || top.home != nil || top.self != nil || top.version != nil && s.likeItems)
	switch {
	case end == jsonDeep:
		return &Error{Code: CodeTooDeep, Message: "The JSON document is nested too deeply."}
	case end == jsonCut && isFeed && len(s.feed.Items) > 0:
		s.feed.Truncated = true
		return nil
	case end == jsonCut:
		return &Error{Code: CodeTruncated, Line: s.line(len(b)), Message: "The JSON document is cut off before its first item ends."}
	case end < 0:
		return &Error{Code: CodeBadJSON, Line: s.line(s.firstDoubt), Message: "The document begins like JSON but is not well-formed."}
	case !isFeed || !hasItems && top.version == nil:
		return &Error{Code: CodeNotAFeed, Line: 1, Message: "The JSON document is not a JSON Feed."}
	}
	return nil
}

// jsonItem reads one element of items.
func (s *scanner) jsonItem(start int) int {
	s.firstDoubt = start
	if s.b[start] != '{' {
		return 0 // not an item: stepped over
	}
	end := s.locateJSON(start)
	if m := &s.members; (m[jmID] != nil || m[jmURL] != nil) && (m[jmTitle] != nil || m[jmText] != nil || m[jmHTML] != nil || m[jmSummary] != nil) {
		s.likeItems = true
	}
	if end > 0 {
		s.keep(start, end)
	}
	return end
}

func (s *scanner) locateJSON(start int) int {
	s.members = jsonItem{}
	b := s.b
	return eachMember(b, start, 2, func(key []byte, at int) int {
		e := jsonEnd(b, at, 3)
		if m := memberOf(key); e > 0 && m < jmCount && b[at] != 'n' {
			s.members[m] = b[at:e]
		}
		return e
	})
}

// jsonString gives the text of a raw value: a string decoded (into s.scratch if it has escapes), a
// number as written, nothing for other types.
func (s *scanner) jsonString(raw []byte) []byte {
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || raw[0] == 't' || raw[0] == 'f' || raw[0] == 'n' {
		return nil
	}
	if raw[0] != '"' {
		return raw
	}
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	s.scratch, _ = appendJSON(s.scratch[:0], raw, len(raw))
	return s.scratch
}

func (s *scanner) jsonText(raw []byte, limit int) string {
	s.body = appendLiteral(s.body[:0], s.jsonString(raw), limit)
	return s.mem.take(s.body)
}

func (s *scanner) jsonURL(raw []byte) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	return s.resolve(s.jsonString(raw), s.base)
}

func (s *scanner) jsonDate(raw []byte) time.Time {
	t, ok := parseDate(s.jsonString(raw))
	if !ok {
		return time.Time{}
	}
	return t
}

func (m *jsonItem) identify(s *scanner) (id uint64, named bool) {
	if g := addressID(s.jsonString(m[jmID])); len(g) > 0 {
		return idHash(kindGUID, g), true
	}
	if l := addressID(s.jsonString(m[jmURL])); len(l) > 0 {
		return idHash(kindLink, l), true
	}
	title, published, summary := m.texts(s)
	return textIdentity(title, published, summary), false
}

// within is IdentityWithin of the item located last.
func (m *jsonItem) within(s *scanner, shared uint64) uint64 {
	link := bytes.Clone(s.jsonString(m[jmURL]))
	title, published, summary := m.texts(s)
	return within(shared, link, title, published, summary, m.hash())
}

// texts gives what identifies an item beside guid and link.
func (m *jsonItem) texts(s *scanner) (title []byte, published string, summary []byte) {
	title = bytes.Clone(s.jsonString(m[jmTitle]))
	published = string(s.jsonString(m[jmPublished]))
	for _, k := range [...]member{jmSummary, jmHTML, jmText} {
		if summary = bytes.TrimSpace(s.jsonString(m[k])); len(summary) > 0 {
			break
		}
	}
	return title, published, summary
}

func (m *jsonItem) hash() uint64 {
	var h uint64 = 0x2d358dccaa6c78a5
	for i, raw := range m {
		if raw != nil {
			h = mix(h+uint64(i), xxhash.Sum64(raw))
		}
	}
	return h
}

func (m *jsonItem) published(s *scanner) time.Time {
	if t := s.jsonDate(m[jmPublished]); !t.IsZero() {
		return t
	}
	return s.jsonDate(m[jmModified])
}

func (m *jsonItem) fill(s *scanner, it *Item) {
	g := cleanID(s.jsonString(m[jmID]))
	it.GUID = s.mem.take(bytes.ToValidUTF8(g[:min(len(g), maxGUID)], nil))
	it.Title = s.jsonText(m[jmTitle], maxTitle)
	if it.Link = s.jsonURL(m[jmURL]); it.Link == "" {
		it.Link = s.jsonURL(m[jmExternal])
	}
	if it.Link == "" && strings.HasPrefix(it.GUID, "http") {
		it.Link = s.resolve([]byte(it.GUID), "")
	}
	it.Published, it.Updated = s.jsonDate(m[jmPublished]), s.jsonDate(m[jmModified])
	if it.Published.IsZero() {
		it.Published, it.Undated = it.Updated, !it.Updated.IsZero()
	}
	if it.Author = s.jsonAuthors(m[jmAuthors]); it.Author == "" {
		it.Author = s.jsonAuthors(m[jmAuthor])
	}
	it.Lang = s.jsonText(m[jmLanguage], maxName)
	m.lists(s, it)
	it.Snippet = m.snippet(s)
	if it.Image = s.jsonURL(m[jmImage]); it.Image == "" {
		it.Image = s.jsonURL(m[jmBanner])
	}
	if it.Image == "" {
		it.Image, it.ImageSize = m.bodyImage(s, or(it.Link, s.base))
	}
}

func (m *jsonItem) lists(s *scanner, it *Item) {
	d := draft{strs: len(s.strs), encs: len(s.encs), started: true}
	if raw := m[jmTags]; len(raw) > 0 && raw[0] == '[' {
		eachElement(raw, 0, 0, func(start int) int {
			if e := jsonEnd(raw, start, 1); e > 0 {
				s.addCategory(&d, s.jsonText(raw[start:e], maxName))
			}
			return 0
		})
	}
	if raw := m[jmAttachments]; len(raw) > 0 && raw[0] == '[' {
		eachElement(raw, 0, 0, func(start int) int {
			s.attachment(raw, start, &d)
			return 0
		})
	}
	s.closeLists(it, &d)
}

func (s *scanner) attachment(raw []byte, start int, d *draft) {
	if raw[start] != '{' || len(s.encs)-d.encs >= maxEnclosures {
		return
	}
	var e Enclosure
	eachMember(raw, start, 1, func(key []byte, at int) int {
		end := jsonEnd(raw, at, 2)
		if end < 0 {
			return end
		}
		switch v := raw[at:end]; string(key) {
		case "url":
			e.URL = s.jsonURL(v)
		case "mime_type":
			e.Type = s.jsonText(v, maxName)
		case "size_in_bytes":
			if f, err := strconv.ParseFloat(string(s.jsonString(v)), 64); err == nil && f > 0 && f < 1<<60 {
				e.Length = int64(f)
			}
		}
		return end
	})
	if e.URL != "" {
		s.encs = append(s.encs, e)
	}
}

// jsonAuthors joins the names of an author object or an array of them.
func (s *scanner) jsonAuthors(raw []byte) string {
	var names string
	one := func(at int) int {
		if raw[at] != '{' {
			return 0
		}
		return eachMember(raw, at, 1, func(key []byte, v int) int {
			e := jsonEnd(raw, v, 2)
			if e > 0 && string(key) == "name" {
				if name := personName(s.jsonText(raw[v:e], maxName)); names == "" {
					names = name
				} else if name != "" && !slices.Contains(strings.Split(names, ", "), name) && len(names)+len(name) < maxName {
					names += ", " + name
				}
			}
			return e
		})
	}
	if len(raw) > 0 && raw[0] == '[' {
		eachElement(raw, 0, 0, one)
	} else if len(raw) > 0 {
		one(0)
	}
	return names
}

// snippet takes the first of summary, text and HTML body that has text.
func (m *jsonItem) snippet(s *scanner) string {
	for _, k := range [...]member{jmSummary, jmText} {
		if v := s.jsonText(m[k], snippetRunes); v != "" {
			return v
		}
	}
	raw := m[jmHTML]
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	raw = raw[1 : len(raw)-1]
	for window := 4 * snippetRunes; ; window *= 8 {
		var read int
		s.scratch, read = appendJSON(s.scratch[:0], raw, window)
		var done bool
		s.body, done = appendPlain(s.body[:0], s.scratch, snippetRunes)
		if read >= len(raw) || done && runesFull(s.body, snippetRunes) || window > maxWindow {
			return s.mem.take(s.body)
		}
	}
}

// bodyImage looks for the first image of the HTML body, whose '<' may be written as an escape.
func (m *jsonItem) bodyImage(s *scanner, base string) (string, Size) {
	raw := m[jmHTML]
	if len(raw) < 2 || raw[0] != '"' {
		return "", Size{}
	}
	raw = raw[1:min(len(raw)-1, imageReach)]
	for _, open := range [...]string{"<img", `\u003cimg`, `\u003Cimg`} {
		if i := bytes.Index(raw, []byte(open)); i >= 0 {
			s.html, _ = appendJSON(s.html[:0], raw[i:], imageReach/4)
			return s.firstImage(s.html, base)
		}
	}
	return "", Size{}
}
