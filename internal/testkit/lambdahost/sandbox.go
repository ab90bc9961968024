package lambdahost

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ruri-reader/ruri/internal/testkit/child"
)

// sandbox is one execution environment: a process and the Runtime API that it alone speaks to.
type sandbox struct {
	host      *Host
	f         *function
	accessKey string
	cmd       *exec.Cmd
	server    *http.Server
	arn       string

	next  chan *invocation // taken by the process' request for its next event
	ready chan struct{}    // receives a value each time it requests one
	ended <-chan struct{}  // closed when the process has ended
	dead  atomic.Bool      // it was killed

	mu      sync.Mutex
	current *invocation
	initErr error
	frozen  bool
}

type invocation struct {
	id       string
	payload  []byte
	deadline time.Time
	answer   chan answer
}

// answer is the response of a function; kind is empty or the kind of its error.
type answer struct {
	kind string
	body []byte
}

// start makes an environment and waits until it asks for its first event.
func (h *Host) start(f *function) (*sandbox, error) {
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n := h.serial.Add(1)
	s := &sandbox{
		host: h, f: f, arn: h.ARN(f.Name), accessKey: fmt.Sprintf("ASIA%016d", n),
		next: make(chan *invocation), ready: make(chan struct{}, 1),
	}
	s.server = &http.Server{Handler: s.runtimeAPI(), ReadHeaderTimeout: maxInit}
	go func() { _ = s.server.Serve(ln) }()
	// Locked until the process is known: it may ask for its first event sooner.
	s.mu.Lock()
	err = s.spawn(ln.Addr().String(), n)
	s.mu.Unlock()
	if err != nil {
		_ = s.server.Close()
		return nil, err
	}
	h.mu.Lock()
	f.all[s] = true
	h.mu.Unlock()
	timeout := time.NewTimer(maxInit)
	defer timeout.Stop()
	select {
	case <-s.ready:
		return s, nil
	case <-s.ended:
		err = errors.New("the process ended before it asked for an event")
	case <-timeout.C:
		err = fmt.Errorf("no request for an event within %v", maxInit)
	}
	s.kill()
	h.mu.Lock()
	delete(f.all, s)
	h.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.initErr != nil {
		err = s.initErr
	}
	return nil, err
}

// spawn starts the bootstrap with the variables of a function and no others.
func (s *sandbox) spawn(api string, n int64) error {
	cmd := exec.Command(s.f.Bootstrap)
	cmd.Env = s.environment(api, n)
	cmd.Stdout, cmd.Stderr = s.host.o.Log, s.host.o.Log
	cmd.Dir = os.TempDir()      // nothing of ours lies there
	cmd.WaitDelay = time.Second // a pipe that a grandchild keeps open must not block
	ended, err := child.Start(cmd)
	if err != nil {
		return err
	}
	s.cmd, s.ended = cmd, ended
	go func() {
		<-ended
		_ = s.server.Close()
	}()
	return nil
}

func (s *sandbox) environment(api string, n int64) []string {
	env := map[string]string{
		"AWS_LAMBDA_RUNTIME_API": api, "AWS_LAMBDA_FUNCTION_NAME": s.f.Name, "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(s.f.Memory), "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME":  "/aws/lambda/" + s.f.Name,
		"AWS_LAMBDA_LOG_STREAM_NAME": fmt.Sprintf("[$LATEST]%d", n),
		"AWS_REGION":                 Region, "AWS_DEFAULT_REGION": Region, "_HANDLER": "bootstrap", "TZ": ":UTC",
		"LANG": "en_US.UTF-8",
		"PATH": "/usr/local/bin:/usr/bin:/bin", "LAMBDA_TASK_ROOT": "/var/task", "LAMBDA_RUNTIME_DIR": "/var/runtime",
		"AWS_ACCESS_KEY_ID": s.accessKey, "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token",
	}
	maps.Copy(env, s.host.o.Surroundings)
	maps.Copy(env, s.f.Env)
	list := make([]string, 0, len(env))
	for k, v := range env {
		list = append(list, k+"="+v)
	}
	return list
}

// invoke hands the event over and waits for an answer, the process' end or the deadline.
func (s *sandbox) invoke(inv *invocation) answer {
	s.mu.Lock()
	s.current = inv
	s.thaw()
	s.mu.Unlock()
	timeout := time.NewTimer(time.Until(inv.deadline))
	defer timeout.Stop()
	ended := func() answer {
		select {
		case a := <-inv.answer: // it said something and then ended
			return a
		default:
			return answer{"Unhandled", failure("Runtime.ExitError", "RequestId: "+inv.id+" Error: Runtime exited")}
		}
	}
	select {
	case s.next <- inv:
	case <-s.ended:
		return ended()
	case <-timeout.C:
		s.kill()
		return answer{"Unhandled", failure("Sandbox.Timedout", inv.id+" Error: the environment took no event")}
	}
	select {
	case a := <-inv.answer:
		return a
	case <-s.ended:
		return ended()
	case <-timeout.C:
		s.kill()
		message := fmt.Sprintf("RequestId: %s Error: Task timed out after %.2f seconds", inv.id, s.f.Timeout.Seconds())
		return answer{"Unhandled", failure("Sandbox.Timedout", message)}
	}
}

// settle waits until the environment asks for its next event, and kills it at the deadline when it does not.
func (s *sandbox) settle(deadline time.Time) {
	timeout := time.NewTimer(time.Until(deadline))
	defer timeout.Stop()
	select {
	case <-s.ready:
	case <-s.ended:
	case <-timeout.C:
		s.kill()
	}
}

// freeze stops the process where it is; the caller holds the lock.
func (s *sandbox) freeze() {
	if !s.frozen {
		s.frozen = true
		child.Signal(s.cmd, syscall.SIGSTOP)
	}
}

func (s *sandbox) thaw() {
	if s.frozen {
		s.frozen = false
		child.Signal(s.cmd, syscall.SIGCONT)
	}
}

// alive says whether it can be used again.
func (s *sandbox) alive() bool {
	if s.dead.Load() {
		return false
	}
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// kill ends the process and what it started. It waits for nothing.
func (s *sandbox) kill() {
	if s.alive() && s.dead.CompareAndSwap(false, true) {
		child.Kill(s.cmd)
	}
}
