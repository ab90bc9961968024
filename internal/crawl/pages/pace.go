package pages

import (
	"maps"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// paces knows when this process has last sent a request to hosts of watches. A run out of turn and a chain of the same
// host do not know of each other; by this they keep the pace. On one machine that is all there is; in the cloud, a
// process does not see what another has sent.
type paces struct {
	mu   sync.Mutex
	last map[string]time.Time // by host
}

// From manyHosts on, hosts are forgotten whose pace has passed.
const manyHosts = 1000

// take notes a request that is made now, unless it must wait: then it returns how long.
func (p *paces) take(host string, now time.Time, pace time.Duration) (wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last, ok := p.last[host]; ok {
		if wait = min(last.Add(pace).Sub(now), pace); wait > 0 { // no longer, if the clock was set back
			return wait
		}
	}
	if p.last == nil {
		p.last = map[string]time.Time{}
	}
	if len(p.last) >= manyHosts {
		maps.DeleteFunc(p.last, func(_ string, at time.Time) bool { return now.Sub(at) > reader.LongestPace })
	}
	p.last[host] = now
	return 0
}
