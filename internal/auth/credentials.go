package auth

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Freshly is the time after signing in within which a person may change credentials, or create tokens, without signing
// in again.
const Freshly = 10 * time.Minute

// Fresh refuses a session whose sign-in is too long ago, so that finding a device unlocked does not give lasting
// access. The session's row is read even if it is cached: a session that has just ended elsewhere must not create
// anything lasting.
func (s *Service) Fresh(ctx context.Context, v Session) error {
	if s.clock.Now().Sub(v.SignIn) > Freshly {
		return fault.Coded(fault.Forbidden, "sign_in_again")
	}
	_, err := s.accounts.Session(ctx, v.User, v.ID)
	if fault.Is(err, fault.NotFound) {
		return errUnauthenticated
	}
	return err
}

// PasswordChange is a new password, and the other changes that come with it.
type PasswordChange struct {
	Current, New string
	RevokeTokens bool // revoke API tokens too
}

// SetPassword sets a user's password and ends all other sessions. It needs the current password or a fresh sign-in. For
// the first credential of an account a session is enough, because there is nothing else to prove who the user is: a
// person who signed in with a one-time link would otherwise be locked out of all sensitive actions after ten minutes.
// After a failure it can be repeated with the same passwords and ends the remaining sessions and tokens.
func (s *Service) SetPassword(ctx context.Context, v Session, change PasswordChange, from string) error {
	a, err := s.Account(ctx, v.User)
	if err != nil {
		return err
	}
	if change.Current == "" {
		if err := s.freshOrFirst(ctx, v, a); err != nil {
			return err
		}
	} else if err := s.checkCurrent(ctx, a, change.Current, change.New, from); err != nil {
		return err
	}
	if wrong := checkPassword(change.New, a.Email); wrong != nil {
		return wrong
	}
	encoded, err := s.hash(ctx, change.New)
	if err != nil {
		return err
	}
	if err := s.accounts.SetPassword(ctx, v.User, encoded); err != nil {
		return err
	}
	if _, err = s.EndAll(ctx, v.User, v.ID); err != nil || !change.RevokeTokens {
		return err
	}
	_, err = s.EndTokens(ctx, v.User, "")
	return err
}

// freshOrFirst requires a fresh sign-in if the account has a credential, else only that the session still exists.
func (s *Service) freshOrFirst(ctx context.Context, v Session, a *store.Account) error {
	has, err := s.hasCredential(ctx, a, "")
	if err != nil {
		return err
	}
	if !has {
		v.SignIn = s.clock.Now()
	}
	return s.Fresh(ctx, v)
}

// SetEmail changes a user's e-mail address. It needs the current password or a fresh sign-in, and counts as an attempt
// to sign in with the new address, so that probing which addresses are in use is slow.
func (s *Service) SetEmail(ctx context.Context, v Session, current, email, from string) (*store.Account, error) {
	email, err := NormaliseEmail(email)
	if err != nil {
		return nil, err
	}
	a, err := s.Account(ctx, v.User)
	if err != nil {
		return nil, err
	}
	if current == "" {
		err = s.Fresh(ctx, v)
	} else {
		err = s.checkCurrent(ctx, a, current, current, from)
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.take(ctx, email, from); err != nil {
		return nil, err
	}
	return s.ChangeEmail(ctx, v.User, email)
}

// ChangeEmail is SetEmail for the operator, without checks of the person.
func (s *Service) ChangeEmail(ctx context.Context, u reader.UserID, email string) (*store.Account, error) {
	email, err := NormaliseEmail(email)
	if err != nil {
		return nil, err
	}
	if err := s.accounts.ChangeEmail(ctx, u, email); err != nil {
		return nil, err
	}
	return s.accounts.Get(ctx, u, table.Consistent())
}

// checkCurrent checks the current password, throttled like signing in. The new password is accepted as well: then the
// password was changed, and a later step failed.
func (s *Service) checkCurrent(ctx context.Context, a *store.Account, current, password, from string) error {
	try, err := s.take(ctx, a.Email, from)
	if err != nil {
		return err
	}
	for _, candidate := range []string{current, password} {
		encoded := a.Password
		if encoded == "" {
			encoded = decoy
		}
		ok, err := s.verifyPassword(ctx, encoded, candidate)
		if err != nil {
			return err
		}
		if ok && a.Password != "" {
			return s.succeeded(ctx, try)
		}
	}
	return fault.Coded(fault.Forbidden, "wrong_password").At("current")
}

// Identities lists the identities linked with a user.
func (s *Service) Identities(ctx context.Context, u reader.UserID) ([]*store.IdentityRow, error) {
	return s.accounts.Identities(ctx, u)
}

// RemoveIdentity unlinks an identity, unless it is the last credential.
func (s *Service) RemoveIdentity(ctx context.Context, u reader.UserID, hash string) error {
	list, err := s.accounts.Identities(ctx, u)
	if err != nil {
		return err
	}
	for _, row := range list {
		if row.Hash() != hash {
			continue
		}
		return s.removeCredential(ctx, u, hash,
			func() error { return s.accounts.RemoveIdentity(ctx, u, hash) },
			func() error {
				if err := s.accounts.PutIdentity(ctx, u, *row); err != nil {
					return err
				}
				return s.accounts.ClaimIdentity(ctx, hash, u, "")
			})
	}
	return fault.New(fault.NotFound, "identity_not_found", "auth: identity", nil)
}

// RemovePasskey deletes a passkey, unless it is the last credential.
func (s *Service) RemovePasskey(ctx context.Context, u reader.UserID, id string) error {
	row, err := s.accounts.Passkey(ctx, u, id)
	if err != nil {
		return err
	}
	return s.removeCredential(ctx, u, id,
		func() error { return s.accounts.RemovePasskey(ctx, u, id) },
		func() error { return s.accounts.RestorePasskey(ctx, row) })
}

// removeCredential removes a credential if another is left. It checks again afterwards, because two may be removed at
// once; then it is restored.
func (s *Service) removeCredential(ctx context.Context, u reader.UserID, what string, remove,
	restore func() error) error {
	left, err := s.hasOther(ctx, u, what)
	if err != nil {
		return err
	}
	if !left {
		return errLastCredential
	}
	if err := remove(); err != nil {
		return err
	}
	if left, err = s.hasOther(ctx, u, what); err != nil || left {
		return err
	}
	if err := restore(); err != nil && !fault.Is(err, fault.Conflict) {
		return err
	}
	return errLastCredential
}

// hasOther reports whether a user can sign in without a credential: by a password, a passkey, or an identity at a
// configured provider. The owner always can: by the one-time link of `ruri link`.
func (s *Service) hasOther(ctx context.Context, u reader.UserID, except string) (bool, error) {
	a, err := s.accounts.Get(ctx, u, table.Consistent())
	if err != nil || a.Owner {
		return err == nil, err
	}
	return s.hasCredential(ctx, a, except)
}

// hasCredential reports whether a user has a credential other than `except`.
func (s *Service) hasCredential(ctx context.Context, a *store.Account, except string) (bool, error) {
	if a.Password != "" {
		return true, nil
	}
	u := a.ID()
	passkeys, err := s.accounts.Passkeys(ctx, u)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(passkeys, func(row *store.PasskeyRow) bool { return row.ID() != except }) {
		return true, nil
	}
	identities, err := s.accounts.Identities(ctx, u)
	if err != nil {
		return false, err
	}
	for _, row := range identities {
		if row.Hash() == except || !s.isConfigured(row) {
			continue
		}
		to, err := s.accounts.UserOfIdentity(ctx, row.Hash())
		if err != nil && !fault.Is(err, fault.NotFound) {
			return false, err
		}
		if err == nil && to == u {
			return true, nil
		}
	}
	return false, nil
}

func (s *Service) isConfigured(row *store.IdentityRow) bool {
	return slices.ContainsFunc(s.Providers, func(p Provider) bool { return p.Issuer == row.Issuer })
}
