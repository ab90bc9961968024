package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

func (s *Server) signUpRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/auth/invite/{token}", SignIn: true, Handle: s.invited},
		{Method: "POST", Path: "/api/auth/signup", SignIn: true, Handle: with(s.signUp)},
		{Method: "GET", Path: "/api/site", Account: true, Handle: s.site},
		{Method: "PUT", Path: "/api/site", Owner: true, Fresh: true, Handle: with(s.setSite)},
		{Method: "GET", Path: "/api/invitations", Owner: true, Handle: s.invitations},
		{Method: "POST", Path: "/api/invitations", Owner: true, Fresh: true, Handle: withBody(maxJSON, true, s.invite)},
		{Method: "DELETE", Path: "/api/invitations/{id}", Owner: true, Handle: s.withdraw},
	}
}

// An opened invitation is remembered for invitationCookieLife.
const invitationCookieLife = time.Hour

// invitation returns the invitation that this browser opened; empty without one.
func (s *Server) invitation(r *request) string { return s.ticket(r, invitationCookie) }

// invited stores an invitation in a cookie, which keeps it out of the page's URL, and redirects to the form. The
// invitation is spent by signing up.
func (s *Server) invited(r *request) error {
	r.Header().Set("Cache-Control", "no-store")
	if isPrefetch(r) {
		return r.done(nil)
	}
	token := r.PathValue("token")
	if err := s.Auth.CheckInvitation(r.Context(), token); err != nil {
		return s.toLogin(r, err)
	}
	s.keepTicket(r, invitationCookie, token, invitationCookieLife)
	return s.redirect(r, "/signup")
}

func (s *Server) signUp(r *request, in struct {
	Email    string `json:"email" required:"true"`
	Password string `json:"password" required:"true"`
}) error {
	a, err := s.Auth.SignUpByPassword(r.Context(), in.Email, in.Password, s.invitation(r),
		s.Proxies.clientAddress(r.Request))
	if err != nil {
		return err
	}
	s.takeTicket(r, invitationCookie)
	if err := s.startSession(r, a.ID(), "password"); err != nil {
		return err
	}
	r.Header().Set("Cache-Control", "no-store")
	return r.json(http.StatusCreated, map[string]any{"user": user(a)})
}

type siteJSON struct {
	SignUp    string         `json:"signUp"`
	Bookmarks siteCountsJSON `json:"bookmarkCounts"`
	Public    *publicJSON    `json:"publicPages"` // for the owner
	Phrases   *phrasesJSON   `json:"keyPhrases"`  // for the owner
	Backup    *backupJSON    `json:"backup"`      // for the owner, after the first one
}

// backupJSON tells when the last backup was made and, while they fail, since when and why.
type backupJSON struct {
	LastAt moment       `json:"lastAt"`
	Failed moment       `json:"failingSince"`
	Error  *problemJSON `json:"error"`
}

// phrasesJSON tells whether key phrases are asked for, and the outcome of the last time.
type phrasesJSON struct {
	IsOn   bool         `json:"isOn"`
	LastAt moment       `json:"lastAt"`
	Error  *problemJSON `json:"error"`
}

// publicJSON tells whether there are public pages, and their content.
type publicJSON struct {
	IsOn      bool     `json:"isOn" required:"true"`
	Folders   []string `json:"folders" required:"true"`
	Threshold int      `json:"threshold" required:"true"`
}

// siteCountsJSON tells whether bookmark counts are on and, for the owner, the outcome of the last requests.
type siteCountsJSON struct {
	IsOn     bool   `json:"isOn"`
	LastAt   moment `json:"lastAt"`
	Requests *int32 `json:"requests"`
	Failures *int32 `json:"failures"`
	// Error is the reason why the last cycle ended early.
	Error     *problemJSON `json:"error"`
	NotBefore moment       `json:"pausedUntil"`
}

type problemJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Action  string `json:"action"`
}

// problem describes why something was not to be had; nil without a code.
func (r *request) problem(code string, of func(string) texts.Texts) *problemJSON {
	if code == "" {
		return nil
	}
	t := of(code)
	return &problemJSON{Code: code, Message: t.Message.In(r.language()), Action: t.Action.In(r.language())}
}

func (s *Server) site(r *request) error {
	out, err := s.siteSettings(r)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, out)
}

func (s *Server) siteSettings(r *request) (out siteJSON, err error) {
	if out.SignUp, err = s.Auth.SignUp(r.Context()); err != nil || s.Popular == nil {
		return out, err
	}
	row, err := s.Store.Accounts.Site(r.Context())
	if err != nil {
		return out, err
	}
	state, err := s.Popular.State(r.Context())
	if err != nil {
		return out, err
	}
	b := &out.Bookmarks
	b.IsOn = state.IsOn
	a, err := s.Auth.Account(r.Context(), r.user)
	if err != nil || !a.Owner {
		return out, err
	}
	out.Public = &publicJSON{
		IsOn: row.IsPublic, Threshold: max(int(row.PublicThreshold), explore.Thresholds[0]),
		Folders: mapped(row.PublicFolders, func(f reader.FolderID) string { return strconv.Itoa(int(f)) }),
	}
	out.Phrases = &phrasesJSON{row.YahooID != "", moment(row.YahooAt), r.problem(row.YahooWhy, texts.Phrases)}
	if row.BackupAt > 0 || row.BackupFailed > 0 {
		out.Backup = &backupJSON{moment(row.BackupAt), moment(row.BackupFailed), r.problem(row.BackupWhy, texts.Backup)}
	}
	if state.Last == nil {
		return out, nil
	}
	b.LastAt, b.Requests, b.Failures = moment(state.Last.Began), &state.Last.Calls, &state.Last.Fails
	if b.Error = r.problem(state.Last.Why, texts.Counts); b.Error != nil {
		b.NotBefore = moment(state.Last.NotBefore)
	}
	return out, nil
}

// setSite changes what is given, and answers all settings.
func (s *Server) setSite(r *request, in struct {
	SignUp    *string `json:"signUp"`
	Bookmarks *struct {
		IsOn bool `json:"isOn" required:"true"`
	} `json:"bookmarkCounts"`
	Public  *publicJSON `json:"publicPages"`
	Phrases *struct {
		ClientID string `json:"clientId" required:"true"`
	} `json:"keyPhrases"`
}) error {
	if in.SignUp != nil {
		if err := s.Auth.SetSignUp(r.Context(), *in.SignUp); err != nil {
			return err
		}
	}
	if in.Bookmarks != nil && s.Popular != nil {
		if err := s.Popular.Switch(r.Context(), in.Bookmarks.IsOn); err != nil {
			return err
		}
	}
	if in.Phrases != nil {
		if err := s.Explore.SetYahoo(r.Context(), in.Phrases.ClientID); err != nil {
			return err
		}
	}
	if in.Public != nil {
		folders, err := parseIDs(in.Public.Folders, parseFolderID)
		if err == nil {
			err = s.Explore.SetPublic(r.Context(), r.user, in.Public.IsOn, folders, in.Public.Threshold)
		}
		if err != nil {
			return err
		}
	}
	return s.site(r)
}

type invitationJSON struct {
	ID        string `json:"id"`
	Note      string `json:"note"`
	CreatedAt moment `json:"createdAt"`
	ExpiresAt moment `json:"expiresAt"`
	URL       string `json:"url,omitempty"` // only when it was just created
}

func shownInvitation(row *store.InvitationRow) invitationJSON {
	return invitationJSON{ID: row.ID(), Note: row.Note, CreatedAt: moment(row.Created), ExpiresAt: moment(row.TTL)}
}

func (s *Server) invitations(r *request) error {
	list, err := s.Auth.Invitations(r.Context())
	return answerList(r, "invitations", list, shownInvitation, err)
}

func (s *Server) invite(r *request, in struct {
	Note string `json:"note"`
}) error {
	secret, row, err := s.Auth.Invite(r.Context(), r.user, in.Note)
	if err != nil {
		return err
	}
	out := shownInvitation(row)
	out.URL = s.address(r) + "/auth/invite/" + secret
	r.Header().Set("Cache-Control", "no-store")
	return r.json(http.StatusCreated, map[string]any{"invitation": out})
}

func (s *Server) withdraw(r *request) error {
	return r.done(s.Auth.Withdraw(r.Context(), r.PathValue("id")))
}
