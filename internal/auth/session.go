package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	// SessionIdle is how long a session lasts without use, unless set otherwise (C-16).
	SessionIdle = 30 * 24 * time.Hour
	// SessionLife is how long it lasts at most, unless set otherwise.
	SessionLife = 365 * 24 * time.Hour
	// tokenIssuer and tokenAudience distinguish session tokens from anything else that is signed with the same secret.
	tokenIssuer   = "ruri-reader"
	tokenAudience = "ruri-session"
	// ttlSlack keeps a row longer than its tokens: activity is written at most hourly, and tokens are renewed in
	// between.
	ttlSlack = 2 * time.Hour
	// maxToken bounds what is parsed; our tokens have some 330 characters.
	maxToken = 1024
)

// Policy has the lifetimes of sessions, and what is stored about them.
type Policy struct {
	Idle, Life time.Duration // 0: the default
	// Addresses stores the network from which a session was started, shortened (C-17).
	Addresses bool
}

func (p Policy) withDefaults() Policy {
	if p.Idle <= 0 {
		p.Idle = SessionIdle
	}
	if p.Life <= 0 {
		p.Life = SessionLife
	}
	p.Idle = min(p.Idle, p.Life)
	return p
}

// renewal is the age from which a session's token is replaced: often enough for a sliding expiry, rarely enough that
// few responses set a cookie.
func (p Policy) renewal() time.Duration { return min(24*time.Hour, p.Idle/24) }

// Start describes a sign-in.
type Start struct {
	Method  string // password, link, passkey, google, oidc, …
	Agent   string // the User-Agent header
	Address string // of the client
	// Password is the hash that was checked, if any: if the password was changed meanwhile, the session is refused.
	Password string
}

// Session is the content of a session token.
type Session struct {
	ID      string
	User    reader.UserID
	SignIn  time.Time // the time when the person proved their identity
	Issued  time.Time
	Expires time.Time
	// Before is the last activity before the present visit, of this device; zero in its first visit.
	Before time.Time
	Method string // how the person signed in, as given to Start
}

// claims of a session token (RFC 7519), with auth_time of OpenID Connect.
type claims struct {
	jwt.RegisteredClaims
	AuthTime *jwt.NumericDate `json:"auth_time"`
}

// NewSession starts a session without further details.
func (s *Service) NewSession(ctx context.Context, u reader.UserID) (string, time.Time, error) {
	return s.StartSession(ctx, u, Start{Method: "direct"})
}

// StartSession starts a session. Its row is written before the token is returned, so that every token's session can be
// ended.
func (s *Service) StartSession(ctx context.Context, u reader.UserID, how Start) (token string,
	expires time.Time, err error) {
	now := s.clock.Now().Truncate(time.Second)
	v := Session{ID: randomText(16), User: u, SignIn: now, Issued: now, Expires: s.expiry(now, now)}
	if token, err = s.sign(ctx, v); err != nil { // before the row, because it fails without a secret
		return "", time.Time{}, err
	}
	row := store.SessionRow{
		Device: Device(how.Agent), Method: how.Method, Created: now.Unix(), Active: now.Unix(),
		TTL: v.Expires.Add(ttlSlack).Unix(),
	}
	if s.Policy.Addresses {
		row.Address = network(how.Address)
	}
	if err := s.accounts.PutSession(ctx, u, v.ID, row); err != nil {
		return "", time.Time{}, err
	}
	if how.Password != "" {
		if err := s.recheckPassword(ctx, u, v.ID, how.Password); err != nil {
			return "", time.Time{}, err
		}
	}
	s.sessions.put(v.ID, cached{user: u, alive: true, active: row.Active, method: row.Method}, now)
	return token, v.Expires, nil
}

// recheckPassword reads the account after the session's row was written. A password change writes the password and then
// ends all sessions, so one of the two always sees what the other wrote.
func (s *Service) recheckPassword(ctx context.Context, u reader.UserID, id, password string) error {
	a, err := s.accounts.Get(ctx, u, table.Consistent())
	if err == nil && a.Password == password {
		return nil
	}
	if err == nil || fault.Is(err, fault.NotFound) {
		err = errWrongLogin
	}
	return errors.Join(err, s.accounts.EndSession(ctx, u, id))
}

func (s *Service) expiry(signIn, now time.Time) time.Time {
	end := now.Add(s.Policy.Idle)
	if last := signIn.Add(s.Policy.Life); last.Before(end) {
		return last
	}
	return end
}

// Session verifies a token's signature and that the session's row exists, which each process reads at most once in
// cacheLife.
func (s *Service) Session(ctx context.Context, token string) (Session, error) {
	v, err := s.parse(ctx, token)
	if err != nil {
		return Session{}, err
	}
	return v, s.alive(ctx, &v)
}

// parse verifies a token without reading the table.
func (s *Service) parse(ctx context.Context, token string) (Session, error) {
	if token == "" || len(token) > maxToken {
		return Session{}, errUnauthenticated
	}
	secret, err := s.sessionSecret(ctx)
	if err != nil {
		return Session{}, err
	}
	now := s.clock.Now()
	var c claims
	_, err = jwt.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return secret, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithIssuer(tokenIssuer),
		jwt.WithAudience(tokenAudience),
		jwt.WithExpirationRequired(), jwt.WithStrictDecoding(), jwt.WithTimeFunc(func() time.Time { return now }))
	if err != nil || c.Subject == "" || c.ID == "" || c.IssuedAt == nil || c.AuthTime == nil {
		return Session{}, errUnauthenticated
	}
	v := Session{
		ID: c.ID, User: reader.UserID(c.Subject), SignIn: c.AuthTime.Time, Issued: c.IssuedAt.Time,
		Expires: c.ExpiresAt.Time,
	}
	// By today's policy, not the one when the token was signed: shortening it applies to existing sessions.
	if !now.Before(s.expiry(v.SignIn, v.Issued)) {
		return Session{}, errUnauthenticated
	}
	return v, nil
}

// Renew returns a new token if the session's token is due for renewal, "" if it is not or would not last longer.
func (s *Service) Renew(ctx context.Context, v Session) (token string, expires time.Time, err error) {
	now := s.clock.Now().Truncate(time.Second)
	if now.Sub(v.Issued) <= s.Policy.renewal() || !s.expiry(v.SignIn, now).After(v.Expires) {
		return "", v.Expires, nil
	}
	v.Issued, v.Expires = now, s.expiry(v.SignIn, now)
	token, err = s.sign(ctx, v)
	return token, v.Expires, err
}

func (s *Service) sign(ctx context.Context, v Session) (string, error) {
	secret, err := s.sessionSecret(ctx)
	if err != nil {
		return "", err
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: tokenIssuer, Audience: jwt.ClaimStrings{tokenAudience}, Subject: string(v.User), ID: v.ID,
			IssuedAt: jwt.NewNumericDate(v.Issued), ExpiresAt: jwt.NewNumericDate(v.Expires),
		},
		AuthTime: jwt.NewNumericDate(v.SignIn),
	}).SignedString(secret)
}

// Key derives a key for a purpose from the installation's secret, so that a signature for one purpose is not valid for
// another.
func (s *Service) Key(ctx context.Context, purpose string) ([]byte, error) {
	secret, err := s.sessionSecret(ctx)
	if err != nil {
		return nil, err
	}
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("ruri key for " + purpose))
	return h.Sum(nil), nil
}

// network shortens an address so that it does not identify a person: /24 of IPv4, /48 of IPv6.
func network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	a = a.Unmap().WithZone("")
	bits := 48
	if a.Is4() {
		bits = 24
	}
	p, _ := a.Prefix(bits)
	return p.String()
}

// minSecret is the least length of a configured secret: 24 random bytes in base64.
const minSecret = 32

// sessionSecret returns the cached secret; it is looked up at first use and after a failure.
func (s *Service) sessionSecret(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	secret := s.secret
	s.mu.Unlock()
	if secret != nil {
		return secret, nil
	}
	secret, err := s.findSecret(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.secret = secret
	s.mu.Unlock()
	return secret, nil
}

// findSecret returns the configured secret, or else the installation's own, which is created at first use.
func (s *Service) findSecret(ctx context.Context) ([]byte, error) {
	if s.SessionSecret != nil {
		text, err := s.SessionSecret(ctx)
		if err != nil {
			return nil, err
		}
		if text != "" && len(text) < minSecret {
			return nil, fault.New(fault.Internal, "session_secret_too_short", "auth: session secret",
				fmt.Errorf("the secret has %d characters; use %d or more", len(text), minSecret))
		}
		if text != "" {
			return []byte(text), nil
		}
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh)
	return s.accounts.Secret(ctx, fresh)
}
