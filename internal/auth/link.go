package auth

import (
	"context"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// LinkLife is how long a one-time link is valid that a person sees at once.
	LinkLife = 24 * time.Hour
	// LoggedLinkLife is how long one is valid that is printed where others may read it: a journal, a file.
	LoggedLinkLife = 15 * time.Minute
)

// NewLink makes a user's one-time link: what stands behind /auth/link/ in its address. It names the user, for each has
// one link at a time: a new one ends the one before.
func (s *Service) NewLink(ctx context.Context, u reader.UserID, life time.Duration) (string, error) {
	secret := randomText(32)
	return string(u) + "." + secret, s.accounts.PutLink(ctx, u, secret, life)
}

// splitLink gives whose a link is, and its secret.
func splitLink(link string) (reader.UserID, string, error) {
	u, secret, _ := strings.Cut(link, ".")
	if !isUserID([]byte(u)) || len(u) > 64 || secret == "" {
		return "", "", fault.New(fault.NotFound, "link_not_valid", "auth: link", nil)
	}
	return reader.UserID(u), secret, nil
}

// CheckLink tells whether a one-time link would let somebody in, and spends nothing.
func (s *Service) CheckLink(ctx context.Context, link string) error {
	u, secret, err := splitLink(link)
	if err != nil {
		return err
	}
	return s.accounts.CheckLink(ctx, u, secret)
}

// SpendLink uses a one-time link up, and tells who signs in by it.
func (s *Service) SpendLink(ctx context.Context, link string) (*store.Account, error) {
	u, secret, err := splitLink(link)
	if err != nil {
		return nil, err
	}
	if err := s.accounts.SpendLink(ctx, u, secret); err != nil {
		return nil, err
	}
	return s.accounts.Get(ctx, u)
}

// CanSignIn tells whether a user has a way to sign in, or is signed in somewhere: then nobody needs to be let in
// unasked.
func (s *Service) CanSignIn(ctx context.Context, a *store.Account) (bool, error) {
	if ok, err := s.hasCredential(ctx, a, ""); ok || err != nil {
		return ok, err
	}
	sessions, err := s.accounts.Sessions(ctx, a.ID())
	return len(sessions) > 0, err
}
