package fileblob

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
)

// dirs creates folders and makes their entries durable. Concurrent puts into one folder share a sync: a sync covers all
// entries that were made before it began.
type dirs struct {
	root *os.Root
	step func(string) error

	mu      sync.Mutex
	known   map[string]bool // folders known to exist durably
	pending map[string]*syncRun
	running map[string]*syncRun
}

type syncRun struct {
	done chan struct{}
	err  error
}

const maxKnown = 1 << 14 // bounds known; a dropped name costs one sync

func newDirs(root *os.Root, step func(string) error) *dirs {
	return &dirs{root: root, step: step, known: map[string]bool{},
		pending: map[string]*syncRun{}, running: map[string]*syncRun{}}
}

// ensure creates dir and its parents; each entry is synced before anything is put below it.
func (d *dirs) ensure(dir string) error {
	if dir == "." {
		return nil
	}
	d.mu.Lock()
	known := d.known[dir]
	d.mu.Unlock()
	if known {
		return nil
	}
	parent := path.Dir(dir)
	if err := d.ensure(parent); err != nil {
		return err
	}
	if err := d.root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := d.sync(parent); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxKnown {
		clear(d.known)
	}
	d.known[dir] = true
	return nil
}

// forget clears the known folders, after one was removed.
func (d *dirs) forget() {
	d.mu.Lock()
	clear(d.known)
	d.mu.Unlock()
}

// sync returns when a sync of dir has ended that began after the call.
func (d *dirs) sync(dir string) error {
	d.mu.Lock()
	if r := d.pending[dir]; r != nil {
		d.mu.Unlock()
		<-r.done
		return r.err
	}
	r := &syncRun{done: make(chan struct{})}
	d.pending[dir] = r
	before := d.running[dir]
	d.mu.Unlock()
	if before != nil {
		<-before.done // meanwhile other puts join r
	}
	d.mu.Lock()
	delete(d.pending, dir)
	d.running[dir] = r
	d.mu.Unlock()

	r.err = d.syncNow(dir)

	d.mu.Lock()
	if d.running[dir] == r {
		delete(d.running, dir)
	}
	d.mu.Unlock()
	close(r.done)
	return r.err
}

func (d *dirs) syncNow(dir string) error {
	if err := d.step("syncdir"); err != nil {
		return err
	}
	f, err := d.root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func syncPath(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
