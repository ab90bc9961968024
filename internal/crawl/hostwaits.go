package crawl

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A 429 with Retry-After is about the client, not about one feed (RFC 6585, 4): until then no feed of the host is
// polled, by this run or by later ones, which read it from the part's lease. A 503 may be about one feed, whose row has
// the time. It is about the host once a second feed of it gets one as well (RFC 9110, 15.6.4).

// addHostWaits adds the hosts that a part's lease names.
func (r *run) addHostWaits(lease store.LeaseRow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(r.waits, lease.HostWaits())
}

// waitUntil returns until when the feed's host may not be polled; zero when it may.
func (r *run) waitUntil(f *store.FeedRow) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return waitUntil(r.waits, f, r.c.clock.Now())
}

func waitUntil(q store.HostWaits, f *store.FeedRow, now time.Time) time.Time {
	if len(q) == 0 {
		return time.Time{} // as a rule; without parsing the address
	}
	if until := q[fetch.HostOf(f.URL)]; until > now.Unix() {
		return time.Unix(until, 0).UTC()
	}
	return time.Time{}
}

// noteHostWait notes that a feed's host asked to wait.
func (r *run) noteHostWait(f *store.FeedRow, resp *fetch.Response) {
	if resp.RetryAfter <= 0 || resp.Status != http.StatusTooManyRequests &&
		resp.Status != http.StatusServiceUnavailable {
		return
	}
	host := fetch.HostOf(f.URL)
	if fetch.HostOf(resp.FinalURL) != host {
		return // another host, after a redirect: it is in the feed's row alone
	}
	now := r.c.clock.Now()
	until := now.Add(min(resp.RetryAfter, schedule.MaxHint) + time.Second - 1).Unix()
	r.mu.Lock()
	defer r.mu.Unlock()
	who := host
	if resp.Status == http.StatusServiceUnavailable && !r.waits.HasOther(host, f.ID(), now) {
		who = store.OfFeed(host, f.ID())
	}
	r.waits[who] = max(r.waits[who], until)
	r.newWaits = true
}

// saveHostWaits writes the hosts that asked this run to wait into the leases, for later runs.
func (r *run) saveHostWaits(ctx context.Context, first, parts int) {
	if !r.newWaits {
		return
	}
	now := r.c.clock.Now()
	for part := first; part < first+parts; part++ {
		q := store.HostWaits{}
		for who, until := range r.waits {
			if host, _, _ := strings.Cut(who, " "); parts == 1 || schedule.Part(host, parts) == part {
				q[who] = until
			}
		}
		if err := r.c.store.Leases.SaveHostWaits(ctx, part, q, now); err != nil {
			r.c.o.Log.Warn("what hosts asked for is not kept; their feeds have it for themselves", "part",
				part, "error", err)
		}
	}
}
