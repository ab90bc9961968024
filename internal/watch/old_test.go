package watch

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
)

// binaryForms has what the watcher of oldWatcher stored before stored forms were JSON.
//
//go:embed testdata/binary.json
var binaryForms []byte

type oldForms struct {
	State   []byte
	Changes [][]byte
	Months  map[string][]byte
}

func readOld(t testing.TB) (old oldForms) {
	t.Helper()
	if err := json.Unmarshal(binaryForms, &old); err != nil {
		t.Fatal(err)
	}
	return old
}

// oldWatcher saw a price in doubt, a range of prices, and what was sold and gone, in two months.
func oldWatcher(t *testing.T) *watcher {
	t.Helper()
	w := newWatcher(t)
	w.seq = 7
	w.look(rows(6)...)
	w.wait(time.Hour)
	all := rows(6)
	all[1] = sold(all[1])
	all[2].Price = &listing.Price{Amount: 900, Currency: "EUR", IsFrom: true}
	all[3].Price.Amount = 800
	for range 3 {
		w.look(all[:5]...)
		w.wait(20 * 24 * time.Hour)
	}
	all[0].Price.Amount = 1
	w.look(all...)
	return w
}

// The binary forms of November 2026 are still read, and become JSON.
func TestBinaryForms(t *testing.T) {
	t.Parallel()
	old, w := readOld(t), oldWatcher(t)
	s, err := DecodeState(old.State)
	if err != nil || !bytes.Equal(s.Encode(), w.s.Encode()) {
		t.Errorf("state: %v", err)
	}
	for i, b := range old.Changes {
		c, err := DecodeChanges(b)
		if err != nil || i >= len(w.cs) || !bytes.Equal(c.Encode(), w.cs[i].Encode()) {
			t.Errorf("group %d: %v", i, err)
		}
	}
	want := archive{}
	want.record(t, NewState(), w.cs, 99)
	if len(old.Months) != len(want) {
		t.Errorf("%d months", len(old.Months))
	}
	for m, b := range old.Months {
		h, err := DecodeHistory(b)
		if err != nil || !bytes.Equal(h.Encode(), want[m]) {
			t.Errorf("%s: %v", m, err)
		}
	}
}
