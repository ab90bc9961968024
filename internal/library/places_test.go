package library

import (
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func TestPlacesMerge(t *testing.T) {
	t.Parallel()
	at := func(item, minutesAgo int, part float64) Place {
		return Place{Item: reader.NewItemID(0, 1, reader.Seq(item)), At: noon.Unix() - int64(60*minutesAgo), Part: part}
	}
	for name, tt := range map[string]struct{ a, b, want Places }{
		"nothing": {},
		"first":   {nil, Places{at(1, 5, 0.2)}, Places{at(1, 5, 0.2)}},
		"newer":   {Places{at(1, 5, 0.2)}, Places{at(1, 4, 0.1)}, Places{at(1, 4, 0.1)}},
		"older":   {Places{at(1, 4, 0.1)}, Places{at(1, 5, 0.9)}, Places{at(1, 4, 0.1)}},
		"others": {Places{at(1, 4, 0.1)}, Places{at(2, 5, 0.9), at(3, 1, 0.3)},
			Places{at(3, 1, 0.3), at(1, 4, 0.1), at(2, 5, 0.9)}},
		"twice":          {nil, Places{at(1, 4, 0.1), at(1, 2, 0.2), at(1, 3, 0.3)}, Places{at(1, 2, 0.2)}},
		"clock ahead":    {nil, Places{at(1, -60, 0.1)}, Places{at(1, 0, 0.1)}},
		"it is repeated": {Places{at(1, 4, 0.1)}, Places{at(1, 4, 0.1)}, Places{at(1, 4, 0.1)}},
	} {
		if got := tt.a.Merge(tt.b, noon); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	var many Places
	for i := range MaxPlaces + 50 {
		many = append(many, at(i+1, 300-i, 0.5))
	}
	got := Places(nil).Merge(many, noon)
	if len(got) != MaxPlaces || got[0].Item.SeqLow() != MaxPlaces+50 ||
		got[MaxPlaces-1].Item.SeqLow() != 51 {
		t.Errorf("of many: %d, %v to %v", len(got), got[0], got[len(got)-1])
	}
	if b := got.Encode(); !slices.Equal(DecodePlaces(b), got) || len(b) > 12<<10 {
		t.Errorf("%d bytes: %s", len(b), b)
	}
	if got := DecodePlaces([]byte("[{")); got != nil {
		t.Errorf("damaged: %v", got)
	}
}

func TestPlacesBegun(t *testing.T) {
	t.Parallel()
	for p, want := range map[Place]bool{
		{Part: 0}: false, {Part: 0.1}: true, {Part: 0.96}: true, {Part: 0.97}: false, {Part: 1}: false,
		{Seconds: 30}: true, {Part: 1, Seconds: 30}: false,
	} {
		if p.IsBegun() != want {
			t.Errorf("%+v: %v", p, !want)
		}
	}
}
