//go:build unix

package search_test

import (
	"syscall"
	"time"
)

// cpu is what the process has used, user and system.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
