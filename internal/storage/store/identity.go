package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// IdentityRow is one identity at a provider, as listed for the user. Sign-in uses the row of ClaimIdentity.
type IdentityRow struct {
	rowKey

	Provider string `dynamo:"provider"` // google, oidc
	Issuer   string `dynamo:"issuer"`
	Subject  string `dynamo:"subject"`
	Email    string `dynamo:"email,omitempty"` // as the provider reported it when it was linked
	Created  int64  `dynamo:"created"`
}

// Hash returns the identity's name in keys.
func (r *IdentityRow) Hash() string { return strings.TrimPrefix(r.SK, "I#") }

// IdentityHash names an identity by issuer and subject, which together are unique and never reassigned (OpenID Connect
// Core, 5.7).
func IdentityHash(issuer, subject string) string {
	sum := sha256.Sum256([]byte(issuer + "\x00" + subject))
	return hex.EncodeToString(sum[:])
}

type identityOfRow struct {
	rowKey
	User string `dynamo:"user"`
}

// PutIdentity adds an identity to the user's list.
func (s *Accounts) PutIdentity(ctx context.Context, u reader.UserID, row IdentityRow) error {
	return put(ctx, s.t, identityKey(u, IdentityHash(row.Issuer, row.Subject)), &row)
}

// UserOfIdentity finds the user of an identity: NotFound "identity_not_found".
func (s *Accounts) UserOfIdentity(ctx context.Context, hash string) (reader.UserID, error) {
	row, err := get[identityOfRow](ctx, s.t, identityOfKey(hash), "identity_not_found", table.Consistent())
	if err != nil {
		return "", err
	}
	return reader.UserID(row.User), nil
}

// ClaimIdentity makes an identity lead to a user, if it leads to no one or to was, whose account is gone. Conflict
// "identity_taken" if it is another's.
func (s *Accounts) ClaimIdentity(ctx context.Context, hash string, u, was reader.UserID) error {
	cond := table.IfAbsent()
	if was != "" {
		cond = table.IfEqual("user", string(was))
	}
	err := put(ctx, s.t, identityOfKey(hash), &identityOfRow{User: string(u)}, cond)
	if fault.Is(err, fault.Conflict) {
		return fault.Coded(fault.Conflict, "identity_taken")
	}
	return err
}

// Identities lists a user's identities.
func (s *Accounts) Identities(ctx context.Context, u reader.UserID) ([]*IdentityRow, error) {
	return list[IdentityRow](ctx, s.t, table.Query{PK: userPK(u), Prefix: "I#", Consistent: true})
}

// RemoveIdentity removes first the lookup, then the list entry, so that unlisted identities sign no one in.
func (s *Accounts) RemoveIdentity(ctx context.Context, u reader.UserID, hash string) error {
	err := ignoreConflict(s.t.Delete(ctx, identityOfKey(hash), table.IfEqual("user", string(u))))
	if err != nil {
		return err
	}
	return s.t.Delete(ctx, identityKey(u, hash))
}

// EndIdentities removes all identities of a user.
func (s *Accounts) EndIdentities(ctx context.Context, u reader.UserID) error {
	rows, err := s.Identities(ctx, u)
	for _, row := range rows {
		if err == nil {
			err = s.RemoveIdentity(ctx, u, row.Hash())
		}
	}
	return err
}

// CreatePending makes an account whose address is not claimed yet: it cannot be found until an identity leads to it.
func (s *Accounts) CreatePending(ctx context.Context, u reader.UserID, a Account) error {
	a.Pending = true
	return s.putAccount(ctx, u, a)
}

// ClaimEmail claims the address of a pending account, then clears the mark. Conflict "email_taken" if it is taken.
func (s *Accounts) ClaimEmail(ctx context.Context, u reader.UserID, email string) error {
	if err := s.claimEmail(ctx, u, email); err != nil {
		return err
	}
	return s.ClearPending(ctx, u)
}

// ClearPending clears the mark of a pending account.
func (s *Accounts) ClearPending(ctx context.Context, u reader.UserID) error {
	return s.t.Update(ctx, accountKey(u),
		table.Update{Remove: []string{"pending"}, If: []table.Cond{table.IfPresent()}})
}

// DropPending removes the pending account of a sign-up that lost a race, its identity first.
func (s *Accounts) DropPending(ctx context.Context, u reader.UserID, hash string) error {
	if err := s.RemoveIdentity(ctx, u, hash); err != nil {
		return err
	}
	return s.t.Delete(ctx, accountKey(u))
}

// SetPassword replaces a user's password; Conflict when there is no such account.
func (s *Accounts) SetPassword(ctx context.Context, u reader.UserID, encoded string) error {
	return s.t.Update(ctx, accountKey(u), table.Update{
		Set: map[string]any{"password": encoded}, If: []table.Cond{table.IfPresent()},
	})
}
