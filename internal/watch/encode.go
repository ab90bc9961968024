package watch

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// Stored forms begin with the number of their format. Texts are deflated where that makes them shorter.
const (
	formPlain   = 1
	formDeflate = 2
)

const (
	// maxPlain bounds what stored bytes inflate to.
	maxPlain = 4 << 20
	// maxResults bounds those of a base or group: the live ones, as many that are none any more, and some to spare.
	maxResults = 3 * maxLive
)

var errFormat = errors.New("watch: not a stored form that this version knows")

// pack puts the format before encoded bytes.
func pack(plain []byte) []byte {
	if len(plain) > 200 { // shorter ones are mostly numbers
		if b := reader.Deflate([]byte{formDeflate}, plain); len(b) <= len(plain) {
			return b
		}
	}
	return append([]byte{formPlain}, plain...)
}

func unpack(b []byte) (decoder, error) {
	if len(b) == 0 || b[0] != formPlain && b[0] != formDeflate {
		return decoder{}, errFormat
	}
	plain := b[1:]
	if b[0] == formDeflate {
		var err error
		plain, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(plain)), maxPlain+1))
		if err != nil {
			return decoder{}, fmt.Errorf("%w: %w", errFormat, err)
		}
	}
	if len(plain) > maxPlain {
		return decoder{}, fmt.Errorf("%w: too long", errFormat)
	}
	return decoder{Decoder: reader.Decoder{Rest: string(plain)}}, nil
}

// maxTime and maxAmount bound numbers, so that sums and products of them do not overflow.
const (
	maxTime   = 1 << 40 // seconds
	maxAmount = 1 << 53
)

// table numbers the texts that occur again and again, such as currencies.
type table struct{ texts []string }

func (t *table) append(b []byte, s string) []byte {
	i := slices.Index(t.texts, s)
	if i >= 0 {
		return binary.AppendUvarint(b, uint64(i))
	}
	b = binary.AppendUvarint(b, uint64(len(t.texts)))
	t.texts = append(t.texts, s)
	return reader.AppendText(b, s)
}

// decoder reads what the functions below append.
type decoder struct {
	reader.Decoder
	table
}

func (d *decoder) end() error {
	if !d.Done() {
		return errFormat
	}
	return nil
}

func (d *decoder) known() string {
	i := d.AtMost(uint64(len(d.texts)))
	if d.Bad {
		return ""
	}
	if i == uint64(len(d.texts)) {
		d.texts = append(d.texts, d.Text())
	}
	return d.texts[i]
}

// time reads a time that was written relative to another.
func (d *decoder) time(ref int64) int64 {
	t := d.Varint()
	if t > 2*maxTime || t < -2*maxTime {
		d.Fail()
		return 0
	}
	t += ref
	if t > maxTime || t < -maxTime {
		d.Fail()
		return 0
	}
	return t
}

func (d *decoder) amount() int64 { return int64(d.AtMost(maxAmount)) - 1 }

// fixed reads an unsigned number of n bytes.
func (d *decoder) fixed(n int) (v uint64) {
	for range n {
		v = v<<8 | uint64(d.Byte())
	}
	return v
}

func appendFixed(b []byte, v uint64, n int) []byte {
	for i := n - 1; i >= 0; i-- {
		b = append(b, byte(v>>(8*i)))
	}
	return b
}

func (d *decoder) count(most int) int { return int(d.AtMost(uint64(most))) }

const (
	keyBytes  = 6
	hashBytes = 3
)

// The first byte of a result has, in addition to status and source, these bits.
const (
	sourceShift = 3
	hasMissing  = 1 << 5
	hasChecks   = 1 << 6
	hasLowest   = 1 << 7 // other than its price
	// Where the first byte has no source, a second one follows with it, and with these.
	isFrom     = 1 << 2
	hasDoubted = 1 << 3
)

// extras are the bits of the second byte of a result.
func (r *Result) extras() (b byte) {
	if r.IsFrom {
		b |= isFrom
	}
	if r.Doubted != 0 {
		b |= hasDoubted
	}
	return b
}

// append appends a result: its times relative to ref, its seq to another.
func (r *Result) append(b []byte, ref int64, seq reader.Seq, t *table) []byte {
	b = appendFixed(b, uint64(r.Key), keyBytes)
	head, extras := byte(r.Status), r.extras()
	if extras == 0 {
		head |= byte(r.Source) << sourceShift
	}
	if r.Missing != 0 || r.Misses != 0 {
		head |= hasMissing
	}
	if r.Checks != 0 || r.Checked != 0 {
		head |= hasChecks
	}
	if r.Lowest != r.Price {
		head |= hasLowest
	}
	b = append(b, head)
	if extras != 0 {
		b = append(b, extras|byte(r.Source))
	}
	b = binary.AppendVarint(b, r.FirstSeen-ref)
	b = binary.AppendVarint(b, r.Since-r.FirstSeen)
	b = binary.AppendVarint(b, int64(r.Seq)-int64(seq))
	b = binary.AppendUvarint(b, uint64(r.Price+1))
	b = binary.AppendVarint(b, r.Priced-r.FirstSeen)
	b = t.append(b, r.Currency)
	b = appendFixed(b, uint64(r.link), hashBytes)
	b = appendFixed(b, uint64(r.title), hashBytes)
	if head&hasLowest != 0 {
		b = binary.AppendUvarint(b, uint64(r.Lowest+1))
	}
	if head&hasMissing != 0 {
		b = binary.AppendUvarint(binary.AppendVarint(b, r.Missing-r.FirstSeen), uint64(r.Misses))
	}
	if head&hasChecks != 0 {
		b = binary.AppendUvarint(binary.AppendVarint(b, r.Checked-r.FirstSeen), uint64(r.Checks))
	}
	if extras&hasDoubted != 0 {
		b = binary.AppendUvarint(b, uint64(r.Doubted))
	}
	return b
}

func (d *decoder) result(ref int64, seq reader.Seq) (r Result) {
	r.Key = Key(d.fixed(keyBytes))
	head := d.Byte()
	r.Status, r.Source = Status(head&(1<<sourceShift-1)), Source(head>>sourceShift&3)
	extras := byte(0)
	if r.Source == 0 {
		extras = d.Byte()
		r.Source, r.IsFrom = Source(extras&3), extras&isFrom != 0
	}
	if r.Status < OnSale || r.Status > moved || r.Source == 0 {
		d.Fail()
	}
	r.FirstSeen = d.time(ref)
	r.Since = d.time(r.FirstSeen)
	n := d.Varint()
	if n < -int64(reader.MaxSeq) || n > int64(reader.MaxSeq) || int64(seq)+n < 0 ||
		int64(seq)+n > int64(reader.MaxSeq) {
		d.Fail()
		return r
	}
	r.Seq = reader.Seq(int64(seq) + n)
	r.Price = d.amount()
	r.Priced = d.time(r.FirstSeen)
	r.Currency = d.known()
	r.link, r.title = uint32(d.fixed(hashBytes)), uint32(d.fixed(hashBytes))
	r.Lowest = r.Price
	if head&hasLowest != 0 {
		r.Lowest = d.amount()
	}
	if head&hasMissing != 0 {
		r.Missing, r.Misses = d.time(r.FirstSeen), int(d.AtMost(enoughMisses))
	}
	if head&hasChecks != 0 {
		r.Checked, r.Checks = d.time(r.FirstSeen), int(d.AtMost(maxChecks))
	}
	if extras&hasDoubted != 0 {
		r.Doubted = int64(d.AtMost(maxAmount))
	}
	return r
}

func (l *looks) append(b []byte, t *table) []byte {
	for _, sizes := range [][]int{l.pages, l.fulls} {
		b = binary.AppendUvarint(b, uint64(len(sizes)))
		for _, n := range sizes {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	for _, p := range []suspects{l.page, l.full} {
		b = binary.AppendUvarint(b, uint64(p.n))
		if p.n > 0 {
			b = binary.AppendVarint(t.append(b, p.code), int64(p.tick))
		}
	}
	return binary.AppendVarint(b, int64(l.missed))
}

func (d *decoder) looks() (l looks) {
	for _, sizes := range []*[]int{&l.pages, &l.fulls} {
		for range d.AtMost(maxSizes) {
			*sizes = append(*sizes, int(d.AtMost(1<<20)))
		}
	}
	for _, p := range []*suspects{&l.page, &l.full} {
		if p.n = int(d.AtMost(enoughSuspects)); p.n > 0 {
			p.code, p.tick = d.known(), d.tick()
		}
	}
	l.missed = d.tick()
	return l
}

func (d *decoder) tick() schedule.Tick {
	t := d.Varint()
	if t < int64(schedule.NoTick) || t > 1<<30 {
		d.Fail()
		return 0
	}
	return schedule.Tick(t)
}

func (d *decoder) seq() reader.Seq { return reader.Seq(d.AtMost(uint64(reader.MaxSeq))) }

func (x *Text) append(b []byte, t *table) []byte {
	for _, s := range []string{x.Title, x.Link, x.Image, x.ID} {
		b = reader.AppendText(b, s)
	}
	return append(t.append(b, x.Seller), byte(x.SellerType))
}

func (d *decoder) textOf() (x Text) {
	x.Title, x.Link, x.Image, x.ID, x.Seller = d.Text(), d.Text(), d.Text(), d.Text(), d.known()
	x.SellerType = listing.SellerType(d.Byte())
	return x
}

// Encode returns the stored form of a base: the live results, tombstones of 30 days, sizes of the last full looks.
// Changes since are part of it as far as they were applied.
func (s *State) Encode() []byte {
	t := &table{}
	b := binary.AppendVarint(nil, int64(s.folded))
	b = binary.AppendUvarint(b, uint64(s.seq))
	b = s.looks.append(b, t)
	results := s.sorted()
	b = binary.AppendUvarint(b, uint64(len(results)))
	var last Result
	for _, r := range results {
		b = r.append(b, last.FirstSeen, last.Seq, t)
		last = r
	}
	return pack(b)
}

// sorted returns the results in the order of the stored form: those next to each other have close times and seqs.
func (s *State) sorted() []Result {
	results := make([]Result, 0, len(s.results))
	for _, r := range s.results {
		results = append(results, r)
	}
	slices.SortFunc(results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.FirstSeen, b.FirstSeen), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Key, b.Key))
	})
	return results
}

// DecodeState reads what Encode returned.
func DecodeState(b []byte) (*State, error) {
	d, err := unpack(b)
	if err != nil {
		return nil, err
	}
	s := NewState()
	s.folded, s.seq = d.tick(), d.seq()
	s.looks = d.looks()
	var last Result
	for range d.count(maxResults) {
		last = d.result(last.FirstSeen, last.Seq)
		if _, isTwice := s.results[last.Key]; isTwice || d.Bad {
			return nil, errFormat
		}
		s.results[last.Key] = last
	}
	return s, d.end()
}

// The parts of an entry in addition to its result.
const (
	entryTold = 1 << iota
	entryText
	entryFrom
	entryEvent
)

// Encode returns the stored form of a group.
func (c *Changes) Encode() []byte {
	t := &table{}
	b := binary.AppendVarint(nil, int64(c.Tick))
	b = binary.AppendVarint(b, c.At)
	if c.looks == nil {
		b = append(b, 0)
	} else {
		b = c.looks.append(append(b, 1), t)
	}
	b = binary.AppendUvarint(b, uint64(len(c.entries)))
	var seq reader.Seq
	for i := range c.entries {
		e := &c.entries[i]
		head := byte(0)
		if e.told {
			head |= entryTold
		}
		if e.text != nil {
			head |= entryText
		}
		if e.from != 0 {
			head |= entryFrom
		}
		if e.event != "" {
			head |= entryEvent
		}
		b = e.append(append(b, head), c.At/1000, seq, t)
		seq = e.Seq
		if e.text != nil {
			b = e.text.append(b, t)
		}
		if e.from != 0 {
			b = appendFixed(b, uint64(e.from), keyBytes)
		}
		if e.event != "" {
			b = binary.AppendUvarint(append(b, byte(slices.Index(EventKinds(), e.event))), uint64(e.seq))
		}
	}
	return pack(b)
}

// DecodeChanges reads what Encode returned.
func DecodeChanges(b []byte) (*Changes, error) {
	d, err := unpack(b)
	if err != nil {
		return nil, err
	}
	c := &Changes{Tick: d.tick(), At: d.Varint(), size: len(b)}
	if c.At > 1000*maxTime || c.At < -1000*maxTime {
		return nil, errFormat
	}
	if d.AtMost(1) == 1 {
		l := d.looks()
		c.looks = &l
	}
	var seq reader.Seq
	for range d.count(maxResults) {
		e := d.entry(c.At/1000, seq)
		if d.Bad {
			return nil, errFormat
		}
		seq = e.Seq
		c.entries = append(c.entries, e)
	}
	return c, d.end()
}

func (d *decoder) entry(ref int64, seq reader.Seq) (e entry) {
	head := d.Byte()
	e.told = head&entryTold != 0
	e.Result = d.result(ref, seq)
	if head&entryText != 0 {
		x := d.textOf()
		e.text = &x
	}
	if head&entryFrom != 0 {
		e.from = Key(d.fixed(keyBytes))
	}
	if head&entryEvent != 0 {
		e.event, e.seq = d.kind(), d.seq()
	}
	return e
}

func (d *decoder) kind() EventKind {
	kinds := EventKinds()
	i := int(d.Byte())
	if i >= len(kinds) {
		d.Fail()
		return ""
	}
	return kinds[i]
}
