package faultytable

import (
	"context"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/storage/table"
)

// remember runs a write and keeps the states of its rows before it, for reads that lag.
func (d *Driver) remember(ctx context.Context, keys []table.Key, write func() error) error {
	if d.o.Stale <= 0 {
		return write()
	}
	d.write.Lock()
	defer d.write.Unlock()
	before := make([]state, len(keys))
	for i, k := range keys {
		row, ok, _, err := d.inner.Get(ctx, k, true)
		if err != nil {
			return err
		}
		before[i] = state{row, ok}
	}
	err := write()
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		for i, k := range keys {
			part := d.past[k.PK]
			if part == nil {
				part = map[string][]state{}
				d.past[k.PK] = part
			}
			old := append(part[k.SK], before[i])
			part[k.SK] = old[max(0, len(old)-d.o.Depth):]
		}
	}
	return err
}

// lag gives a row's present state, or with luck an older one.
func (d *Driver) lag(k table.Key, row table.Row, ok bool) (table.Row, bool) {
	if d.o.Stale <= 0 || d.quiet() {
		return row, ok
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.past[k.PK][k.SK]
	if len(old) == 0 || d.rnd.Float64() >= d.o.Stale {
		return row, ok
	}
	s := old[d.rnd.IntN(len(old))]
	d.played("stale")
	return s.row, s.exists
}

// lagPage replaces the rows of a page, and those that the page would have had, by older states.
func (d *Driver) lagPage(r table.Range, page table.Rows) table.Rows {
	now := make(map[string]table.Row, len(page.Rows))
	var keys []string
	for _, row := range page.Rows {
		now[row.Key.SK] = row
		keys = append(keys, row.Key.SK)
	}
	d.mu.Lock()
	for sk := range d.past[r.PK] {
		if _, there := now[sk]; !there && covered(r, page, sk) {
			keys = append(keys, sk)
		}
	}
	d.mu.Unlock()
	slices.Sort(keys) // a map's order must not reach the random numbers
	if r.Desc {
		slices.Reverse(keys)
	}
	out := table.Rows{After: page.After}
	for _, sk := range keys {
		row, there := now[sk]
		if row, there = d.lag(table.Key{PK: r.PK, SK: sk}, row, there); !there {
			continue
		}
		if r.Limit > 0 && len(out.Rows) == r.Limit {
			out.After = out.Rows[len(out.Rows)-1].Key.SK
			break
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// covered reports whether a key lies in the stretch that a page answers for.
func covered(r table.Range, page table.Rows, sk string) bool {
	if !r.Contains(sk) {
		return false
	}
	order := strings.Compare
	if r.Desc {
		order = func(a, b string) int { return strings.Compare(b, a) }
	}
	return (r.After == "" || order(sk, r.After) > 0) && (page.After == "" || order(sk, page.After) <= 0)
}
