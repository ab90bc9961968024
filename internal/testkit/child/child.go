//go:build unix

// Package child runs programs that end with this one, in whatever way it ends: a panic and a test timeout run no
// cleanup.
package child

import (
	"os/exec"
	"runtime"
	"syscall"
)

// Start starts a command in a process group of its own. The channel is closed when the process has ended.
func Start(cmd *exec.Cmd) (<-chan struct{}, error) {
	cmd.SysProcAttr = attributes()
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		// Linux binds the death signal to the thread that forked: this thread is kept until the child has ended.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(ended)
		}
	}()
	return ended, <-started
}

// Signal sends a signal to the process group of a started command.
func Signal(cmd *exec.Cmd, s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }

// Kill ends a started command and what it started. It does not wait.
func Kill(cmd *exec.Cmd) { Signal(cmd, syscall.SIGKILL) }
