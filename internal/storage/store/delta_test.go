package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

func sampleHeaders(n int) []Header {
	hs := make([]Header, n)
	for i := range hs {
		hs[i] = Header{
			Identity: uint64(i)<<40 | 7, Content: uint32(i), Title: fmt.Sprint("題名 <&> ", i),
			Link:   "https://example.org/?a=1&b=2",
			Author: "A", Published: int64(i), Updated: 5, Sort: int64(1000 - i), Estimated: i%2 == 0,
			Snippet: strings.Repeat("x ", i),
			Image:   "https://example.org/i.png", Lang: "ja", Categories: []string{"a", "b"},
			Enclosures: []Enclosure{{URL: "https://example.org/a.mp3", Type: "audio/mpeg", Length: 1 << 40}},
			Raw:        "feeds/x",
		}
		if i%3 > 0 { // others are as they were packed before sizes were kept
			hs[i].ImageSize = Size{Width: uint16(i) << 9, Height: 300}
		}
	}
	return hs
}

//
func TestHeadersComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 100} {
		want := sampleHeaders(n)
		d, err := NewDelta(5, 42, 9, 1000, "raw", want)
		ok(t, err)
		got, err := d.Headers()
		ok(t, err)
		if len(got) != n || n > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%d headers came back as %+v", n, got)
		}
		if d.Feed() != 5 || d.First() != 42 || d.Last() != 42+reader.Seq(n)-1 {
			t.Errorf("the delta is %d/%d to %d", d.Feed(), d.First(), d.Last())
		}
	}
}

func FuzzHeaders(f *testing.F) {
	for _, n := range []int{0, 3} {
		packed, err := PackHeaders(sampleHeaders(n))
		ok(f, err)
		f.Add(packed)
		f.Add(packed[:len(packed)/2])
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		hs, err := (&DeltaRow{Head: packed}).Headers()
		if err != nil {
			if !fault.Is(err, fault.Internal) {
				t.Fatalf("odd bytes give %v", err)
			}
			return
		}
		again, err := PackHeaders(hs)
		ok(t, err)
		back, err := (&DeltaRow{Head: again}).Headers()
		ok(t, err)
		a, _ := json.Marshal(hs)
		b, _ := json.Marshal(back)
		if string(a) != string(b) {
			t.Fatalf("packed and unpacked, %s is %s", a, b)
		}
	})
}

func TestDeltas(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	put := func(f reader.FeedID, first reader.Seq, n int) *DeltaRow {
		d, err := NewDelta(f, first, reader.Minute(first), 1000, "raw", sampleHeaders(n))
		ok(t, err)
		ok(t, s.Items.Put(t.Context(), d))
		return d
	}
	for first := reader.Seq(1); first < 500; first += 5 {
		put(1, first, 5)
	}
	other := put(12, 1, 5) // a feed whose number begins alike
	if err := s.Items.Put(t.Context(), other); !fault.Is(err, fault.Conflict) {
		t.Errorf("putting a delta twice gives %v", err)
	}
	for _, from := range []reader.Seq{0, 500, 498, 496, 251, 5, 1} {
		var got []reader.Seq
		ok(t, s.Items.Descend(t.Context(), 1, from, func(d *DeltaRow) (bool, error) {
			got = append(got, d.First())
			return true, nil
		}))
		top := reader.Seq(496)
		if from > 0 {
			top = min(top, from-(from-1)%5)
		}
		if len(got) != int(top/5)+1 || got[0] != top || got[len(got)-1] != 1 {
			t.Errorf("from %d there are %d deltas, first %v, want %d from %d", from, len(got), got[0], top/5+1, top)
		}
	}
	for _, seq := range []reader.Seq{1, 5, 6, 500} {
		d, err := s.Items.At(t.Context(), 1, seq)
		if err != nil || d.First() > seq || d.Last() < seq {
			t.Errorf("seq %d is in %v, %v", seq, d, err)
		}
	}
}

func TestRestampAndEditAreConditional(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	d, err := NewDelta(1, 1, 9, 1000, "raw", sampleHeaders(2))
	ok(t, err)
	if err := s.Items.Restamp(t.Context(), d, 10, 2000); !fault.Is(err, fault.Conflict) {
		t.Errorf("restamping what is not there gives %v", err)
	}
	ok(t, s.Items.Put(t.Context(), d))
	stale := *d
	ok(t, s.Items.Restamp(t.Context(), d, 10, 2000))
	if err := s.Items.Restamp(t.Context(), &stale, 11, 3000); !fault.Is(err, fault.Conflict) {
		t.Errorf("restamping by an old look gives %v", err)
	}
	ok(t, s.Items.Edit(t.Context(), d, sampleHeaders(2)))
	if err := s.Items.Edit(t.Context(), d, sampleHeaders(1)); !fault.Is(err, fault.Conflict) {
		t.Errorf("editing by an old look gives %v", err)
	}
	got, err := s.Items.Get(t.Context(), 1, 1)
	if err != nil || got.Stamp != 10 || got.At != 2000 || got.Rev != 1 {
		t.Errorf("the delta is %+v, %v", got, err)
	}
}

// TestDeltasArriveInOrder: whatever the clock does, a later delta of a feed has not arrived before an earlier one.
func TestDeltasArriveInOrder(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 1, 12, 0, 30, 0, time.UTC)
	var f FeedRow
	last := int64(0)
	for _, c := range []struct {
		step      time.Duration
		clockBack int64
	}{
		{0, 0}, {10 * time.Second, 0}, {-10 * time.Minute, 0}, {time.Hour, 0},
		{-30 * time.Hour, 30*3600 + 20}, {time.Hour, 30*3600 + 20}, {100 * time.Hour, 30*3600 + 20},
	} {
		at = at.Add(c.step)
		stamp := max(reader.MinuteOf(at), reader.Minute(f.Stamp)+1)
		d, err := NewDelta(1, reader.Seq(f.Seq+1), stamp, at.UnixMilli(), "", []Header{{}})
		if err != nil {
			t.Fatal(err)
		}
		f.Take(d)
		if d.Arrived() < last || d.Arrived() < d.At || f.ClockBack != c.clockBack || f.Seq != uint32(d.Last()) ||
			f.Stamp != d.Stamp {
			t.Errorf("after %v it arrived %d ms after the one before; %+v", c.step, d.Arrived()-last, f)
		}
		last = d.Arrived()
	}
}
