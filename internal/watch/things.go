package watch

import (
	"cmp"
	"slices"
)

// PricePoint is a price and since when it held.
type PricePoint struct {
	At     int64
	Amount int64 // -1 = none
}

// Thing is everything known of one result, for people.
type Thing struct {
	Result
	Text
	Prices []PricePoint // oldest first
	Events []Mention    // oldest first
	SoldAt int64
	Change int64 // the last change of any kind
}

// withChanges returns histories with the changes since a state's base, sorted by month.
func withChanges(s *State, cs []*Changes, hs []*History) []*History {
	months := map[string]*History{}
	for _, h := range hs {
		months[h.month] = h
	}
	get := func(m string) (*History, error) { return months[m], nil }
	touched, _ := Record(s, cs, get) // get does not fail
	for m, h := range touched {
		months[m] = h
	}
	all := make([]*History, 0, len(months))
	for _, h := range months {
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b *History) int { return cmp.Compare(a.month, b.month) })
	return all
}

// joined returns the lines of months, those of one result as one.
func joined(hs []*History) map[Key]*line {
	lines := map[Key]*line{}
	add := func(l *line, k Key) {
		all := lines[k]
		if all == nil {
			first := *l
			first.Key = k
			lines[k] = &first
			return
		}
		for _, p := range l.Points {
			all.Points = addPoint(all.Points, p)
		}
		all.Mentions = append(slices.Clip(all.Mentions), l.Mentions...)
		if l.Text != (Text{}) {
			all.Text = l.Text
		}
	}
	for _, h := range hs {
		month := h.sorted()
		for _, l := range month { // what earlier months know by another key
			for _, was := range l.Was {
				if old := lines[was]; old != nil && was != l.Key {
					delete(lines, was)
					add(old, l.Key)
				}
			}
		}
		for _, l := range month {
			add(l, l.Key)
		}
	}
	return lines
}

// Things joins a state, its changes since the base, and the histories of months. Those first seen last come first.
func Things(s *State, cs []*Changes, hs []*History) []Thing {
	lines := joined(withChanges(s, cs, hs))
	for _, r := range s.Live() {
		if lines[r.Key] == nil {
			lines[r.Key] = &line{Key: r.Key, FirstSeen: r.FirstSeen}
		}
	}
	things := make([]Thing, 0, len(lines))
	for k, l := range lines {
		r, ok := s.results[k]
		if ok && r.Status >= removed {
			continue
		}
		if !ok {
			r = l.last()
		}
		things = append(things, l.thing(r))
	}
	slices.SortFunc(things, func(a, b Thing) int {
		return cmp.Or(-cmp.Compare(a.FirstSeen, b.FirstSeen), cmp.Compare(a.Result.Key, b.Result.Key))
	})
	return things
}

func (l *line) thing(r Result) Thing {
	t := Thing{Result: r, Text: l.Text, Events: l.Mentions, Change: max(r.FirstSeen, r.Priced, r.Since)}
	for _, p := range l.Points {
		n := len(t.Prices)
		if n == 0 || t.Prices[n-1].Amount != p.Price {
			t.Prices = append(t.Prices, PricePoint{p.Priced, p.Price})
		}
	}
	if r.Status == Sold {
		t.SoldAt = r.Since
	}
	return t
}

// last returns what a line says of a result that the state no longer keeps.
func (l *line) last() Result {
	r := Result{Key: l.Key, FirstSeen: l.FirstSeen, Status: Gone, Source: FromList, Price: -1, Lowest: -1}
	for _, p := range l.Points {
		r.Price, r.Priced, r.Currency, r.Status, r.Source, r.Since = p.Price, p.Priced, p.Currency, p.Status,
			p.Source, p.Since
	}
	if len(l.Mentions) > 0 {
		r.Seq = l.Mentions[0].Seq
	}
	return r
}

// FillTexts puts texts into events of results that were not on the page. cs are the changes since the base; get returns
// a month's stored history, nil if there is none.
func FillTexts(events []Event, s *State, cs []*Changes, get func(month string) (*History, error)) error {
	for i := range events {
		e := &events[i]
		if e.Text != (Text{}) {
			continue
		}
		r, _ := s.Get(e.Key)
		h, err := get(Month(r.FirstSeen))
		if err != nil {
			return err
		}
		if h != nil && h.lines[e.Key] != nil {
			e.Text = h.lines[e.Key].Text
		}
		for _, c := range inOrder(cs, s.folded) {
			for j := range c.entries {
				if x := &c.entries[j]; x.Key == e.Key && x.Text != nil {
					e.Text = *x.Text
				}
			}
		}
	}
	return nil
}
