// Package subscribe is where people and feeds meet: adding a feed by URL, leaving it, importing and
// exporting OPML, and moving a feed that changed its address. It writes in the order of DESIGN.md, so
// that a crash at any step leaves something that the next try heals.
package subscribe

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	// UserCap bounds a person's subscriptions (C-13).
	UserCap = 100
	// OwnerCap bounds those of the owner, where nothing else is set.
	OwnerCap = 1000
	// newestUnread is how many items of a feed are unread at the moment of subscribing.
	newestUnread = 20
	// defaultInterval is polled where nobody asks otherwise.
	defaultInterval = 60
)

// Fetcher is the guarded client.
type Fetcher interface {
	Do(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Crawler polls feeds for this room.
type Crawler interface {
	// Hold takes the lease of a URL's part of hosts; the function gives it back.
	Hold(ctx context.Context, url string) (release func(), err error)
	// Adopt commits a response that was fetched for another reason (discovery) as the feed's poll.
	Adopt(ctx context.Context, f *store.FeedRow, resp *fetch.Response) (store.FeedOutcome, error)
	// Repaced gives what changes of a feed's plan with the interval that its row now asks for.
	Repaced(ctx context.Context, f *store.FeedRow) (store.Patch, error)
	// First crawls feeds of one part for the first time.
	First(ctx context.Context, j job.Job) error
}

// Sender takes messages for the crawlers.
type Sender interface {
	Send(ctx context.Context, bodies [][]byte, delay time.Duration) error
}

// Service adds, removes and moves subscriptions.
type Service struct {
	store   *store.Store
	fetch   Fetcher
	crawler Crawler
	queue   Sender
	clock   clock.Clock
	parts   int
	log     *slog.Logger
	owner   int // cap of the owner
	user    int // cap of everybody else
	files   *blob.Bucket
	spare   int // places beyond the cap, for a subscription that takes another's
	atOnce  int // outlines of an import
	recent  *recent
	nap     func(context.Context, time.Duration) error
}

// New binds the service to its seams. parts is as for the orchestrator.
func New(s *store.Store, f Fetcher, c Crawler, q Sender, k clock.Clock, parts int, log *slog.Logger) *Service {
	return &Service{store: s, fetch: f, crawler: c, queue: q, clock: k, parts: parts, log: log, owner: OwnerCap, user: UserCap, atOnce: importers, recent: new(recent), nap: nap}
}

// WithCaps sets how many subscriptions the owner and everybody else may have (C-13); for wiring, before the first use.
func (s *Service) WithCaps(owner, user int) *Service {
	s.owner, s.user = owner, user
	return s
}

// WithNap sets how the service waits, for tests that turn the clock by hand.
func (s *Service) WithNap(nap func(ctx context.Context, d time.Duration) error) *Service {
	s.nap = nap
	return s
}

// WithFiles says where the lists lie that are imported by messages; for wiring, before the first use.
func (s *Service) WithFiles(b *blob.Bucket) *Service {
	s.files = b
	return s
}

// WithImporters sets how many outlines of an import are worked on at once; one after the other, an import takes
// the same steps each time. For wiring, before the first use.
func (s *Service) WithImporters(n int) *Service {
	s.atOnce = n
	return s
}

// Wish is how a person wants a feed.
type Wish struct {
	Title    string
	Folder   []string // path of names, from the outside in; made where it is missing
	Folders  []int32  // numbers in the user's tree, instead of Folder
	Interval int32    // minutes; 0 = the default
	Sample   bool

	since int64 // when it began, in Unix seconds; 0: now
	anew  bool  // the feed was made a moment ago
	// marks gives what the user has starred and labelled, where that was read for many feeds at once.
	marks func(context.Context, reader.UserID) (map[reader.FeedID]*marks, error)
	tight bool // others that subscribe at the same moment may fill the account
}

// Attach subscribes a user to a feed that exists: SUB row, feed row's derived fields, subscription row.
// Attaching twice is harmless; made tells whether the subscription is new.
func (s *Service) Attach(ctx context.Context, u reader.UserID, f *store.FeedRow, w Wish) (made bool, err error) {
	if w.tight, err = s.room(ctx, u); err != nil {
		if _, gone := s.store.Subscriptions.Get(ctx, u, f.ID()); gone != nil {
			return false, err
		}
		return false, nil
	}
	return s.attachAlone(ctx, u, f, w)
}

// attachAlone is attach for one feed, of somebody who is still there then.
func (s *Service) attachAlone(ctx context.Context, u reader.UserID, f *store.FeedRow, w Wish) (made bool, err error) {
	if made, err = s.attach(ctx, u, f, w); err == nil && made {
		err = s.settled(ctx, u)
	}
	if err == nil && made && w.tight {
		if err = s.within(ctx, u, f.ID()); err != nil {
			made = false
		}
	}
	return made, err
}

func (s *Service) attach(ctx context.Context, u reader.UserID, f *store.FeedRow, w Wish) (made bool, err error) {
	had, err := s.count(ctx, u, f, w)
	if err != nil || had {
		return false, err
	}
	folders, err := s.foldersOf(ctx, u, w)
	if err != nil {
		return false, err
	}
	row := store.SubscriptionRow{
		Title: w.Title, Folders: folders, Interval: w.Interval, Sample: w.Sample, Since: cmp.Or(w.since, s.clock.Now().Unix()),
	}
	if f.Seq > newestUnread {
		row.Upto = f.Seq - newestUnread
	}
	if !w.anew {
		if err := s.store.Subscriptions.TakeUp(ctx, u, f.ID(), &row); err != nil {
			return false, err
		}
	}
	// What was starred or labelled before the user left the feed is so still.
	kept, err := s.marksIn(ctx, u, f, &w)
	if err != nil {
		return false, err
	}
	kept.into(&row)
	err = s.store.Subscriptions.Add(ctx, u, f.ID(), row)
	if fault.Is(err, fault.Conflict) {
		return false, nil
	}
	return err == nil, err
}

// foldersOf gives the numbers of the folders that are wished for. The tree is written before the subscription that
// names it: a crash between leaves an empty folder.
func (s *Service) foldersOf(ctx context.Context, u reader.UserID, w Wish) ([]int32, error) {
	if len(w.Folder) == 0 || len(w.Folders) > 0 {
		return w.Folders, nil
	}
	var at reader.FolderID
	_, err := s.store.Trees.Change(ctx, u, func(t *reader.Tree) error {
		at = t.Ensure(w.Folder)
		return nil
	})
	if err != nil || at == 0 {
		return nil, err
	}
	return []int32{int32(at)}, nil
}

// count puts the subscriber's row, and what follows from it. Who is subscribed already keeps the interval
// once asked for; had tells who is.
func (s *Service) count(ctx context.Context, u reader.UserID, f *store.FeedRow, w Wish) (had bool, err error) {
	sub := store.Subscriber{User: u, Interval: w.Interval, At: s.clock.Now().Unix()}
	switch row, err := s.store.Subscriptions.Get(ctx, u, f.ID()); {
	case err == nil:
		sub.Interval, had = row.Interval, true
	case !fault.Is(err, fault.NotFound):
		return false, err
	}
	hooked, err := s.store.Webhooks.WantNew(ctx, u)
	if err != nil {
		return false, err
	}
	if hooked {
		sub.Hooked, sub.Told = s.clock.Now().UnixMilli(), f.Seq
	}
	if err := s.store.Subscriptions.PutSubscriber(ctx, f.ID(), sub); err != nil {
		return false, err
	}
	err = s.derive(ctx, f)
	if isGone(err) {
		// The feed's removal began meanwhile: the row would be one of nobody's.
		err = errors.Join(err, s.store.Subscriptions.RemoveSubscriber(ctx, f.ID(), u))
	}
	return had, err
}

// derive rewrites what the feed row says of its subscribers, from their rows. Both are read, and read
// again after a write until they agree: of two that run at once, the one that writes last sees the
// other's change of the list or is seen by it. Never trust a row read before: another may have left
// meanwhile, and the feed would have a subscriber and no polls.
func (s *Service) derive(ctx context.Context, f *store.FeedRow) error {
	for range maxDerives {
		subs, err := s.store.Subscriptions.Subscribers(ctx, f.ID())
		if err != nil {
			return err
		}
		row, err := s.store.Feeds.Get(ctx, f.ID(), true)
		if err != nil {
			return err
		}
		*f = *row
		if f.Gone > 0 {
			return gone()
		}
		asked, explicit := smallest(subs)
		hooked := slices.ContainsFunc(subs, func(x store.Subscriber) bool { return x.Hooked > 0 })
		if f.Subs == int32(len(subs)) && f.Asked == asked && f.Explicit == explicit && f.Hooked == hooked {
			return nil
		}
		p := store.Patch{"subs": int32(len(subs)), "asked": asked, "explicit": explicit, "hooked": hooked, "alone": int64(0)}
		if len(subs) == 0 {
			p["alone"] = s.clock.Now().Unix()
		}
		conds := []table.Cond{table.IfEqual("gone", int64(0))}
		if len(subs) > 0 && (f.Asked != asked || f.Explicit != explicit) {
			next := *f
			next.Subs, next.Asked, next.Explicit = int32(len(subs)), asked, explicit
			plan, err := s.crawler.Repaced(ctx, &next)
			if err != nil {
				return err
			}
			maps.Copy(p, plan)
			conds = append(conds, table.IfEqual("first", f.First), table.IfEqual("period", f.Period))
		}
		// A poll that moved the feed meanwhile goes before: its row is read, and the plan made anew.
		_, err = s.store.Feeds.Update(ctx, f.ID(), p, conds...)
		if err == nil && len(subs) == 0 && reader.IsPrivateURL(f.URL) {
			// What the nightly tidying does too; a message that is lost costs a day.
			err = s.queue.Send(ctx, [][]byte{job.Job{Kind: job.Collect, Feeds: []reader.FeedID{f.ID()}}.Encode()}, undoTime)
		}
		if err != nil && !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return fault.New(fault.Unavailable, "subscribers_contended", "subscribe: derive", nil)
}

// undoTime is how long a private feed outlives its last subscriber: as long as the page offers to take leaving back.
const undoTime = time.Minute

// maxDerives bounds how often derive starts again.
const maxDerives = 10

// smallest is the interval that the most eager subscriber asks for, within 30 to 720 minutes.
func smallest(subs []store.Subscriber) (asked int32, explicit bool) {
	for _, sub := range subs {
		if sub.Interval > 0 && (!explicit || sub.Interval < asked) {
			asked, explicit = min(max(sub.Interval, 30), 720), true
		}
	}
	if !explicit || len(subs) > 0 && asked > defaultInterval && someDefault(subs) {
		return defaultInterval, false
	}
	return asked, explicit
}

func someDefault(subs []store.Subscriber) bool {
	for _, sub := range subs {
		if sub.Interval == 0 {
			return true
		}
	}
	return false
}

// Leave takes a user's subscription away, in the reverse order; what was read is kept for a day. The feed stays; with its last
// subscriber it is no longer polled, and collected after a week; one whose address holds a password after a minute. Leaving again heals what a crash left.
func (s *Service) Leave(ctx context.Context, u reader.UserID, id reader.FeedID) error {
	row, missing := s.store.Subscriptions.Get(ctx, u, id)
	if missing != nil && !fault.Is(missing, fault.NotFound) {
		return missing
	}
	if missing != nil {
		subs, err := s.store.Subscriptions.Subscribers(ctx, id)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(subs, func(x store.Subscriber) bool { return x.User == u }) {
			// An earlier try may have died before it counted: the feed would be polled for nobody.
			if err := s.recount(ctx, id); err != nil {
				return err
			}
			return missing
		}
	}
	if missing == nil {
		if err := s.store.Subscriptions.PutLeft(ctx, u, row, s.clock.Now()); err != nil {
			return err
		}
	}
	if err := s.store.Subscriptions.Remove(ctx, u, id); err != nil {
		return err
	}
	if err := s.store.Subscriptions.RemoveSubscriber(ctx, id, u); err != nil {
		return err
	}
	return s.recount(ctx, id)
}

// Resume lets a stopped feed take part in the wheel again, from the next tick on that its publisher's
// gap since the last poll allows.
func (s *Service) Resume(ctx context.Context, id reader.FeedID) (*store.FeedRow, error) {
	f, err := s.store.Feeds.Get(ctx, id, true)
	if err != nil {
		return nil, err
	}
	if f.Status != string(reader.StatusStopped) {
		return nil, fault.Newf(fault.Conflict, "feed_not_stopped", "This feed is not stopped.")
	}
	now := s.clock.Now()
	first := max(schedule.TickOf(now)+1, schedule.CeilTick(time.Unix(f.NotBefore, 0)))
	if f.Polled > 0 {
		first = max(first, schedule.OffTurn(schedule.TickOf(time.Unix(f.Polled, 0)), f.Period))
	}
	return s.store.Feeds.Update(ctx, id, store.Patch{
		"status": string(reader.StatusActive), "errors": int32(0), "parseErrs": int32(0), "err": "", "errText": "",
		"errSince": int64(0), "first": int32(first), "probe": int64(0), "proposed": "", "proposedWhy": "",
	}, table.IfEqual("status", f.Status))
}

// atOneMoment is how many subscriptions a user may be making at once without their being counted again afterwards.
const atOneMoment = 20

// room refuses when a user is at the cap, and tells whether the cap is near.
func (s *Service) room(ctx context.Context, u reader.UserID) (tight bool, err error) {
	a, err := s.store.Accounts.Get(ctx, u)
	if err != nil {
		return false, err
	}
	n, limit := 0, s.Cap(a)+s.spare
	if err := s.store.Subscriptions.Each(ctx, u, func(*store.SubscriptionRow) error { n++; return nil }); err != nil {
		return false, err
	}
	if n >= limit {
		return true, full(n)
	}
	return n+atOneMoment > limit, nil
}

func full(n int) error {
	return fault.Newf(fault.Conflict, "subscription_limit",
		"You have %d subscriptions, which is as many as this account may have. Unsubscribe from a feed to make room.", n)
}

// within counts once more after a subscription was made near the cap, and takes it away again when others were made
// meanwhile: whoever of them counts last sees all that stay, so the cap is never passed.
func (s *Service) within(ctx context.Context, u reader.UserID, f reader.FeedID) error {
	a, err := s.store.Accounts.Get(ctx, u)
	if err != nil {
		return err
	}
	n, limit := 0, s.Cap(a)+s.spare
	if err := s.store.Subscriptions.EachLatest(ctx, u, func(*store.SubscriptionRow) error { n++; return nil }); err != nil {
		return err
	}
	if n <= limit {
		return nil
	}
	if err := s.Leave(ctx, u, f); err != nil {
		return err
	}
	return full(limit)
}

// Cap is how many subscriptions an account may have.
func (s *Service) Cap(a *store.Account) int {
	if a.Owner {
		return s.owner
	}
	return s.user
}

// fresh is how a feed row starts: scheduled in an hour, so that a first crawl that dies is made up for.
func (s *Service) fresh(title, site string) func(reader.FeedID) store.FeedRow {
	now := schedule.TickOf(s.clock.Now())
	return func(reader.FeedID) store.FeedRow {
		return store.FeedRow{
			Title: title, Site: site, First: int32(now + 4), Period: schedule.PeriodFor(defaultInterval * time.Minute),
			Asked: defaultInterval, Status: string(reader.StatusWaiting),
		}
	}
}

// maxURL bounds an address that is stored.
const maxURL = 2000

// Normalise reads an address as a person types it: feed: and missing schemes are completed, fragments
// dropped. What is no http address is fault.Invalid "bad_url".
func Normalise(raw string) (string, error) {
	s, _ := withScheme(raw)
	if s == "" || len(s) > maxURL {
		return "", badURL("Enter the address of a feed or of a site.")
	}
	u, err := url.Parse(s)
	if err == nil {
		u.Scheme = strings.ToLower(u.Scheme)
	}
	beforeAt, _, _ := strings.Cut(raw, "@")
	switch {
	case err == nil && u.Scheme != "http" && u.Scheme != "https":
		return "", badURL("Only http and https addresses can be read.")
	case err != nil, u.Hostname() == "":
		return "", badURL("This is not a complete address. It should look like https://example.org/feed.")
	case u.User != nil && !strings.Contains(beforeAt, "://"):
		// Without a scheme it may as well be somebody's mailbox, or have a scheme that is none of the web.
		return "", badURL("Only http and https addresses can be read. One with a user name and a password begins with https://.")
	}
	u.Host = strings.ToLower(u.Host)
	if u.Path == "" {
		u.Path = "/"
	}
	u.Fragment = ""
	if s = u.String(); len(s) > maxURL { // escapes make it longer
		return "", badURL("This address is too long.")
	}
	return s, nil
}

// withScheme completes an address that has no scheme, and tells whether it had one. feed://example.org stands for
// https://example.org, and feed: before an address for nothing.
func withScheme(raw string) (s string, given bool) {
	const feed = "feed:"
	s = strings.TrimSpace(raw)
	if len(s) >= len(feed) && strings.EqualFold(s[:len(feed)], feed) {
		if s = s[len(feed):]; strings.HasPrefix(s, "//") {
			return "https:" + s, false
		}
	}
	if s == "" || hasScheme(s) {
		return s, true
	}
	return "https://" + s, false
}

// foreign are schemes that are not taken for host names, whatever follows: a port may, as in example.org:8080.
var foreign = []string{"about", "data", "file", "ftp", "ftps", "gemini", "gopher", "javascript", "mailto", "sftp", "sms", "tel"}

// hasScheme tells "ftp:x" and "https://x" from "example.org:8080/x".
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

func badURL(message string) error {
	return fault.Newf(fault.Invalid, "bad_url", "%s", message).At("url")
}
