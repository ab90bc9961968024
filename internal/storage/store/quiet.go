package store

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/table"
)

// QuietHosts are hosts that asked to be left alone, and until when, in Unix seconds.
type QuietHosts map[string]int64

// maxQuiet bounds how many hosts a lease remembers: those that are to be left alone longest.
const maxQuiet = 200

// QuietHosts gives the part's hosts that asked to be left alone; times that are over may be among them.
func (l LeaseRow) QuietHosts() QuietHosts {
	q := QuietHosts{}
	if l.Quiet != "" {
		_ = json.Unmarshal([]byte(l.Quiet), &q) // what cannot be read is nothing: each feed's own row has its time too
	}
	return q
}

// KeepQuiet records which hosts of a part are to be left alone from now on, for whoever polls there next.
func (s *Leases) KeepQuiet(ctx context.Context, part int, q QuietHosts, now time.Time) error {
	hosts := slices.SortedFunc(maps.Keys(q), func(a, b string) int { return cmp.Compare(q[b], q[a]) })
	keep := QuietHosts{}
	for _, h := range hosts[:min(len(hosts), maxQuiet)] {
		if q[h] > now.Unix() {
			keep[h] = q[h]
		}
	}
	u := table.Update{Remove: []string{"quiet"}}
	if len(keep) > 0 {
		text, err := json.Marshal(keep)
		if err != nil {
			return err
		}
		u = table.Update{Set: map[string]any{"quiet": string(text)}}
	}
	return s.t.Update(ctx, leaseKey(part), u)
}
