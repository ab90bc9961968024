package api

import (
	"net/netip"
	"strings"
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
	// refreshesPerMinute is how many refreshes of lists a user may ask for in a minute.
	refreshesPerMinute = 20
	maxBuckets         = 4096
	// purgeEvery is how often buckets that are full again are let go of.
	purgeEvery = 5 * time.Minute
)

// limits are token buckets in memory alone: no table write for a request (C-3, G-39, R-38). Several instances each
// count for themselves.
type limits struct {
	clock     clock.Clock
	addresses buckets // of requests by whoever is not signed in
	users     buckets
	adds      buckets
	refreshes buckets // of lists
	texts     buckets // linked pages
	pushes    buckets // of hubs, by feed
}

func newLimits(c clock.Clock, perAddress, perUser int) *limits {
	return &limits{
		clock: c, addresses: buckets{perMinute: perAddress}, users: buckets{perMinute: perUser}, adds: buckets{perMinute: addsPerMinute}, refreshes: buckets{perMinute: refreshesPerMinute},
		texts: buckets{perMinute: textsPerMinute}, pushes: buckets{perMinute: pushesPerMinute},
	}
}

// address counts a request of an address, and tells how long to wait when it is one too many. Addresses of IPv6
// count by their /64, which is what one household has.
func (l *limits) address(a string) time.Duration {
	if ip, err := netip.ParseAddr(a); err == nil && ip.Is6() && !ip.Is4In6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			a = p.String()
		}
	}
	return l.addresses.take(a, l.clock.Now())
}

// user counts a request of somebody signed in.
func (l *limits) user(u reader.UserID) time.Duration { return l.users.take(string(u), l.clock.Now()) }

// add counts a registration.
func (l *limits) add(u reader.UserID) time.Duration { return l.adds.take(string(u), l.clock.Now()) }

// refresh counts a refresh of a list.
func (l *limits) refresh(u reader.UserID) time.Duration {
	return l.refreshes.take(string(u), l.clock.Now())
}

// buckets are one kind's: so many a minute each, as many at once. The zero rate has no bound.
type buckets struct {
	perMinute int
	mu        sync.Mutex
	by        map[string]*rate.Limiter
	purged    time.Time
}

func (b *buckets) take(key string, now time.Time) time.Duration {
	if b.perMinute <= 0 {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by == nil {
		b.by = map[string]*rate.Limiter{}
	}
	b.makeRoom(now)
	l := b.by[key]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(b.perMinute)/60, b.perMinute)
		b.by[strings.Clone(key)] = l
	}
	res := l.ReserveN(now, 1)
	wait := res.DelayFrom(now)
	if wait > 0 {
		res.CancelAt(now)
	}
	return wait
}

// makeRoom lets go of idle buckets now and then: a full one is as good as none. Their number is bounded too.
func (b *buckets) makeRoom(now time.Time) {
	full := len(b.by) >= maxBuckets
	if since := now.Sub(b.purged); !full && since >= 0 && since < purgeEvery {
		return
	}
	b.purged = now
	for k, l := range b.by {
		if l.TokensAt(now) >= float64(b.perMinute) {
			delete(b.by, k)
		}
	}
	if len(b.by) >= maxBuckets {
		clear(b.by)
	}
}
