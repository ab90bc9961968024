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
		{Method: "POST", Path: "/api/auth/passkey/options", SignIn: true, Handle: s.passkeySignInOptions},
		{Method: "POST", Path: "/api/auth/passkey/verify", SignIn: true, Handle: with(s.passkeySignIn)},
		{Method: "GET", Path: "/api/passkeys", Account: true, Handle: s.passkeys},
		{Method: "POST", Path: "/api/passkeys/options", Account: true, Person: true, Fresh: true,
			Handle: s.passkeyOptions},
		{Method: "POST", Path: "/api/passkeys", Account: true, Person: true, Fresh: true, Handle: with(s.addPasskey)},
		{Method: "PATCH", Path: "/api/passkeys/{id}", Account: true, Handle: with(s.renamePasskey)},
		{Method: "DELETE", Path: "/api/passkeys/{id}", Account: true, Person: true, Fresh: true,
			Handle: s.removePasskey},
	}
}

// The options have the shapes for PublicKeyCredential.parseCreationOptionsFromJSON and parseRequestOptionsFromJSON
// (WebAuthn 5.1.8, 5.1.9): bytes are base64url.

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
	CreatedAt moment   `json:"createdAt"`
	LastUsed  moment   `json:"lastUsedAt"`
	Synced    bool     `json:"isSynced"`
	Suspect   bool     `json:"isSuspect"`
	Reached   []string `json:"transports"`
}

func shownPasskey(row *store.PasskeyRow) passkeyJSON {
	return passkeyJSON{
		ID: row.ID(), Name: row.Name, CreatedAt: moment(row.Created), LastUsed: moment(row.Used), Synced: row.BackedUp,
		Suspect: row.Suspect != 0, Reached: notNil(row.Transports),
	}
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
		Selection:   selectionJSON{ResidentKey: "required", RequireResident: true, UserVerification: "required"},
		Attestation: "none",
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

func (s *Server) addPasskey(r *request, in struct {
	Name       string          `json:"name" required:"true"`
	Credential json.RawMessage `json:"credential" required:"true"`
}) error {
	party, err := s.party(r)
	if err != nil {
		return err
	}
	row, err := s.Auth.AddPasskey(r.Context(), r.user, party, s.takeTicket(r, passkeyCookie), in.Name, in.Credential)
	return answerOne(r, http.StatusCreated, "passkey", row, shownPasskey, err)
}

func (s *Server) passkeys(r *request) error {
	list, err := s.Auth.Passkeys(r.Context(), r.user)
	return answerList(r, "passkeys", list, shownPasskey, err)
}

func (s *Server) renamePasskey(r *request, in struct {
	Name string `json:"name" required:"true"`
}) error {
	row, err := s.Auth.RenamePasskey(r.Context(), r.user, r.PathValue("id"), in.Name)
	return answerOne(r, http.StatusOK, "passkey", row, shownPasskey, err)
}

func (s *Server) removePasskey(r *request) error {
	return r.done(s.Auth.RemovePasskey(r.Context(), r.user, r.PathValue("id")))
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
		Challenge: base64URL(c.Bytes), Timeout: auth.ChallengeLife.Milliseconds(), RPID: party.ID,
		Allow:            []knownKeyJSON{},
		UserVerification: "required",
	}})
}

func (s *Server) passkeySignIn(r *request, in struct {
	Credential json.RawMessage `json:"credential" required:"true"`
}) error {
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
