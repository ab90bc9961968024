package stream

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// live is a user's side bar that is kept current by the table's log: rows that any process has changed since are
// read again. A request finds it as new as every write that was acknowledged before it.
type live struct {
	mu sync.Mutex // also held while rows are read, so that requests that find it stale together read them once
	at uint64     // position in the log; 0 = never read

	list   []*Subscribed
	shared bool // the list was handed out: it is copied before it changes
	totals Totals
	// hidden are the subscriptions whose feed has no row. They are not shown until it is there.
	hidden map[reader.FeedID]*store.SubscriptionRow

	// positions are the newest of the user. Subscriptions that they do not concern may have older ones, of the last few
	// changes.
	positions *reader.Positions
	older     int
	// ahead are positions in the log, beyond that of the whole, up to which single subscriptions are current.
	ahead map[reader.FeedID]uint64

	ruling store.Ruling
	rules  int // changes of the ruling
	// unruled are the feeds that may have something that the rules have not judged; nil without rules.
	unruled map[reader.FeedID]bool
}

// live returns what is in memory of a user's side bar, which may be nothing yet.
func (v *views) live(u reader.UserID) *live {
	v.mu.Lock()
	defer v.mu.Unlock()
	l, ok := v.users.Get(u)
	if !ok {
		l = &live{}
		v.users.Put(u, l, leastBytes)
	}
	return l
}

const (
	// leastBytes is what a side bar counts at least, so that no more than maxViews are held.
	leastBytes = viewBytes / maxViews
	// subscribedBytes is about what a subscription takes beside the contents of its rows.
	subscribedBytes = 1500
)

// snapshot returns the side bar as it is now.
func (l *live) snapshot() *view {
	l.shared = true
	w := &view{list: l.list, totals: l.totals, ruling: l.ruling, rules: l.rules}
	for _, id := range slices.Sorted(maps.Keys(l.unruled)) {
		if x := find(l.list, id); x != nil {
			w.unruled = append(w.unruled, x)
		}
	}
	return w
}

// catchUp makes a side bar current.
func (v *views) catchUp(ctx context.Context, u reader.UserID, l *live) error {
	changes, now, complete := v.store.Changes(ctx, u, l.at)
	switch {
	case now == 0:
		return fault.New(fault.Unavailable, "storage_failed", "stream: the log of changes", nil)
	case l.at == 0 || !complete:
		return v.rebuild(ctx, u, l, now)
	}
	return v.apply(ctx, u, l, changes, now, handed{})
}

// rebuild reads a whole side bar. It is as of a position that was taken before: what changes meanwhile is read again.
func (v *views) rebuild(ctx context.Context, u reader.UserID, l *live, at uint64) error {
	r, err := v.readSubs(ctx, u)
	if err != nil {
		return err
	}
	if err := v.readFeeds(ctx, &r, r.ids()); err != nil {
		return err
	}
	l.list, l.shared, l.hidden = r.shown(), false, map[reader.FeedID]*store.SubscriptionRow{}
	l.totals, l.positions, l.older = Sum(l.list), nil, 0
	for _, sub := range r.subs {
		if r.feeds[sub.Feed()] == nil {
			l.hidden[sub.Feed()] = sub
		}
		l.positions = sub.Positions()
	}
	l.rule(r.ruling)
	l.at = at
	clear(l.ahead)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.users.Put(u, l, max(leastBytes, r.bytes+subscribedBytes*len(r.subs)))
	return nil
}

// rule sets the rules, by which all feeds are to be judged.
func (l *live) rule(r store.Ruling) {
	l.ruling, l.unruled = r, nil
	l.rules++
	if len(r.Rules) > 0 {
		l.unruled = make(map[reader.FeedID]bool, len(l.list))
		for _, x := range l.list {
			l.unruled[x.id] = true
		}
	}
}

// readSingly is how many changed subscriptions are read one by one at most, or a sixth of all: beyond that one query of
// the whole costs less.
const readSingly = 64

// handed are rows that the caller has just written.
type handed struct {
	subs      map[reader.FeedID]*store.SubscriptionRow
	positions *reader.Positions
	// before and after are subscriptions with the positions before and with those handed over, in order of feed number.
	before, after []*Subscribed
}

// next returns what a subscription becomes with the positions that were handed over, if the caller knows: the same
// states are not computed twice.
func (h *handed) next(x *Subscribed) *Subscribed {
	for len(h.before) > 0 && h.before[0].id < x.id {
		h.before, h.after = h.before[1:], h.after[1:]
	}
	if len(h.before) > 0 && h.before[0] == x {
		return h.after[0]
	}
	return nil
}

// apply reads what changed up to a position, but for the rows that were handed over.
func (v *views) apply(ctx context.Context, u reader.UserID, l *live, changes []store.Change, now uint64,
	have handed) (err error) {
	if len(changes) == 0 {
		l.at = now
		return nil
	}
	subs, feeds, kinds := l.concerned(changes)
	if len(subs)-len(have.subs) > max(readSingly, len(l.list)/6) {
		return v.rebuild(ctx, u, l, now)
	}
	r := rows{feeds: map[reader.FeedID]*store.FeedRow{}}
	positions := l.positions
	if kinds[store.PositionsChanged] {
		if positions = have.positions; positions == nil {
			if positions, err = v.store.Subscriptions.Positions(ctx, u); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(subs)) {
		sub, err := have.subs[id], error(nil)
		if sub == nil {
			sub, err = v.store.Subscriptions.GetUnder(ctx, u, id, positions)
		} else if sub.Positions() != positions {
			sub = sub.Under(positions)
		}
		switch {
		case fault.Is(err, fault.NotFound):
			continue
		case err != nil:
			return err
		}
		subs[id] = sub
		if find(l.list, id) == nil {
			feeds[id] = true
		}
	}
	if err := v.readFeeds(ctx, &r, slices.Sorted(maps.Keys(feeds))); err != nil {
		return err
	}
	if kinds[store.RulingChanged] {
		if r.ruling, err = v.store.Subscriptions.Ruling(ctx, u); err != nil {
			return err
		}
	}
	// From here on nothing can fail.
	if kinds[store.PositionsChanged] {
		l.move(positions, have)
	}
	for id, sub := range subs {
		f := r.feeds[id]
		if was := find(l.list, id); was != nil && !feeds[id] {
			f = was.Feed
		}
		l.set(id, f, sub)
	}
	for id := range feeds {
		if _, done := subs[id]; !done {
			l.set(id, r.feeds[id], l.row(id))
		}
	}
	if kinds[store.RulingChanged] {
		l.rule(r.ruling)
	}
	l.at = now
	clear(l.ahead)
	return nil
}

// lead takes over subscriptions that were just written, and leaves to others what changed beside them: mostly marks of
// the same moment, whose writers are about to hand them over as well. It reports false where the rows may belong
// together with others that changed.
func (l *live) lead(changes []store.Change, now uint64, have handed) bool {
	for _, c := range changes {
		if c.Kind != store.SubscriptionChanged {
			return false
		}
	}
	for id := range have.subs {
		if find(l.list, id) == nil {
			return false
		}
	}
	if l.ahead == nil {
		l.ahead = map[reader.FeedID]uint64{}
	}
	for id, sub := range have.subs {
		if sub.Positions() != l.positions {
			sub = sub.Under(l.positions)
		}
		l.set(id, find(l.list, id).Feed, sub)
		l.ahead[id] = now
	}
	return true
}

// mostOlder is how many changes of the positions may leave subscriptions with older ones: they take memory.
const mostOlder = 16

// move gives the subscriptions that they concern the user's new positions. Those that are not the next ones may have
// forgotten what some in between said: they are given to all.
func (l *live) move(p *reader.Positions, have handed) {
	isNext := p.Follow(l.positions)
	l.positions = p
	if l.older++; l.older > mostOlder || !isNext {
		l.older = 0
	}
	for i, x := range l.list {
		next := have.next(x)
		if next == nil && (l.older == 0 || p.Concern(x.id, x.State)) {
			next = x.with(x.Sub.Under(p))
		}
		if next != nil {
			l.replace(i, next)
		}
	}
	for id, sub := range l.hidden {
		l.hidden[id] = sub.Under(p)
	}
}

// replace puts another state of a subscription into its place, which rules need not judge again.
func (l *live) replace(i int, x *Subscribed) {
	l.own()
	l.totals.add(l.list[i], -1)
	l.totals.add(x, 1)
	l.list[i] = x
}

// own makes the list one that nobody else has.
func (l *live) own() {
	if l.shared {
		l.list, l.shared = slices.Clone(l.list), false
	}
}

// concerned returns what of a side bar changed: subscriptions, rows of feeds that the user has, and the kinds of rows.
func (l *live) concerned(changes []store.Change) (subs map[reader.FeedID]*store.SubscriptionRow,
	feeds map[reader.FeedID]bool, kinds map[store.ChangeKind]bool) {
	subs, feeds, kinds = map[reader.FeedID]*store.SubscriptionRow{}, map[reader.FeedID]bool{},
		map[store.ChangeKind]bool{}
	for _, c := range changes {
		kinds[c.Kind] = true
		switch c.Kind {
		case store.SubscriptionChanged:
			if c.At > l.ahead[c.Feed] {
				subs[c.Feed] = nil
			}
		case store.FeedChanged:
			if l.row(c.Feed) != nil {
				feeds[c.Feed] = true
			}
		}
	}
	return subs, feeds, kinds
}

// row returns the row of a subscription, shown or not.
func (l *live) row(id reader.FeedID) *store.SubscriptionRow {
	if x := find(l.list, id); x != nil {
		return x.Sub
	}
	return l.hidden[id]
}

// set replaces a subscription; without sub it is removed.
func (l *live) set(id reader.FeedID, f *store.FeedRow, sub *store.SubscriptionRow) {
	l.own()
	delete(l.hidden, id)
	i, there := search(l.list, id)
	var was *Subscribed
	if there {
		was = l.list[i]
		l.totals.add(was, -1)
	}
	if sub == nil || f == nil {
		if there {
			l.list = slices.Delete(l.list, i, i+1)
		}
		if sub != nil {
			l.hidden[id] = sub
		}
		delete(l.unruled, id)
		return
	}
	x := (&Subscribed{Feed: f, Host: hostOf(f, was)}).with(sub)
	if there {
		l.list[i] = x
	} else {
		l.list = slices.Insert(l.list, i, x)
	}
	l.totals.add(x, 1)
	if l.unruled != nil && !(there && ruledAlike(was, x)) {
		l.unruled[id] = true
	}
}

// ruledAlike reports whether rules have to judge one state of a subscription when they have to judge another.
func ruledAlike(a, b *Subscribed) bool {
	return a.Feed == b.Feed && a.Sub.Ruled == b.Sub.Ruled && a.Sub.Since == b.Sub.Since &&
		slices.Equal(a.Sub.Folders, b.Sub.Folders)
}

// ruled records that the rules have nothing to judge in some subscriptions of a view.
func (v *views) ruled(u reader.UserID, w *view, list []*Subscribed) {
	if len(list) == 0 || w.rules == 0 {
		return
	}
	l := v.live(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range list {
		if l.rules == w.rules && find(l.list, x.id) == x {
			delete(l.unruled, x.id)
		}
	}
}

// sums returns the totals of a side bar in memory, with some subscriptions in other states; ok is false where there is
// none, or rules are to be applied first. A side bar that has them was made current in this request, after they were
// written.
func (v *views) sums(ctx context.Context, u reader.UserID, changed []*Subscribed) (t Totals, ok bool, err error) {
	if !v.store.Table().Logs() {
		return t, false, nil
	}
	l := v.live(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.has(changed) {
		if err := v.catchUp(ctx, u, l); err != nil {
			return t, false, err
		}
	}
	if len(l.unruled) > 0 {
		return t, false, nil
	}
	return l.totals.with(l.list, changed), true, nil
}

// one returns a subscription of a side bar that is in memory; nil where there is none, or the subscription is not shown
// in it.
func (v *views) one(ctx context.Context, u reader.UserID, id reader.FeedID) *Subscribed {
	if !v.store.Table().Logs() {
		return nil
	}
	l := v.live(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == 0 || v.catchUp(ctx, u, l) != nil {
		return nil // it is read, or that fails again
	}
	return find(l.list, id)
}

// has reports whether the side bar has these subscriptions, and not others of the same feeds.
func (l *live) has(list []*Subscribed) bool {
	for _, x := range list {
		if x == nil {
			return false
		}
		if have := find(l.list, x.Sub.Feed()); have == nil || have.Sub != x.Sub {
			return false
		}
	}
	return len(list) > 0
}

// position returns the position of the user's side bar, for wrote; 0 when there is none in memory.
func (v *views) position(u reader.UserID) uint64 {
	if !v.store.Table().Logs() {
		return 0
	}
	l := v.live(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// wrote hands over subscriptions that were just written, so that they need not be read. before is the position before
// that.
func (v *views) wrote(ctx context.Context, u reader.UserID, before uint64, subs ...*Subscribed) {
	have := handed{subs: make(map[reader.FeedID]*store.SubscriptionRow, len(subs))}
	for _, x := range subs {
		have.subs[x.id] = x.Sub
	}
	v.hand(ctx, u, before, have)
}

// moved hands over new positions, and what subscriptions, in order of feed number, became with them.
func (v *views) moved(ctx context.Context, u reader.UserID, before uint64, p *reader.Positions, was,
	are []*Subscribed) {
	v.hand(ctx, u, before, handed{positions: p, before: was, after: are})
}

// hand brings the side bar up to date with what the caller has written.
func (v *views) hand(ctx context.Context, u reader.UserID, before uint64, have handed) {
	if before == 0 {
		return
	}
	l := v.live(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	changes, now, complete := v.store.Changes(ctx, u, before)
	if !complete || l.at < before {
		return // the next request that needs the row reads it
	}
	// A row that was written once since then has the content that the caller wrote.
	times := map[store.Change]int{}
	for _, c := range changes {
		c.At = 0
		times[c]++
	}
	for id := range have.subs {
		if times[store.Change{Kind: store.SubscriptionChanged, Feed: id}] != 1 {
			delete(have.subs, id)
		}
	}
	if times[store.Change{Kind: store.PositionsChanged}] != 1 {
		have.positions, have.before, have.after = nil, nil, nil
	}
	for len(changes) > 0 && changes[0].At <= l.at {
		changes = changes[1:]
	}
	if len(changes) > len(have.subs) && l.lead(changes, now, have) {
		return
	}
	_ = v.apply(ctx, u, l, changes, now, have) // after an error the next request tries again
}
