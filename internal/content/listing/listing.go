// Package listing reads pages that list things: results of a search, a category of a shop, notices of a town. It takes
// bytes and returns rows; it knows no storage, no clock and no network.
//
// Where the rows of a page are, and where their fields are within a row, is data: a Layout. Detect proposes layouts for
// a page that nobody has described, Read reads a page by one, and ReadDetail reads the page of a single thing.
package listing

import "time"

// Limits of what is read.
const (
	// MaxRows is how many rows of a page are read, the first.
	MaxRows = 500
	// MaxPages is how many pages of a listing are read at most.
	MaxPages = 20
	// UsualPages is how many are unless the layout says otherwise.
	UsualPages = 5
)

// Status says whether a thing can be bought.
type Status uint8

// The statuses of a row.
const (
	StatusUnknown Status = iota // the page does not say; it counts as on sale
	OnSale
	Sold
)

// SellerType says who offers a thing.
type SellerType uint8

// The types of sellers.
const (
	SellerUnknown SellerType = iota
	Person
	Shop
)

// Row is one listed thing. Missing fields are zero, texts plain, links absolute http(s) addresses.
type Row struct {
	// Key identifies the thing within its listing: a hash of the page's id, else of the link, else of title and image.
	Key        uint64
	ID         string // as the page has it
	Title      string
	Link       string
	Image      string
	Price      *Price    // nil if there is none, or none that can be read
	PriceText  string    // as written
	Date       time.Time // of a relative date only once Page.CountFrom has been called
	Status     Status
	Seller     string
	SellerType SellerType

	date moment
}

// Page is the contents of one page of a listing.
type Page struct {
	Rows    []Row
	LeftOut int    // rows beyond MaxRows
	Empty   bool   // the page says itself that nothing is listed
	Next    string // the address of the next page; empty on the last one
	// Missing are fields of the layout that no row has: something has moved. If it is the status, all are
	// StatusUnknown, and sold things are not known to be on sale again.
	Missing []string
	// Problem says why there are no rows, as far as the page shows it: one of the Problem codes, or empty.
	Problem string
	Lang    string
}

// Codes of the reasons for which a page has no rows.
const (
	ProblemEmpty     = "listing_empty"   // no row was found, and the page does not say why
	ProblemRendered  = "made_in_browser" // the rows are made by scripts
	ProblemChallenge = "challenge"       // the site asks for proof of a human
)

// Detail is the contents of the page of a single thing.
type Detail struct {
	// Source says how the page was read: by a layout, by data in it, or by what it shows; empty if there was no way.
	Source string // "layout", "json-ld", "microdata", "page"
	Title  string
	Images []string
	Gone   bool // the page says that the thing is no longer offered
	Status Status
	Price  *Price
	// zero if it is not sold, or the page does not say when; of a relative date only after CountFrom
	SoldAt time.Time

	sold moment
	lang string
}
