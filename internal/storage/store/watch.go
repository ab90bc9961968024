package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Watches reads and writes what is stored of watches beside their feed rows: settings, results, history.
type Watches struct {
	t     *table.Table
	clock clock.Clock
}

// WatchRow holds the settings of a watch.
type WatchRow struct {
	rowKey

	Owner    string `dynamo:"owner"`    // reader.UserID
	Settings []byte `dynamo:"settings"` // deflated JSON
	// Accepted is when the owner confirmed that the site permits it, in Unix seconds.
	Accepted int64 `dynamo:"accepted,omitempty"`
	Rev      int   `dynamo:"rev,omitempty"`
}

// maxWatchSettings bounds what settings inflate to.
const maxWatchSettings = 256 << 10

// NewWatch returns the row of a new watch, to be put.
func NewWatch(f reader.FeedID, owner reader.UserID, set *watch.Settings, accepted time.Time) (*WatchRow, error) {
	w := &WatchRow{rowKey: keyed(watchKey(f)), Owner: string(owner), Accepted: accepted.Unix()}
	return w, w.Change(set)
}

// Feed is the number of the watch, from its key.
func (w *WatchRow) Feed() reader.FeedID { return feedOf(w.PK) }

// Decode returns the settings.
func (w *WatchRow) Decode() (*watch.Settings, error) {
	set := new(watch.Settings)
	if err := reader.UnpackJSON(w.Settings, maxWatchSettings, set); err != nil {
		return nil, fault.New(fault.Internal, "bad_settings", "store: watch", err)
	}
	return set, nil
}

// Change replaces the settings in the row, to be put.
func (w *WatchRow) Change(set *watch.Settings) (err error) {
	w.Settings, err = reader.PackJSON(nil, set)
	return err
}

// Settings reads the settings of a watch.
func (s *Watches) Settings(ctx context.Context, f reader.FeedID) (*WatchRow, error) {
	return get[WatchRow](ctx, s.t, watchKey(f), "watch_not_found", table.Consistent())
}

// PutSettings writes settings of a watch, unless others changed them since they were read: Conflict.
func (s *Watches) PutSettings(ctx context.Context, w *WatchRow) error {
	cond := table.IfAbsent()
	if w.Rev > 0 {
		cond = table.IfEqual("rev", w.Rev)
	}
	next := *w
	next.Rev++
	if err := put(ctx, s.t, watchKey(w.Feed()), &next, cond); err != nil {
		return err
	}
	*w = next
	return nil
}

// changesRow holds changes of results that no item announces.
type changesRow struct {
	rowKey
	Changes []byte `dynamo:"w"`
	// First says that page 1 showed them: the validators that the feed row has are of another page.
	First bool  `dynamo:"first,omitempty"`
	TTL   int64 `dynamo:"ttl"`
}

// baseRow holds the results of a watch as of a moment.
type baseRow struct {
	rowKey
	Results []byte `dynamo:"w"`
	Silent  int64  `dynamo:"silent,omitempty"` // WatchLog.silent
	TTL     int64  `dynamo:"ttl"`
}

// logRow is a row of changes or a base, as it is read.
type logRow struct {
	rowKey
	Changes []byte `dynamo:"w"`
	First   bool   `dynamo:"first"`
	Silent  int64  `dynamo:"silent"`
}

// historyRow holds what is kept of a month.
type historyRow struct {
	rowKey
	History []byte `dynamo:"w"`
}

const (
	// changesLife is how long changes stay that no item announces: a base has them long before.
	changesLife = 60 * 24 * time.Hour
	// BaseLife is how long a base stays, of a watch that is paused as well. Expiring costs nothing, as deleting would.
	BaseLife = 400 * 24 * time.Hour
)

// PutChanges writes changes without an item, observed at this seq of the feed. n is the free number (WatchLog.Free);
// Conflict if it is taken. isFirst: page 1 showed them.
func (s *Watches) PutChanges(ctx context.Context, f reader.FeedID, seq reader.Seq, c *watch.Changes, n int,
	isFirst bool) error {
	row := changesRow{Changes: c.Encode(), First: isFirst, TTL: s.clock.Now().Add(changesLife).Unix()}
	return put(ctx, s.t, changesKey(f, seq, c.Tick, n), &row, table.IfAbsent())
}

// Announce adds the changes of a watch to the delta that announces them.
func (d *DeltaRow) Announce(c *watch.Changes) { d.Changes = c.Encode() }

// PutBase writes the folded results of a log; writing them again is harmless. The older base expires later.
func (s *Watches) PutBase(ctx context.Context, f reader.FeedID, l *WatchLog, st *watch.State) error {
	t, seq := st.Folded()
	return ignoreConflict(put(ctx, s.t, baseKey(f, seq, t),
		&baseRow{Results: st.Encode(), Silent: l.silent, TTL: s.clock.Now().Add(BaseLife).Unix()}, table.IfAbsent()))
}

// History reads the history of a month ("2026-11"); nil if there is none.
func (s *Watches) History(ctx context.Context, f reader.FeedID, month string) (*watch.History, error) {
	row, err := getOrZero[historyRow](ctx, s.t, historyKey(f, month), table.Consistent())
	if err != nil || len(row.History) == 0 {
		return nil, err
	}
	return watch.DecodeHistory(row.History)
}

// Histories reads the months from one to another, in order.
func (s *Watches) Histories(ctx context.Context, f reader.FeedID, from, to string) (list []*watch.History, err error) {
	q := table.Query{PK: feedPK(f), From: historyPrefix + from, To: historyPrefix + to + "~"}
	err = each(ctx, s.t, q, func(row *historyRow) error {
		h, err := watch.DecodeHistory(row.History)
		list = append(list, h)
		return err
	})
	return list, err
}

// PutHistory writes what is kept of a month.
func (s *Watches) PutHistory(ctx context.Context, f reader.FeedID, month string, h *watch.History) error {
	return put(ctx, s.t, historyKey(f, month), &historyRow{History: h.Encode()})
}

// DropHistory deletes the months before one, except those that are needed.
func (s *Watches) DropHistory(ctx context.Context, f reader.FeedID, before string,
	needed func(month string) bool) error {
	var keys []table.Key
	for row, err := range s.t.Query(ctx, table.Query{PK: feedPK(f), From: historyPrefix, To: historyPrefix + before}) {
		if err != nil {
			return err
		}
		if !needed(strings.TrimPrefix(row.Key.SK, historyPrefix)) {
			keys = append(keys, row.Key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return s.t.BatchWrite(ctx, nil, keys)
}

// Load returns the state of a watch's results, and the changes since its base.
func (s *Watches) Load(ctx context.Context, f *FeedRow, latest bool) (*watch.State, []*watch.Changes, error) {
	l, err := s.Log(ctx, f, latest)
	if err != nil {
		return nil, nil, err
	}
	st, err := l.State()
	return st, l.Changes(), err
}

// WatchLog is the stored form of a watch's results: a base, and the changes since.
type WatchLog struct {
	// Orphan is a delta above the feed's seq, of a run that has died or is under way. Its changes do not count yet.
	Orphan *DeltaRow

	base   []byte // nil when there is none
	tick   schedule.Tick
	seq    reader.Seq
	groups []changeGroup
	free   map[string]int
	silent int64 // when page 1 last showed a change that no item announces, in Unix seconds
}

// changeGroup is a group of changes; last is the seq of the last item that announces them, 0 for silent ones.
type changeGroup struct {
	*watch.Changes
	last reader.Seq
}

// How many rows one request reads of a log: about as many as there are until the base, as older ones cost too.
const (
	logPage   = 24
	deltaPage = 64
)

// Log reads the results of a watch, as of its feed row. latest reads consistently, at twice the price.
func (s *Watches) Log(ctx context.Context, f *FeedRow, latest bool) (*WatchLog, error) {
	l, err := s.log(ctx, f, latest)
	if err == nil && l.base == nil && !latest {
		// A lagging read may no longer find the old base and not yet find the new one.
		l, err = s.log(ctx, f, true)
	}
	return l, err
}

func (s *Watches) log(ctx context.Context, f *FeedRow, latest bool) (*WatchLog, error) {
	l := &WatchLog{tick: schedule.NoTick, free: map[string]int{}}
	q := table.Query{PK: feedPK(f.ID()), From: changesPrefix, To: "W$", Desc: true, Page: logPage, Consistent: latest}
	err := walk(ctx, s.t, q, func(row *logRow) (more bool, err error) {
		seq, t, n := parseChangesSK(row.SK)
		if l.base != nil && t <= l.tick {
			return false, nil
		}
		switch {
		case n >= 0:
			l.free[changesSK(seq, t)] = max(l.free[changesSK(seq, t)], n+1)
			if err = l.add(row.Changes, 0); err == nil && row.First {
				l.silent = max(l.silent, l.groups[len(l.groups)-1].At/1000)
			}
			return true, err
		case l.base == nil:
			l.base, l.tick, l.seq, l.silent = row.Changes, t, seq, max(l.silent, row.Silent)
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return l, s.addAnnounced(ctx, f, latest, l)
}

// addAnnounced adds the changes that deltas above the base announce.
func (s *Watches) addAnnounced(ctx context.Context, f *FeedRow, latest bool, l *WatchLog) error {
	q := deltaQuery(f.ID(), l.seq+1, 0)
	q.Page, q.Consistent = deltaPage, latest
	for r, err := range s.t.Query(ctx, q) {
		d := new(DeltaRow)
		if err == nil {
			err = r.DecodeWithout("h", d)
		}
		if err != nil {
			return err
		}
		if d.First() > reader.Seq(f.Seq) {
			l.Orphan = d
			return nil
		}
		if err := l.add(d.Changes, d.Last()); err != nil {
			return err
		}
	}
	return nil
}

func (l *WatchLog) add(packed []byte, last reader.Seq) error {
	c, err := watch.DecodeChanges(packed)
	if err == nil {
		l.groups = append(l.groups, changeGroup{c, last})
	}
	return err
}

// Changes are those since the base.
func (l *WatchLog) Changes() []*watch.Changes {
	list := make([]*watch.Changes, len(l.groups))
	for i, g := range l.groups {
		list[i] = g.Changes
	}
	return list
}

// State returns the results now.
func (l *WatchLog) State() (*watch.State, error) {
	st, err := l.Base()
	if err == nil {
		st.Apply(l.Changes()...)
	}
	return st, err
}

// Base returns the results without the changes since.
func (l *WatchLog) Base() (*watch.State, error) {
	if l.base == nil {
		return watch.NewState(), nil
	}
	return watch.DecodeState(l.base)
}

// IsOld reports whether there is a base, and it was folded before a tick.
func (l *WatchLog) IsOld(t schedule.Tick) bool { return l.base != nil && l.tick < t }

// IsStale reports whether page 1 has shown silent changes since the page that the row's validators are of.
func (l *WatchLog) IsStale(f *FeedRow) bool { return l.silent > f.ReadAt }

// HasBetween reports whether changes were observed within a range of time. Later ones had a wrong clock.
func (l *WatchLog) HasBetween(after, upTo time.Time) bool {
	return slices.ContainsFunc(l.groups, func(g changeGroup) bool {
		return g.At > after.UnixMilli() && g.At <= upTo.UnixMilli()
	})
}

// Free returns the number with which changes of a tick can be put.
func (l *WatchLog) Free(seq reader.Seq, t schedule.Tick) int { return l.free[changesSK(seq, t)] }

// Fold returns a base of all changes up to a tick, and the changes that it has more than the one before.
func (l *WatchLog) Fold(t schedule.Tick) (st *watch.State, folded []*watch.Changes, err error) {
	if st, err = l.Base(); err != nil {
		return nil, nil, err
	}
	seq := l.seq
	for _, g := range l.groups {
		if g.Tick <= t {
			folded, seq = append(folded, g.Changes), max(seq, g.last)
		}
	}
	st.Apply(folded...)
	st.FoldTo(t, seq)
	return st, folded, nil
}

// Forget deletes settings, results and history of a watch whose owner is being removed; its feed has none of them.
func (s *Watches) Forget(ctx context.Context, f reader.FeedID) error {
	var keys []table.Key
	for row, err := range s.t.Query(ctx, table.Query{PK: feedPK(f), Prefix: watchSK, Consistent: true}) {
		if err != nil {
			return err
		}
		keys = append(keys, row.Key)
	}
	if len(keys) == 0 {
		return nil
	}
	return s.t.BatchWrite(ctx, nil, keys)
}
