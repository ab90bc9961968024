package store

import (
	"context"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// EndIdentities takes away every identity that leads to a user: what opens first, then what is listed.
func (s *Accounts) EndIdentities(ctx context.Context, u reader.UserID) error {
	var hashes []string
	err := s.t.Each(ctx, table.Query{PK: userPK(u), Prefix: "I#", Consistent: true}, func(it table.Row) error {
		hashes = append(hashes, strings.TrimPrefix(it.Key.SK, "I#"))
		return nil
	})
	if err != nil {
		return err
	}
	for _, h := range hashes {
		err := s.t.Delete(ctx, identityOfKey(h), table.IfEqual("user", string(u)))
		if err != nil && !fault.Is(err, fault.Conflict) { // it leads nowhere, or to somebody else
			return err
		}
		if err := s.t.Delete(ctx, identityKey(u, h)); err != nil {
			return err
		}
	}
	return nil
}

// doorsOfUser are rows of a user's partition that others lead to or from: they are removed with what they name, the
// subscription beside its feed, the rest by whoever keeps it.
var doorsOfUser = []string{"A", "S", "I", "K", "Z"}

// SweepUser deletes every row of a user's partition but those: stars, labels, passkeys, settings, webhooks, imports,
// and whatever kind comes to be.
func (s *Accounts) SweepUser(ctx context.Context, u reader.UserID) error {
	var keys []table.Key
	err := s.t.Each(ctx, table.Query{PK: userPK(u), Consistent: true}, func(it table.Row) error {
		letter, _, _ := strings.Cut(it.Key.SK, "#")
		for _, d := range doorsOfUser {
			if letter == d {
				return nil
			}
		}
		keys = append(keys, it.Key)
		return nil
	})
	if err != nil {
		return err
	}
	return s.t.BatchWrite(ctx, nil, keys)
}

// RemoveAccount deletes an account: its address is free first, then the place of the owner if it had it, so that an
// address that is claimed always has its account. Absent is success.
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
		if err := s.t.Delete(ctx, k, table.IfEqual("user", string(u))); err != nil && !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return s.t.Delete(ctx, accountKey(u))
}
