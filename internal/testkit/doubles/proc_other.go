//go:build unix && !linux

package doubles

import "syscall"

// dieWithParent can only make a group here: other kernels have no death signal, so a server may outlive a test
// binary that was killed.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
