package fileblob

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// List implements blob.Driver.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]blob.Object, bool, error) {
	l := &lister{s: s, ctx: ctx, prefix: prefix, after: after, limit: limit}
	start := ""
	if i := strings.LastIndexByte(prefix, '/'); i >= 0 {
		start = prefix[:i+1]
	}
	joined, err := l.joinedIn(start)
	if err == nil {
		err = l.walk(start, joined)
	}
	if errors.Is(err, errEnough) {
		return l.page, true, nil
	}
	return l.page, false, classify("fileblob: list", err)
}

var errEnough = errors.New("page full") // sentinel

type lister struct {
	s             *Store
	ctx           context.Context // of the one call that this lister serves
	prefix, after string
	limit         int
	page          []blob.Object
}

// walk visits the keys that begin with dir ("" or ending in a slash): those in its folder, and joined, the last parts
// of keys whose file is in the parent folder under a shared name. Names sort like keys when a folder's name includes
// its slash: "a-b" before "a/b" before "ab".
func (l *lister) walk(dir string, joined []string) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	here, err := l.folder(dir)
	if err != nil {
		return err
	}
	for _, name := range here.names(joined) {
		full := dir + name
		switch {
		case strings.HasSuffix(full, "/"):
			inPrefix := strings.HasPrefix(full, l.prefix) || strings.HasPrefix(l.prefix, full)
			if !inPrefix || full < l.after && !strings.HasPrefix(l.after, full) {
				continue
			}
			err = l.walk(full, here.joined[name])
		case strings.HasPrefix(full, l.prefix) && full > l.after:
			err = l.add(full)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// joinedIn returns the keys below dir whose files are in its parent folder.
func (l *lister) joinedIn(dir string) ([]string, error) {
	if dir == "" {
		return nil, nil
	}
	i := strings.LastIndexByte(dir[:len(dir)-1], '/') + 1
	above, err := l.folder(dir[:i])
	return above.joined[dir[i:]], err
}

// folder is the content of one folder of the file system.
type folder struct {
	blobs  []string            // last parts of keys
	dirs   map[string]bool     // with a slash
	joined map[string][]string // "x/" -> "y", "z" of the files x@y@ and x@z@
}

func (l *lister) folder(dir string) (folder, error) {
	d := folder{dirs: map[string]bool{}, joined: map[string][]string{}}
	f, err := l.s.root.Open(path.Join(".", dir))
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil // absent, or deleted meanwhile
	}
	if err != nil {
		return d, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return d, err
	}
	for _, e := range entries {
		name, isBlob := strings.CutSuffix(e.Name(), mark)
		first, last, isJoined := strings.Cut(name, mark)
		switch {
		case e.IsDir() && !isBlob && !isJoined:
			d.dirs[name+"/"] = true
		case isBlob && isJoined && e.Type().IsRegular():
			d.joined[first+"/"] = append(d.joined[first+"/"], last)
		case isBlob && e.Type().IsRegular():
			d.blobs = append(d.blobs, name)
		}
	}
	return d, nil
}

// names returns the blobs, further ones, and the folders, sorted.
func (d folder) names(further []string) []string {
	names := slices.Concat(d.blobs, further)
	for dir := range d.dirs {
		names = append(names, dir)
	}
	for dir := range d.joined {
		if !d.dirs[dir] {
			names = append(names, dir)
		}
	}
	slices.Sort(names)
	return names
}

// add adds a blob to the page. A damaged one is listed with the size and time of its file, so that it can be found and
// deleted.
func (l *lister) add(key string) error {
	b, err := l.s.openBlob(fileOf(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer b.file.Close()
	if len(l.page) == l.limit {
		return errEnough
	}
	fx, err := decodeFixed(b.head)
	if err != nil {
		info, err := b.file.Stat()
		if err != nil {
			return err
		}
		fx.size, fx.modified = info.Size(), info.ModTime().UTC()
	}
	l.page = append(l.page, blob.Object{Key: key, Size: fx.size, Modified: fx.modified})
	return nil
}
