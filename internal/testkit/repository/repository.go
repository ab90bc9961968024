// Package repository finds the root folder of the repository.
package repository

import (
	"errors"
	"os"
	"path/filepath"
)

// Root returns the folder with go.mod, at or above the working directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod at or above the working directory")
		}
	}
	return "", err
}
