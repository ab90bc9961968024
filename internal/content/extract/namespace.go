package extract

import (
	"bytes"
	"strings"
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
	return spaceURIs[strings.TrimRight(strings.ToLower(strings.TrimSpace(uri)), "/#")]
}

var spaceURIs = map[string]space{
	"http://www.w3.org/2005/atom":                         spaceAtom,
	"https://www.w3.org/2005/atom":                        spaceAtom,
	"http://purl.org/atom/ns":                             spaceAtom,
	"http://purl.org/rss/1.0":                             spaceRSS,
	"http://my.netscape.com/rdf/simple/0.9":               spaceRSS,
	"http://channel.netscape.com/rdf/simple/0.9":          spaceRSS,
	"http://backend.userland.com/rss":                     spaceRSS,
	"http://backend.userland.com/rss2":                    spaceRSS,
	"http://blogs.law.harvard.edu/tech/rss":               spaceRSS,
	"http://my.netscape.com/publish/formats/rss-0.91.dtd": spaceRSS,
	"http://backend.userland.com/rss091":                  spaceRSS,
	"http://www.w3.org/1999/02/22-rdf-syntax-ns":          spaceRDF,
	"http://purl.org/dc/elements/1.1":                     spaceDC,
	"http://purl.org/dc/elements/1.0":                     spaceDC,
	"http://purl.org/dc/terms":                            spaceDCTerms,
	"http://purl.org/rss/1.0/modules/content":             spaceContent,
	"http://search.yahoo.com/mrss":                        spaceMedia,
	"https://search.yahoo.com/mrss":                       spaceMedia,
	"http://www.rssboard.org/media-rss":                   spaceMedia,
	"http://video.search.yahoo.com/mrss":                  spaceMedia,
	"http://www.itunes.com/dtds/podcast-1.0.dtd":          spaceITunes,
	"http://example.com/dtds/podcast-1.0.dtd":             spaceITunes,
	"https://www.itunes.com/dtds/podcast-1.0.dtd":         spaceITunes,
	"http://www.w3.org/1999/xhtml":                        spaceXHTML,
}

// spaceOfPrefix returns the usual meaning of a prefix, declared or not.
func spaceOfPrefix(p []byte) space { return spacePrefixes[string(p)] }

var spacePrefixes = map[string]space{
	"": spaceNative, "dc": spaceDC, "content": spaceContent, "media": spaceMedia, "itunes": spaceITunes,
	"itms": spaceITunes, "atom": spaceAtom, "a10": spaceAtom, "atom10": spaceAtom, "atom03": spaceAtom,
	"rdf": spaceRDF, "dcterms": spaceDCTerms, "rss": spaceRSS, "rss10": spaceRSS, "xhtml": spaceXHTML,
}

type declaredPrefix struct {
	prefix []byte
	space  space
}

// declare takes the xmlns declarations of a tag. Prefixes with their usual meaning need no
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

// spaceOf returns the namespace of a prefix as declared, else the usual one; the format's own becomes
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

// ownSpace returns the namespace of an element without prefix, which may declare a default of its own.
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
