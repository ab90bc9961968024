// Package tags names what an item is about: up to five words or phrases with scores, from the publisher's categories and from key
// phrases of the title and the snippet. It has no dictionary and no statistics of other items: the same text has the same tags, on
// every machine and at every time (decision 0703).
package tags

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	// Max is how many tags an item has at most.
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

// Text is what tags are taken from.
type Text struct {
	Title, Snippet string
	Categories     []string
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
		if i := slices.IndexFunc(found, func(t Tag) bool { return Key(t.Name) == key }); i >= 0 {
			found[i].Score = max(found[i].Score, categoryScore)
			continue
		}
		found = append(found, Tag{name, categoryScore})
	}
	slices.SortStableFunc(found, func(a, b Tag) int { return cmp.Compare(b.Score, a.Score) })
	found = found[:min(len(found), Max)]
	for i := len(found) - 1; i >= 0; i-- {
		found[i].Score = math.Round(100*found[i].Score/found[0].Score) / 100
	}
	return found
}

// Key is what two writings of a tag have in common.
func Key(name string) string { return strings.ToLower(norm.NFKC.String(name)) }

// category cleans a publisher's category.
func category(s string) string {
	s = strings.Join(strings.Fields(norm.NFKC.String(clip(s, 4*MaxName))), " ")
	return strings.TrimSpace(clip(strings.TrimLeft(s, "#"), MaxName))
}

// clip cuts a text to so many characters.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// keyPhrases returns the best phrases of the title and the snippet.
func keyPhrases(t *Text) []Tag {
	var all candidates
	all.read(headline(norm.NFKC.String(clip(t.Title, maxTitle))), titleWeight)
	all.read(norm.NFKC.String(clip(t.Snippet, maxSnippet)), 1)
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
	list []candidate
	at   map[string]int // by key
}

type candidate struct {
	name, key string
	score     float64
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
	phrase = clip(phrase, MaxName)
	key := Key(phrase)
	if i, isThere := c.at[key]; isThere {
		c.list[i].score += score / 2 // named again
		return
	}
	if c.at == nil {
		c.at = map[string]int{}
	}
	c.at[key] = len(c.list)
	c.list = append(c.list, candidate{phrase, key, score})
}

// best returns the best candidates with their scores; of two that contain each other only the better one.
func (c *candidates) best() (tags []Tag) {
	slices.SortStableFunc(c.list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	var keys []string
	for _, p := range c.list {
		score := p.score / c.list[0].score
		if score < leastPhrase || len(tags) == maxPhrases {
			break
		}
		if !slices.ContainsFunc(keys, func(k string) bool { return strings.Contains(k, p.key) || strings.Contains(p.key, k) }) {
			keys = append(keys, p.key)
			tags = append(tags, Tag{p.name, score})
		}
	}
	return tags
}

func hasJapanese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) })
}
