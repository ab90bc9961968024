// Package opml reads and writes subscription lists: OPML 1.0, 1.1 and 2.0 (opml.org/spec2.opml).
//
// Reading is tolerant of what programs and people really write (bare ampersands, attribute names in any
// case, a missing head, old charsets, HTML entities) and strict about structure: a document that is cut
// off, mis-nested or no OPML at all is refused whole, so that an import is never half of a file without
// anybody noticing. Single entries that cannot be used are listed with their reason, and the rest stands.
//
// The package is pure: it fetches nothing, follows no include, and expands no entity that a document
// declares.
package opml

// Feed is one subscription of a list.
type Feed struct {
	Path    []string   // names of the folders around it, from the outside in; empty at the top
	Also    [][]string // further folders that the list has it in
	Title   string     // as the list has it, white space collapsed; "" when it has none
	XMLURL  string     // http or https, scheme and host in lower case, otherwise as written
	HTMLURL string     // the site, http or https; "" when missing or of another scheme
	// Watch is set for a watch, which has no XMLURL: its settings as JSON, and the minutes between two looks at its
	// page (HTMLURL).
	Watch   string
	Minutes int
}

// Problem is an entry of a list that was not imported, with the reason.
type Problem struct {
	URL, Title string
	Code       string // one of those below; fault/texts has its texts
}

// The codes of problems.
const (
	NoAddress  = "no_address"  // declared a feed, but without an address
	BadAddress = "bad_address" // the address cannot be that of a feed
	Commented  = "commented"   // switched off by isComment, its own or that of an outline around it
	Included   = "include"     // stands for another list, which is not fetched
	OverLimit  = "over_limit"  // more feeds than one import takes
)

// Document is a list as read.
type Document struct {
	Title    string
	Feeds    []Feed
	Problems []Problem // at most 2,000
}

// The limits of one import.
const (
	MaxFeeds = 1000    // C-13
	MaxBytes = 5 << 20

	maxDepth    = 64
	maxProblems = 2000
	maxAlso     = 19 // further folders of one feed
	maxWatch    = 64 << 10
	maxTitle    = 500 // runes kept of a title or folder name
)
