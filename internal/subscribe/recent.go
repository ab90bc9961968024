package subscribe

import (
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
)

const (
	// A discovered feed may be subscribed to without another request for recentFor: a person chooses within that time,
	// and no publisher updates more often.
	recentFor     = 3 * time.Minute
	recentMany    = 6
	recentLargest = 1 << 20 // bytes of a body, and of the same as it came
)

// recent keeps the responses of a discovery in memory, so that the feed that is subscribed to right after is not
// requested again.
type recent struct {
	mu   sync.Mutex
	list []seen // the oldest first
}

type seen struct {
	url  string
	at   time.Time
	resp fetch.Response
}

// put stores a copy: the response's buffers go back to their pool.
func (r *recent) put(url string, resp *fetch.Response, now time.Time) {
	if len(resp.Body) > recentLargest || len(resp.Wire) > recentLargest {
		return
	}
	kept := fetch.Response{
		Status: resp.Status, Body: slices.Clone(resp.Body), Wire: slices.Clone(resp.Wire),
		WireEncoding: resp.WireEncoding,
		WireBytes:    resp.WireBytes, ContentType: resp.ContentType, ETag: resp.ETag, LastModified: resp.LastModified,
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

// take removes and returns a recent response; nil when there is none.
func (r *recent) take(url string, now time.Time) *fetch.Response {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(s seen) bool {
		return s.url == url && now.Sub(s.at) < recentFor && !now.Before(s.at)
	})
	if i < 0 {
		return nil
	}
	resp := r.list[i].resp
	r.drop(url, now)
	return &resp
}

// drop removes an address and expired responses.
func (r *recent) drop(url string, now time.Time) {
	r.list = slices.DeleteFunc(r.list, func(s seen) bool { return s.url == url || now.Sub(s.at) >= recentFor })
}
