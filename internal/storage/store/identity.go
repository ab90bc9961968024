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

// IdentityRow is one identity at a provider that a user signs in by, as it is listed with the user. It opens
// nothing: the row that leads from the identity to the user does (ClaimIdentity).
type IdentityRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	Provider string `dynamo:"provider"` // google, oidc
	Issuer   string `dynamo:"issuer"`
	Subject  string `dynamo:"subject"`
	Email    string `dynamo:"email,omitempty"` // what the provider called it when it was linked
	Created  int64  `dynamo:"created"`
}

// Hash is the identity's name in keys.
func (r *IdentityRow) Hash() string { return strings.TrimPrefix(r.SK, "I#") }

// IdentityHash names an identity by issuer and subject, which together are never given to another (OpenID Connect
// Core, 5.7).
func IdentityHash(issuer, subject string) string {
	sum := sha256.Sum256([]byte(issuer + "\x00" + subject))
	return hex.EncodeToString(sum[:])
}

type identityOfRow struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	V    int    `dynamo:"v"`
	User string `dynamo:"user"`
}

// PutIdentity lists an identity with a user.
func (s *Accounts) PutIdentity(ctx context.Context, u reader.UserID, row IdentityRow) error {
	k := identityKey(u, IdentityHash(row.Issuer, row.Subject))
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	return s.t.Put(ctx, row)
}

// UserOfIdentity finds whose an identity is: NotFound "identity_not_found".
func (s *Accounts) UserOfIdentity(ctx context.Context, hash string) (reader.UserID, error) {
	var row identityOfRow
	if err := s.t.Get(ctx, identityOfKey(hash), &row, table.Consistent()); err != nil {
		return "", notFoundAs(err, "identity_not_found")
	}
	return reader.UserID(row.User), nil
}

// ClaimIdentity makes an identity lead to a user, if it leads to nobody, or still to the one it was read to lead
// to (was, of an account that is gone). Conflict "identity_taken": it is another's.
func (s *Accounts) ClaimIdentity(ctx context.Context, hash string, u, was reader.UserID) error {
	k := identityOfKey(hash)
	cond := table.IfAbsent()
	if was != "" {
		cond = table.IfEqual("user", string(was))
	}
	err := s.t.Put(ctx, identityOfRow{PK: k.PK, SK: k.SK, V: SchemaVersion, User: string(u)}, cond)
	if fault.Is(err, fault.Conflict) {
		return fault.Newf(fault.Conflict, "identity_taken", "This sign-in belongs to another user of this reader.")
	}
	return err
}

// Identities lists a user's.
func (s *Accounts) Identities(ctx context.Context, u reader.UserID) ([]*IdentityRow, error) {
	var out []*IdentityRow
	err := s.t.Each(ctx, table.Query{PK: userPK(u), Prefix: "I#", Consistent: true}, func(it table.Row) error {
		row := new(IdentityRow)
		out = append(out, row)
		return it.Decode(row)
	})
	return out, err
}

// RemoveIdentity takes an identity from a user: what opens first, then what is listed, so that one that is not listed
// opens nothing. Absent is success.
func (s *Accounts) RemoveIdentity(ctx context.Context, u reader.UserID, hash string) error {
	err := s.t.Delete(ctx, identityOfKey(hash), table.IfEqual("user", string(u)))
	if err != nil && !fault.Is(err, fault.Conflict) { // it leads nowhere, or to another: nothing of ours
		return err
	}
	return s.t.Delete(ctx, identityKey(u, hash))
}

// CreatePending makes an account whose address is not claimed yet: nobody finds it until an identity leads to it.
func (s *Accounts) CreatePending(ctx context.Context, u reader.UserID, a Account) error {
	k := accountKey(u)
	a.PK, a.SK, a.V, a.Pending = k.PK, k.SK, SchemaVersion, true
	a.Created = s.clock.Now().Unix()
	return s.t.Put(ctx, a, table.IfAbsent())
}

// ClaimEmail finishes such an account: the address first, then the mark. Conflict "email_taken": it is another's.
func (s *Accounts) ClaimEmail(ctx context.Context, u reader.UserID, email string) error {
	k := emailKey(email)
	err := s.t.Put(ctx, emailRow{PK: k.PK, SK: k.SK, User: string(u)}, table.IfAbsent())
	if fault.Is(err, fault.Conflict) {
		if a, err := s.ByEmail(ctx, email); err != nil || a.ID() != u {
			return fault.Newf(fault.Conflict, "email_taken", "There is already a user with the address %s.", email)
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return s.Settle(ctx, u)
}

// Settle takes the mark of a pending account away.
func (s *Accounts) Settle(ctx context.Context, u reader.UserID) error {
	return s.t.Update(ctx, accountKey(u), table.Update{Remove: []string{"pending"}, If: []table.Cond{table.IfPresent()}})
}

// DropPending removes what a sign-up that lost a race has made: the way in first.
func (s *Accounts) DropPending(ctx context.Context, u reader.UserID, hash string) error {
	if err := s.RemoveIdentity(ctx, u, hash); err != nil {
		return err
	}
	return s.t.Delete(ctx, accountKey(u))
}

// SetPassword replaces a user's password; the account must be there.
func (s *Accounts) SetPassword(ctx context.Context, u reader.UserID, encoded string) error {
	return s.t.Update(ctx, accountKey(u), table.Update{
		Set: map[string]any{"password": encoded}, If: []table.Cond{table.IfPresent()},
	})
}
