package stream

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// TestOldSideBarsAreBounded: what is kept of lists holds the side bars that they were made of, which may be in memory
// for that alone: those of many folders and users are bounded together.
func TestOldSideBarsAreBounded(t *testing.T) {
	t.Parallel()
	clk := clock.NewManual(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	s := New(store.New(table.New(memtable.New(), table.Options{Clock: clk, Kind: store.Kind}), clk), nil, clk)
	const feeds = 1000
	for n := range reader.FolderID(100) {
		bar := sideBar{all: make([]*Subscribed, feeds), within: []reader.FolderID{n + 1}, isLocal: true}
		for i := range bar.all {
			f := &store.FeedRow{Seq: uint32(n) + 1}
			f.SK = reader.FeedID(i + 1).String()
			bar.all[i] = &Subscribed{Feed: f}
		}
		s.asOf("u", Scope{Folder: n + 1}, &bar)
		s.ranked(reader.UserID(rune('a'+n)), &bar, &Query{})
	}
	asOfs, rankings := s.asOfs.Len(), s.rankings.Len()
	if most := viewBytes / 2 / subscribedBytes / feeds; asOfs == 0 || asOfs > most || rankings == 0 || rankings > most {
		t.Errorf("%d tokens and %d rankings of %d feeds are kept, at most %d wanted", asOfs, rankings, feeds, most)
	}
}
