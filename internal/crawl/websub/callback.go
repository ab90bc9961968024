package websub

import (
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // one of the four that WebSub 7.1 names; as a MAC it still holds
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/hex"
	"hash"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// errUnknown is the response to a hub that calls an address it was not given.
var errUnknown = fault.Coded(fault.NotFound, "not_found")

// subscription returns the row of the subscription that a callback belongs to.
func (s *Service) subscription(ctx context.Context, f reader.FeedID, token string) (*store.HubRow, error) {
	row, err := s.store.Hubs.Get(ctx, f)
	if err != nil {
		return nil, err
	}
	if row == nil || subtle.ConstantTimeCompare([]byte(row.Token), []byte(token)) != 1 {
		return nil, errUnknown
	}
	return row, nil
}

// Verify answers a hub that asks whether we want what it was asked for (WebSub, 5.3): with its challenge if we do, and
// fault.NotFound if not. A refusal (5.2) is noted.
func (s *Service) Verify(ctx context.Context, f reader.FeedID, token string,
	q url.Values) (challenge string, err error) {
	row, err := s.subscription(ctx, f, token)
	if err != nil {
		return "", err
	}
	if q.Get("hub.topic") != row.Topic {
		return "", errUnknown
	}
	challenge = q.Get("hub.challenge")
	switch mode := q.Get("hub.mode"); {
	case mode == "denied":
		next := *row
		next.State, next.Lease = store.HubDenied, 0
		if err := s.store.Hubs.Put(ctx, f, next, row); err != nil {
			return "", err
		}
		return "", s.pushed(ctx, f, 0)
	case challenge == "" || len(challenge) > 4096:
		return "", errUnknown
	case mode == "subscribe" && row.State != store.HubLeaving:
		return challenge, s.verified(ctx, f, row, q.Get("hub.lease_seconds"))
	case mode == "unsubscribe" && row.State == store.HubLeaving:
		return challenge, s.store.Hubs.Remove(ctx, f, row.Token)
	}
	return "", errUnknown
}

// verified notes a lease: first in the row, by which pushes are taken, then in the feed's, by which it is polled less.
func (s *Service) verified(ctx context.Context, f reader.FeedID, row *store.HubRow, seconds string) error {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || n <= 0 {
		return errUnknown // a subscription without an end is none (5.3)
	}
	lease := min(time.Duration(min(n, int64(mostLease/time.Second)))*time.Second, mostLease)
	next := *row
	next.State, next.Tries, next.Lease = store.HubVerified, 0, s.clock.Now().Add(lease).Unix()
	if err := s.store.Hubs.Put(ctx, f, next, row); err != nil {
		return err
	}
	if lease < leastLease {
		return nil // pushes are welcome, but not to be relied on
	}
	s.log.Info("hub verified", "feed_id", uint32(f), "host", fetch.HostOf(row.Hub), "lease", lease)
	return s.pushed(ctx, f, next.Lease)
}

// pushed notes until when a feed's hub is relied on. The feed may be gone.
func (s *Service) pushed(ctx context.Context, f reader.FeedID, until int64) error {
	_, err := s.store.Feeds.Modify(ctx, f, func(row *store.FeedRow) { row.PushUntil = until })
	return fault.Ignore(fault.Ignore(err, fault.NotFound), fault.Conflict)
}

// Push accepts what a hub sends. A body that is not signed with the secret is dropped without an error (WebSub, 7.1),
// so that secrets cannot be guessed.
func (s *Service) Push(ctx context.Context, f reader.FeedID, token, signature, contentType string, body []byte) error {
	row, err := s.subscription(ctx, f, token)
	if err != nil {
		return err
	}
	now := s.clock.Now()
	if row.State != store.HubVerified && row.State != store.HubSilent || row.Lease <= now.Unix() {
		return errUnknown // its lease is over, or was never one
	}
	if !Signed(row.Secret, signature, body) {
		s.log.Warn("a push was not signed as agreed", "feed_id", uint32(f), "host", fetch.HostOf(row.Hub))
		return nil
	}
	return s.accept(ctx, f, contentType, body)
}

// Signed reports whether a signature header, "method=hexadecimal digits", is that of a body under a secret, with one of
// the methods of WebSub 7.1. It compares in constant time.
func Signed(secret, header string, body []byte) bool {
	method, digits, _ := strings.Cut(strings.TrimSpace(header), "=")
	methods := map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "sha384": sha512.New384,
		"sha512": sha512.New}
	make := methods[strings.ToLower(method)]
	got, err := hex.DecodeString(digits)
	if make == nil || err != nil || secret == "" {
		return false
	}
	mac := hmac.New(make, []byte(secret))
	mac.Write(body)
	return hmac.Equal(got, mac.Sum(nil))
}
