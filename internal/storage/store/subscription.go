package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// SubscriptionRow is one user's subscription to one feed and the read state in it: one row, so that a
// side bar is one query and marking one item or a thousand is one write.
type SubscriptionRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	Title string `dynamo:"title,omitempty"` // the user's own
	// Folders are numbers of the user's tree (P#tree); those that are not there any more do not count. None: at
	// the top.
	Folders  []int32 `dynamo:"folders,omitempty"`
	Position int32   `dynamo:"position,omitempty"` // among the feeds of a folder: the smaller first, then by title
	Since    int64   `dynamo:"since"`              // Unix seconds
	Interval int32   `dynamo:"interval,omitempty"` // minutes asked; 0 = the default
	Mute     bool    `dynamo:"mute,omitempty"`     // not among all items, nor in the counts over all
	FullText bool    `dynamo:"fullText,omitempty"` // items open with the text of the page they link to
	Notify   bool    `dynamo:"notify,omitempty"`   // new items are told to the user's devices
	Sample   bool    `dynamo:"sample,omitempty"`
	// OwnRev counts the changes of what is no reading: see Change.
	OwnRev int64 `dynamo:"ownRev,omitempty"`

	// Ruled is the seq up to which rules have judged.
	Ruled uint32 `dynamo:"ruled,omitempty"`
	// Shown are items that rules hid and a person asked to see again: no rule takes them away a second time.
	Shown []byte `dynamo:"shown,omitempty"`

	// Rev is the version that every change of the reading is conditioned on; the rest is reader.State.
	Rev   int64  `dynamo:"rev,omitempty"`
	Upto  uint32 `dynamo:"upto,omitempty"`
	Runs  []byte `dynamo:"runs,omitempty"`
	Stars []byte `dynamo:"stars,omitempty"`
	// Hid are the items that rules hid, Labels those with each label, Ops what each device said last.
	Hid    []byte `dynamo:"hid,omitempty"`
	Labels []byte `dynamo:"labels,omitempty"`
	Ops    []byte `dynamo:"ops,omitempty"`
	// Tally is what was read by day.
	Tally []byte `dynamo:"tally,omitempty"`
	// ReadAt is when the feed as a whole was last marked read, in Unix milliseconds.
	ReadAt int64 `dynamo:"readAt,omitempty"`
	// The reading before the last mark of many, for undo.
	PrevRev    int64  `dynamo:"prevRev,omitempty"`
	PrevUpto   uint32 `dynamo:"prevUpto,omitempty"`
	PrevRuns   []byte `dynamo:"prevRuns,omitempty"`
	PrevReadAt int64  `dynamo:"prevReadAt,omitempty"`
	PrevRead   []byte `dynamo:"prevRead,omitempty"`
	PrevUnread []byte `dynamo:"prevUnread,omitempty"`
	PrevTally  []byte `dynamo:"prevTally,omitempty"`
}

// State gives the row's read state.
func (r *SubscriptionRow) State() reader.State {
	return reader.State{
		ReadState: reader.ReadState{Upto: reader.Seq(r.Upto), Runs: r.Runs},
		Stars:     r.Stars, Hid: r.Hid, Labels: r.Labels, Devices: r.Ops, Tally: r.Tally, ReadAt: r.ReadAt, Version: r.Rev,
		Prev: reader.Prev{
			Version: r.PrevRev, Upto: reader.Seq(r.PrevUpto), Runs: r.PrevRuns, ReadAt: r.PrevReadAt,
			Read: r.PrevRead, Unread: r.PrevUnread, Counted: r.PrevTally,
		},
	}
}

// WithState gives the row with another read state.
func (r SubscriptionRow) WithState(s reader.State) SubscriptionRow {
	r.Upto, r.Runs, r.Stars, r.ReadAt, r.Rev = uint32(s.Upto), s.Runs, s.Stars, s.ReadAt, s.Version
	r.Hid, r.Labels, r.Ops, r.Tally = s.Hid, s.Labels, s.Devices, s.Tally
	p := s.Prev
	r.PrevRev, r.PrevUpto, r.PrevRuns, r.PrevReadAt = p.Version, uint32(p.Upto), p.Runs, p.ReadAt
	r.PrevRead, r.PrevUnread, r.PrevTally = p.Read, p.Unread, p.Counted
	return r
}

// Bytes estimates the row's bytes in the table.
func (r *SubscriptionRow) Bytes() int {
	return 170 + len(r.PK) + len(r.Title) + len(r.Runs) + len(r.Stars) + len(r.Hid) + len(r.Labels) + len(r.Ops) +
		len(r.PrevRuns) + len(r.PrevRead) + len(r.PrevUnread) + len(r.Tally) + len(r.PrevTally) + 4*len(r.Folders)
}

// Feed is the number of the feed subscribed to, from the row's key.
func (r *SubscriptionRow) Feed() reader.FeedID {
	n, _ := strconv.Atoi(strings.TrimPrefix(r.SK, "S#"))
	return reader.FeedID(n)
}

// Subscriber is what one user's subscription asks of the crawler.
type Subscriber struct {
	User     reader.UserID
	Interval int32 // minutes; 0 = no wish
	// At is when it was put, in Unix seconds: what a crash left alone is judged by its age.
	At int64
	// Hooked is since when a webhook of the user wants the feed's new items, in Unix milliseconds, 0 when none does;
	// Told is the seq up to which they were told.
	Hooked int64
	Told   uint32
}

type subscriberRow struct {
	PK       string `dynamo:"pk"`
	SK       string `dynamo:"sk"`
	V        int    `dynamo:"v"`
	Interval int32  `dynamo:"interval,omitempty"`
	At       int64  `dynamo:"at,omitempty"`
	Hooked   int64  `dynamo:"hooked,omitempty"`
	Told     uint32 `dynamo:"told,omitempty"`
}

// Subscriptions reads and writes subscription rows and their mirror beside the feed.
type Subscriptions struct{ t *table.Table }

// Get reads a subscription consistently: it is read to be changed.
func (s *Subscriptions) Get(ctx context.Context, u reader.UserID, f reader.FeedID) (*SubscriptionRow, error) {
	var row SubscriptionRow
	if err := s.t.Get(ctx, subscriptionKey(u, f), &row, table.Consistent()); err != nil {
		if fault.Is(err, fault.NotFound) {
			return nil, fault.New(fault.NotFound, "feed_not_found", "store: subscription", err)
		}
		return nil, err
	}
	return &row, nil
}

// Each streams a user's subscriptions in order of feed number.
func (s *Subscriptions) Each(ctx context.Context, u reader.UserID, each func(*SubscriptionRow) error) error {
	return s.each(ctx, u, false, each)
}

// EachLatest is Each that sees every acknowledged write: for what decides by it.
func (s *Subscriptions) EachLatest(ctx context.Context, u reader.UserID, each func(*SubscriptionRow) error) error {
	return s.each(ctx, u, true, each)
}

func (s *Subscriptions) each(ctx context.Context, u reader.UserID, latest bool, each func(*SubscriptionRow) error) error {
	return s.t.Each(ctx, table.Query{PK: userPK(u), Prefix: "S#", Consistent: latest}, func(it table.Row) error {
		row := new(SubscriptionRow)
		if err := it.Decode(row); err != nil {
			return err
		}
		return each(row)
	})
}

// Version gives a number that changes whenever a row of the user's partition may have; exact is false
// on engines that cannot tell.
func (s *Subscriptions) Version(ctx context.Context, u reader.UserID) (v uint64, exact bool) {
	return s.t.Version(ctx, userPK(u))
}

// Add writes a subscription if there is none; Conflict when there is.
func (s *Subscriptions) Add(ctx context.Context, u reader.UserID, f reader.FeedID, row SubscriptionRow) error {
	k := subscriptionKey(u, f)
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	return s.t.Put(ctx, row, table.IfAbsent())
}

// Replace writes a subscription with another reading if the row is still as it was read: of that revision, and
// with no change of its own settings since. The new row must have another revision.
func (s *Subscriptions) Replace(ctx context.Context, row SubscriptionRow, read int64) error {
	return s.t.Put(ctx, row, table.IfPresent(), table.IfEqual("rev", read), table.IfEqual("ownRev", row.OwnRev))
}

// Change sets attributes that are no reading (title, folders, hid, ...) if nobody else changed such since the row
// was read, and gives the row as it then is. The reading's revision stays: a change of settings makes no undo
// stale, and a subscription that waits for its first crawl still waits. Zero values remove the attribute.
func (s *Subscriptions) Change(ctx context.Context, u reader.UserID, row *SubscriptionRow, p Patch) (*SubscriptionRow, error) {
	upd := table.Update{
		Set: map[string]any{"ownRev": row.OwnRev + 1}, If: []table.Cond{table.IfPresent(), table.IfEqual("ownRev", row.OwnRev)},
		Return: table.ReturnNew,
	}
	p.into(&upd)
	var now SubscriptionRow
	upd.Into = &now
	if err := s.t.Update(ctx, subscriptionKey(u, row.Feed()), upd); err != nil {
		return nil, err
	}
	return &now, nil
}

// Remove deletes a user's subscription; absent is success.
func (s *Subscriptions) Remove(ctx context.Context, u reader.UserID, f reader.FeedID) error {
	return s.t.Delete(ctx, subscriptionKey(u, f))
}

// PutSubscriber mirrors a subscription beside the feed, for the crawler. What webhooks were told stays, and without a
// Hooked so does whether they want to be.
func (s *Subscriptions) PutSubscriber(ctx context.Context, f reader.FeedID, sub Subscriber) error {
	u := table.Update{Set: map[string]any{"v": SchemaVersion}}
	Patch{"interval": sub.Interval, "at": sub.At}.into(&u)
	if sub.Hooked > 0 {
		u.SetIfMissing = map[string]any{"hooked": sub.Hooked, "told": sub.Told}
	}
	return s.t.Update(ctx, subscriberKey(f, sub.User), u)
}

// RemoveSubscriber takes the mirror away.
func (s *Subscriptions) RemoveSubscriber(ctx context.Context, f reader.FeedID, u reader.UserID) error {
	return s.t.Delete(ctx, subscriberKey(f, u))
}

// RemoveAbandoned takes a mirror away that was put at a time and not since.
func (s *Subscriptions) RemoveAbandoned(ctx context.Context, f reader.FeedID, sub Subscriber) error {
	err := s.t.Delete(ctx, subscriberKey(f, sub.User), table.IfEqual("at", sub.At))
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// Subscriber gives one user's mirror, consistently; NotFound when the user does not read the feed.
func (s *Subscriptions) Subscriber(ctx context.Context, f reader.FeedID, u reader.UserID) (Subscriber, error) {
	var row subscriberRow
	err := s.t.Get(ctx, subscriberKey(f, u), &row, table.Consistent())
	return row.subscriber(), err
}

func (r *subscriberRow) subscriber() Subscriber {
	return Subscriber{
		User:     reader.UserID(strings.TrimPrefix(r.SK, "SUB#")),
		Interval: r.Interval, At: r.At, Hooked: r.Hooked, Told: r.Told,
	}
}

// Subscribers lists who reads a feed, consistently: the feed's interval is derived from it.
func (s *Subscriptions) Subscribers(ctx context.Context, f reader.FeedID) ([]Subscriber, error) {
	var subs []Subscriber
	err := s.t.Each(ctx, table.Query{PK: feedPK(f), Prefix: "SUB#", Consistent: true}, func(it table.Row) error {
		var row subscriberRow
		if err := it.Decode(&row); err != nil {
			return err
		}
		subs = append(subs, row.subscriber())
		return nil
	})
	return subs, err
}
