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
	// SessionLife is how long it lasts however much it is used, unless set otherwise.
	SessionLife = 365 * 24 * time.Hour
	// tokenIssuer and tokenAudience tell our sessions from whatever else may be signed with the same secret.
	tokenIssuer   = "ruri-reader"
	tokenAudience = "ruri-session"
	// ttlSlack lets a row outlive the tokens that name it: activity is written at most hourly, tokens are renewed
	// in between.
	ttlSlack = 2 * time.Hour
	// maxToken bounds what is parsed at all: ours have some 330 characters.
	maxToken = 1024
)

// Policy says how long sessions last and what is kept of them.
type Policy struct {
	Idle, Life time.Duration // 0: the default
	// Addresses keeps the network that a session was begun from, shortened (C-17).
	Addresses bool
}

// WithPolicy changes the defaults.
func (s *Service) WithPolicy(p Policy) *Service {
	s.policy = p.filled()
	return s
}

func (p Policy) filled() Policy {
	if p.Idle <= 0 {
		p.Idle = SessionIdle
	}
	if p.Life <= 0 {
		p.Life = SessionLife
	}
	p.Idle = min(p.Idle, p.Life)
	return p
}

// renewal is the age from which a used session's token is handed out anew: so often that sliding is felt, so rarely
// that few answers carry a cookie.
func (p Policy) renewal() time.Duration { return min(24*time.Hour, p.Idle/24) }

// Start is what is known of a sign-in.
type Start struct {
	Method  string // password, link, passkey, google, oidc, …
	Agent   string // the User-Agent header
	Address string // of the client
	// Password is the hash that was checked, if one was: a session that is begun by a password that was changed
	// meanwhile ends at once.
	Password string
}

// Session is a signed-in device, as its token tells.
type Session struct {
	ID      string
	User    reader.UserID
	SignIn  time.Time // when the person proved who they are
	Issued  time.Time
	Expires time.Time
}

// claims of a session's token (RFC 7519), with the time of the sign-in by its name in OpenID Connect.
type claims struct {
	jwt.RegisteredClaims
	AuthTime *jwt.NumericDate `json:"auth_time"`
}

// NewSession begins a session of which nothing more is known.
func (s *Service) NewSession(ctx context.Context, u reader.UserID) (string, time.Time, error) {
	return s.StartSession(ctx, u, Start{Method: "direct"})
}

// StartSession begins a session: its row first, then the token that names it, so that no token is out whose session
// cannot be ended.
func (s *Service) StartSession(ctx context.Context, u reader.UserID, how Start) (token string, expires time.Time, err error) {
	now := s.clock.Now().Truncate(time.Second)
	v := Session{ID: randomText(16), User: u, SignIn: now, Issued: now, Expires: s.expiry(now, now)}
	if token, err = s.sign(ctx, v); err != nil { // before the row: without a secret there is nothing to begin
		return "", time.Time{}, err
	}
	row := store.SessionRow{
		Device: Device(how.Agent), Method: how.Method, Created: now.Unix(), Active: now.Unix(), TTL: v.Expires.Add(ttlSlack).Unix(),
	}
	if s.policy.Addresses {
		row.Address = network(how.Address)
	}
	if err := s.accounts.PutSession(ctx, u, v.ID, row); err != nil {
		return "", time.Time{}, err
	}
	if how.Password != "" {
		if err := s.stillHolds(ctx, u, v.ID, how.Password); err != nil {
			return "", time.Time{}, err
		}
	}
	s.sessions.put(v.ID, remembered{user: u, alive: true, active: row.Active}, now)
	return token, v.Expires, nil
}

// stillHolds looks at the account once the session's row is there. Who changes a password writes it and ends all
// sessions then: of the two one sees what the other has written.
func (s *Service) stillHolds(ctx context.Context, u reader.UserID, id, password string) error {
	a, err := s.accounts.Get(ctx, u, table.Consistent())
	if err == nil && a.Password == password {
		return nil
	}
	if err == nil || fault.Is(err, fault.NotFound) {
		err = wrongLogin()
	}
	return errors.Join(err, s.accounts.EndSession(ctx, u, id))
}

func (s *Service) expiry(signIn, now time.Time) time.Time {
	end := now.Add(s.policy.Idle)
	if last := signIn.Add(s.policy.Life); last.Before(end) {
		return last
	}
	return end
}

// Session tells whose session a token is: by its signature, and by the session's row, which is read at most once in
// sessionMemory by each process.
func (s *Service) Session(ctx context.Context, token string) (Session, error) {
	v, err := s.open(ctx, token)
	if err != nil {
		return Session{}, err
	}
	return v, s.alive(ctx, v)
}

// open checks a token alone: no table is asked.
func (s *Service) open(ctx context.Context, token string) (Session, error) {
	if token == "" || len(token) > maxToken {
		return Session{}, unauthenticated()
	}
	secret, err := s.theSecret(ctx)
	if err != nil {
		return Session{}, err
	}
	now := s.clock.Now()
	var c claims
	_, err = jwt.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return secret, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithIssuer(tokenIssuer), jwt.WithAudience(tokenAudience),
		jwt.WithExpirationRequired(), jwt.WithStrictDecoding(), jwt.WithTimeFunc(func() time.Time { return now }))
	if err != nil || c.Subject == "" || c.ID == "" || c.IssuedAt == nil || c.AuthTime == nil {
		return Session{}, unauthenticated()
	}
	v := Session{
		ID: c.ID, User: reader.UserID(c.Subject), SignIn: c.AuthTime.Time, Issued: c.IssuedAt.Time, Expires: c.ExpiresAt.Time,
	}
	// The limits that hold now, not those of the day when it was signed: an owner who shortens them means all.
	if !now.Before(s.expiry(v.SignIn, v.Issued)) {
		return Session{}, unauthenticated()
	}
	return v, nil
}

// Renew gives a session a new token when its old one is old enough; "" when it is not, or can grow no older.
func (s *Service) Renew(ctx context.Context, v Session) (token string, expires time.Time, err error) {
	now := s.clock.Now().Truncate(time.Second)
	if now.Sub(v.Issued) <= s.policy.renewal() || !s.expiry(v.SignIn, now).After(v.Expires) {
		return "", v.Expires, nil
	}
	v.Issued, v.Expires = now, s.expiry(v.SignIn, now)
	token, err = s.sign(ctx, v)
	return token, v.Expires, err
}

func (s *Service) sign(ctx context.Context, v Session) (string, error) {
	secret, err := s.theSecret(ctx)
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

// Key derives a key for another purpose from the installation's secret, so that what is signed for one is worth
// nothing for the other.
func (s *Service) Key(ctx context.Context, purpose string) ([]byte, error) {
	secret, err := s.theSecret(ctx)
	if err != nil {
		return nil, err
	}
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("ruri key for " + purpose))
	return h.Sum(nil), nil
}

// network shortens an address to what names no person: /24 of IPv4, /48 of IPv6.
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

// minSecret is the least length of a secret that a person chose: 24 random bytes in base64.
const minSecret = 32

// theSecret gives the secret, looked up at first use and after a failure.
func (s *Service) theSecret(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	secret := s.secret
	s.mu.Unlock()
	if secret != nil {
		return secret, nil
	}
	secret, err := s.sessionSecret(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.secret = secret
	s.mu.Unlock()
	return secret, nil
}

// sessionSecret gives the owner's secret when there is one, else the installation's own, made at first use.
func (s *Service) sessionSecret(ctx context.Context) ([]byte, error) {
	if s.given != nil {
		text, err := s.given(ctx)
		if err != nil {
			return nil, err
		}
		if text != "" && len(text) < minSecret {
			return nil, fault.New(fault.Internal, "session_secret_too_short", "auth: session secret",
				fmt.Errorf("the secret has %d characters, and sessions are only as safe as it: use %d or more", len(text), minSecret))
		}
		if text != "" {
			return []byte(text), nil
		}
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh)
	return s.accounts.Secret(ctx, fresh)
}
