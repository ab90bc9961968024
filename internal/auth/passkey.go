package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/ruri-reader/ruri/internal/auth/webauthn"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// ChallengeLife is the time that the authenticator has to answer.
	ChallengeLife = 5 * time.Minute
	maxPasskeys   = 20
	maxName       = 100

	registerPurpose = "passkey registration"
	signInPurpose   = "passkey sign-in"
	// passkeyActivity is the least time between two writes of the last use, for passkeys without a counter.
	passkeyActivity = time.Hour
)

// Challenge is the challenge for an authenticator to sign, and the ticket that authenticates it.
type Challenge struct {
	Bytes  []byte
	Ticket string
}

type challengeTicket struct {
	Challenge []byte        `json:"c"`
	User      reader.UserID `json:"u,omitempty"`
}

func (s *Service) challenge(ctx context.Context, purpose string, u reader.UserID) (Challenge, error) {
	b := make([]byte, 32)
	_, _ = rand.Read(b)
	t, err := s.seal(ctx, purpose, ChallengeLife, challengeTicket{b, u})
	return Challenge{b, t}, err
}

// BeginPasskey starts the registration of a passkey; have are the existing ones, to be excluded.
func (s *Service) BeginPasskey(ctx context.Context, u reader.UserID) (c Challenge,
	have []*store.PasskeyRow, err error) {
	if have, err = s.accounts.Passkeys(ctx, u); err != nil {
		return c, nil, err
	}
	if len(have) >= maxPasskeys {
		return c, nil, fault.Coded(fault.Conflict, "passkey_limit", maxPasskeys)
	}
	c, err = s.challenge(ctx, registerPurpose, u)
	return c, have, err
}

// AddPasskey completes a registration.
func (s *Service) AddPasskey(ctx context.Context, u reader.UserID, at webauthn.Party, ticket, name string,
	answer []byte) (*store.PasskeyRow, error) {
	name, err := passkeyName(name)
	if err != nil {
		return nil, err
	}
	var t challengeTicket
	if err := s.redeem(ctx, registerPurpose, ticket, &t); err != nil {
		return nil, err
	}
	if t.User != u {
		return nil, errTicket
	}
	c, err := at.Register(answer, t.Challenge)
	if err != nil {
		return nil, passkeyRefused(fault.Invalid, err)
	}
	row, err := s.accounts.AddPasskey(ctx, u, store.PasskeyRow{
		CredentialID: c.ID, PublicKey: c.PublicKey, Count: int64(c.SignCount), AAGUID: c.AAGUID[:],
		Transports: c.Transports,
		Eligible:   c.Eligible, BackedUp: c.BackedUp, Name: name,
	})
	return row, err
}

func passkeyName(name string) (string, error) {
	name, good := reader.Line(name, maxName)
	if !good {
		return "", fault.Coded(fault.Invalid, "bad_passkey_name", maxName).At("name")
	}
	return name, nil
}

// passkeyRefused hides the reason from the client; it is logged.
func passkeyRefused(kind fault.Kind, err error) error {
	var r *webauthn.Refusal
	if !errors.As(err, &r) {
		return err
	}
	e := fault.Coded(kind, "passkey_refused")
	e.Op, e.Cause = "auth: passkey", err
	return e
}

// BeginPasskeySignIn asks for any passkey: without a user name, nothing is revealed about who has an account.
func (s *Service) BeginPasskeySignIn(ctx context.Context) (Challenge, error) {
	return s.challenge(ctx, signInPurpose, "")
}

// SignInByPasskey returns the user who signed in. All failures give the same error.
func (s *Service) SignInByPasskey(ctx context.Context, at webauthn.Party, ticket string,
	answer []byte) (*store.Account, error) {
	var t challengeTicket
	if err := s.redeem(ctx, signInPurpose, ticket, &t); err != nil {
		return nil, err
	}
	claim, err := webauthn.ReadClaim(answer)
	if err != nil {
		return nil, passkeyRefused(fault.Unauthenticated, err)
	}
	u := reader.UserID(claim.UserHandle)
	var row *store.PasskeyRow
	if err = fault.New(fault.NotFound, "passkey_not_found", "auth: passkey", nil); isUserID(claim.UserHandle) {
		row, err = s.accounts.Passkey(ctx, u, store.PasskeyID(claim.CredentialID))
	}
	if fault.Is(err, fault.NotFound) {
		return nil,
			passkeyRefused(fault.Unauthenticated, &webauthn.Refusal{Section: "7.2.6", Why: "unknown credential"})
	}
	if err != nil {
		return nil, err
	}
	use, err := at.Assert(claim, credential(row), t.Challenge)
	if err != nil {
		return nil, passkeyRefused(fault.Unauthenticated, err)
	}
	if err := s.usePasskey(ctx, u, row, use); err != nil {
		return nil, err
	}
	a, err := s.accounts.Get(ctx, u)
	if fault.Is(err, fault.NotFound) {
		return nil, errUnauthenticated
	}
	return a, err
}

// isUserID reports whether this can be a user's id, as randomText makes them.
func isUserID(b []byte) bool {
	for _, c := range b {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(b) > 0
}

func credential(row *store.PasskeyRow) *webauthn.Credential {
	return &webauthn.Credential{
		ID: row.CredentialID, PublicKey: row.PublicKey, SignCount: uint32(row.Count), Eligible: row.Eligible,
		BackedUp: row.BackedUp,
	}
}

// usePasskey checks and stores the signature counter. A counter that went back may mean a copied key: it is refused and
// recorded. Counters are written each time, so that of two sign-ins with the same count only one succeeds; for passkeys
// without a counter the last use is written at most hourly.
func (s *Service) usePasskey(ctx context.Context, u reader.UserID, row *store.PasskeyRow, use webauthn.Use) error {
	if use.Regressed {
		if err := s.accounts.SuspectPasskey(ctx, u, row.ID()); err != nil && !fault.Is(err, fault.Conflict) {
			return err
		}
		return passkeyRefused(fault.Unauthenticated, &webauthn.Refusal{Section: "7.2.22", Why: "the counter went back"})
	}
	if int64(use.SignCount) == row.Count && s.clock.Now().Sub(time.Unix(row.Used, 0)) < passkeyActivity {
		return nil
	}
	err := s.accounts.UsePasskey(ctx, u, row, int64(use.SignCount), use.BackedUp)
	if fault.Is(err, fault.Conflict) {
		return passkeyRefused(fault.Unauthenticated,
			&webauthn.Refusal{Section: "7.2.22", Why: "a concurrent sign-in won"})
	}
	return err
}

// Passkeys lists a user's passkeys.
func (s *Service) Passkeys(ctx context.Context, u reader.UserID) ([]*store.PasskeyRow, error) {
	return s.accounts.Passkeys(ctx, u)
}

// RenamePasskey renames a passkey.
func (s *Service) RenamePasskey(ctx context.Context, u reader.UserID, id, name string) (*store.PasskeyRow, error) {
	name, err := passkeyName(name)
	if err != nil {
		return nil, err
	}
	if err := s.accounts.RenamePasskey(ctx, u, id, name); err != nil {
		return nil, err
	}
	return s.accounts.Passkey(ctx, u, id)
}
