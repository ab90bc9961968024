// Package starred reads and writes lists of starred items as JSON: the shape of Google Reader's takeout, in which
// FreshRSS and many others export and which we write, that of Feedly (the same with times in milliseconds), and that
// of Miniflux's API. The package is pure: it fetches nothing and cleans no HTML.
package starred

import "time"

// Item is one starred item. Zero times are unknown.
type Item struct {
	ID         string // as the list has it; empty when it has none
	Title      string
	Link       string // http or https, else empty
	Author     string
	HTML       string // as the list has it: not to be trusted
	Published  time.Time
	Updated    time.Time
	Starred    time.Time
	Categories []string // the publisher's
	Labels     []string // the reader's own
	FeedURL    string
	FeedTitle  string
	SiteURL    string
}

// Problem is an entry of a list that was not taken, by its place from 1.
type Problem struct {
	Place   int
	Title   string
	Code    string
	Message string
}

// The codes of problems.
const (
	BadEntry   = "bad_entry"   // not of the shape that the list has
	EmptyEntry = "empty_entry" // neither a title nor an address
	OverLimit  = "over_limit"  // more entries than one import takes
)

// List is a list as read.
type List struct {
	Items    []Item
	Problems []Problem // at most maxProblems
	More     int       // problems beyond those
	// NotStarred counts entries that are declared not starred: Miniflux exports any.
	NotStarred int
}

// The bounds of one list.
const (
	MaxBytes = 5 << 20
	MaxItems = 2000

	maxProblems   = 200
	maxEntries    = 10 * MaxItems // looked at; those beyond are counted
	maxListed     = 100           // names and links of an entry that are looked at
	maxText       = 1000          // runes of a title, name or category
	maxCategories = 30
	maxLabels     = 50
)
