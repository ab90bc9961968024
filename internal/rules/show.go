package rules

import "unicode/utf8"

// Part is what of an item a condition found, with a little of the text around it.
type Part struct {
	Field                Field
	Before, Match, After string
}

// around is how many characters of the text beside a part are shown.
const around = 30

// Show judges an item by the first of the rules alone, and gives the parts that its conditions found.
func (s Scoped) Show(it *Item) (matches bool, parts []Part) {
	if len(s.list) == 0 {
		return false, nil
	}
	r := s.list[0]
	x := examined{it: it}
	if !r.matches(&x) {
		return false, nil
	}
	for i := range r.conditions {
		if c := &r.conditions[i]; !c.Not {
			parts = append(parts, c.parts(&x)...)
		}
	}
	return true, parts
}

// parts finds the first place of each word, or of the pattern.
func (c *condition) parts(x *examined) []Part {
	var out []Part
	one := func(at func(plain, folded string) (lo, hi int, ok bool)) {
		for _, f := range plainFields {
			if f != c.Field && (c.Field != Anywhere || f == Link) {
				continue
			}
			if lo, hi, ok := at(x.plain(f), x.text(f)); ok {
				out = append(out, cut(f, x.plain(f), lo, hi))
				return
			}
		}
		if c.Field != Category && c.Field != Anywhere {
			return
		}
		for i, plain := range x.it.Categories {
			if lo, hi, ok := at(plain, x.category(i)); ok {
				out = append(out, cut(Category, plain, lo, hi))
				return
			}
		}
	}
	if c.re != nil {
		one(func(plain, _ string) (int, int, bool) {
			if m := c.re.FindStringIndex(plain); m != nil {
				return m[0], m[1], true
			}
			return 0, 0, false
		})
	}
	for _, w := range c.words {
		one(func(plain, folded string) (int, int, bool) {
			lo, hi, ok := find(folded, w)
			if ok {
				lo, hi = locate(plain, lo, hi)
			}
			return lo, hi, ok
		})
	}
	return out
}

func cut(f Field, s string, lo, hi int) Part {
	from, to := lo, hi
	for range around {
		_, n := utf8.DecodeLastRuneInString(s[:from])
		_, m := utf8.DecodeRuneInString(s[to:])
		from, to = from-n, to+m
	}
	return Part{f, s[from:lo], s[lo:hi], s[hi:to]}
}
