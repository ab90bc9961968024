package auth

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// maxShares is how many lists a user may share at a time.
const maxShares = 10

// CreateShare creates the token of a shared list.
func (s *Service) CreateShare(ctx context.Context, u reader.UserID, q TokenRequest) (string, error) {
	list, err := s.Shares(ctx, u)
	if err != nil {
		return "", err
	}
	if len(list) >= maxShares {
		return "", fault.Coded(fault.Conflict, "share_limit", maxShares)
	}
	q.Scope = ScopeFeed
	return s.CreateToken(ctx, u, q)
}

// Shares lists the lists that a user shares, the newest first.
func (s *Service) Shares(ctx context.Context, u reader.UserID) ([]*store.TokenRow, error) {
	list, err := s.Tokens(ctx, u)
	return slices.DeleteFunc(list, func(t *store.TokenRow) bool {
		return t.Scope != ScopeFeed || t.IsDead(s.clock.Now())
	}), err
}

// Share finds a shared list by the secret in its address: NotFound "share_gone". Its use is not recorded: strangers
// cause no writes.
func (s *Service) Share(ctx context.Context, secret string) (*store.TokenRow, error) {
	gone := fault.Coded(fault.NotFound, "share_gone")
	if !IsToken(secret) {
		return nil, gone
	}
	row, err := s.accounts.Token(ctx, store.HashToken(secret))
	if err == nil && row.Scope == ScopeFeed && !row.IsDead(s.clock.Now()) {
		return row, nil
	}
	if fault.Ignore(err, fault.NotFound) == nil {
		err = gone
	}
	return nil, err
}
