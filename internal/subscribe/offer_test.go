package subscribe

import (
	"fmt"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
)

func TestPace(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	ago := func(days ...int) (out []time.Time) {
		for _, d := range days {
			out = append(out, now.Add(-time.Duration(d)*24*time.Hour))
		}
		return out
	}
	tests := []struct {
		name   string
		dates  []time.Time
		weekly float64
		newest time.Time
	}{
		{"nothing", nil, -1, time.Time{}},
		{"no dates", make([]time.Time, 3), -1, time.Time{}},
		{"the future alone", ago(-1), -1, time.Time{}},
		{"one a day, listed for a week", ago(0, 1, 2, 3, 4, 5, 6, 7), 8, now},
		{"two in four weeks", ago(3, 20, 100), 0.5, ago(3)[0]},
		{"silent for months", ago(100, 200), 0, ago(100)[0]},
		{"three today", ago(0, 0, 0), 21, now},
	}
	for _, tt := range tests {
		if weekly, newest := pace(tt.dates, now); weekly != tt.weekly || !newest.Equal(tt.newest) {
			t.Errorf("%s: %v a week, newest %v", tt.name, weekly, newest)
		}
	}
}

// What a discovery keeps is bounded, given once, and not for long.
func TestRecent(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	var r recent
	body := []byte("a feed")
	for i := range recentMany + 3 {
		r.put(fmt.Sprint("u", i), &fetch.Response{Status: 200, Body: body}, now)
	}
	body[0] = 'X' // the buffer goes back to its pool
	if len(r.list) != recentMany || r.take("u0", now) != nil {
		t.Errorf("%d are kept", len(r.list))
	}
	if got := r.take("u6", now.Add(time.Minute)); got == nil || string(got.Body) != "a feed" || got.Status != 200 {
		t.Errorf("took %+v", got)
	}
	if r.take("u6", now) != nil || r.take("u7", now.Add(recentFor)) != nil ||
		r.take("u8", now.Add(-time.Second)) != nil {
		t.Error("given twice, too late, or before its time")
	}
	r.put("large", &fetch.Response{Body: make([]byte, recentLargest+1)}, now)
	if r.take("large", now) != nil {
		t.Error("a large body is kept")
	}
}
