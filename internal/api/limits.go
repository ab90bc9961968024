package api

import (
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	// addsPerMinute is how many feeds a user may register in a minute (C-3): each is a request to
	// a stranger's site.
	addsPerMinute = 10
	maxBuckets    = 4096
)

// limits are token buckets in memory alone: no table write for a request.
type limits struct {
	clock clock.Clock
	mu    sync.Mutex
	adds  map[reader.UserID]*rate.Limiter
}

func newLimits(c clock.Clock) *limits {
	return &limits{clock: c, adds: map[reader.UserID]*rate.Limiter{}}
}

// add counts a registration, and tells how long to wait when it is one too many.
func (l *limits) add(u reader.UserID) time.Duration {
	now := l.clock.Now()
	l.mu.Lock()
	b := l.adds[u]
	if b == nil {
		l.makeRoom(now)
		b = rate.NewLimiter(rate.Limit(addsPerMinute)/60, addsPerMinute)
		l.adds[u] = b
	}
	l.mu.Unlock()
	res := b.ReserveN(now, 1)
	wait := res.DelayFrom(now)
	if wait > 0 {
		res.CancelAt(now)
	}
	return wait
}

// makeRoom bounds the memory: full buckets, which are as good as none, go first.
func (l *limits) makeRoom(now time.Time) {
	if len(l.adds) < maxBuckets {
		return
	}
	for u, b := range l.adds {
		if b.TokensAt(now) >= addsPerMinute {
			delete(l.adds, u)
		}
	}
	if len(l.adds) >= maxBuckets {
		clear(l.adds)
	}
}

// clientAddress is the peer's address. Behind API Gateway the adapter sets it from the event, and it is
// that of CloudFront's edge; forwarded headers are not believed, since anybody can send them to the
// gateway directly. So an address may stand for many people, and package auth is patient with it.
func clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
