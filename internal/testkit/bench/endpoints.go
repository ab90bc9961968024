package main

import (
	"context"
	"fmt"
	"strings"
)

// endpoints measures every route over a seeded home: 200,000 items in 100 and in 1,000 subscriptions.
func (b *bench) endpoints(ctx context.Context) error {
	names, by, err := b.goBench(ctx, "./internal/bench", "^BenchmarkEndpoints$", "20x")
	if err != nil {
		return err
	}
	for _, size := range []string{"100", "1000"} {
		lines := []string{"route\tCPU ms\tcold\tallocations\tKB\tgzip KB\tread units\tcold\tin the cloud\twrite units"}
		for _, name := range names {
			route, ok := strings.CutPrefix(name, "Endpoints/"+size+"/")
			if !ok {
				continue
			}
			f := by[name]
			lines = append(lines, fmt.Sprintf("%s\t%.2f\t%.2f\t%.0f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f", strings.ReplaceAll(route, "_", " "), f["cpu-ms"],
				f["cold-ms"], f["mallocs"], f["bytes"]/1024, f["gzip-bytes"]/1024, f["reads"], f["cold-reads"], f["far-reads"], f["writes"]))
		}
		b.rows(fmt.Sprintf("Every route, %s subscriptions and 200,000 items (lists: at most 25 read units at 100 subscriptions, 150 cold and 60 warm at 1,000; under 10 ms CPU)", size), lines...)
	}
	return b.imports(ctx)
}

// imports measures a list of 1,000 feeds while the queue is worked off.
func (b *bench) imports(ctx context.Context) error {
	_, by, err := b.goBench(ctx, "./internal/bench", "^BenchmarkImport$", "1x")
	if err != nil {
		return err
	}
	f := by["Import"]
	b.rows("An OPML list of 1,000 feeds on 20 hosts, s after it was sent (accepted within 1 s, first items while it runs)",
		"accepted\tCPU ms\twrite units\tfirst items\tall subscribed\tall crawled\twrite units a feed",
		fmt.Sprintf("%.3f\t%.1f\t%.1f\t%.2f\t%.1f\t%.1f\t%.1f", f["accepted-ms"]/1000, f["accepted-cpu-ms"], f["accepted-writes"],
			f["first-items-ms"]/1000, f["subscribed-ms"]/1000, f["crawled-ms"]/1000, f["writes/feed"]))
	return nil
}
