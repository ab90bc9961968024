package watch

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// What can be decoded is encoded to what decodes to the same, and can be used.
func FuzzDecode(f *testing.F) {
	f.Add(NewState().Encode())
	w := newWatcher(&testing.T{})
	w.look(rows(4)...)
	w.wait(time.Hour)
	w.look(row(1, 10), sold(row(2, 20)), row(3, -1))
	w.look()
	f.Add(w.s.Encode())
	for _, c := range w.cs {
		f.Add(c.Encode())
	}
	months, err := Record(NewState(), w.cs, func(string) (*History, error) { return &History{}, nil })
	if err != nil {
		f.Fatal(err)
	}
	for _, h := range months {
		f.Add(h.Encode())
	}
	f.Add([]byte(`{"folded":5,"seq":2,"looks":{"missed":-1},"results":[{"key":"a1","price":-1,"lowest":9,"status":` +
		`"onSale","source":"list","since":1,"firstSeen":1}]}`))
	f.Add([]byte(`{"tick":5,"at":9000,"entries":[{"key":"a1","price":-1,"lowest":9,"status":"moved","source":"detail",` +
		`"since":1,"firstSeen":1,"text":{"title":"x"},"told":true,"from":"b2","event":"new","eventSeq":4}]}`))
	f.Add([]byte(`{"month":"2026-11","upTo":7,"opening":{"lowest":1,"p25":1,"p50":1,"p75":1,"onSale":1},"days":{"20000":` +
		`{"lowest":-1,"p25":-1,"p50":-1,"p75":-1,"onSale":0}},"lines":[{"key":"a1","was":["b2"],"firstSeen":1,` +
		`"points":[{"since":1,"priced":1,"price":4,"status":"sold","source":"interval"}],` +
		`"mentions":[{"kind":"sold","seq":3,"at":1}]}]}`))
	old := readOld(f)
	f.Add(old.State)
	for _, b := range old.Changes {
		f.Add(b)
	}
	for _, b := range old.Months {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.HasPrefix(b, []byte("{")) { // as it is, so that the fuzzer changes JSON rather than what is compressed
			b = reader.Deflate([]byte{formJSON}, b)
		}
		s, err := DecodeState(b)
		if err == nil {
			again, err := DecodeState(s.Encode())
			if err != nil || !bytes.Equal(again.Encode(), s.Encode()) {
				t.Fatalf("state: %v", err)
			}
			use(s)
		} else {
			s = NewState()
		}
		if c, err := DecodeChanges(b); err == nil {
			again, err := DecodeChanges(c.Encode())
			if err != nil || !bytes.Equal(again.Encode(), c.Encode()) {
				t.Fatalf("changes: %v", err)
			}
			s.Apply(c)
			Things(s, []*Changes{c}, nil)
			Trend(s, []*Changes{c}, nil, start, start.Add(48*time.Hour))
			use(s)
		}
		if h, err := DecodeHistory(b); err == nil {
			again, err := DecodeHistory(h.Encode())
			if err != nil || !bytes.Equal(again.Encode(), h.Encode()) {
				t.Fatalf("history: %v", err)
			}
			Things(s, nil, []*History{h})
			Trend(s, nil, []*History{h}, start, start.Add(48*time.Hour))
		}
	})
}

// use does what is done with a state.
func use(s *State) {
	set := &Settings{Detail: &listing.DetailLayout{SoldAt: listing.Field{At: "time"}}, Details: true}
	Compare(s, set, &Look{At: start, Tick: schedule.TickOf(start), Page: 1, Full: true, Last: true,
		Read: &listing.Page{Rows: rows(5)}})
	s.Lowest()
	s.FoldTo(schedule.TickOf(start), 1)
	s.Encode()
}

// Whatever a row of pages shows: nothing panics, a look that is repeated has no news, a suspect page takes nothing
// away, and a state is what its changes say.
func FuzzCompare(f *testing.F) {
	f.Add([]byte("\x05\x00\x01\x02\x03\x04\x05\x01\x02\x03"))
	f.Add([]byte("\xff\x10\x20\x30\x40\x50\x60\x70\x80\x90\xa0\x00\x20\x30\x40"))
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newWatcher(t)
		w.set.Wanted = 700
		w.set.Detail = &listing.DetailLayout{SoldAt: listing.Field{At: "time"}}
		for len(b) > 0 && len(w.cs) < 40 {
			head := b[0]
			n := min(len(b)-1, int(head&31))
			l := &Look{Page: 1 + int(head>>7), Full: head&32 != 0, Last: head&64 != 0,
				Read: &listing.Page{Rows: fuzzRows(b[1 : 1+n])}}
			b = b[1+n:]
			l.Inspect = n == 31
			w.set.Max = int64(n % 3 * 900)
			live := map[Key]Result{}
			for _, r := range w.s.Live() {
				live[r.Key] = r
			}
			v := w.do(l)
			if len(v.Events) > maxEvents || len(v.Details) > maxDetails {
				t.Fatalf("%d events, %d details", len(v.Events), len(v.Details))
			}
			for k, r := range live {
				if now, _ := w.s.Get(k); v.Problem != "" && r.isLive() && now != r {
					t.Fatalf("a suspect page changed %+v to %+v", r, now)
				}
			}
			for _, k := range v.Details {
				w.detail(k, &listing.Detail{Status: listing.Status(head % 3), Gone: head%5 == 0})
			}
			w.wait(time.Duration(head) * 20 * time.Minute)
		}
		s := NewState()
		s.Apply(w.cs...)
		if !bytes.Equal(s.Encode(), w.s.Encode()) {
			t.Fatal("another state")
		}
	})
}

func fuzzRows(b []byte) (rs []listing.Row) {
	for _, c := range b {
		r := row(int(c&15), int64(c>>4)*100)
		switch c >> 4 {
		case 0:
			r.Price = nil
		case 1:
			r.Title, r.Link = "", ""
		case 2:
			r.Status = listing.Sold
		case 3:
			r.Price.Currency = "USD"
		case 4:
			r.Key += 100 // the same thing with another key
		case 5:
			r.Title = fmt.Sprint("thing ", c&3)
		}
		rs = append(rs, r)
	}
	return rs
}
