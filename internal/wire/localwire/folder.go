package localwire

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
)

// Names in the data folder.
const (
	tableFile  = "ruri.db"
	queueFile  = "queue.db"
	blobFolder = "blobs"
)

// databases are the files that SQLite would create with the modes that the umask allows. SQLite writes a log, its index
// and, in other modes, a journal next to each, with the mode of the file itself.
func databases() []string { return []string{tableFile, queueFile} }

const openToOthers = 0o077 // permissions of everybody but the owner

// prepare creates the data folder and the databases in it for their owner alone, because they contain the secret that
// signs sessions. Permissions of others on existing files are removed. Errors are sentences for the person who chose
// the folder.
func prepare(folder string, log *slog.Logger, chmod func(string, fs.FileMode) error) error {
	if err := usable(folder); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // access lists decide there, and modes mean nothing
		return nil
	}
	if err := narrowFolder(folder, log, chmod); err != nil {
		return err
	}
	for _, name := range databases() {
		path := filepath.Join(folder, name)
		if err := createPrivate(path); err != nil {
			return unusable(folder, err)
		}
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			if err := narrow(path+suffix, 0o600, chmod); err != nil {
				return err
			}
		}
	}
	// Files in it are created with these modes, and no other user can enter the folder itself.
	return narrow(filepath.Join(folder, blobFolder), 0o700, chmod)
}

// createPrivate creates a file for its owner alone unless it is there.
func createPrivate(path string) error {
	// Only a new file is opened: closing one that SQLite has open would drop its locks.
	//nolint:gosec // the folder is its owner's to choose
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		err = f.Close()
	}
	return err
}

// usable creates the folder and a file in it, so that an error is a plain sentence and not the engine's.
func usable(folder string) error {
	err := os.MkdirAll(folder, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(folder, ".writable-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return unusable(folder, err)
	}
	return nil
}

func unusable(folder string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("the data folder %s cannot be used: %w. Choose another with --data", folder, path.Err)
	}
	return err
}

// narrowFolder removes the permissions of others from the data folder. A folder with files of others, like /tmp or
// somebody's home directory, is an error and is not changed.
func narrowFolder(folder string, log *slog.Logger, chmod func(string, fs.FileMode) error) error {
	info, err := os.Stat(folder)
	if err != nil {
		return unusable(folder, err)
	}
	if info.Mode()&openToOthers == 0 {
		return nil
	}
	ours, err := onlyOurs(folder)
	if err != nil {
		return unusable(folder, err)
	}
	if info.Mode()&fs.ModeSticky != 0 || !ours {
		return fmt.Errorf("the data folder %s is open to other users of this machine (mode %04o) and holds files of "+
			"others. Choose a folder that only the reader uses with --data, such as %s", folder, info.Mode().Perm(),
			filepath.Join(folder, "ruri"))
	}
	if err := narrow(folder, 0o700, chmod); err != nil {
		return err
	}
	log.Info("the data folder was open to other users of this machine and is now closed to them",
		"folder", folder, "mode", fmt.Sprintf("%04o", info.Mode().Perm()))
	return nil
}

// onlyOurs reports whether a folder has a reader's files, or is empty except for the usual content of a new volume.
func onlyOurs(folder string) (bool, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false, err
	}
	others := false
	for _, e := range entries {
		if e.Name() == tableFile {
			return true, nil
		}
		others = others || e.Name() != "lost+found"
	}
	return !others, nil
}

// narrow sets the mode of a file or folder that others may use; a missing one is no error. The result is checked,
// because some file systems accept a mode and keep another.
func narrow(path string, mode fs.FileMode, chmod func(string, fs.FileMode) error) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode()&openToOthers != 0 {
		if err = chmod(path, mode); err == nil {
			info, err = os.Stat(path)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // a log that another process has just removed
		return nil
	case err == nil && info.Mode()&openToOthers == 0:
		return nil
	case err == nil:
		err = errors.New("the file system kept the mode")
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return fmt.Errorf("the data in %s can be read by other users of this machine, and that could not be changed: %w. "+
		"Make it its owner's alone (chmod go= %s), or choose another folder with --data", path, err, path)
}
