package query

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/fault"
)

// The bounds of a query.
const (
	MaxLength = 256 // characters
	MaxTerms  = 16
)

// Parse parses a query. Errors are fault.Invalid at the field q, with a code: search_too_long, search_empty,
// bad_search_day.
func Parse(q string, o Options) (*Query, error) {
	if utf8.RuneCountInString(q) > MaxLength {
		return nil, tooLong()
	}
	p := parser{o: o, rest: match.Normal(q)}
	for {
		p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
		if p.rest == "" {
			break
		}
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	if len(p.q.Terms) > MaxTerms {
		return nil, tooLong()
	}
	for i := range p.q.Terms {
		if t := &p.q.Terms[i]; !t.Not && strings.ContainsFunc(t.Word, match.IsWord) {
			return &p.q, nil
		}
	}
	return nil, fault.Coded(fault.Invalid, "search_empty").At("q")
}

func tooLong() error {
	return fault.Coded(fault.Invalid, "search_too_long", MaxLength, MaxTerms).At("q")
}

// ParseDay parses a day, such as 2026-05-03 or 2026/5/3, and returns its start. The error is fault.Invalid
// bad_search_day.
func ParseDay(s string, zone *time.Location) (time.Time, error) {
	if zone == nil {
		zone = time.UTC
	}
	day, err := time.ParseInLocation("2006-1-2", strings.ReplaceAll(s, "/", "-"), zone)
	if err != nil {
		return time.Time{}, fault.Coded(fault.Invalid, "bad_search_day").At("q")
	}
	return day, nil
}

// parser holds the rest of a query.
type parser struct {
	rest string
	o    Options
	q    Query
}

// next takes one operator, word or quoted text.
func (p *parser) next() error {
	isNot := p.operator("-")
	if !isNot {
		if took, err := p.condition(); took || err != nil {
			return err
		}
	}
	field := Any
	switch {
	case p.operator("title:"):
		field = Title
	case p.operator("author:"):
		field = Author
	}
	word, isQuoted := p.text()
	hasStar := false
	if !isQuoted {
		if w := strings.TrimSuffix(word, "*"); w != "" {
			word, hasStar = w, w != word
		}
	}
	if t := p.o.term(word, isQuoted, hasStar); t.Word != "" {
		t.Field, t.Not = field, isNot
		p.q.Terms = append(p.q.Terms, t)
	}
	return nil
}

// operator takes a prefix, in any case, if something follows it.
func (p *parser) operator(prefix string) bool {
	if !p.has(prefix) {
		return false
	}
	after := p.rest[len(prefix):]
	if r, n := utf8.DecodeRuneInString(after); n == 0 || unicode.IsSpace(r) {
		return false
	}
	p.rest = after
	return true
}

func (p *parser) has(prefix string) bool {
	return len(p.rest) >= len(prefix) && strings.EqualFold(p.rest[:len(prefix)], prefix)
}

// condition takes a word about state or time. Several bounds of time hold together.
func (p *parser) condition() (took bool, err error) {
	isAfter := p.has("after:")
	if !isAfter && !p.has("before:") {
		word := p.rest[:p.wordEnd()]
		switch strings.ToLower(word) {
		case "is:unread":
			p.q.Unread = true
		case "is:starred":
			p.q.Starred = true
		default:
			return false, nil
		}
		p.rest = p.rest[len(word):]
		return true, nil
	}
	word, _ := p.text()
	_, value, _ := strings.Cut(word, ":")
	day, err := ParseDay(value, p.o.Zone)
	switch at := day.Unix(); {
	case err != nil:
		return false, err
	case isAfter && (p.q.From == 0 || at > p.q.From):
		p.q.From = at
	case !isAfter && (p.q.To == 0 || at < p.q.To):
		p.q.To = at
	}
	return true, nil
}

// text takes a quoted text (to the end of the query, if it is not closed), or the text up to a blank or quotation mark.
func (p *parser) text() (s string, isQuoted bool) {
	if r, n := utf8.DecodeRuneInString(p.rest); isQuote(r) {
		s, p.rest = p.rest[n:], ""
		if end := strings.IndexFunc(s, isQuote); end >= 0 {
			_, n = utf8.DecodeRuneInString(s[end:])
			s, p.rest = s[:end], strings.TrimPrefix(s[end+n:], "*")
		}
		return s, true
	}
	s = p.rest[:p.wordEnd()]
	p.rest = p.rest[len(s):]
	return s, false
}

func (p *parser) wordEnd() int {
	if end := strings.IndexFunc(p.rest, func(r rune) bool { return unicode.IsSpace(r) || isQuote(r) }); end >= 0 {
		return end
	}
	return len(p.rest)
}

// isQuote reports whether a rune is a quotation mark, and not also an apostrophe or a mark of titles.
func isQuote(r rune) bool { return strings.ContainsRune("\"“”„‟«»‹›〝〞〟", r) }

// A word may go on if its last part has so many letters, by itself or with a star.
const (
	openLetters = 4
	starLetters = 2
)

func (o Options) term(word string, isQuoted, hasStar bool) Term {
	strict := strings.TrimSpace(match.Strict.Fold(word))
	t := Term{Form: match.Loose, Index: match.Kana.Loosen(strict)}
	switch {
	case isQuoted:
		t.Form = match.Strict
	case o.Kana:
		t.Form = match.Kana
	}
	t.Word = t.Form.Loosen(strict)
	last := 0
	for s := t.Word; s != ""; last++ {
		r, n := utf8.DecodeLastRuneInString(s)
		if !match.Spaced(r) {
			break
		}
		s = s[:len(s)-n]
	}
	t.IsOpen = !isQuoted && (last >= openLetters || hasStar && last >= starLetters)
	t.IsExact = !strings.ContainsFunc(t.Index, func(r rune) bool {
		return t.Form == match.Strict && unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic,
			unicode.Arabic) ||
			t.Form != match.Kana && unicode.Is(unicode.Hiragana, r)
	})
	return t
}
