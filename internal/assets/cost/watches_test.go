package cost

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestWatchesAreAdded(t *testing.T) {
	t.Parallel()
	day := Day{Ticks: 96, Polls: 100, Crawler: Function{Invocations: 90, Seconds: 50}, Crawl: Units{Writes: 40}}
	with := day
	if with.AddWatches(0); !reflect.DeepEqual(with, day) {
		t.Errorf("none: %+v", with)
	}
	with.AddWatches(10)
	if with.Crawl.Writes != 40+250 || with.Polls != 100+192 || with.Crawler.Invocations != 90+78 ||
		with.Crawler.Seconds != 50+135 || with.Messages != 78 {
		t.Errorf("%+v", with)
	}
	o := Options{Feeds: 1, Users: 1, Tick: 15 * time.Minute, Interval: time.Hour, Watches: 10}
	r, err := Embedded().Report(o, &with, "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := r.Write(&out); err != nil ||
		!strings.Contains(out.String(), "10   looked at 192 times; 250 write units") {
		t.Errorf("%v, %s", err, out.String())
	}
}
