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
	// LinkLife is the life of a one-time link that is shown to a person.
	LinkLife = 24 * time.Hour
	// LoggedLinkLife is the life of one that is printed to a log, where others may read it.
	LoggedLinkLife = 15 * time.Minute
)

// NewLink creates a user's one-time link and returns the part after /auth/link/. Each user has one link at a time: a
// new one invalidates the previous.
func (s *Service) NewLink(ctx context.Context, u reader.UserID, life time.Duration) (string, error) {
	secret := randomText(32)
	return string(u) + "." + secret, s.accounts.PutLink(ctx, u, secret, life)
}

// splitLink returns a link's user and secret.
func splitLink(link string) (reader.UserID, string, error) {
	u, secret, _ := strings.Cut(link, ".")
	if !isUserID([]byte(u)) || len(u) > 64 || secret == "" {
		return "", "", fault.New(fault.NotFound, "link_not_valid", "auth: link", nil)
	}
	return reader.UserID(u), secret, nil
}

// CheckLink checks a one-time link without using it and returns when it ends.
func (s *Service) CheckLink(ctx context.Context, link string) (time.Time, error) {
	u, secret, err := splitLink(link)
	if err != nil {
		return time.Time{}, err
	}
	return s.accounts.CheckLink(ctx, u, secret)
}

// SpendLink uses a one-time link and returns its user.
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

// CanSignIn reports whether a user has a credential or a session, so that no link has to be printed unasked.
func (s *Service) CanSignIn(ctx context.Context, a *store.Account) (bool, error) {
	if ok, err := s.hasCredential(ctx, a, ""); ok || err != nil {
		return ok, err
	}
	sessions, err := s.accounts.Sessions(ctx, a.ID())
	return len(sessions) > 0, err
}
