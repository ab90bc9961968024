package lambdahost

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// The account in which functions run.
const (
	Region  = "us-east-1"
	Account = "123456789012"
)

// Limits of Lambda.
const (
	// MaxPayload is the most that an invocation may carry, and that a function may answer.
	MaxPayload = 6 << 20
	// maxInit is how long an environment may take until it asks for its first event. Lambda's limit is 10 s; here a
	// program may start on a machine that does a dozen other things. `.ci/verify` measures how long it takes.
	maxInit = 2 * time.Minute
	// maxEnvironment is the size of all variables of a function.
	maxEnvironment = 4 << 10
	// newAccount is how many executions at a time a new account has.
	newAccount = 10
)

// ErrThrottled is the answer when no execution is left, of the account or the function.
var ErrThrottled = errors.New("lambdahost: TooManyRequestsException: rate exceeded")

// ErrTooLarge is the answer to an event over MaxPayload.
var ErrTooLarge = errors.New("lambdahost: RequestTooLargeException: request must be smaller than 6291456 bytes")

// Function is a function as the stack configures it.
type Function struct {
	Name      string
	Bootstrap string // its program
	Env       map[string]string
	Timeout   time.Duration
	Memory    int // in MB; reported to the function, not enforced
	Reserved  int // concurrency reserved for it and bounding it; 0 is none
}

// Options are the account around the functions.
type Options struct {
	// Concurrency is of the whole account; 10, a new account's, when zero.
	Concurrency int
	// Surroundings are variables that every function has besides its own: endpoints of emulators, certificates.
	Surroundings map[string]string
	// Log takes what functions print, and a line for each invocation, when set.
	Log io.Writer
	// Fault, when set, returns the fault to inject into an invocation.
	Fault func(function string, payload []byte) Fault
}

// Fault is a fault of one invocation. The zero value is none.
type Fault struct {
	Throttle   bool          // refuse it for lack of concurrency
	Delay      time.Duration // before the handler has the event
	KillBefore bool          // the environment dies before the handler has the event
	KillAfter  time.Duration // the environment dies that long after the handler has it, unless it ended before
	LoseAnswer bool          // the handler ends, its answer is lost, the environment dies
}

// Result is how an invocation ended.
type Result struct {
	RequestID string
	Payload   []byte // the answer, or the error as JSON
	// Error is empty, or what Lambda writes into X-Amz-Function-Error.
	Error string
	Cold  bool
	Init  time.Duration // of a cold start
}

// Host runs functions. Safe for concurrent use.
type Host struct {
	o         Options
	log       *slog.Logger
	running   atomic.Int64
	serial    atomic.Int64
	mu        sync.Mutex
	functions map[string]*function
	closed    bool
}

// function is one with its environments.
type function struct {
	Function
	idle    []*sandbox // the last used first to be used again
	all     map[*sandbox]bool
	running int
}

// New makes a host; Close ends its processes.
func New(o Options) *Host {
	if o.Concurrency == 0 {
		o.Concurrency = newAccount
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	o.Log = &lines{to: o.Log}
	return &Host{o: o, log: slog.New(slog.NewJSONHandler(o.Log, nil)), functions: map[string]*function{}}
}

// Add makes a function, or configures it anew: its environments are then gone, as after a deployment.
func (h *Host) Add(f Function) error {
	size := 0
	for k, v := range f.Env {
		size += len(k) + len(v)
	}
	if size > maxEnvironment {
		return fmt.Errorf("lambdahost: %s: variables of %d bytes, Lambda takes 4 KB", f.Name, size)
	}
	if f.Timeout <= 0 || f.Timeout > 15*time.Minute {
		return fmt.Errorf("lambdahost: %s: a time-out of %v; Lambda takes 1 s to 15 min", f.Name, f.Timeout)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if old := h.functions[f.Name]; old != nil {
		for s := range old.all {
			s.kill()
		}
	}
	h.functions[f.Name] = &function{Function: f, all: map[*sandbox]bool{}}
	return nil
}

// ARN names a function.
func (h *Host) ARN(name string) string {
	return "arn:aws:lambda:" + Region + ":" + Account + ":function:" + name
}

// Invoke hands an event to a function and waits for its answer. An error means that Lambda refused; what the
// function itself did wrong is in the result.
func (h *Host) Invoke(ctx context.Context, name string, payload []byte) (Result, error) {
	if len(payload) > MaxPayload {
		return Result{}, ErrTooLarge
	}
	var fault Fault
	if h.o.Fault != nil {
		fault = h.o.Fault(name, payload)
	}
	if fault.Throttle {
		return Result{}, ErrThrottled
	}
	f, s, err := h.reserve(name)
	if err != nil {
		return Result{}, err
	}
	// The invocation runs to its end even when the caller gives up.
	done := make(chan Result, 1)
	go func() { done <- h.execute(f, s, payload, fault) }()
	select {
	case r := <-done:
		return r, nil
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// reserve takes an execution and an idle environment, if there is one.
func (h *Host) reserve(name string) (*function, *sandbox, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.functions[name]
	if f == nil || h.closed {
		return nil, nil, fmt.Errorf("lambdahost: ResourceNotFoundException: %s", name)
	}
	if h.running.Load() >= int64(h.o.Concurrency) || f.Reserved > 0 && f.running >= f.Reserved {
		return nil, nil, ErrThrottled
	}
	h.running.Add(1)
	f.running++
	for len(f.idle) > 0 {
		s := f.idle[len(f.idle)-1]
		f.idle = f.idle[:len(f.idle)-1]
		if s.alive() {
			return f, s, nil
		}
		delete(f.all, s)
	}
	return f, nil, nil
}

// release gives the execution back, and the environment when it can be used again.
func (h *Host) release(f *function, s *sandbox) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running.Add(-1)
	f.running--
	switch {
	case s == nil:
	case s.alive() && !h.closed && h.functions[f.Name] == f:
		f.idle = append(f.idle, s)
	default:
		s.kill()
		delete(f.all, s)
	}
}

func (h *Host) execute(f *function, s *sandbox, payload []byte, fault Fault) Result {
	inv := &invocation{id: requestID(), payload: payload, answer: make(chan answer, 1)}
	r := Result{RequestID: inv.id, Cold: s == nil}
	if s == nil {
		var err error
		began := time.Now()
		s, err = h.start(f)
		r.Init = time.Since(began)
		if err != nil {
			h.release(f, nil)
			r.Error, r.Payload = "Unhandled", failure("Runtime.InitError", err.Error())
			h.report(f, r)
			return r
		}
	}
	if fault.Delay > 0 {
		time.Sleep(fault.Delay)
	}
	if fault.KillBefore {
		s.kill()
	}
	var killed *time.Timer
	if fault.KillAfter > 0 {
		killed = time.AfterFunc(fault.KillAfter, s.kill)
	}
	inv.deadline = time.Now().Add(f.Timeout)
	a := s.invoke(inv)
	if killed != nil && !killed.Stop() {
		s.kill()
	}
	if fault.LoseAnswer {
		s.kill()
		a = answer{kind: "Unhandled", body: failure("Runtime.ExitError", "the answer was lost")}
	}
	r.Payload, r.Error = a.body, a.kind
	h.report(f, r)
	// The environment is free, and who asks once more finds it warm, only when it asks for its next event.
	s.settle(inv.deadline)
	h.release(f, s)
	return r
}

// Recycle ends the idle environments, as Lambda does with those that were not used for a while: what comes next
// is a cold start.
func (h *Host) Recycle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.functions {
		for _, s := range f.idle {
			s.kill()
			delete(f.all, s)
		}
		f.idle = nil
	}
}

// KillCaller ends the environment that an access key was given to; the invocation in it fails as one whose
// process crashed.
func (h *Host) KillCaller(accessKey string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.functions {
		for s := range f.all {
			if s.accessKey == accessKey {
				s.kill()
				return true
			}
		}
	}
	return false
}

// Caller is the function that an access key was given to.
func (h *Host) Caller(accessKey string) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, f := range h.functions {
		for s := range f.all {
			if s.accessKey == accessKey {
				return name, true
			}
		}
	}
	return "", false
}

// Close ends all processes.
func (h *Host) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, f := range h.functions {
		for s := range f.all {
			s.kill()
		}
	}
}

// report logs how an invocation ended.
func (h *Host) report(f *function, r Result) {
	failure := ""
	if r.Error != "" {
		failure = string(r.Payload)
	}
	h.log.Info("report", "function", f.Name, "request", r.RequestID, "cold", r.Cold, "init", r.Init, "error", failure)
}

// failure is the body of a function's error.
func failure(kind, message string) []byte {
	b, _ := json.Marshal(map[string]string{"errorType": kind, "errorMessage": message})
	return b
}

// requestID is a version 4 UUID.
func requestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// lines lets several processes write to one place, a piece at a time.
type lines struct {
	mu sync.Mutex
	to io.Writer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}
