package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Account is a user. Password is an encoded argon2id hash, empty for those without one.
type Account struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	Email    string `dynamo:"email"`
	Other    string `dynamo:"other,omitempty"` // an address that may be claimed too: ChangeEmail was at work
	Owner    bool   `dynamo:"owner,omitempty"`
	Password string `dynamo:"password,omitempty"`
	Created  int64  `dynamo:"created"`
	// Pending: made by an identity's first sign-in, whose address is not claimed yet.
	Pending bool `dynamo:"pending,omitempty"`
}

// ID is the user's id, from the row's key.
func (a *Account) ID() reader.UserID { return reader.UserID(a.PK[len("U#"):]) }

type emailRow struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	User string `dynamo:"user"`
}

type linkRow struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	V    int    `dynamo:"v"`
	Hash string `dynamo:"hash"`
	TTL  int64  `dynamo:"ttl"`
}

type systemRow struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	Value []byte `dynamo:"value,omitempty"`
	User  string `dynamo:"user,omitempty"`
}

// Accounts reads and writes users, their tokens and one-time links, and the installation's secret.
type Accounts struct {
	t     *table.Table
	clock clock.Clock
}

// HashToken is how high-entropy secrets are stored and looked up: a slow hash would only cost CPU (C-34).
func HashToken(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Get reads a user.
func (s *Accounts) Get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (*Account, error) {
	var a Account
	if err := s.t.Get(ctx, accountKey(u), &a, opts...); err != nil {
		return nil, notFoundAs(err, "user_not_found")
	}
	return &a, nil
}

// ByEmail finds a user by the normalised e-mail address, consistently: it is asked when somebody signs in
// or has just been found to exist.
func (s *Accounts) ByEmail(ctx context.Context, email string) (*Account, error) {
	var row emailRow
	if err := s.t.Get(ctx, emailKey(email), &row, table.Consistent()); err != nil {
		return nil, notFoundAs(err, "user_not_found")
	}
	return s.Get(ctx, reader.UserID(row.User), table.Consistent())
}

// Create makes a user: the account row first, then the claim of the address, so that a claimed address
// always has its account. A crash between leaves an account that nobody can reach, and no more.
func (s *Accounts) Create(ctx context.Context, u reader.UserID, a Account) error {
	k := accountKey(u)
	a.PK, a.SK, a.V = k.PK, k.SK, SchemaVersion
	a.Created = s.clock.Now().Unix()
	if err := s.t.Put(ctx, a, table.IfAbsent()); err != nil {
		return err
	}
	e := emailKey(a.Email)
	err := s.t.Put(ctx, emailRow{PK: e.PK, SK: e.SK, User: string(u)}, table.IfAbsent())
	if fault.Is(err, fault.Conflict) {
		_ = s.t.Delete(ctx, k)
		return fault.Newf(fault.Conflict, "email_taken", "There is already a user with the address %s.", a.Email)
	}
	return err
}

// Owner finds the installation's owner; fault.NotFound before the first start.
func (s *Accounts) Owner(ctx context.Context) (*Account, error) {
	var row systemRow
	if err := s.t.Get(ctx, systemKey("owner"), &row, table.Consistent()); err != nil {
		return nil, notFoundAs(err, "no_owner")
	}
	return s.Get(ctx, reader.UserID(row.User), table.Consistent())
}

// MayBegin is Conflict in a home that a copy has begun to fill and has not finished.
func (s *Accounts) MayBegin(ctx context.Context) error { return TransfersOf(s.t).beingFilled(ctx) }

// ClaimOwner makes a user the owner if there is none.
func (s *Accounts) ClaimOwner(ctx context.Context, u reader.UserID) error {
	k := systemKey("owner")
	return s.t.Put(ctx, systemRow{PK: k.PK, SK: k.SK, User: string(u)}, table.IfAbsent())
}

// Secret gives the installation's signing secret, storing fresh when there is none yet.
func (s *Accounts) Secret(ctx context.Context, fresh []byte) ([]byte, error) {
	k := systemKey("secret")
	var row systemRow
	err := s.t.Get(ctx, k, &row, table.Consistent())
	if !fault.Is(err, fault.NotFound) {
		return row.Value, err
	}
	err = s.t.Put(ctx, systemRow{PK: k.PK, SK: k.SK, Value: fresh}, table.IfAbsent())
	if fault.Is(err, fault.Conflict) {
		err = s.t.Get(ctx, k, &row, table.Consistent())
		return row.Value, err
	}
	return fresh, err
}

// PutLink stores a user's one-time link by its hash for as long as it is valid. The link before it ends.
func (s *Accounts) PutLink(ctx context.Context, u reader.UserID, secret string, valid time.Duration) error {
	k := linkKey(u)
	return s.t.Put(ctx, linkRow{PK: k.PK, SK: k.SK, V: SchemaVersion, Hash: HashToken(secret), TTL: s.clock.Now().Add(valid).Unix()})
}

// CheckLink tells whether a one-time link would sign its user in, and spends nothing: NotFound "link_not_valid".
func (s *Accounts) CheckLink(ctx context.Context, u reader.UserID, secret string) error {
	var row linkRow
	if err := s.t.Get(ctx, linkKey(u), &row, table.Consistent()); err != nil {
		return notFoundAs(err, "link_not_valid")
	}
	if row.Hash != HashToken(secret) {
		return fault.New(fault.NotFound, "link_not_valid", "store: link", nil)
	}
	return nil
}

// SpendLink uses a one-time link up. Of two that race, one wins.
func (s *Accounts) SpendLink(ctx context.Context, u reader.UserID, secret string) error {
	if err := s.CheckLink(ctx, u, secret); err != nil { // it may be there and too old
		return err
	}
	err := s.t.Delete(ctx, linkKey(u), table.IfPresent(), table.IfEqual("hash", HashToken(secret)))
	if fault.Is(err, fault.Conflict) {
		return fault.New(fault.NotFound, "link_not_valid", "store: link", err)
	}
	return err
}

func notFoundAs(err error, code string) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.NotFound, code, "store: account", err)
	}
	return err
}

// Happened reports whether a thing that happens once in the life of an installation was remembered.
func (s *Accounts) Happened(ctx context.Context, what string) (bool, error) {
	err := s.t.Get(ctx, systemKey("once#"+what), &systemRow{}, table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Remember notes that such a thing is done; saying it twice is harmless.
func (s *Accounts) Remember(ctx context.Context, what string) error {
	k := systemKey("once#" + what)
	return s.t.Put(ctx, systemRow{PK: k.PK, SK: k.SK})
}
