package api

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

type tokenJSON struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Scopes      []string `json:"scopes"`
	CreatedAt   moment   `json:"createdAt"`
	// CreatedBy is a device or program, CreatedOn a page, CreatedIn a shortened network address.
	CreatedBy *string `json:"createdBy"`
	CreatedOn *string `json:"createdOn"`
	CreatedIn *string `json:"createdIn"`
	ExpiresAt moment  `json:"expiresAt"`
	RevokedAt moment  `json:"revokedAt"`
	LastUsed  moment  `json:"lastUsedAt"`
	LastBy    *string `json:"lastUsedBy"` // a program
	Email     *string `json:"email"`      // of the account when an app password was created
}

func shownToken(row *store.TokenRow) tokenJSON {
	t := tokenJSON{
		ID: row.ID, Name: row.Name, Description: row.Description, Scopes: []string{}, CreatedAt: moment(row.Created),
		CreatedBy: orNull(row.By), CreatedOn: orNull(row.Referrer),
		CreatedIn: orNull(row.Network), ExpiresAt: moment(row.Ends), RevokedAt: moment(row.Revoked),
		LastUsed: moment(row.Used), LastBy: orNull(row.Agent), Email: orNull(row.Email),
	}
	if scopes, err := auth.ParseScopes(row.Scope); err == nil {
		t.Scopes = scopes.Names()
	}
	return t
}

func (s *Server) tokens(r *request) error {
	list, err := s.Auth.Tokens(r.Context(), r.user)
	list = slices.DeleteFunc(list, func(t *store.TokenRow) bool { return t.Scope == auth.ScopeFeed }) // see shares.go
	return answerList(r, "tokens", list, shownToken, err)
}

// makeToken answers with the token, only this once: its hash is stored.
func (s *Server) makeToken(r *request, in struct {
	Name        string   `json:"name" required:"true"`
	Description string   `json:"description"`
	Scopes      []string `json:"scopes" required:"true"`
	ExpiresAt   *string  `json:"expiresAt"`
}) error {
	scope := strings.Join(in.Scopes, " ")
	if strings.TrimSpace(scope) == "" { // an empty scope means all on the command line, none here
		scope = "none"
	}
	var until time.Time
	if in.ExpiresAt != nil {
		var err error
		if until, err = time.Parse(time.RFC3339, *in.ExpiresAt); err != nil {
			return fault.Coded(fault.Invalid, "bad_since").At("expiresAt")
		}
	}
	secret, err := s.Auth.CreateToken(r.Context(), r.user, auth.TokenRequest{
		Name: in.Name, Description: in.Description, Scope: scope, Until: until,
		Agent: r.UserAgent(), Referrer: r.Referer(), Address: s.Proxies.clientAddress(r.Request),
	})
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
	return r.done(s.Auth.EndToken(r.Context(), r.user, r.PathValue("id")))
}
