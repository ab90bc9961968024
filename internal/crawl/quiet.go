package crawl

import (
	"context"
	"maps"
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A host that answers 429 or 503 with a Retry-After means the visitor, not the one feed (RFC 9110, 10.2.3; RFC 6585, 4):
// all its feeds are left alone until then. The rest of the run keeps to it, and later runs learn of it from the part's
// lease, which they read anyway.

// know adds what a part's lease remembers of its hosts.
func (r *run) know(lease store.LeaseRow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.quiet == nil {
		r.quiet = store.QuietHosts{}
	}
	maps.Copy(r.quiet, lease.QuietHosts())
}

// quietUntil is until when the feed's host is to be left alone; the zero time when it may be asked.
func (r *run) quietUntil(f *store.FeedRow) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return quietUntil(r.quiet, f, r.c.clock.Now())
}

func quietUntil(q store.QuietHosts, f *store.FeedRow, now time.Time) time.Time {
	if until := q[fetch.HostOf(f.URL)]; until > now.Unix() {
		return time.Unix(until, 0).UTC()
	}
	return time.Time{}
}

// heed notes that a feed's host asked to be left alone.
func (r *run) heed(f *store.FeedRow, resp *fetch.Response) {
	if resp.RetryAfter <= 0 || resp.Status != http.StatusTooManyRequests && resp.Status != http.StatusServiceUnavailable {
		return
	}
	host := fetch.HostOf(f.URL)
	if fetch.HostOf(resp.FinalURL) != host {
		return // said by where the feed leads to: the feed's own row has it
	}
	until := r.c.clock.Now().Add(min(resp.RetryAfter, schedule.MaxHint) + time.Second - 1).Unix()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.quiet == nil {
		r.quiet = store.QuietHosts{}
	}
	r.quiet[host] = max(r.quiet[host], until)
	r.heeded = true
}

// passOn leaves in the leases what the run was asked, for the runs that come. Only a run that was asked anything writes.
func (r *run) passOn(ctx context.Context, first, parts int) {
	if !r.heeded {
		return
	}
	// What a host asked for holds even when the caller is going away.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	now := r.c.clock.Now()
	for part := first; part < first+parts; part++ {
		q := store.QuietHosts{}
		for host, until := range r.quiet {
			if parts == 1 || schedule.Part(host, parts) == part {
				q[host] = until
			}
		}
		if err := r.c.store.Leases.KeepQuiet(ctx, part, q, now); err != nil {
			r.c.o.Log.Warn("what hosts asked for is not kept; their feeds have it for themselves", "part", part, "error", err)
		}
	}
}
