package clients_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
	"github.com/ruri-reader/ruri/internal/testkit/readerapps"
)

// TestContents: an answer without room for all bodies has all items, the last ones with snippets; one that does not
// exist has nothing.
func TestContents(t *testing.T) {
	t.Parallel()
	w := readerapps.New(t, 1)
	f := w.Follow("https://one.example/feed", 2)
	w.Publish(f, 3)
	ids := append(slices.Sorted(maps.Keys(w.Shown())), 1)
	found, err := w.Streams.FindAll(t.Context(), flow.User, ids)
	if err != nil {
		t.Fatal(err)
	}
	s := &clients.Services{Streams: w.Streams, Clock: w.Clock}
	texts := func(room int) (out []string) {
		list, err := s.Contents(t.Context(), flow.User, found, room)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			out = append(out, c.HTML)
		}
		return out
	}
	whole := []string{"The text of item 1.", "The text of item 2.", "The text of item 3.", "The text of item 4.",
		"The text of item 5.", ""}
	if got := texts(1 << 20); !slices.Equal(got, whole) {
		t.Errorf("with room for all: %q", got)
	}
	got, full := texts(5000), 0
	for i, text := range got {
		switch text {
		case "":
			if found[i] != nil {
				t.Errorf("item %d has nothing to show", i)
			}
		case "<p>" + whole[i] + "</p>":
		default:
			full++
		}
	}
	if full != 3 || len(got) != len(ids) {
		t.Errorf("with little room %d bodies are whole: %q", full, got)
	}
}

// TestAllIDs: all ids in either order.
func TestAllIDs(t *testing.T) {
	t.Parallel()
	w := readerapps.New(t, 1)
	w.Follow("https://one.example/feed", 30)
	s := &clients.Services{Streams: w.Streams, Clock: w.Clock}
	for _, oldest := range []bool{false, true} {
		ids, err := s.AllIDs(t.Context(), flow.User, stream.IDQuery{Oldest: oldest})
		if err != nil || len(ids) != 30 || slices.IsSorted(ids) != oldest {
			t.Errorf("%d ids, %v", len(ids), err)
		}
	}
}
