// Package tags names what an item is about: up to five words or phrases with scores, from the publisher's categories
// and from key phrases of the title and the snippet. It has no dictionary and no statistics of other items: the same
// text has the same tags, on every machine and at every time (decision 0703).
package tags

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	// Max limits the tags of an item.
	Max = 5
	// MaxName is the length of a tag's name in characters.
	MaxName = 100

	maxPhrases    = 3
	leastPhrase   = 0.4 // of the score of the best phrase
	categoryScore = 0.9
	titleWeight   = 3

	maxTitle   = 300 // characters that are looked at
	maxSnippet = 500
)

// Tag is what an item is about.
type Tag struct {
	Name  string
	Score float64 // above 0; the best of an item has 1
}

// Text is a text that tags are taken from.
type Text struct {
	Title, Snippet string
	Categories     []string
	// Phrases are key phrases that somebody else has found. Without any, those of the title and the snippet are looked
	// for.
	Phrases []Tag
}

// Of returns the tags of an item, the best first. Categories that are usual in its feed are passed over.
func Of(t *Text, usual Usual) []Tag {
	found := keyPhrases(t)
	for _, c := range t.Categories {
		name := category(c)
		key := Key(name)
		if name == "" || usual.has(key) {
			continue
		}
		if i := slices.IndexFunc(found, func(c *candidate) bool { return c.key == key }); i >= 0 {
			found[i].score = max(found[i].score, categoryScore)
			continue
		}
		found = append(found, &candidate{name, key, categoryScore, maxPhrases + len(found)})
	}
	slices.SortFunc(found, (*candidate).compare)
	var list []Tag
	for _, c := range found[:min(len(found), Max)] {
		list = append(list, Tag{c.name, math.Round(100*c.score/found[0].score) / 100})
	}
	return list
}

// Key is the form that two writings of a tag have in common.
func Key(name string) string { return strings.ToLower(norm.NFKC.String(name)) }

// category cleans a publisher's category.
func category(s string) string {
	s = strings.Join(strings.Fields(norm.NFKC.String(reader.Cut(s, 4*MaxName))), " ")
	return strings.TrimSpace(reader.Cut(strings.TrimLeft(s, "#"), MaxName))
}

// keyPhrases returns the best phrases of the title and the snippet.
func keyPhrases(t *Text) []*candidate {
	var all candidates
	for _, p := range t.Phrases {
		if name := category(p.Name); name != "" && p.Score > 0 {
			all.add(name, p.Score)
		}
	}
	if len(all.list) > 0 {
		return all.best()
	}
	all.read(headline(norm.NFKC.String(reader.Cut(t.Title, maxTitle))), titleWeight)
	all.read(norm.NFKC.String(reader.Cut(t.Snippet, maxSnippet)), 1)
	return all.best()
}

// headline leaves out the name of a site that ends a title: "Headline | Site".
func headline(title string) string {
	if i := strings.LastIndex(title, "|"); i >= 0 && 2*i > len(title) {
		return title[:i]
	}
	return title
}

// candidates are the phrases that were found, in order.
type candidates struct {
	list []*candidate
	at   map[string]*candidate // by key
}

type candidate struct {
	name, key string
	score     float64
	place     int // in which candidates of the same score stay
}

func (c *candidate) compare(b *candidate) int {
	return cmp.Or(cmp.Compare(b.score, c.score), cmp.Compare(c.place, b.place))
}

// read collects the candidates of a text.
func (c *candidates) read(text string, weight float64) {
	add := func(phrase string, score float64) { c.add(phrase, score*weight) }
	if hasJapanese(text) {
		readJapanese(text, add)
	} else {
		readWords(text, add)
	}
}

func (c *candidates) add(phrase string, score float64) {
	phrase = strings.TrimSpace(reader.Cut(phrase, MaxName))
	if phrase == "" {
		return
	}
	key := Key(phrase)
	if known := c.at[key]; known != nil {
		known.score += score / 2 // named again
		return
	}
	if c.at == nil {
		c.at = map[string]*candidate{}
	}
	one := &candidate{phrase, key, score, len(c.list)}
	c.at[key] = one
	c.list = append(c.list, one)
}

// best returns the best candidates with their scores; of two that contain each other only the better one.
func (c *candidates) best() (best []*candidate) {
	slices.SortFunc(c.list, (*candidate).compare)
	for _, p := range c.list {
		score := p.score / c.list[0].score
		if score < leastPhrase || len(best) == maxPhrases {
			break
		}
		if !slices.ContainsFunc(best, func(b *candidate) bool {
			return strings.Contains(b.key, p.key) || strings.Contains(p.key, b.key)
		}) {
			best = append(best, &candidate{p.name, p.key, score, len(best)})
		}
	}
	return best
}

// IsJapanese reports whether a text has kana, and so is not Chinese.
func IsJapanese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) })
}

// hasJapanese reports whether a text has characters that stand in runs without spaces.
func hasJapanese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han)
	})
}
