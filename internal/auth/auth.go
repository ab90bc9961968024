// Package auth authenticates: the owner created at the first start, users with passwords, passkeys, identity providers
// or one-time links, and programs with bearer tokens. Sessions are signed tokens, each with a row; deleting the row
// ends the session. Each process reads the row at most once a minute. The package knows nothing about HTTP except the
// form of its tokens.
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
	// ownerEmail is the owner's address until they set one.
	ownerEmail = "owner@localhost"
	// nobody is an id that no user has.
	nobody reader.UserID = "-"
	// maxHashing limits the passwords that are hashed at once; others wait.
	maxHashing = 2
)

// Errors that several operations return.
var (
	errBadScope        = fault.Coded(fault.Invalid, "bad_scope").At("scopes")
	errLastCredential  = fault.Coded(fault.Conflict, "last_way_in")
	errSignUpClosed    = fault.Coded(fault.Forbidden, "sign_up_closed")
	errSignUpRefused   = fault.Coded(fault.Conflict, "sign_up_refused")
	errTooManyTokens   = fault.Coded(fault.Conflict, "token_limit", maxTokens)
	errUnauthenticated = fault.Coded(fault.Unauthenticated, "not_signed_in")
	errTokenRevoked    = fault.Coded(fault.Unauthenticated, "token_revoked")
	errTokenExpired    = fault.Coded(fault.Unauthenticated, "token_expired")
	errWrongLogin      = fault.Coded(fault.Unauthenticated, "wrong_login")
	errWrongScope      = fault.Coded(fault.Forbidden, "wrong_scope")
)

// Options of a service; all may be zero.
type Options struct {
	// SessionSecret returns the secret that the owner configured, "" for the one in the accounts' table. It is called
	// at first use and again after a failure.
	SessionSecret func(context.Context) (string, error)
	Policy        Policy
	Providers     []Provider
	TestTokens    bool // new tokens have TestTokenPrefix
}

// Service authenticates people and programs. It is safe for concurrent use.
type Service struct {
	Options
	accounts *store.Accounts
	clock    clock.Clock
	throttle *throttle
	// hashing is a semaphore: hashing a password takes 19 MiB.
	hashing chan struct{}

	// sessions and tokens cache rows that were read within the last minute.
	sessions, tokens *cache
	// fevers caches the hashes of the app passwords that Fever keys are of, as ids.
	fevers *cache

	spent *spentTickets

	mu     sync.Mutex
	secret []byte
	// signUp caches who may sign up.
	signUp      string
	signUpUntil time.Time
}

// New returns a service over the accounts.
func New(a *store.Accounts, c clock.Clock, o Options) *Service {
	o.Policy = o.Policy.withDefaults()
	return &Service{
		Options: o, accounts: a, clock: c, throttle: newThrottle(c), hashing: make(chan struct{}, maxHashing),
		sessions: newCache(), tokens: newCache(), fevers: newCache(),
		spent: &spentTickets{seen: map[string]time.Time{}},
	}
}

// EnsureOwner returns the installation's owner and creates them if there is none.
func (s *Service) EnsureOwner(ctx context.Context) (*store.Account, error) {
	a, err := s.accounts.Owner(ctx)
	if !fault.Is(err, fault.NotFound) {
		return a, err
	}
	if err := s.accounts.MayBegin(ctx); err != nil {
		return nil, err
	}
	u, err := s.AddUser(ctx, ownerEmail, "", true)
	if fault.Is(err, fault.Conflict) { // being created at this moment, or left incomplete by a crash
		if a, err = s.accounts.ByEmail(ctx, ownerEmail); err != nil {
			return nil, err
		}
		if u = a.ID(); !a.Owner { // another user has taken the address that an owner gave up
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

// AddUser creates a user. Without a password, one-time links are the only way to sign in.
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
		if encoded, err = s.hash(ctx, password); err != nil {
			return "", err
		}
	}
	u := reader.UserID(randomText(10))
	return u, s.accounts.Create(ctx, u, store.Account{Email: email, Owner: owner, Password: encoded})
}

// Login checks an e-mail address and password. A wrong address and a wrong password give the same error after the same
// time. Too many attempts give a TooManyError.
func (s *Service) Login(ctx context.Context, email, password, from string) (*store.Account, error) {
	email, err := NormaliseEmail(email)
	if err != nil {
		return nil, errWrongLogin
	}
	try, err := s.take(ctx, email, from)
	if err != nil {
		return nil, err
	}
	a, err := s.accounts.ByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) { // so that the answer takes as many reads as for an existing user
		_, err = s.accounts.Get(ctx, nobody, table.Consistent())
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	encoded := decoy
	if a != nil && a.Password != "" {
		encoded = a.Password
	}
	ok, err := s.verifyPassword(ctx, encoded, password)
	if err != nil {
		return nil, err
	}
	if !ok || a == nil || a.Password == "" {
		return nil, errWrongLogin
	}
	return a, s.succeeded(ctx, try)
}

// verifyPassword is CheckPassword, limited by the hashing semaphore.
func (s *Service) verifyPassword(ctx context.Context, encoded, password string) (bool, error) {
	if err := s.waitToHash(ctx); err != nil {
		return false, err
	}
	defer func() { <-s.hashing }()
	return CheckPassword(encoded, password), nil
}

// hash is HashPassword, limited by the hashing semaphore.
func (s *Service) hash(ctx context.Context, password string) (string, error) {
	if err := s.waitToHash(ctx); err != nil {
		return "", err
	}
	defer func() { <-s.hashing }()
	return HashPassword(password)
}

func (s *Service) waitToHash(ctx context.Context) error {
	select {
	case s.hashing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Account returns the user of a session. The session of a deleted account is unauthenticated.
func (s *Service) Account(ctx context.Context, u reader.UserID) (*store.Account, error) {
	a, err := s.accounts.Get(ctx, u)
	if fault.Is(err, fault.NotFound) {
		return nil, errUnauthenticated
	}
	return a, err
}

// ByEmail returns the user with an e-mail address.
func (s *Service) ByEmail(ctx context.Context, email string) (*store.Account, error) {
	email, err := NormaliseEmail(email)
	if err != nil {
		return nil, err
	}
	return s.accounts.ByEmail(ctx, email)
}

// NormaliseEmail checks the form of an e-mail address and lower-cases it.
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
		return "", fault.Coded(fault.Invalid, "bad_email").At("email")
	}
	return s, nil
}

// randomText returns n random bytes as URL-safe base64.
func randomText(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(b)
}
