// Package webhook tells addresses that people name of new and starred items: signed, in order of arrival, again when
// they do not answer, and in sight when they never do.
//
// New items. A feed's row says whether a webhook wants its items (`hooked`), so that other feeds cost nothing. The
// crawler sends a message that says no more than "feed f has news"; whoever takes it tells all items above `told`,
// which lies in the subscriber's row, and moves it last. So a message that was lost costs no item: the next one, or
// the nightly look, goes on where the row stands. A delivery is the items of one delta for one webhook, and its id is
// made of those: however often it is begun anew, it is the same.
//
// Starred items. The message goes before the star's row, and who takes it looks whether the row came: a star that is
// there was told, or will be.
//
// A delivery that fails comes again as a message of its own (Delays), then it is given up and kept in the webhook's
// row, from where it can be sent again.
package webhook

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Events.
const (
	EventNew     = "new"
	EventStarred = "starred"
	EventTest    = "test"
)

const (
	// MaxHooks is how many webhooks a user may have.
	MaxHooks = 10
	// givenUpAfter is how long a webhook may fail before it is switched off.
	givenUpAfter = 7 * 24 * time.Hour
	// keptOutcomes and keptDead bound what a row remembers.
	keptOutcomes, keptDead = 10, 50
	// okayEvery is how often a delivery that got through is noted.
	okayEvery = time.Hour
	// budget is how long one message tells before another goes on.
	budget = 30 * time.Second
	// settleAfter is longer than a subscribing takes from asking for webhooks to its rows.
	settleAfter = time.Minute
	// starSettles is how long after its message a star's row may come. It is waited for: starDelay first, which is
	// enough as a rule, then starPause to starPauses, for a message may come five times, and the last must find
	// that there is no star.
	starSettles = 2 * time.Minute
	starDelay   = time.Second
	starPause   = 5 * time.Second
	starPauses  = time.Minute
)

// Why a webhook is off.
const (
	OffByUser  = "by_user"
	OffFailing = "failing"
)

// Delays are how long after a failed try the next one is made: after the last, a delivery is given up.
var delays = [...]time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour}

// Tries is how often a delivery is tried in all.
const Tries = len(delays) + 1

// Fetcher is the guarded client.
type Fetcher interface {
	Do(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Sender takes messages for the workers.
type Sender interface {
	Send(ctx context.Context, bodies [][]byte, delay time.Duration) error
}

// Counter brings what a feed's row says of its subscribers up to date.
type Counter interface {
	Recount(ctx context.Context, f reader.FeedID) error
}

// Service keeps webhooks and tells them.
type Service struct {
	store   *store.Store
	fetch   Fetcher
	permits func(address string) error
	queue   Sender
	count   Counter
	clock   clock.Clock
	log     *slog.Logger
}

// New binds the service to its seams. permits tells early which addresses the client would refuse.
func New(s *store.Store, f Fetcher, permits func(string) error, q Sender, n Counter, c clock.Clock, log *slog.Logger) *Service {
	return &Service{store: s, fetch: f, permits: permits, queue: q, count: n, clock: c, log: log}
}

func (s *Service) now() int64 { return s.clock.Now().UnixMilli() }

// News sends the message that a feed has news, when a webhook wants them. One that cannot be sent is made up for.
func (s *Service) News(ctx context.Context, f *store.FeedRow) {
	if !f.Hooked {
		return
	}
	if err := s.send(ctx, job.Job{Kind: job.Tell, Feeds: []reader.FeedID{f.ID()}}, 0); err != nil {
		s.log.Warn("webhooks could not be told of news at once", "feed_id", uint32(f.ID()), "error", err)
	}
}

// maxDelay is the longest delay that the queue knows (queue.MaxDelay); who receives a message too early waits.
const maxDelay = 15 * time.Minute

func (s *Service) send(ctx context.Context, j job.Job, wait time.Duration) error {
	return s.queue.Send(ctx, [][]byte{j.Encode()}, min(max(wait, 0), maxDelay))
}

// deliveryID names what a webhook is told, so that it is the same however often it is told.
func deliveryID(hook, event string, about ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(hook, " ", event, " ", fmt.Sprintln(about...))))
	return hex.EncodeToString(sum[:16])
}

func random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}
