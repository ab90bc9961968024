//go:build unix

package fileblob

import (
	"os"
	"syscall"
)

// openShared takes a shared lock for as long as the file is open, and calls alone when no other process has one: the
// kernel releases the locks of dead processes, so only they can have left incomplete files.
func openShared(root *os.Root, name string, alone func() error) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if flock(f, syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		err = alone()
	}
	if err == nil {
		err = flock(f, syscall.LOCK_SH)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}
