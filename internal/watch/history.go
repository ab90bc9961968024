package watch

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// History is what is kept of one month: a line for each result that the month touches, with its prices, and a line for
// each day on which something changed.
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
	Key
	was       []Key // its keys before
	text      Text
	firstSeen int64
	points    []point // in order of observation
	mentions  []Mention
}

// point is what a result became, and since when it has the status and the price.
type point struct {
	since, priced int64
	price         int64
	currency      string
	status        Status
	source        Source
}

// Mention is an event of a result that became an item.
type Mention struct {
	Kind EventKind
	Seq  reader.Seq
	At   int64
}

const monthForm = "2006-01"

// Month of a time: "2026-11".
func Month(unix int64) string { return time.Unix(unix, 0).UTC().Format(monthForm) }

// Record folds groups of changes into the months that they touch. before is the state that they change (not modified);
// get returns the stored history of a month, empty or nil if there is none. Recording the same groups again changes
// nothing.
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
		case e.text != nil || e.told || e.event != "":
			err = r.addEntry(h, e, c.At/1000)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *recording) addEntry(h *History, e *entry, at int64) error {
	l := line{Key: e.Key, firstSeen: e.FirstSeen}
	if old := h.lines[e.Key]; old != nil {
		l = *old
	}
	if e.from != 0 {
		if old := h.lines[e.from]; old != nil {
			l = *old
			delete(h.lines, e.from)
		}
		l.Key, l.was = e.Key, append(slices.Clip(l.was), e.from)
	}
	switch {
	case e.text != nil:
		l.text = *e.text
	case l.text == (Text{}) && Month(e.FirstSeen) != h.month:
		first, err := r.month(Month(e.FirstSeen))
		if err != nil {
			return err
		}
		if old := first.lines[e.Key]; old != nil {
			l.text = old.text
		}
	}
	if e.told {
		l.points = addPoint(l.points, point{e.Since, e.Priced, e.Price, e.Currency, e.Status, e.Source})
	}
	if e.event != "" {
		l.mentions = append(slices.Clip(l.mentions), Mention{e.event, e.seq, at})
	}
	h.lines[e.Key] = &l
	return nil
}

// addPoint adds a point. One that says the same as the last corrects its time.
func addPoint(points []point, p point) []point {
	points = slices.Clip(points)
	if n := len(points); n > 0 && points[n-1].status == p.status && points[n-1].price == p.price &&
		points[n-1].currency == p.currency {
		return append(points[:n-1:n-1], p)
	}
	return append(points, p)
}

// remove deletes what is known of a result from all its months.
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
		return cmp.Or(cmp.Compare(a.firstSeen, b.firstSeen), cmp.Compare(a.Key, b.Key))
	})
}

const (
	// maxHistory is how many bytes a stored month has at most: rows of the table are limited.
	maxHistory = 350_000
	maxLines   = 50_000
	maxPoints  = 20_000
)

// Encode returns the stored form. A month that is too large loses what ended first; such a listing changes completely
// every few hours.
func (h *History) Encode() []byte {
	plain := h.append(nil)
	b := pack(plain)
	for len(b) > maxHistory || len(plain) > maxPlain {
		lines := slices.SortedFunc(maps.Values(h.lines), func(a, b *line) int {
			return cmp.Compare(a.ended(), b.ended())
		})
		h = &History{month: h.month, upTo: h.upTo, opening: h.opening, days: h.days, lines: maps.Clone(h.lines)}
		for _, l := range lines[:len(lines)/8+1] {
			delete(h.lines, l.Key)
		}
		plain = h.append(nil)
		b = pack(plain)
	}
	return b
}

// ended is the time at which a result was sold or gone. Results that were not sort after all others.
func (l *line) ended() int64 {
	if r := l.last(); r.Status != OnSale {
		return r.Since
	}
	return maxTime + l.firstSeen
}

func (h *History) append(b []byte) []byte {
	t := &table{}
	b = reader.AppendText(b, h.month)
	b = binary.AppendVarint(b, int64(h.upTo))
	b = h.opening.append(b, t)
	days := slices.Sorted(maps.Keys(h.days))
	b = binary.AppendUvarint(b, uint64(len(days)))
	for _, d := range days {
		s := h.days[d]
		b = s.append(binary.AppendVarint(b, d), t)
	}
	lines := h.sorted()
	b = binary.AppendUvarint(b, uint64(len(lines)))
	last := int64(0)
	for _, l := range lines {
		b = l.append(b, last, t)
		last = l.firstSeen
	}
	return b
}

func (l *line) append(b []byte, ref int64, t *table) []byte {
	b = appendFixed(b, uint64(l.Key), keyBytes)
	b = binary.AppendUvarint(b, uint64(len(l.was)))
	for _, k := range l.was {
		b = appendFixed(b, uint64(k), keyBytes)
	}
	b = l.text.append(b, t)
	b = binary.AppendVarint(b, l.firstSeen-ref)
	b = binary.AppendUvarint(b, uint64(len(l.points)))
	at := l.firstSeen
	for _, p := range l.points {
		b = binary.AppendVarint(binary.AppendVarint(b, p.since-at), p.priced-p.since)
		b = binary.AppendUvarint(b, uint64(p.price+1))
		b = t.append(b, p.currency)
		b = append(b, byte(p.status)|byte(p.source)<<sourceShift)
		at = p.since
	}
	b = binary.AppendUvarint(b, uint64(len(l.mentions)))
	at = l.firstSeen
	for _, m := range l.mentions {
		b = append(b, byte(slices.Index(EventKinds(), m.Kind)))
		b = binary.AppendUvarint(b, uint64(m.Seq))
		b = binary.AppendVarint(b, m.At-at)
		at = m.At
	}
	return b
}

// DecodeHistory reads what Encode returned; that of nothing is empty.
func DecodeHistory(b []byte) (*History, error) {
	d, err := unpack(b)
	if err != nil {
		return nil, err
	}
	h := &History{month: d.Text(), upTo: d.tick(), opening: d.summary(), days: map[int64]summary{},
		lines: map[Key]*line{}}
	for range d.count(31) {
		n := d.Varint()
		h.days[n] = d.summary()
		if d.Bad || n > maxTime/day || n < -maxTime/day {
			return nil, errFormat
		}
	}
	last := int64(0)
	for range d.count(maxLines) {
		l := d.line(last)
		if d.Bad || h.lines[l.Key] != nil {
			return nil, errFormat
		}
		last = l.firstSeen
		h.lines[l.Key] = l
	}
	return h, d.end()
}

func (d *decoder) line(ref int64) *line {
	l := &line{Key: Key(d.fixed(keyBytes))}
	for range d.count(len(d.Rest)) {
		l.was = append(l.was, Key(d.fixed(keyBytes)))
		if d.Bad {
			return l
		}
	}
	l.text, l.firstSeen = d.textOf(), d.time(ref)
	at := l.firstSeen
	for range d.count(maxPoints) {
		at = d.time(at)
		p := point{since: at, priced: d.time(at), price: d.amount(), currency: d.known()}
		head := d.Byte()
		p.status, p.source = Status(head&(1<<sourceShift-1)), Source(head>>sourceShift)
		if d.Bad {
			return l
		}
		l.points = append(l.points, p)
	}
	at = l.firstSeen
	for range d.count(maxPoints) {
		m := Mention{Kind: d.kind(), Seq: d.seq(), At: d.time(at)}
		if d.Bad {
			return l
		}
		at = m.At
		l.mentions = append(l.mentions, m)
	}
	return l
}
