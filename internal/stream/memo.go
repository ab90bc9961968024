package stream

import (
	"container/list"
	"sync"
)

// memoBytes bounds the parsed feeds held in memory.
const memoBytes = 8 << 20

// memo is a small cache of parsed feeds in front of the table's, least recently used first out.
type memo struct {
	mu    sync.Mutex
	max   int
	size  int
	order *list.List // of *memoEntry, newest in front
	byKey map[string]*list.Element
}

type memoEntry struct {
	key  string
	val  parsed
	size int
}

func newMemo(max int) *memo {
	return &memo{max: max, order: list.New(), byKey: map[string]*list.Element{}}
}

func (m *memo) get(key string) (parsed, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.byKey[key]
	if !ok {
		return nil, false
	}
	m.order.MoveToFront(e)
	return e.Value.(*memoEntry).val, true
}

func (m *memo) put(key string, val parsed) {
	size := len(key)
	for k, v := range val {
		size += len(k) + len(v) + 32
	}
	if size > m.max/2 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.byKey[key]; ok {
		m.remove(e)
	}
	m.byKey[key] = m.order.PushFront(&memoEntry{key, val, size})
	m.size += size
	for m.size > m.max {
		m.remove(m.order.Back())
	}
}

func (m *memo) remove(e *list.Element) {
	entry := e.Value.(*memoEntry)
	m.order.Remove(e)
	delete(m.byKey, entry.key)
	m.size -= entry.size
}
