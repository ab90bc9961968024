// Package subscribe manages subscriptions: adding a feed by URL, unsubscribing, importing and exporting OPML, and
// moving a feed that changed its address. Writes are ordered so that a crash at any step leaves something that the next
// try repairs.
package subscribe

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// UserCap bounds a person's subscriptions (C-13).
	UserCap = 100
	// OwnerCap bounds those of the owner, where nothing else is set.
	OwnerCap = 1000
)

// Crawler polls feeds.
type Crawler interface {
	// Hold takes the lease of a URL's part of hosts; the function gives it back.
	Hold(ctx context.Context, url string) (release func(), err error)
	// Adopt commits a response that discovery fetched as the feed's poll.
	Adopt(ctx context.Context, f *store.FeedRow, resp *fetch.Response) (store.FeedOutcome, error)
	// Repace changes the plan in a row that is about to be stored with another interval.
	Repace(ctx context.Context, f *store.FeedRow) error
	// First runs the first crawl of feeds of one part.
	First(ctx context.Context, j job.Job) error
}

// Deps are the dependencies of a service.
type Deps struct {
	Store   *store.Store
	Fetch   fetch.Fetcher
	Crawler Crawler
	Queue   job.Sender
	Clock   clock.Clock
	Files   *blob.Bucket // uploaded lists and large bodies
	Log     *slog.Logger
	Parts   int // as for the orchestrator
	// The caps of subscriptions (C-13). 0: OwnerCap, UserCap.
	OwnerCap, UserCap int
	// Concurrency limits the subscriptions that are written at once; with 1, each call takes the same steps each time.
	// 0: 8, since on the embedded table concurrent writes share a commit.
	Concurrency int
	// Nap waits, unless the context ends first. Nil: on the system's clock.
	Nap func(context.Context, time.Duration) error
}

// Service adds, removes and moves subscriptions.
type Service struct {
	Deps
	recent *recent
	spare  int // beyond the cap, for a subscription that replaces another
}

// New makes a service.
func New(d Deps) *Service {
	d.OwnerCap, d.UserCap, d.Concurrency = cmp.Or(d.OwnerCap, OwnerCap), cmp.Or(d.UserCap, UserCap),
		cmp.Or(d.Concurrency, 8)
	if d.Nap == nil {
		d.Nap = clock.Sleep
	}
	return &Service{Deps: d, recent: new(recent)}
}

// Options are the settings of a new subscription.
type Options struct {
	Title    string
	Folder   []string          // path of names from the top; created where it is missing
	Folders  []reader.FolderID // numbers in the user's tree, instead of Folder
	Interval int32             // minutes; 0 = the default
	Sample   bool
	// NeverCount is store.SubscriptionRow's.
	NeverCount bool

	since int64 // start of the subscription, Unix seconds; 0: now
	isNew bool  // the feed was just created
	// marks returns the user's stars and labels, where they were read for many feeds at once; may be nil.
	marks func() (map[reader.FeedID]*marks, error)
	tight bool // concurrent additions may exceed the cap
}

// Attach subscribes a user to a feed that exists: it writes the subscriber row, the feed row's derived fields and the
// subscription row. Repeating it is harmless; made reports whether the subscription is new.
func (s *Service) Attach(ctx context.Context, u reader.UserID, f *store.FeedRow, o Options) (made bool, err error) {
	if o.tight, err = s.checkCap(ctx, u); err != nil {
		if gone := s.Store.Subscriptions.Check(ctx, u, f.ID()); gone != nil {
			return false, err
		}
		return false, nil
	}
	return s.attachAlone(ctx, u, f, o)
}

// attachAlone attaches one feed; it rolls back if the account was deleted concurrently.
func (s *Service) attachAlone(ctx context.Context, u reader.UserID, f *store.FeedRow,
	o Options) (made bool, err error) {
	if made, err = s.attach(ctx, u, f, o); err == nil && made {
		err = s.checkAccount(ctx, u)
	}
	if err == nil && made && o.tight {
		if err = s.recheckCap(ctx, u, f.ID()); err != nil {
			made = false
		}
	}
	return made, err
}

func (s *Service) attach(ctx context.Context, u reader.UserID, f *store.FeedRow, o Options) (made bool, err error) {
	had, err := s.addSubscriber(ctx, u, f, o)
	if err != nil || had {
		return false, err
	}
	folders, err := s.foldersOf(ctx, u, o)
	if err != nil {
		return false, err
	}
	row := store.NewSubscription(f)
	row.Title, row.Folders, row.Interval, row.Sample, row.NeverCount = o.Title, folders, o.Interval,
		o.Sample, o.NeverCount
	row.Since = cmp.Or(o.since, s.Clock.Now().Unix())
	if !o.isNew {
		if err := s.Store.Subscriptions.TakeUp(ctx, u, f.ID(), &row); err != nil {
			return false, err
		}
	}
	// Stars and labels from an earlier subscription come back.
	kept, err := s.marksIn(ctx, u, f, &o)
	if err != nil {
		return false, err
	}
	kept.into(&row)
	err = s.Store.Subscriptions.Add(ctx, u, f.ID(), row)
	if fault.Is(err, fault.Conflict) {
		return false, nil
	}
	return err == nil, err
}

// foldersOf returns the numbers of the requested folders. The tree is written before the subscription that names it: a
// crash between the two leaves an empty folder.
func (s *Service) foldersOf(ctx context.Context, u reader.UserID, o Options) ([]reader.FolderID, error) {
	if len(o.Folder) == 0 || len(o.Folders) > 0 {
		return o.Folders, nil
	}
	if err := library.CheckPath(o.Folder); err != nil {
		return nil, err
	}
	var at reader.FolderID
	_, err := s.Store.Trees.Change(ctx, u, func(t *library.Tree) error {
		at = t.Ensure(o.Folder)
		return nil
	})
	if err != nil || at == 0 {
		return nil, err
	}
	return []reader.FolderID{at}, nil
}

// addSubscriber writes the subscriber's row and updates the feed. An existing subscription keeps its settings; had
// reports whether there is one.
func (s *Service) addSubscriber(ctx context.Context, u reader.UserID, f *store.FeedRow,
	o Options) (had bool, err error) {
	sub := store.Subscriber{User: u, Interval: o.Interval, NoCounts: o.NeverCount, At: s.Clock.Now().Unix()}
	switch row, err := s.Store.Subscriptions.Get(ctx, u, f.ID()); {
	case err == nil:
		sub.Interval, sub.NoCounts, had = row.Interval, row.NeverCount, true
	case !fault.Is(err, fault.NotFound):
		return false, err
	}
	want, err := s.Store.Webhooks.Wanted(ctx, u)
	if err != nil {
		return false, err
	}
	if sub.Noted = want.Notices; want.New {
		sub.Hooked = s.Clock.Now().UnixMilli()
	}
	if err := s.Store.Subscriptions.PutSubscriber(ctx, f.ID(), sub); err != nil {
		return false, err
	}
	_, err = s.updateFeed(ctx, f)
	if isFeedGone(err) {
		// The feed's removal has begun.
		err = errors.Join(err, s.Store.Subscriptions.RemoveSubscriber(ctx, f.ID(), u))
	}
	return had, err
}

// updateFeed derives the fields of the feed row that depend on its subscribers. Both are read, and read again after
// each write until they agree: of two concurrent updates, the last writer sees the other's change. A row that was read
// earlier cannot be trusted: another user may have unsubscribed since, and the feed would have a subscriber and no
// polls. began reports that the feed is hooked now and was not.
func (s *Service) updateFeed(ctx context.Context, f *store.FeedRow) (began bool, err error) {
	for range maxUpdates {
		subs, err := s.Store.Subscriptions.Subscribers(ctx, f.ID())
		if err != nil {
			return false, err
		}
		row, err := s.Store.Feeds.Get(ctx, f.ID(), true)
		if err != nil {
			return false, err
		}
		*f = *row
		if f.RemovingSince > 0 {
			return false, fault.New(fault.NotFound, "feed_not_found", "subscribe: removed", nil)
		}
		asked, explicit := smallestInterval(subs)
		hooked := slices.ContainsFunc(subs, store.Subscriber.IsHooked)
		noCounts := slices.ContainsFunc(subs, func(x store.Subscriber) bool { return x.NoCounts })
		if f.Subs == int32(len(subs)) && f.Asked == asked && f.Explicit == explicit && f.Hooked == hooked &&
			f.NoCounts == noCounts {
			return began, nil
		}
		next := *f
		next.Subs, next.Asked, next.Explicit, next.Hooked, next.UnsubscribedSince = int32(len(subs)), asked,
			explicit, hooked, 0
		if next.NoCounts = noCounts; f.NoCounts && !noCounts {
			next.CountsFrom = uint32(reader.MinuteOf(s.Clock.Now()))
		}
		if len(subs) == 0 {
			next.UnsubscribedSince = s.Clock.Now().Unix()
		}
		conds := []store.FeedCond{store.SameRemovingSince}
		if len(subs) > 0 && (f.Asked != asked || f.Explicit != explicit) {
			if err := s.Crawler.Repace(ctx, &next); err != nil {
				return false, err
			}
			conds = append(conds, store.SameFirst, store.SamePeriod)
		}
		if hooked && !f.Hooked {
			// From now on the crawler sends a message before each commit; for earlier ones they are sent here.
			if err := s.catchUp(ctx, f, "", wantedSince(subs)); err != nil {
				return false, err
			}
			conds = append(conds, store.SameSeq)
		}
		// If a poll rescheduled the feed since, the condition fails, and the next round plans on its row.
		_, err = s.Store.Feeds.Change(ctx, f, &next, conds...)
		if err == nil && len(subs) == 0 && reader.IsPrivateURL(f.URL) {
			// The nightly cleanup does the same; a lost message costs a day.
			err = job.Send(ctx, s.Queue, undoTime, job.Job{Kind: job.Collect, Feeds: []reader.FeedID{f.ID()}})
		}
		if err != nil && !fault.Is(err, fault.Conflict) {
			return false, err
		}
		began = began || err == nil && hooked && !f.Hooked
	}
	return false, fault.New(fault.Unavailable, "subscribers_contended", "subscribe: derive", nil)
}

// A private feed outlives its last subscriber by undoTime: as long as the page offers to undo unsubscribing.
const undoTime = time.Minute

// maxUpdates bounds how often updateFeed starts again.
const maxUpdates = 10

// smallestInterval returns the smallest interval that a subscriber asks for; explicit reports whether it
// is more than the default of one who asks for none.
func smallestInterval(subs []store.Subscriber) (asked int32, explicit bool) {
	for _, sub := range subs {
		n := int32(reader.DefaultInterval)
		if sub.Interval > 0 {
			n = min(max(sub.Interval, reader.MinInterval), reader.MaxInterval)
		}
		if asked == 0 || n < asked || n == asked && sub.Interval > 0 {
			asked, explicit = n, sub.Interval > 0
		}
	}
	return cmp.Or(asked, reader.DefaultInterval), explicit
}

// Leave removes a user's subscription, in the reverse order of Attach; the read state is kept for a day. A feed without
// subscribers is no longer polled and is removed after a week, one whose address has a password after a minute.
// Repeating it repairs what a crash left.
func (s *Service) Leave(ctx context.Context, u reader.UserID, id reader.FeedID) error {
	row, err := s.Store.Subscriptions.Get(ctx, u, id)
	switch {
	case err == nil:
		err = s.Store.Subscriptions.PutLeft(ctx, u, row, s.Clock.Now())
	case store.IsDamaged(err):
		err = nil // there is no read state to keep
	case fault.Is(err, fault.NotFound):
		// An earlier try may have crashed: before it removed the subscriber, or before it updated the feed, which would
		// be polled without subscribers.
		missing := err
		_, err = s.Store.Subscriptions.Subscriber(ctx, id, u)
		if fault.Is(err, fault.NotFound) {
			return cmp.Or(s.Recount(ctx, id), missing)
		}
	}
	if err != nil {
		return err
	}
	if err := s.Store.Subscriptions.Remove(ctx, u, id); err != nil {
		return err
	}
	if err := s.Store.Subscriptions.RemoveSubscriber(ctx, id, u); err != nil {
		return err
	}
	return s.Recount(ctx, id)
}

// Resume schedules a stopped feed again, from the next tick that the minimum gap since the last poll allows.
func (s *Service) Resume(ctx context.Context, id reader.FeedID) (*store.FeedRow, error) {
	f, err := s.Store.Feeds.Get(ctx, id, true)
	if err != nil {
		return nil, err
	}
	if f.Status != string(reader.StatusStopped) {
		return nil, fault.Coded(fault.Conflict, "feed_not_stopped")
	}
	now := s.Clock.Now()
	first := max(schedule.TickOf(now)+1, schedule.CeilTick(time.Unix(f.NotBefore, 0)))
	if f.Polled > 0 {
		first = max(first, schedule.OffTurn(schedule.TickOf(time.Unix(f.Polled, 0)), f.Period))
	}
	next := *f
	next.ClearErrors()
	next.First, next.Probe, next.Proposed, next.ProposedWhy = int32(first), 0, "", ""
	return s.Store.Feeds.Change(ctx, f, &next, store.SameStatus)
}

// A count this far below the cap is not checked again after concurrent additions.
const concurrentAdds = 20

// checkCap refuses when a user is at the cap; tight reports whether the cap is near.
func (s *Service) checkCap(ctx context.Context, u reader.UserID) (tight bool, err error) {
	n, limit, err := s.count(ctx, u, s.Store.Subscriptions.Each)
	if err == nil && n >= limit {
		return true, s.atCap(ctx, u)
	}
	return n+concurrentAdds > limit, err
}

// recheckCap counts again after a subscription was made near the cap, and removes it if concurrent ones exceeded the
// cap: the last to count sees all that stay.
func (s *Service) recheckCap(ctx context.Context, u reader.UserID, f reader.FeedID) error {
	n, limit, err := s.count(ctx, u, s.Store.Subscriptions.EachLatest)
	if err != nil || n <= limit {
		return err
	}
	if err := s.Leave(ctx, u, f); err != nil {
		return err
	}
	return s.atCap(ctx, u)
}

// atCap names the limit that a user has reached, and its setting.
func (s *Service) atCap(ctx context.Context, u reader.UserID) error {
	a, err := s.Store.Accounts.Get(ctx, u)
	if err != nil {
		return err
	}
	return s.limitOf(a)
}

func (s *Service) limitOf(a *store.Account) error {
	setting := "RURI_MAX_FEEDS_USER"
	if a.Owner {
		setting = "RURI_MAX_FEEDS"
	}
	return fault.Coded(fault.Conflict, "subscription_limit", s.Cap(a), setting)
}

// count returns how many subscriptions a user has, and may have.
func (s *Service) count(ctx context.Context, u reader.UserID,
	each func(context.Context, reader.UserID, func(*store.SubscriptionRow) error) error) (n, limit int, err error) {
	a, err := s.Store.Accounts.Get(ctx, u)
	if err != nil {
		return 0, 0, err
	}
	err = each(ctx, u, func(*store.SubscriptionRow) error { n++; return nil })
	return n, s.Cap(a) + s.spare, err
}

// Cap is the number of subscriptions that an account may have.
func (s *Service) Cap(a *store.Account) int {
	if a.Owner {
		return s.OwnerCap
	}
	return s.UserCap
}

// newFeed returns the initial row of a feed: scheduled in an hour, which makes up for a first crawl that fails.
func (s *Service) newFeed(title, site string) func(reader.FeedID) store.FeedRow {
	now := schedule.TickOf(s.Clock.Now())
	return func(reader.FeedID) store.FeedRow {
		return store.FeedRow{
			Title: title, Site: site, First: int32(now + 4), Period: schedule.PeriodFor(schedule.DefaultInterval),
			Asked: reader.DefaultInterval, Status: string(reader.StatusWaiting),
		}
	}
}

// Normalise parses an address as a person types it: feed: and missing schemes are completed, fragments dropped.
// Anything but an http address is fault.Invalid "bad_url".
func Normalise(raw string) (string, error) {
	s, _ := withScheme(raw)
	if s == "" || len(s) > reader.MaxURL {
		return "", badURL()
	}
	u, err := url.Parse(s)
	if err == nil {
		u.Scheme = strings.ToLower(u.Scheme)
	}
	beforeAt, _, _ := strings.Cut(raw, "@")
	switch {
	case err == nil && u.Scheme != "http" && u.Scheme != "https":
		return "", badURL()
	case err != nil, u.Hostname() == "":
		return "", badURL()
	case u.User != nil && !strings.Contains(beforeAt, "://"):
		// Without a scheme it may as well be a mail address.
		return "", badURL()
	}
	u.Host = strings.ToLower(u.Host)
	if u.Path == "" {
		u.Path = "/"
	}
	u.Fragment = ""
	s = u.String()
	if s = cmp.Or(fetch.NormalURL(s), s); len(s) > reader.MaxURL { // escapes make it longer
		return "", badURL()
	}
	return s, nil
}

// withScheme completes an address that has no scheme; given reports whether it had one. feed://example.org means
// https://example.org, and feed: before an address is dropped.
func withScheme(raw string) (s string, given bool) {
	s = opml.WithoutFeedScheme(strings.ReplaceAll(strings.TrimSpace(raw), "&amp;", "&"))
	if strings.HasPrefix(s, "//") {
		return "https:" + s, false
	}
	if s == "" || hasScheme(s) {
		return s, true
	}
	return "https://" + s, false
}

// foreign are schemes that are not taken for host names, though a port may follow the colon (as in example.org:8080).
var foreign = []string{"about", "data", "file", "ftp", "ftps", "gemini", "gopher", "javascript", "mailto",
	"sftp", "sms", "tel"}

// hasScheme distinguishes "ftp:x" and "https://x" from "example.org:8080/x".
func hasScheme(s string) bool {
	name, rest, found := strings.Cut(s, ":")
	if !found || name == "" || !isLetter(name[0]) || strings.Trim(name, schemeBytes) != "" {
		return false
	}
	port, _, _ := strings.Cut(rest, "/")
	if at := strings.IndexAny(port, "?#"); at >= 0 {
		port = port[:at]
	}
	isPort := port != "" && strings.Trim(port, "0123456789") == ""
	// A user name may stand before the colon too: Normalise refuses those.
	return slices.Contains(foreign, strings.ToLower(name)) || !isPort && !strings.Contains(port, "@")
}

const schemeBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func badURL() error {
	return fault.Coded(fault.Invalid, "bad_url").At("url")
}
