// Package webhook notifies addresses that users configured about new and starred items: signed, in order of arrival,
// with retries, and with a visible list of deliveries that were given up.
//
// New items. A feed row says whether any webhook wants its items (`hooked`), so other feeds cost nothing. The crawler
// sends the message that names a delta before it commits that, and does not commit without it; the worker checks that
// the delta is committed as the message says. So every committed delta was or will be delivered, and nobody writes that
// it was (decision 0569). A delivery consists of the items of one delta for one webhook, and its id is derived from
// these: repeating it repeats the id.
//
// A webhook may be for a saved search: of each delta and star it gets what that matches, as the search is when the
// delivery is attempted.
//
// A webhook may speak the format of a service (see formats). Formats for lists of bookmarks have a request for each
// item, each of which is a message of its own, some at a time. People and rules send single items to a webhook.
//
// Starred items. The message is sent before the star's row is written, and the worker checks that the row exists: every
// star that exists was or will be delivered.
//
// Troubles. The crawler sends a message when a feed stops, or a watch has a problem. Who wants to know it is found out
// then, and the body is made of the feed's row; what has passed meanwhile is not told. In the same way the owner is
// told that the server has a problem: that backups fail.
//
// The budget. What compares the month's bill with its limit says so before it writes a row; the body is made of that.
//
// A failed delivery is retried by a message of its own (see delays). After the last attempt it is kept in the webhook's
// row, from where a user can send it again.
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
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Events.
const (
	EventNew     = "new"
	EventStarred = "starred"
	EventStopped = "feed.stopped"
	EventProblem = "watch.problem"
	EventServer  = "server.problem" // for the owner alone
	EventBudget  = "budget.reached" // the month's bill makes polling slower: for the owner
	EventSent    = "sent"           // a person or a rule sends an item
	EventTest    = "test"
)

// events are those that a webhook may want.
var events = []string{EventNew, EventStarred, EventStopped, EventProblem, EventServer, EventBudget, EventSent}

const (
	// MaxHooks limits the webhooks of a user.
	MaxHooks = 10
	// A webhook is switched off after every delivery has failed for givenUpAfter.
	givenUpAfter = 7 * 24 * time.Hour
	// keptOutcomes and keptDead bound the lists in a row.
	keptOutcomes, keptDead = 10, 50
	// okayEvery is the least time between two recorded successes, to save writes.
	okayEvery = 6 * time.Hour
	// budget is the working time of one message; the rest is left to another one.
	budget = 30 * time.Second
	// settleAfter is longer than subscribing takes between reading the webhooks and writing its rows.
	settleAfter = time.Minute
	// rowDelay is usually enough for the row that follows its message: a star's, or a feed's at a commit.
	rowDelay = time.Second
)

// Reasons for which a webhook is off.
const (
	OffByUser     = "by_user"
	OffFailing    = "failing"
	OffSearchGone = "search_gone" // its saved search was deleted, or the folder in which that searches
)

// delays before each retry; after the last one a delivery is given up.
var delays = [...]time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour,
	12 * time.Hour}

// Attempts is the total number of attempts at a delivery.
const Attempts = len(delays) + 1

// Counter updates what a feed's row says about its subscribers (subscribe.Service).
type Counter interface {
	Recount(ctx context.Context, f reader.FeedID) error
	// Hook is Recount for a user whose webhooks want new items, and sends the messages for those that came since a time
	// in Unix milliseconds, before the crawler knew.
	Hook(ctx context.Context, f reader.FeedID, u reader.UserID, since int64) error
}

// Notifier sends the messages that start deliveries. The crawler needs no more of a Service than this.
type Notifier struct{ Queue job.Sender }

// Service manages webhooks and makes their deliveries.
type Service struct {
	Notifier
	store   *store.Store
	fetch   fetch.Fetcher
	permits func(address string) error
	count   Counter
	log     *slog.Logger
	keys    Keys
	clock   clock.Clock
	onNews  func(ctx context.Context, u reader.UserID, f *store.FeedRow) error
}

// New returns the service. permits reports early which addresses the client would refuse.
func New(s *store.Store, f fetch.Fetcher, permits func(string) error, keys Keys, q job.Sender, n Counter,
	c clock.Clock, log *slog.Logger) *Service {
	return &Service{Notifier: Notifier{q}, log: log, store: s, fetch: f, permits: permits, keys: keys, count: n,
		clock: c}
}

// OnNews sets the function that is called with a feed's new items for each subscriber with devices (package push).
func (s *Service) OnNews(tell func(ctx context.Context, u reader.UserID, f *store.FeedRow) error) {
	s.onNews = tell
}

func (s *Service) now() int64 { return s.clock.Now().UnixMilli() }

// News sends the message that a feed has new items, if a webhook or a device wants them. It must be called before the
// delta with these is committed, and after each change of the delta's time.
func (n Notifier) News(ctx context.Context, f *store.FeedRow, d *store.DeltaRow) error {
	if !f.Hooked {
		return nil
	}
	return n.send(ctx, job.News(d.Feed(), d.First(), d.At, ""), rowDelay)
}

// send sends a message. One that arrives before it is due, because the wait is longer than the queue allows, is
// returned with an EarlyError.
func (n Notifier) send(ctx context.Context, j job.Job, wait time.Duration) error {
	return job.Send(ctx, n.Queue, min(max(wait, 0), queue.MaxDelay), j)
}

// deliveryID is derived from the content of a delivery, so that repeating it repeats the id.
func deliveryID(hook, event string, about ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(hook, " ", event, " ", fmt.Sprintln(about...))))
	return hex.EncodeToString(sum[:16])
}

func random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}
