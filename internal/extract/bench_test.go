package extract

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/mmcdole/gofeed"
)

// benchBodies are the documents to measure on: the folder RURI_FEEDS_DUMP (made by the feed farm with
// -dump), else the package's own fixtures.
func benchBodies(b *testing.B) (bodies [][]byte, total int64) {
	b.Helper()
	dir := os.Getenv("RURI_FEEDS_DUMP")
	if dir == "" {
		dir = filepath.Join("testdata", "feeds")
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range files {
		body, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			b.Fatal(err)
		}
		bodies = append(bodies, body)
		total += int64(len(body))
	}
	return bodies, total
}

func perFeed(b *testing.B, bodies [][]byte, total int64, one func(i int, body []byte) error) {
	b.Helper()
	b.SetBytes(total / int64(len(bodies)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := one(i%len(bodies), bodies[i%len(bodies)]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkScan extracts feeds of which every item is new.
func BenchmarkScan(b *testing.B) {
	bodies, total := benchBodies(b)
	perFeed(b, bodies, total, func(_ int, body []byte) error {
		_, err := Scan(body, "", "http://127.0.0.1/f", Options{})
		return err
	})
}

// BenchmarkScanKnown extracts feeds of which every item is known.
func BenchmarkScanKnown(b *testing.B) {
	bodies, total := benchBodies(b)
	known := make([]map[uint64]uint32, len(bodies))
	for i, body := range bodies {
		f, err := Scan(body, "", "http://127.0.0.1/f", Options{})
		if err != nil {
			b.Fatal(err)
		}
		known[i] = map[uint64]uint32{}
		for _, it := range f.Items {
			known[i][it.Identity] = it.Content
		}
	}
	perFeed(b, bodies, total, func(i int, body []byte) error {
		_, err := Scan(body, "", "http://127.0.0.1/f", Options{Known: func(id uint64) (uint32, bool) {
			c, ok := known[i][id]
			return c, ok
		}})
		return err
	})
}

// BenchmarkGofeed reads the same bodies with gofeed, for the ratio.
func BenchmarkGofeed(b *testing.B) {
	bodies, total := benchBodies(b)
	p := gofeed.NewParser()
	perFeed(b, bodies, total, func(_ int, body []byte) error {
		_, err := p.Parse(bytes.NewReader(body))
		return err
	})
}
