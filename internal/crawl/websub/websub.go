// Package websub receives new items that publishers push (WebSub, W3C Recommendation of 2018): it subscribes to the
// hubs that feeds announce, verifies the subscriptions, and passes pushes to the crawler, which commits them like
// polls. Feeds with a verified hub are polled once a day all the same (package schedule).
//
// Hubs are not trusted. They are requested through the guarded client, and a push counts only if it is signed with the
// subscription's secret. A hub that fails delays items, but loses none: polls find what was not pushed.
package websub

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// wantedLease is requested; of a hub's answer, leastLease to mostLease are accepted.
	wantedLease = 10 * 24 * time.Hour
	leastLease  = time.Hour
	mostLease   = 30 * 24 * time.Hour
	// A lease is renewed renewBefore its end; nights are a day apart.
	renewBefore = 2 * 24 * time.Hour
	// No subscription is requested from a hub for silence after it did not push.
	silence = 30 * 24 * time.Hour
	// mostPause bounds the pause between requests that a hub does not answer with a verification.
	mostPause = 32 * 24 * time.Hour
	// MaxPush bounds what a hub may push (WebSub, 7): larger ones come with the next poll.
	MaxPush = 4 << 20
)

// Crawler commits what was pushed.
type Crawler interface {
	// Pushed commits items as a poll would. fault.Invalid says that the body is no feed.
	Pushed(ctx context.Context, f reader.FeedID, body []byte, contentType string) (store.FeedOutcome, error)
}

// Service manages the subscriptions at hubs.
type Service struct {
	store   *store.Store
	blobs   *blob.Bucket
	queue   job.Sender
	fetch   fetch.Fetcher
	crawler Crawler
	clock   clock.Clock
	log     *slog.Logger
	parts   int
	base    string // the public address; empty: hubs cannot reach us
}

// New returns the service. base is the installation's public address; without one nothing is subscribed to.
func New(s *store.Store, b *blob.Bucket, q job.Sender, f fetch.Fetcher, c Crawler, k clock.Clock, log *slog.Logger,
	parts int, base string) *Service {
	return &Service{store: s, blobs: b, queue: q, fetch: f, crawler: c, clock: k, log: log, parts: parts, base: base}
}

// Due reports whether a feed's hub has to be asked for something: a subscription, its renewal or its end.
func (s *Service) Due(f *store.FeedRow) bool {
	now := s.clock.Now()
	switch {
	case f.PushUntil > 0 && (f.PushUntil <= now.Unix() || !f.Live()):
		return true
	case s.base == "" || f.Hub == "" || !f.Live() || f.Fresh():
		return false
	}
	return f.PushUntil <= now.Add(renewBefore).Unix()
}

// Run does what is due at the hubs of some feeds. The nightly cleanup sends the messages.
func (s *Service) Run(ctx context.Context, j job.Job) error {
	for _, id := range j.Feeds {
		f, err := s.store.Feeds.Get(ctx, id, true)
		if err == nil {
			err = s.settle(ctx, f)
		}
		if err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return nil
}

func (s *Service) settle(ctx context.Context, f *store.FeedRow) error {
	now := s.clock.Now()
	row, err := s.store.Hubs.Get(ctx, f.ID())
	if err != nil {
		return err
	}
	if f.PushUntil > 0 && (f.PushUntil <= now.Unix() || !f.Live()) {
		if f, err = s.pollAgain(ctx, f); err != nil {
			return err
		}
	}
	if !f.Live() || f.Hub == "" {
		return s.leave(ctx, f, row)
	}
	if row != nil && row.Hub == f.Hub && row.State == store.HubVerified && row.Lease > now.Add(renewBefore).Unix() &&
		f.PushUntil == 0 {
		// A poll found items that the hub should have pushed. Its pushes still count.
		next := *row
		next.State, next.Asked = store.HubSilent, now.Unix()
		return s.store.Hubs.Put(ctx, f.ID(), next, row)
	}
	if s.base == "" || !s.mayAsk(f, row, now) {
		return nil
	}
	return s.ask(ctx, f, row)
}

// pollAgain ends the daily polls of a feed whose pushes have ended; the next poll decides its interval.
func (s *Service) pollAgain(ctx context.Context, f *store.FeedRow) (*store.FeedRow, error) {
	period := schedule.PeriodFor(max(time.Duration(f.Asked)*time.Minute, schedule.DefaultInterval))
	next := *f
	next.PushUntil = 0
	if period < f.Period {
		next.Period, next.First = period, int32(schedule.TickOf(s.clock.Now()))+period
	}
	return s.store.Feeds.Change(ctx, f, &next, store.SamePushUntil, store.SameFirst)
}

// mayAsk bounds how often a hub is asked: at once the first time, then after longer and longer pauses.
func (s *Service) mayAsk(f *store.FeedRow, row *store.HubRow, now time.Time) bool {
	if !s.usable(f.Hub) {
		return false
	}
	if row == nil || row.Hub != f.Hub || row.Topic != topicOf(f) {
		return true
	}
	pause := min(24*time.Hour<<min(row.Tries, 5), mostPause)
	switch {
	case row.State == store.HubSilent:
		pause = silence
	case row.State == store.HubDenied:
		pause = mostPause
	case row.State == store.HubVerified && row.Lease > now.Unix():
		pause = 12 * time.Hour // a renewal
	}
	return !now.Before(time.Unix(row.Asked, 0).Add(pause))
}

// usable reports whether a secret may be sent to a hub: over TLS, unless the installation itself does without.
func (s *Service) usable(hub string) bool {
	return strings.HasPrefix(hub, "https://") || strings.HasPrefix(hub, "http://") &&
		strings.HasPrefix(s.base, "http://")
}

func topicOf(f *store.FeedRow) string {
	if f.Topic != "" {
		return f.Topic
	}
	return reader.WithoutUser(f.URL) // passwords are not for the hub
}

// ask requests a subscription or its renewal (WebSub, 5.1). The row is written first, because the hub may verify before
// it responds. A renewal keeps secret and callback address, so that pushes under way still count.
func (s *Service) ask(ctx context.Context, f *store.FeedRow, read *store.HubRow) error {
	row := store.HubRow{Hub: f.Hub, Topic: topicOf(f), State: store.HubAsked}
	if read != nil && read.Hub == row.Hub && read.Topic == row.Topic && read.State != store.HubLeaving {
		if row = *read; row.State == store.HubDenied {
			row.State = store.HubAsked
		}
	}
	if row.Secret == "" {
		row.Secret, row.Token = secret(), secret()
	}
	row.Asked = s.clock.Now().Unix()
	row.Tries++
	if err := s.store.Hubs.Put(ctx, f.ID(), row, read); err != nil {
		return err
	}
	status, err := s.post(ctx, f.ID(), &row, url.Values{
		"hub.mode": {"subscribe"}, "hub.secret": {row.Secret},
		"hub.lease_seconds": {strconv.Itoa(int(wantedLease / time.Second))},
	})
	s.log.Info("hub asked", "feed_id", uint32(f.ID()), "host", fetch.HostOf(row.Hub), "status", status, "tries",
		row.Tries, "error", err)
	return ctx.Err()
}

// leave ends a subscription. At a hub that does not respond it ends with its lease.
func (s *Service) leave(ctx context.Context, f *store.FeedRow, read *store.HubRow) error {
	if read == nil {
		return nil
	}
	if s.base == "" || read.Lease <= s.clock.Now().Unix() || read.State == store.HubLeaving {
		return s.store.Hubs.Remove(ctx, f.ID(), read.Token)
	}
	row := *read
	row.State, row.Asked = store.HubLeaving, s.clock.Now().Unix()
	if err := s.store.Hubs.Put(ctx, f.ID(), row, read); err != nil {
		return err
	}
	status, err := s.post(ctx, f.ID(), &row, url.Values{"hub.mode": {"unsubscribe"}})
	s.log.Info("hub left", "feed_id", uint32(f.ID()), "host", fetch.HostOf(row.Hub), "status", status, "error", err)
	return ctx.Err()
}

// post sends a request to a hub, through the guard.
func (s *Service) post(ctx context.Context, f reader.FeedID, row *store.HubRow,
	form url.Values) (status int, err error) {
	form.Set("hub.topic", row.Topic)
	form.Set("hub.callback", s.base+"/websub/"+f.String()+"/"+row.Token)
	resp, err := s.fetch.Do(ctx, fetch.Request{URL: row.Hub, Accept: "*/*", Post: &fetch.Post{
		ContentType: "application/x-www-form-urlencoded", Body: []byte(form.Encode()),
	}})
	if err != nil {
		return 0, err
	}
	defer resp.Release()
	return resp.Status, nil
}

func secret() string {
	var b [20]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
