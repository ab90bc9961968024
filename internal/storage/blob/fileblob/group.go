package fileblob

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"sync"
	"time"
)

// Syncing is most of what a put costs. The puts of new blobs into one folder that come while another is under way form
// a group: one file, one sync of it, a link for each blob, one sync of the folder.

const (
	// maxGroup bounds the blobs of a file: its space is free when the last of them is deleted, and a program that
	// copies the folder without regard to links copies the file once for each.
	maxGroup = 16
	// linger is how long a group of at least two waits for more: a crawl that is busy brings them sooner than a disk
	// syncs.
	linger = 4 * time.Millisecond
)

// groups are the puts under way, by folder. The zero value is ready.
type groups struct {
	mu   sync.Mutex
	open map[string]*group // that others may join
	last map[string]*group // the newest, done or not
}

type group struct {
	before *group // done before this one begins; nil for none
	puts   []*put
	full   chan struct{}
	done   chan struct{}
}

// join adds a put to the open group of a folder. The first of a group leads it.
func (q *groups) join(dir string, p *put) (g *group, leads bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		q.open, q.last = map[string]*group{}, map[string]*group{}
	}
	g = q.open[dir]
	if leads = g == nil; leads {
		g = &group{before: q.last[dir], full: make(chan struct{}), done: make(chan struct{})}
		q.open[dir], q.last[dir] = g, g
	}
	if g.puts = append(g.puts, p); len(g.puts) == maxGroup {
		delete(q.open, dir)
		close(g.full)
	}
	return g, leads
}

// begin waits for the group before, and for more puts where some have come already. Nobody joins after it. A put that
// is alone does not wait.
func (q *groups) begin(dir string, g *group) {
	if g.before != nil {
		<-g.before.done
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	g.before = nil
	if len(g.puts) > 1 {
		q.mu.Unlock()
		select {
		case <-g.full:
		case <-time.After(linger):
		}
		q.mu.Lock()
	}
	if q.open[dir] == g {
		delete(q.open, dir)
	}
}

func (q *groups) end(dir string, g *group) {
	q.mu.Lock()
	if q.last[dir] == g {
		delete(q.last, dir)
	}
	q.mu.Unlock()
	close(g.done)
}

// putTogether puts a blob unless its name exists, with others if there are any. It returns when that is durable or has
// failed: the body is used until then.
func (s *Store) putTogether(p *put) {
	dir := path.Dir(p.name)
	g, leads := s.queue.join(dir, p)
	if !leads {
		<-g.done
		return
	}
	s.queue.begin(dir, g)
	defer s.queue.end(dir, g)
	s.putGroup(dir, slices.DeleteFunc(g.puts, func(p *put) bool {
		p.err = p.ctx.Err()
		return p.err != nil
	}))
}

// putGroup puts blobs into one file. If that cannot be written, each gets its own, so that only what cannot be stored
// fails.
func (s *Store) putGroup(dir string, puts []*put) {
	if len(puts) == 0 {
		return
	}
	tmp, err := s.writeTemp(puts)
	if err != nil && len(puts) > 1 {
		for i := range puts {
			s.putGroup(dir, puts[i:i+1])
		}
		return
	}
	if err != nil {
		puts[0].err = err
		return
	}
	for _, p := range puts {
		p.err = s.place(s.root.Link, tmp, p.name)
		if p.existed = errors.Is(p.err, fs.ErrExist); p.existed {
			p.err = nil
		}
	}
	_ = s.root.Remove(tmp) // one more name, or unused
	// Names that existed too: another process may just have put them, and the caller will refer to them.
	err = present(s.dirs.sync(dir))
	for _, p := range puts {
		if p.err == nil {
			p.err = err
		}
	}
}
