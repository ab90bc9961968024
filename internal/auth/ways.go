package auth

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Freshly is how long after signing in a person may change how they sign in, or make what outlives the session,
// without proving again who they are.
const Freshly = 10 * time.Minute

// Fresh refuses a session that was begun too long ago: who finds a device open must not be able to keep the account,
// or a way to it. The session's row is read, whatever is remembered of it: one that was ended a moment ago, on another
// instance too, makes nothing that would outlive it.
func (s *Service) Fresh(ctx context.Context, v Session) error {
	if s.clock.Now().Sub(v.SignIn) > Freshly {
		return fault.Newf(fault.Forbidden, "sign_in_again", "For this you must have signed in within the last %d minutes.", int(Freshly.Minutes()))
	}
	_, err := s.accounts.Session(ctx, v.User, v.ID)
	if fault.Is(err, fault.NotFound) {
		return unauthenticated()
	}
	return err
}

// PasswordChange is a new password, and what is to be done with it.
type PasswordChange struct {
	Current, New string
	RevokeTokens bool // the tokens of programs end too
}

// SetPassword changes a password, or gives one to who has none, and ends all other sessions. It takes the current
// password or a fresh sign-in. Done again with the same words after a failure, it ends the sessions and tokens that
// were left.
func (s *Service) SetPassword(ctx context.Context, v Session, change PasswordChange, from string) error {
	a, err := s.Account(ctx, v.User)
	if err != nil {
		return err
	}
	if change.Current == "" {
		if err := s.Fresh(ctx, v); err != nil {
			return err
		}
	} else if err := s.current(ctx, a, change.Current, change.New, from); err != nil {
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

// SetEmail changes the address by which a person signs in with a password. It takes the current password or a fresh
// sign-in, and counts as a try to sign in at the new address: who is here is found out slowly.
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
		err = s.current(ctx, a, current, current, from)
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.take(ctx, email, from); err != nil {
		return nil, err
	}
	return s.ChangeEmail(ctx, v.User, email)
}

// ChangeEmail is SetEmail of whoever keeps the installation.
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

// current checks the current password, throttled as signing in is. One that is already the new one is right too: the
// change was made, and what came after it failed.
func (s *Service) current(ctx context.Context, a *store.Account, current, password, from string) error {
	try, err := s.take(ctx, a.Email, from)
	if err != nil {
		return err
	}
	for _, candidate := range []string{current, password} {
		encoded := a.Password
		if encoded == "" {
			encoded = decoy
		}
		ok, err := s.check(ctx, encoded, candidate)
		if err != nil {
			return err
		}
		if ok && a.Password != "" {
			return s.succeeded(ctx, try)
		}
	}
	return fault.Newf(fault.Forbidden, "wrong_password", "The current password is not right.").At("current")
}

// Identities lists a user's sign-ins at providers.
func (s *Service) Identities(ctx context.Context, u reader.UserID) ([]*store.IdentityRow, error) {
	return s.accounts.Identities(ctx, u)
}

// RemoveIdentity unlinks a sign-in, unless it is the last way in.
func (s *Service) RemoveIdentity(ctx context.Context, u reader.UserID, hash string) error {
	list, err := s.accounts.Identities(ctx, u)
	if err != nil {
		return err
	}
	for _, row := range list {
		if row.Hash() != hash {
			continue
		}
		return s.removing(ctx, u, hash,
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

// RemovePasskey deletes a passkey, unless it is the last way in.
func (s *Service) RemovePasskey(ctx context.Context, u reader.UserID, id string) error {
	row, err := s.accounts.Passkey(ctx, u, id)
	if err != nil {
		return err
	}
	return s.removing(ctx, u, id,
		func() error { return s.accounts.RemovePasskey(ctx, u, id) },
		func() error { return s.accounts.RestorePasskey(ctx, row) })
}

// removing takes a way in away while another is left: before, by looking; and after, because two may be taken
// away at once, each thinking of the other: then it is put back.
func (s *Service) removing(ctx context.Context, u reader.UserID, what string, remove, restore func() error) error {
	left, err := s.waysIn(ctx, u, what)
	if err != nil {
		return err
	}
	if !left {
		return lastWayIn()
	}
	if err := remove(); err != nil {
		return err
	}
	if left, err = s.waysIn(ctx, u, what); err != nil || left {
		return err
	}
	if err := restore(); err != nil && !fault.Is(err, fault.Conflict) {
		return err
	}
	return lastWayIn()
}

func lastWayIn() error {
	return fault.Newf(fault.Conflict, "last_way_in", "This is your last way to sign in.")
}

// waysIn tells whether a user has a way in besides one: a password, a passkey, an identity that leads to them at a
// provider that is still offered. The owner always has one: the one-time link that `ruri link` makes.
func (s *Service) waysIn(ctx context.Context, u reader.UserID, besides string) (bool, error) {
	a, err := s.accounts.Get(ctx, u, table.Consistent())
	if err != nil || a.Owner {
		return err == nil, err
	}
	return s.hasCredential(ctx, a, besides)
}

// hasCredential tells whether there is something besides one that a person can prove who they are with.
func (s *Service) hasCredential(ctx context.Context, a *store.Account, besides string) (bool, error) {
	if a.Password != "" {
		return true, nil
	}
	u := a.ID()
	passkeys, err := s.accounts.Passkeys(ctx, u)
	if err != nil {
		return false, err
	}
	for _, row := range passkeys {
		if row.ID() != besides {
			return true, nil
		}
	}
	identities, err := s.accounts.Identities(ctx, u)
	if err != nil {
		return false, err
	}
	for _, row := range identities {
		if row.Hash() == besides || !s.offered(row) {
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

func (s *Service) offered(row *store.IdentityRow) bool {
	for _, p := range s.providers {
		if p.Issuer == row.Issuer {
			return true
		}
	}
	return false
}
