package api

import (
	"encoding/json"
	"net/http"

	"github.com/ruri-reader/ruri/internal/library"
)

func (s *Server) preferences(r *request) error {
	p, err := s.Store.Preferences.Get(r.Context(), r.user)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, json.RawMessage(preferencesJSON(p)))
}

// setPreferences changes the given preferences only: two devices that set different ones do not undo each other
//
func (s *Server) setPreferences(r *request, in map[string]json.RawMessage) error {
	p, err := s.Store.Preferences.Change(r.Context(), r.user, func(p library.Preferences) (library.Preferences, error) {
		return p.Change(in)
	})
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, json.RawMessage(preferencesJSON(p)))
}

// preferencesJSON encodes all preferences.
func preferencesJSON(p library.Preferences) []byte {
	names, values := p.All()
	all := make(map[string]any, len(names))
	for i, name := range names {
		all[name] = values[i]
	}
	b, _ := json.Marshal(all) // strings, numbers and bools
	return b
}
