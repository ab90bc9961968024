package subscribe

import (
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
)

const (
	// recentFor is how long a feed that was looked at may be subscribed to without another request: a person
	// chooses within that time, and no publisher updates more often.
	recentFor     = 3 * time.Minute
	recentMany    = 6
	recentLargest = 1 << 20 // bytes of a body, and of the same as it came
)

// recent keeps what a discovery has fetched, so that the feed which is subscribed to right after is not asked
// for again. It is memory alone: another process asks again, and nothing is wrong.
type recent struct {
	mu   sync.Mutex
	list []seen // the oldest first
}

type seen struct {
	url  string
	at   time.Time
	resp fetch.Response
}

// put keeps a copy: the response's buffers go back to their pool.
func (r *recent) put(url string, resp *fetch.Response, now time.Time) {
	if len(resp.Body) > recentLargest || len(resp.Wire) > recentLargest {
		return
	}
	kept := fetch.Response{
		Status: resp.Status, Body: slices.Clone(resp.Body), Wire: slices.Clone(resp.Wire), WireEncoding: resp.WireEncoding,
		WireBytes: resp.WireBytes, ContentType: resp.ContentType, ETag: resp.ETag, LastModified: resp.LastModified,
		FinalURL: resp.FinalURL, PermanentURL: resp.PermanentURL, MaxAge: resp.MaxAge, Links: resp.Links,
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(url, now)
	if len(r.list) >= recentMany {
		r.list = slices.Delete(r.list, 0, 1)
	}
	r.list = append(r.list, seen{url, now, kept})
}

// take gives what was fetched a moment ago, once; nil when there is nothing.
func (r *recent) take(url string, now time.Time) *fetch.Response {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(s seen) bool { return s.url == url && now.Sub(s.at) < recentFor && !now.Before(s.at) })
	if i < 0 {
		return nil
	}
	resp := r.list[i].resp
	r.drop(url, now)
	return &resp
}

// drop forgets an address, and what has grown old.
func (r *recent) drop(url string, now time.Time) {
	r.list = slices.DeleteFunc(r.list, func(s seen) bool { return s.url == url || now.Sub(s.at) >= recentFor })
}
