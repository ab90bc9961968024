package api

import "sync"

const (
	// Answers of at least largeAnswer bytes are counted and may be refused.
	largeAnswer = 1 << 20
	// mostHeld limits the memory of all large answers together. The largest single one, of an app, has 64 MB.
	mostHeld = 96 << 20
)

// held counts the bytes of large answers that clients have not read yet: until then they stay in memory, however slow
// the client is.
type held struct {
	most  int
	mu    sync.Mutex
	bytes int
}

// take counts an answer until it is given back. The error is *limited when there are too many; the first one is always
// taken.
func (h *held) take(size int) (giveBack func(), err error) {
	if size < largeAnswer {
		return func() {}, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bytes > 0 && h.bytes+size > h.most {
		return nil, &limited{retryTurn}
	}
	h.bytes += size
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.bytes -= size
	}, nil
}
