package store

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
)

// TestFormatsThatDiffer: each direction says what to do, and names both versions.
func TestFormatsThatDiffer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stored, ours int
		code, says   string
	}{{1, 1, "", ""}, {2, 1, "data_newer", "Start that version"}, {1, 2, "data_older", "ruri restore"}} {
		err := compareFormats(c.stored, c.ours, "0.9.0", "0.5.0")
		if (err == nil) != (c.code == "") || err != nil && fault.CodeOf(err) != c.code {
			t.Errorf("%d for %d: %v", c.stored, c.ours, err)
		}
		if err != nil && (!strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "0.9.0") ||
			!strings.Contains(err.Error(), "0.5.0")) {
			t.Errorf("%d for %d: %v", c.stored, c.ours, err)
		}
	}
}

// TestRaises: each version but the first is reached from the one before.
func TestRaises(t *testing.T) {
	t.Parallel()
	raises := Raises()
	if len(raises) != SchemaVersion-1 {
		t.Errorf("%d raises lead to version %d", len(raises), SchemaVersion)
	}
	for i, r := range raises {
		if r.To != i+2 {
			t.Errorf("raise %d leads to %d", i, r.To)
		}
	}
}

// TestRaiseFormat: a backup comes before the first change; without it nothing changes, and a raise that fails is
// repeated.
func TestRaiseFormat(t *testing.T) {
	t.Parallel()
	s, _ := newStore()
	var steps []string
	fails := map[string]error{}
	do := func(step string) error {
		steps = append(steps, step)
		return fails[step]
	}
	raises := []Raise{
		{2, func(context.Context, *Store) error { return do("to 2") }},
		{3, func(context.Context, *Store) error { return do("to 3") }},
	}
	open := func() (string, error) {
		steps = nil
		err := s.RaiseFormat(t.Context(), "0.9.0", raises, func(_ context.Context, from, to int) error {
			return do(strings.Repeat("I", from) + " backup " + strings.Repeat("I", to))
		})
		return strings.Join(steps, ", "), err
	}
	for _, c := range []struct {
		fails, steps, code, says string
	}{
		{"I backup III", "I backup III", "no_backup", "Nothing was changed"},
		{"to 3", "I backup III, to 2, to 3", "data_not_raised", "Start this version (0.9.0) again"},
		{"", "II backup III, to 3", "", ""},
		{"", "", "", ""}, // it is done
	} {
		fails = map[string]error{c.fails: errors.New("the disk is full")}
		got, err := open()
		if got != c.steps || (err == nil) != (c.code == "") || err != nil && (fault.CodeOf(err) != c.code ||
			!strings.Contains(err.Error(), c.says)) {
			t.Errorf("with %q failing: %s, %v", c.fails, got, err)
		}
	}
	raises = nil // an older program
	if _, err := open(); fault.CodeOf(err) != "data_newer" || !slices.Equal(steps, nil) {
		t.Errorf("%v, %v", steps, err)
	}
}
