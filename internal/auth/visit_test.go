package auth

import (
	"testing"
	"time"
)

// TestVisits: a visit begins two hours after the activity that was written last, which another instance knows too. It
// takes no write of its own. C-16
func TestVisits(t *testing.T) {
	t.Parallel()
	w := newWorld()
	far := New(w.store.Accounts, w.clk, Options{})
	token, _, err := w.NewSession(t.Context(), "anna")
	if err != nil {
		t.Fatal(err)
	}
	began := w.clk.Now()
	writes := func() float64 { return w.store.Table().Meter().Snapshot().Writes["session"] }
	at := writes()
	for _, c := range []struct {
		what   string
		after  time.Duration
		before time.Time
		writes float64
	}{
		{"at once", 0, time.Time{}, 0},
		{"an hour later", time.Hour, time.Time{}, 1},
		{"and nearly two", 2*time.Hour - time.Second, time.Time{}, 1},
		{"the second visit", 10 * time.Hour, began.Add(3*time.Hour - time.Second), 1},
		{"a minute later", time.Minute, began.Add(3*time.Hour - time.Second), 0},
		{"an hour later", time.Hour, began.Add(3*time.Hour - time.Second), 1},
		{"the third visit", 2 * time.Hour, began.Add(14*time.Hour + time.Minute - time.Second), 1},
	} {
		w.clk.Add(c.after)
		for name, s := range map[string]*Service{"here": w.Service, "elsewhere": far} {
			v, err := s.Session(t.Context(), token)
			if err != nil || !v.Before.Equal(c.before) {
				t.Errorf("%s, %s: the last visit ended %v, want %v; %v", c.what, name, v.Before, c.before, err)
			}
		}
		if n := writes() - at; n != c.writes && n != 2*c.writes { // the attempt of the slower instance
			t.Errorf("%s: %v writes, want %v", c.what, n, c.writes)
		}
		at = writes()
	}
}
