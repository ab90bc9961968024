package watch

import "slices"

// summary is one day of a trend: asking prices of listed results, in the most frequent currency.
type summary struct {
	Lowest   int64  `json:"lowest"` // -1 = none, as in the others
	P25      int64  `json:"p25"`
	P50      int64  `json:"p50"`
	P75      int64  `json:"p75"`
	OnSale   int    `json:"onSale"`
	Currency string `json:"currency,omitempty"`
}

func (s *State) summary() summary {
	x := summary{Lowest: -1, P25: -1, P50: -1, P75: -1, Currency: s.Currency()}
	var prices []int64
	for _, r := range s.results {
		if !r.IsListed() {
			continue
		}
		x.OnSale++
		if r.Price >= 0 && r.Currency == x.Currency {
			prices = append(prices, r.Price)
		}
	}
	if len(prices) > 0 {
		slices.Sort(prices)
		x.Lowest, x.P25, x.P50, x.P75 = prices[0], percentile(prices, 25), percentile(prices, 50),
			percentile(prices, 75)
	}
	return x
}

// percentile is the smallest of sorted values that so many percent are at most.
func percentile(sorted []int64, p int) int64 {
	return sorted[max((len(sorted)*p+99)/100-1, 0)]
}

// Currency returns the currency of most results on sale; empty if the page tells none.
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
