//go:build !unix

package doctor

import "errors"

func free(string) (uint64, error) { return 0, errors.ErrUnsupported }
