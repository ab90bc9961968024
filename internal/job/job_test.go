package job_test

import (
	"fmt"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

func TestTurnOf(t *testing.T) {
	t.Parallel()
	hourly := schedule.Plan{First: 1000, Period: 5}
	night := schedule.Plan{First: 1000, Period: 5, Skip: schedule.Skip{Hours: 1 << schedule.Tick(1012).Start().Hour()}}
	for _, c := range []struct {
		name    string
		plan    schedule.Plan
		fresh   bool
		last, t schedule.Tick
		want    job.Turn
	}{
		{"its turn", hourly, false, 1004, 1005, job.OnTurn},
		{"its turn, long after the last", hourly, false, 900, 1005, job.OnTurn},
		{"between turns", hourly, false, 1006, 1007, job.NoTurn},
		{"the tick after a turn that was taken", hourly, false, 1005, 1006, job.NoTurn},
		{"missed a turn", hourly, false, 1004, 1006, job.Late},
		{"missed many", hourly, false, 1001, 1104, job.Late},
		{"missed none", hourly, false, 1006, 1009, job.NoTurn},
		{"a part that never ran", hourly, false, 0, 1006, job.NoTurn},
		{"before its first turn", hourly, false, 900, 999, job.NoTurn},
		{"missed, and now is not the time", night, false, 1004, 1012, job.NoTurn},
		{"never polled", hourly, true, 1006, 1007, job.Late},
		{"never polled, in its turn", hourly, true, 1004, 1005, job.Late},
		{"time went back", hourly, false, 1010, 1007, job.NoTurn},
	} {
		if got := job.TurnOf(c.plan, c.fresh, c.last, c.t); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

//
// M-17
func TestMessages(t *testing.T) {
	t.Parallel()
	j := job.Job{Kind: job.Scheduled, Tick: 7, Part: 3, Feeds: []reader.FeedID{1, 2}, Late: []reader.FeedID{9}}
	back, err := job.Decode(j.Encode())
	if err != nil || fmt.Sprint(back) != fmt.Sprint(j) {
		t.Errorf("%+v became %+v, %v", j, back, err)
	}
	for _, kind := range job.Kinds() {
		sent := job.Job{Kind: kind, Tick: 7, State: []byte(`{"until":9}`)}
		if back, err := job.Decode(sent.Encode()); err != nil || fmt.Sprint(back) != fmt.Sprint(sent) {
			t.Errorf("%+v became %+v, %v", sent, back, err)
		}
	}
	for _, body := range []string{"", "{", `{"kind":"other"}`, `[]`, `{"kind":"scheduled","tick":"x"}`} {
		if _, err := job.Decode([]byte(body)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// All feeds of a host are in one message, whatever their paths.
func TestGroupKeepsHostsTogether(t *testing.T) {
	t.Parallel()
	urls := map[reader.FeedID]string{}
	for id := range reader.FeedID(300) {
		urls[id+1] = fmt.Sprintf("https://host%d.example/%d", id%20, id)
	}
	seen, hosts := map[reader.FeedID]bool{}, map[reader.FeedID]int{}
	for _, j := range job.Group(job.First, 8, urls) {
		for _, id := range j.Feeds {
			if seen[id] {
				t.Errorf("feed %d is in two messages", id)
			}
			seen[id] = true
			host := (id - 1) % 20
			if part, ok := hosts[host]; ok && part != j.Part {
				t.Errorf("host %d is in parts %d and %d", host, part, j.Part)
			}
			hosts[host] = j.Part
		}
	}
	if len(seen) != 300 {
		t.Errorf("%d feeds in messages", len(seen))
	}
}

//
func TestPartsGrowWithTheFeeds(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 1, 1: 1, 250: 1, 251: 2, 1000: 4, 200_000: 800} {
		if got := job.Parts(0, n); got != want {
			t.Errorf("%d feeds: %d parts, want %d", n, got, want)
		}
	}
	if job.Parts(7, 1) != 7 {
		t.Error("a fixed number is not kept")
	}
}
