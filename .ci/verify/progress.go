package main

import (
	"bytes"
	"sync"
	"time"
)

// progress keeps what a step prints, and stops the step once it has printed nothing for a while.
type progress struct {
	silence time.Duration
	timer   *time.Timer
	mu      sync.Mutex
	output  bytes.Buffer
	stopped bool
}

func newProgress(silence time.Duration, stop func()) *progress {
	p := &progress{silence: silence}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(silence, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.stopped = true
		stop()
	})
	return p
}

func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped {
		p.timer.Reset(p.silence)
	}
	return p.output.Write(b)
}

func (p *progress) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

func (p *progress) isStopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stopped
}
