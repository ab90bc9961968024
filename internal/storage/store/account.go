package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Account is a user. Password is an encoded argon2id hash, empty for an account without one.
type Account struct {
	rowKey

	Email    string `dynamo:"email"`
	Other    string `dynamo:"other,omitempty"` // a second address that may be claimed, during ChangeEmail
	Owner    bool   `dynamo:"owner,omitempty"`
	Password string `dynamo:"password,omitempty"`
	Created  int64  `dynamo:"created"`
	// Pending marks an account made by an identity's first sign-in whose address is not claimed yet.
	Pending bool `dynamo:"pending,omitempty"`
}

// ID returns the user's id, from the row's key.
func (a *Account) ID() reader.UserID { return reader.UserID(a.PK[len("U#"):]) }

type emailRow struct {
	rowKey
	User string `dynamo:"user"`
}

type linkRow struct {
	rowKey
	Hash string `dynamo:"hash"`
	TTL  int64  `dynamo:"ttl"`
}

type systemRow struct {
	rowKey
	Value []byte `dynamo:"value,omitempty"`
	User  string `dynamo:"user,omitempty"`
}

// Accounts reads and writes users, their tokens and one-time links, and the installation's secret.
type Accounts struct {
	t     *table.Table
	clock clock.Clock
}

// HashToken returns the hash under which a high-entropy secret is stored; a slow hash would only cost CPU (C-34).
func HashToken(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Get reads a user: NotFound "user_not_found".
func (s *Accounts) Get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (*Account, error) {
	return get[Account](ctx, s.t, accountKey(u), "user_not_found", opts...)
}

// All reads every account, the owner's first, then by address. It reads the whole table: accounts have no list.
func (s *Accounts) All(ctx context.Context) ([]*Account, error) {
	var all []*Account
	for after := (table.Key{}); ; {
		rows, next, err := s.t.Scan(ctx, after, 0)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if r.Key.SK != accountKey("").SK || !strings.HasPrefix(r.Key.PK, userPK("")) {
				continue
			}
			a := new(Account)
			if err := r.Decode(a); err != nil {
				return nil, err
			}
			all = append(all, a)
		}
		if after = next; next == (table.Key{}) {
			break
		}
	}
	slices.SortFunc(all, func(a, b *Account) int {
		if a.Owner != b.Owner {
			return map[bool]int{true: -1, false: 1}[a.Owner]
		}
		return strings.Compare(a.Email, b.Email)
	})
	return all, nil
}

// ByEmail finds a user by the normalised e-mail address, consistently: it is used at sign-in.
func (s *Accounts) ByEmail(ctx context.Context, email string) (*Account, error) {
	row, err := get[emailRow](ctx, s.t, emailKey(email), "user_not_found", table.Consistent())
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, reader.UserID(row.User), table.Consistent())
}

// Create makes a user: first the account row, then the claim of the address, so a claimed address has its account.
func (s *Accounts) Create(ctx context.Context, u reader.UserID, a Account) error {
	if err := s.putAccount(ctx, u, a); err != nil {
		return err
	}
	err := s.claimEmail(ctx, u, a.Email)
	if fault.Is(err, fault.Conflict) {
		_ = s.t.Delete(ctx, accountKey(u)) // else it stays, unreachable
	}
	return err
}

func (s *Accounts) putAccount(ctx context.Context, u reader.UserID, a Account) error {
	a.Created = s.clock.Now().Unix()
	return put(ctx, s.t, accountKey(u), &a, table.IfAbsent())
}

// claimEmail makes an address lead to a user. Conflict "email_taken" if it is another user's.
func (s *Accounts) claimEmail(ctx context.Context, u reader.UserID, email string) error {
	k := emailKey(email)
	err := put(ctx, s.t, k, &emailRow{User: string(u)}, table.IfAbsent())
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	if row, err := getOrZero[emailRow](ctx, s.t, k, table.Consistent()); err == nil && row.User == string(u) {
		return nil
	}
	return fault.Coded(fault.Conflict, "email_taken")
}

// Owner finds the installation's owner: NotFound "no_owner" before the first start.
func (s *Accounts) Owner(ctx context.Context) (*Account, error) {
	row, err := get[systemRow](ctx, s.t, systemKey("owner"), "no_owner", table.Consistent())
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, reader.UserID(row.User), table.Consistent())
}

// MayBegin is Conflict in an installation that an unfinished transfer is filling.
func (s *Accounts) MayBegin(ctx context.Context) error { return TransfersOf(s.t).checkComplete(ctx) }

// ClaimOwner makes a user the owner: Conflict when there is one.
func (s *Accounts) ClaimOwner(ctx context.Context, u reader.UserID) error {
	return put(ctx, s.t, systemKey("owner"), &systemRow{User: string(u)}, table.IfAbsent())
}

// Secret returns the installation's signing secret, and stores fresh as such when there is none yet.
func (s *Accounts) Secret(ctx context.Context, fresh []byte) ([]byte, error) {
	k := systemKey("secret")
	row, err := getOrZero[systemRow](ctx, s.t, k, table.Consistent())
	if err != nil || row.isStored() {
		return row.Value, err
	}
	err = put(ctx, s.t, k, &systemRow{Value: fresh}, table.IfAbsent())
	if fault.Is(err, fault.Conflict) { // another instance stored its own
		row, err = getOrZero[systemRow](ctx, s.t, k, table.Consistent())
		return row.Value, err
	}
	return fresh, err
}

// PutLink stores a user's one-time link by its hash for as long as it is valid. It replaces an earlier link.
func (s *Accounts) PutLink(ctx context.Context, u reader.UserID, secret string, valid time.Duration) error {
	return put(ctx, s.t, linkKey(u), &linkRow{Hash: HashToken(secret), TTL: s.clock.Now().Add(valid).Unix()})
}

// CheckLink checks a one-time link without using it up and returns when it ends: NotFound "link_not_valid".
func (s *Accounts) CheckLink(ctx context.Context, u reader.UserID, secret string) (time.Time, error) {
	row, err := get[linkRow](ctx, s.t, linkKey(u), "link_not_valid", table.Consistent())
	if err != nil {
		return time.Time{}, err
	}
	if row.Hash != HashToken(secret) {
		return time.Time{}, fault.New(fault.NotFound, "link_not_valid", "store: link", nil)
	}
	return time.Unix(row.TTL, 0), nil
}

// SpendLink uses a one-time link up: NotFound "link_not_valid". Of two concurrent calls one succeeds.
func (s *Accounts) SpendLink(ctx context.Context, u reader.UserID, secret string) error {
	if _, err := s.CheckLink(ctx, u, secret); err != nil { // its row may exist and have expired
		return err
	}
	err := s.t.Delete(ctx, linkKey(u), table.IfPresent(), table.IfEqual("hash", HashToken(secret)))
	if fault.Is(err, fault.Conflict) {
		return fault.New(fault.NotFound, "link_not_valid", "store: link", err)
	}
	return err
}

// Happened reports whether Remember was called for an event that happens once in the life of an installation.
func (s *Accounts) Happened(ctx context.Context, event string) (bool, error) {
	row, err := getOrZero[systemRow](ctx, s.t, systemKey("once#"+event), table.Consistent())
	return row.isStored(), err
}

// Remember records such an event. It is idempotent.
func (s *Accounts) Remember(ctx context.Context, event string) error {
	return put(ctx, s.t, systemKey("once#"+event), &systemRow{})
}
