package tags

// Usual is a set of categories, by Key, that say what a feed is about rather than an item of it.
type Usual map[string]bool

const (
	usualShare = 0.3
	usualFrom  = 10 // items; of fewer, nothing can be said
)

func (u Usual) has(key string) bool { return u[key] }

// UsualOf returns the categories that three in ten items of a feed have, from the categories of each.
func UsualOf(items [][]string) Usual {
	if len(items) < usualFrom {
		return nil
	}
	n := map[string]int{}
	for _, categories := range items {
		seen := map[string]bool{}
		for _, c := range categories {
			if key := Key(category(c)); !seen[key] {
				seen[key] = true
				n[key]++
			}
		}
	}
	u := Usual{}
	for key, n := range n {
		if float64(n) >= usualShare*float64(len(items)) {
			u[key] = true
		}
	}
	return u
}
