package doubles

import "syscall"

// dieWithParent puts the child into a process group of its own and has the kernel kill it when the test binary
// ends in whatever way: a panic and a test timeout run no clean-up.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
