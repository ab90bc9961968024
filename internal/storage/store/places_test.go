package store

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
)

func placeAt(item int, at time.Time, part float64) library.Place {
	return library.Place{Item: reader.NewItemID(5, 1, reader.Seq(item)), At: at.Unix(), Part: part}
}

// Places of a user are written at most once in five minutes; what came meanwhile is stored with what comes later.
func TestPlacesAreWrittenSeldom(t *testing.T) {
	t.Parallel()
	st, clk := newStore()
	var sent library.Places // a device sends what is not stored again
	written := 0.0
	for minute := range 21 {
		sent = append(sent, placeAt(minute+1, clk.Now(), 0.5))
		before := st.Table().Meter().Snapshot().TotalWrites()
		all, isStored, err := st.Places.Merge(ctx, "u1", sent, clk.Now())
		ok(t, err)
		units := st.Table().Meter().Snapshot().TotalWrites() - before
		if len(all) != minute+1 || isStored != (minute%5 == 0) || (units > 0) != isStored {
			t.Fatalf("minute %d: %d places, stored: %v, %v units", minute, len(all), isStored, units)
		}
		if written += units; isStored {
			sent = nil
		}
		clk.Add(time.Minute)
	}
	if list, err := st.Places.Get(ctx, "u1"); err != nil || len(list) != 21 || written > 10 {
		t.Errorf("%d places, %v, %v units", len(list), err, written)
	}
	if list, err := st.Places.Get(ctx, "u2"); err != nil || list != nil {
		t.Errorf("another user has %v, %v", list, err)
	}
	// What is known already writes nothing, however late it comes again.
	clk.Add(time.Hour)
	before := st.Table().Meter().Snapshot().TotalWrites()
	all, isStored, err := st.Places.Merge(ctx, "u1", library.Places{placeAt(1, start, 0.5)}, clk.Now())
	if err != nil || !isStored || len(all) != 21 || st.Table().Meter().Snapshot().TotalWrites() != before {
		t.Errorf("known places: %d, stored: %v, %v", len(all), isStored, err)
	}
}

// A full row of places is small, and a person can read it.
func TestPlacesAreReadable(t *testing.T) {
	t.Parallel()
	st, clk := newStore()
	var list library.Places
	for i := range library.MaxPlaces {
		p := placeAt(i, clk.Now(), 0.123)
		p.Item, p.Seconds = reader.MaxItemID-reader.ItemID(i), 3599
		list = append(list, p)
	}
	_, _, err := st.Places.Merge(ctx, "u1", list, clk.Now())
	ok(t, err)
	if n := st.Table().Meter().Snapshot().TotalWrites(); n > 16 {
		t.Errorf("a full row is %v units", n)
	}
	row, err := getSettings(ctx, st.table, "u1", placesName)
	ok(t, err)
	const want = `[{"item":"9007199254740991","at":1775030400,"part":0.123,"seconds":3599},{`
	if got := string(row.Places); len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("stored is %.100s", got)
	}
}

// Of two devices that write at once neither loses a newer place.
func TestPlacesOfTwoDevices(t *testing.T) {
	t.Parallel()
	st, clk := newStore()
	_, _, err := st.Places.Merge(ctx, "u1", library.Places{placeAt(1, start, 0.1), placeAt(2, start, 0.2)}, clk.Now())
	ok(t, err)
	clk.Add(time.Hour)
	late, early := clk.Now().Add(-time.Minute), clk.Now().Add(-time.Hour)
	for _, device := range []library.Places{
		{placeAt(1, late, 0.9), placeAt(3, early, 0.3)}, {placeAt(1, early, 0.4), placeAt(2, late, 0.8)},
	} {
		_, isStored, err := st.Places.Merge(ctx, "u1", device, clk.Now())
		if err != nil || !isStored {
			t.Fatal(isStored, err)
		}
		clk.Add(library.PlacesEvery)
	}
	got, err := st.Places.Get(ctx, "u1")
	ok(t, err)
	parts := map[reader.Seq]float64{}
	for _, p := range got {
		parts[p.Item.SeqLow()] = p.Part
	}
	if len(parts) != 3 || parts[1] != 0.9 || parts[2] != 0.8 || parts[3] != 0.3 {
		t.Errorf("the places are %v", got)
	}
}
