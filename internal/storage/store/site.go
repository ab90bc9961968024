package store

import (
	"context"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// SiteRow is what the owner has set for the installation; absent before anything was.
type SiteRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	SignUp string `dynamo:"signUp,omitempty"` // closed, invitation, open; "" = the default
}

const siteName = "settings"

// Site reads the owner's settings.
func (s *Accounts) Site(ctx context.Context) (*SiteRow, error) {
	var row SiteRow
	err := s.t.Get(ctx, systemKey(siteName), &row)
	if fault.Is(err, fault.NotFound) {
		return &SiteRow{}, nil
	}
	return &row, err
}

// PutSite replaces them.
func (s *Accounts) PutSite(ctx context.Context, row SiteRow) error {
	k := systemKey(siteName)
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	return s.t.Put(ctx, row)
}

// InvitationRow is a one-time link to sign up by, kept by hash until it is spent, withdrawn or too old.
type InvitationRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	Note    string `dynamo:"note,omitempty"` // for whom, as the owner wrote it
	User    string `dynamo:"user"`           // who made it
	Created int64  `dynamo:"created"`
	TTL     int64  `dynamo:"ttl"`
}

const invitePrefix = "invite#"

func inviteKey(hash string) table.Key { return systemKey(invitePrefix + hash) }

// ID is the invitation's name in addresses: the beginning of the hash, which opens nothing.
func (r *InvitationRow) ID() string {
	hash := strings.TrimPrefix(r.SK, invitePrefix)
	return hash[:min(len(hash), 16)]
}

// PutInvitation stores an invitation by its secret.
func (s *Accounts) PutInvitation(ctx context.Context, secret, note string, by reader.UserID, valid time.Duration) (*InvitationRow, error) {
	k, now := inviteKey(HashToken(secret)), s.clock.Now()
	row := InvitationRow{PK: k.PK, SK: k.SK, V: SchemaVersion, Note: note, User: string(by), Created: now.Unix(), TTL: now.Add(valid).Unix()}
	return &row, s.t.Put(ctx, row)
}

// Invitation reads one by its secret: NotFound "invitation_not_valid".
func (s *Accounts) Invitation(ctx context.Context, secret string) (*InvitationRow, error) {
	var row InvitationRow
	if err := s.t.Get(ctx, inviteKey(HashToken(secret)), &row, table.Consistent()); err != nil {
		return nil, notFoundAs(err, "invitation_not_valid")
	}
	return &row, nil
}

// SpendInvitation uses one up: of two that race, one wins.
func (s *Accounts) SpendInvitation(ctx context.Context, row *InvitationRow) error {
	err := s.t.Delete(ctx, table.Key{PK: row.PK, SK: row.SK}, table.IfPresent())
	if fault.Is(err, fault.Conflict) {
		return fault.New(fault.NotFound, "invitation_not_valid", "store: invitation", err)
	}
	return err
}

// ReturnInvitation puts one back that was spent for nothing.
func (s *Accounts) ReturnInvitation(ctx context.Context, row *InvitationRow) error {
	return s.t.Put(ctx, *row)
}

// Invitations lists those that hold.
func (s *Accounts) Invitations(ctx context.Context) ([]*InvitationRow, error) {
	var out []*InvitationRow
	err := s.t.Each(ctx, table.Query{PK: systemKey(siteName).PK, Prefix: invitePrefix, Consistent: true}, func(it table.Row) error {
		row := new(InvitationRow)
		out = append(out, row)
		return it.Decode(row)
	})
	return out, err
}
