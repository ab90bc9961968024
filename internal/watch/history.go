package watch

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// History is one month: a line for each result in it, with its prices, and one for each day with changes.
type History struct {
	month string
	upTo  schedule.Tick // groups up to this tick are recorded
	// days are summaries by day since 1970, as of the last change; opening is that of the state when the month began.
	opening summary
	days    map[int64]summary
	lines   map[Key]*line
}

// line is a result in a month. Lines that are in a map are not modified.
type line struct {
	Key       Key       `json:"key"`
	Was       []Key     `json:"was,omitempty"` // its keys before
	Text      Text      `json:"text,omitzero"`
	FirstSeen int64     `json:"firstSeen"`
	Points    []point   `json:"points,omitempty"` // in order of observation
	Mentions  []Mention `json:"mentions,omitempty"`
}

// point is a status and a price of a result, and the time since when it has them.
type point struct {
	Since    int64  `json:"since"`
	Priced   int64  `json:"priced"`
	Price    int64  `json:"price"`
	Currency string `json:"currency,omitempty"`
	Status   Status `json:"status"`
	Source   Source `json:"source"`
}

// Mention is an event of a result that became an item.
type Mention struct {
	Kind EventKind  `json:"kind"`
	Seq  reader.Seq `json:"seq"`
	At   int64      `json:"at"`
}

const monthForm = "2006-01"

// Month of a time: "2026-11".
func Month(unix int64) string { return time.Unix(unix, 0).UTC().Format(monthForm) }

// Record folds groups of changes into the months that they touch. before is the state that they change; get returns a
// month's stored history, empty if there is none. Recording again changes nothing.
func Record(before *State, cs []*Changes, get func(month string) (*History, error)) (map[string]*History, error) {
	r := recording{get: get, months: map[string]*History{}, touched: map[string]*History{}}
	now := before.atBase()
	cs = inOrder(cs, now.folded)
	last := map[string]schedule.Tick{} // of each month
	for i, c := range cs {
		at := c.At / 1000
		h, err := r.month(Month(at))
		if err != nil {
			return nil, err
		}
		if h.upTo == schedule.NoTick && r.touched[h.month] == nil {
			h.opening = now.summary()
		}
		if c.Tick > h.upTo {
			if err := r.add(h, c); err != nil {
				return nil, err
			}
		}
		now.apply(c)
		if i == len(cs)-1 || dayOf(cs[i+1].At/1000) != dayOf(at) {
			h.days[dayOf(at)] = now.summary()
		}
		r.touched[h.month] = h
		last[h.month] = c.Tick
	}
	for m, t := range last {
		r.months[m].upTo = max(r.months[m].upTo, t)
	}
	return r.touched, nil
}

// recording is one call of Record.
type recording struct {
	get             func(month string) (*History, error)
	months, touched map[string]*History
}

// month returns the history of a month, of which the caller's is not modified.
func (r *recording) month(m string) (*History, error) {
	if h := r.months[m]; h != nil {
		return h, nil
	}
	h, err := r.get(m)
	if err != nil {
		return nil, err
	}
	if h == nil || h.month == "" {
		h = &History{upTo: schedule.NoTick}
	}
	h = &History{month: m, upTo: h.upTo, opening: h.opening, days: maps.Clone(h.days), lines: maps.Clone(h.lines)}
	if h.days == nil {
		h.days = map[int64]summary{}
	}
	if h.lines == nil {
		h.lines = map[Key]*line{}
	}
	r.months[m] = h
	return h, nil
}

// add adds the entries of a group to a month.
func (r *recording) add(h *History, c *Changes) error {
	for i := range c.entries {
		e := &c.entries[i]
		var err error
		switch {
		case e.Status == moved: // the entry with the new key takes its line
		case e.Status == removed:
			err = r.remove(e, h.month)
		case e.Text != nil || e.Told || e.Event != "":
			err = r.addEntry(h, e, c.At/1000)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *recording) addEntry(h *History, e *entry, at int64) error {
	l := line{Key: e.Key, FirstSeen: e.FirstSeen}
	if old := h.lines[e.Key]; old != nil {
		l = *old
	}
	if e.From != 0 {
		if old := h.lines[e.From]; old != nil {
			l = *old
			delete(h.lines, e.From)
		}
		l.Key, l.Was = e.Key, append(slices.Clip(l.Was), e.From)
	}
	switch {
	case e.Text != nil:
		l.Text = *e.Text
	case l.Text == (Text{}) && Month(e.FirstSeen) != h.month:
		first, err := r.month(Month(e.FirstSeen))
		if err != nil {
			return err
		}
		if old := first.lines[e.Key]; old != nil {
			l.Text = old.Text
		}
	}
	if e.Told {
		l.Points = addPoint(l.Points, point{e.Since, e.Priced, e.Price, e.Currency, e.Status, e.Source})
	}
	if e.Event != "" {
		l.Mentions = append(slices.Clip(l.Mentions), Mention{e.Event, e.EventSeq, at})
	}
	h.lines[e.Key] = &l
	return nil
}

// addPoint adds a point. One that says the same as the last corrects its time.
func addPoint(points []point, p point) []point {
	points = slices.Clip(points)
	if n := len(points); n > 0 && points[n-1].Status == p.Status && points[n-1].Price == p.Price &&
		points[n-1].Currency == p.Currency {
		return append(points[:n-1:n-1], p)
	}
	return append(points, p)
}

// remove deletes a result from all its months.
func (r *recording) remove(e *entry, month string) error {
	for m := Month(e.FirstSeen); m <= month; m = after(m) {
		h, err := r.month(m)
		if err != nil {
			return err
		}
		if h.lines[e.Key] != nil {
			delete(h.lines, e.Key)
			r.touched[m] = h
		}
	}
	return nil
}

func after(month string) string {
	t, err := time.Parse(monthForm, month)
	if err != nil {
		return "9999-99" // after all others
	}
	return t.AddDate(0, 1, 0).Format(monthForm)
}

func (h *History) sorted() []*line {
	return slices.SortedFunc(maps.Values(h.lines), func(a, b *line) int {
		return cmp.Or(cmp.Compare(a.FirstSeen, b.FirstSeen), cmp.Compare(a.Key, b.Key))
	})
}

const (
	// maxHistory bounds a stored month, in bytes: rows of the table are limited.
	maxHistory = 350_000
	maxLines   = 50_000
	maxPoints  = 20_000
)

// Encode returns the stored form. A month that is too large loses what ended first.
func (h *History) Encode() []byte {
	for {
		b, plain := pack(&storedHistory{h.month, h.upTo, h.opening, h.days, h.sorted()})
		if len(b) <= maxHistory && plain <= maxPlain {
			return b
		}
		lines := slices.SortedFunc(maps.Values(h.lines), func(a, b *line) int {
			return cmp.Compare(a.ended(), b.ended())
		})
		h = &History{month: h.month, upTo: h.upTo, opening: h.opening, days: h.days, lines: maps.Clone(h.lines)}
		for _, l := range lines[:len(lines)/8+1] {
			delete(h.lines, l.Key)
		}
	}
}

// ended is the time at which a result was sold or gone. Results that were not sort after all others.
func (l *line) ended() int64 {
	if r := l.last(); r.Status != OnSale {
		return r.Since
	}
	return maxTime + l.FirstSeen
}

// storedHistory is the stored form of a History.
type storedHistory struct {
	Month   string            `json:"month"`
	UpTo    schedule.Tick     `json:"upTo"`
	Opening summary           `json:"opening"`
	Days    map[int64]summary `json:"days"`
	Lines   []*line           `json:"lines"`
}

// DecodeHistory reads what Encode returned; that of nothing is empty.
func DecodeHistory(b []byte) (*History, error) {
	var x storedHistory
	if err := unpack(b, &x, (*oldDecoder).history); err != nil {
		return nil, err
	}
	h := &History{month: x.Month, upTo: x.UpTo, opening: x.Opening, days: map[int64]summary{}, lines: map[Key]*line{}}
	maps.Copy(h.days, x.Days)
	for _, l := range x.Lines {
		if h.lines[l.Key] != nil {
			return nil, errFormat
		}
		h.lines[l.Key] = l
	}
	return h, nil
}

func (x *storedHistory) isValid() bool {
	if !areTicks(x.UpTo) || len(x.Days) > 31 || len(x.Lines) > maxLines || !x.Opening.isValid() {
		return false
	}
	for d, s := range x.Days {
		if !areTimes(d*day) || d > maxTime || d < -maxTime || !s.isValid() {
			return false
		}
	}
	return !slices.ContainsFunc(x.Lines, func(l *line) bool { return l == nil || !l.isValid() })
}

func (l *line) isValid() bool {
	return areTimes(l.FirstSeen) && len(l.Points) <= maxPoints && len(l.Mentions) <= maxPoints &&
		!slices.ContainsFunc(l.Points, func(p point) bool { return !p.isValid() }) &&
		!slices.ContainsFunc(l.Mentions, func(m Mention) bool {
			return !m.Kind.isKnown() || m.Seq > reader.MaxSeq || !areTimes(m.At)
		})
}

func (p *point) isValid() bool {
	return areTimes(p.Since, p.Priced) && areAmounts(p.Price) && p.Status != 0 && p.Source != 0
}

func (x *summary) isValid() bool {
	return areAmounts(x.Lowest, x.P25, x.P50, x.P75) && x.OnSale >= 0 && x.OnSale <= 1<<30
}
