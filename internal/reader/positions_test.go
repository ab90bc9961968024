package reader

import (
	"bytes"
	"testing"
	"time"
)

const minuteMilli = int64(time.Minute / time.Millisecond)

// over returns positions of many feeds up to a seq.
func over(feeds int, seq Seq) (list []Position) {
	for f := range feeds {
		list = append(list, Position{Feed: FeedID(f + 1), Seq: seq})
	}
	return list
}

// TestUndoneMarksAndLaterOnes: an undo takes back what its mark turned, and nothing in a feed that was marked again.
func TestUndoneMarksAndLaterOnes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		again  Seq // marked up to it again, before the undo; 0 for not
		unread int // of ten
	}{{"not marked again", 0, 10}, {"marked again, up to an earlier item", 5, 0}} {
		p := (*Positions)(nil).Mark(1, 0, over(1, 10), nil)
		s, _ := Apply(p.In(1, State{}), Change{Ops: []Op{{Kind: OpUnread, Seqs: []Seq{3}}}, Last: 10})
		if c.again > 0 {
			p = p.Mark(2, 0, over(1, c.again), nil)
		}
		p = p.Undo(1, 3)
		if got := p.In(1, s); got.Unread(0, 10) != c.unread || got.Applied != p.Number {
			t.Errorf("%s: %d are unread, %d applied", c.name, got.Unread(0, 10), got.Applied)
		}
		// An undo that came before the other mark.
		if c.again > 0 {
			q := (*Positions)(nil).Mark(1, 0, over(1, 10), nil).Undo(1, 2).Mark(3, 0, over(1, c.again), nil)
			if got := q.In(1, s); got.Unread(0, 10) != 5 {
				t.Errorf("undone before: %d are unread", got.Unread(0, 10))
			}
		}
	}
}

// TestLostPositions: a mark applies to subscriptions that include earlier marks, although the row of the positions was
// lost.
func TestLostPositions(t *testing.T) {
	t.Parallel()
	s := State{Applied: 7}
	p := (*Positions)(nil).Mark(1, 0, over(1, 10), []Holding{{Feed: 1, Applied: s.Applied}})
	if got := p.In(1, s); got.Unread(0, 10) != 0 {
		t.Errorf("%d are unread", got.Unread(0, 10))
	}
}

// TestPositionsStaySmall: a mark takes five bytes for a feed; what rows include, what was undone and the marks of one
// day do not add up.
func TestPositionsStaySmall(t *testing.T) {
	t.Parallel()
	const feeds = 1000
	p := (*Positions)(nil).Mark(1, 0, over(feeds, 200), nil)
	if n := len(p.Encode()); n > 5*feeds+50 {
		t.Errorf("a mark of %d feeds takes %d bytes", feeds, n)
	}
	at := 1 + 20*minuteMilli
	for i := range 20 {
		p = p.Mark(at, at-10*minuteMilli, over(feeds, Seq(201+i)), nil)
		p = p.Undo(p.Number, at)
		at += 20 * minuteMilli
	}
	if n := len(p.Encode()); n > 2*5*feeds+100 {
		t.Errorf("after marks that were undone: %d bytes", n)
	}
	for i := range 20 {
		p = p.Mark(at, at-10*minuteMilli, over(feeds, Seq(301+i)), nil)
		at += 20 * minuteMilli
	}
	if n := len(p.Encode()); n > 3*5*feeds+100 {
		t.Errorf("after marks of one day: %d bytes", n)
	}
	rows := make([]Holding, feeds)
	for i := range rows {
		rows[i] = Holding{Feed: FeedID(i + 1), Applied: p.Number}
	}
	p = p.Mark(at+2*60*minuteMilli, at, over(1, 400), rows)
	if n := len(p.Encode()); n > 50 {
		t.Errorf("when all rows include the marks: %d bytes", n)
	}
	for i := range rows {
		rows[i].Applied = 0
	}
	for i := range 100 {
		p = p.Mark(at, at-10*minuteMilli, over(feeds, Seq(500+i)), rows)
		at += 2 * 24 * 60 * minuteMilli
	}
	if n := len(p.Encode()); n > 6*maxSteps {
		t.Errorf("of marks on many days: %d bytes", n)
	}
}

func FuzzPositions(f *testing.F) {
	p := (*Positions)(nil).Mark(1, 0, over(3, 9), nil)
	f.Add(p.Encode())
	f.Add(p.Undo(1, 5).Mark(9, 8, over(2, 12), nil).Encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := DecodePositions(b)
		if !ok {
			return
		}
		again, ok := DecodePositions(p.Encode())
		if !ok || !bytes.Equal(again.Encode(), p.Encode()) {
			t.Errorf("%x is not what it was packed from", b)
		}
		p.In(2, State{})
	})
}

func BenchmarkPositionsIn(b *testing.B) {
	p := (*Positions)(nil).Mark(1, 0, over(5000, 200), nil)
	s := State{ReadState: ReadState{Upto: 150}.MarkRead(160, 170)}
	b.ReportAllocs()
	for b.Loop() {
		_ = p.In(2500, s)
	}
}
