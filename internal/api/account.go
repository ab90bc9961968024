package api

import (
	"encoding/json"
	"net/http"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

type userJSON struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Owner bool   `json:"isOwner"`
}

func user(a *store.Account) userJSON {
	return userJSON{ID: string(a.ID()), Email: a.Email, Owner: a.Owner}
}

func (s *Server) accountRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/me", Handle: s.me},
		{Method: "GET", Path: "/api/user/preferences", Handle: s.preferences},
		{Method: "PUT", Path: "/api/user/preferences", Handle: s.setPreferences},
		{Method: "GET", Path: "/api/users/me/export", Account: true, Handle: s.exportMe},
		{Method: "POST", Path: "/api/users/me/import", Account: true, Handle: s.importMe},
		{Method: "DELETE", Path: "/api/users/me", Account: true, Person: true, Fresh: true, Handle: s.removeMe},
		{Method: "GET", Path: "/api/sessions", Account: true, Handle: s.sessions},
		{Method: "DELETE", Path: "/api/sessions", Account: true, Handle: s.endSessions},
		{Method: "DELETE", Path: "/api/sessions/{id}", Account: true, Handle: s.endSession},
		{Method: "GET", Path: "/api/tokens", Account: true, Handle: s.tokens},
		{Method: "POST", Path: "/api/tokens", Account: true, Person: true, Fresh: true, Handle: s.makeToken},
		{Method: "DELETE", Path: "/api/tokens/{id}", Account: true, Handle: s.endToken},
	}
}

// me is all that a page begins with, in one answer: who is signed in, what they have set, their folders and labels,
// and the side bar with its counts.
func (s *Server) me(r *request) error {
	ctx := r.Context()
	a, err := s.Auth.Account(ctx, r.user)
	if err != nil {
		return err
	}
	prefs, err := s.Store.Preferences.Get(ctx, r.user)
	if err != nil {
		return err
	}
	tree, err := s.Store.Trees.Get(ctx, r.user)
	if err != nil {
		return err
	}
	head, err := json.Marshal(struct {
		User        userJSON        `json:"user"`
		Version     string          `json:"version"`
		Preferences json.RawMessage `json:"preferences"`
		Tree        treeJSON        `json:"tree"`
	}{user(a), s.Version, preferencesJSON(prefs), treeJSON{folders(&tree), labels(&tree)}})
	if err != nil {
		return err
	}
	buf := buffer()
	defer giveBack(buf)
	b := append(buf.AvailableBuffer(), head[:len(head)-1]...)
	if b, err = s.appendSideBar(ctx, append(b, ','), a, &tree); err != nil {
		return err
	}
	return r.bytes(http.StatusOK, jsonType, append(b, "}\n"...))
}

type treeJSON struct {
	Folders []folderJSON `json:"folders"`
	Labels  []labelJSON  `json:"labels"`
}

func (s *Server) login(r *request) error {
	var in struct {
		Email    string `json:"email" required:"true"`
		Password string `json:"password" required:"true"`
		Bearer   bool   `json:"bearer"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	a, err := s.Auth.Login(r.Context(), in.Email, in.Password, s.Proxies.clientAddress(r.Request))
	if err != nil {
		return err
	}
	r.Header().Set("Cache-Control", "no-store")
	value, expires, err := s.newSession(r, a.ID(), auth.Start{Method: "password", Password: a.Password})
	if err != nil {
		return err
	}
	if in.Bearer { // a program without cookies asks for the token itself; a page never does
		return r.json(http.StatusOK, map[string]any{"user": user(a), "token": value, "expiresAt": rfc3339(expires)})
	}
	s.setSession(r, value, expires)
	return r.json(http.StatusOK, map[string]any{"user": user(a)})
}

// logout ends the session, so that a copy of its token is worth nothing either. Who is not signed in any more is
// signed out all the same.
func (s *Server) logout(r *request) error {
	user, err := s.identify(r)
	if err == nil && r.session != nil {
		err = s.Auth.EndSession(r.Context(), user, r.session.ID)
	}
	if err != nil && !fault.Is(err, fault.Unauthenticated) {
		return err
	}
	s.dropSession(r)
	return r.noContent()
}
