package store

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// UseDays is for how many days sums are kept: two years.
const UseDays = 731

// UseRow has what people did on one day: what was clicked, opened and searched for most.
type UseRow struct {
	rowKey

	// Only is the user, if a single one used the installation in these days; "" when the sums are of several.
	Only string `dynamo:"only,omitempty"`
	Sums []byte `dynamo:"sums,omitempty"` // Use
	TTL  int64  `dynamo:"ttl"`
}

// Use has the sums of a day, the greatest first.
type Use struct {
	Clicks   []*UseSum `json:"c,omitempty"`
	Tags     []*UseSum `json:"t,omitempty"`
	Searches []*UseSum `json:"s,omitempty"`
}

// UseSum is how often something was done.
type UseSum struct {
	Item reader.ItemID `json:"i,omitempty"`
	Text string        `json:"t,omitempty"`
	N    int           `json:"n"`
}

// maxUse bounds the bytes of a row's sums.
const maxUse = 64 << 10

// Use decodes the row's sums.
func (r *UseRow) Use() (u Use, err error) {
	return u, reader.UnpackJSON(r.Sums, maxUse, &u)
}

// Day is the day that the sums are of.
func (r *UseRow) Day() reader.Day {
	t, _ := time.Parse("STAT#2006-01-02", r.PK+"-"+r.SK)
	return reader.DayOf(t.UnixMilli())
}

// Uses reads and writes the sums of days.
type Uses struct{ t *table.Table }

// Put writes the sums of a day; only is the user whose they are when there is no other.
func (s *Uses) Put(ctx context.Context, d reader.Day, only reader.UserID, u Use) error {
	packed, err := reader.PackJSON(nil, u)
	if err != nil {
		return err
	}
	return put(ctx, s.t, useKey(d), &UseRow{Only: string(only), Sums: packed, TTL: (int64(d) + UseDays) * 24 * 60 * 60})
}

// Days returns the rows of the days from first to last, in order.
func (s *Uses) Days(ctx context.Context, first, last reader.Day) (days []*UseRow, err error) {
	for from := first; from <= last; {
		to := from
		for to < last && usePK(to+1) == usePK(from) {
			to++
		}
		rows, err := list[UseRow](ctx, s.t,
			table.Query{PK: usePK(from), From: useKey(from).SK, To: useKey(to).SK + "$"})
		if err != nil {
			return nil, err
		}
		days, from = append(days, rows...), to+1
	}
	return days, nil
}
