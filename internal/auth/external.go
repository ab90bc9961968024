package auth

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"golang.org/x/oauth2"

	"github.com/ruri-reader/ruri/internal/auth/oidc"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Provider is an identity provider: "google", or "oidc" with the configured issuer.
type Provider struct {
	ID, Name string
	*oidc.Provider
}

func (s *Service) provider(id string) (Provider, error) {
	for _, p := range s.Providers {
		if p.ID == id {
			return p, nil
		}
	}
	return Provider{}, fault.Coded(fault.NotFound, "no_provider")
}

// External describes a sign-in at a provider that is being started.
type External struct {
	Redirect   string        // the address to which the provider sends people back
	Return     string        // the path to open afterwards
	Link       reader.UserID // the user to link the identity with; "" for signing in
	Invitation string
}

type externalTicket struct {
	Provider string        `json:"p"`
	Flow     oidc.Flow     `json:"f"`
	Return   string        `json:"t"`
	Link     reader.UserID `json:"l,omitempty"`
	Invited  string        `json:"i,omitempty"`
}

const externalPurpose = "external"

// BeginExternal returns the provider's address and the ticket that the browser keeps until it returns.
func (s *Service) BeginExternal(ctx context.Context, provider string, e External) (to, ticket string, err error) {
	p, err := s.provider(provider)
	if err != nil {
		return "", "", err
	}
	f := oidc.Flow{State: randomText(16), Nonce: randomText(16), Verifier: oauth2.GenerateVerifier(),
		Redirect: e.Redirect}
	if to, err = p.AuthURL(ctx, f, e.Link != ""); err != nil {
		return "", "", fault.New(fault.Unavailable, "provider_unavailable", "auth: "+provider, err)
	}
	ticket, err = s.seal(ctx, externalPurpose, TicketLife,
		externalTicket{provider, f, SamePath(e.Return), e.Link, e.Invitation})
	return to, ticket, err
}

// Finished is the result of a sign-in at a provider.
type Finished struct {
	User   reader.UserID
	Return string
	Linked bool // the identity was linked to the signed-in user; no session is started
}

// FinishExternal completes what BeginExternal started. For linking, the same user must still be signed in.
func (s *Service) FinishExternal(ctx context.Context, provider, ticket string, query url.Values,
	signedIn reader.UserID) (*Finished, error) {
	p, err := s.provider(provider)
	if err != nil {
		return nil, err
	}
	var t externalTicket
	if err := s.redeem(ctx, externalPurpose, ticket, &t); err != nil {
		return nil, err
	}
	if t.Provider != provider {
		return nil, errTicket
	}
	id, err := p.Finish(ctx, t.Flow, query)
	switch {
	case errors.Is(err, oidc.ErrDenied):
		return nil, fault.New(fault.Forbidden, "provider_denied", "auth: "+provider, err)
	case errors.Is(err, oidc.ErrRefused):
		return nil, fault.New(fault.Forbidden, "provider_refused", "auth: "+provider, err)
	case err != nil:
		return nil, fault.New(fault.Unavailable, "provider_unavailable", "auth: "+provider, err)
	}
	out := &Finished{Return: t.Return, Linked: t.Link != ""}
	if !out.Linked {
		out.User, err = s.signInAs(ctx, provider, id, t.Invited)
		return out, err
	}
	if out.User = t.Link; signedIn != t.Link {
		return nil, errUnauthenticated
	}
	return out, s.link(ctx, t.Link, provider, id)
}

// signInAs returns the user of an identity, or creates one where signing up is allowed. An account that merely has the
// same e-mail address is never opened: a person who owns both links them while signed in.
func (s *Service) signInAs(ctx context.Context, provider string, id *oidc.Identity,
	invitation string) (reader.UserID, error) {
	hash := store.IdentityHash(id.Issuer, id.Subject)
	u, a, err := s.userOf(ctx, hash)
	if err != nil {
		return "", err
	}
	if a == nil {
		return s.signUpAs(ctx, provider, id, invitation, u)
	}
	if a.Pending { // the last step of its sign-up is missing
		if err := s.accounts.ClaimEmail(ctx, u, a.Email); fault.Is(err, fault.Conflict) {
			err = s.accounts.ClearPending(ctx, u) // another user has taken the address: this one keeps the identity
			return u, err
		} else if err != nil {
			return "", err
		}
	}
	return u, nil
}

// userOf returns the user of an identity ("" if none) and their account (nil if it is gone).
func (s *Service) userOf(ctx context.Context, hash string) (reader.UserID, *store.Account, error) {
	u, err := s.accounts.UserOfIdentity(ctx, hash)
	if fault.Is(err, fault.NotFound) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	a, err := s.accounts.Get(ctx, u, table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return u, nil, nil
	}
	return u, a, err
}

// signUpAs creates a user in four steps: account, listed identity, the identity's claim, the address's claim. After a
// crash before the third step nothing can be signed in to; after it the next sign-in completes the fourth.
func (s *Service) signUpAs(ctx context.Context, provider string, id *oidc.Identity, invitation string,
	was reader.UserID) (reader.UserID, error) {
	invited, err := s.maySignUp(ctx, invitation)
	if err != nil {
		return "", err
	}
	email, err := NormaliseEmail(id.Email)
	if err != nil {
		return "", fault.Coded(fault.Forbidden, "email_unverified")
	}
	if _, err := s.accounts.ByEmail(ctx, email); !fault.Is(err, fault.NotFound) {
		if err == nil {
			err = fault.Coded(fault.Conflict, "email_taken")
		}
		return "", err
	}
	u, hash := reader.UserID(randomText(10)), store.IdentityHash(id.Issuer, id.Subject)
	err = s.withInvitation(ctx, invited, func() error {
		if err := s.accounts.CreatePending(ctx, u, store.Account{Email: email}); err != nil {
			return err
		}
		err := s.claim(ctx, u, provider, id, was)
		if err == nil {
			err = s.accounts.ClaimEmail(ctx, u, email)
		}
		if fault.Is(err, fault.Conflict) { // a concurrent sign-up with the same identity or address won
			if gone := s.accounts.DropPending(ctx, u, hash); gone != nil {
				return gone
			}
		}
		return err
	})
	return u, err
}

// link adds an identity to a user.
func (s *Service) link(ctx context.Context, u reader.UserID, provider string, id *oidc.Identity) error {
	owner, a, err := s.userOf(ctx, store.IdentityHash(id.Issuer, id.Subject))
	if err != nil {
		return err
	}
	if a != nil && owner != u {
		return fault.Coded(fault.Conflict, "identity_taken")
	}
	list, err := s.accounts.Identities(ctx, u)
	if err != nil {
		return err
	}
	if len(list) >= maxIdentities && owner != u {
		return fault.Coded(fault.Conflict, "identity_limit")
	}
	return s.claim(ctx, u, provider, id, owner)
}

const maxIdentities = 20

// claim lists an identity with its user and then claims it. An identity that is listed but not claimed cannot sign in,
// and repeating the link completes it.
func (s *Service) claim(ctx context.Context, u reader.UserID, provider string, id *oidc.Identity,
	was reader.UserID) error {
	row := store.IdentityRow{
		Provider: provider, Issuer: id.Issuer, Subject: id.Subject, Email: strings.ToLower(id.Email),
		Created: s.clock.Now().Unix(),
	}
	if err := s.accounts.PutIdentity(ctx, u, row); err != nil {
		return err
	}
	return s.accounts.ClaimIdentity(ctx, store.IdentityHash(id.Issuer, id.Subject), u, was)
}

// SamePath returns a requested path if it is a page of this reader, "/" otherwise.
func SamePath(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > 1024 || !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") ||
		strings.ContainsAny(s, "\\\r\n\t") ||
		u.Host != "" || u.Scheme != "" || strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, "/login") ||
		strings.HasPrefix(u.Path, "/api/") || strings.HasPrefix(u.Path, "/auth/") {
		return "/"
	}
	return s
}
