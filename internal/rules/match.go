package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Set is a person's rules ready for use, in order. It is safe for concurrent use.
type Set struct {
	list []rule
}

type rule struct {
	*Rule
	conditions []condition
}

type condition struct {
	*Condition
	words []string // folded
	re    *regexp.Regexp
}

// Compile makes rules ready; what Check refuses is an error.
func Compile(list []Rule) (*Set, error) {
	if err := Check(list); err != nil {
		return nil, err
	}
	s := &Set{list: make([]rule, len(list))}
	for i := range list {
		r := rule{Rule: &list[i]}
		for j := range list[i].Conditions {
			c := condition{Condition: &list[i].Conditions[j]}
			if c.Mode == Pattern {
				c.re = regexp.MustCompile(c.Pattern) // checked
			}
			for _, w := range c.Words {
				c.words = append(c.words, strings.TrimSpace(fold(w)))
			}
			if c.Mode == Phrase {
				c.words = []string{strings.Join(c.words, " ")}
			}
			r.conditions = append(r.conditions, c)
		}
		s.list[i] = r
	}
	return s, nil
}

// Rule finds a rule by its id.
func (s *Set) Rule(id string) (*Rule, bool) {
	for i := range s.list {
		if s.list[i].ID == id {
			return s.list[i].Rule, true
		}
	}
	return nil, false
}

// Empty tells that there is no rule.
func (s *Set) Empty() bool { return s == nil || len(s.list) == 0 }

// Scoped are the rules that look at one feed.
type Scoped struct{ list []*rule }

// For gives the rules, of those that are on, that look at a feed which lies in the folders and in those around them.
func (s *Set) For(feed reader.FeedID, folders []int32) Scoped {
	var out Scoped
	if s == nil {
		return out
	}
	for i := range s.list {
		r := &s.list[i]
		if !r.Off && r.touches(feed, folders) {
			out.list = append(out.list, r)
		}
	}
	return out
}

// Named gives the one of the rules that has the id.
func (s Scoped) Named(id string) Scoped {
	var out Scoped
	for _, r := range s.list {
		if r.ID == id {
			out.list = append(out.list, r)
		}
	}
	return out
}

// Only gives one rule, whatever feed it is for and whether it is on.
func (s *Set) Only(id string) Scoped {
	var out Scoped
	for i := range s.list {
		if s.list[i].ID == id {
			out.list = append(out.list, &s.list[i])
		}
	}
	return out
}

func (r *rule) touches(feed reader.FeedID, folders []int32) bool {
	if len(r.Feeds)+len(r.Folders) == 0 || slices.Contains(r.Feeds, feed) {
		return true
	}
	return slices.ContainsFunc(r.Folders, func(f int32) bool { return slices.Contains(folders, f) })
}

// None tells that no rule looks at the feed.
func (s Scoped) None() bool { return len(s.list) == 0 }

// Since is from when on the oldest of the rules is for what arrives.
func (s Scoped) Since() int64 {
	since := int64(0)
	for i, r := range s.list {
		if i == 0 || r.Since < since {
			since = r.Since
		}
	}
	return since
}

// Always is a time of arrival for which every rule is old enough.
const Always = int64(1) << 62

// Judge says what the rules want of an item that arrived at a time, in Unix milliseconds.
func (s Scoped) Judge(it *Item, arrived int64) Verdict {
	var v Verdict
	x := examined{it: it}
	for _, r := range s.list {
		if arrived <= r.Since || !r.matches(&x) {
			continue
		}
		for _, a := range r.Actions {
			switch a.Do {
			case Hide:
				if !v.Hide {
					v.HiddenBy = r.ID
				}
				v.Hide = true
			case MarkRead:
				v.Read = true
			case Star:
				v.Star = true
			case WithLabel:
				if !slices.Contains(v.Labels, a.Label) {
					v.Labels = append(v.Labels, a.Label)
				}
			}
		}
		if r.Stop {
			break
		}
	}
	return v
}

// examined folds the fields of an item when they are first asked for.
type examined struct {
	it         *Item
	folded     [4]string
	done       [4]bool
	categories []string
}

var plainFields = [4]Field{Title, Author, Content, Link}

func (x *examined) plain(f Field) string {
	switch f {
	case Title:
		return x.it.Title
	case Author:
		return x.it.Author
	case Content:
		return x.it.Content
	}
	return x.it.Link
}

func (x *examined) text(f Field) string {
	i := slices.Index(plainFields[:], f)
	if !x.done[i] {
		x.folded[i], x.done[i] = fold(x.plain(f)), true
	}
	return x.folded[i]
}

func (x *examined) category(i int) string {
	if x.categories == nil {
		x.categories = make([]string, len(x.it.Categories))
		for i, c := range x.it.Categories {
			x.categories[i] = fold(c)
		}
	}
	return x.categories[i]
}

func (r *rule) matches(x *examined) bool {
	for i := range r.conditions {
		if r.conditions[i].holds(x) == r.Any {
			return r.Any
		}
	}
	return !r.Any && len(r.conditions) > 0
}

func (c *condition) holds(x *examined) bool { return c.found(x) != c.Not }

func (c *condition) found(x *examined) bool {
	if c.re != nil {
		return c.look(x, func(plain, _ string) bool { return c.re.MatchString(plain) })
	}
	for _, w := range c.words {
		found := c.look(x, func(_, folded string) bool {
			_, _, ok := find(folded, w)
			return ok
		})
		if found != (c.Mode == AllWords) {
			return found
		}
	}
	return c.Mode == AllWords && len(c.words) > 0
}

// look asks about each text of the condition's field, until one is it.
func (c *condition) look(x *examined, is func(plain, folded string) bool) bool {
	for _, f := range plainFields {
		if (f == c.Field || c.Field == Anywhere && f != Link) && is(x.plain(f), x.text(f)) {
			return true
		}
	}
	if c.Field == Category || c.Field == Anywhere {
		for i, plain := range x.it.Categories {
			if is(plain, x.category(i)) {
				return true
			}
		}
	}
	return false
}
