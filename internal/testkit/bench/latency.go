package main

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
)

const (
	medianLatency = 0.1 // seconds
	latencySigma  = 0.6
	latencyHosts  = 1000
)

// latencyRun measures crawls of publishers that are far away (P4): one request at a time to a host, so
// that the busiest host bounds the whole.
func (b *bench) latencyRun(ctx context.Context, n int) error {
	f, err := startFarm(ctx, b.farm, n, latencyHosts, "-latency", fmt.Sprintf("%gs", medianLatency), "-jitter",
		fmt.Sprint(latencySigma))
	if err != nil {
		return err
	}
	defer f.stop()
	urls, err := f.addresses()
	if err != nil {
		return err
	}
	busiest := 0
	byHost := map[string]int{}
	for _, u := range urls {
		parsed, err := url.Parse(u)
		if err != nil {
			return err
		}
		byHost[parsed.Host]++
		busiest = max(busiest, byHost[parsed.Host])
	}
	// The mean of a log-normal delay is above its median.
	bound := float64(busiest) * medianLatency * math.Exp(latencySigma*latencySigma/2)
	data := filepath.Join(b.work, "latency")
	if _, err := b.load(ctx, data, urls); err != nil {
		return err
	}
	lines := []string{"P4\tfeeds/s\tspan s\tbound s\tspan / bound (must 1.5, aim 1.2)\tmost at once a host\tmost in " +
		"flight\tCPU ms/feed\tpeak PSS MB"}
	for _, name := range []string{"first", "unchanged"} {
		p, err := b.crawl(ctx, f, data, name, n, 0)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%s\t%.0f\t%.2f\t%.2f\t%.2f\t%d\t%d\t%.3f\t%.1f", name, p.rate(), p.farm.Span,
			bound, p.farm.Span/bound,
			p.farm.MaxPerHost, p.farm.MaxInFlight, millis(p.perFeed()), mb(p.usage.peakPSS)))
	}
	b.rows(fmt.Sprintf("%d feeds with a latency of 100 ms (log-normal, sigma 0.6), %d of them on the busiest of %d "+
		"hosts, %d hosts at once",
		n, busiest, len(byHost), parallel), lines...)
	return nil
}
