//go:build unix

package localwire

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAFolderThatStaysOpenIsRefused: one that belongs to somebody else, or lies where modes cannot be changed.
func TestAFolderThatStaysOpenIsRefused(t *testing.T) {
	t.Parallel()
	for name, chmod := range map[string]func(string, fs.FileMode) error{
		"not permitted": func(p string, _ fs.FileMode) error {
			return &fs.PathError{Op: "chmod", Path: p, Err: syscall.EPERM}
		},
		"no effect":         func(string, fs.FileMode) error { return nil },
		"files keep theirs": chmodFolders,
	} {
		folder := filepath.Join(t.TempDir(), "data")
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, tableFile), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		err := prepare(folder, slog.New(slog.DiscardHandler), chmod)
		if err == nil || !strings.Contains(err.Error(), "can be read by other users") ||
			!strings.Contains(err.Error(), "chmod go= "+folder) ||
			!strings.Contains(err.Error(), "--data") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func chmodFolders(path string, mode fs.FileMode) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return err
	}
	return os.Chmod(path, mode)
}
