//go:build unix

package extract

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
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
	before := cpuSeconds(b)
	n := 0
	for ; b.Loop(); n++ {
		if err := one(n%len(bodies), bodies[n%len(bodies)]); err != nil {
			b.Fatal(err)
		}
	}
	// Beside the wall clock's MB/s: what the processor did, with the garbage collector's other threads,
	// and without what else runs on the machine.
	if spent := cpuSeconds(b) - before; spent > 0 {
		b.ReportMetric(float64(n)*float64(total)/float64(len(bodies))/1e6/spent, "MB/cpu-s")
	}
}

func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
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
