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

// Provider is a way to sign in by somebody else's word: "google", or "oidc" with the owner's issuer.
type Provider struct {
	ID, Name string
	*oidc.Provider
}

// WithProviders offers ways to sign in by others.
func (s *Service) WithProviders(list ...Provider) *Service {
	s.providers = list
	return s
}

// Providers lists them.
func (s *Service) Providers() []Provider { return s.providers }

func (s *Service) provider(id string) (Provider, error) {
	for _, p := range s.providers {
		if p.ID == id {
			return p, nil
		}
	}
	return Provider{}, fault.Newf(fault.NotFound, "no_provider", "This reader does not offer this way to sign in.")
}

// External is a sign-in at a provider that has begun.
type External struct {
	Redirect   string        // where the provider sends people back to
	Return     string        // a path of ours for afterwards
	Link       reader.UserID // who wants to link the identity; "" for signing in
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

// BeginExternal gives the provider's address, and the ticket that the browser keeps until it comes back.
func (s *Service) BeginExternal(ctx context.Context, provider string, e External) (to, ticket string, err error) {
	p, err := s.provider(provider)
	if err != nil {
		return "", "", err
	}
	f := oidc.Flow{State: randomText(16), Nonce: randomText(16), Verifier: oauth2.GenerateVerifier(), Redirect: e.Redirect}
	if to, err = p.AuthURL(ctx, f, e.Link != ""); err != nil {
		return "", "", fault.New(fault.Unavailable, "provider_unavailable", "auth: "+provider, err)
	}
	ticket, err = s.seal(ctx, externalPurpose, TicketLife, externalTicket{provider, f, SamePath(e.Return), e.Link, e.Invitation})
	return to, ticket, err
}

// Finished is what came of a sign-in at a provider.
type Finished struct {
	User   reader.UserID
	Return string
	Linked bool // the identity was linked to who was signed in; there is nothing to sign in to
}

// FinishExternal ends what BeginExternal began. Whoever links must still be signed in as the one who began.
func (s *Service) FinishExternal(ctx context.Context, provider, ticket string, query url.Values, signedIn reader.UserID) (*Finished, error) {
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
		return nil, unauthenticated()
	}
	return out, s.link(ctx, t.Link, provider, id)
}

// signInAs finds the user of an identity, or makes one where the owner lets people sign up. An account that only has
// the same address is never opened by it: whoever has both links them, signed in.
func (s *Service) signInAs(ctx context.Context, provider string, id *oidc.Identity, invitation string) (reader.UserID, error) {
	hash := store.IdentityHash(id.Issuer, id.Subject)
	u, a, err := s.leadsTo(ctx, hash)
	if err != nil {
		return "", err
	}
	if a == nil {
		return s.signUpAs(ctx, provider, id, invitation, u)
	}
	if a.Pending { // the last step of its sign-up was not taken
		if err := s.accounts.ClaimEmail(ctx, u, a.Email); fault.Is(err, fault.Conflict) {
			err = s.accounts.Settle(ctx, u) // somebody else took the address in between: this user keeps this way in
			return u, err
		} else if err != nil {
			return "", err
		}
	}
	return u, nil
}

// leadsTo tells whom an identity leads to; nobody, or to an account that is gone (nil).
func (s *Service) leadsTo(ctx context.Context, hash string) (reader.UserID, *store.Account, error) {
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

// signUpAs makes a user: account, listed identity, the identity's claim, the address's claim. Before the third step
// nobody gets in; after it the person does, and the next sign-in takes the fourth.
func (s *Service) signUpAs(ctx context.Context, provider string, id *oidc.Identity, invitation string, was reader.UserID) (reader.UserID, error) {
	invited, err := s.maySignUp(ctx, invitation)
	if err != nil {
		return "", err
	}
	email, err := NormaliseEmail(id.Email)
	if err != nil {
		return "", fault.Newf(fault.Forbidden, "email_unverified", "The provider does not confirm an e-mail address of yours.")
	}
	if _, err := s.accounts.ByEmail(ctx, email); !fault.Is(err, fault.NotFound) {
		if err == nil {
			err = emailTaken(email)
		}
		return "", err
	}
	u, hash := reader.UserID(randomText(10)), store.IdentityHash(id.Issuer, id.Subject)
	err = s.spending(ctx, invited, func() error {
		if err := s.accounts.CreatePending(ctx, u, store.Account{Email: email}); err != nil {
			return err
		}
		err := s.linked(ctx, u, provider, id, was)
		if err == nil {
			err = s.accounts.ClaimEmail(ctx, u, email)
		}
		if fault.Is(err, fault.Conflict) { // somebody was faster, by the same identity or address
			if gone := s.accounts.DropPending(ctx, u, hash); gone != nil {
				return gone
			}
		}
		return err
	})
	return u, err
}

func emailTaken(email string) error {
	return fault.Newf(fault.Conflict, "email_taken", "There is already a user with the address %s.", email)
}

// link adds an identity to a user.
func (s *Service) link(ctx context.Context, u reader.UserID, provider string, id *oidc.Identity) error {
	owner, a, err := s.leadsTo(ctx, store.IdentityHash(id.Issuer, id.Subject))
	if err != nil {
		return err
	}
	if a != nil && owner != u {
		return fault.Newf(fault.Conflict, "identity_taken", "This sign-in belongs to another user of this reader.")
	}
	list, err := s.accounts.Identities(ctx, u)
	if err != nil {
		return err
	}
	if len(list) >= maxIdentities && owner != u {
		return fault.Newf(fault.Conflict, "identity_limit", "You can link at most %d sign-ins.", maxIdentities)
	}
	return s.linked(ctx, u, provider, id, owner)
}

const maxIdentities = 20

// linked lists an identity with its user and then makes it lead there: one that is listed and leads nowhere yet opens
// nothing, and is linked by trying again.
func (s *Service) linked(ctx context.Context, u reader.UserID, provider string, id *oidc.Identity, was reader.UserID) error {
	row := store.IdentityRow{
		Provider: provider, Issuer: id.Issuer, Subject: id.Subject, Email: strings.ToLower(id.Email), Created: s.clock.Now().Unix(),
	}
	if err := s.accounts.PutIdentity(ctx, u, row); err != nil {
		return err
	}
	return s.accounts.ClaimIdentity(ctx, store.IdentityHash(id.Issuer, id.Subject), u, was)
}

// SamePath gives a path of ours to go to after a sign-in, "/" for whatever else was asked for.
func SamePath(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > 1024 || !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") || strings.ContainsAny(s, "\\\r\n\t") ||
		u.Host != "" || u.Scheme != "" || strings.HasPrefix(u.Path, "//") || strings.HasPrefix(u.Path, "/login") ||
		strings.HasPrefix(u.Path, "/api/") || strings.HasPrefix(u.Path, "/auth/") {
		return "/"
	}
	return s
}
