package extract

import (
	"bytes"
	"strings"
)

// elem is the meaning of an element, whatever its format, prefix and spelling.
type elem uint8

const (
	elUnknown elem = iota
	elChannel
	elItem
	elGroup // media:group: its children count as the item's
	elTitle
	elLink
	elAtomLink // in a document that is not Atom
	elGUID
	elID // Atom
	elDescription
	elSummary
	elContent // Atom, or content:encoded
	elPublished
	elCreated
	elUpdated
	elDCDate
	elTermIssued // dcterms
	elTermModified
	elAuthor
	elCreator
	elITunesAuthor
	elManagingEditor
	elWebMaster
	elCategory
	elSubject
	elKeywords
	elEnclosure
	elMediaContent
	elMediaThumbnail
	elMediaTitle
	elMediaDescription
	elITunesImage
	elITunesSummary
	elITunesSubtitle
	elSubtitle // Atom
	elITunesCategory
	elImage
	elIcon
	elLogo
	elLanguage
	elTTL
	elSkipHours
	elSkipDays
	elBuildDate
	elNewFeedURL
	elDCTitle
	elDCIdentifier
	elBody // xhtml:body
	elURL
	elName
	elEmail
)

// space is a namespace this package knows.
type space uint8

const (
	spaceOther  space = iota
	spaceNative       // that of the document's own format
	spaceRSS
	spaceAtom
	spaceRDF
	spaceDC
	spaceDCTerms
	spaceContent
	spaceMedia
	spaceITunes
	spaceXHTML
)

// spaceOfURI names the namespace of a declaration. Case and a last slash vary in the wild.
func spaceOfURI(uri string) space {
	switch u := strings.TrimRight(strings.ToLower(strings.TrimSpace(uri)), "/#"); u {
	case "http://www.w3.org/2005/atom", "https://www.w3.org/2005/atom", "http://purl.org/atom/ns":
		return spaceAtom
	case "http://purl.org/rss/1.0", "http://my.netscape.com/rdf/simple/0.9", "http://channel.netscape.com/rdf/simple/0.9",
		"http://backend.userland.com/rss", "http://backend.userland.com/rss2", "http://blogs.law.harvard.edu/tech/rss",
		"http://my.netscape.com/publish/formats/rss-0.91.dtd", "http://backend.userland.com/rss091":
		return spaceRSS
	case "http://www.w3.org/1999/02/22-rdf-syntax-ns":
		return spaceRDF
	case "http://purl.org/dc/elements/1.1", "http://purl.org/dc/elements/1.0":
		return spaceDC
	case "http://purl.org/dc/terms":
		return spaceDCTerms
	case "http://purl.org/rss/1.0/modules/content":
		return spaceContent
	case "http://search.yahoo.com/mrss", "https://search.yahoo.com/mrss", "http://www.rssboard.org/media-rss", "http://video.search.yahoo.com/mrss":
		return spaceMedia
	case "http://www.itunes.com/dtds/podcast-1.0.dtd", "http://example.com/dtds/podcast-1.0.dtd", "https://www.itunes.com/dtds/podcast-1.0.dtd":
		return spaceITunes
	case "http://www.w3.org/1999/xhtml":
		return spaceXHTML
	}
	return spaceOther
}

// spaceOfPrefix gives what a prefix means by custom, declared or not.
func spaceOfPrefix(p []byte) space {
	switch string(p) {
	case "":
		return spaceNative
	case "dc":
		return spaceDC
	case "content":
		return spaceContent
	case "media":
		return spaceMedia
	case "itunes", "itms":
		return spaceITunes
	case "atom", "a10", "atom10", "atom03":
		return spaceAtom
	case "rdf":
		return spaceRDF
	case "dcterms":
		return spaceDCTerms
	case "rss", "rss10":
		return spaceRSS
	case "xhtml":
		return spaceXHTML
	}
	return spaceOther
}

type declaredPrefix struct {
	prefix []byte
	space  space
}

// declare takes the xmlns declarations of a tag. Prefixes that mean what they mean by custom need no
// entry. A declaration counts from there on, not only inside its element: feeds that give one prefix two
// meanings do not exist.
func (s *scanner) declare(t tag) {
	a := attrs{s.b[t.nameEnd:t.attrEnd]}
	for {
		name, value, ok := a.next()
		if !ok {
			return
		}
		if p, isDecl := bytes.CutPrefix(name, []byte("xmlns:")); isDecl {
			s.declarePrefix(p, spaceOfURI(string(value)))
		}
	}
}

func (s *scanner) declarePrefix(p []byte, sp space) {
	for i := range s.prefixes {
		if bytes.Equal(s.prefixes[i].prefix, p) {
			s.prefixes[i].space = sp
			return
		}
	}
	if sp != spaceOfPrefix(p) && len(s.prefixes) < 64 {
		s.prefixes = append(s.prefixes, declaredPrefix{p, sp})
	}
}

// spaceOf gives the namespace of a prefix as declared, else by custom; the format's own becomes
// spaceNative.
func (s *scanner) spaceOf(p []byte) space {
	sp := spaceOfPrefix(p)
	for i := range s.prefixes {
		if bytes.Equal(s.prefixes[i].prefix, p) {
			sp = s.prefixes[i].space
			break
		}
	}
	if sp == s.native || len(p) > 0 && bytes.Equal(p, s.rootPrefix) && s.feed.Format != RDF {
		return spaceNative
	}
	return sp
}

// kindOf gives the meaning of an element by its tag.
func (s *scanner) kindOf(t tag) elem {
	name := s.b[t.open+1 : t.nameEnd]
	sp := spaceNative
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		if sp = s.spaceOf(name[:i]); t.attrEnd-t.nameEnd > 20 && bytes.Contains(s.b[t.nameEnd:t.attrEnd], []byte("xmlns:")) {
			s.declare(t) // it may declare its own prefix
			sp = s.spaceOf(name[:i])
		}
		name = name[i+1:]
	} else if t.attrEnd-t.nameEnd > 20 && s.feed.Format != Atom {
		sp = s.ownSpace(t)
	}
	if k := kindIn(sp, name); k != elUnknown {
		return k
	}
	if sp == spaceOther {
		return elUnknown
	}
	var low [24]byte
	if len(name) > len(low) {
		return elUnknown
	}
	changed := false
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c, changed = c+'a'-'A', true
		}
		low[i] = c
	}
	if !changed {
		return elUnknown
	}
	return kindIn(sp, low[:len(name)])
}

// ownSpace gives the namespace of an element without prefix, which may declare a default of its own.
func (s *scanner) ownSpace(t tag) space {
	region := s.b[t.nameEnd:t.attrEnd]
	if !bytes.Contains(region, []byte("xmlns=")) {
		return spaceNative
	}
	sp := spaceOfURI(string(s.attr(t, "xmlns")))
	if sp == s.native || sp == spaceRSS || sp == spaceOther {
		return spaceNative
	}
	return sp
}

func kindIn(sp space, name []byte) elem {
	switch sp {
	case spaceNative:
		return nativeKind(name)
	case spaceDC, spaceDCTerms:
		return dublinKind(name)
	case spaceContent:
		if string(name) == "encoded" {
			return elContent
		}
	case spaceMedia:
		return mediaKind(name)
	case spaceITunes:
		return itunesKind(name)
	case spaceAtom:
		return atomKind(name)
	case spaceXHTML:
		if string(name) == "body" || string(name) == "div" {
			return elBody
		}
	case spaceRDF:
		if string(name) == "value" {
			return elUnknown
		}
	}
	return elUnknown
}

// nativeKind covers the vocabularies of RSS and Atom together: where they share a name it means the same
// or is told apart by Feed.Format later.
func nativeKind(name []byte) elem {
	switch string(name) {
	case "title":
		return elTitle
	case "link":
		return elLink
	case "guid":
		return elGUID
	case "id":
		return elID
	case "description":
		return elDescription
	case "summary":
		return elSummary
	case "content":
		return elContent
	case "pubDate", "pubdate", "published", "issued":
		return elPublished
	case "created":
		return elCreated
	case "updated", "modified":
		return elUpdated
	case "author":
		return elAuthor
	case "category":
		return elCategory
	case "enclosure":
		return elEnclosure
	case "item", "entry":
		return elItem
	case "channel":
		return elChannel
	case "image":
		return elImage
	case "language":
		return elLanguage
	case "lastBuildDate", "lastbuilddate":
		return elBuildDate
	case "ttl":
		return elTTL
	case "skipHours", "skiphours":
		return elSkipHours
	case "skipDays", "skipdays":
		return elSkipDays
	case "managingEditor", "managingeditor":
		return elManagingEditor
	case "webMaster", "webmaster":
		return elWebMaster
	case "subtitle", "tagline":
		return elSubtitle
	case "icon":
		return elIcon
	case "logo":
		return elLogo
	case "body":
		return elBody
	}
	return elUnknown
}

func dublinKind(name []byte) elem {
	switch string(name) {
	case "creator", "author":
		return elCreator
	case "date":
		return elDCDate
	case "subject":
		return elSubject
	case "title":
		return elDCTitle
	case "description":
		return elSummary
	case "language":
		return elLanguage
	case "identifier":
		return elDCIdentifier
	case "modified":
		return elTermModified
	case "created":
		return elCreated
	case "issued":
		return elTermIssued
	}
	return elUnknown
}

func mediaKind(name []byte) elem {
	switch string(name) {
	case "group":
		return elGroup
	case "content":
		return elMediaContent
	case "thumbnail":
		return elMediaThumbnail
	case "title":
		return elMediaTitle
	case "description":
		return elMediaDescription
	}
	return elUnknown
}

func itunesKind(name []byte) elem {
	switch string(name) {
	case "author":
		return elITunesAuthor
	case "image":
		return elITunesImage
	case "summary":
		return elITunesSummary
	case "subtitle":
		return elITunesSubtitle
	case "new-feed-url":
		return elNewFeedURL
	case "keywords":
		return elKeywords
	case "category":
		return elITunesCategory
	}
	return elUnknown
}

// atomKind is for Atom elements inside RSS.
func atomKind(name []byte) elem {
	switch string(name) {
	case "link":
		return elAtomLink
	case "updated", "modified":
		return elUpdated
	case "published", "issued":
		return elPublished
	case "summary", "subtitle":
		return elSummary
	case "content":
		return elContent
	case "author":
		return elAuthor
	case "category":
		return elCategory
	case "icon":
		return elIcon
	case "logo":
		return elLogo
	}
	return elUnknown
}
