//go:build unix

package sqlitetable

import (
	"os"
	"sync"
	"syscall"

	"github.com/ruri-reader/ruri/internal/fault"
)

// alone knows whether other processes have the file open. The first to open it holds one lock as long as it lives. Each
// later one shares a second lock, which the first takes for the moment in which it relies on being alone. The kernel
// releases the locks of dead processes.
type alone struct {
	mu            sync.Mutex
	first, others *os.File
	isFirst       bool
	asked         bool
}

func openAlone(path string) (a *alone, err error) {
	a = &alone{}
	open := func(suffix string, flag int) (*os.File, error) {
		//nolint:gosec // beside the database, which its owner has chosen
		return os.OpenFile(path+suffix, os.O_RDWR|os.O_CREATE|flag, 0o600)
	}
	if a.first, err = open(".first", 0); err == nil {
		a.others, err = open(".others", os.O_APPEND)
	}
	if err == nil {
		if a.isFirst = flock(a.first, syscall.LOCK_EX|syscall.LOCK_NB) == nil; !a.isFirst {
			err = a.join()
		}
	}
	if err != nil {
		a.close()
		return nil, fault.New(fault.Unavailable, "storage_failed", "sqlitetable: lock", err)
	}
	return a, nil
}

// join makes the first process notice this one, also when it asks only after this one has closed the file.
func (a *alone) join() error {
	if err := flock(a.others, syscall.LOCK_SH); err != nil {
		return err
	}
	_, err := a.others.WriteString(".")
	return err
}

// Alone implements table.Soloist.
func (d *Driver) Alone(f func(stayed bool)) bool {
	a := d.alone
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.isFirst || flock(a.others, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return false
	}
	defer func() { _ = flock(a.others, syscall.LOCK_UN) }()
	info, err := a.others.Stat()
	if err != nil {
		return false
	}
	if info.Size() > 0 {
		if a.others.Truncate(0) != nil {
			return false
		}
		a.asked = false
	}
	stayed := a.asked
	a.asked = true
	f(stayed)
	return true
}

func (a *alone) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.isFirst = false
	for _, f := range []*os.File{a.first, a.others} {
		if f != nil {
			_ = f.Close()
		}
	}
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}
