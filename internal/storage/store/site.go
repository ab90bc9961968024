package store

import (
	"context"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// SiteRow has the owner's settings of the installation; absent until one was changed.
type SiteRow struct {
	rowKey

	SignUp string `dynamo:"signUp,omitempty"` // closed, invitation, open; "" = the default
	// CountsBookmarks: the provider of bookmarks is asked for counts.
	CountsBookmarks bool `dynamo:"counts,omitempty"`
	// IsPublic switches the public pages on: they show feeds in a user's folders, from the threshold of counts on.
	IsPublic        bool              `dynamo:"public,omitempty"`
	PublicUser      string            `dynamo:"publicUser,omitempty"`
	PublicFolders   []reader.FolderID `dynamo:"publicFolders,omitempty"`
	PublicThreshold int32             `dynamo:"publicThreshold,omitempty"`
	// YahooID is the owner's client ID for key phrases of Yahoo! JAPAN. YahooAt is when they were last asked for, in
	// Unix seconds, and YahooWhy why that ended early.
	YahooID  string `dynamo:"yahoo,omitempty"`
	YahooAt  int64  `dynamo:"yahooAt,omitempty"`
	YahooWhy string `dynamo:"yahooWhy,omitempty"`
	// BackupAt is when the last backup of a shelf was made; BackupFailed since when they fail, and BackupWhy why, in
	// Unix seconds and a code; absent while they succeed.
	BackupAt     int64  `dynamo:"backupAt,omitempty"`
	BackupFailed int64  `dynamo:"backupFailed,omitempty"`
	BackupWhy    string `dynamo:"backupWhy,omitempty"`
}

const siteName = "settings"

// Site reads the owner's settings.
func (s *Accounts) Site(ctx context.Context) (*SiteRow, error) {
	row, err := getOrZero[SiteRow](ctx, s.t, systemKey(siteName))
	return &row, err
}

// SetSignUp changes who may sign up.
func (s *Accounts) SetSignUp(ctx context.Context, policy string) error {
	return s.setSite(ctx, "signUp", policy)
}

// SetCounts switches bookmark counts on or off.
func (s *Accounts) SetCounts(ctx context.Context, isOn bool) error {
	return s.setSite(ctx, "counts", isOn)
}

// SetPublic switches the public pages on or off, and changes what they show.
func (s *Accounts) SetPublic(ctx context.Context, isOn bool, u reader.UserID, folders []reader.FolderID,
	threshold int) error {
	return s.setColumns(ctx, map[string]any{"public": isOn, "publicUser": string(u), "publicFolders": folders,
		"publicThreshold": threshold})
}

// SetYahoo changes the client ID; what is known of earlier requests goes.
func (s *Accounts) SetYahoo(ctx context.Context, clientID string) error {
	return s.t.Update(ctx, systemKey(siteName), table.Update{
		Set: map[string]any{"yahoo": clientID, "v": SchemaVersion}, Remove: []string{"yahooAt", "yahooWhy"},
	})
}

// BeginYahoo notes that key phrases are asked for from now on. Conflict: they were after a time.
func (s *Accounts) BeginYahoo(ctx context.Context, now, after time.Time) error {
	return s.t.Update(ctx, systemKey(siteName), table.Update{
		Set: map[string]any{"yahooAt": now.Unix()}, Remove: []string{"yahooWhy"},
		If: []table.Cond{table.IfPresent(), table.IfLess("yahooAt", after.Unix())},
	})
}

// SetYahooWhy notes why asking ended early.
func (s *Accounts) SetYahooWhy(ctx context.Context, code string) error {
	return s.setSite(ctx, "yahooWhy", code)
}

// SetBackup notes that a backup was made.
func (s *Accounts) SetBackup(ctx context.Context, now time.Time) error {
	return s.t.Update(ctx, systemKey(siteName), table.Update{
		Set: map[string]any{"backupAt": now.Unix(), "v": SchemaVersion}, Remove: []string{"backupFailed", "backupWhy"},
	})
}

// SetBackupFailed notes why a backup failed, and reports whether it is the first since one was made.
func (s *Accounts) SetBackupFailed(ctx context.Context, now time.Time, code string) (isFirst bool, err error) {
	row, err := s.Site(ctx)
	if err != nil {
		return false, err
	}
	columns := map[string]any{"backupWhy": code}
	if isFirst = row.BackupFailed == 0; isFirst {
		columns["backupFailed"] = now.Unix()
	}
	return isFirst, s.setColumns(ctx, columns)
}

func (s *Accounts) setSite(ctx context.Context, column string, value any) error {
	return s.setColumns(ctx, map[string]any{column: value})
}

func (s *Accounts) setColumns(ctx context.Context, columns map[string]any) error {
	columns["v"] = SchemaVersion
	return s.t.Update(ctx, systemKey(siteName), table.Update{Set: columns})
}

// InvitationRow is a one-time link to sign up with, stored by its hash until it is used, withdrawn or expired.
type InvitationRow struct {
	rowKey

	Note    string `dynamo:"note,omitempty"` // for whom, as the owner wrote
	User    string `dynamo:"user"`           // its author
	Created int64  `dynamo:"created"`
	TTL     int64  `dynamo:"ttl"`
}

const invitePrefix = "invite#"

func inviteKey(hash string) table.Key { return systemKey(invitePrefix + hash) }

// ID returns the invitation's name in URLs: the beginning of the hash, which does not authorize anything.
func (r *InvitationRow) ID() string {
	hash := strings.TrimPrefix(r.SK, invitePrefix)
	return hash[:min(len(hash), 16)]
}

// PutInvitation stores an invitation by the hash of its secret.
func (s *Accounts) PutInvitation(ctx context.Context, secret, note string, by reader.UserID,
	valid time.Duration) (*InvitationRow, error) {
	now := s.clock.Now()
	row := InvitationRow{Note: note, User: string(by), Created: now.Unix(), TTL: now.Add(valid).Unix()}
	return &row, put(ctx, s.t, inviteKey(HashToken(secret)), &row)
}

// Invitation reads an invitation by its secret: NotFound "invitation_not_valid".
func (s *Accounts) Invitation(ctx context.Context, secret string) (*InvitationRow, error) {
	return get[InvitationRow](ctx, s.t, inviteKey(HashToken(secret)), "invitation_not_valid", table.Consistent())
}

// SpendInvitation uses an invitation up. Of two concurrent calls one succeeds, the other is NotFound.
func (s *Accounts) SpendInvitation(ctx context.Context, row *InvitationRow) error {
	err := s.t.Delete(ctx, row.key(), table.IfPresent())
	if fault.Is(err, fault.Conflict) {
		return fault.New(fault.NotFound, "invitation_not_valid", "store: invitation", err)
	}
	return err
}

// ReturnInvitation restores an invitation whose sign-up failed.
func (s *Accounts) ReturnInvitation(ctx context.Context, row *InvitationRow) error {
	return s.t.Put(ctx, *row)
}

// Invitations lists the valid invitations.
func (s *Accounts) Invitations(ctx context.Context) ([]*InvitationRow, error) {
	return list[InvitationRow](ctx, s.t, table.Query{PK: systemKey(siteName).PK, Prefix: invitePrefix,
		Consistent: true})
}
