package stream

// heapOf implements heap.Interface; `before` decides which element comes first.
type heapOf[T any] struct {
	list   []T
	before func(a, b T) bool
}

func (h *heapOf[T]) Len() int           { return len(h.list) }
func (h *heapOf[T]) Less(i, j int) bool { return h.before(h.list[i], h.list[j]) }
func (h *heapOf[T]) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }

// Push implements heap.Interface.
func (h *heapOf[T]) Push(x any) { h.list = append(h.list, x.(T)) }

// Pop implements heap.Interface.
func (h *heapOf[T]) Pop() any {
	last := len(h.list) - 1
	x := h.list[last]
	h.list = h.list[:last]
	return x
}
