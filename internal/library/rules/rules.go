// Package rules decides which items a person's rules match, and what is done with them. It is pure; package stream
// (judge.go) decides when rules are applied.
//
// A rule matches what lists show of an item (title, author, the beginning of its text, link, categories), because
// bodies are only parsed when somebody opens them. Words are compared after NFKC and case folding. A word of a script
// that separates words (Latin, Greek, Cyrillic, ...) must match a whole word; one of a script that does not (Japanese,
// Chinese, Thai, ...) may match anywhere. A condition can also be a search: it matches what a search for the same words
// finds, as far as lists show it.
package rules

import (
	"reflect"

	"github.com/ruri-reader/ruri/internal/reader"
)

// The bounds of a person's rules: all of them are one row, and judging an item takes a few microseconds.
const (
	MaxRules      = 200
	MaxConditions = 10 // of a rule
	MaxWords      = 50 // of a condition
	MaxActions    = 10
	MaxScope      = 200 // feeds, and folders, of a rule
	MaxName       = 100 // characters
	MaxWord       = 100 // characters
	MaxPattern    = 500 // bytes
	// maxProgram and maxPrograms bound the size of compiled patterns, of one and of all: the time that matching
	// takes grows with it.
	maxProgram  = 1_000
	maxPrograms = 10_000
)

// Rule is one rule. The zero scope is all feeds.
type Rule struct {
	ID         string            `json:"id"`
	Name       string            `json:"name,omitempty"`
	Off        bool              `json:"off,omitempty"`
	Feeds      []reader.FeedID   `json:"feeds,omitempty"`
	Folders    []reader.FolderID `json:"folders,omitempty"` // with all below them
	Any        bool              `json:"any,omitempty"`     // one condition is enough; else all are needed
	Conditions []Condition       `json:"if"`
	Actions    []Action          `json:"do"`
	Stop       bool              `json:"stop,omitempty"` // matching items are judged by no later rule
	// Since is the time when the rule was made or changed, in Unix milliseconds: it applies to items that arrive later.
	Since int64 `json:"since"`
}

// SameAs reports whether two rules do the same, whatever their names.
func (r *Rule) SameAs(o *Rule) bool {
	a, b := *r, *o
	a.Name, b.Name, a.Since, b.Since = "", "", 0, 0
	return reflect.DeepEqual(a, b)
}

// Field is the part of an item that a condition looks at.
type Field string

// The fields.
const (
	Title    Field = "title"
	Author   Field = "author"
	Content  Field = "content" // the beginning of the text, as lists show it
	Link     Field = "link"
	Category Field = "category"
	Anywhere Field = "anywhere" // title, author, content or category
)

// Mode is the kind of comparison in a condition.
type Mode string

// The modes.
const (
	AnyWord  Mode = "any"
	AllWords Mode = "all"
	Phrase   Mode = "phrase" // the words one after another
	Pattern  Mode = "regexp" // RE2, compared with the text as it is
	Search   Mode = "search" // a query of package query, of the field Anywhere
)

// Condition is one comparison.
type Condition struct {
	Field   Field    `json:"field"`
	Mode    Mode     `json:"mode"`
	Words   []string `json:"words,omitempty"`
	Pattern string   `json:"pattern,omitempty"` // of Pattern, or the query of Search
	Kana    bool     `json:"kana,omitempty"`    // of Search: katakana and hiragana are the same
	Not     bool     `json:"not,omitempty"`
}

// Verb is an action of a rule.
type Verb string

// The verbs.
const (
	Hide      Verb = "hide" // removes the item from all lists but that of hidden items; it counts as read
	MarkRead  Verb = "read"
	Star      Verb = "star"
	WithLabel Verb = "label"
	Send      Verb = "send" // to a webhook
)

// Action is one thing to do.
type Action struct {
	Do    Verb           `json:"do"`
	Label reader.LabelID `json:"label,omitempty"` // for WithLabel
	Hook  string         `json:"hook,omitempty"`  // for Send: the id of a webhook
}

// Item is an item as rules see it.
type Item struct {
	Title, Author, Content, Link string
	Categories                   []string
}

// Verdict is the outcome of the rules for an item.
type Verdict struct {
	Hide, Read, Star bool
	Labels           []reader.LabelID
	Hooks            []string // webhooks that the item is sent to
	HiddenBy         string   // the rule that hides it
}
