package rules

import (
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// Part is a match of a condition in an item, with a little of the text around it.
type Part struct {
	Field                Field
	Before, Match, After string
}

// around is the number of characters shown on each side of a match.
const around = 30

// Show reports whether the first of the rules matches an item, and the first match of each word, or of the pattern.
func (s Scoped) Show(it *Item) (matches bool, parts []Part) {
	x := examined{it: it}
	if len(s.list) == 0 || !s.list[0].matches(&x) {
		return false, nil
	}
	for _, c := range s.list[0].conditions {
		if c.Not {
			continue
		}
		for i := range c.finders {
			f := &c.finders[i]
			t, lo, hi := x.first(f.field(c.Field), f)
			if t == nil {
				continue
			}
			if f.re == nil && f.term == nil {
				lo, hi = match.Strict.Locate(t.plain, lo, hi)
			}
			parts = append(parts, cut(t.field, t.plain, lo, hi))
		}
	}
	return true, parts
}

// field is the part of an item to search; a term of a query may name another.
func (f *finder) field(ofCondition Field) Field {
	switch {
	case f.term != nil && f.term.Field == query.Title:
		return Title
	case f.term != nil && f.term.Field == query.Author:
		return Author
	}
	return ofCondition
}

func cut(f Field, s string, lo, hi int) Part {
	from, to := lo, hi
	for range around {
		_, n := utf8.DecodeLastRuneInString(s[:from])
		_, m := utf8.DecodeRuneInString(s[to:])
		from, to = from-n, to+m
	}
	return Part{f, s[from:lo], s[lo:hi], s[hi:to]}
}
