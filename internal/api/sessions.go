package api

import (
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

type sessionJSON struct {
	ID         string  `json:"id"`
	Device     *string `json:"device"`
	Method     string  `json:"method"`
	Network    *string `json:"network"`
	CreatedAt  string  `json:"createdAt"`
	LastActive string  `json:"lastActiveAt"`
	Current    bool    `json:"isCurrent"`
}

func (s *Server) sessions(r *request) error {
	list, err := s.Auth.Sessions(r.Context(), r.user)
	if err != nil {
		return err
	}
	out := make([]sessionJSON, 0, len(list))
	for _, row := range list {
		out = append(out, sessionJSON{
			ID: row.ID(), Device: orNull(row.Device), Method: row.Method, Network: orNull(row.Address),
			CreatedAt: unixTime(row.Created), LastActive: unixTime(row.Active), Current: r.session != nil && r.session.ID == row.ID(),
		})
	}
	return r.json(http.StatusOK, map[string]any{"sessions": out})
}

// endSession signs one device out. That it may be this one is no mistake.
func (s *Server) endSession(r *request) error {
	id := r.PathValue("id")
	list, err := s.Auth.Sessions(r.Context(), r.user)
	if err != nil {
		return err
	}
	if !hasSession(list, id) {
		return fault.Newf(fault.NotFound, "session_not_found", "There is no such session of yours.")
	}
	if err := s.Auth.EndSession(r.Context(), r.user, id); err != nil {
		return err
	}
	if r.session != nil && r.session.ID == id {
		s.dropSession(r)
	}
	return r.noContent()
}

func hasSession(list []*store.SessionRow, id string) bool {
	for _, row := range list {
		if row.ID() == id {
			return true
		}
	}
	return false
}

// endSessions signs out everywhere else, with ?all=true here too, and takes the tokens of programs back unless they are
// to stay (?revokeTokens=false).
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
		here := r.tokenID // of the program that asks
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

func unixTime(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }
