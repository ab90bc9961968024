// Package query implements the search language: it parses typed queries, and decides whether an item matches.
// docs/use/search.md describes the language.
package query

import (
	"time"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Field is the part of an item that a term looks at.
type Field uint8

// The fields.
const (
	Any Field = iota // title, author, a category, snippet or text
	Title
	Author
)

// Options say how words are compared and days are counted.
type Options struct {
	Kana bool           // katakana and hiragana are the same
	Zone *time.Location // of days; nil: UTC
}

// Query is a parsed search. It is never changed, and safe for concurrent use.
type Query struct {
	Terms   []Term // at least one of them is not negated and has a letter or number
	Unread  bool   // is:unread
	Starred bool   // is:starred
	// From and To bound the sort time, in Unix seconds: From <= sort < To. Zero is no bound.
	From, To int64
}

// Term is one word or quoted text of a query. It must occur within one text of an item.
type Term struct {
	Field  Field
	Not    bool
	Form   match.Form // Strict for quoted text
	Word   string     // folded to Form
	IsOpen bool       // the match may end within a word
	// Index is the word as the index has it, folded to match.Kana. IsExact reports that a text with Index in it has the
	// word itself, because no other word folds to the same.
	Index   string
	IsExact bool
}

// Ref names an item within a segment or a delta.
type Ref struct {
	Feed reader.FeedID
	Seq  reader.Seq
}
