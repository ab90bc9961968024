package store

import (
	"context"
	"errors"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// ChangeEmail changes an account's address: Conflict "email_taken" if it is another user's. The account row names both
// addresses meanwhile: the new one is recorded, claimed and set, then the old one released. After a crash, a call for
// any address completes the change.
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
	err = s.claimEmail(ctx, u, email)
	if taken, ok := errors.AsType[*fault.Error](err); ok && taken.Kind == fault.Conflict {
		a.Other = email
		if err := s.setOther(ctx, a, ""); err != nil {
			return err
		}
		return taken.At("email")
	}
	if err != nil {
		return err
	}
	err = s.t.Update(ctx, accountKey(u), table.Update{
		Set: map[string]any{"email": email, "other": a.Email},
		If:  []table.Cond{table.IfPresent(), table.IfEqual("email", a.Email), table.IfEqual("other", email)},
	})
	if err != nil {
		return s.afterConflict(ctx, u, email, err)
	}
	old := a.Email
	if err := s.releaseEmail(ctx, u, old); err != nil {
		return err
	}
	a.Email, a.Other = email, old
	return s.setOther(ctx, a, "")
}

// setOther records the address that may be claimed in addition to the account's own.
func (s *Accounts) setOther(ctx context.Context, a *Account, other string) error {
	if a.Other == other {
		return nil
	}
	up := table.Update{If: []table.Cond{table.IfPresent(), table.IfEqual("email", a.Email),
		table.IfEqual("other", a.Other)}}
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

// afterConflict releases an address that was claimed while the account was removed or changed by another request.
func (s *Accounts) afterConflict(ctx context.Context, u reader.UserID, email string, err error) error {
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

// releaseEmail releases an address if it is the user's.
func (s *Accounts) releaseEmail(ctx context.Context, u reader.UserID, email string) error {
	return ignoreConflict(s.t.Delete(ctx, emailKey(email), table.IfEqual("user", string(u))))
}
