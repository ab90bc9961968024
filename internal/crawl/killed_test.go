package crawl_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
)

// TestAKilledRunLeavesWhatItHadNotReached: first crawls of one message are claimed each in its turn, so that after a
// kill the message finds those to do that were not reached. Only the one under way may have reached its publisher.
func TestAKilledRunLeavesWhatItHadNotReached(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var ids []reader.FeedID
	var left []int // how many are still to do when a request arrives
	for i := range 4 {
		p := l.page(fmt.Sprint("/first/", i), "")
		p.serve = func(w http.ResponseWriter, _ *http.Request) {
			n := 0
			for _, id := range ids {
				if l.row(id).Fresh() {
					n++
				}
			}
			left = append(left, n)
			_, _ = w.Write([]byte(rss("", numbered(1, 2)...)))
		}
		ids = append(ids, l.feed(l.url(fmt.Sprint("/first/", i))))
	}
	r, err := l.crawler.Run(bg, job.Job{Kind: job.First, Feeds: ids}, 1)
	if err != nil || r.Changed != 4 || !slices.Equal(left, []int{3, 2, 1, 0}) {
		t.Errorf("at the requests %v were to do; %+v, %v", left, r.RunSums, err)
	}
}
