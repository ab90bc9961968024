package watch

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

const (
	// maxEvents is how many events one look has at most.
	maxEvents = 100
	// enoughMisses good full looks, and patience, make a missing result gone.
	enoughMisses = 3
	patience     = day
	// patienceDetails is how long its page alone decides where that is read; after that it has failed several times.
	patienceDetails = 8 * day
)

// comparison is one call of Compare or CompareDetails.
type comparison struct {
	s   *State
	set *Settings
	at  int64
	// inspect removes what does not fit the settings any more.
	inspect bool
	rows    []listing.Row // of the page, each key once
	work    map[Key]entry // the changed results as they will be
	order   []Key         // of work
	seen    map[Key]bool
	// isSilent leaves new and returned results without events: they are the archive, or settings have changed.
	isSilent bool
	events   []Event
	v        *Verdict
	texts    int // bytes
}

// Compare returns what a look at a page means. It is a pure function; after a lost race it is called again.
func Compare(s *State, set *Settings, l *Look) *Verdict {
	c := &comparison{s: s, set: set, at: l.At.Unix(), work: map[Key]entry{}, seen: map[Key]bool{}, v: &Verdict{},
		inspect: l.Inspect && !l.Relaid}
	c.isSilent = c.inspect || s.isNew() || l.Page > 1 && s.WantsFull() && !l.Relaid
	for _, k := range l.Seen {
		c.seen[k] = true
	}
	c.rows = c.unique(l.Read.Rows)
	looks := s.looks
	code, why := c.suspect(l)
	if code == "" {
		c.rekey()
	}
	fresh := c.takeRows(l, why)
	if code != "" {
		c.v.Problem = code
		switch {
		case l.Page == 1:
			looks.Page = looks.Page.add(code, l.Tick)
		case l.Full:
			looks.Full = looks.Full.add(code, l.Tick)
		}
		c.finish(looks, stampOf(l))
		return c.v
	}
	c.v.More = l.Read.Next != "" && (l.Full && !l.Last && l.Page < set.Layout.MostPages() || !l.Full && fresh &&
		l.Page < set.Layout.UsuallyPages())
	if l.Full {
		for k := range c.seen {
			c.v.Seen = append(c.v.Seen, k)
		}
		slices.Sort(c.v.Seen)
	}
	if c.inspect {
		c.removeUnfit(l)
	} else if l.Full && l.Last && l.Read.Next == "" && l.Read.LeftOut == 0 {
		c.miss(&looks, l.Tick)
	}
	c.remember(&looks, l)
	if !c.v.More {
		c.v.Details = c.due()
	}
	c.finish(looks, stampOf(l))
	return c.v
}

func stampOf(l *Look) stamp { return stamp{l.Tick, l.At.UnixMilli()} }

// unique returns the rows that earlier pages of the crawl lack; of rows with one key the cheapest.
func (c *comparison) unique(all []listing.Row) []listing.Row {
	at := map[Key]int{}
	rows := make([]listing.Row, 0, len(all))
	for _, r := range all {
		r.Key &= 1<<keyBits - 1
		if p := r.Price; p != nil && (p.Amount < 0 || p.Amount >= maxAmount) {
			r.Price = nil
		}
		k := Key(r.Key)
		i, isTwice := at[k]
		switch n := amount(&r); {
		case c.seen[k]:
		case !isTwice:
			at[k] = len(rows)
			rows = append(rows, r)
		case n >= 0 && (n < amount(&rows[i]) || rows[i].Price == nil):
			rows[i] = r
		}
	}
	return rows
}

// unix returns a time that a page gives; 0 if it gives none, or an absurd one.
func unix(t time.Time) int64 {
	if n := t.Unix(); !t.IsZero() && n > -maxTime && n < maxTime {
		return n
	}
	return 0
}

func amount(r *listing.Row) int64 {
	if r.Price == nil {
		return -1
	}
	return r.Price.Amount
}

// known returns what is known of a result, with what the look has changed so far.
func (c *comparison) known(k Key) (Result, bool) {
	if e, ok := c.work[k]; ok {
		return e.Result, true
	}
	r, ok := c.s.results[k]
	return r, ok
}

func (c *comparison) change(e entry) {
	if _, ok := c.work[e.Key]; !ok {
		c.order = append(c.order, e.Key)
	}
	c.work[e.Key] = e
}

// takeRows takes a page's rows, the oldest (last) first, and reports whether all followed ones were new or changed. A
// suspect page gives only new results, or none if those cannot be trusted.
func (c *comparison) takeRows(l *Look, why doubt) (fresh bool) {
	followed, changed := 0, 0
	room := c.room(l, why)
	for _, row := range slices.Backward(c.rows) {
		r, isKnown := c.known(Key(row.Key))
		isFollowed := isKnown && (r.Status == OnSale || r.Status == Sold)
		if !c.set.Fits(&row) {
			if isFollowed && c.inspect && why == trusted {
				c.remove(r)
			}
			if !isFollowed || c.inspect {
				continue
			}
		}
		switch {
		case isFollowed && why != trusted, why == unreadable:
			continue
		case isFollowed:
			before := c.work[r.Key]
			if c.see(r, before, &row) {
				changed++
			}
		case room <= 0 || !c.introduce(r, &row):
			continue
		default:
			room--
			changed++
		}
		followed++
		c.seen[Key(row.Key)] = true
	}
	return followed > 0 && changed == followed
}

// introduce takes a result that is new or listed again. What exceeds the size of a group waits for the next look.
func (c *comparison) introduce(known Result, row *listing.Row) bool {
	text := textOf(row)
	if c.texts += text.size(); c.texts > maxTexts {
		return false
	}
	r := Result{Key: Key(row.Key), Status: OnSale, Source: FromList, Since: c.at, FirstSeen: c.at, Seq: known.Seq}
	kinds, start := []EventKind{New}, int64(0)
	if known.Status == Gone || known.Status == removed {
		kinds[0], start = Back, known.Since
	}
	if known.Status == Gone {
		r = known
		r.Status, r.Source, r.Since = OnSale, FromList, c.at
		r.Missing, r.Misses, r.Checked, r.Checks = 0, 0, 0, 0
	}
	if row.Status == listing.Sold {
		r.Status, kinds = Sold, []EventKind{SoldOut}
	}
	before := int64(-1)
	if known.Status != Gone {
		r.Price, r.Lowest, r.Priced = amount(row), amount(row), c.at
		if row.Price != nil {
			r.Currency, r.IsFrom = row.Price.Currency, row.Price.IsFrom
		}
	} else {
		before = known.Price
		c.price(&r, row.Price)
	}
	r.LinkHash, r.TitleHash = hashOf(row.Link), hashOf(row.Title)
	if r.Status == OnSale && c.set.reaches(r.Price) {
		kinds = append([]EventKind{Reached}, kinds...)
	}
	c.change(entry{Result: r, Text: text, Told: true})
	if !c.isSilent {
		c.announce(kinds, r, *text, before, start, unix(row.Date))
	}
	return true
}

// see compares a row with its known result, and reports a change. before is the change that this look has
// already made of it, if any.
func (c *comparison) see(known Result, before entry, row *listing.Row) bool {
	r, e := known, before
	var kinds []EventKind
	start := known.Since
	if r.Missing != 0 {
		r.Missing, r.Misses, r.Checked, r.Checks = 0, 0, 0, 0
	}
	isSold := row.Status == listing.Sold
	switch {
	case isSold && known.Status == OnSale:
		r.Status, r.Source, r.Since = Sold, FromInterval, c.at
		r.Checked, r.Checks = 0, 0
		kinds = append(kinds, SoldOut)
	case !isSold && known.Status == Sold:
		r.Status, r.Source, r.Since = OnSale, FromList, c.at
		r.Checked, r.Checks = 0, 0
		kinds = append(kinds, Back)
	}
	if r.Status != known.Status {
		e.Told = true
	}
	price := row.Price
	if price == nil && isSold && known.Price >= 0 {
		// pages often leave it out then
		price = &listing.Price{Amount: known.Price, Currency: known.Currency, IsFrom: known.IsFrom}
	}
	if c.price(&r, price) {
		e.Told = true
	}
	kinds, start = c.priceKinds(kinds, start, known, r)
	if r == known {
		return false
	}
	if link, title := hashOf(row.Link), hashOf(row.Title); link != r.LinkHash || title != r.TitleHash {
		r.LinkHash, r.TitleHash = link, title
		e.Text = textOf(row)
	}
	e.Result = r
	c.change(e)
	if len(kinds) > 0 && !(c.isSilent && kinds[0] == Back) {
		c.announce(kinds, r, *textOf(row), known.Price, start, unix(row.Date))
	}
	return e.Told
}

// price gives a result the page's price, and reports a change. A missing currency is the one before.
func (c *comparison) price(r *Result, p *listing.Price) bool {
	n, currency, isFrom := int64(-1), r.Currency, r.IsFrom
	if p != nil {
		n, currency, isFrom = p.Amount, cmp.Or(p.Currency, r.Currency), p.IsFrom
	}
	isOther := r.Currency != "" && currency != r.Currency
	if n == r.Price && !isOther {
		r.Currency, r.IsFrom, r.Doubted = currency, isFrom, 0
		return false
	}
	if !isOther && isDoubtful(r.Price, n) && !(r.Doubted == n+1 && c.s.stamps[r.Key].at < 1000*c.at) {
		r.Doubted, c.v.Again = n+1, true
		return false
	}
	r.Price, r.Priced, r.Currency, r.IsFrom, r.Doubted = n, c.at, currency, isFrom, 0
	if isOther || r.Lowest < 0 || hasDropped(n, r.Lowest) {
		r.Lowest = n
	}
	return true
}

// isDoubtful reports whether a price is so far from the one before, by more than 90 %, that it may be read wrongly.
func isDoubtful(before, now int64) bool {
	return before > 0 && now >= 0 && (now*10 < before || before*10 < now)
}

// hasDropped reports whether a price is 1 % or more below another.
func hasDropped(price, lowest int64) bool {
	return price >= 0 && lowest > 0 && price*100 <= lowest*99
}

// priceKinds adds the events that a new price of a result on sale can be. Amounts of two currencies are not compared.
func (c *comparison) priceKinds(kinds []EventKind, start int64, known, r Result) ([]EventKind, int64) {
	if r.Status != OnSale || known.Currency != "" && r.Currency != known.Currency {
		return kinds, start
	}
	if c.set.reaches(r.Price) && (known.Status != OnSale || !c.set.reaches(known.Price)) {
		kinds = append([]EventKind{Reached}, kinds...)
	}
	if hasDropped(r.Price, known.Lowest) {
		kinds = append(kinds, Dropped)
	}
	if known.Price >= 0 && r.Price > known.Price {
		kinds = append(kinds, Risen)
	}
	if known.Status == OnSale {
		start = known.Priced
	}
	return kinds, start
}

// announce makes an event of the first change that the user wants to hear of.
func (c *comparison) announce(kinds []EventKind, r Result, text Text, before, start, date int64) {
	chosen := c.set.Events
	if len(chosen) == 0 {
		chosen = DefaultEvents()
	}
	for _, k := range kinds {
		if slices.Contains(chosen, k) {
			c.events = append(c.events, Event{Kind: k, Key: r.Key, Text: text, Price: r.Price, Before: before,
				Currency: r.Currency,
				Status:   r.Status, Date: date, Identity: identity(r.Key, k, r.Price, start)})
			return
		}
	}
}

// identity of an event is made of the change and the time of the state that ended, so that each crawl gives the same.
func identity(k Key, kind EventKind, price, start int64) uint64 {
	h := fnv.New64a()
	var b []byte
	for _, n := range []uint64{uint64(k), uint64(price), uint64(start)} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	h.Write(append(b, kind...))
	return h.Sum64()
}

// miss marks what a complete crawl did not find. Crawls of one tick count once.
func (c *comparison) miss(l *looks, t schedule.Tick) {
	isCounted := t <= l.Missed
	for _, r := range c.s.sorted() {
		if c.seen[r.Key] || !r.isLive() {
			continue
		}
		if e, ok := c.work[r.Key]; ok {
			r = e.Result
		}
		if !r.isLive() {
			continue
		}
		e := c.work[r.Key]
		e.Result = r
		wait := int64(patience)
		if c.set.ReadsDetails() {
			wait = patienceDetails
		}
		switch {
		case r.Missing == 0:
			e.Missing, e.Misses = c.at, 1
		case r.Misses < enoughMisses && !isCounted:
			e.Misses++
		}
		if e.Status == OnSale && e.Misses >= enoughMisses && c.at-max(e.Missing, e.Checked) >= wait {
			e.Status, e.Source, e.Since = Gone, FromInterval, e.Missing
			e.Told = true
			c.announce([]EventKind{GoneOff}, e.Result, Text{}, e.Price, r.Since, 0)
		}
		if e.Result != r {
			c.change(e)
			l.Missed = max(l.Missed, t)
		}
	}
}

// removeUnfit removes what changed settings exclude: by its price at once, unlisted results at the end of the crawl.
func (c *comparison) removeUnfit(l *Look) {
	for _, r := range c.s.sorted() {
		if c.seen[r.Key] || r.Status >= removed || c.work[r.Key].Status != 0 {
			continue
		}
		if !c.set.fitsPrice(r.Price) || r.isLive() && l.Full && l.Last {
			c.remove(r)
		}
	}
}

// remove keeps nothing of a result except that it is known.
func (c *comparison) remove(r Result) {
	c.change(entry{Result: Result{Key: r.Key, Status: removed, Source: FromList, Since: c.at, FirstSeen: r.FirstSeen,
		Price: -1, Lowest: -1}})
}

// remember keeps the size of a good look, if a group is written anyway: a look without news writes nothing.
func (c *comparison) remember(l *looks, look *Look) {
	if look.Page == 1 {
		l.Page = suspects{}
		if look.Inspect {
			l.Pages, l.Fulls = nil, nil
		}
		if len(c.order) > 0 || len(l.Pages) == 0 {
			l.Pages = withSize(l.Pages, len(c.rows))
		}
	}
	if look.Full && look.Last {
		l.Full = suspects{}
		if len(c.order) > 0 || len(l.Fulls) == 0 {
			l.Fulls = withSize(l.Fulls, len(c.seen))
		}
	}
}

// finish makes the result of the comparison: the changed results in order, and the newest events.
func (c *comparison) finish(l looks, look stamp) {
	c.v.Events = c.events[max(0, len(c.events)-maxEvents):]
	now := c.s.next(look.tick, look.at)
	c.v.Changes = Changes{Tick: now.tick, At: now.at}
	for _, k := range c.order {
		c.v.Changes.entries = append(c.v.Changes.entries, c.work[k])
	}
	if l.compare(c.s.looks) != 0 {
		c.v.Changes.looks = &l
	}
}

// textOf takes the texts of a row. Addresses that are too long are left out, and a title is cut.
func textOf(row *listing.Row) *Text {
	short := func(s string) string {
		if len(s) > reader.MaxURL {
			return ""
		}
		return s
	}
	return &Text{Title: reader.CutBytes(row.Title, maxTitle), Link: short(row.Link), Image: short(row.Image),
		ID:     reader.CutBytes(row.ID, maxName),
		Seller: reader.CutBytes(row.Seller, maxName), SellerType: row.SellerType}
}

// Limits of a result's texts, and of those of a group, in bytes.
const (
	maxTitle = 500
	maxName  = 200
	maxTexts = 150_000
)

func (x *Text) size() int {
	return len(x.Title) + len(x.Link) + len(x.Image) + len(x.ID) + len(x.Seller)
}

// hashOf recognises a text by 24 bits; 0 is that of none.
func hashOf(s string) uint32 {
	if s == "" {
		return 0
	}
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()&(1<<24-1) | 1
}
