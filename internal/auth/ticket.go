package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Tickets are what a browser keeps for us between the two halves of a sign-in, in a cookie: signed, for one purpose,
// short-lived. So the first half writes no row.

const (
	// TicketLife is how long the two halves may lie apart.
	TicketLife = 10 * time.Minute
	maxTicket  = 3 << 10
)

// ErrTicket tells that a ticket is missing, old, spent, or not ours.
var errTicket = fault.Newf(fault.Invalid, "sign_in_expired", "This sign-in took too long, or was begun in another window. Begin again.")

type ticket struct {
	Until int64           `json:"u"`
	Body  json.RawMessage `json:"b"`
}

// seal writes a ticket.
func (s *Service) seal(ctx context.Context, purpose string, life time.Duration, v any) (string, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(ticket{s.clock.Now().Add(life).Unix(), body})
	if err != nil {
		return "", err
	}
	payload := base64.RawURLEncoding.EncodeToString(text)
	mac, err := s.ticketMAC(ctx, purpose, payload)
	return payload + "." + mac, err
}

func (s *Service) ticketMAC(ctx context.Context, purpose, payload string) (string, error) {
	key, err := s.Key(ctx, "ticket "+purpose)
	if err != nil {
		return "", err
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(payload))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)), nil
}

// unseal reads a ticket; until is when it ends.
func (s *Service) unseal(ctx context.Context, purpose, value string, into any) (until time.Time, err error) {
	payload, mac, ok := strings.Cut(value, ".")
	if !ok || len(value) > maxTicket {
		return until, errTicket
	}
	want, err := s.ticketMAC(ctx, purpose, payload)
	if err != nil {
		return until, err
	}
	if !hmac.Equal([]byte(mac), []byte(want)) {
		return until, errTicket
	}
	var t ticket
	text, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil || json.Unmarshal(text, &t) != nil || json.Unmarshal(t.Body, into) != nil {
		return until, errTicket
	}
	if until = time.Unix(t.Until, 0); !s.clock.Now().Before(until) {
		return until, errTicket
	}
	return until, nil
}

// redeem is unseal for tickets that hold once: within this process, which a ticket that is caught and sent again
// mostly meets. Elsewhere the provider's code and the authenticator's counter are what hold once.
func (s *Service) redeem(ctx context.Context, purpose, value string, into any) error {
	until, err := s.unseal(ctx, purpose, value, into)
	if err == nil && !s.spent.first(value, until, s.clock.Now()) {
		err = errTicket
	}
	return err
}

const maxSpent = 4096

// spentTickets remembers what was redeemed, as long as it would hold.
type spentTickets struct {
	mu   sync.Mutex
	seen map[string]time.Time
}

// first reports whether a ticket is redeemed for the first time. When there are too many, those that end first go.
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
