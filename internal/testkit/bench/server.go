package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/ruri-reader/ruri/internal/testkit/child"
)

// server is a running reader.
type server struct {
	cmd   *exec.Cmd
	ended <-chan struct{}
	addr  string
	log   *strings.Builder
	list  []byte // the first answer
}

// start runs the reader until it has answered with the list of feeds, and records how long that took.
func (s *serving) start(r *reading) (*server, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	v := &server{addr: l.Addr().String(), log: new(strings.Builder)}
	_ = l.Close()
	v.cmd = exec.Command(s.ruri, "serve", "--addr", v.addr)
	v.cmd.Env = append(environment(s.data), "RURI_RATE_USER=0", "RURI_RATE_ADDRESS=0")
	v.cmd.Stderr = v.log
	began := time.Now()
	if v.ended, err = child.Start(v.cmd); err != nil {
		return nil, err
	}
	one, err := v.connect(s.token)
	if err != nil {
		v.stop()
		return nil, fmt.Errorf("ruri serve: %w\n%s", err, v.log)
	}
	defer one.close()
	a, err := one.do(ask{method: "GET", path: "/api/feeds"}, true)
	if took := time.Since(began); r.firstStart == 0 {
		r.firstStart = took // the queue may still hold what the import left there
	} else {
		r.starts = append(r.starts, took)
	}
	if v.list = a.body; err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("the list of feeds answered %d: %.200s", a.status, a.body)
	}
	if err != nil {
		v.stop()
	}
	return v, err
}

// connect waits for the server to listen.
func (v *server) connect(token string) (one *visitor, err error) {
	for range 20_000 {
		if one, err = newVisitor(v.addr, token, 0, 1); err == nil {
			return one, nil
		}
		select {
		case <-v.ended:
			return nil, errors.New("it ended")
		case <-time.After(500 * time.Microsecond):
		}
	}
	return nil, err
}

// stop asks the server to end, as an operator does: what a killed one leaves to be repaired is no part of a start.
func (v *server) stop() {
	child.Signal(v.cmd, syscall.SIGTERM)
	select {
	case <-v.ended:
	case <-time.After(20 * time.Second):
		child.Kill(v.cmd)
		<-v.ended
	}
}

// rest waits until the server has done what it does after a start.
func (v *server) rest() {
	const look, calm, most = 200 * time.Millisecond, 10 * time.Millisecond, 150
	before := threadsCPU(v.cmd.Process.Pid)
	for range most {
		time.Sleep(look)
		now := threadsCPU(v.cmd.Process.Pid)
		if now-before < calm {
			return
		}
		before = now
	}
}
