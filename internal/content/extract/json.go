package extract

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
)

// jsonMember is a member of a feed or an item that this package reads. The content hash covers those of an item by
// their numbers: their order must not change.
type jsonMember uint8

const (
	jmID jsonMember = iota
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
	jmVersion // from here on: of the feed alone, not hashed
	jmHome
	jmSelf
	jmDescription
	jmIcon
	jmFavicon
	jmHubs
	jmCount

	jsonItemMembers = jmVersion
)

var jsonMemberNames = [jmCount]string{
	"id", "url", "title", "summary", "content_text", "content_html", "date_published", "date_modified", "image",
	"banner_image", "author", "authors", "tags", "attachments", "language", "external_url",
	"version", "home_page_url", "feed_url", "description", "icon", "favicon", "hubs",
}

// jsonObject holds the raw values of an object's members; nil when absent or null.
type jsonObject [jmCount][]byte

func (o *jsonObject) set(key, raw []byte) {
	if raw[0] == 'n' {
		return
	}
	for i, name := range jsonMemberNames {
		if string(key) == name {
			o[i] = raw
			return
		}
	}
}

// isFeed reports whether members are those of a feed: by its version, or by others that it has beside items.
func (o *jsonObject) isFeed(hasItems, likeItems bool) bool {
	return bytes.Contains(o[jmVersion], []byte("jsonfeed.org")) ||
		hasItems && (o[jmTitle] != nil || o[jmHome] != nil || o[jmSelf] != nil || o[jmVersion] != nil && likeItems)
}

// jsonItem reads the parts of an item of a JSON Feed.
type jsonItem struct {
	s *scanner
	o jsonObject
}

// scanJSON reads a JSON Feed from its '{' on. Values are only located, and those of new items decoded: encoding/json
// locates them at an eighth of the speed, and would miss P15 and P16 (docs/develop/performance.md).
func (s *scanner) scanJSON(at int) error {
	s.feed.Format = JSON
	item := &jsonItem{s: s}
	s.item = item
	b, hasItems, likeItems, inside := s.b, false, false, 0
	var top jsonObject
	take := func(start int) int {
		s.firstDoubt = start
		if b[start] != '{' {
			return 0 // not an item: skipped
		}
		end := item.read(start)
		likeItems = likeItems || item.isLikely()
		if end > 0 {
			s.keep(start, end)
		}
		return end
	}
	end := eachMember(b, at, 0, func(key []byte, start int) int {
		switch {
		case start >= len(b):
		case string(key) == "items":
			if end, isList := eachItem(b, start, take); isList {
				hasItems = true
				return end
			}
		case string(key) == "feed" && b[start] == '{' && inside == 0 && !s.wrapped:
			inside = start
		}
		e := jsonEnd(b, start, 1)
		if e > 0 {
			top.set(key, b[start:e])
			if string(key) == jsonMemberNames[jmHome] {
				s.setSite(s.jsonString(top[jmHome]), s.jsonURL(top[jmHome]))
			}
		}
		return e
	})
	if inside > 0 && !hasItems && top[jmVersion] == nil && end > 0 {
		s.wrapped = true
		return s.scanJSON(inside)
	}
	s.itemBase = ""
	s.fillJSON(&top)
	isFeed := top.isFeed(hasItems, likeItems)
	switch {
	case end == jsonDeep:
		return &Error{Code: CodeTooDeep}
	case end == jsonCut && isFeed && len(s.feed.Items) > 0:
		s.feed.Truncated = true
		return nil
	case end == jsonCut:
		return &Error{Code: CodeTruncated, Line: s.line(len(b))}
	case end < 0:
		return &Error{Code: CodeBadJSON, Line: s.line(s.firstDoubt)}
	case !isFeed || !hasItems && top[jmVersion] == nil:
		return &Error{Code: CodeNotAFeed, Line: 1}
	}
	return nil
}

// eachItem calls take with the start of each item of a feed, and returns the end of the value that has them: an array,
// an object with numbers for names, as PHP writes some arrays, or null. isList is false for any other value.
func eachItem(b []byte, start int, take func(start int) int) (end int, isList bool) {
	switch {
	case b[start] == '[':
		return eachElement(b, start, 1, take), true
	case b[start] == '{' && isNumber(firstKey(b, start)):
		return eachMember(b, start, 1, func(_ []byte, start int) int {
			if start >= len(b) {
				return jsonCut
			}
			return take(start)
		}), true
	}
	return jsonEnd(b, start, 1), b[start] == 'n'
}

// fillJSON reads the members of the feed itself.
func (s *scanner) fillJSON(top *jsonObject) {
	f := s.feed
	f.Title = s.jsonText(top[jmTitle], maxTitle)
	f.Description = s.jsonText(top[jmDescription], maxDescription)
	f.Link = s.jsonURL(top[jmHome])
	f.Self = s.jsonURL(top[jmSelf])
	f.Language = s.jsonText(top[jmLanguage], maxName)
	f.Icon = cmp.Or(s.jsonURL(top[jmIcon]), s.jsonURL(top[jmFavicon]))
	f.Author = cmp.Or(s.jsonAuthors(top[jmAuthors]), s.jsonAuthors(top[jmAuthor]))
	for raw := range jsonElements(top[jmHubs]) {
		if bytes.EqualFold(jsonMemberOf(raw, "type"), []byte(`"WebSub"`)) { // rssCloud is of another kind
			f.Hub = s.jsonURL(jsonMemberOf(raw, "url"))
			break
		}
	}
	for i := range f.Items { // JSON Feed has no date of its own: the newest item's
		for _, d := range [...]time.Time{f.Items[i].Updated, f.Items[i].Published} {
			if d.After(f.Updated) {
				f.Updated = d
			}
		}
	}
}

// read locates the members of the item at start, and returns its end or one of the negative results of jsonEnd.
func (m *jsonItem) read(start int) int {
	m.o = jsonObject{}
	b := m.s.b
	return eachMember(b, start, 2, func(key []byte, at int) int {
		e := jsonEnd(b, at, 3)
		if e > 0 {
			m.o.set(key, b[at:e])
		}
		return e
	})
}

func (m *jsonItem) locate(start int) { m.read(start) }

// isLikely reports whether the object looks like an item of JSON Feed.
func (m *jsonItem) isLikely() bool {
	return (m.o[jmID] != nil || m.o[jmURL] != nil) &&
		(m.o[jmTitle] != nil || m.o[jmText] != nil || m.o[jmHTML] != nil || m.o[jmSummary] != nil)
}

// jsonString returns the text of a raw value: a string decoded (into s.scratch if it has escapes), a
// number as written, nothing for other types.
func (s *scanner) jsonString(raw []byte) []byte {
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || raw[0] == 't' || raw[0] == 'f' {
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

func (s *scanner) jsonText(raw []byte, limit int) string { return s.literal(s.jsonString(raw), limit) }

func (s *scanner) jsonURL(raw []byte) string {
	if !isString(raw) {
		return ""
	}
	return s.resolve(s.jsonString(raw), s.here())
}

func (s *scanner) jsonDate(raw []byte) time.Time {
	t, _ := parseDate(s.jsonString(raw))
	return t
}

func (m *jsonItem) identify() (id uint64, named bool) {
	if g := addressID(m.s.jsonString(m.o[jmID])); len(g) > 0 {
		return idHash(kindGUID, g), true
	}
	if l := addressID(m.s.jsonString(m.o[jmURL])); len(l) > 0 {
		return idHash(kindLink, l), true
	}
	title, published, summary := m.texts()
	return textIdentity(title, published, summary), false
}

func (m *jsonItem) within(shared uint64) uint64 {
	link := bytes.Clone(m.s.jsonString(m.o[jmURL]))
	title, published, summary := m.texts()
	return within(shared, link, title, published, summary, m.hash())
}

// texts returns what identifies an item besides guid and link.
func (m *jsonItem) texts() (title []byte, published string, summary []byte) {
	title = bytes.Clone(m.s.jsonString(m.o[jmTitle]))
	published = string(m.s.jsonString(m.o[jmPublished]))
	for _, k := range [...]jsonMember{jmSummary, jmHTML, jmText} {
		if summary = bytes.TrimSpace(m.s.jsonString(m.o[k])); len(summary) > 0 {
			break
		}
	}
	return title, published, summary
}

func (m *jsonItem) hash() uint64 {
	h := hashSeed
	for i, raw := range m.o[:jsonItemMembers] {
		if raw != nil {
			h = mix(h+uint64(i), xxhash.Sum64(raw))
		}
	}
	return h
}

func (m *jsonItem) published() time.Time {
	if t := m.s.jsonDate(m.o[jmPublished]); !t.IsZero() {
		return t
	}
	return m.s.jsonDate(m.o[jmModified])
}

func (m *jsonItem) fill(it *Item) {
	s, o := m.s, &m.o
	s.itemBase = s.siteBase()
	g := cleanID(s.jsonString(o[jmID]))
	it.GUID = string(bytes.ToValidUTF8(g[:min(len(g), maxGUID)], nil))
	it.Title = s.jsonText(o[jmTitle], maxTitle)
	it.Link = cmp.Or(s.jsonURL(o[jmURL]), s.jsonURL(o[jmExternal]))
	if it.Link == "" && strings.HasPrefix(it.GUID, "http") {
		it.Link = s.resolve([]byte(it.GUID), "")
	}
	it.Published, it.Updated = s.jsonDate(o[jmPublished]), s.jsonDate(o[jmModified])
	if it.Published.IsZero() {
		it.Published, it.Undated = it.Updated, !it.Updated.IsZero()
	}
	it.Author = cmp.Or(s.jsonAuthors(o[jmAuthors]), s.jsonAuthors(o[jmAuthor]))
	it.Lang = s.jsonText(o[jmLanguage], maxName)
	m.lists(it)
	it.Snippet = m.snippet()
	if s.wantsText() {
		s.setText(it, m.text())
	}
	it.Image = cmp.Or(s.jsonURL(o[jmImage]), s.jsonURL(o[jmBanner]))
	if it.Image == "" {
		it.Image, it.ImageSize = m.bodyImage(cmp.Or(it.Link, s.itemBase))
	}
}

// JSONTexts returns the texts of one item of a JSON Feed, from the bytes between Item.Start and End: content_html,
// content_text and summary.
func JSONTexts(item []byte) (html, text, summary string) {
	s := &scanner{b: item}
	m := jsonItem{s: s}
	m.locate(0)
	if raw := m.o[jmHTML]; isString(raw) {
		html = string(s.jsonString(raw))
	}
	return html, string(s.jsonString(m.o[jmText])), string(s.jsonString(m.o[jmSummary]))
}

func isString(raw []byte) bool { return len(raw) > 1 && raw[0] == '"' }

func (m *jsonItem) lists(it *Item) {
	s := m.s
	d := s.newDraft()
	for raw := range jsonElements(m.o[jmTags]) {
		s.addCategory(&d, s.jsonText(raw, maxName))
	}
	for raw := range jsonElements(m.o[jmAttachments]) {
		if len(s.encs)-d.encs >= maxEnclosures {
			break
		}
		e := Enclosure{URL: s.jsonURL(jsonMemberOf(raw, "url")),
			Type: s.jsonText(jsonMemberOf(raw, "mime_type"), maxName)}
		size := s.jsonString(jsonMemberOf(raw, "size_in_bytes")) // may be in quotes
		if n, err := strconv.ParseFloat(string(size), 64); err == nil && n > 0 && n < 1<<60 {
			e.Length = int64(n)
		}
		if e.URL != "" {
			s.encs = append(s.encs, e)
		}
	}
	s.closeLists(it, &d)
}

// jsonAuthors joins the names of an author object or an array of them.
func (s *scanner) jsonAuthors(raw []byte) string {
	if len(raw) > 0 && raw[0] != '[' {
		return s.jsonAuthor(raw)
	}
	var names string
	for raw := range jsonElements(raw) {
		name := s.jsonAuthor(raw)
		if len(names)+len(name) >= maxName {
			break
		}
		if name != "" && !slices.Contains(strings.Split(names, ", "), name) {
			names = strings.TrimPrefix(names+", "+name, ", ")
		}
	}
	return names
}

// jsonAuthor returns the name of an author, which may stand there alone.
func (s *scanner) jsonAuthor(raw []byte) string {
	if isString(raw) {
		return personName(s.jsonText(raw, maxName))
	}
	return personName(s.jsonText(jsonMemberOf(raw, "name"), maxName))
}

// jsonMemberOf returns the raw value of a member of an object; nil when raw is no object, or has none.
func jsonMemberOf(raw []byte, name string) (value []byte) {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	eachMember(raw, 0, 1, func(key []byte, at int) int {
		end := jsonEnd(raw, at, 2)
		if end > 0 && string(key) == name {
			value = raw[at:end]
		}
		return end
	})
	return value
}

// jsonElements yields the raw values of an array but null; nothing for a value that is no array.
func jsonElements(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(raw) == 0 || raw[0] != '[' {
			return
		}
		eachElement(raw, 0, 0, func(start int) int {
			end := jsonEnd(raw, start, 1)
			if end > 0 && string(raw[start:end]) != "null" && !yield(raw[start:end]) {
				return jsonCut
			}
			return end
		})
	}
}

// snippet takes the first of summary, text and HTML body that has text.
func (m *jsonItem) snippet() string {
	s := m.s
	for _, k := range [...]jsonMember{jmSummary, jmText} {
		if v := s.jsonText(m.o[k], snippetRunes); v != "" && !isTeaserText(v) {
			return v
		}
	}
	return m.html(snippetRunes)
}

// text is the body as plain text.
func (m *jsonItem) text() string {
	if v := m.html(textRunes); v != "" {
		return v
	}
	for _, k := range [...]jsonMember{jmText, jmSummary} {
		if v := m.s.jsonText(m.o[k], textRunes); v != "" {
			return v
		}
	}
	return ""
}

// html is the HTML body as plain text.
func (m *jsonItem) html(limit int) string {
	raw := m.o[jmHTML]
	if !isString(raw) {
		return ""
	}
	m.s.readWindows(raw[1:len(raw)-1], limit, appendJSON)
	return string(m.s.body)
}

// bodyImage looks for the first image of the HTML body, whose '<' may be written as an escape.
func (m *jsonItem) bodyImage(base string) (string, Size) {
	raw := m.o[jmHTML]
	if !isString(raw) {
		return "", Size{}
	}
	raw = raw[1 : len(raw)-1]
	for _, open := range [...]string{"<img", `\u003cimg`, `\u003Cimg`} {
		i := bytes.Index(raw[:min(len(raw), imageReach)], []byte(open))
		if i < 0 {
			continue
		}
		var url string
		var size Size
		for _, end := range [...]int{i + imagePart, imageReach + imageTag} { // most images end within the part
			m.s.html, _ = appendJSON(m.s.html[:0], raw[:min(len(raw), end)], end)
			if url, size = m.s.firstImage(m.s.html, base); url != "" || end >= len(raw) {
				break
			}
		}
		return url, size
	}
	return "", Size{}
}
