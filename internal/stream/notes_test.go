package stream_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// stored are the notes in the rows of all feeds.
func (w *world) stored(feeds ...reader.FeedID) (list []string) {
	for _, f := range feeds {
		row, err := w.store.Subscriptions.Get(w.t.Context(), user, f)
		w.ok(err)
		for _, one := range reader.Notes(row.Notes).All() {
			list = append(list, fmt.Sprint(one.Kind, one.Text))
		}
	}
	return list
}

// TestNotesCostNoWrite: notes go along with a change of an item, in a row that is written for it anyway. Sent again
// they count once, and without a change, or without room, they are not taken. H-10
func TestNotesCostNoWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 15)
	feeds := []reader.FeedID{w.feed(), w.feed(), w.feed()}
	for _, f := range feeds {
		w.news(f, 10)
	}
	w.clk.Add(time.Hour)
	list := w.pages(stream.Query{}, func() int { return 200 })
	counter := uint32(0)
	flush := func(read bool, n int, notes ...reader.Note) (stream.Flush, bool, float64) {
		counter++
		f := stream.Flush{Device: 7, Counter: counter, Notes: notes,
			Changes: []stream.BulkChange{{IDs: idsOf(list[:n]), Change: stream.Change{Read: &read}}}}
		before := w.meter.Snapshot().TotalWrites()
		done, err := w.s.Flush(t.Context(), user, f)
		w.ok(err)
		return f, done.Noted, w.meter.Snapshot().TotalWrites() - before
	}
	search := reader.Note{Kind: reader.Searched, Text: "go"}
	sent, noted, units := flush(true, len(list), search, reader.Note{Kind: reader.Clicked, Item: list[0].ID})
	if got := w.stored(feeds...); !noted || units != 3 || len(got) != 2 {
		t.Errorf("noted %v with %.0f units: %v", noted, units, got)
	}
	again, err := w.s.Flush(t.Context(), user, sent)
	w.ok(err)
	if got := w.stored(feeds...); !again.Noted || len(got) != 2 {
		t.Errorf("sent again: noted %v, %v", again.Noted, got)
	}
	list[0].ID = reader.NewItemID(1, 99, 1) // of a feed without a subscription: nothing is written
	if _, noted, units := flush(true, 1, search); noted || units != 0 || len(w.stored(feeds...)) != 2 {
		t.Errorf("nothing was changed, and noted is %v with %.0f units", noted, units)
	}
	list = list[1:]
	long := reader.Note{Kind: reader.Searched, Text: strings.Repeat("x", reader.MaxNoteText)}
	taken := 0
	for i := range 20 {
		if _, noted, _ := flush(i%2 == 1, len(list), long); noted {
			taken++
		}
	}
	if got := w.stored(feeds...); taken == 0 || taken == 20 || len(got) != 2+taken {
		t.Errorf("%d of 20 were taken, there are %d", taken, len(got))
	}
	w.clk.Add((reader.NoteDays + 1) * 24 * time.Hour)
	for _, f := range feeds {
		w.news(f, 1)
		w.markFeed(f, 0)
	}
	if got := w.stored(feeds...); len(got) > 0 {
		t.Errorf("notes of four days ago are kept: %v", got)
	}
}
