package store

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// ChangeEmail gives an account another address: Conflict "email_taken" when somebody has it. The account names both
// while the change is under way, so that no claim is ever lost: the new one is noted, claimed, takes the old one's
// place; then the old one is let go of. Asked again after a crash, for the same address or another, it goes on.
func (s *Accounts) ChangeEmail(ctx context.Context, u reader.UserID, email string) error {
	a, err := s.Get(ctx, u, table.Consistent())
	if err != nil {
		return err
	}
	if a.Other != "" && a.Other != email {
		if err := s.releaseEmail(ctx, u, a.Other); err != nil {
			return err
		}
	}
	if a.Email == email {
		return s.setOther(ctx, a, "")
	}
	if err := s.setOther(ctx, a, email); err != nil {
		return err
	}
	k := emailKey(email)
	err = s.t.Put(ctx, emailRow{PK: k.PK, SK: k.SK, User: string(u)}, table.IfAbsent())
	if fault.Is(err, fault.Conflict) {
		var row emailRow
		if err := s.t.Get(ctx, k, &row, table.Consistent()); err != nil || row.User != string(u) {
			a.Other = email
			if err := s.setOther(ctx, a, ""); err != nil {
				return err
			}
			return fault.Newf(fault.Conflict, "email_taken", "There is already a user with the address %s.", email).At("email")
		}
		err = nil // claimed by an earlier try
	}
	if err != nil {
		return err
	}
	err = s.t.Update(ctx, accountKey(u), table.Update{
		Set: map[string]any{"email": email, "other": a.Email},
		If:  []table.Cond{table.IfPresent(), table.IfEqual("email", a.Email), table.IfEqual("other", email)},
	})
	if err != nil {
		return s.contended(ctx, u, email, err)
	}
	old := a.Email
	if err := s.releaseEmail(ctx, u, old); err != nil {
		return err
	}
	a.Email, a.Other = email, old
	return s.setOther(ctx, a, "")
}

// setOther notes the address that may be claimed beside the account's own.
func (s *Accounts) setOther(ctx context.Context, a *Account, other string) error {
	if a.Other == other {
		return nil
	}
	up := table.Update{If: []table.Cond{table.IfPresent(), table.IfEqual("email", a.Email), table.IfEqual("other", a.Other)}}
	if other == "" {
		up.Remove = []string{"other"}
	} else {
		up.Set = map[string]any{"other": other}
	}
	err := s.t.Update(ctx, accountKey(a.ID()), up)
	if fault.Is(err, fault.Conflict) {
		return fault.New(fault.Unavailable, "settings_contended", "store: address", err)
	}
	return err
}

// contended lets a claim go that was made while the account was removed, or changed by another request.
func (s *Accounts) contended(ctx context.Context, u reader.UserID, email string, err error) error {
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	a, gone := s.Get(ctx, u, table.Consistent())
	if gone != nil && !fault.Is(gone, fault.NotFound) {
		return gone
	}
	if gone != nil || a.Email != email && a.Other != email {
		if err := s.releaseEmail(ctx, u, email); err != nil {
			return err
		}
	}
	if gone != nil {
		return gone
	}
	return fault.New(fault.Unavailable, "settings_contended", "store: address", err)
}

// releaseEmail makes an address free that is the user's.
func (s *Accounts) releaseEmail(ctx context.Context, u reader.UserID, email string) error {
	err := s.t.Delete(ctx, emailKey(email), table.IfEqual("user", string(u)))
	if fault.Is(err, fault.Conflict) { // nobody's, or somebody else's
		return nil
	}
	return err
}
