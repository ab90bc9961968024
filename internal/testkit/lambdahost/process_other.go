//go:build unix && !linux

package lambdahost

import "syscall"

// ownGroup can only make a group here: other kernels have no death signal.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// peak is not known here.
func (s *sandbox) peak() int64 { return 0 }
