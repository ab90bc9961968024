//go:build unix

package lambdahost

import "syscall"

func stopGroup(pid int)     { _ = syscall.Kill(-pid, syscall.SIGSTOP) }
func continueGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGCONT) }
func killGroup(pid int)     { _ = syscall.Kill(-pid, syscall.SIGKILL) }
