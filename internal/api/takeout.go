package api

import (
	"strings"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/takeout"
)

// removeMe takes away all that is the user's (G-42, G-60). It is meant: by a sign-in of the last minutes, or by the
// user's own address as confirmation. The owner says so besides, for the reader is without one then until the next
// start makes another. Asked again after a failure it goes on, also when the account is gone already.
func (s *Server) removeMe(r *request) error {
	q := r.URL.Query()
	a, err := s.Auth.Account(r.Context(), r.user)
	switch {
	case fault.Is(err, fault.Unauthenticated): // half removed before: what is left is taken away
	case err != nil:
		return err
	default:
		confirmed := false
		if c := q.Get("confirm"); c != "" {
			email, err := auth.NormaliseEmail(c)
			if confirmed = err == nil && strings.EqualFold(email, a.Email); !confirmed {
				return fault.Newf(fault.Invalid, "bad_confirmation", "This is not the address of the account.").At("confirm")
			}
		}
		if !confirmed && !s.fresh(r) {
			return fault.Newf(fault.Forbidden, "confirm_removal", "Removing an account cannot be undone, and wants to be confirmed.")
		}
		if a.Owner && q.Get("owner") != "true" {
			return fault.Newf(fault.Conflict, "owner_removal", "You are the owner of this reader: it would have none.")
		}
	}
	by := takeout.Asker{Token: r.tokenID}
	if r.session != nil {
		by.Session = r.session.ID
	}
	if err := s.Takeout.Remove(r.Context(), r.user, by); err != nil {
		return err
	}
	s.dropSession(r)
	return r.noContent()
}
