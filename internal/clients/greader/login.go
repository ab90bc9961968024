package greader

import (
	"net/http"
	"strings"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/fault"
)

// logIn exchanges an app password for a token. Clients of all ages look for different ones of the three lines.
func (s *server) logIn(r *request) (err error) {
	if r.form, err = clients.Form(r.Request); err != nil {
		return err
	}
	r.w.Header().Set("Cache-Control", "no-store")
	_, token, err := s.Login(r.Context(), r.form.Get("Email"), r.form.Get("Passwd"))
	if fault.Is(err, fault.Unauthenticated) {
		_ = clients.Status(r.w, r.Request, err) // for the log
		return r.text(http.StatusUnauthorized, "Error=BadAuthentication\n")
	}
	if err != nil {
		return err
	}
	if r.form.Get("output") == "json" {
		return r.json(struct{ SID, LSID, Auth string }{token, token, token})
	}
	return r.text(http.StatusOK, "SID="+token+"\nLSID="+token+"\nAuth="+token+"\n")
}

// authenticate finds out who a request is from: by its header, or by the token T of a form, which some clients send
// alone. With a valid header T does not matter: many clients send none, or anything.
func (s *server) authenticate(r *request) error {
	tokens := []string{authorization(r.Request.Header.Get("Authorization"))}
	if r.Method == http.MethodPost {
		tokens = append(tokens, strings.TrimSpace(r.form.Get("T")))
	}
	for _, token := range tokens {
		if token == "" {
			continue
		}
		caller, err := s.Bearer(r.Context(), token)
		if err == nil {
			r.caller, r.token = caller, token
			return nil
		}
		if !fault.Is(err, fault.Unauthenticated) {
			return err
		}
	}
	return fault.New(fault.Unauthenticated, "", "greader: authenticate", nil)
}

// authorization returns the token of a header: GoogleLogin auth=TOKEN, or Bearer TOKEN.
func authorization(header string) string {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(header), " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(scheme) {
	case "bearer":
		return rest
	case "googlelogin":
		if name, token, ok := strings.Cut(rest, "="); ok && strings.EqualFold(strings.TrimSpace(name), "auth") {
			return strings.Trim(strings.TrimSpace(token), `"`)
		}
	}
	return ""
}

// giveToken answers the T that clients send with changes. It is the token that they have.
func (s *server) giveToken(r *request) error {
	r.w.Header().Set("Cache-Control", "no-store")
	return r.text(http.StatusOK, r.token)
}

func (s *server) userInfo(r *request) error {
	return r.json(map[string]string{
		"userId": string(r.caller.User), "userName": r.caller.Email, "userProfileId": string(r.caller.User),
		"userEmail": r.caller.Email,
	})
}
