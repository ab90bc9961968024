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

// PasskeyRow is a user's passkey.
type PasskeyRow struct {
	rowKey

	CredentialID []byte   `dynamo:"cred"`
	PublicKey    []byte   `dynamo:"key"` // COSE_Key
	Count        int64    `dynamo:"count,omitempty"`
	AAGUID       []byte   `dynamo:"aaguid,omitempty"`
	Transports   []string `dynamo:"transports,omitempty"`
	Eligible     bool     `dynamo:"eligible,omitempty"` // may be copied to other devices
	BackedUp     bool     `dynamo:"backedUp,omitempty"`
	Name         string   `dynamo:"name"`
	Created      int64    `dynamo:"created"`
	Used         int64    `dynamo:"used,omitempty"`
	// Suspect is the time when the counter went back, perhaps because the key was copied; 0 = never.
	Suspect int64 `dynamo:"suspect,omitempty"`
}

// ID returns the passkey's name in URLs: a hash of the credential's id.
func (r *PasskeyRow) ID() string { return strings.TrimPrefix(r.SK, "W#") }

// PasskeyID names a passkey by its credential's id.
func PasskeyID(credential []byte) string {
	sum := sha256.Sum256(credential)
	return hex.EncodeToString(sum[:16])
}

// AddPasskey stores a new passkey: Conflict "passkey_exists" when the user has it already.
func (s *Accounts) AddPasskey(ctx context.Context, u reader.UserID, row PasskeyRow) (*PasskeyRow, error) {
	row.Created = s.clock.Now().Unix()
	err := put(ctx, s.t, passkeyKey(u, PasskeyID(row.CredentialID)), &row, table.IfAbsent())
	if fault.Is(err, fault.Conflict) {
		return nil, fault.Coded(fault.Conflict, "passkey_exists")
	}
	return &row, err
}

// Passkey reads a passkey: NotFound "passkey_not_found".
func (s *Accounts) Passkey(ctx context.Context, u reader.UserID, id string) (*PasskeyRow, error) {
	return get[PasskeyRow](ctx, s.t, passkeyKey(u, id), "passkey_not_found", table.Consistent())
}

// Passkeys lists a user's passkeys.
func (s *Accounts) Passkeys(ctx context.Context, u reader.UserID) ([]*PasskeyRow, error) {
	return list[PasskeyRow](ctx, s.t, table.Query{PK: userPK(u), Prefix: "W#", Consistent: true})
}

// UsePasskey records a sign-in if the counter is as in row: of two responses with one count, one is a Conflict.
func (s *Accounts) UsePasskey(ctx context.Context, u reader.UserID, row *PasskeyRow, count int64, backedUp bool) error {
	return s.changePasskey(ctx, u, row.ID(), patch{"count": count, "backedUp": backedUp, "used": s.clock.Now().Unix()},
		table.IfEqual("count", row.Count))
}

// SuspectPasskey records that a counter went back.
func (s *Accounts) SuspectPasskey(ctx context.Context, u reader.UserID, id string) error {
	return s.changePasskey(ctx, u, id, patch{"suspect": s.clock.Now().Unix()})
}

// RenamePasskey renames a passkey: NotFound "passkey_not_found".
func (s *Accounts) RenamePasskey(ctx context.Context, u reader.UserID, id, name string) error {
	err := s.changePasskey(ctx, u, id, patch{"name": name})
	if fault.Is(err, fault.Conflict) {
		return fault.New(fault.NotFound, "passkey_not_found", "store: passkey", err)
	}
	return err
}

func (s *Accounts) changePasskey(ctx context.Context, u reader.UserID, id string, p patch, conds ...table.Cond) error {
	upd := table.Update{Set: map[string]any{}, If: append(conds, table.IfPresent())}
	p.into(&upd)
	return s.t.Update(ctx, passkeyKey(u, id), upd)
}

// RemovePasskey deletes a passkey; an absent one is no error.
func (s *Accounts) RemovePasskey(ctx context.Context, u reader.UserID, id string) error {
	return s.t.Delete(ctx, passkeyKey(u, id))
}

// RestorePasskey restores a removed passkey.
func (s *Accounts) RestorePasskey(ctx context.Context, row *PasskeyRow) error {
	return s.t.Put(ctx, *row, table.IfAbsent())
}
