package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

type tokenJSON struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Scopes    []string `json:"scopes"`
	CreatedAt string   `json:"createdAt"`
	ExpiresAt *string  `json:"expiresAt"`
	LastUsed  *string  `json:"lastUsedAt"`
}

func shownToken(row *store.TokenRow) tokenJSON {
	t := tokenJSON{ID: row.ID, Name: row.Name, Scopes: []string{}, CreatedAt: unixTime(row.Created)}
	if scopes, err := auth.ParseScopes(row.Scope); err == nil {
		t.Scopes = scopes.Names()
	}
	if row.TTL != 0 {
		t.ExpiresAt = orNull(unixTime(row.TTL))
	}
	if row.Used != 0 {
		t.LastUsed = orNull(unixTime(row.Used))
	}
	return t
}

func (s *Server) tokens(r *request) error {
	list, err := s.Auth.Tokens(r.Context(), r.user)
	if err != nil {
		return err
	}
	out := make([]tokenJSON, 0, len(list))
	for _, row := range list {
		out = append(out, shownToken(row))
	}
	return r.json(http.StatusOK, map[string]any{"tokens": out})
}

// makeToken answers with the token itself, this once: what is kept is its hash.
func (s *Server) makeToken(r *request) error {
	var in struct {
		Name      string   `json:"name" required:"true"`
		Scopes    []string `json:"scopes" required:"true"`
		ExpiresAt *string  `json:"expiresAt"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	scope := strings.Join(in.Scopes, " ")
	if strings.TrimSpace(scope) == "" { // unlike the command line, which means all: here nothing is opened by leaving out
		scope = "none"
	}
	var until time.Time
	if in.ExpiresAt != nil {
		var err error
		if until, err = time.Parse(time.RFC3339, *in.ExpiresAt); err != nil {
			return fault.Newf(fault.Invalid, "bad_since", "The time is one like 2026-01-31T12:00:00Z.").At("expiresAt")
		}
	}
	secret, err := s.Auth.MakeToken(r.Context(), r.user, in.Name, scope, until)
	if err != nil {
		return err
	}
	made, err := s.Auth.Tokens(r.Context(), r.user)
	if err != nil {
		return err
	}
	r.Header().Set("Cache-Control", "no-store")
	for _, row := range made {
		if row.ID == store.TokenID(secret) {
			return r.json(http.StatusCreated, struct {
				Secret string `json:"token"`
				tokenJSON
			}{secret, shownToken(row)})
		}
	}
	return fault.New(fault.Conflict, "token_not_found", "api: token", nil)
}

func (s *Server) endToken(r *request) error {
	if err := s.Auth.EndToken(r.Context(), r.user, r.PathValue("id")); err != nil {
		return err
	}
	return r.noContent()
}
