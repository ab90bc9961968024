package extract

import (
	"bytes"
	"cmp"
	"strings"
	"time"
)

// scanItem reads the item that t starts, and returns where to go on, or -1 when the document ends inside
// (an item that is cut off is dropped).
func (s *scanner) scanItem(t tag) int {
	end, complete := s.children(t)
	if !complete {
		return -1
	}
	if s.unclosed && len(s.nodes) == 0 {
		return end // a stray start tag
	}
	s.enterItem(t)
	s.keep(t.open, end)
	return end
}

// children locates the children of an item, into s.nodes. complete is false when the document ends first.
func (s *scanner) children(t tag) (end int, complete bool) {
	s.nodes, s.unclosed = s.nodes[:0], false
	if t.self {
		return t.body, true
	}
	if t.attrEnd-t.nameEnd > 20 {
		s.declare(t)
	}
	b, name, bad := s.b, s.b[t.open+1:t.nameEnd], 0
	for i := t.body; ; {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 || i+j+1 >= len(b) {
			return 0, false
		}
		i += j
		switch b[i+1] {
		case '/':
			if hasName(b[i+2:], name) {
				end = s.pastTag(i, len(name))
				return end, end > 0
			}
			if isContainer(b[i+2:]) { // the item has no end tag of its own
				s.mismatch(t.open)
				s.unclosed = true
				return i, true
			}
			i += 2
			continue
		case '!', '?':
			if i = s.pastMarkup(i); i < 0 {
				return 0, false
			}
			continue
		}
		u, ok := s.startTag(i)
		if !ok {
			if bytes.IndexByte(b[i:], '>') < 0 {
				return 0, false
			}
			i++
			continue
		}
		kind := s.kindOf(u)
		if kind == elItem && u.self { // an item without anything, where none may be
			i = u.body
			continue
		}
		if kind == elItem { // the next item begins inside this one
			s.mismatch(t.open)
			s.unclosed = true
			return i, true
		}
		if kind == elGroup {
			i = u.body
			continue
		}
		s.nodes = append(s.nodes, node{kind: kind, tag: u})
		n := &s.nodes[len(s.nodes)-1]
		if !s.element(n) {
			if n.end < 0 {
				return 0, false
			}
			s.mismatch(u.open)
			if bad++; bad > maxMismatch {
				end := n.end
				s.nodes = s.nodes[:len(s.nodes)-1]
				if i = s.endOf(name, end); i < 0 {
					return 0, false
				}
				continue
			}
		}
		if i = n.end; kind == elUnknown {
			s.nodes = s.nodes[:len(s.nodes)-1]
		}
	}
}

// endOf finds the end tag of name from i on; -1 when there is none.
func (s *scanner) endOf(name []byte, i int) int {
	for {
		j := bytes.Index(s.b[i:], []byte("</"))
		if j < 0 {
			return -1
		}
		if i += j; hasName(s.b[i+2:], name) {
			return i
		}
		i += 2
	}
}

// locate moves to an item seen before.
func (s *scanner) locate(start int) {
	if t, ok := s.startTag(start); ok {
		s.children(t)
		s.enterItem(t)
	}
}

// published reads the date alone.
func (s *scanner) published() time.Time {
	for _, k := range [...]elem{elPublished, elTermIssued, elDCDate, elCreated, elUpdated, elTermModified} {
		if n, ok := s.find(k); ok {
			if t := s.date(n); !t.IsZero() {
				return t
			}
		}
	}
	return time.Time{}
}

// enterItem takes the item's own xml:base. Where the feed has none, the addresses of RSS count from the site.
func (s *scanner) enterItem(t tag) {
	s.itemBase, s.itemXML = s.base, s.xmlBase
	if s.xmlBase == "" && s.feed.Format != Atom {
		s.itemBase = s.siteBase()
	}
	if t.attrEnd-t.nameEnd < len(` xml:base=""`) {
		return
	}
	if v := s.attr(t, "xml:base"); v != nil {
		s.itemBase, s.itemXML = s.joinBase(s.base, v), s.joinBase(s.xmlBase, v)
	}
}

// find returns the first located child of a kind with content.
func (s *scanner) find(kind elem) (*node, bool) {
	for i := range s.nodes {
		if n := &s.nodes[i]; n.kind == kind && n.bodyEnd > n.tag.body {
			return n, true
		}
	}
	return nil, false
}

// identify computes the identity of the item located last, as Identity does from decoded fields.
func (s *scanner) identify() (id uint64, named bool) {
	kind := elGUID
	if s.feed.Format == Atom {
		kind = elID
	}
	if n, ok := s.find(kind); ok {
		if g := s.flat(s.content(n)); len(g) > 0 {
			if kind == elID && s.itemXML != "" && schemeOf(g) == nil {
				g = resolveAsGofeed(s.itemXML, g)
			}
			if g = addressID(g); len(g) > 0 {
				return idHash(kindGUID, g), true
			}
		}
	}
	if l := addressID(s.identityLink()); len(l) > 0 {
		return idHash(kindLink, l), true
	}
	title, published, summary := s.texts()
	return textIdentity(title, published, summary), false
}

// within is IdentityWithin of the item located last.
func (s *scanner) within(shared uint64) uint64 {
	link := s.identityLink()
	title, published, summary := s.texts()
	return within(shared, link, title, published, summary, s.hash())
}

// texts returns what identifies the item located last besides guid and link.
func (s *scanner) texts() (title []byte, published string, summary []byte) {
	dates := [...]elem{elPublished, elDCDate}
	if s.feed.Format == Atom {
		dates[1] = elUpdated
	}
	title = bytes.Clone(s.firstOf(elTitle, elDCTitle))
	published = string(s.firstOf(dates[:]...))
	return title, published, s.firstOf(elDescription, elSummary, elITunesSummary, elContent)
}

// firstOf returns the text of the first kind present, with its own layer of encoding taken off.
func (s *scanner) firstOf(kinds ...elem) []byte {
	for _, k := range kinds {
		n, ok := s.find(k)
		if !ok {
			continue
		}
		switch s.typeOf(n) {
		case textXHTML:
			return s.content(n)
		case textBase64:
			return decodeBase64(s.content(n))
		}
		return s.flat(s.content(n))
	}
	return nil
}

// identityLink returns the link that identifies: not resolved against the feed's address.
func (s *scanner) identityLink() []byte {
	var link []byte
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.kind != elLink {
			continue
		}
		var ref []byte
		if s.feed.Format != Atom {
			if ref = s.flat(s.content(n)); len(ref) == 0 {
				ref = s.flat(s.attr(n.tag, "href"))
			}
		} else if rel := s.attr(n.tag, "rel"); link == nil && (len(rel) == 0 || string(rel) == "alternate") {
			ref = s.flat(s.attr(n.tag, "href"))
		}
		if len(ref) == 0 {
			continue
		}
		if base := s.baseOf(n.tag, s.itemXML); schemeOf(ref) == nil && base != "" {
			ref = resolveAsGofeed(base, bytes.Clone(ref))
		}
		link = bytes.Clone(ref)
	}
	return link
}

// fill decodes the item located last.
func (s *scanner) fill(it *Item) {
	d := s.newDraft()
	for i := range s.nodes {
		s.take(it, &d, &s.nodes[i])
	}
	for i := range s.nodes { // after the enclosures proper
		if s.nodes[i].kind == elMediaContent {
			s.mediaContent(&d, &s.nodes[i])
		}
	}
	it.Title = cmp.Or(it.Title, d.dcTitle, d.otherTitle, d.mediaTitle)
	if it.Link = cmp.Or(it.Link, d.atomLink); it.Link == "" && d.permalink != notPermalink {
		if g := []byte(it.GUID); bytes.HasPrefix(g, []byte("http")) {
			it.Link = s.resolve(g, "")
		} else if d.permalink == saidPermalink && schemeOf(g) == nil {
			it.Link = s.resolve(g, s.itemBase)
		}
	}
	it.Author = cmp.Or(it.Author, d.creator, d.itunesAuthor)
	if it.Published.IsZero() {
		it.Published = d.dcDate
	}
	if it.Published.IsZero() {
		it.Published = d.created
	}
	if it.Updated.IsZero() {
		it.Updated = d.dcDate
	}
	if it.Published.IsZero() {
		it.Published, it.Undated = it.Updated, !it.Updated.IsZero()
	}
	if d.bodies[2] == nil {
		d.bodies[2] = d.fullItem
	}
	s.closeLists(it, &d)
	s.excerptOf(it, &d)
}

// draft keeps second choices until all children are read.
type draft struct {
	dcTitle, otherTitle, mediaTitle, atomLink, creator, itunesAuthor string

	isPage                                        bool // of atomLink
	permalink                                     permalink
	dcDate, created                               time.Time
	thumbnail, mediaImage, itunesImage, imageFile string
	thumbnailSize, mediaSize                      Size
	strs, encs                                    int // starts of this item's lists
	// description, summary, content, media:description, itunes:subtitle
	bodies   [5]*node
	fullItem *node
}

func (s *scanner) newDraft() draft { return draft{strs: len(s.strs), encs: len(s.encs)} }

// take reads one child.
func (s *scanner) take(it *Item, d *draft, n *node) {
	switch n.kind {
	case elTitle:
		first(&it.Title, s.title, n)
	case elDCTitle:
		first(&d.dcTitle, s.title, n)
	case elMediaTitle:
		first(&d.mediaTitle, s.title, n)
	case elOtherTitle:
		first(&d.otherTitle, s.title, n)
	case elGUID, elID:
		if it.GUID == "" && (n.kind == elID) == (s.feed.Format == Atom) {
			it.GUID = s.guid(s.content(n))
			if n.kind == elID && s.itemXML != "" && it.GUID != "" && schemeOf([]byte(it.GUID)) == nil {
				it.GUID = string(resolveAsGofeed(s.itemXML, []byte(it.GUID)))
			}
			d.permalink = s.permalinkOf(n)
		}
	case elLink, elAtomLink:
		s.itemLink(it, d, n)
	case elPublished, elTermIssued:
		first(&it.Published, s.date, n)
	case elUpdated, elTermModified:
		first(&it.Updated, s.date, n)
	case elDCDate:
		first(&d.dcDate, s.date, n)
	case elCreated:
		first(&d.created, s.date, n)
	case elAuthor:
		s.addAuthor(&it.Author, n)
	case elCreator:
		s.addAuthor(&d.creator, n)
	case elITunesAuthor:
		first(&d.itunesAuthor, s.person, n)
	case elCategory, elSubject, elKeywords, elMediaCategory, elITunesCategory:
		s.category(d, n)
	case elLanguage:
		it.Lang = s.flatText(s.content(n), maxName)
	case elDescription:
		firstNode(&d.bodies[0], n, s)
	case elSummary, elITunesSummary:
		firstNode(&d.bodies[1], n, s)
	case elContent, elBody:
		firstNode(&d.bodies[2], n, s)
	case elFullItem:
		firstNode(&d.fullItem, n, s)
	case elMediaDescription:
		firstNode(&d.bodies[3], n, s)
	case elITunesSubtitle:
		firstNode(&d.bodies[4], n, s)
	default:
		s.takeMedia(d, n)
	}
}

// permalinkOf reports whether an identifier is an address where there is no link: a guid is one unless declared
// otherwise, an Atom id if it looks like one.
func (s *scanner) permalinkOf(n *node) permalink {
	switch said := s.attr(n.tag, "isPermaLink"); {
	case string(said) == "false":
		return notPermalink
	case string(said) == "true":
		return saidPermalink
	}
	return usualPermalink
}

type permalink uint8

const (
	notPermalink permalink = iota
	usualPermalink
	saidPermalink
)

func firstNode(dst **node, n *node, s *scanner) {
	if *dst == nil && n.bodyEnd > n.tag.body && len(bytes.TrimSpace(s.content(n))) > 0 {
		*dst = n
	}
}

func (s *scanner) guid(raw []byte) string {
	g := cleanID(s.flat(raw))
	if len(g) > maxGUID {
		g = bytes.ToValidUTF8(g[:maxGUID], nil)
	}
	return string(g)
}

// addAuthor joins the names of several authors.
func (s *scanner) addAuthor(dst *string, n *node) {
	name := s.person(n)
	switch {
	case name == "":
	case *dst == "":
		*dst = name
	case !strings.Contains(*dst, name) && len(*dst)+len(name) < maxName:
		*dst += ", " + name
	}
}

// relations stands before the name of a relation that is written as an address (RFC 4287, 4.2.7.2).
var relations = []byte("http://www.iana.org/assignments/relation/")

func (s *scanner) itemLink(it *Item, d *draft, n *node) {
	if n.kind == elLink && s.feed.Format != Atom {
		link := s.addressOf(n)
		if link == "" {
			link = s.address(s.attr(n.tag, "href"), s.baseOf(n.tag, s.itemBase))
		}
		it.Link = cmp.Or(link, it.Link) // the last one, as gofeed has it
		return
	}
	rel := bytes.TrimPrefix(s.attr(n.tag, "rel"), relations)
	switch {
	case len(rel) == 0, string(rel) == "alternate":
		// The first one that is a page: others are the article as JSON, PDF and the like.
		isPage := isPageType(s.attr(n.tag, "type"))
		if d.atomLink == "" || isPage && !d.isPage {
			if link := s.address(s.attr(n.tag, "href"), s.baseOf(n.tag, s.itemBase)); link != "" {
				d.atomLink, d.isPage = link, isPage
			}
		}
	case string(rel) == "enclosure":
		s.enclosure(d, s.attr(n.tag, "href"), s.attr(n.tag, "type"), s.attr(n.tag, "length"), n.tag)
	}
}

// isPageType reports whether a link of this type leads to a page; one without a type does.
func isPageType(t []byte) bool {
	return len(t) == 0 || bytes.Contains(bytes.ToLower(t), []byte("html"))
}

func (s *scanner) category(d *draft, n *node) {
	if len(s.strs)-d.strs >= maxCategories {
		return
	}
	switch n.kind {
	case elKeywords:
		words := s.plainText(s.content(n), maxKeywords)
		if words == "" {
			words = s.plainText(s.attr(n.tag, "text"), maxKeywords)
		}
		for part := range strings.FieldsFuncSeq(words, func(r rune) bool { return r == ',' || r == '，' || r == '、' }) {
			s.addCategory(d, strings.TrimSpace(part))
		}
		return
	case elITunesCategory:
		s.addCategory(d, s.flatText(s.attr(n.tag, "text"), maxName))
		if in, ok := s.child(n, "category"); ok {
			s.addCategory(d, s.flatText(s.attr(in.tag, "text"), maxName))
		}
		return
	}
	v := s.plainText(s.content(n), maxName)
	if v == "" && n.kind != elSubject {
		if v = s.flatText(s.attr(n.tag, "label"), maxName); v == "" {
			v = s.flatText(s.attr(n.tag, "term"), maxName)
		}
	}
	s.addCategory(d, v)
}

func (s *scanner) addCategory(d *draft, v string) {
	if v == "" || len(s.strs)-d.strs >= maxCategories {
		return
	}
	for _, old := range s.strs[d.strs:] {
		if old == v {
			return
		}
	}
	s.strs = append(s.strs, v)
}

// closeLists returns the item its part of the shared lists; a later growth of them does not touch it.
func (s *scanner) closeLists(it *Item, d *draft) {
	if n := len(s.strs); n > d.strs {
		it.Categories = s.strs[d.strs:n:n]
	}
	if n := len(s.encs); n > d.encs {
		it.Enclosures = s.encs[d.encs:n:n]
	}
}
