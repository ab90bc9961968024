package main

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// sample is the times of one operation in one pass.
type sample struct {
	times []time.Duration
	span  time.Duration // of the whole pass
	cpu   time.Duration // the server's, for all requests
	bytes int           // on the wire, of all bodies
	items int           // in one answer, where that is counted
	// missed counts whole answers where 304 was expected: the list has changed since.
	missed int
}

// figures are the measurements of an operation.
type figures struct {
	n               int
	p50, p99, cpu   time.Duration // a request
	rate, kilobytes float64       // requests a second; of an answer
	items           int
	failed          string
}

func (s *sample) figures() figures {
	n := len(s.times)
	if n == 0 {
		return figures{}
	}
	slices.Sort(s.times)
	return figures{
		n: n, p50: percentile(s.times, 0.5), p99: percentile(s.times, 0.99), cpu: s.cpu / time.Duration(n),
		rate: float64(n) / max(s.span, 1).Seconds(), kilobytes: float64(s.bytes) / float64(n) / 1024, items: s.items,
	}
}

// percentile is the least of the sorted values that a share p of them does not exceed (nearest rank).
func percentile[T any](sorted []T, p float64) T {
	return sorted[max(int(math.Ceil(p*float64(len(sorted)))), 1)-1]
}

// middle is the median; of an even number the lower one.
func middle[T cmp.Ordered](list []T) T {
	var none T
	if len(list) == 0 {
		return none
	}
	return percentile(slices.Sorted(slices.Values(list)), 0.5)
}

// medians takes the median of each figure over the rounds. What failed in one round has failed.
func medians(rounds []figures) figures {
	return figures{
		n:   middle(each(rounds, func(f figures) int { return f.n })),
		p50: middle(each(rounds, func(f figures) time.Duration { return f.p50 })),
		p99: middle(each(rounds, func(f figures) time.Duration { return f.p99 })),
		cpu: middle(each(rounds, func(f figures) time.Duration { return f.cpu })),
		rate: middle(each(rounds, func(f figures) float64 {
			return f.rate
		})), kilobytes: middle(each(rounds, func(f figures) float64 { return f.kilobytes })),
		items:  middle(each(rounds, func(f figures) int { return f.items })),
		failed: slices.Max(append(each(rounds, func(f figures) string { return f.failed }), "")),
	}
}

func each[T, U any](list []T, of func(T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = of(x)
	}
	return out
}
