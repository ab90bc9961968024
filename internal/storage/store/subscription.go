package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// SubscriptionRow is a subscription with its read state, so that a side bar is one query and any marking one write.
type SubscriptionRow struct {
	rowKey

	// Damaged reports that the row cannot be decoded, and this is a stand-in.
	Damaged bool `dynamo:"-"`

	Title string `dynamo:"title,omitempty"` // the user's own
	// Folders are numbers in the user's tree (P#tree); missing ones do not count. None: at the top.
	Folders []reader.FolderID `dynamo:"folders,omitempty"`
	// among the feeds of a folder: the smaller first, then by title
	Position int32 `dynamo:"position,omitempty"`
	Since    int64 `dynamo:"since"`              // Unix seconds
	Interval int32 `dynamo:"interval,omitempty"` // minutes asked; 0 = the default
	Mute     bool  `dynamo:"mute,omitempty"`     // not among all items, nor in the counts over all
	FullText bool  `dynamo:"fullText,omitempty"` // items open with the text of the page they link to
	Notify   bool  `dynamo:"notify,omitempty"`   // the user's devices are notified of new items
	Sample   bool  `dynamo:"sample,omitempty"`
	// NeverCount: no provider is asked for counts of the feed's items. The subscriber row has it for the feed.
	NeverCount bool `dynamo:"neverCount,omitempty"`
	// OwnRev counts the changes of settings: see Change.
	OwnRev int64 `dynamo:"ownRev,omitempty"`

	// Ruled is the seq up to which rules were applied.
	Ruled uint32 `dynamo:"ruled,omitempty"`
	// Shown are items that rules hid and a person asked to see again: no rule takes them away a second time.
	Shown []byte `dynamo:"shown,omitempty"`

	// Rev is the version that every change of the reading is conditioned on; the rest is reader.State.
	Rev   int64  `dynamo:"rev,omitempty"`
	Upto  uint32 `dynamo:"upto,omitempty"`
	Runs  []byte `dynamo:"runs,omitempty"`
	Stars []byte `dynamo:"stars,omitempty"`
	// Hid are the items that rules hid, Labels those with each label, Ops the last operation of each device.
	Hid    []byte `dynamo:"hid,omitempty"`
	Labels []byte `dynamo:"labels,omitempty"`
	Ops    []byte `dynamo:"ops,omitempty"`
	// Tally is what was read by day.
	Tally []byte `dynamo:"tally,omitempty"`
	// Notes are the person's recent activity, in any feed.
	Notes []byte `dynamo:"notes,omitempty"`
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
	PrevMark   int64  `dynamo:"prevMark,omitempty"`
	// Applied is up to which number the reading includes the user's positions.
	Applied int64 `dynamo:"applied,omitempty"`

	// positions are the user's as they were read with the row; those above Applied are part of the reading.
	positions *reader.Positions
}

// NewSubscription returns the row of a subscription that begins now: the newest items of the feed are unread.
func NewSubscription(f *FeedRow) SubscriptionRow {
	return SubscriptionRow{Upto: uint32(reader.NewReadState(reader.Seq(f.Seq)).Upto)}
}

// StateIn returns the read state in the feed: the row's with the user's positions. If the subscription is older than
// the first crawl and unchanged since, the newest items of that crawl are unread.
func (r *SubscriptionRow) StateIn(f *FeedRow) reader.State {
	s := r.state()
	if r.Rev == 0 && r.Upto == 0 {
		s.Upto = reader.NewReadState(reader.Seq(f.FirstSeq)).Upto
	}
	return r.positions.In(r.Feed(), s)
}

// Untouched reports whether the read state was never changed.
func (r *SubscriptionRow) Untouched() bool {
	return r.Rev == 0 && r.positions.Pending(r.Feed(), r.Applied) == 0
}

// Pending counts the marks that are in the user's positions and not yet in the row.
func (r *SubscriptionRow) Pending() int { return r.positions.Pending(r.Feed(), r.Applied) }

// Positions are the user's, as they were read with the row.
func (r *SubscriptionRow) Positions() *reader.Positions { return r.positions }

// Under returns the row with other positions of the user.
func (r SubscriptionRow) Under(p *reader.Positions) *SubscriptionRow {
	r.positions = p
	return &r
}

// state is the read state as the row has it, without the user's positions.
func (r *SubscriptionRow) state() reader.State {
	return reader.State{
		ReadState: reader.ReadState{Upto: reader.Seq(r.Upto), Runs: r.Runs},
		Stars:     r.Stars, Hid: r.Hid, Labels: r.Labels, Devices: r.Ops, Tally: r.Tally, ReadAt: r.ReadAt,
		Version: r.Rev,
		Prev: reader.Prev{
			Version: r.PrevRev, Upto: reader.Seq(r.PrevUpto), Runs: r.PrevRuns, ReadAt: r.PrevReadAt,
			Read: r.PrevRead, Unread: r.PrevUnread, Counted: r.PrevTally, Mark: r.PrevMark,
		},
		Applied: r.Applied,
	}
}

// WithState returns the row with another read state.
func (r SubscriptionRow) WithState(s reader.State) SubscriptionRow {
	r.Upto, r.Runs, r.Stars, r.ReadAt, r.Rev = uint32(s.Upto), s.Runs, s.Stars, s.ReadAt, s.Version
	r.Hid, r.Labels, r.Ops, r.Tally = s.Hid, s.Labels, s.Devices, s.Tally
	p := s.Prev
	r.PrevRev, r.PrevUpto, r.PrevRuns, r.PrevReadAt = p.Version, uint32(p.Upto), p.Runs, p.ReadAt
	r.PrevRead, r.PrevUnread, r.PrevTally, r.PrevMark = p.Read, p.Unread, p.Counted, p.Mark
	r.Applied = s.Applied
	return r
}

// Bytes estimates the row's bytes in the table.
func (r *SubscriptionRow) Bytes() int {
	return 170 + len(r.PK) + len(r.Title) + len(r.Runs) + len(r.Stars) + len(r.Hid) + len(r.Labels) + len(r.Ops) +
		len(r.PrevRuns) + len(r.PrevRead) + len(r.PrevUnread) + len(r.Tally) + len(r.PrevTally) + len(r.Notes) +
		4*len(r.Folders)
}

// Feed is the number of the feed subscribed to, from the row's key.
func (r *SubscriptionRow) Feed() reader.FeedID {
	return parseFeedSK(strings.TrimPrefix(r.SK, subscriptionsPrefix))
}

// In reports whether the subscription is in any of some folders.
func (r *SubscriptionRow) In(folders []reader.FolderID) bool {
	return slices.ContainsFunc(r.Folders, func(f reader.FolderID) bool { return slices.Contains(folders, f) })
}

// Subscriber is the part of a user's subscription that concerns the crawler.
type Subscriber struct {
	rowKey
	User     reader.UserID `dynamo:"-"`                  // from the key
	Interval int32         `dynamo:"interval,omitempty"` // minutes; 0 = the default
	// At is when the row was written, in Unix seconds: the age of one that a crash left without its subscription.
	At int64 `dynamo:"at,omitempty"`
	// NoCounts is SubscriptionRow.NeverCount.
	NoCounts bool `dynamo:"noCounts,omitempty"`
	// Hooked is since when a webhook wants new items, in Unix milliseconds, 0 for none. It is negative while those that
	// came before the row said so are still to be sent.
	Hooked int64 `dynamo:"hooked,omitempty"`
	// Noted: the user has devices, which may be notified of new items (package push).
	Noted bool `dynamo:"noted,omitempty"`
}

// IsHooked reports whether webhooks or devices want new items.
func (s Subscriber) IsHooked() bool { return s.Hooked != 0 || s.Noted }

func (s *Subscriber) setUser() { s.User = reader.UserID(strings.TrimPrefix(s.SK, "SUB#")) }

// Subscriptions reads and writes subscription rows, and the subscriber rows in the partitions of feeds.
type Subscriptions struct {
	t      *table.Table
	damage *damage
}

// Get reads a subscription with the user's positions, consistently: it is read to be changed.
func (s *Subscriptions) Get(ctx context.Context, u reader.UserID, f reader.FeedID) (*SubscriptionRow, error) {
	var row *SubscriptionRow
	var p *reader.Positions
	key := subscriptionKey(u, f)
	err := s.t.BatchGet(ctx, []table.Key{positionsKey(u), key}, func(r table.Row) (err error) {
		if r.Key != key {
			p, err = decodePositions(r)
			return err
		}
		row = new(SubscriptionRow)
		return r.Decode(row)
	}, table.Consistent())
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, fault.New(fault.NotFound, "feed_not_found", "store: get", nil)
	}
	row.positions = p
	return row, nil
}

// GetUnder is Get for lists, where the caller has the user's positions.
func (s *Subscriptions) GetUnder(ctx context.Context, u reader.UserID, f reader.FeedID,
	p *reader.Positions) (*SubscriptionRow, error) {
	r, err := s.t.GetRow(ctx, subscriptionKey(u, f), table.Consistent())
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "feed_not_found", "store: get", nil)
	}
	if err != nil {
		return nil, err
	}
	row, err := s.damage.subscription(r)
	if err == nil {
		row.positions = p
	}
	return row, err
}

// Check returns an error if there is no such subscription, or none can be read.
func (s *Subscriptions) Check(ctx context.Context, u reader.UserID, f reader.FeedID) error {
	_, err := get[SubscriptionRow](ctx, s.t, subscriptionKey(u, f), "feed_not_found", table.Consistent())
	return err
}

// Each streams a user's subscriptions in order of feed number.
func (s *Subscriptions) Each(ctx context.Context, u reader.UserID, each func(*SubscriptionRow) error) error {
	return s.each(ctx, u, false, each)
}

// EachLatest is Each that sees every acknowledged write, for decisions that depend on it.
func (s *Subscriptions) EachLatest(ctx context.Context, u reader.UserID, each func(*SubscriptionRow) error) error {
	return s.each(ctx, u, true, each)
}

func (s *Subscriptions) each(ctx context.Context, u reader.UserID, latest bool, do func(*SubscriptionRow) error) error {
	_, err := s.query(ctx, u, positionsKey(u).SK, "S$", latest, do)
	return err
}

// Add writes a subscription if there is none, else Conflict. Earlier marks of several feeds do not apply to it.
func (s *Subscriptions) Add(ctx context.Context, u reader.UserID, f reader.FeedID, row SubscriptionRow) (err error) {
	if row.positions, err = s.Positions(ctx, u); err != nil {
		return err
	}
	if row.positions != nil {
		row.Applied = row.positions.Number
	}
	return put(ctx, s.t, subscriptionKey(u, f), &row, table.IfAbsent())
}

var subscriptionColumns = columnsOf[SubscriptionRow]()

// Change writes the differences between the row that was read and next, and returns the stored row. A next row with
// another revision has another read state: it is written if neither state nor settings changed since. Otherwise
// settings are written if no setting changed; the revision stays, so that undo and the wait for a first crawl go on.
// Conflict if the condition fails. Without differences nothing is written.
func (s *Subscriptions) Change(ctx context.Context, u reader.UserID, read, next *SubscriptionRow) (*SubscriptionRow,
	error) {
	unchanged := []table.Cond{table.IfPresent(), table.IfEqual("ownRev", read.OwnRev)}
	if next.Rev != read.Rev {
		if err := s.t.Put(ctx, next, append(unchanged, table.IfEqual("rev", read.Rev))...); err != nil {
			return nil, err
		}
		return next, nil
	}
	upd := diff(subscriptionColumns, read, next)
	if empty(upd) {
		return read, nil
	}
	upd.Set["ownRev"] = read.OwnRev + 1
	upd.If = unchanged
	var row SubscriptionRow
	upd.Return, upd.Into = table.ReturnNew, &row
	if err := s.t.Update(ctx, subscriptionKey(u, read.Feed()), upd); err != nil {
		return nil, err
	}
	row.positions = read.positions
	return &row, nil
}

// ChangeState is Change of the read state alone.
func (s *Subscriptions) ChangeState(ctx context.Context, u reader.UserID, read *SubscriptionRow,
	state reader.State) (*SubscriptionRow, error) {
	next := read.WithState(state)
	return s.Change(ctx, u, read, &next)
}

// Refile puts a user's feeds of one folder into another. Repeating it does what was left.
func (s *Subscriptions) Refile(ctx context.Context, u reader.UserID, from, to reader.FolderID) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(refiledAtOnce)
	err := s.EachLatest(ctx, u, func(row *SubscriptionRow) error {
		if slices.Contains(row.Folders, from) {
			g.Go(func() error { return s.refile(gctx, u, row, from, to) })
		}
		return nil
	})
	return cmp.Or(g.Wait(), err)
}

const refiledAtOnce = 8

func (s *Subscriptions) refile(ctx context.Context, u reader.UserID, row *SubscriptionRow,
	from, to reader.FolderID) error {
	id := row.Feed()
	err := Retry("settings_contended", func() (err error) {
		if row == nil {
			if row, err = s.Get(ctx, u, id); err != nil {
				return err
			}
		}
		next := *row
		next.Folders = nil
		for _, f := range row.Folders {
			if f == from {
				f = to
			}
			if !slices.Contains(next.Folders, f) {
				next.Folders = append(next.Folders, f)
			}
		}
		_, err = s.Change(ctx, u, row, &next)
		row = nil // after a lost race it is read again
		return err
	})
	return fault.Ignore(err, fault.NotFound) // unsubscribed meanwhile
}

// Remove deletes a user's subscription; absent is success.
func (s *Subscriptions) Remove(ctx context.Context, u reader.UserID, f reader.FeedID) error {
	return s.t.Delete(ctx, subscriptionKey(u, f))
}

// PutSubscriber writes a subscription's row in the feed's partition, for the crawler. Hooked stays if it is there.
func (s *Subscriptions) PutSubscriber(ctx context.Context, f reader.FeedID, sub Subscriber) error {
	u := table.Update{Set: map[string]any{"v": SchemaVersion}}
	patch{"interval": sub.Interval, "at": sub.At, "noCounts": sub.NoCounts, "noted": sub.Noted}.into(&u)
	if sub.Hooked != 0 {
		u.SetIfMissing = map[string]any{"hooked": sub.Hooked}
	}
	return s.t.Update(ctx, subscriberKey(f, sub.User), u)
}

// SetAsked writes what a subscriber's settings say for the crawler.
func (s *Subscriptions) SetAsked(ctx context.Context, f reader.FeedID, u reader.UserID, interval int32,
	noCounts bool) error {
	upd := table.Update{Set: map[string]any{"v": SchemaVersion}}
	patch{"interval": interval, "noCounts": noCounts}.into(&upd)
	return s.t.Update(ctx, subscriberKey(f, u), upd)
}

// RemoveSubscriber deletes a subscriber row.
func (s *Subscriptions) RemoveSubscriber(ctx context.Context, f reader.FeedID, u reader.UserID) error {
	return s.t.Delete(ctx, subscriberKey(f, u))
}

// RemoveAbandoned deletes a subscriber row unless it was written again since it was read.
func (s *Subscriptions) RemoveAbandoned(ctx context.Context, f reader.FeedID, sub Subscriber) error {
	return ignoreConflict(s.t.Delete(ctx, subscriberKey(f, sub.User), table.IfEqual("at", sub.At)))
}

// Subscriber reads one user's subscriber row, consistently; NotFound when the user has not subscribed.
func (s *Subscriptions) Subscriber(ctx context.Context, f reader.FeedID, u reader.UserID) (Subscriber, error) {
	sub, err := get[Subscriber](ctx, s.t, subscriberKey(f, u), "row_not_found", table.Consistent())
	if err != nil {
		return Subscriber{}, err
	}
	sub.setUser()
	return *sub, nil
}

// Subscribers lists a feed's subscribers, consistently: the feed's interval is derived from them.
func (s *Subscriptions) Subscribers(ctx context.Context, f reader.FeedID) ([]Subscriber, error) {
	var subs []Subscriber
	for row, err := range rows[Subscriber](ctx, s.t, table.Query{PK: feedPK(f), Prefix: "SUB#", Consistent: true}) {
		if err != nil {
			return nil, err
		}
		row.setUser()
		subs = append(subs, *row)
	}
	return subs, nil
}
