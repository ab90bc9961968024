package watch

import (
	"strings"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// Until November 2026, stored forms were numbers in as few bytes as possible, each relative to the one before. They are
// only read.
const (
	formPlain   = 1
	formDeflate = 2
)

// oldDecoder reads them. Texts that occurred again and again, such as currencies, were numbered.
type oldDecoder struct {
	reader.Decoder
	texts []string
}

func decodeOld(b []byte, read func(*oldDecoder)) error {
	if len(b) == 0 || b[0] != formPlain && b[0] != formDeflate {
		return errFormat
	}
	plain := string(b[1:])
	if b[0] == formDeflate {
		var err error
		if plain, err = reader.Inflate(b[1:], maxPlain); err != nil {
			return err
		}
	}
	d := &oldDecoder{Decoder: reader.Decoder{Rest: plain}}
	if read(d); !d.Done() {
		return errFormat
	}
	return nil
}

// Text reads a text; JSON has UTF-8 alone.
func (d *oldDecoder) Text() string { return strings.ToValidUTF8(d.Decoder.Text(), "\ufffd") }

func (d *oldDecoder) known() string {
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
func (d *oldDecoder) time(ref int64) int64 {
	t := d.Varint()
	if !areTimes(t/2, t/2+ref) {
		d.Fail()
		return 0
	}
	return t + ref
}

func (d *oldDecoder) amount() int64 { return int64(d.AtMost(maxAmount)) - 1 }

// fixed reads an unsigned number of n bytes.
func (d *oldDecoder) fixed(n int) (v uint64) {
	for range n {
		v = v<<8 | uint64(d.Byte())
	}
	return v
}

func (d *oldDecoder) key() Key { return Key(d.fixed(keyBits / 8)) }

func (d *oldDecoder) tick() schedule.Tick {
	t := d.Varint()
	if t < int64(schedule.NoTick) || t > 1<<30 {
		d.Fail()
	}
	return schedule.Tick(t)
}

func (d *oldDecoder) seq() reader.Seq { return reader.Seq(d.AtMost(uint64(reader.MaxSeq))) }

func (d *oldDecoder) status(head byte) (Status, Source) {
	status, source := head&7, head>>3
	if int(status) >= len(statusNames) || int(source) >= len(sourceNames) {
		d.Fail()
		return 0, 0
	}
	return Status(status), Source(source)
}

// result reads a result: its times relative to ref, its seq to another.
func (d *oldDecoder) result(ref int64, seq reader.Seq) (r Result) {
	r.Key = d.key()
	head, extras := d.Byte(), byte(0)
	if r.Status, r.Source = d.status(head & 31); r.Source == 0 {
		extras = d.Byte()
		r.Source, r.IsFrom = Source(extras&3), extras&4 != 0
	}
	r.FirstSeen = d.time(ref)
	r.Since = d.time(r.FirstSeen)
	n := d.Varint()
	if n < -int64(reader.MaxSeq) || n > int64(reader.MaxSeq) || int64(seq)+n < 0 {
		d.Fail()
		return r
	}
	r.Seq = reader.Seq(int64(seq) + n)
	r.Price = d.amount()
	r.Priced = d.time(r.FirstSeen)
	r.Currency = d.known()
	r.LinkHash, r.TitleHash = uint32(d.fixed(3)), uint32(d.fixed(3))
	r.Lowest = r.Price
	if head&(1<<7) != 0 {
		r.Lowest = d.amount()
	}
	if head&(1<<5) != 0 {
		r.Missing, r.Misses = d.time(r.FirstSeen), int(d.AtMost(enoughMisses))
	}
	if head&(1<<6) != 0 {
		r.Checked, r.Checks = d.time(r.FirstSeen), int(d.AtMost(maxChecks))
	}
	if extras&8 != 0 {
		r.Doubted = int64(d.AtMost(maxAmount))
	}
	return r
}

func (d *oldDecoder) looks() (l looks) {
	for _, sizes := range []*[]int{&l.Pages, &l.Fulls} {
		for range d.AtMost(maxSizes) {
			*sizes = append(*sizes, int(d.AtMost(1<<20)))
		}
	}
	for _, p := range []*suspects{&l.Page, &l.Full} {
		if p.N = int(d.AtMost(enoughSuspects)); p.N > 0 {
			p.Code, p.Tick = d.known(), d.tick()
		}
	}
	l.Missed = d.tick()
	return l
}

func (d *oldDecoder) text() Text {
	return Text{Title: d.Text(), Link: d.Text(), Image: d.Text(), ID: d.Text(), Seller: d.known(),
		SellerType: listing.SellerType(d.Byte())}
}

func (d *oldDecoder) state(x *storedState) {
	x.Folded, x.Seq, x.Looks = d.tick(), d.seq(), d.looks()
	var last Result
	for n := d.AtMost(maxResults); n > 0 && !d.Bad; n-- {
		last = d.result(last.FirstSeen, last.Seq)
		x.Results = append(x.Results, last)
	}
}

func (d *oldDecoder) changes(x *storedChanges) {
	x.Tick, x.At = d.tick(), d.Varint()
	if d.AtMost(1) == 1 {
		l := d.looks()
		x.Looks = &l
	}
	var seq reader.Seq
	for n := d.AtMost(maxResults); n > 0 && !d.Bad; n-- {
		e := d.entry(x.At/1000, seq)
		seq = e.Seq
		x.Entries = append(x.Entries, e)
	}
}

func (d *oldDecoder) entry(ref int64, seq reader.Seq) (e entry) {
	head := d.Byte()
	e.Told, e.Result = head&1 != 0, d.result(ref, seq)
	if head&2 != 0 {
		x := d.text()
		e.Text = &x
	}
	if head&4 != 0 {
		e.From = d.key()
	}
	if head&8 != 0 {
		e.Event, e.EventSeq = d.kind(), d.seq()
	}
	return e
}

func (d *oldDecoder) kind() EventKind {
	kinds := EventKinds()
	i := int(d.Byte())
	if i >= len(kinds) {
		d.Fail()
		return ""
	}
	return kinds[i]
}

func (d *oldDecoder) summary() summary {
	return summary{Lowest: d.amount(), P25: d.amount(), P50: d.amount(), P75: d.amount(),
		OnSale: int(d.AtMost(1 << 30)), Currency: d.known()}
}

func (d *oldDecoder) history(x *storedHistory) {
	x.Month, x.UpTo, x.Opening, x.Days = d.Text(), d.tick(), d.summary(), map[int64]summary{}
	for n := d.AtMost(31); n > 0 && !d.Bad; n-- {
		at := d.Varint()
		x.Days[at] = d.summary()
	}
	last := int64(0)
	for n := d.AtMost(maxLines); n > 0 && !d.Bad; n-- {
		l := d.line(last)
		last = l.FirstSeen
		x.Lines = append(x.Lines, l)
	}
}

func (d *oldDecoder) line(ref int64) *line {
	l := &line{Key: d.key()}
	for n := d.Count(); n > 0 && !d.Bad; n-- {
		l.Was = append(l.Was, d.key())
	}
	l.Text, l.FirstSeen = d.text(), d.time(ref)
	at := l.FirstSeen
	for n := d.AtMost(maxPoints); n > 0 && !d.Bad; n-- {
		at = d.time(at)
		p := point{Since: at, Priced: d.time(at), Price: d.amount(), Currency: d.known()}
		p.Status, p.Source = d.status(d.Byte())
		l.Points = append(l.Points, p)
	}
	at = l.FirstSeen
	for n := d.AtMost(maxPoints); n > 0 && !d.Bad; n-- {
		m := Mention{Kind: d.kind(), Seq: d.seq(), At: d.time(at)}
		at = m.At
		l.Mentions = append(l.Mentions, m)
	}
	return l
}
