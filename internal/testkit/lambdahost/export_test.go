package lambdahost

// Running is how many executions there are now.
func (h *Host) Running() int { return int(h.running.Load()) }

// Environments is how many environments a function has.
func (h *Host) Environments(name string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f := h.functions[name]; f != nil {
		return len(f.all)
	}
	return 0
}
