package extract

import "bytes"

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
	elOtherTitle // of iTunes, or of Atom inside RSS
	elMediaCategory
	elFullItem // some RSS generators put the whole text here
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
)

// kindOf returns the meaning of an element by its tag.
func (s *scanner) kindOf(t tag) elem {
	name := s.b[t.open+1 : t.nameEnd]
	sp := spaceNative
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		if sp = s.spaceOf(name[:i]); t.attrEnd-t.nameEnd > 20 &&
			bytes.Contains(s.b[t.nameEnd:t.attrEnd], []byte("xmlns:")) {
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
// or is distinguished by Feed.Format later.
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
	case "fullitem":
		return elFullItem
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
	case "category":
		return elMediaCategory
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
	case "title":
		return elOtherTitle
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
	case "created":
		return elCreated
	case "title":
		return elOtherTitle
	case "summary", "subtitle", "tagline":
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
