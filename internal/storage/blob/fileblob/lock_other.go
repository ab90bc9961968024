//go:build !unix

package fileblob

import "os"

// openShared has no lock on this system: alone is never called, and temporary files of crashed processes stay.
func openShared(root *os.Root, name string, _ func() error) (*os.File, error) {
	return root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
}
