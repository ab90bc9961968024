package api

import (
	"net/http"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

type sessionJSON struct {
	ID         string  `json:"id"`
	Device     *string `json:"device"`
	Method     string  `json:"method"`
	Network    *string `json:"network"`
	CreatedAt  moment  `json:"createdAt"`
	LastActive moment  `json:"lastActiveAt"`
	Current    bool    `json:"isCurrent"`
}

func (s *Server) sessions(r *request) error {
	list, err := s.Auth.Sessions(r.Context(), r.user)
	return answerList(r, "sessions", list, func(row *store.SessionRow) sessionJSON {
		return sessionJSON{
			ID: row.ID(), Device: orNull(row.Device), Method: row.Method, Network: orNull(row.Address),
			CreatedAt: moment(row.Created), LastActive: moment(row.Active), Current: r.session != nil &&
				r.session.ID == row.ID(),
		}
	}, err)
}

// endSession signs one device out, possibly this one.
func (s *Server) endSession(r *request) error {
	id := r.PathValue("id")
	list, err := s.Auth.Sessions(r.Context(), r.user)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(row *store.SessionRow) bool { return row.ID() == id }) {
		return fault.Coded(fault.NotFound, "session_not_found")
	}
	if err := s.Auth.EndSession(r.Context(), r.user, id); err != nil {
		return err
	}
	if r.session != nil && r.session.ID == id {
		s.dropSession(r)
	}
	return r.done(nil)
}

// endSessions signs out everywhere else, with ?all=true here too, and revokes the API tokens unless
// ?revokeTokens=false.
func (s *Server) endSessions(r *request) error {
	all, err := r.flag("all", false)
	if err != nil {
		return err
	}
	revoke, err := r.flag("revokeTokens", true)
	if err != nil {
		return err
	}
	except := ""
	if all {
		s.dropSession(r)
	} else if r.session != nil {
		except = r.session.ID
	}
	tokens := 0
	if revoke {
		here := r.tokenID // this request's token stays
		if all {
			here = ""
		}
		if tokens, err = s.Auth.EndTokens(r.Context(), r.user, here); err != nil {
			return err
		}
	}
	n, err := s.Auth.EndAll(r.Context(), r.user, except)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]int{"ended": n, "revokedTokens": tokens})
}
