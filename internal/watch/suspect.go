package watch

import (
	"regexp"
	"slices"

	"github.com/ruri-reader/ruri/internal/content/listing"
)

// ProblemChanged is the code for a page on which less can be read than before; the others are listing's.
const ProblemChanged = "listing_changed"

// doubt says how far the rows of a page can be trusted.
type doubt uint8

const (
	trusted    doubt = iota
	tooFew           // rows may be missing; those that are there are right
	unreadable       // what the rows say cannot be trusted
)

// fewRows is the least number of known rows from which something follows for a whole page.
const fewRows = 3

// suspect returns a problem code if a page seems incomplete or changed: nothing is missing, sold or gone by it.
func (c *comparison) suspect(l *Look) (code string, why doubt) {
	p := l.Read
	switch {
	case p.Empty && len(p.Rows) == 0:
		return "", trusted
	case len(p.Rows) == 0 && p.Problem != "":
		return p.Problem, tooFew
	case len(p.Rows) == 0:
		return listing.ProblemEmpty, tooFew
	case l.Inspect:
		return "", trusted // a person has looked at it
	case c.isUnreadable() || c.isRenamed():
		return ProblemChanged, unreadable
	case slices.Contains(p.Missing, "status") && c.wereSold():
		return ProblemChanged, tooFew // known results have lost their status; new ones have none anyway
	case l.Page == 1 && isTooFew(len(c.rows), c.s.looks.Pages):
		return ProblemChanged, tooFew
	case l.Full && l.Last && isTooFew(c.found(), c.s.looks.Fulls):
		return ProblemChanged, tooFew
	}
	return "", trusted
}

// isUnreadable reports whether half of the known rows have lost their title or their price, or have another currency.
func (c *comparison) isUnreadable() bool {
	var titled, untitled, priced, unpriced, foreign int
	for i := range c.rows {
		row := &c.rows[i]
		r, isKnown := c.s.Get(Key(row.Key))
		if !isKnown {
			continue
		}
		if r.TitleHash != 0 {
			titled++
			if row.Title == "" {
				untitled++
			}
		}
		if r.Status == OnSale && r.Price >= 0 && row.Status != listing.Sold {
			priced++
			switch {
			case row.Price == nil:
				unpriced++
			case r.Currency != "" && row.Price.Currency != "" && row.Price.Currency != r.Currency:
				foreign++
			}
		}
	}
	isHalf := func(n, of int) bool { return of >= fewRows && n*2 >= of }
	return isHalf(untitled, titled) || isHalf(unpriced, priced) || isHalf(foreign, priced) || c.hasNoTitles()
}

// isRenamed reports whether all known rows have other titles under the same links, or half of them garbled ones: the
// title has moved, or the page was decoded wrongly.
func (c *comparison) isRenamed() bool {
	titled, renamed, garbled, strange := 0, 0, 0, 0
	for i := range c.rows {
		row := &c.rows[i]
		r, isKnown := c.s.Get(Key(row.Key))
		switch isOther := isKnown && r.TitleHash != 0 && r.TitleHash != hashOf(row.Title); {
		case !isKnown || r.TitleHash == 0:
			if isGarbled(row.Title) {
				strange++
			}
			continue
		case isOther && isGarbled(row.Title):
			renamed++
			garbled++
		case isOther:
			renamed++
		}
		titled++
	}
	// titles make the keys
	isNobody := titled == 0 && strange*2 >= len(c.rows) && strange >= fewRows && len(c.s.Live()) > 0
	return titled >= fewRows && (renamed == titled || garbled*2 >= titled) || isNobody
}

// isGarbled recognises wrongly decoded text: replacement characters, and UTF-8 read in another encoding.
func isGarbled(s string) bool {
	n := 0
	for _, r := range s {
		if r == '\uFFFD' || r >= 0x80 && r < 0xa0 {
			n++
		}
	}
	return n > 0 || mojibake.MatchString(s)
}

var mojibake = regexp.MustCompile(
	`(?:[ÃÂãâåæçéè][\x{80}-\x{bf}€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]){1}|(?:[縺繧繝蜿譁][^\x00-\x7f]){2}|(?:ï½|ï¾)`)

// wereSold reports whether several of the rows were sold.
func (c *comparison) wereSold() bool {
	n := 0
	for i := range c.rows {
		if r, ok := c.s.Get(Key(c.rows[i].Key)); ok && r.Status == Sold {
			n++
		}
	}
	return n > 1
}

// hasNoTitles reports whether no row has a title. Where titles make the keys, no row is known then.
func (c *comparison) hasNoTitles() bool {
	return !slices.ContainsFunc(c.rows, func(r listing.Row) bool { return r.Title != "" }) &&
		slices.ContainsFunc(c.s.Live(), func(r Result) bool { return r.TitleHash != 0 })
}

// found is how many results a crawl has found with this page.
func (c *comparison) found() int {
	n := len(c.seen)
	for i := range c.rows {
		if r, ok := c.s.Get(Key(c.rows[i].Key)); ok && r.Status != Gone || c.set.Fits(&c.rows[i]) {
			n++
		}
	}
	return n
}
