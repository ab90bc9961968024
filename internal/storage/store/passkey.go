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

// PasskeyRow is a passkey of a user's.
type PasskeyRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

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
	// Suspect is when the counter went back, which a copy of the key may have done; 0 = never.
	Suspect int64 `dynamo:"suspect,omitempty"`
}

// ID is the passkey's name in addresses: a hash of the credential's id.
func (r *PasskeyRow) ID() string { return strings.TrimPrefix(r.SK, "W#") }

// PasskeyID names a passkey by its credential's id.
func PasskeyID(credential []byte) string {
	sum := sha256.Sum256(credential)
	return hex.EncodeToString(sum[:16])
}

// AddPasskey stores a new passkey: Conflict "passkey_exists" when the user has it.
func (s *Accounts) AddPasskey(ctx context.Context, u reader.UserID, row PasskeyRow) (*PasskeyRow, error) {
	k := passkeyKey(u, PasskeyID(row.CredentialID))
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	row.Created = s.clock.Now().Unix()
	err := s.t.Put(ctx, row, table.IfAbsent())
	if fault.Is(err, fault.Conflict) {
		return nil, fault.Newf(fault.Conflict, "passkey_exists", "You have this passkey already.")
	}
	return &row, err
}

// Passkey reads one: NotFound "passkey_not_found".
func (s *Accounts) Passkey(ctx context.Context, u reader.UserID, id string) (*PasskeyRow, error) {
	var row PasskeyRow
	if err := s.t.Get(ctx, passkeyKey(u, id), &row, table.Consistent()); err != nil {
		return nil, notFoundAs(err, "passkey_not_found")
	}
	return &row, nil
}

// Passkeys lists a user's.
func (s *Accounts) Passkeys(ctx context.Context, u reader.UserID) ([]*PasskeyRow, error) {
	var out []*PasskeyRow
	err := s.t.Each(ctx, table.Query{PK: userPK(u), Prefix: "W#", Consistent: true}, func(it table.Row) error {
		row := new(PasskeyRow)
		out = append(out, row)
		return it.Decode(row)
	})
	return out, err
}

// UsePasskey notes a sign-in, if the counter is still as it was read: of two answers with one count, one signs in.
func (s *Accounts) UsePasskey(ctx context.Context, u reader.UserID, row *PasskeyRow, count int64, backedUp bool) error {
	return s.changePasskey(ctx, u, row.ID(), Patch{"count": count, "backedUp": backedUp, "used": s.clock.Now().Unix()},
		table.IfEqual("count", row.Count))
}

// SuspectPasskey notes that a counter went back.
func (s *Accounts) SuspectPasskey(ctx context.Context, u reader.UserID, id string) error {
	return s.changePasskey(ctx, u, id, Patch{"suspect": s.clock.Now().Unix()})
}

// RenamePasskey gives a passkey another name.
func (s *Accounts) RenamePasskey(ctx context.Context, u reader.UserID, id, name string) error {
	err := s.changePasskey(ctx, u, id, Patch{"name": name})
	if fault.Is(err, fault.Conflict) {
		return fault.New(fault.NotFound, "passkey_not_found", "store: passkey", err)
	}
	return err
}

func (s *Accounts) changePasskey(ctx context.Context, u reader.UserID, id string, p Patch, conds ...table.Cond) error {
	upd := table.Update{Set: map[string]any{}, If: append(conds, table.IfPresent())}
	p.into(&upd)
	return s.t.Update(ctx, passkeyKey(u, id), upd)
}

// RemovePasskey deletes a passkey; absent is success.
func (s *Accounts) RemovePasskey(ctx context.Context, u reader.UserID, id string) error {
	return s.t.Delete(ctx, passkeyKey(u, id))
}

// RestorePasskey puts a removed passkey back as it was.
func (s *Accounts) RestorePasskey(ctx context.Context, row *PasskeyRow) error {
	return s.t.Put(ctx, *row, table.IfAbsent())
}
