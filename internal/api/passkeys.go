package api

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/auth/webauthn"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

func (s *Server) passkeyRoutes() []Route {
	return []Route{
		{Method: "POST", Path: "/api/auth/passkey/options", Public: true, Handle: s.passkeySignInOptions},
		{Method: "POST", Path: "/api/auth/passkey/verify", Public: true, Handle: s.passkeySignIn},
		{Method: "GET", Path: "/api/passkeys", Account: true, Handle: s.passkeys},
		{Method: "POST", Path: "/api/passkeys/options", Account: true, Person: true, Fresh: true, Handle: s.passkeyOptions},
		{Method: "POST", Path: "/api/passkeys", Account: true, Person: true, Fresh: true, Handle: s.addPasskey},
		{Method: "PATCH", Path: "/api/passkeys/{id}", Account: true, Handle: s.renamePasskey},
		{Method: "DELETE", Path: "/api/passkeys/{id}", Account: true, Person: true, Fresh: true, Handle: s.removePasskey},
	}
}

// The shapes of options are those that PublicKeyCredential.parseCreationOptionsFromJSON and
// parseRequestOptionsFromJSON take (WebAuthn 5.1.8, 5.1.9): bytes are base64url.

type creationJSON struct {
	RP          partyJSON       `json:"rp"`
	User        handleJSON      `json:"user"`
	Challenge   string          `json:"challenge"`
	Parameters  []algorithmJSON `json:"pubKeyCredParams"`
	Timeout     int64           `json:"timeout"` // milliseconds
	Exclude     []knownKeyJSON  `json:"excludeCredentials"`
	Selection   selectionJSON   `json:"authenticatorSelection"`
	Attestation string          `json:"attestation"`
}

type partyJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type handleJSON struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
}

type algorithmJSON struct {
	Type string `json:"type"`
	Alg  int64  `json:"alg"`
}

type knownKeyJSON struct {
	Type       string   `json:"type"`
	ID         string   `json:"id"`
	Transports []string `json:"transports,omitempty"`
}

type selectionJSON struct {
	ResidentKey      string `json:"residentKey"`
	RequireResident  bool   `json:"requireResidentKey"`
	UserVerification string `json:"userVerification"`
}

type requestJSON struct {
	Challenge        string         `json:"challenge"`
	Timeout          int64          `json:"timeout"`
	RPID             string         `json:"rpId"`
	Allow            []knownKeyJSON `json:"allowCredentials"`
	UserVerification string         `json:"userVerification"`
}

type passkeyJSON struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	CreatedAt string   `json:"createdAt"`
	LastUsed  *string  `json:"lastUsedAt"`
	Synced    bool     `json:"isSynced"`
	Suspect   bool     `json:"isSuspect"`
	Reached   []string `json:"transports"`
}

func shownPasskey(row *store.PasskeyRow) passkeyJSON {
	p := passkeyJSON{
		ID: row.ID(), Name: row.Name, CreatedAt: unixTime(row.Created), LastUsed: unix(row.Used), Synced: row.BackedUp,
		Suspect: row.Suspect != 0, Reached: row.Transports,
	}
	if p.Reached == nil {
		p.Reached = []string{}
	}
	return p
}

func base64URL(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (s *Server) passkeyOptions(r *request) error {
	party, err := s.party(r)
	if err != nil {
		return err
	}
	a, err := s.Auth.Account(r.Context(), r.user)
	if err != nil {
		return err
	}
	c, have, err := s.Auth.BeginPasskey(r.Context(), r.user)
	if err != nil {
		return err
	}
	out := creationJSON{
		RP:        partyJSON{ID: party.ID, Name: "Ruri Reader"},
		User:      handleJSON{ID: base64URL([]byte(r.user)), Name: a.Email, DisplayName: a.Email},
		Challenge: base64URL(c.Bytes), Timeout: auth.ChallengeLife.Milliseconds(), Exclude: []knownKeyJSON{},
		Selection: selectionJSON{ResidentKey: "required", RequireResident: true, UserVerification: "required"}, Attestation: "none",
	}
	for _, alg := range webauthn.Algorithms() {
		out.Parameters = append(out.Parameters, algorithmJSON{"public-key", alg})
	}
	for _, row := range have {
		out.Exclude = append(out.Exclude, knownKeyJSON{"public-key", base64URL(row.CredentialID), row.Transports})
	}
	s.keepTicket(r, passkeyCookie, c.Ticket, auth.ChallengeLife)
	r.Header().Set("Cache-Control", "no-store")
	return r.json(http.StatusOK, map[string]any{"publicKey": out})
}

func (s *Server) addPasskey(r *request) error {
	var in struct {
		Name       string          `json:"name" required:"true"`
		Credential json.RawMessage `json:"credential" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	party, err := s.party(r)
	if err != nil {
		return err
	}
	row, err := s.Auth.AddPasskey(r.Context(), r.user, party, s.takeTicket(r, passkeyCookie), in.Name, in.Credential)
	if err != nil {
		return err
	}
	return r.json(http.StatusCreated, map[string]any{"passkey": shownPasskey(row)})
}

func (s *Server) passkeys(r *request) error {
	list, err := s.Auth.Passkeys(r.Context(), r.user)
	if err != nil {
		return err
	}
	out := make([]passkeyJSON, 0, len(list))
	for _, row := range list {
		out = append(out, shownPasskey(row))
	}
	return r.json(http.StatusOK, map[string]any{"passkeys": out})
}

func (s *Server) renamePasskey(r *request) error {
	var in struct {
		Name string `json:"name" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	row, err := s.Auth.RenamePasskey(r.Context(), r.user, r.PathValue("id"), in.Name)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]any{"passkey": shownPasskey(row)})
}

func (s *Server) removePasskey(r *request) error {
	if err := s.Auth.RemovePasskey(r.Context(), r.user, r.PathValue("id")); err != nil {
		return err
	}
	return r.noContent()
}

func (s *Server) passkeySignInOptions(r *request) error {
	party, err := s.party(r)
	if err != nil {
		return err
	}
	c, err := s.Auth.BeginPasskeySignIn(r.Context())
	if err != nil {
		return err
	}
	s.keepTicket(r, passkeyCookie, c.Ticket, auth.ChallengeLife)
	r.Header().Set("Cache-Control", "no-store")
	return r.json(http.StatusOK, map[string]any{"publicKey": requestJSON{
		Challenge: base64URL(c.Bytes), Timeout: auth.ChallengeLife.Milliseconds(), RPID: party.ID, Allow: []knownKeyJSON{},
		UserVerification: "required",
	}})
}

func (s *Server) passkeySignIn(r *request) error {
	var in struct {
		Credential json.RawMessage `json:"credential" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	party, err := s.party(r)
	if err != nil {
		return err
	}
	a, err := s.Auth.SignInByPasskey(r.Context(), party, s.takeTicket(r, passkeyCookie), in.Credential)
	if err != nil {
		return err
	}
	if err := s.startSession(r, a.ID(), "passkey"); err != nil {
		return err
	}
	r.Header().Set("Cache-Control", "no-store")
	return r.json(http.StatusOK, map[string]any{"user": user(a)})
}
