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

func kindIn(sp space, name []byte) elem { return kinds[sp][string(name)] }

// kinds are the names of each namespace, those without a meaning of ours left out.
var kinds = [...]map[string]elem{
	// The vocabularies of RSS and Atom together: where they share a name it means the same or is distinguished by
	// Feed.Format later.
	spaceNative: {
		"title": elTitle, "link": elLink, "guid": elGUID, "id": elID, "description": elDescription,
		"summary": elSummary, "content": elContent, "created": elCreated,
		"pubDate": elPublished, "pubdate": elPublished, "published": elPublished, "issued": elPublished,
		"updated": elUpdated, "modified": elUpdated, "author": elAuthor, "category": elCategory,
		"enclosure": elEnclosure, "item": elItem, "entry": elItem, "channel": elChannel, "image": elImage,
		"language": elLanguage, "lastBuildDate": elBuildDate, "lastbuilddate": elBuildDate,
		"ttl": elTTL, "skipHours": elSkipHours, "skiphours": elSkipHours,
		"skipDays": elSkipDays, "skipdays": elSkipDays,
		"managingEditor": elManagingEditor, "managingeditor": elManagingEditor,
		"webMaster": elWebMaster, "webmaster": elWebMaster, "subtitle": elSubtitle, "tagline": elSubtitle,
		"icon": elIcon, "logo": elLogo, "body": elBody, "fullitem": elFullItem,
	},
	spaceDC:      dublinCore,
	spaceDCTerms: dublinCore,
	spaceContent: {"encoded": elContent},
	spaceMedia: {
		"group": elGroup, "content": elMediaContent, "thumbnail": elMediaThumbnail, "title": elMediaTitle,
		"description": elMediaDescription, "category": elMediaCategory,
	},
	spaceITunes: {
		"author": elITunesAuthor, "image": elITunesImage, "summary": elITunesSummary,
		"subtitle": elITunesSubtitle, "new-feed-url": elNewFeedURL, "keywords": elKeywords,
		"category": elITunesCategory, "title": elOtherTitle,
	},
	// Atom elements inside RSS.
	spaceAtom: {
		"link": elAtomLink, "updated": elUpdated, "modified": elUpdated, "published": elPublished,
		"issued": elPublished, "created": elCreated, "title": elOtherTitle, "summary": elSummary,
		"subtitle": elSummary, "tagline": elSummary, "content": elContent, "author": elAuthor,
		"category": elCategory, "icon": elIcon, "logo": elLogo,
	},
	spaceXHTML: {"body": elBody, "div": elBody},
}

var dublinCore = map[string]elem{
	"creator": elCreator, "author": elCreator, "date": elDCDate, "subject": elSubject, "title": elDCTitle,
	"description": elSummary, "language": elLanguage, "identifier": elDCIdentifier, "modified": elTermModified,
	"created": elCreated, "issued": elTermIssued,
}
