package doubles

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/testkit/child"
)

const startTimeout = 60 * time.Second // loaded machines import moto slowly

// server is a running process that has printed its port and accepts connections.
type server struct {
	url  string
	cmd  *exec.Cmd
	out  *output
	done <-chan struct{} // closed when the process has ended
}

// start runs argv and waits until it says where it listens and a connection is accepted there. The port is
// read from what the process itself prints: one guessed beforehand could be answered by a stranger.
func start(argv []string) (*server, error) {
	s := &server{out: &output{found: make(chan string, 1)}}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = environment()
	cmd.Stdout, cmd.Stderr = s.out, s.out
	var err error
	if s.done, err = child.Start(cmd); err != nil {
		return nil, err
	}
	s.cmd = cmd
	timeout := time.NewTimer(startTimeout)
	defer timeout.Stop()
	select {
	case s.url = <-s.out.found:
	case <-s.done:
		return nil, s.alive()
	case <-timeout.C:
		child.Kill(cmd)
		return nil, fmt.Errorf("said no port within %v: %s", startTimeout, s.out.tail())
	}
	return s, s.await(timeout.C)
}

// await dials until somebody accepts: moto prints its address before it does.
func (s *server) await(timeout <-chan time.Time) error {
	for {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err == nil {
			return c.Close()
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-s.done:
			return s.alive()
		case <-timeout:
			return fmt.Errorf("does not answer: %w", err)
		}
	}
}

func (s *server) alive() error {
	select {
	case <-s.done:
		return fmt.Errorf("ended unexpectedly: %s", s.out.tail())
	default:
		return nil
	}
}

// environment is ours without what could turn a double towards real AWS or another port.
func environment() []string {
	env := []string{"FAUXQS_LOGGER=false", "PYTHONUNBUFFERED=1", "PYTHONWARNINGS=ignore"}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "AWS_") || strings.HasPrefix(name, "FAUXQS_") || strings.HasPrefix(name, "MOTO_") ||
			strings.HasPrefix(name, "NODE_") || strings.HasPrefix(name, "PYTHON") {
			continue
		}
		env = append(env, kv)
	}
	return env
}

var listening = regexp.MustCompile(`(?i)(?:listening|running) on (http://127\.0\.0\.1:[1-9][0-9]*)`)

// output keeps the last few kilobytes of what the process prints, and finds the address in it.
type output struct {
	mu    sync.Mutex
	buf   []byte
	known bool
	found chan string
}

const keepOutput = 4 << 10

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf = append(o.buf, p...)
	if !o.known {
		if i := bytes.LastIndexByte(o.buf, '\n'); i >= 0 { // whole lines only: a port may come in two writes
			if m := listening.FindSubmatch(o.buf[:i+1]); m != nil {
				o.known = true
				o.found <- string(m[1])
			}
		}
	}
	if len(o.buf) > 2*keepOutput {
		o.buf = append(o.buf[:0], o.buf[len(o.buf)-keepOutput:]...)
	}
	return len(p), nil
}

func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.TrimSpace(string(o.buf))
}
