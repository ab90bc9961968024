package query

import (
	"slices"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Item is an item as queries see it. Text is the plain text of the whole body, empty where it is not known.
type Item struct {
	Title, Author, Snippet, Text string
	Categories                   []string
}

// MaxText is the number of bytes of an item's text that are indexed and compared.
const MaxText = 64 << 10

// Matches reports whether an item matches all terms. States and times are the caller's to compare.
func (q *Query) Matches(f *Folded) bool {
	for i := range q.Terms {
		if t := &q.Terms[i]; t.in(f) == t.Not {
			return false
		}
	}
	return true
}

// MatchesTitle reports whether the title alone matches all terms except negated ones and those for the author.
func (q *Query) MatchesTitle(f *Folded) bool {
	for i := range q.Terms {
		if t := &q.Terms[i]; !t.Not && t.Field != Author && !t.inText(&f.title) {
			return false
		}
	}
	return true
}

// ReadsTexts reports whether whole texts decide about a match, and not titles and authors alone.
func (q *Query) ReadsTexts() bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Field == Any })
}

// Folded is an item whose texts are folded once, when a term first needs them. It is for one goroutine.
type Folded struct {
	title, author, snippet, text text
	categories                   []text
}

// text is one text of an item with its folded forms.
type text struct {
	plain  string
	folded [match.Kana + 1]string
	has    [match.Kana + 1]bool
}

// Fold prepares an item for comparing it with queries.
func Fold(it *Item) *Folded {
	f := &Folded{title: text{plain: it.Title}, author: text{plain: it.Author}, snippet: text{plain: it.Snippet},
		text: text{plain: reader.CutBytes(it.Text, MaxText)}}
	if len(it.Categories) > 0 {
		f.categories = make([]text, len(it.Categories))
		for i, c := range it.Categories {
			f.categories[i].plain = c
		}
	}
	return f
}

func (x *text) fold(f match.Form) string {
	if !x.has[f] {
		x.folded[f], x.has[f] = f.Fold(x.plain), true
	}
	return x.folded[f]
}

// in reports whether a term occurs in an item, the short texts first.
func (t *Term) in(f *Folded) bool {
	switch t.Field {
	case Title:
		return t.inText(&f.title)
	case Author:
		return t.inText(&f.author)
	}
	if t.inText(&f.title) || t.inText(&f.snippet) || t.inText(&f.author) {
		return true
	}
	for i := range f.categories {
		if t.inText(&f.categories[i]) {
			return true
		}
	}
	return t.inText(&f.text)
}

func (t *Term) inText(x *text) bool {
	_, _, ok := match.Find(x.fold(t.Form), t.Word, t.IsOpen)
	return ok
}

// Locate returns the bytes of a text in which the term first occurs.
func (t *Term) Locate(s string) (from, to int, ok bool) { return t.locate(&text{plain: s}) }

func (t *Term) locate(x *text) (from, to int, ok bool) {
	lo, hi, ok := match.Find(x.fold(t.Form), t.Word, t.IsOpen)
	if !ok {
		return 0, 0, false
	}
	from, to = t.Form.Locate(x.plain, lo, hi)
	return from, to, true
}
