package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"crypto/rand"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	// SessionLife is how long a session lasts without use; it slides.
	SessionLife = 30 * 24 * time.Hour
	// sessionRenewal is the age from which a used session is handed out anew.
	sessionRenewal = 24 * time.Hour
	sessionVersion = "s1"
)

// NewSession signs a session: version.user.expiry.mac, where the mac is HMAC-SHA256 over the rest with
// the installation's secret.
func (s *Service) NewSession(ctx context.Context, u reader.UserID) (string, time.Time, error) {
	expires := s.clock.Now().Add(SessionLife)
	payload := sessionVersion + "." + string(u) + "." + strconv.FormatInt(expires.Unix(), 36)
	mac, err := s.mac(ctx, payload)
	return payload + "." + mac, expires, err
}

// Session tells whose session a signed value is.
func (s *Service) Session(ctx context.Context, value string) (reader.UserID, error) {
	u, _, err := s.session(ctx, value)
	return u, err
}

// Renewable reports whether a valid session is old enough to be handed out anew.
func (s *Service) Renewable(ctx context.Context, value string) bool {
	_, expires, err := s.session(ctx, value)
	return err == nil && expires.Sub(s.clock.Now()) < SessionLife-sessionRenewal
}

func (s *Service) session(ctx context.Context, value string) (reader.UserID, time.Time, error) {
	i := strings.LastIndexByte(value, '.')
	if i < 0 || len(value) > 512 {
		return "", time.Time{}, unauthenticated()
	}
	mac, err := s.mac(ctx, value[:i])
	if err != nil {
		return "", time.Time{}, err
	}
	parts := strings.Split(value[:i], ".")
	if !hmac.Equal([]byte(mac), []byte(value[i+1:])) || len(parts) != 3 || parts[0] != sessionVersion {
		return "", time.Time{}, unauthenticated()
	}
	unix, err := strconv.ParseInt(parts[2], 36, 64)
	expires := time.Unix(unix, 0)
	if err != nil || !s.clock.Now().Before(expires) {
		return "", time.Time{}, unauthenticated()
	}
	return reader.UserID(parts[1]), expires, nil
}

func (s *Service) mac(ctx context.Context, payload string) (string, error) {
	s.mu.Lock()
	secret := s.secret
	s.mu.Unlock()
	if secret == nil {
		var err error
		if secret, err = s.sessionSecret(ctx); err != nil {
			return "", err
		}
		s.mu.Lock()
		s.secret = secret
		s.mu.Unlock()
	}
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(payload))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)), nil
}

// minSecret is the least length of a secret that a person chose: 24 random bytes in base64.
const minSecret = 32

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
