package sqlitetable

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
)

// slots is how many counters the partitions share; two partitions on one slot only invalidate each
// other's caches a little more often.
const slots = 4096

// versions shows caches whether a partition may have changed. Own commits count per partition. Commits
// of other processes count for all: SQLite's data_version of a connection changes with every commit
// that another connection made. The sentinel connection, which never writes, notices that anything was
// committed at all; only then the writer's connection is asked, whose data_version does not change with
// our own commits, whether it was somebody else.
type versions struct {
	own [slots]atomic.Uint64

	mu       sync.Mutex
	sentinel *conn
	seen     int64 // data_version of the sentinel last seen
	w        *writer
	foreign  uint64 // commits by others, or rather times that some were noticed
	byOthers int64  // data_version of the writer's connection last seen
	shut     bool
}

const dataVersion = "PRAGMA data_version"

func (v *versions) init() (err error) {
	if v.seen, err = v.sentinel.number(dataVersion); err == nil {
		v.byOthers, err = v.w.c.number(dataVersion)
	}
	return err
}

// bump runs after a commit and before its acknowledgement: a reader that sees the old counter may have
// read the rows before or after, one that sees the new counter reads them after.
func (v *versions) bump(group []*job) {
	for _, j := range group {
		if j.changed {
			for _, pk := range j.parts {
				v.own[xxhash.Sum64String(pk)%slots].Add(1)
			}
		}
	}
}

// Version implements table.Versioner. It is exact unless the file fails.
func (d *Driver) Version(_ context.Context, pk string) (uint64, bool) { return d.v.of(pk) }

func (v *versions) of(pk string) (uint64, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shut {
		return 0, false
	}
	now, err := v.sentinel.number(dataVersion)
	if err != nil {
		return 0, false
	}
	if now != v.seen {
		v.w.mu.Lock()
		others, err := v.w.c.number(dataVersion)
		v.w.mu.Unlock()
		if err != nil {
			return 0, false
		}
		if others != v.byOthers {
			v.byOthers = others
			v.foreign++
		}
		v.seen = now
	}
	// Both only grow, so their sum changes when either does.
	return v.foreign + v.own[xxhash.Sum64String(pk)%slots].Load(), true
}

func (v *versions) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shut = true
	v.sentinel.close()
}
