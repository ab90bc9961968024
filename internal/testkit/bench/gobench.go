package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// figures are a Go benchmark's, by unit: ns/op, MB/s, B/op, allocs/op and its own.
type figures map[string]float64

// goBench runs Go benchmarks of a package and gives their figures by name, in order.
func (b *bench) goBench(ctx context.Context, pkg, pattern, benchtime string, env ...string) (names []string, by map[string]figures, err error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", pattern, "-benchtime", benchtime, "-benchmem", pkg)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, nil, fmt.Errorf("go test -bench %s %s: %w\n%s", pattern, pkg, err, out)
	}
	by = map[string]figures{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		f := strings.Fields(s.Text())
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(f[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i]
		}
		by[name] = figures{}
		names = append(names, name)
		for i := 2; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				break
			}
			by[name][f[i+1]] = v
		}
	}
	return names, by, nil
}

// extraction measures the light extraction beside gofeed, on the same bodies (P15, P16).
func (b *bench) extraction(ctx context.Context) error {
	if b.farm == "" {
		return nil
	}
	dump := filepath.Join(b.work, "dump")
	if text, err := exec.CommandContext(ctx, b.farm, "-n", "300", "-seed", "1", "-dump", dump).CombinedOutput(); err != nil {
		return fmt.Errorf("feedfarm -dump: %w\n%s", err, text)
	}
	names, by, err := b.goBench(ctx, "./internal/extract", "^Benchmark(Scan|ScanKnown|Gofeed)$", "2s", "RURI_FEEDS_DUMP="+dump)
	if err != nil {
		return err
	}
	ref := by["Gofeed"]
	lines := []string{"extraction\tMB/s\tMB a CPU second\tx gofeed\tallocations\tof gofeed's\tKB allocated"}
	for _, name := range names {
		f := by[name]
		lines = append(lines, fmt.Sprintf("%s\t%.0f\t%.0f\t%.1f\t%.0f\t%.3f\t%.0f", name, f["MB/s"], f["MB/cpu-s"],
			f["MB/cpu-s"]/ref["MB/cpu-s"], f["allocs/op"], f["allocs/op"]/ref["allocs/op"], f["B/op"]/1024))
	}
	b.rows("Extraction of 300 feeds of the farm (P15: at least 20x gofeed and 0.1 of its allocations; P16: known items at 1,000 MB/s)", lines...)
	return nil
}

// handlers measures the API's handlers (P7, P10).
func (b *bench) handlers(ctx context.Context) error {
	names, by, err := b.goBench(ctx, "./internal/bench", "^BenchmarkAPI$", "1s")
	if err != nil {
		return err
	}
	lines := []string{"API\tms\tCPU ms\tallocations\tKB allocated\tKB answered\trows read\trows written"}
	for _, name := range names {
		f := by[name]
		lines = append(lines, fmt.Sprintf("%s\t%.3f\t%.3f\t%.0f\t%.0f\t%.1f\t%.1f\t%.1f", strings.TrimPrefix(name, "API/"), f["ns/op"]/1e6, f["cpu-ns/op"]/1e6,
			f["allocs/op"], f["B/op"]/1024, f["KB/answer"], f["rows-read/op"], f["rows-written/op"]))
	}
	b.rows("API, one request at a time over the embedded table (P7: feeds of 5,000 subscriptions within 10 ms; P10: mark all read writes 1 row a feed)", lines...)
	return nil
}
