package sqlitetable_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
)

// feedRow has the shape of the rows that are read by the thousand: some twenty attributes, one of them
// packed bytes, about 0.7 KB.
type feedRow struct {
	PK     string `dynamo:"pk"`
	SK     string `dynamo:"sk"`
	URL    string `dynamo:"url"`
	Title  string `dynamo:"title"`
	Site   string `dynamo:"site"`
	ETag   string `dynamo:"etag,omitempty"`
	Mod    string `dynamo:"lastmod,omitempty"`
	Hash   string `dynamo:"hash"`
	Raw    string `dynamo:"raw"`
	Lang   string `dynamo:"lang"`
	Status string `dynamo:"status"`
	First  int64  `dynamo:"first"`
	Period int    `dynamo:"period"`
	Polled int64  `dynamo:"polled"`
	Seq    int    `dynamo:"seq"`
	Floor  int    `dynamo:"floor"`
	Stamp  int64  `dynamo:"stamp"`
	Errors int    `dynamo:"errors,omitempty"`
	V      int    `dynamo:"v"`
	Hub    bool   `dynamo:"hub"`
	Known  []byte `dynamo:"known"`
}

func feed(i int) *feedRow {
	known := make([]byte, 300)
	for j := range known {
		known[j] = byte(i*31 + j*7)
	}
	return &feedRow{
		PK: fmt.Sprintf("FEEDS#%d", i>>10), SK: fmt.Sprintf("%06d", i),
		URL:   fmt.Sprintf("https://www.example.org/feeds/%d/index.xml", i),
		Title: "A feed of moderate length, in words", Site: "https://www.example.org/", ETag: `"5f2a-61b8c5d0f3e40"`,
		Mod: "Sat, 21 Nov 2026 05:04:11 GMT", Hash: "9f86d081884c7d65",
		Raw:  fmt.Sprintf("feeds/2026/11/21/%016x/body", i),
		Lang: "en", Status: "active", First: 12345 + int64(i), Period: 5, Polled: 1795238651, Seq: i % 1000, Floor: 3,
		Stamp: 471234, V: 1, Hub: i%7 == 0, Known: known,
	}
}

func open(tb testing.TB, o table.Options) *table.Table {
	tb.Helper()
	d, err := sqlitetable.Open(filepath.Join(tb.TempDir(), "ruri.db"), sqlitetable.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	t := table.New(d, o)
	tb.Cleanup(func() { _ = t.Close() })
	return t
}

func fill(tb testing.TB, t *table.Table, n int) {
	tb.Helper()
	var rows []any
	for i := range n {
		rows = append(rows, feed(i))
	}
	if err := t.BatchWrite(context.Background(), rows, nil); err != nil {
		tb.Fatal(err)
	}
}

func BenchmarkList5000(b *testing.B) {
	t := open(b, table.Options{})
	fill(b, t, 5000)
	ctx := context.Background()
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		rows = 0
		for p := range 5 {
			for r, err := range t.Query(ctx, table.Query{PK: fmt.Sprintf("FEEDS#%d", p)}) {
				var f feedRow
				rows++
				if err == nil {
					err = r.Decode(&f)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(rows), "µs/row")
}

func BenchmarkDecodeRow(b *testing.B) {
	row, err := table.NewRow(feed(1))
	if err != nil {
		b.Fatal(err)
	}
	packed := table.PackedRow(row.Key, row.Packed(), row.Size(), 0)
	b.ReportAllocs()
	for b.Loop() {
		var f feedRow
		if err := packed.Decode(&f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeRow(b *testing.B) {
	f := feed(1)
	b.ReportAllocs()
	for b.Loop() {
		row, err := table.NewRow(f)
		if err != nil || row.Packed() == "" {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	t := open(b, table.Options{})
	fill(b, t, 5000)
	ctx := context.Background()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		var f feedRow
		i = (i*1103515245 + 12345) & 0x7fffffff
		n := i % 5000
		if err := t.Get(ctx, table.Key{PK: fmt.Sprintf("FEEDS#%d", n>>10), SK: fmt.Sprintf("%06d", n)},
			&f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuery50(b *testing.B) {
	t := open(b, table.Options{})
	fill(b, t, 5000)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		rows := 0
		for r, err := range t.Query(ctx, table.Query{PK: "FEEDS#2", Page: 50, From: "002100"}) {
			var f feedRow
			if err == nil {
				err = r.Decode(&f)
			}
			if err != nil {
				b.Fatal(err)
			}
			if rows++; rows == 50 {
				break
			}
		}
	}
}

func BenchmarkPut(b *testing.B) {
	t := open(b, table.Options{})
	ctx := context.Background()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		if err := t.Put(ctx, feed(i%5000)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPut64Writers(b *testing.B) {
	t := open(b, table.Options{})
	d := t.Driver().(*sqlitetable.Driver)
	ctx := context.Background()
	b.ReportAllocs()
	b.SetParallelism(32) // times two cores
	var n atomic.Int64
	before := d.Commits()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := t.Put(ctx, feed(int(n.Add(1))%5000)); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(n.Load())/float64(d.Commits()-before), "puts/commit")
}

func BenchmarkUpdate(b *testing.B) {
	t := open(b, table.Options{})
	fill(b, t, 1000)
	ctx := context.Background()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		k := table.Key{PK: "FEEDS#0", SK: fmt.Sprintf("%06d", i%1000)}
		if err := t.Update(ctx, k, table.Update{Set: map[string]any{"etag": "new"}, Add: map[string]int64{"seq": 1},
			If: []table.Cond{table.IfEqual("status", "active")}}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkChanges(b *testing.B) {
	t := open(b, table.Options{})
	fill(b, t, 10)
	ctx := context.Background()
	_, now, _ := t.Changes(ctx, 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, complete := t.Changes(ctx, now); !complete {
			b.Fatal("not complete")
		}
	}
}
