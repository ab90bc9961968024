package sqlitetable

import (
	"context"
	"database/sql/driver"
	"encoding/binary"

	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	// keptCommits is how many commits the file's log holds at least; it is trimmed once in trimEvery commits.
	keptCommits = 4096
	trimEvery   = 512

	logSQL     = "INSERT INTO changes (keys) VALUES (?1)"
	trimSQL    = "DELETE FROM changes WHERE n <= ?1"
	sinceSQL   = "SELECT n, keys FROM changes WHERE n > ?1 ORDER BY n"
	newestSQL  = "SELECT max(n) FROM changes"
	changesDDL = `CREATE TABLE IF NOT EXISTS changes (n INTEGER PRIMARY KEY, keys BLOB NOT NULL);
INSERT OR IGNORE INTO changes (n, keys) VALUES (1, x'');`
)

// log records the changed keys of a group of writes as one row, in their transaction; none if nothing changed.
func (w *writer) log(group []*job) error {
	var keys []table.Key
	for _, j := range group {
		if j.changed {
			keys = append(keys, j.keys...)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	n, err := w.c.insert(logSQL, packKeys(keys))
	if err == nil && n%trimEvery == 0 {
		_, err = w.c.exec(trimSQL, n-keptCommits)
	}
	return err
}

func packKeys(keys []table.Key) []byte {
	b := make([]byte, 0, 32*len(keys))
	for _, k := range keys {
		b = append(binary.AppendUvarint(b, uint64(len(k.PK))), k.PK...)
		b = append(binary.AppendUvarint(b, uint64(len(k.SK))), k.SK...)
	}
	return b
}

// Changes implements table.Logger.
func (d *Driver) Changes(ctx context.Context, after uint64) (list []table.Change, now uint64, complete bool) {
	err := d.read(ctx, func(c *conn) error {
		if after == 0 {
			n, err := c.number(newestSQL)
			now = uint64(n)
			return err
		}
		now, complete = after, true
		return c.query(sinceSQL, 2, func(v []driver.Value) (bool, error) {
			n, _ := v[0].(int64)
			packed, _ := v[1].([]byte)
			keys, ok := unpackKeys(packed)
			// A damaged row counts as one that was trimmed.
			complete = complete && ok && uint64(n) == now+1
			for _, k := range keys {
				list = append(list, table.Change{At: uint64(n), Key: k})
			}
			now = uint64(n)
			return true, nil
		}, int64(after))
	})
	switch {
	case err != nil:
		return nil, 0, false
	case !complete:
		return nil, now, false
	}
	return list, now, true
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
