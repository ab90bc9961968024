package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// bench is one measurement.
type bench struct {
	rounds     int
	span       time.Duration // for which each operation is measured over HTTP
	root, work string
	only       *regexp.Regexp // the operations over HTTP that are measured
	ruri, farm string         // programs; no farm when its source is not there
	out        io.Writer
}

// machine says where this was measured.
func (b *bench) machine() {
	model := "unknown processor"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	load := ""
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = ", load " + strings.Join(strings.Fields(string(text))[:1], "")
	}
	fmt.Fprintf(b.out, "%s, %s/%s, %d cores (%s)%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), model, load)
}

// rows prints lines of tab-separated cells as a table.
func (b *bench) rows(title string, lines ...string) {
	fmt.Fprintf(b.out, "\n%s\n", title)
	w := tabwriter.NewWriter(b.out, 0, 4, 2, ' ', tabwriter.AlignRight)
	for _, l := range lines {
		fmt.Fprintln(w, l+"\t")
	}
	_ = w.Flush()
}

func (b *bench) printCrawls(n int, rounds []round) {
	r := median(rounds)
	phases := append([]phase{r.first, r.same, r.change}, r.again...)
	counts := []string{"counts\tpolled\tnot modified\tunchanged\tchanged\tnew items\ttable reads\ttable " +
		"writes\tblobs\tKB\trequests\tmost a feed\tmost at once a host\tconnections"}
	times := []string{"times\tfeeds/s\tCPU s\tCPU ms/feed\twall s\tpeak PSS MB"}
	for _, p := range phases {
		s, f := p.sums, p.farm
		counts = append(counts, fmt.Sprintf("%s\t%d\t%d\t%d\t%d\t%d\t%.1f\t%.1f\t%d\t%d\t%d\t%d\t%d\t%d", p.name,
			s.Polled, s.NotModified,
			s.Unchanged, s.Changed, s.NewItems, s.TableReads, s.TableWrites, s.BlobPuts, s.Bytes>>10, f.Requests,
			f.MaxPerFeed, f.MaxPerHost, f.Connections))
		times = append(times, fmt.Sprintf("%s\t%.0f\t%.2f\t%.3f\t%.2f\t%.1f", p.name, p.rate(), p.usage.cpu.Seconds(),
			millis(p.perFeed()),
			p.usage.wall.Seconds(), mb(p.usage.peakPSS)))
	}
	floorFirst, floorSame := r.floorFirst/time.Duration(n), r.floorSame/time.Duration(n)
	times = append(times,
		fmt.Sprintf("import\t\t%.2f\t%.3f\t%.2f\t%.1f", r.imported.cpu.Seconds(), millis(r.imported.cpu)/float64(n),
			r.imported.wall.Seconds(), mb(r.imported.peakPSS)),
		fmt.Sprintf("plain Go client, first\t\t%.2f\t%.3f\t\t", r.floorFirst.Seconds(), millis(floorFirst)),
		fmt.Sprintf("plain Go client, unchanged\t\t%.2f\t%.3f\t\t", r.floorSame.Seconds(), millis(floorSame)))
	title := fmt.Sprintf("Crawls of %d feeds on %d hosts, %d hosts at once", n, farmHosts, parallel)
	if len(rounds) > 1 {
		title += fmt.Sprintf(" (the median of %d rounds by the CPU of `first`)", len(rounds))
	}
	b.rows(title, counts...)
	b.rows("", times...)
	changed := changedCost(r)
	// P1 to P3 are 0.40, 0.5 and 0.40 of what yarr took (docs/develop/performance.md).
	b.rows("",
		"gate\twhat\treached\tmust\taim",
		fmt.Sprintf("P1\tfirst crawl with the index of searches, CPU ms/feed (x plain client)\t%.2f (%.1fx)\t3.9\t2.4",
			millis(r.first.perFeed()), ratio(r.first.perFeed(), floorFirst)),
		fmt.Sprintf("P2\tunchanged feed, CPU ms/feed (x plain client)\t%.3f (%.1fx)\t0.085\t0.06",
			millis(r.same.perFeed()), ratio(r.same.perFeed(), floorSame)),
		fmt.Sprintf("P3\tchanged feed, CPU ms/feed\t%.2f\t1.9\t1.2", millis(changed)),
		fmt.Sprintf("P5\tpeak PSS of a crawl, MB\t%.1f\t57\t50", mb(r.peak())),
		fmt.Sprintf("P21\titems kept of %d, off by\t%d\t0\t0", r.items, r.lost),
		fmt.Sprintf("P17\tdata folder after the first crawl, MB for 1,000 feeds\t%.1f\t52\t45",
			mb(r.stored)*1000/float64(n)),
		fmt.Sprintf("\tdata folder at the end, MB\t%.1f\t\t", mb(r.folder)),
		fmt.Sprintf("\tthe index made anew (%d items, %d segments), CPU µs/item; peak PSS, MB\t%.1f; %.1f\t\t",
			r.indexed.Items, r.indexed.Segments,
			millis(r.index.cpu)*1000/float64(max(r.indexed.Items, 1)), mb(r.index.peakPSS)),
		fmt.Sprintf("\tthe index that is up to date, CPU ms\t%.0f\t\t", millis(r.indexAgain.cpu)),
	)
}

// changedCost is what one changed feed costs over an unchanged one, over all crawls with changes.
func changedCost(r round) time.Duration {
	var sum time.Duration
	n := 0
	for _, p := range append([]phase{r.change}, r.again...) {
		sum += p.usage.cpu - r.same.usage.cpu
		n += p.farm.OK
	}
	return sum / time.Duration(max(n, 1))
}

func (r *round) peak() int64 {
	peak := int64(0)
	for _, p := range append([]phase{r.first, r.same, r.change}, r.again...) {
		peak = max(peak, p.usage.peakPSS)
	}
	return peak
}

// median is the round in the middle by what its first crawl cost.
func median(rounds []round) round {
	sorted := slices.Clone(rounds)
	slices.SortFunc(sorted, func(a, b round) int { return int(a.first.usage.cpu - b.first.usage.cpu) })
	return sorted[len(sorted)/2]
}

func millis(d time.Duration) float64 { return d.Seconds() * 1000 }

func mb(n int64) float64 { return float64(n) / (1 << 20) }

func ratio(a, b time.Duration) float64 {
	if b <= 0 {
		return 0
	}
	return float64(a) / float64(b)
}
