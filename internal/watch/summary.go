package watch

import (
	"encoding/binary"
	"slices"
)

// summary is what a day of a trend is made of: asking prices of what is listed, in the currency of most.
type summary struct {
	lowest, p25, p50, p75 int64 // -1 = none
	onSale                int
	currency              string
}

func (s *State) summary() summary {
	x := summary{lowest: -1, p25: -1, p50: -1, p75: -1, currency: s.Currency()}
	var prices []int64
	for _, r := range s.results {
		if !r.IsListed() {
			continue
		}
		x.onSale++
		if r.Price >= 0 && r.Currency == x.currency {
			prices = append(prices, r.Price)
		}
	}
	if len(prices) > 0 {
		slices.Sort(prices)
		x.lowest, x.p25, x.p50, x.p75 = prices[0], percentile(prices, 25), percentile(prices, 50),
			percentile(prices, 75)
	}
	return x
}

// percentile is the smallest of sorted values that so many percent are at most.
func percentile(sorted []int64, p int) int64 {
	return sorted[max((len(sorted)*p+99)/100-1, 0)]
}

// Currency returns that of most results on sale; empty if the page tells none.
func (s *State) Currency() string {
	counts := map[string]int{}
	for _, r := range s.results {
		if r.IsListed() && r.Price >= 0 {
			counts[r.Currency]++
		}
	}
	best := ""
	for c, n := range counts {
		if n > counts[best] || n == counts[best] && c < best {
			best = c
		}
	}
	return best
}

// Lowest returns the cheapest result on sale, of equal ones the first.
func (s *State) Lowest() (r Result, ok bool) {
	currency := s.Currency()
	for _, x := range s.sorted() {
		if x.IsListed() && x.Price >= 0 && x.Currency == currency && (!ok || x.Price < r.Price) {
			r, ok = x, true
		}
	}
	return r, ok
}

func (x *summary) append(b []byte, t *table) []byte {
	for _, n := range []int64{x.lowest, x.p25, x.p50, x.p75} {
		b = binary.AppendUvarint(b, uint64(n+1))
	}
	return t.append(binary.AppendUvarint(b, uint64(x.onSale)), x.currency)
}

func (d *decoder) summary() summary {
	return summary{lowest: d.amount(), p25: d.amount(), p50: d.amount(), p75: d.amount(),
		onSale: int(d.AtMost(1 << 30)), currency: d.known()}
}
