package listing

import (
	"context"
	"maps"
)

// Known reports whether a row is known from earlier looks, and whether its title is the same.
type Known func(*Row) (isKnown, isSameTitle bool)

// Redetect finds a new layout after a redesign: the one whose rows are known best, with the page as read by it. It
// returns false if no layout finds known rows: the page then lists other things. What the old layout says beyond places
// (how many pages are read, what an empty page has) stays.
func Redetect(ctx context.Context, body []byte, contentType, pageURL string, old *Layout,
	known Known) (Candidate, bool) {
	found, err := Detect(ctx, body, contentType, pageURL)
	if err != nil {
		return Candidate{}, false
	}
	best, most := Candidate{}, 0
	for _, c := range found.Candidates {
		n := fit(c.Page, known)
		if n > most {
			best, most = c, n
		}
		if n == 0 || c.Source != "rows" {
			continue
		}
		// The known titles tell which of several places is the title's.
		for _, choice := range c.Choices["title"] {
			other := c
			other.Layout.Fields = maps.Clone(c.Layout.Fields)
			other.Layout.Fields["title"] = choice.Field
			if other.Page, err = Read(ctx, body, contentType, pageURL, &other.Layout); err != nil {
				continue
			}
			if n := fit(other.Page, known); n > most {
				best, most = other, n
			}
		}
	}
	if most == 0 {
		return Candidate{}, false
	}
	best.Layout.Pages, best.Layout.Empty = old.Pages, old.Empty
	return best, true
}

// fit says how well the rows of a page are known; 0 if too few are for them to be the same list.
func fit(p *Page, known Known) int {
	rows, titles := 0, 0
	for i := range p.Rows {
		isKnown, isSame := known(&p.Rows[i])
		if isKnown {
			rows++
		}
		if isKnown && isSame {
			titles++
		}
	}
	if rows < min(2, len(p.Rows)) || rows*5 < len(p.Rows) {
		return 0
	}
	return rows + titles
}
