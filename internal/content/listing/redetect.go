package listing

import (
	"context"
	"maps"
)

// Known tells whether a row is one of those that are known from earlier looks, and if so whether its title is still the
// same.
type Known func(*Row) (isKnown, isSameTitle bool)

// Redetect describes a page anew on which its layout finds nothing any more, or rows that look wrong: after a redesign
// of the site. It returns the way of reading the page whose rows are known best, with the page as it is read so, or
// false if no way finds known rows: then the page lists other things, and the layout is to stay. What the old layout
// says of more than the place of rows and fields (how many pages are read, what an empty page has) stays.
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
