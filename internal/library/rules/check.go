package rules

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// Check returns all errors of rules, field by field.
func Check(list []Rule) error {
	if len(list) > MaxRules {
		return fault.Coded(fault.TooLarge, "too_many_rules", MaxRules).At("rules")
	}
	c := checker{ids: map[string]bool{}}
	for i := range list {
		c.rule(fmt.Sprintf("rules[%d]", i), &list[i])
	}
	if c.programs > maxPrograms && len(c.wrong) == 0 {
		c.report(fault.Coded(fault.Invalid, "patterns_too_large").At("rules"))
	}
	return fault.Several(c.wrong...)
}

// checker collects errors, at most maxWrong.
type checker struct {
	ids      map[string]bool
	programs int
	wrong    []*fault.Error
}

const (
	maxWrong = 20
	maxHook  = 32 // bytes of a webhook's id
)

func (c *checker) report(wrong *fault.Error) {
	if len(c.wrong) < maxWrong {
		c.wrong = append(c.wrong, wrong)
	}
}

func (c *checker) rule(at string, r *Rule) {
	if r.ID == "" || len(r.ID) > 20 || c.ids[r.ID] {
		c.report(fault.Coded(fault.Invalid, "bad_rule_id").At(at + ".id"))
	}
	c.ids[r.ID] = true
	c.short(at+".name", r.Name, MaxName)
	c.few(at+".feeds", len(r.Feeds), 0, MaxScope)
	c.few(at+".folders", len(r.Folders), 0, MaxScope)
	c.few(at+".conditions", len(r.Conditions), 1, MaxConditions)
	c.few(at+".actions", len(r.Actions), 1, MaxActions)
	for i, f := range r.Feeds {
		if !f.Valid() {
			c.report(notThere(fmt.Sprintf("%s.feeds[%d]", at, i)))
		}
	}
	for i := range min(len(r.Conditions), MaxConditions) {
		c.condition(fmt.Sprintf("%s.conditions[%d]", at, i), &r.Conditions[i])
	}
	for i, a := range r.Actions {
		switch a.Do {
		case Hide, MarkRead, Star:
		case WithLabel:
			if a.Label <= 0 {
				c.report(notThere(fmt.Sprintf("%s.actions[%d].label", at, i)))
			}
		case Send:
			if a.Hook == "" || len(a.Hook) > maxHook {
				c.report(notThere(fmt.Sprintf("%s.actions[%d].webhook", at, i)))
			}
		default:
			c.report(notThere(fmt.Sprintf("%s.actions[%d].type", at, i)))
		}
	}
}

func notThere(field string) *fault.Error {
	return fault.Coded(fault.Invalid, "bad_rule_value").At(field)
}

func (c *checker) few(field string, n, least, most int) {
	if n < least || n > most {
		c.report(fault.Coded(fault.Invalid, "bad_rule_count", least, most).At(field))
	}
}

func (c *checker) short(field, s string, most int) {
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > most {
		c.report(fault.Coded(fault.Invalid, "rule_text_too_long", most).At(field))
	}
}

func (c *checker) condition(at string, x *Condition) {
	switch x.Field {
	case Title, Author, Content, Link, Category, Anywhere:
	default:
		c.report(notThere(at + ".field"))
	}
	if x.Kana && x.Mode != Search {
		c.report(notThere(at + ".kana"))
	}
	switch x.Mode {
	case Pattern:
		c.few(at+".words", len(x.Words), 0, 0)
		c.pattern(at+".pattern", x.Pattern)
		return
	case Search:
		c.few(at+".words", len(x.Words), 0, 0)
		if x.Field != Anywhere { // the query names fields itself
			c.report(notThere(at + ".field"))
		}
		c.query(at+".pattern", x)
		return
	case AnyWord, AllWords, Phrase:
	default:
		c.report(notThere(at + ".mode"))
		return
	}
	c.few(at+".words", len(x.Words), 1, MaxWords)
	if x.Pattern != "" {
		c.report(notThere(at + ".pattern"))
	}
	for i, w := range x.Words {
		field := fmt.Sprintf("%s.words[%d]", at, i)
		c.short(field, w, MaxWord)
		if !reader.Shows(match.Strict.Fold(w)) {
			c.report(fault.Coded(fault.Invalid, "bad_rule_word").At(field))
		}
	}
}

// query checks a search. Rules judge items as they arrive, so state and time cannot be part of it.
func (c *checker) query(field string, x *Condition) {
	q, err := query.Parse(x.Pattern, query.Options{Kana: x.Kana})
	var wrong *fault.Error
	switch {
	case errors.As(err, &wrong):
		c.report(wrong.At(field))
	case q.Unread || q.Starred || q.From != 0 || q.To != 0:
		c.report(fault.Coded(fault.Invalid, "bad_rule_search").At(field))
	}
}

// pattern checks a regular expression of RE2's syntax (https://github.com/google/re2/wiki/Syntax).
func (c *checker) pattern(field, s string) {
	if s == "" || len(s) > MaxPattern || !utf8.ValidString(s) {
		c.report(fault.Coded(fault.Invalid, "rule_text_too_long", MaxPattern).At(field))
		return
	}
	parsed, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		what, at := "", 0
		if se, ok := errors.AsType[*syntax.Error](err); ok {
			what, at = string(se.Code), placeOf(s, se)
		}
		c.report(fault.Coded(fault.Invalid, "bad_regexp", at, what).At(field))
		return
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err == nil {
		_, err = regexp.Compile(s)
	}
	if err != nil || len(program.Inst) > maxProgram {
		c.report(fault.Coded(fault.Invalid, "regexp_too_large").At(field))
		return
	}
	c.programs += len(program.Inst)
}

// placeOf returns the position of the error in characters, from 1: where the expression that the parser names begins,
// or the end when something is missing there.
func placeOf(s string, e *syntax.Error) int {
	at := strings.Index(s, e.Expr)
	switch e.Code {
	case syntax.ErrMissingParen, syntax.ErrMissingBracket, syntax.ErrTrailingBackslash, syntax.ErrUnexpectedParen:
		at = len(s)
		if e.Code == syntax.ErrUnexpectedParen {
			at = extraParen(s)
		}
	}
	return utf8.RuneCountInString(s[:max(at, 0)]) + 1
}

// extraParen finds the unmatched closing parenthesis: the shortest prefix that has the error ends with it.
func extraParen(s string) int {
	for i := range len(s) {
		if s[i] != ')' {
			continue
		}
		_, err := syntax.Parse(s[:i+1], syntax.Perl)
		var se *syntax.Error
		if errors.As(err, &se) && se.Code == syntax.ErrUnexpectedParen {
			return i
		}
	}
	return 0
}
