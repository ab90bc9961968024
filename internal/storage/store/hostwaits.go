package store

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// HostWaits are hosts that asked for a pause (Retry-After), and until when, in Unix seconds. "example.org 12" is one
// feed that was asked; a second one makes it the host's.
type HostWaits map[string]int64

// OfFeed is the key of a feed that was asked to wait.
func OfFeed(host string, f reader.FeedID) string { return host + " " + f.String() }

// HasOther reports whether another feed of a host is asked to wait.
func (q HostWaits) HasOther(host string, f reader.FeedID, now time.Time) bool {
	for who, until := range q {
		if strings.HasPrefix(who, host+" ") && who != OfFeed(host, f) && until > now.Unix() {
			return true
		}
	}
	return false
}

// maxHostWaits bounds how many hosts a lease remembers: those with the longest waits.
const maxHostWaits = 200

// HostWaits returns the part's hosts that asked to wait; times in the past may be among them.
func (l LeaseRow) HostWaits() HostWaits {
	q := HostWaits{}
	if l.Waits != "" {
		_ = json.Unmarshal([]byte(l.Waits), &q) // ignored if unreadable: each feed's own row has its time too
	}
	return q
}

// SaveHostWaits records which hosts of a part asked to wait, for the next runs.
func (s *Leases) SaveHostWaits(ctx context.Context, part int, q HostWaits, now time.Time) error {
	hosts := slices.SortedFunc(maps.Keys(q), func(a, b string) int { return cmp.Compare(q[b], q[a]) })
	keep := HostWaits{}
	for _, h := range hosts[:min(len(hosts), maxHostWaits)] {
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
