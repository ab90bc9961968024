// Package pattern has regular expressions that are compiled when they are first used. Compiled as variables of their
// packages, those of this program take 5 MB and as long as the rest of its start, and most runs use few of them.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression in the syntax of package regexp. Its methods are those of regexp.Regexp. It is safe
// for concurrent use.
type Pattern struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
}

// New makes a pattern. Its first use panics if the text is not a regular expression.
func New(text string) *Pattern { return &Pattern{text: text} }

// Regexp returns the compiled expression.
func (p *Pattern) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.compiled = regexp.MustCompile(p.text) })
	return p.compiled
}

// MatchString is regexp's.
func (p *Pattern) MatchString(s string) bool { return p.Regexp().MatchString(s) }

// FindString is regexp's.
func (p *Pattern) FindString(s string) string { return p.Regexp().FindString(s) }

// FindStringIndex is regexp's.
func (p *Pattern) FindStringIndex(s string) []int { return p.Regexp().FindStringIndex(s) }

// FindStringSubmatch is regexp's.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.Regexp().FindStringSubmatch(s) }

// FindAllString is regexp's.
func (p *Pattern) FindAllString(s string, n int) []string { return p.Regexp().FindAllString(s, n) }

// FindAllStringIndex is regexp's.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.Regexp().FindAllStringIndex(s, n)
}

// ReplaceAllString is regexp's.
func (p *Pattern) ReplaceAllString(s, with string) string {
	return p.Regexp().ReplaceAllString(s, with)
}

// ReplaceAllStringFunc is regexp's.
func (p *Pattern) ReplaceAllStringFunc(s string, f func(string) string) string {
	return p.Regexp().ReplaceAllStringFunc(s, f)
}

// SubexpIndex is regexp's.
func (p *Pattern) SubexpIndex(name string) int { return p.Regexp().SubexpIndex(name) }
