package store_test

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

func TestQuietFeeds(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60
	for _, c := range []struct {
		what           string
		items, every   int // days
		silent         int // days
		isQuiet, watch bool
	}{
		{"daily, for a month", 20, 1, 30, true, false},
		{"daily, for less", 20, 1, 29, false, false},
		{"daily, for long", 20, 1, 60, false, false},
		{"weekly, for a month", 10, 7, 31, true, false},
		{"monthly, for two months", 6, 30, 60, false, false},
		{"monthly, for three months", 6, 30, 90, true, false},
		{"too few to know", 4, 1, 40, false, false},
		{"a watch", 20, 1, 40, false, true},
	} {
		f := &store.FeedRow{Status: "active", Subs: 1, Seq: uint32(c.items), NewestAt: 1_000 * day}
		if c.watch {
			f.Kind = store.KindWatch
		}
		sorts := make([]int64, c.items)
		for i := range sorts {
			sorts[i] = f.NewestAt - int64((c.items-1-i)*c.every*day)
		}
		f.Ages = f.Ages.Add(0, reader.Seq(1), sorts)
		if got := f.IsQuiet(time.Unix(f.NewestAt+int64(c.silent*day), 0)); got != c.isQuiet {
			t.Errorf("%s: quiet is %v", c.what, got)
		}
	}
}
