//go:build !unix

package fileblob

import "os"

// openShared has no lock to offer here, so nobody knows to be alone and temporary files of a crash stay.
func openShared(root *os.Root, name string, _ func() error) (*os.File, error) {
	return root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
}
