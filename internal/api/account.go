package api

import (
	"encoding/json"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

type userJSON struct {
	ID          string `json:"id"`
	Email       string `json:"email"`
	Owner       bool   `json:"isOwner"`
	HasPassword bool   `json:"hasPassword"`
}

func user(a *store.Account) userJSON {
	return userJSON{ID: string(a.ID()), Email: a.Email, Owner: a.Owner, HasPassword: a.Password != ""}
}

func (s *Server) accountRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/me", Handle: s.me},
		{Method: "GET", Path: "/api/user/preferences", Handle: s.preferences},
		{Method: "PUT", Path: "/api/user/preferences", Handle: with(s.setPreferences)},
		{Method: "GET", Path: "/api/users/me/export", Account: true, Handle: s.exportMe},
		{Method: "POST", Path: "/api/users/me/import", Account: true, Heavy: true, Handle: s.importMe},
		{Method: "DELETE", Path: "/api/users/me", Account: true, Person: true, Fresh: true, Handle: s.removeMe},
		{Method: "GET", Path: "/api/sessions", Account: true, Handle: s.sessions},
		{Method: "DELETE", Path: "/api/sessions", Account: true, Handle: s.endSessions},
		{Method: "DELETE", Path: "/api/sessions/{id}", Account: true, Handle: s.endSession},
		{Method: "GET", Path: "/api/tokens", Account: true, Handle: s.tokens},
		{Method: "POST", Path: "/api/tokens", Account: true, Person: true, Fresh: true, Handle: with(s.makeToken)},
		{Method: "DELETE", Path: "/api/tokens/{id}", Account: true, Handle: s.endToken},
	}
}

// needsPassword reports whether a one-time link, which is used up, signed the person in, who has no password for the
// next time.
func needsPassword(a *store.Account, s *auth.Session) bool {
	return a.Password == "" && s != nil && s.Method == byLink
}

// me answers all that the page needs at its start: the user, preferences, folders and labels, saved searches, and the
// side bar with its counts.
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
	searches, err := s.Store.Searches.Get(ctx, r.user)
	if err != nil {
		return err
	}
	stopped, err := s.Streams.Stopped(ctx, r.user)
	if err != nil {
		return err
	}
	head, err := json.Marshal(struct {
		User          userJSON        `json:"user"`
		NeedsPassword bool            `json:"needsPassword"`
		Version       string          `json:"version"`
		Preferences   json.RawMessage `json:"preferences"`
		Tree          treeJSON        `json:"tree"`
		Search        search.Mode     `json:"search"`
		Bookmarks     bool            `json:"bookmarkCounts"`
		Assist        assistantJSON   `json:"assist"`
		Searches      []searchJSON    `json:"searches"`
		Places        []placeJSON     `json:"places"`
	}{user(a), needsPassword(a, r.session), s.Version, preferencesJSON(prefs), treeJSON{folders(tree), labels(tree)},
		s.Find.Mode(), s.counts(r).IsOn(), assistant(s.Assist.For(a.Owner)), searchShapes(searches),
		mapped(stopped, shownPlace)})
	if err != nil {
		return err
	}
	bar, err := s.sideBar(ctx, r.language(), a, &tree)
	if err != nil {
		return err
	}
	return bar.answerWith(r, head)
}

type treeJSON struct {
	Folders []folderJSON `json:"folders"`
	Labels  []labelJSON  `json:"labels"`
}
