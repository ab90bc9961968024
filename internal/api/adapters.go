package api

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/fault"
)

type adapterJSON struct {
	Name    string   `json:"name"`
	Version int      `json:"version"`
	Hosts   []string `json:"hosts"`
	Terms   *string  `json:"terms"`
	// Currency is that of min and max, which then are in minor units.
	Currency *string  `json:"currency"`
	Asks     []string `json:"asks"` // placeholder in the address of its search
}

func (s *Server) listAdapters(r *request) error {
	list, err := s.Watching.Adapters(r.Context())
	return answerList(r, "adapters", list, adapterShape, err)
}

func adapterShape(a *listing.Adapter) adapterJSON {
	out := adapterJSON{Name: a.Name, Version: a.Version, Hosts: notNil(a.Hosts), Terms: orNull(a.Terms),
		Currency: orNull(a.Currency), Asks: []string{}}
	for _, name := range []string{"keyword", "category", "min", "max"} {
		if strings.Contains(a.List.URL, "{"+name+"}") {
			out.Asks = append(out.Asks, name)
		}
	}
	return out
}

// pathAdapter checks the name of an adapter.
func pathAdapter(r *request) error {
	if strings.Trim(r.PathValue("name"), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fault.Coded(fault.NotFound, "adapter_not_found")
	}
	return nil
}

// getAdapter answers an adapter as it was saved.
func (s *Server) getAdapter(r *request) error {
	row, err := s.Store.Watches.Adapter(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	body, err := row.JSON()
	if err != nil {
		return err
	}
	return r.bytes(http.StatusOK, jsonType, body)
}

func (s *Server) putAdapter(r *request) error {
	body, err := r.body(listing.MaxAdapter)
	if err != nil {
		return cmp.Or(tooLarge(err), error(badJSON(err)))
	}
	return r.done(s.Watching.PutAdapter(r.Context(), r.PathValue("name"), body))
}

func (s *Server) deleteAdapter(r *request) error {
	return r.done(s.Store.Watches.RemoveAdapter(r.Context(), r.PathValue("name")))
}
