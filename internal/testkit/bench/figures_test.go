package main

import (
	"testing"
	"time"
)

func TestPercentile(t *testing.T) {
	t.Parallel()
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = i + 1
	}
	for _, c := range []struct {
		list []int
		p    float64
		want int
	}{
		{[]int{7}, 0.5, 7}, {[]int{7}, 0.99, 7}, {[]int{7}, 0, 7},
		{[]int{1, 2, 3}, 0.5, 2}, {[]int{1, 2, 3, 4}, 0.5, 2}, {[]int{1, 2, 3}, 0.99, 3}, {[]int{1, 2, 3}, 1, 3},
		{hundred, 0.5, 50}, {hundred, 0.99, 99}, {hundred, 0.991, 100},
	} {
		if got := percentile(c.list, c.p); got != c.want {
			t.Errorf("percentile %v of %d values is %d, want %d", c.p, len(c.list), got, c.want)
		}
	}
}

func TestFiguresOfASample(t *testing.T) {
	t.Parallel()
	s := sample{span: 2 * time.Second, cpu: 30 * time.Millisecond, bytes: 5 * 2048, items: 50}
	for _, ms := range []int{9, 1, 5, 3, 2} {
		s.times = append(s.times, time.Duration(ms)*time.Millisecond)
	}
	want := figures{n: 5, p50: 3 * time.Millisecond, p99: 9 * time.Millisecond, cpu: 6 * time.Millisecond, rate: 2.5,
		kilobytes: 2, items: 50}
	if got := s.figures(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := (&sample{}).figures(); got != (figures{}) {
		t.Errorf("no requests give %+v", got)
	}
}

// Each figure has a median of its own, whatever round it comes from.
func TestMedians(t *testing.T) {
	t.Parallel()
	got := medians([]figures{{p50: 3, p99: 10, rate: 1, items: 50}, {p50: 1, p99: 30, rate: 3, items: 30},
		{p50: 2, p99: 20, rate: 2, items: 50}})
	if want := (figures{p50: 2, p99: 20, rate: 2, items: 50}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := medians(nil); got != (figures{}) {
		t.Errorf("no rounds give %+v", got)
	}
}
