package discover

import (
	"net/url"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// Choices sorts what a page names for a person who chooses: different feeds in the page's order, those of comments
// last. The formats of one feed stand together, the one that Order would take first.
func Choices(pageURL string, candidates []Candidate) []Candidate {
	var groups [][]Candidate
	for _, c := range commentsLast(slices.Clone(candidates)) {
		i := slices.IndexFunc(groups, func(g []Candidate) bool {
			return slices.ContainsFunc(g, func(o Candidate) bool { return SameFeed(o, c) })
		})
		if i < 0 {
			groups = append(groups, []Candidate{c})
			continue
		}
		groups[i] = append(groups[i], c)
	}
	var out []Candidate
	for _, g := range groups {
		out = append(out, Order(pageURL, g)...)
	}
	return out
}

// SameFeed reports whether two candidates of a page are formats of one feed: their titles say the same but for the name
// of the format, or their addresses do where a title says nothing. Two of the same format must agree in both.
func SameFeed(a, b Candidate) bool {
	if isComments(a) != isComments(b) {
		return false
	}
	titleA, titleB := Subject(a.Title), Subject(b.Title)
	areNear := subjectOf(a.URL) == subjectOf(b.URL)
	if a.Type == b.Type {
		return titleA == titleB && areNear
	}
	if titleA != "" && titleB != "" {
		return titleA == titleB
	}
	return areNear
}

// formatWords say in titles and addresses in which format a feed is, not what is in it.
var formatWords = pattern.New(`\b(rss2?|atom(10)?|rdf|xml|json|jsonfeed|feeds?|php|aspx?|index|default)\b` +
	`|[0-9]?\.[0-9]{1,2}\b|フィード`)

// Subject is the part of a title besides the format: "" for "RSS 2.0".
func Subject(title string) string {
	words := strings.FieldsFunc(formatWords.ReplaceAllString(strings.ToLower(title), " "), func(r rune) bool {
		return strings.ContainsRune(" \t\n-–—_|:：»«›‹>/(（)）[]【】,.・=&", r)
	})
	return strings.Join(words, " ")
}

// subjectOf is an address without what names its format.
func subjectOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return siteOf(address) + " " + Subject(u.Path) + "?" + Subject(u.RawQuery)
}
