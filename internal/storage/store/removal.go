package store

import (
	"context"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// keptBySweep are the kinds of a user's rows that other rows refer to, by the letter of their sort key. They are
// removed with those.
var keptBySweep = []string{"A", "S", "I", "K", "Z"}

// SweepUser deletes every row of a user's partition except keptBySweep: stars, labels, passkeys, settings, webhooks,
// imports, and kinds of later versions.
func (s *Accounts) SweepUser(ctx context.Context, u reader.UserID) error {
	keys, err := keysOf(ctx, s.t, userPK(u))
	if err != nil {
		return err
	}
	keys = slices.DeleteFunc(keys, func(k table.Key) bool {
		letter, _, _ := strings.Cut(k.SK, "#")
		return slices.Contains(keptBySweep, letter)
	})
	return s.t.BatchWrite(ctx, nil, keys)
}

// RemoveAccount deletes an account after its ownership and addresses, so that claimed addresses have accounts.
func (s *Accounts) RemoveAccount(ctx context.Context, u reader.UserID) error {
	a, err := s.Get(ctx, u, table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	keys := []table.Key{systemKey("owner")}
	for _, address := range []string{a.Email, a.Other} {
		if address != "" {
			keys = append(keys, emailKey(address))
		}
	}
	for _, k := range keys {
		if err := ignoreConflict(s.t.Delete(ctx, k, table.IfEqual("user", string(u)))); err != nil {
			return err
		}
	}
	return s.t.Delete(ctx, accountKey(u))
}
