package logs

import "sync"

// Sampler thins out lines that say nothing new, by counting: of each sort the first is kept and then every
// Nth. No chance and no clock is in it, so that a test and a repeated run keep the same lines. Errors are not
// to be given to it.
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

// Every is of how many lines one is kept: the line says so, that sums can be restored.
func (s *Sampler) Every() int { return int(s.every) }

// Keep counts a line of a sort and tells whether it is written.
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
