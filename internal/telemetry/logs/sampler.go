package logs

import "sync"

// Sampler thins out repetitive log lines: of each sort it keeps the first and then every Nth. It counts, without
// randomness or a clock, so that repeated runs keep the same lines. Errors must not be sampled. It is safe for
// concurrent use.
type Sampler struct {
	every uint64

	mu     sync.Mutex
	counts map[string]uint64
}

// maxSorts bounds the memory: sorts are routes and outcomes, which are few.
const maxSorts = 1024

// NewSampler keeps one line of every n of a sort; 1 or less keeps all.
func NewSampler(n int) *Sampler {
	return &Sampler{every: uint64(max(n, 1)), counts: map[string]uint64{}}
}

// Every returns N, which the line has to name, so that sums can be restored.
func (s *Sampler) Every() int { return int(s.every) }

// Keep counts a line of a sort and reports whether to write it.
func (s *Sampler) Keep(sort string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, known := s.counts[sort]
	if !known && len(s.counts) >= maxSorts {
		clear(s.counts)
	}
	s.counts[sort] = n + 1
	return n%s.every == 0
}
