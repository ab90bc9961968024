package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// Set is a person's compiled rules, in order. It is safe for concurrent use.
type Set struct {
	list []rule
}

type rule struct {
	*Rule
	conditions []condition
}

type condition struct {
	*Condition
	finders []finder     // of its pattern, its phrase, each of its words, or each word that its query wants
	query   *query.Query // of Search
}

// finder finds a pattern or a term of a query in plain text, or a folded word in folded text.
type finder struct {
	re   *regexp.Regexp
	term *query.Term
	word string // if there is neither
}

func (f *finder) find(t *text) (lo, hi int, ok bool) {
	switch {
	case f.term != nil:
		return f.term.Locate(t.plain)
	case f.re == nil:
		return match.Find(t.fold(), f.word, false)
	}
	if at := f.re.FindStringIndex(t.plain); at != nil {
		return at[0], at[1], true
	}
	return 0, 0, false
}

// Compile compiles rules; what Check refuses is an error.
func Compile(list []Rule) (*Set, error) {
	if err := Check(list); err != nil {
		return nil, err
	}
	s := &Set{list: make([]rule, len(list))}
	for i := range list {
		r := rule{Rule: &list[i]}
		for j := range list[i].Conditions {
			c := condition{Condition: &list[i].Conditions[j]}
			words := make([]string, len(c.Words))
			for k, w := range c.Words {
				words[k] = strings.TrimSpace(match.Strict.Fold(w))
			}
			switch c.Mode {
			case Pattern:
				c.finders = []finder{{re: regexp.MustCompile(c.Pattern)}} // checked
			case Search:
				c.query, _ = query.Parse(c.Pattern, query.Options{Kana: c.Kana}) // checked
				for k := range c.query.Terms {
					if t := &c.query.Terms[k]; !t.Not {
						c.finders = append(c.finders, finder{term: t})
					}
				}
			case Phrase:
				c.finders = []finder{{word: strings.Join(words, " ")}}
			default:
				for _, w := range words {
					c.finders = append(c.finders, finder{word: w})
				}
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

// Empty reports whether there is no rule.
func (s *Set) Empty() bool { return s == nil || len(s.list) == 0 }

// Scoped are the rules that apply to one feed.
type Scoped struct{ list []*rule }

// For returns the enabled rules that apply to a feed; folders are those that contain it, and their ancestors.
func (s *Set) For(feed reader.FeedID, folders []reader.FolderID) Scoped {
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

// Named returns only the rule with the id.
func (s Scoped) Named(id string) Scoped {
	var out Scoped
	for _, r := range s.list {
		if r.ID == id {
			out.list = append(out.list, r)
		}
	}
	return out
}

// Only returns one rule, whatever its feeds and even when it is off.
func (s *Set) Only(id string) Scoped {
	var out Scoped
	for i := range s.list {
		out.list = append(out.list, &s.list[i])
	}
	return out.Named(id)
}

func (r *rule) touches(feed reader.FeedID, folders []reader.FolderID) bool {
	if len(r.Feeds)+len(r.Folders) == 0 || slices.Contains(r.Feeds, feed) {
		return true
	}
	return slices.ContainsFunc(r.Folders, func(f reader.FolderID) bool { return slices.Contains(folders, f) })
}

// None reports whether no rule applies to the feed.
func (s Scoped) None() bool { return len(s.list) == 0 }

// Since is the earliest Since of the rules.
func (s Scoped) Since() int64 {
	since := int64(0)
	for i, r := range s.list {
		if i == 0 || r.Since < since {
			since = r.Since
		}
	}
	return since
}

// Always is a time of arrival after every rule's Since.
const Always = int64(1) << 62

// Judge returns the verdict on an item that arrived at a time, in Unix milliseconds.
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
			case Send:
				if !slices.Contains(v.Hooks, a.Hook) {
					v.Hooks = append(v.Hooks, a.Hook)
				}
			}
		}
		if r.Stop {
			break
		}
	}
	return v
}

// examined is an item with a cache of its folded texts.
type examined struct {
	it    *Item
	texts []text // title, author, content, link, then the categories
	sees  *query.Folded
}

// text is one text of an item.
type text struct {
	field    Field
	plain    string
	folded   string
	isFolded bool
}

func (t *text) fold() string {
	if !t.isFolded {
		t.folded, t.isFolded = match.Strict.Fold(t.plain), true
	}
	return t.folded
}

// first returns the first text of a field in which something is found, and where; nil when there is none.
func (x *examined) first(field Field, f *finder) (t *text, lo, hi int) {
	if x.texts == nil {
		x.texts = append(make([]text, 0, 4+len(x.it.Categories)),
			text{field: Title, plain: x.it.Title}, text{field: Author, plain: x.it.Author},
			text{field: Content, plain: x.it.Content}, text{field: Link, plain: x.it.Link})
		for _, c := range x.it.Categories {
			x.texts = append(x.texts, text{field: Category, plain: c})
		}
	}
	for i := range x.texts {
		t := &x.texts[i]
		if t.field != field && (field != Anywhere || t.field == Link) {
			continue
		}
		if lo, hi, ok := f.find(t); ok {
			return t, lo, hi
		}
	}
	return nil, 0, 0
}

func (r *rule) matches(x *examined) bool {
	for i := range r.conditions {
		if r.conditions[i].matches(x) == r.Any {
			return r.Any
		}
	}
	return !r.Any && len(r.conditions) > 0
}

func (c *condition) matches(x *examined) bool { return c.found(x) != c.Not }

func (c *condition) found(x *examined) bool {
	if c.query != nil {
		if x.sees == nil {
			x.sees = query.Fold(&query.Item{Title: x.it.Title, Author: x.it.Author, Snippet: x.it.Content,
				Categories: x.it.Categories})
		}
		return c.query.Matches(x.sees)
	}
	for i := range c.finders {
		t, _, _ := x.first(c.Field, &c.finders[i])
		if found := t != nil; found != (c.Mode == AllWords) {
			return found
		}
	}
	return c.Mode == AllWords
}
