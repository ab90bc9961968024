package api

import (
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/store"
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

// endSessions signs out everywhere else, with ?all=true here too.
func (s *Server) endSessions(r *request) error {
	except := ""
	switch r.URL.Query().Get("all") {
	case "true":
		s.dropSession(r)
	case "", "false":
		if r.session != nil {
			except = r.session.ID
		}
	default:
		return fault.Newf(fault.Invalid, "bad_flag", "%s is true or false.", "all").At("all")
	}
	n, err := s.Auth.EndAll(r.Context(), r.user, except)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]int{"ended": n})
}

// freshFor is how long a sign-in counts as one for what cannot be taken back.
const freshFor = 10 * time.Minute

// fresh asks for a recent sign-in: what cannot be taken back is not done by whoever finds a screen left open.
func (s *Server) fresh(r *request) bool {
	return r.session != nil && s.Clock.Now().Sub(r.session.SignIn) < freshFor
}

func unixTime(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }
