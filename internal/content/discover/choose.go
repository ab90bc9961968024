package discover

import (
	"net/url"
	"slices"
	"strings"
)

// Order sorts what a page names (G-9): on the page's own host before elsewhere, then Atom, then RSS, then
// whatever comes first, JSON Feed among it; feeds of comments come after all others. The page's order decides
// between equals.
func Order(pageURL string, candidates []Candidate) []Candidate {
	host := siteOf(pageURL)
	rank := func(c Candidate) int {
		r := 2
		switch c.Type {
		case Atom:
			r = 0
		case RSS, RDF:
			r = 1
		}
		if siteOf(c.URL) != host {
			r += 3
		}
		if isComments(c) {
			r += 6
		}
		return r
	}
	out := slices.Clone(candidates)
	slices.SortStableFunc(out, func(a, b Candidate) int { return rank(a) - rank(b) })
	return out
}

// siteOf returns the host of an address without "www.": a site often answers under both names.
func siteOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return withoutWWW(u.Hostname())
}

func withoutWWW(host string) string { return strings.TrimPrefix(strings.ToLower(host), "www.") }

// isComments recognises the feed of a blog's comments, which WordPress lists next to the real one.
func isComments(c Candidate) bool {
	title := strings.ToLower(c.Title)
	return strings.Contains(strings.ToLower(pathOf(c.URL)), "/comments/") ||
		strings.Contains(title, "comments feed") || strings.Contains(title, "コメントフィード") ||
		strings.Contains(title, "コメントのフィード")
}

// commentsLast keeps the order otherwise.
func commentsLast(c []Candidate) []Candidate {
	slices.SortStableFunc(c, func(a, b Candidate) int {
		switch {
		case isComments(a) == isComments(b):
			return 0
		case isComments(a):
			return 1
		}
		return -1
	})
	return c
}

// wellKnown are the paths at which publishing programs put their feeds, the most frequent first.
var wellKnown = []string{"feed", "feed/", "rss.xml", "atom.xml", "feed.xml", "index.xml", "rss",
	"feed.json", "index.rdf"}

// WellKnown lists addresses worth a try when a page names no feed: the known paths in the folder of the
// page, then at the root of its host. Nil when the address is not one of the web.
func WellKnown(siteURL string) []string {
	u, err := url.Parse(siteURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	var out []string
	folder := u.Path[:strings.LastIndexByte(u.Path, '/')+1]
	for _, dir := range []string{folder, "/"} {
		for _, name := range wellKnown {
			try := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/" + strings.TrimPrefix(dir, "/") + name}
			if s := try.String(); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}
