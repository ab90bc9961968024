package auth

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ruri-reader/ruri/internal/fault"
)

// A ticket carries state between the two halves of a sign-in. The browser keeps it in a cookie, signed, for one purpose
// and for minutes, so that the first half writes no row.

const (
	// TicketLife is the time limit between the two halves.
	TicketLife = 10 * time.Minute
	maxTicket  = 3 << 10
)

// errTicket: a ticket is missing, expired, used, or not ours.
var errTicket = fault.Coded(fault.Invalid, "sign_in_expired")

type ticketClaims struct {
	jwt.RegisteredClaims
	Body json.RawMessage `json:"b"`
}

// seal creates a ticket.
func (s *Service) seal(ctx context.Context, purpose string, life time.Duration, v any) (string, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	key, err := s.Key(ctx, "ticket "+purpose)
	if err != nil {
		return "", err
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, ticketClaims{
		jwt.RegisteredClaims{ExpiresAt: jwt.NewNumericDate(s.clock.Now().Add(life))}, body,
	}).SignedString(key)
}

// redeem verifies and decodes a single-use ticket. Repeated use is detected within this process; across processes, the
// provider's code and the authenticator's challenge can be used only once.
func (s *Service) redeem(ctx context.Context, purpose, value string, into any) error {
	if value == "" || len(value) > maxTicket {
		return errTicket
	}
	key, err := s.Key(ctx, "ticket "+purpose)
	if err != nil {
		return err
	}
	var c ticketClaims
	_, err = jwt.ParseWithClaims(value, &c, func(*jwt.Token) (any, error) { return key, nil }, jwt.WithStrictDecoding(),
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(s.clock.Now))
	if err != nil || json.Unmarshal(c.Body, into) != nil || !s.spent.first(value, c.ExpiresAt.Time, s.clock.Now()) {
		return errTicket
	}
	return nil
}

const maxSpent = 4096

// spentTickets remembers redeemed tickets until they expire.
type spentTickets struct {
	mu   sync.Mutex
	seen map[string]time.Time
}

// first reports whether a ticket is redeemed for the first time. If there are too many, those that expire first are
// dropped.
func (t *spentTickets) first(value string, until, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, again := t.seen[value]; again {
		return false
	}
	if len(t.seen) >= maxSpent {
		oldest, when := "", time.Time{}
		for k, v := range t.seen {
			if v.Before(now) {
				delete(t.seen, k)
			} else if oldest == "" || v.Before(when) {
				oldest, when = k, v
			}
		}
		if len(t.seen) >= maxSpent {
			delete(t.seen, oldest)
		}
	}
	t.seen[value] = until
	return true
}
