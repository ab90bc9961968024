package library

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Place is where a person stopped in an item.
type Place struct {
	Item reader.ItemID `json:"item"`
	// At is the time when they stopped, in Unix seconds.
	At int64 `json:"at"`
	// Part is how much of the article was read, from 0 to 1, and Seconds the position in its episode.
	Part    float64 `json:"part,omitempty"`
	Seconds int     `json:"seconds,omitempty"`
}

// Places are the newest places of a person, one for each item, the newest first.
type Places []Place

const (
	// MaxPlaces bounds the places of a person.
	MaxPlaces = 200
	// PlacesEvery is the least time between two writes of a person's places.
	PlacesEvery = 5 * time.Minute
	// finished is the part from which an article counts as read to its end.
	finished = 0.97
)

// IsBegun reports whether there is something to continue: an article that is not at its end, or an episode. A device
// that has played an episode to its end sends 0 seconds.
func (p Place) IsBegun() bool { return p.Part < finished && (p.Part > 0 || p.Seconds > 0) }

// Merge returns the places with others: of two of one item the newer one, and of all the newest. Times after now come
// from a clock that is ahead, and count as now.
func (p Places) Merge(others Places, now time.Time) Places {
	all := slices.Concat(p, others)
	for i := range all {
		all[i].At = min(all[i].At, now.Unix())
	}
	slices.SortStableFunc(all, func(a, b Place) int { return cmp.Compare(b.At, a.At) })
	known := map[reader.ItemID]bool{}
	all = slices.DeleteFunc(all, func(x Place) bool {
		isKnown := known[x.Item]
		known[x.Item] = true
		return isKnown
	})
	return all[:min(len(all), MaxPlaces)]
}

// Encode returns the places as JSON; nil without any.
func (p Places) Encode() []byte {
	if len(p) == 0 {
		return nil
	}
	b, _ := json.Marshal(p) // numbers always encode: parts are checked where they come in
	return b
}

// DecodePlaces decodes what Encode returned. Places are a convenience: damaged ones count as none.
func DecodePlaces(b []byte) (p Places) {
	if json.Unmarshal(b, &p) != nil {
		return nil
	}
	return p
}
