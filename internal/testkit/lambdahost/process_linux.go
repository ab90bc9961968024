package lambdahost

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// ownGroup puts a child into a process group of its own, which the kernel kills when we end in whatever way.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// peak is the most memory that the process ever had in use.
func (s *sandbox) peak() int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(s.process.Pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			kb, _ := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
			return kb << 10
		}
	}
	return 0
}
