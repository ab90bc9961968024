// Package auth tells who is asking: the owner made at the first start, users with a password, one-time
// links, programs with bearer tokens. Sessions are signed tokens, each with a row that ends it when it goes: the row is
// read at most once a minute by each process.
// It knows nothing of HTTP but the shape of its tokens.
package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"strings"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	// ownerEmail names the owner until one is given.
	ownerEmail = "owner@localhost"
	// nobody has an id of this length.
	nobody reader.UserID = "-"
	// maxHashing is of passwords at once; more wait for their turn.
	maxHashing = 2
)

// Service answers who somebody is. It is safe for concurrent use.
type Service struct {
	accounts *store.Accounts
	clock    clock.Clock
	throttle *throttle
	// hashing bounds how many passwords are hashed at once: each takes 19 MiB.
	hashing chan struct{}

	// given is where the sessions' secret comes from when not from the accounts.
	given  func(context.Context) (string, error)
	policy Policy
	prefix string // of new tokens
	// sessions and tokens are those whose rows were read within the last minute.
	sessions, tokens *memory

	providers []Provider
	spent     *spentTickets

	mu     sync.Mutex
	secret []byte
	// signUp is who may sign up, believed until then.
	signUp      string
	signUpUntil time.Time
}

// New binds the service to the accounts.
func New(a *store.Accounts, c clock.Clock) *Service {
	return &Service{
		accounts: a, clock: c, throttle: newThrottle(c), hashing: make(chan struct{}, maxHashing),
		policy: Policy{}.filled(), prefix: TokenPrefix, sessions: newMemory(), tokens: newMemory(),
		spent: &spentTickets{seen: map[string]time.Time{}},
	}
}

// WithSessionSecret takes the sessions' secret from elsewhere than the accounts' table. It is asked for when the
// first session is made or checked, and again after a failure; an empty one means the table's after all.
func (s *Service) WithSessionSecret(given func(context.Context) (string, error)) *Service {
	s.given = given
	return s
}

// EnsureOwner gives the installation's owner, made if there is none.
func (s *Service) EnsureOwner(ctx context.Context) (*store.Account, error) {
	a, err := s.accounts.Owner(ctx)
	if !fault.Is(err, fault.NotFound) {
		return a, err
	}
	if err := s.accounts.MayBegin(ctx); err != nil {
		return nil, err
	}
	u, err := s.AddUser(ctx, ownerEmail, "", true)
	if fault.Is(err, fault.Conflict) { // somebody is making it at this moment, or a crash left it half made
		if a, err = s.accounts.ByEmail(ctx, ownerEmail); err != nil {
			return nil, err
		}
		if u = a.ID(); !a.Owner { // of somebody who took the address when an owner had left it
			if u, err = s.AddUser(ctx, "owner-"+randomText(6)+"@localhost", "", true); err != nil {
				return nil, err
			}
		}
	} else if err != nil {
		return nil, err
	}
	if err := s.accounts.ClaimOwner(ctx, u); err != nil && !fault.Is(err, fault.Conflict) {
		return nil, err
	}
	return s.accounts.Owner(ctx)
}

// AddUser makes a user; an empty password leaves one-time links as the only way in.
func (s *Service) AddUser(ctx context.Context, email, password string, owner bool) (reader.UserID, error) {
	email, err := NormaliseEmail(email)
	if err != nil {
		return "", err
	}
	encoded := ""
	if password != "" {
		if wrong := checkPassword(password, email); wrong != nil {
			return "", wrong
		}
		if encoded, err = HashPassword(password); err != nil {
			return "", err
		}
	}
	u := reader.UserID(randomText(10))
	return u, s.accounts.Create(ctx, u, store.Account{Email: email, Owner: owner, Password: encoded})
}

// Login checks an e-mail address and password. Wrong address and wrong password are one answer, in the
// same time; too many tries for an address are refused for a while.
func (s *Service) Login(ctx context.Context, email, password, from string) (*store.Account, error) {
	email, err := NormaliseEmail(email)
	if err != nil {
		return nil, wrongLogin()
	}
	try, err := s.take(ctx, email, from)
	if err != nil {
		return nil, err
	}
	a, err := s.accounts.ByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) { // a look for nobody, so that the answer takes as many reads too
		_, err = s.accounts.Get(ctx, nobody, table.Consistent())
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	encoded := decoy
	if a != nil && a.Password != "" {
		encoded = a.Password
	}
	ok, err := s.check(ctx, encoded, password)
	if err != nil {
		return nil, err
	}
	if !ok || a == nil || a.Password == "" {
		return nil, wrongLogin()
	}
	return a, s.succeeded(ctx, try)
}

// check is CheckPassword when a place is free for it.
func (s *Service) check(ctx context.Context, encoded, password string) (bool, error) {
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
		return CheckPassword(encoded, password), nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func wrongLogin() error {
	return fault.Newf(fault.Unauthenticated, "wrong_login", "The e-mail address or the password is not right.")
}

// Account reads the user of a session. Sessions outlive an account that was removed: then nobody is
// signed in.
func (s *Service) Account(ctx context.Context, u reader.UserID) (*store.Account, error) {
	a, err := s.accounts.Get(ctx, u)
	if fault.Is(err, fault.NotFound) {
		return nil, unauthenticated()
	}
	return a, err
}

// ByEmail finds a user.
func (s *Service) ByEmail(ctx context.Context, email string) (*store.Account, error) {
	email, err := NormaliseEmail(email)
	if err != nil {
		return nil, err
	}
	return s.accounts.ByEmail(ctx, email)
}

// NormaliseEmail checks an address by the little that can be known of it, and folds its case.
func NormaliseEmail(s string) (string, error) {
	email, wrong := normaliseEmail(s)
	if wrong != nil {
		return "", wrong
	}
	return email, nil
}

func normaliseEmail(s string) (string, *fault.Error) {
	s = strings.ToLower(strings.TrimSpace(s))
	local, host, ok := strings.Cut(s, "@")
	if !ok || local == "" || host == "" || len(s) > 254 || strings.ContainsAny(s, " \t\r\n#\x00") {
		return "", fault.Newf(fault.Invalid, "bad_email", "This is not an e-mail address.").At("email")
	}
	return s, nil
}

// randomText gives n random bytes as URL-safe text.
func randomText(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(b)
}
