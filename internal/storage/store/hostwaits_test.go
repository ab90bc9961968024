package store

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

// A lease remembers the hosts that are to be left alone longest, forgets those whose time is over, and is as it was
// when there is none.
func TestHostWaits(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	ok(t, s.Leases.MarkAll(t.Context(), 0, start))
	before, err := s.Leases.Get(t.Context(), 0)
	ok(t, err)
	many := HostWaits{"over.example": start.Unix()}
	for i := range maxHostWaits + 50 {
		many[fmt.Sprintf("host%d.example", i)] = start.Add(time.Duration(i+1) * time.Minute).Unix()
	}
	ok(t, s.Leases.SaveHostWaits(t.Context(), 0, many, start))
	row, err := s.Leases.Get(t.Context(), 0)
	ok(t, err)
	got := row.HostWaits()
	if len(got) != maxHostWaits || got["host50.example"] != many["host50.example"] || got["host49.example"] != 0 ||
		got["over.example"] != 0 {
		t.Errorf("%d hosts are kept: %v", len(got), got)
	}
	ok(t, s.Leases.SaveHostWaits(t.Context(), 0, got, start.Add(24*time.Hour)))
	if row, err = s.Leases.Get(t.Context(), 0); err != nil || !reflect.DeepEqual(row, before) {
		t.Errorf("%+v, %v, before %+v", row, err, before)
	}
	if got := (LeaseRow{Waits: "{"}).HostWaits(); len(got) != 0 {
		t.Errorf("of what cannot be read: %v", got)
	}
}
