package store

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
)

func randomHeader(r *rand.Rand) Header {
	text := func() string {
		if r.IntN(3) == 0 {
			return ""
		}
		return strings.Repeat([]string{"a", "日本", "\x00", "é", "\xff"}[r.IntN(5)], r.IntN(200))
	}
	h := Header{
		Identity: r.Uint64() >> r.IntN(64), Content: r.Uint32(), Title: text(), Link: text(), Author: text(),
		Published: r.Int64N(1<<40) - 1<<39, Updated: r.Int64N(2) * r.Int64(), Sort: -r.Int64N(1 << 33),
		Estimated: r.IntN(2) == 0,
		Snippet:   text(), Image: text(), Lang: text(), Raw: text(),
	}
	if r.IntN(2) == 0 {
		h.Length = r.IntN(1 << 17)
	}
	if r.IntN(3) == 0 {
		h.Offer = &Offer{
			Event: text(), Key: r.Uint64() >> 16, Price: r.Int64N(1<<40) - 1, Before: r.Int64N(3) - 1, Currency: text(),
			Status: text(),
		}
	}
	for range r.IntN(4) {
		h.Categories = append(h.Categories, text())
	}
	for range r.IntN(3) {
		h.Enclosures = append(h.Enclosures, Enclosure{URL: text(), Type: text(), Length: r.Int64N(1<<40) - 1})
	}
	return h
}

// G-73
func TestAnyHeadersComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		hs := make([]Header, r.IntN(101))
		for i := range hs {
			hs[i] = randomHeader(r)
		}
		packed, err := PackHeaders(hs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&DeltaRow{Head: packed}).Headers()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, hs) {
			t.Fatalf("headers came back as %+v, want %+v", got, hs)
		}
		list, err := (&DeltaRow{Head: packed}).List()
		if err != nil || list.Len() != len(hs) {
			t.Fatalf("a list of %d headers, %v; want %d", list.Len(), err, len(hs))
		}
		for i, h := range hs {
			if got, err := ParseRecord(string(h.Record())); err != nil || !reflect.DeepEqual(got, h) {
				t.Fatalf("the record of header %d came back as %+v, %v; want %+v", i, got, err, h)
			}
			if !reflect.DeepEqual(list.Get(i), h) || list.Sort(i) != h.Sort {
				t.Fatalf("header %d of the list is %+v at %d, want %+v", i, list.Get(i), list.Sort(i), h)
			}
		}
	}
}

// A damaged row is a typed error, never a panic or a row of wrong length taken for good.
func TestDamagedHeadersAreRefused(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	packed, err := PackHeaders([]Header{randomHeader(r), randomHeader(r), randomHeader(r)})
	if err != nil {
		t.Fatal(err)
	}
	one := randomHeader(r)
	record := string(one.Record())
	for n := range record {
		if _, err := ParseRecord(record[:n]); fault.CodeOf(err) != "bad_record" {
			t.Fatalf("record cut at %d: %v, want bad_record", n, err)
		}
	}
	for n := range packed {
		if _, err := unpackHeaders(packed[:n]); fault.CodeOf(err) != "bad_delta" {
			t.Fatalf("cut at %d: %v, want bad_delta", n, err)
		}
		if _, err := (&DeltaRow{Head: packed[:n]}).List(); fault.CodeOf(err) != "bad_delta" {
			t.Fatalf("list cut at %d: %v, want bad_delta", n, err)
		}
	}
	for range 5000 {
		damaged := append([]byte(nil), packed...)
		damaged[r.IntN(len(damaged))] ^= 1 << r.IntN(8)
		if hs, err := unpackHeaders(damaged); err == nil && len(hs) > len(damaged)*1032 {
			t.Fatalf("%d headers from %d bytes", len(hs), len(damaged))
		}
	}
}

// A list keeps the plain text of its headers, and few bytes beside it.
func TestAListOfHeadersIsSmall(t *testing.T) {
	hs := slices.Repeat(usualHeaders(), 8)
	packed, err := PackHeaders(hs)
	if err != nil {
		t.Fatal(err)
	}
	row, texts := &DeltaRow{Head: packed}, 0
	for _, h := range hs {
		texts += len(h.Title) + len(h.Link) + len(h.Snippet) + len(h.Categories[0])
	}
	list, err := row.List()
	if most := texts + 60*len(hs); err != nil || list.Bytes() > most {
		t.Errorf("%d bytes for texts of %d, want at most %d (%v)", list.Bytes(), texts, most, err)
	}
	// The text, the places, the reader, and the categories that are decoded over and over in one place: 6, and more
	// under the race detector, whose pools forget. One for each header would be 192.
	if n := testing.AllocsPerRun(100, func() { _, _ = row.List() }); n > 60 {
		t.Errorf("%v allocations for a list of %d, want at most 60", n, len(hs))
	}
}

// usualHeaders are those of a feed's first crawl.
func usualHeaders() []Header {
	hs := make([]Header, 24)
	for i := range hs {
		hs[i] = Header{
			Identity: uint64(i) * 0x9E3779B97F4A, Content: uint32(i),
			Title: fmt.Sprintf("The quick brown fox number %d", i),
			Link:  fmt.Sprintf("https://example.org/articles/2026/11/%d", i), Published: 1795200000 - int64(i)*3600,
			Sort:       1795200000 - int64(i)*3600,
			Snippet:    strings.Repeat(fmt.Sprintf("words of item %d that nobody reads ", i), 8),
			Categories: []string{"news"},
		}
	}
	return hs
}

func BenchmarkHeaders(b *testing.B) {
	hs := usualHeaders()
	packed, err := PackHeaders(hs)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("pack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = PackHeaders(hs)
		}
		b.ReportMetric(float64(len(packed)), "bytes")
	})
	b.Run("unpack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = unpackHeaders(packed)
		}
	})
}
