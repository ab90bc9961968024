package api

import (
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/ruri-reader/ruri/internal/clock"
)

const (
	// addsPerMinute limits the feeds that a user registers (C-3): each is a request to a foreign site.
	addsPerMinute = 10
	// previewsPerMinute limits the pages that a user tries out before making a watch.
	previewsPerMinute = 10
	// refreshesPerMinute limits the refreshes of lists by a user.
	refreshesPerMinute = 20
	// sendsPerMinute limits the items that a user sends to webhooks.
	sendsPerMinute = 20
	maxBuckets     = 4096
	// A user may read more often than change something: 300 times a minute where 120 changes are allowed.
	readsOf, writesOf = 5, 2
	// purgeEvery is how often full buckets are deleted.
	purgeEvery = 5 * time.Minute
)

// limits are token buckets in memory: a request costs no table write (C-3, G-39, R-38). Each instance counts for
// itself.
type limits struct {
	addresses *buckets // requests without a session or token
	signIns   *buckets // of an address, which its apps with a wrong key do not use up
	users     *buckets // what they change
	reads     *buckets // what they only read
	batches   *buckets // of items loaded ahead, which are not counted above
	syncs     *buckets // of users' reader apps, which are not counted above
	adds      *buckets
	previews  *buckets // of pages to watch
	refreshes *buckets // of lists
	sends     *buckets // of items to webhooks
	assists   *buckets
	searches  *buckets
	typed     *buckets // searches in titles
	texts     *buckets // linked pages
	// batchTexts are the linked pages of batches
	batchTexts *buckets
	pushes     *buckets // of hubs, by feed
}

func newLimits(c clock.Clock, perAddress, perUser int) *limits {
	of := func(perMinute int) *buckets {
		return &buckets{clock: c, perMinute: perMinute, by: map[string]*rate.Limiter{}}
	}
	return &limits{
		addresses: of(perAddress), signIns: of(perAddress), users: of(perUser), reads: of(perUser * readsOf / writesOf),
		adds: of(addsPerMinute), previews: of(previewsPerMinute), refreshes: of(refreshesPerMinute),
		sends: of(sendsPerMinute), assists: of(assistsPerMinute),
		searches: of(min(searchesPerMinute, perUser)), typed: of(min(typedPerMinute, perUser)),
		texts: of(textsPerMinute), batches: of(batchesPerMinute), syncs: of(syncsPerMinute),
		batchTexts: of(textsPerMinute), pushes: of(pushesPerMinute),
	}
}

// network is the unit in which addresses are counted: for IPv6 the /64, which one household has.
func network(address string) string {
	if ip, err := netip.ParseAddr(address); err == nil && ip.Is6() && !ip.Is4In6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return address
}

// limited asks a client to slow down.
type limited struct{ wait time.Duration }

func (e *limited) Error() string { return "too many requests" }

// buckets are the token buckets of one kind of limit: perMinute requests a minute, as many at once; 0 has no limit.
type buckets struct {
	clock     clock.Clock
	perMinute int
	mu        sync.Mutex
	by        map[string]*rate.Limiter
	purged    time.Time
}

// take counts one request of a key; the error is *limited when it is one too many.
func (b *buckets) take(key string) error {
	if b.perMinute <= 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	b.makeRoom(now)
	l := b.by[key]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(b.perMinute)/60, b.perMinute)
		b.by[strings.Clone(key)] = l
	}
	res := l.ReserveN(now, 1)
	if wait := res.DelayFrom(now); wait > 0 {
		res.CancelAt(now)
		return &limited{wait}
	}
	return nil
}

// makeRoom deletes full buckets now and then, and bounds their number.
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
