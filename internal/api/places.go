package api

import (
	"fmt"
	"math"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
)

// placeJSON is where a person stopped in an item.
type placeJSON struct {
	ID      *itemRef  `json:"id" required:"true"`
	At      time.Time `json:"at" required:"true"`
	Part    float64   `json:"part"`
	Seconds int       `json:"seconds"`
}

// placesJSON answers places that came along: all places of the person, and whether the new ones were stored.
type placesJSON struct {
	Places   []placeJSON `json:"places"`
	IsStored bool        `json:"placesStored"`
}

func shownPlace(p library.Place) placeJSON {
	return placeJSON{&itemRef{text: p.Item.String()}, time.Unix(p.At, 0).UTC(), p.Part, p.Seconds}
}

// maxSeconds is beyond the length of any episode.
const maxSeconds = 10_000_000

// places checks places. Those of items that cannot be ours are left out.
func places(in []placeJSON) (out library.Places, err error) {
	if len(in) > library.MaxPlaces {
		return nil, fault.Coded(fault.Invalid, "too_many_items", library.MaxPlaces).At("places")
	}
	for i, p := range in {
		if p.At.Unix() <= 0 || p.Part < 0 || p.Part > 1 || p.Seconds < 0 || p.Seconds > maxSeconds {
			return nil, fault.Coded(fault.Invalid, "bad_place").At(fmt.Sprintf("places[%d]", i))
		}
		if p.ID.id != 0 { // required, so it is there
			part := math.Round(p.Part*1000) / 1000 // readable where it is stored
			out = append(out, library.Place{Item: p.ID.id, At: p.At.Unix(), Part: part, Seconds: p.Seconds})
		}
	}
	return out, nil
}

func (s *Server) stop(r *request, list library.Places) (*placesJSON, error) {
	all, isStored, err := s.Streams.Stop(r.Context(), r.user, list)
	return &placesJSON{mapped(all, shownPlace), isStored}, err
}
