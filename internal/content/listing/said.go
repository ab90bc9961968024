package listing

import "github.com/ruri-reader/ruri/internal/content/money"

// said is what short texts of a page say: fields are tried at many places and for many groups of rows, which share
// texts.
type said struct {
	status map[string]bool
	date   map[string]dated
	price  map[string]priced
}

type dated struct {
	moment
	ok bool
}

type priced struct {
	money.Price
	ok bool
}

// maxSaid is how long a text is at most that is remembered, in bytes.
const maxSaid = 160

func remembered[V any](known *map[string]V, s string, read func() V) V {
	if len(s) > maxSaid {
		return read()
	}
	v, ok := (*known)[s]
	if !ok {
		if *known == nil {
			*known = map[string]V{}
		}
		v = read()
		(*known)[s] = v
	}
	return v
}

// isStatus reports whether a text of the page says a status.
func (d *document) isStatus(s string) bool {
	return remembered(&d.said.status, s, func() bool { return parseStatus(s) != StatusUnknown })
}

// dateIn is findMoment in the page's language.
func (d *document) dateIn(s string) (moment, bool) {
	v := remembered(&d.said.date, s, func() dated {
		m, ok := findMoment(s, d.lang)
		return dated{m, ok}
	})
	return v.moment, v.ok
}

// priceIn is money.Parse in the page's language.
func (d *document) priceIn(s string) (money.Price, bool) {
	v := remembered(&d.said.price, s, func() priced {
		p, ok := money.Parse(s, d.lang)
		return priced{p, ok}
	})
	return v.Price, v.ok
}
