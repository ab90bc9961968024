package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// routes measures every route over 200,000 items in 100 and in 1,000 subscriptions, and an import of 1,000 feeds.
func (b *bench) routes(ctx context.Context) error {
	var out bytes.Buffer
	if err := b.goBenchTo(ctx, &out, "./internal/testkit/bench", "^BenchmarkEndpoints$", "20x"); err != nil {
		return fmt.Errorf("%w\n%s", err, &out)
	}
	fmt.Fprint(b.out, "\nEvery route, 200,000 items in 100 and in 1,000 subscriptions (lists: at most 25 read units "+
		"at 100 subscriptions, 150 cold and 60 warm at 1,000; under 10 ms CPU)\n\n")
	printRoutes(b.out, out.String())
	return b.goBench(ctx, "An OPML list of 1,000 feeds on 20 hosts, ms after it was sent (accepted within 1 s, first "+
		"items while it runs)",
		"./internal/testkit/bench", "^BenchmarkImport$", "1x")
}

var routeLine = regexp.MustCompile(`(?m)^BenchmarkEndpoints/(\d+)/(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// printRoutes prints the benchmark's lines as a table, routes in their order and numbers of subscriptions side by side.
func printRoutes(w io.Writer, text string) {
	var sizes, names []string
	cells := map[string]string{}
	for _, m := range routeLine.FindAllStringSubmatch(text, -1) {
		size, name := m[1], strings.ReplaceAll(m[2], "_", " ")
		if len(sizes) == 0 || sizes[len(sizes)-1] != size {
			sizes = append(sizes, size)
		}
		if len(sizes) == 1 {
			names = append(names, name)
		}
		v := map[string]float64{}
		f := strings.Fields(m[3])
		for i := 0; i+1 < len(f); i += 2 {
			v[f[i+1]], _ = strconv.ParseFloat(f[i], 64)
		}
		cells[size+name] = fmt.Sprintf(" %s; %s | %.0f | %s | %s; %s; %s | %s |", short(v["cpu-ms"]),
			short(v["cold-ms"]), v["mallocs"],
			short(v["bytes"]/1000), short(v["reads"]), short(v["cold-reads"]), short(v["far-reads"]),
			short(v["writes"]))
	}
	head, line := "| route |", "| --- |"
	for _, size := range sizes {
		head += " " + size + ": CPU ms | alloc. | KB | read units | write |"
		line += strings.Repeat(" --- |", 5)
	}
	fmt.Fprintln(w, head+"\n"+line)
	for _, name := range names {
		fmt.Fprintf(w, "| `%s` |", name)
		for _, size := range sizes {
			fmt.Fprint(w, cells[size+name])
		}
		fmt.Fprintln(w)
	}
}

// short is a figure with as many digits as mean something.
func short(x float64) string {
	digits := 2
	if x >= 100 {
		digits = 0
	} else if x >= 1 {
		digits = 1
	}
	text := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
