package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	littleSpace = 1 << 30   // a warning below it
	noSpace     = 100 << 20 // SQLite needs room for its log as well
)

func (e *examination) settings() {
	if e.Settings == nil {
		e.ok("settings", "The settings are valid.")
		return
	}
	for line := range strings.Lines(e.Settings.Error()) {
		e.problem("settings", strings.TrimSpace(line)+".", "Correct the variable, or remove it; docs/run/config.md "+
			"has all.")
	}
}

// folder reports whether the data folder has an installation.
func (e *examination) folder(folder string) bool {
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.problem("folder", "There is no folder "+folder+".", "Name the reader's folder with --data or RURI_DATA, or "+
			"make one: ruri serve --data "+folder)
		return false
	case err != nil:
		e.problem("folder", err.Error()+".", "Run this command as the user that the reader runs as.")
		return false
	case !info.IsDir():
		e.problem("folder", folder+" is a file.", "Name the folder that it is in, or another one, with --data.")
		return false
	}
	if uid, ok := ownedByAnother(info); ok {
		e.problem("folder", fmt.Sprintf("%s belongs to user %d, who could not use the files that this command makes.",
			folder,
			uid), fmt.Sprintf("Run it as that user: sudo -u '#%d' ruri doctor --data %s", uid, folder))
		return false
	}
	f, err := os.CreateTemp(folder, ".doctor-*")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		e.problem("folder", "Nothing can be written into "+folder+": "+reason(err)+".", "Free space, or make it "+
			"writable for the user that the reader runs as (chown -R).")
		return false
	}
	e.space(folder)
	if _, err := os.Stat(filepath.Join(folder, "blobs")); err != nil {
		if _, err := os.Stat(filepath.Join(folder, "ruri.db")); err != nil {
			e.problem("folder", "No reader was started in "+folder+".", "Name the reader's folder with --data or "+
				"RURI_DATA, or start one: ruri serve --data "+folder)
			return false
		}
	}
	e.modes(folder)
	e.ok("folder", "%s can be read and written.", folder)
	return true
}

func reason(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

func (e *examination) space(folder string) {
	const do = "Free space or move the folder to a larger disk; RURI_RETENTION_DAYS says how long articles are kept."
	switch n, err := e.Free(folder); {
	case err != nil:
		e.warn("space", "It cannot be told how much space is free: "+reason(err)+".", "Look with df "+folder)
	case n < noSpace:
		e.problem("space", fmt.Sprintf("The disk of %s is full: %d MB are free.", folder, n>>20), do)
	case n < littleSpace:
		e.warn("space", fmt.Sprintf("The disk of %s is nearly full: %d MB are free.", folder, n>>20), do)
	default:
		e.ok("space", "%d GB are free.", n>>30)
	}
}

// modes looks whether other users of the machine may read the secret that signs sessions. A start of the reader
// changes that.
func (e *examination) modes(folder string) {
	if runtime.GOOS == "windows" {
		return
	}
	open := ""
	for _, name := range []string{"", "ruri.db", "queue.db", "blobs"} {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o077 != 0 {
			open += fmt.Sprintf(" %s (%04o)", path, info.Mode().Perm())
		}
	}
	if open != "" {
		e.warn("modes", "Other users of this machine may use"+open+".", "chmod -R go= "+folder)
		return
	}
	e.ok("modes", "The folder is its owner's alone.")
}
