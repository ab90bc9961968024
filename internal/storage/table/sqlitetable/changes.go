package sqlitetable

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"sort"
	"sync"

	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	// keptCommits is how many commits the file's log holds at least; it is trimmed once in trimEvery commits.
	keptCommits = 4096
	trimEvery   = 512
	// keptChanges is how many of the newest changes are in memory at least.
	keptChanges = 8192

	logSQL     = "INSERT INTO changes (keys) VALUES (?1)"
	trimSQL    = "DELETE FROM changes WHERE n <= ?1"
	sinceSQL   = "SELECT n, keys FROM changes WHERE n > ?1 ORDER BY n"
	newestSQL  = "SELECT max(n) FROM changes"
	changesDDL = `CREATE TABLE IF NOT EXISTS changes (n INTEGER PRIMARY KEY, keys BLOB NOT NULL);
INSERT OR IGNORE INTO changes (n, keys) VALUES (1, x'');`
)

// log records the keys that a group of writes changed, as one row with the number of the commit, in their transaction.
// A group that changed nothing has no number.
func (w *writer) log(group []*job) (commit uint64, keys []table.Key, err error) {
	for _, j := range group {
		if j.changed {
			keys = append(keys, j.keys...)
		}
	}
	if len(keys) == 0 {
		return 0, nil, nil
	}
	n, err := w.c.insert(logSQL, packKeys(keys))
	if err == nil && n%trimEvery == 0 {
		_, err = w.c.exec(trimSQL, n-keptCommits)
	}
	return uint64(n), keys, err
}

func packKeys(keys []table.Key) []byte {
	b := make([]byte, 0, 32*len(keys))
	for _, k := range keys {
		b = append(binary.AppendUvarint(b, uint64(len(k.PK))), k.PK...)
		b = append(binary.AppendUvarint(b, uint64(len(k.SK))), k.SK...)
	}
	return b
}

// changes holds the newest part of the file's log: without a gap up to the commit last. Own commits are added before
// they are acknowledged; those of other processes, and own ones that follow them, are read when somebody asks.
type changes struct {
	dsn string

	mu     sync.Mutex
	c      *conn // opened by the first to ask
	list   []table.Change
	before uint64 // commits up to this one are not in the list
	last   uint64
	shut   bool
}

// committed adds an own commit.
func (l *changes) committed(n uint64, keys []table.Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.c != nil && n == l.last+1 {
		l.add(n, keys)
	}
}

func (l *changes) add(n uint64, keys []table.Key) {
	if len(l.list) > 2*keptChanges {
		// What was handed out stays as it is.
		dropped := len(l.list) - keptChanges
		l.before = l.list[dropped-1].At
		l.list = append([]table.Change(nil), l.list[dropped:]...)
	}
	for _, k := range keys {
		l.list = append(l.list, table.Change{At: n, Key: k})
	}
	l.last = n
}

// Changes implements table.Logger.
func (d *Driver) Changes(_ context.Context, after uint64) (list []table.Change, now uint64, complete bool) {
	l := d.changes
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut || l.catchUp() != nil {
		return nil, 0, false
	}
	if after < l.before {
		return nil, l.last, false
	}
	i := sort.Search(len(l.list), func(i int) bool { return l.list[i].At > after })
	return l.list[i:len(l.list):len(l.list)], l.last, true
}

// catchUp reads what the file's log has beyond the last commit.
func (l *changes) catchUp() error {
	if l.c == nil {
		c, err := connect(l.dsn)
		if err != nil {
			return err
		}
		n, err := c.number(newestSQL)
		if err != nil {
			c.close()
			return err
		}
		l.c, l.before, l.last = c, uint64(n), uint64(n)
		return nil
	}
	return l.c.query(sinceSQL, 2, func(v []driver.Value) (bool, error) {
		n, _ := v[0].(int64)
		packed, _ := v[1].([]byte)
		keys, ok := unpackKeys(packed)
		switch {
		case !ok: // damaged: as if the log did not reach back so far
			l.list, l.before, keys = nil, uint64(n), nil
		case uint64(n) != l.last+1: // trimmed meanwhile
			l.list, l.before = nil, uint64(n)-1
		}
		l.add(uint64(n), keys)
		return true, nil
	}, int64(l.last))
}

func unpackKeys(b []byte) (keys []table.Key, ok bool) {
	for len(b) > 0 {
		var parts [2]string
		for i := range parts {
			n, w := binary.Uvarint(b)
			if w <= 0 || n > uint64(len(b)-w) {
				return nil, false
			}
			parts[i], b = string(b[w:w+int(n)]), b[w+int(n):]
		}
		keys = append(keys, table.Key{PK: parts[0], SK: parts[1]})
	}
	return keys, true
}

func (l *changes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shut = true
	if l.c != nil {
		l.c.close()
	}
}
