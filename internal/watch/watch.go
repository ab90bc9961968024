// Package watch compares what a page lists with what was known of it. A watch follows a listing; its results are the
// listed things, with prices, statuses and dates; an event announces that a result has changed, and becomes an item of
// the watch's feed. The package knows no storage, clock or network.
package watch

import (
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// Key identifies a result within its watch, in 48 bits (listing.Row.Key).
type Key uint64

// Status of a result.
type Status uint8

// The statuses.
const (
	OnSale Status = iota + 1
	Sold
	Gone // no longer listed, or its page says so
	// What a state keeps of results that are none any more; they are never shown.
	removed // does not fit the settings: if it fits again, it is back, not new
	moved   // has another key now; forgotten with the next base
)

// Source says how the status of a result is known.
type Source uint8

// The sources.
const (
	FromList     Source = iota + 1
	FromDetail          // its own page
	FromInterval        // it had another status at the look before: it changed in between
)

// EventKind says what an event announces.
type EventKind string

// The kinds of events.
const (
	New     EventKind = "new"
	Dropped EventKind = "dropped" // below the lowest price so far, by 1 % or more
	Reached EventKind = "reached" // at most the wanted price, and it was not before
	Risen   EventKind = "risen"
	SoldOut EventKind = "sold"
	GoneOff EventKind = "gone"
	Back    EventKind = "back"
)

// EventKinds lists all kinds. Old stored forms number them in this order.
func EventKinds() []EventKind {
	return []EventKind{New, Dropped, Reached, Risen, SoldOut, GoneOff, Back}
}

// DefaultEvents are those that are announced unless the user chose others.
func DefaultEvents() []EventKind { return []EventKind{New, Dropped, Back, Reached} }

// Settings are what a user chose for a watch. They are stored as JSON.
type Settings struct {
	Name string `json:"name"`
	// URL is the address of the first page. With Adapter, the name of an installed one, it follows from Query.
	URL     string        `json:"url,omitempty"`
	Adapter string        `json:"adapter,omitempty"`
	Query   listing.Query `json:"query,omitzero"`
	// Layout and Detail are the adapter's if there is one: they are set when settings are loaded.
	Layout *listing.Layout       `json:"layout,omitempty"`
	Detail *listing.DetailLayout `json:"detail,omitempty"`
	Pace   int                   `json:"pace,omitempty"` // seconds; 0 = 5
	// Which of the listed results are followed; the others are left out. Amounts are in minor units.
	Words   []string `json:"words,omitempty"` // all of them must be in the title
	Without []string `json:"without,omitempty"`
	Min     int64    `json:"min,omitempty"`
	Max     int64    `json:"max,omitempty"`
	// Wanted is the price that an event announces when it is reached; 0 = none.
	Wanted  int64       `json:"wanted,omitempty"`
	Events  []EventKind `json:"events,omitempty"`  // empty: DefaultEvents
	Details bool        `json:"details,omitempty"` // fetch the pages of single things for exact dates
	// Relaid means that the last change of the settings was of the layout alone, and Found when a crawl has found a new
	// one, in Unix seconds: the page had changed.
	Relaid bool  `json:"relaid,omitempty"`
	Found  int64 `json:"found,omitempty"`
	Months int   `json:"months,omitempty"` // how long history is kept; 0 = for ever
}

// Text has the fields of a result that do not change. The first change of a result has it, and so does the history.
type Text struct {
	Title      string             `json:"title,omitempty"`
	Link       string             `json:"link,omitempty"`
	Image      string             `json:"image,omitempty"`
	ID         string             `json:"id,omitempty"`
	Seller     string             `json:"seller,omitempty"`
	SellerType listing.SellerType `json:"sellerType,omitempty"`
}

// Result is the state of one listed thing. Times are Unix seconds, 0 = never.
type Result struct {
	Key    Key        `json:"key"`
	Seq    reader.Seq `json:"seq,omitempty"`    // item of the event that introduced it; 0 = none did
	Price  int64      `json:"price"`            // minor units; -1 = none
	Priced int64      `json:"priced,omitempty"` // since when that is the price
	Lowest int64      `json:"lowest"`           // what a price must be below to have dropped; -1 = none
	// Doubted is a price that waits for a second look, plus one; 0 = none does. It is far from the one before.
	Doubted   int64  `json:"doubted,omitempty"`
	IsFrom    bool   `json:"isFrom,omitempty"`   // Price is the lower end of a range
	Currency  string `json:"currency,omitempty"` // empty if the page does not tell
	Status    Status `json:"status"`
	Source    Source `json:"source"`
	Since     int64  `json:"since"` // when it took its status
	FirstSeen int64  `json:"firstSeen"`
	Missing   int64  `json:"missing,omitempty"` // since when full looks have not found it
	Misses    int    `json:"misses,omitempty"`  // in how many of them, at most three
	Checked   int64  `json:"checked,omitempty"` // when its own page was last read
	Checks    int    `json:"checks,omitempty"`  // how often it was requested since the result is missing or sold
	// Hashes by which a result is recognised when the page gives it another key; 0 = it has none.
	LinkHash  uint32 `json:"linkHash,omitempty"`
	TitleHash uint32 `json:"titleHash,omitempty"`
}

// IsListed reports whether the result is on sale, and was there at the last full look.
func (r *Result) IsListed() bool { return r.Status == OnSale && r.Missing == 0 }

// IsEstimated reports whether the status began at an unknown time before Since.
func (r *Result) IsEstimated() bool {
	return r.Source == FromInterval || r.Status == Sold && r.Source == FromList
}

// isLive reports whether the page may list the result.
func (r *Result) isLive() bool { return r.Status == OnSale || r.Status == Sold && r.Missing == 0 }

// Look is the outcome of reading one page of a crawl.
type Look struct {
	At   time.Time
	Tick schedule.Tick
	Page int // from 1
	Read *listing.Page
	// Full means that all pages are read. Seen are the results on earlier ones; Last says that no page follows.
	Full bool
	Seen []Key
	Last bool
	// Inspect means that the settings have changed: live results that do not fit them are removed. Such a crawl should
	// be full.
	Inspect bool
	// Relaid, with Inspect, means that only the layout has changed, and a person has seen the page: else it is a usual
	// look.
	Relaid bool
}

// DetailLook is the outcome of reading the page of one result.
type DetailLook struct {
	Key  Key
	At   int64           // Unix seconds
	Read *listing.Detail // nil if the page could not be read; it is then requested later
}

// Event announces one change.
type Event struct {
	Kind     EventKind
	Key      Key
	Text     Text
	Price    int64 // -1 = none
	Before   int64 // the price before, -1 = none
	Currency string
	Status   Status
	Date     int64  // the date that the page gives, 0 = none
	Identity uint64 // the same for the same change in every run
}

// Verdict is the consequence of a look for a state.
type Verdict struct {
	Events []Event // oldest first, at most 100; the changes of the rest are silent
	// Changes are all changes of the state, those of the events included. Empty means that nothing is written.
	Changes Changes
	// Problem is the code to show if the page is suspect: nothing is missing, sold or gone because of it.
	Problem string
	Again   bool  // the page is to be read again even if it has not changed: a price is in doubt
	More    bool  // the next page is worth a request
	Seen    []Key // for the next page of a full crawl
	Details []Key // results whose own pages are to be read, at most 20; only the last look of a crawl has them
}
