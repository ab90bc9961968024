//go:build !unix

package doctor

import (
	"errors"
	"io/fs"
)

func free(string) (uint64, error) { return 0, errors.ErrUnsupported }

func ownedByAnother(fs.FileInfo) (uid uint32, ok bool) { return 0, false }
