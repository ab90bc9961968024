package store

import (
	"context"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// FeedRow is what the service knows of one feed, for all its subscribers: schedule, state of the last fetch, range of
// items. It is written only when something changed. Times are Unix seconds, zero meaning never.
type FeedRow struct {
	rowKey

	// Damaged reports that the row cannot be decoded, and this is a stand-in.
	Damaged bool `dynamo:"-"`

	// Kind is KindWatch for a watch; empty for a feed that a publisher offers.
	Kind string `dynamo:"kind,omitempty"`
	// Paused says that the owner of a watch wants no crawls for now.
	Paused bool `dynamo:"paused,omitempty"`

	URL   string `dynamo:"url"` // of a watch that of the first page
	Title string `dynamo:"title,omitempty"`
	About string `dynamo:"about,omitempty"` // the publisher's description, cut to a paragraph
	Site  string `dynamo:"site,omitempty"`
	Lang  string `dynamo:"lang,omitempty"`
	Icon  string `dynamo:"icon,omitempty"` // the image that the feed itself names
	// IconHash names the icon's blob (IconBlobKey), empty without one; IconAt is when it was last looked for.
	IconHash []byte `dynamo:"iconHash,omitempty"`
	IconAt   int64  `dynamo:"iconAt,omitempty"`

	// Turns: the feed is polled at each tick t with t >= First and (t-First)%Period == 0.
	First  int32 `dynamo:"first"`
	Period int32 `dynamo:"period"`
	// Polled is the time of the last claim off the feed's turn; turns themselves write nothing.
	Polled int64 `dynamo:"polled,omitempty"`
	// NotBefore is the publisher's Retry-After: no poll earlier, not even on request.
	NotBefore int64 `dynamo:"notBefore,omitempty"`
	// Asked is the subscribers' smallest interval in minutes, Subs their number, both derived from subscriber rows.
	Asked    int32 `dynamo:"asked,omitempty"`
	Explicit bool  `dynamo:"explicit,omitempty"` // some subscriber chose the interval
	Subs     int32 `dynamo:"subs,omitempty"`
	// Hooked reports that a webhook or the devices of some subscriber want the feed's new items; derived as well.
	Hooked bool `dynamo:"hooked,omitempty"`
	// NoCounts reports that some subscriber wants no provider to be asked for the feed's items; derived as well.
	NoCounts bool `dynamo:"noCounts,omitempty"`
	// CountsFrom is the minute in which NoCounts ended. Earlier items may not have been asked for.
	CountsFrom uint32 `dynamo:"countsFrom,omitempty"`

	// Validators, byte for byte, replaced as a pair.
	ETag         string `dynamo:"etag,omitempty"`
	LastModified string `dynamo:"lastmod,omitempty"`
	// Fickle counts changes of the pair over equal content, in a row.
	Fickle int32 `dynamo:"fickle,omitempty"`
	// Large reports that the newest body is above schedule.LargeBody.
	Large bool `dynamo:"large,omitempty"`
	// Hash is the 64-bit xxHash of the newest body, to recognise an equal one; empty until a first crawl is complete.
	Hash []byte `dynamo:"hash,omitempty"`
	// ReadAt is when a watch read the page of the validators and the hash; later silent changes void them.
	ReadAt int64 `dynamo:"readAt,omitempty"`
	// Channel is the hash of the channel's own fields; of a watch, the revision of settings last read with.
	Channel int64 `dynamo:"chan,omitempty"`

	// The publisher's hints, as of the newest body or answer.
	MaxAge    int32  `dynamo:"maxAge,omitempty"` // seconds
	TTL       int32  `dynamo:"ttlHint,omitempty"`
	SkipHours int32  `dynamo:"skipHours,omitempty"`
	SkipDays  int32  `dynamo:"skipDays,omitempty"`
	Hub       string `dynamo:"hub,omitempty"`
	Topic     string `dynamo:"topic,omitempty"` // the hub's name of the feed, where that is not its address
	// PushUntil is the time up to which a verified hub is relied on to push new items.
	PushUntil int64 `dynamo:"pushUntil,omitempty"`

	// Items.
	Seq   uint32 `dynamo:"seq,omitempty"`   // newest committed
	Floor uint32 `dynamo:"floor,omitempty"` // items up to it are gone
	Stamp uint32 `dynamo:"stamp,omitempty"` // minute of the newest commit
	Known []byte `dynamo:"known,omitempty"` // see Known
	// Forgot is the newest day, as in Known, on which a prematurely dropped item was last listed; 0 for none.
	Forgot uint16 `dynamo:"forgot,omitempty"`
	Raw    string `dynamo:"raw,omitempty"` // the newest blob that a delta or a header names
	// Loose is when loose bodies were last added to a delta, in Unix milliseconds; 0 when no delta has any.
	Loose int64 `dynamo:"loose,omitempty"`
	// Edited is when headers last changed, in Unix milliseconds. It is written after them; negative during a replay.
	Edited int64 `dynamo:"edited,omitempty"`
	// Edits counts the edits of deltas, and EditedSeqs names the newest ones, see EditedSince.
	Edits      uint32 `dynamo:"edits,omitempty"`
	EditedSeqs []byte `dynamo:"editedSeqs,omitempty"`
	// ClockBack is the most seconds by which the clock was set back before a commit; 0 for less than an hour.
	ClockBack int64 `dynamo:"clockBack,omitempty"`
	// NewestAt is the newest item's sort time, LeftOut how many items the last body had beyond the 200 kept.
	NewestAt int64 `dynamo:"newestAt,omitempty"`
	LeftOut  int32 `dynamo:"leftOut,omitempty"`
	Ages     Ages  `dynamo:"ages,omitempty"` // bounds of the items' ages
	// FirstSeq is the last seq of the first crawl: earlier subscribers find only the newest items unread.
	FirstSeq uint32 `dynamo:"firstSeq,omitempty"`
	// Updated is the publisher's date of the last update, 0 if there is none.
	Updated int64 `dynamo:"updated,omitempty"`
	// Changed is when items or channel last changed; Changes keeps earlier ones for the interval.
	Changed int64   `dynamo:"changed,omitempty"`
	Changes []int64 `dynamo:"changes,omitempty"`

	// State of the last failing polls; all zero while the feed is sound.
	Status    string `dynamo:"status"`
	Errors    int32  `dynamo:"errors,omitempty"` // in a row
	ErrCode   string `dynamo:"err,omitempty"`
	ErrSince  int64  `dynamo:"errSince,omitempty"`
	ParseErrs int32  `dynamo:"parseErrs,omitempty"` // parse failures in a row

	// A permanent redirect: where to, since when, and how many polls in a row have seen it, as far as that matters.
	MovedTo    string `dynamo:"movedTo,omitempty"`
	MovedSince int64  `dynamo:"movedSince,omitempty"`
	MovedPolls int32  `dynamo:"movedPolls,omitempty"`
	MergedInto uint32 `dynamo:"mergedInto,omitempty"`

	// Proposed is a possible new address of a stopped feed, ProposedWhy its source, ProposedAt the last search for one.
	// Until Probe the stopped feed is probed (schedule.Probes), 0 for never.
	Proposed    string `dynamo:"proposed,omitempty"`
	ProposedWhy string `dynamo:"proposedWhy,omitempty"`
	ProposedAt  int64  `dynamo:"proposedAt,omitempty"`
	Probe       int64  `dynamo:"probe,omitempty"`

	// UnsubscribedSince is when the last subscriber left, 0 while there are some. After RemovingSince the row takes no
	// subscriber, and adding the address makes a new feed.
	UnsubscribedSince int64 `dynamo:"alone,omitempty"`
	RemovingSince     int64 `dynamo:"gone,omitempty"`

	// Why the period is as it is, as a code of package schedule.
	Why string `dynamo:"why,omitempty"`
}

// KindWatch is the kind of a feed of a watch's events. It has one subscriber, its owner, and no URL row.
const KindWatch = "watch"

// IsWatch reports whether the feed is a watch.
func (f *FeedRow) IsWatch() bool { return f.Kind == KindWatch }

// IsSuspect reports whether the page of a watch arrives and cannot be read as before. That counts no failures.
func (f *FeedRow) IsSuspect() bool {
	return f.IsWatch() && f.Status == string(reader.StatusError) && f.Errors == 0 &&
		reader.CategoryOf(f.ErrCode) == reader.CategoryParse
}

// Bytes estimates the row's bytes in the table.
func (f *FeedRow) Bytes() int {
	return 360 + len(f.URL) + len(f.Title) + len(f.About) + len(f.Site) + len(f.Icon) + len(f.ETag) +
		len(f.LastModified) +
		len(f.Known) + len(f.Ages) + len(f.EditedSeqs) + len(f.Raw) + 6*len(f.Changes)
}

// ID is the feed's number, from its sort key.
func (f *FeedRow) ID() reader.FeedID {
	return parseFeedSK(f.SK)
}

// Turns returns the ticks at which the feed is polled.
func (f *FeedRow) Turns() schedule.Plan {
	p := schedule.Plan{
		First: schedule.Tick(f.First), Period: f.Period,
		Skip: schedule.Skip{Hours: uint32(f.SkipHours), Days: uint8(f.SkipDays)},
	}
	if f.IsStopped() && f.Probe > 0 {
		p.Probes = schedule.Probes{Until: schedule.TickOf(time.Unix(f.Probe, 0)),
			Weekly: f.ErrCode == reader.CodeHTTP410}
	}
	return p
}

// IsStopped reports whether the feed was given up; it may still be probed.
func (f *FeedRow) IsStopped() bool { return f.Status == string(reader.StatusStopped) }

// Live reports whether the feed is polled: it has subscribers, and nothing has ended that.
func (f *FeedRow) Live() bool { return f.HasTurns() && !f.IsStopped() }

// HasTurns reports whether the feed is polled at all; a stopped feed is while it is probed.
func (f *FeedRow) HasTurns() bool {
	return f.Subs > 0 && !f.Damaged && !f.Paused && f.MergedInto == 0 && f.RemovingSince == 0 &&
		(!f.IsStopped() || f.Probe > 0)
}

// HalfMerged reports whether a merge was begun and not finished: subscribers are to be moved, polls have stopped.
func (f *FeedRow) HalfMerged() bool { return f.MergedInto > 0 && f.Subs > 0 }

// ClearErrors makes the row that of a sound feed.
func (f *FeedRow) ClearErrors() {
	f.Status, f.Errors, f.ParseErrs = string(reader.StatusActive), 0, 0
	f.ErrCode, f.ErrSince = "", 0
}

// Fresh reports whether no poll was ever begun.
func (f *FeedRow) Fresh() bool {
	return f.Polled == 0 && len(f.Hash) == 0 && f.Seq == 0 && f.Errors == 0
}

// Checking explains the feed's schedule: the interval in force, the next check, and why.
func (f *FeedRow) Checking(now time.Time) schedule.Checking {
	s := schedule.Situation{
		Plan: f.Turns(), Why: f.Why, Status: reader.FeedStatus(f.Status), Errors: int(f.Errors),
		NotBefore: time.Unix(f.NotBefore, 0).UTC(), Subscribers: int(f.Subs), Paused: f.Paused, Now: now,
	}
	if f.MergedInto > 0 || f.RemovingSince > 0 {
		s.Subscribers = 0
	}
	return schedule.Explain(s)
}

// NextCheck is the time of the feed's next scheduled poll; zero when it has no turns.
func (f *FeedRow) NextCheck(now time.Time) time.Time { return f.Checking(now).Next }

// leastClockBack is the least number of seconds by which a clock must be set back to be noted: two commits within one
// minute look like up to a minute.
const leastClockBack = 60 * 60

// Take notes that a delta was committed.
func (f *FeedRow) Take(d *DeltaRow) {
	f.Stamp, f.Seq = d.Stamp, uint32(d.Last())
	if back := d.behindClock(); back >= leastClockBack {
		f.ClockBack = max(f.ClockBack, back)
	}
}

// HasValidators reports whether the next request can be conditional.
func (f *FeedRow) HasValidators() bool { return f.ETag != "" || f.LastModified != "" }

// lagAtMost is far more than an eventually consistent read lags behind.
const lagAtMost = time.Minute

// ChangedLately reports that reads which may lag may miss a commit or an edit that the row speaks of.
func (f *FeedRow) ChangedLately(now time.Time) bool {
	before := now.Add(-lagAtMost)
	return f.Edited >= before.UnixMilli() || reader.Minute(f.Stamp) >= reader.MinuteOf(before)
}

// LastUpdated is the publisher's date of the last update, at most the time of the last change that was seen.
func (f *FeedRow) LastUpdated() int64 {
	if f.Updated > 0 && f.Updated <= f.Changed {
		return f.Updated
	}
	return f.Changed
}

// DisplayTitle falls back to the host name (C-29).
func (f *FeedRow) DisplayTitle() string {
	if f.Title != "" {
		return f.Title
	}
	rest := f.URL
	if _, after, ok := strings.Cut(rest, "://"); ok {
		rest = after
	}
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	return host
}

// urlRow claims a URL for one feed.
type urlRow struct {
	rowKey
	Feed uint32 `dynamo:"feed"`
}

// feedCounterRow hands out feed numbers.
type feedCounterRow struct {
	rowKey
	N uint32 `dynamo:"n"`
}

// Feeds reads and writes feed rows, the URL claims and the counter of feed numbers.
type Feeds struct {
	t      *table.Table
	damage *damage
}

// Get reads one feed row. Consistent reads are for claims and commits; lists do without.
func (s *Feeds) Get(ctx context.Context, f reader.FeedID, consistent bool) (*FeedRow, error) {
	var opts []table.ReadOption
	if consistent {
		opts = append(opts, table.Consistent())
	}
	return get[FeedRow](ctx, s.t, feedKey(f), "feed_not_found", opts...)
}

// Count is the highest feed number given out so far.
func (s *Feeds) Count(ctx context.Context) (int, error) {
	row, err := getOrZero[feedCounterRow](ctx, s.t, systemKey("feeds"))
	return int(row.N), err
}

// Blocks returns the number of partitions with feed rows.
func (s *Feeds) Blocks(ctx context.Context) (int, error) {
	n, err := s.Count(ctx)
	return blocksOf(n), err
}

// blocksOf is the number of partitions with the rows of so many feeds.
func blocksOf(feeds int) int {
	if feeds == 0 {
		return 0
	}
	return block(reader.FeedID(feeds)) + 1
}

// Each streams all feed rows in order of number; the row handed over is the callback's to keep.
func (s *Feeds) Each(ctx context.Context, each func(*FeedRow) error) error {
	n, err := s.Count(ctx)
	if err != nil {
		return err
	}
	return s.EachUpTo(ctx, n, each)
}

// EachUpTo is Each for callers that have read Count already.
func (s *Feeds) EachUpTo(ctx context.Context, count int, each func(*FeedRow) error) error {
	for b := range blocksOf(count) {
		if err := s.eachOfBlock(ctx, b, each); err != nil {
			return err
		}
	}
	return nil
}

// PackedFeed is a feed's row as the table delivered it: half the memory of a FeedRow.
type PackedFeed struct {
	row    table.Row
	damage *damage
}

// Row decodes the row.
func (p *PackedFeed) Row() *FeedRow {
	f, err := p.damage.feed(p.row, p.row.Decode)
	if err != nil {
		panic(err) // EachPacked has decoded it before
	}
	return f
}

// EachPacked streams all feed rows in order of number, for callers that keep many. Only the packed row is the
// callback's to keep.
func (s *Feeds) EachPacked(ctx context.Context, each func(*FeedRow, *PackedFeed) error) error {
	n, err := s.Blocks(ctx)
	if err != nil {
		return err
	}
	for b := range n {
		if err := s.rowsOfBlock(ctx, b, func(f *FeedRow, r table.Row) error {
			return each(f, &PackedFeed{r, s.damage})
		}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Feeds) eachOfBlock(ctx context.Context, b int, do func(*FeedRow) error) error {
	return s.rowsOfBlock(ctx, b, func(f *FeedRow, _ table.Row) error { return do(f) })
}

func (s *Feeds) rowsOfBlock(ctx context.Context, b int, do func(*FeedRow, table.Row) error) error {
	for r, err := range s.t.Query(ctx, table.Query{PK: blockPK(b)}) {
		var f *FeedRow
		if err == nil {
			f, err = s.damage.feed(r, r.Decode)
		}
		if err == nil {
			err = do(f, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Block returns the number of the partition of a feed's row.
func Block(f reader.FeedID) int { return block(f) }

// FindURL looks up the feed that owns a URL.
func (s *Feeds) FindURL(ctx context.Context, url string) (reader.FeedID, error) {
	row, err := get[urlRow](ctx, s.t, urlKey(url), "row_not_found", table.Consistent())
	if err != nil {
		return 0, err
	}
	return reader.FeedID(row.Feed), nil
}

// ClaimURL assigns a URL to a feed unless another has it, and returns the feed that has it.
func (s *Feeds) ClaimURL(ctx context.Context, url string, f reader.FeedID) (owner reader.FeedID, err error) {
	err = s.putURL(ctx, url, f, table.IfAbsent())
	if fault.Is(err, fault.Conflict) {
		return s.FindURL(ctx, url)
	}
	return f, err
}

// PointURL assigns a URL to a feed, without a condition: the last step of a merge.
func (s *Feeds) PointURL(ctx context.Context, url string, f reader.FeedID) error {
	return s.putURL(ctx, url, f)
}

func (s *Feeds) putURL(ctx context.Context, url string, f reader.FeedID, conds ...table.Cond) error {
	return put(ctx, s.t, urlKey(url), &urlRow{Feed: uint32(f)}, conds...)
}

// Ensure finds the feed of a URL or makes one: URL row if absent, then feed row if absent, which also mends a crash in
// between. fresh returns a new row.
func (s *Feeds) Ensure(ctx context.Context, url string, fresh func(reader.FeedID) FeedRow) (*FeedRow, error) {
	f, err := s.FindURL(ctx, url)
	if fault.Is(err, fault.NotFound) {
		if f, err = s.number(ctx); err == nil {
			f, err = s.ClaimURL(ctx, url, f)
		}
	}
	if err != nil {
		return nil, err
	}
	row, err := s.Get(ctx, f, true)
	if IsDamaged(err) || err == nil && row.RemovingSince > 0 {
		// Its row cannot be read, or its removal has begun and cannot be called off: the address gets a feed of a new
		// number.
		if f, err = s.reclaim(ctx, url, f); err == nil {
			row, err = s.Get(ctx, f, true)
		}
	}
	if !fault.Is(err, fault.NotFound) {
		return row, err
	}
	made, err := s.put(ctx, url, f, fresh)
	if fault.Is(err, fault.Conflict) {
		return s.Get(ctx, f, true)
	}
	return made, err
}

// Make makes a feed that does not own its URL: a watch.
func (s *Feeds) Make(ctx context.Context, url string, fresh func(reader.FeedID) FeedRow) (*FeedRow, error) {
	f, err := s.number(ctx)
	if err != nil {
		return nil, err
	}
	return s.put(ctx, url, f, fresh)
}

func (s *Feeds) put(ctx context.Context, url string, f reader.FeedID, fresh func(reader.FeedID) FeedRow) (*FeedRow,
	error) {
	made := fresh(f)
	made.URL = url
	if err := put(ctx, s.t, feedKey(f), &made, table.IfAbsent()); err != nil {
		return nil, err
	}
	return &made, nil
}

// reclaim assigns the URL of a feed that is being removed to a new number, and returns the number that has it then.
func (s *Feeds) reclaim(ctx context.Context, url string, gone reader.FeedID) (reader.FeedID, error) {
	f, err := s.number(ctx)
	if err != nil {
		return 0, err
	}
	err = s.putURL(ctx, url, f, table.IfPresent(), table.IfEqual("feed", uint32(gone)))
	if fault.Is(err, fault.Conflict) {
		return s.ClaimURL(ctx, url, f) // taken away, or given to another
	}
	return f, err
}

// DropURL releases a URL if the feed still has it.
func (s *Feeds) DropURL(ctx context.Context, url string, f reader.FeedID) error {
	return ignoreConflict(s.t.Delete(ctx, urlKey(url), table.IfEqual("feed", uint32(f))))
}

// Remove deletes the row of a feed whose removal was begun at this time: the last step of it.
func (s *Feeds) Remove(ctx context.Context, f reader.FeedID, gone int64) error {
	return ignoreConflict(s.t.Delete(ctx, feedKey(f), table.IfEqual("gone", gone)))
}

func (s *Feeds) number(ctx context.Context) (reader.FeedID, error) {
	var row feedCounterRow
	err := s.t.Update(ctx, systemKey("feeds"), table.Update{
		Add: map[string]int64{"n": 1}, Return: table.ReturnNew, Into: &row,
	})
	if err != nil {
		return 0, err
	}
	if reader.FeedID(row.N) >= reader.ArchiveFeed {
		return 0, fault.Coded(fault.Conflict, "feed_numbers_used_up")
	}
	return reader.FeedID(row.N), nil
}

var feedColumns = columnsOf[FeedRow]()

// FeedCond is a column of a feed row that must still be as it was read for a change to be made.
type FeedCond string

// The conditions of changes.
const (
	SameSeq               FeedCond = "seq"
	SameStamp             FeedCond = "stamp"
	SameHash              FeedCond = "hash"
	SameETag              FeedCond = "etag"
	SameFirst             FeedCond = "first"
	SamePeriod            FeedCond = "period"
	SameURL               FeedCond = "url"
	SameStatus            FeedCond = "status"
	SamePushUntil         FeedCond = "pushUntil"
	SameIconAt            FeedCond = "iconAt"
	SameSubs              FeedCond = "subs"
	SameUnsubscribedSince FeedCond = "alone"
	SameRemovingSince     FeedCond = "gone"
	SameFloor             FeedCond = "floor"
	SameLoose             FeedCond = "loose"
	SameEdits             FeedCond = "edits"
	SameHooked            FeedCond = "hooked"
)

// Equal reports whether two rows have the same columns.
func (f *FeedRow) Equal(other *FeedRow) bool { return empty(diff(feedColumns, f, other)) }

// Change writes the columns in which next differs from the row that was read, if the conditions hold and the row
// exists, else fault.Conflict. If nothing differs, nothing is written or checked. It returns the stored row.
func (s *Feeds) Change(ctx context.Context, read, next *FeedRow, conds ...FeedCond) (*FeedRow, error) {
	u := diff(feedColumns, read, next)
	if empty(u) {
		return read, nil
	}
	u.If = []table.Cond{table.IfPresent()}
	for _, c := range conds {
		u.If = append(u.If, table.IfEqual(string(c), valueOf(feedColumns, read, string(c))))
	}
	var row FeedRow
	u.Return, u.Into = table.ReturnNew, &row
	if err := s.t.Update(ctx, feedKey(read.ID()), u); err != nil {
		return nil, err
	}
	return &row, nil
}

// Modify reads a row and writes what edit changes of it, without further conditions: for columns that have one writer.
func (s *Feeds) Modify(ctx context.Context, f reader.FeedID, edit func(*FeedRow)) (*FeedRow, error) {
	read, err := s.Get(ctx, f, true)
	if err != nil {
		return nil, err
	}
	next := *read
	edit(&next)
	return s.Change(ctx, read, &next)
}

// ClaimOffTurn moves a feed's next turn before an off-turn poll, so that no other run polls it. Conflict: another did.
func (s *Feeds) ClaimOffTurn(ctx context.Context, row *FeedRow, first schedule.Tick, now time.Time) (*FeedRow, error) {
	next := *row
	next.First, next.Polled = int32(first), now.Unix()
	return s.Change(ctx, row, &next, SameFirst)
}
