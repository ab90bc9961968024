package rules

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Check tells all that is wrong with rules, field by field.
func Check(list []Rule) error {
	if len(list) > MaxRules {
		return fault.Newf(fault.TooLarge, "too_many_rules", "There may be at most %d rules.", MaxRules).At("rules")
	}
	c := checker{ids: map[string]bool{}}
	for i := range list {
		c.rule(fmt.Sprintf("rules[%d]", i), &list[i])
	}
	if c.programs > maxPrograms && len(c.wrong) == 0 {
		c.say(fault.Newf(fault.Invalid, "patterns_too_large", "The regular expressions are too large together.").At("rules"))
	}
	return fault.Several(c.wrong...)
}

// checker gathers what is wrong; at most maxWrong are told.
type checker struct {
	ids      map[string]bool
	programs int
	wrong    []*fault.Error
}

const maxWrong = 20

func (c *checker) say(wrong *fault.Error) {
	if len(c.wrong) < maxWrong {
		c.wrong = append(c.wrong, wrong)
	}
}

func (c *checker) rule(at string, r *Rule) {
	if r.ID == "" || len(r.ID) > 20 || c.ids[r.ID] {
		c.say(fault.Newf(fault.Invalid, "bad_rule_id", "Each rule has an id of its own.").At(at + ".id"))
	}
	c.ids[r.ID] = true
	c.short(at+".name", r.Name, MaxName)
	c.few(at+".feeds", len(r.Feeds), 0, MaxScope)
	c.few(at+".folders", len(r.Folders), 0, MaxScope)
	c.few(at+".conditions", len(r.Conditions), 1, MaxConditions)
	c.few(at+".actions", len(r.Actions), 1, MaxActions)
	for i, f := range r.Feeds {
		if !f.Valid() {
			c.say(notThere(fmt.Sprintf("%s.feeds[%d]", at, i)))
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
				c.say(notThere(fmt.Sprintf("%s.actions[%d].label", at, i)))
			}
		default:
			c.say(notThere(fmt.Sprintf("%s.actions[%d].type", at, i)))
		}
	}
}

func notThere(field string) *fault.Error {
	return fault.Newf(fault.Invalid, "bad_rule_value", "This value is not one of those that can stand here.").At(field)
}

func (c *checker) few(field string, n, least, most int) {
	if n < least || n > most {
		c.say(fault.Newf(fault.Invalid, "bad_rule_count", "There must be %d to %d entries.", least, most).At(field))
	}
}

func (c *checker) short(field, s string, most int) {
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > most {
		c.say(fault.Newf(fault.Invalid, "rule_text_too_long", "The text may have at most %d characters.", most).At(field))
	}
}

func (c *checker) condition(at string, x *Condition) {
	switch x.Field {
	case Title, Author, Content, Link, Category, Anywhere:
	default:
		c.say(notThere(at + ".field"))
	}
	switch x.Mode {
	case Pattern:
		c.few(at+".words", len(x.Words), 0, 0)
		c.pattern(at+".pattern", x.Pattern)
		return
	case AnyWord, AllWords, Phrase:
	default:
		c.say(notThere(at + ".mode"))
		return
	}
	c.few(at+".words", len(x.Words), 1, MaxWords)
	if x.Pattern != "" {
		c.say(notThere(at + ".pattern"))
	}
	for i, w := range x.Words {
		field := fmt.Sprintf("%s.words[%d]", at, i)
		c.short(field, w, MaxWord)
		if !reader.Shows(fold(w)) {
			c.say(fault.Newf(fault.Invalid, "bad_rule_word", "A word must have a letter, a digit or a sign.").At(field))
		}
	}
}

// pattern checks a regular expression of RE2's syntax (https://github.com/google/re2/wiki/Syntax).
func (c *checker) pattern(field, s string) {
	if s == "" || len(s) > MaxPattern || !utf8.ValidString(s) {
		c.say(fault.Newf(fault.Invalid, "rule_text_too_long", "The text may have at most %d characters.", MaxPattern).At(field))
		return
	}
	parsed, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		what, at := "", 0
		var se *syntax.Error
		if errors.As(err, &se) {
			what, at = string(se.Code), placeOf(s, se)
		}
		c.say(fault.Newf(fault.Invalid, "bad_regexp", "The regular expression is wrong at character %d: %s.", at, what).At(field))
		return
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err == nil {
		_, err = regexp.Compile(s)
	}
	if err != nil || len(program.Inst) > maxProgram {
		c.say(fault.Newf(fault.Invalid, "regexp_too_large", "The regular expression is too large; repeat less in it.").At(field))
		return
	}
	c.programs += len(program.Inst)
}

// placeOf gives the place of the error in characters, from 1: where what the parser names begins, and behind the end
// where something is missing there.
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

// extraParen finds the parenthesis that closes nothing: the shortest beginning that has the fault ends with it.
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
