//go:build unix && !linux

package child

import "syscall"

// attributes has no death signal here: a child may outlive a program that was killed.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
