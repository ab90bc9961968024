package stream

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// live is a user's side bar in memory. Rows that the table says have changed are read again, so that a request sees
// every write that was acknowledged before it.
type live struct {
	mu sync.Mutex // also held while rows are read, so that requests that find it stale together read them once
	at uint64     // position in the table's log; 0 = nothing is kept

	rows   []row         // in order of feed number
	list   []*Subscribed // those that are shown; never changed in place
	totals Totals

	// positions are the user's newest. Subscriptions that did not change since may have slightly older ones.
	positions *reader.Positions
	older     int

	ruling store.Ruling
	rules  int // changes of the ruling
	// unruled are the feeds that may have something that the rules have not judged; nil without rules.
	unruled map[reader.FeedID]bool

	synced syncedView // where changes are unknown
}

// row is a subscription with its feed's row. Without one it is not shown.
type row struct {
	id   reader.FeedID
	sub  *store.SubscriptionRow
	feed *store.FeedRow
}

const (
	// leastBytes is the least that a side bar counts for, which bounds their number to maxViews.
	leastBytes = viewBytes / maxViews
	// subscribedBytes estimates the memory of a subscription beside the contents of its rows.
	subscribedBytes = 1500
	// readSingly is the most changed subscriptions, or a sixth of all, that are read one by one: more are read in one
	// query.
	readSingly = 64
	// mostOlder is how many changes of the positions may leave subscriptions with older ones: they take memory.
	mostOlder = 16
)

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

// catchUp makes a side bar current; false where it is unknown what has changed.
func (v *views) catchUp(ctx context.Context, u reader.UserID, l *live) (isKnown bool, err error) {
	changes, now, complete := v.store.Changes(ctx, u, l.at)
	switch {
	case now == 0:
		return false, nil
	case l.at == 0 || !complete:
		return true, v.rebuild(ctx, u, l, now)
	}
	return true, v.apply(ctx, u, l, changes, now)
}

// rebuild reads a whole side bar. It is as of a position that was taken before: what changes meanwhile is read again.
func (v *views) rebuild(ctx context.Context, u reader.UserID, l *live, at uint64) error {
	list, ruling, err := v.readSubs(ctx, u)
	if err == nil {
		err = v.readFeeds(ctx, list)
	}
	if err != nil {
		return err
	}
	bytes := 0
	l.rows, l.positions, l.older = list, nil, 0
	for _, r := range list {
		bytes += subscribedBytes + r.sub.Bytes()
		if r.feed != nil {
			bytes += r.feed.Bytes()
		}
		l.positions = r.sub.Positions()
	}
	l.assemble()
	l.rule(ruling)
	l.at = at
	v.mu.Lock()
	defer v.mu.Unlock()
	v.users.Put(u, l, max(leastBytes, bytes))
	return nil
}

// apply reads the rows that have changed up to a position.
func (v *views) apply(ctx context.Context, u reader.UserID, l *live, changes []store.Change, now uint64) (err error) {
	if len(changes) == 0 {
		l.at = now
		return nil
	}
	subs, feeds, kinds := l.concerned(changes)
	if len(subs) > max(readSingly, len(l.rows)/6) {
		return v.rebuild(ctx, u, l, now)
	}
	positions := l.positions
	if kinds[store.PositionsChanged] {
		if positions, err = v.store.Subscriptions.Positions(ctx, u); err != nil {
			return err
		}
	}
	var read []row
	for _, id := range slices.Sorted(maps.Keys(subs)) {
		sub, err := v.store.Subscriptions.GetUnder(ctx, u, id, positions)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		r := row{id: id, sub: sub}
		if i, ok := l.row(id); ok {
			r.feed = l.rows[i].feed
		} else {
			feeds[id] = true
		}
		read = append(read, r)
	}
	for id := range feeds {
		if i, ok := l.row(id); ok && !subs[id] {
			read = append(read, l.rows[i])
		}
	}
	slices.SortFunc(read, func(a, b row) int { return cmp.Compare(a.id, b.id) })
	again := make([]row, 0, len(feeds))
	for _, r := range read {
		if feeds[r.id] && r.sub != nil {
			again = append(again, r)
		}
	}
	if err := v.readFeeds(ctx, again); err != nil {
		return err
	}
	ruling := l.ruling
	if kinds[store.RulingChanged] {
		if ruling, err = v.store.Subscriptions.Ruling(ctx, u); err != nil {
			return err
		}
	}
	// From here on nothing can fail.
	for _, r := range read {
		l.set(r)
	}
	for _, r := range again {
		l.set(r)
	}
	if kinds[store.PositionsChanged] {
		l.move(positions)
	}
	l.assemble()
	if kinds[store.RulingChanged] {
		l.rule(ruling)
	}
	l.at = now
	return nil
}

// concerned returns what of a side bar changed: subscriptions, rows of feeds that the user has, and the kinds of rows.
func (l *live) concerned(changes []store.Change) (subs, feeds map[reader.FeedID]bool, kinds map[store.ChangeKind]bool) {
	subs, feeds, kinds = map[reader.FeedID]bool{}, map[reader.FeedID]bool{}, map[store.ChangeKind]bool{}
	for _, c := range changes {
		switch c.Kind {
		case store.SubscriptionChanged:
			subs[c.Feed] = true
		case store.FeedChanged:
			if _, ok := l.row(c.Feed); ok {
				feeds[c.Feed] = true
			}
		default:
			kinds[c.Kind] = true
		}
	}
	return subs, feeds, kinds
}

// row returns where a subscription is, or would be.
func (l *live) row(id reader.FeedID) (int, bool) {
	return slices.BinarySearchFunc(l.rows, id, func(r row, id reader.FeedID) int { return cmp.Compare(r.id, id) })
}

// set replaces the row of a subscription, or removes it.
func (l *live) set(r row) {
	switch i, ok := l.row(r.id); {
	case ok && r.sub == nil:
		l.rows = slices.Delete(l.rows, i, i+1)
	case ok:
		l.rows[i] = r
	case r.sub != nil:
		l.rows = slices.Insert(l.rows, i, r)
	}
}

// move gives new positions to the subscriptions that they change, or to all if changes in between were missed.
func (l *live) move(p *reader.Positions) {
	isNext := p.Follow(l.positions)
	l.positions = p
	if l.older++; l.older > mostOlder || !isNext {
		l.older = 0
	}
	for i := range l.rows {
		r := &l.rows[i]
		if x := find(l.list, r.id); l.older == 0 || x == nil || x.Sub != r.sub || p.Concern(r.id, x.State) {
			r.sub = r.sub.Under(p)
		}
	}
}

// assemble makes the list from the rows. Subscriptions that did not change are the same as before.
func (l *live) assemble() {
	before := l.list
	l.list, l.totals = make([]*Subscribed, 0, len(l.rows)), Totals{}
	for _, r := range l.rows {
		if r.feed == nil {
			continue
		}
		for len(before) > 0 && before[0].id < r.id {
			before = before[1:]
		}
		var was *Subscribed
		if len(before) > 0 && before[0].id == r.id {
			was = before[0]
		}
		x := was
		if was == nil || was.Feed != r.feed || was.Sub != r.sub {
			x = (&Subscribed{Feed: r.feed, Host: hostOf(r.feed, was)}).with(r.sub)
			if l.unruled != nil && (was == nil || !ruledAlike(was, x)) {
				l.unruled[r.id] = true
			}
		}
		l.list = append(l.list, x)
		l.totals.add(x, 1)
	}
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

// ruledAlike reports whether two states of a subscription are the same to the rules, so that a verdict on one holds for
// the other.
func ruledAlike(a, b *Subscribed) bool {
	return a.Feed == b.Feed && a.Sub.Ruled == b.Sub.Ruled && a.Sub.Since == b.Sub.Since &&
		slices.Equal(a.Sub.Folders, b.Sub.Folders)
}

// snapshot returns the side bar as it is now.
func (l *live) snapshot() *view {
	w := &view{list: l.list, totals: l.totals, ruling: l.ruling, rules: l.rules}
	for _, id := range slices.Sorted(maps.Keys(l.unruled)) {
		if x := find(l.list, id); x != nil {
			w.unruled = append(w.unruled, x)
		}
	}
	return w
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

// one returns a subscription of a side bar in memory; nil if there is none, or the subscription is not shown in it.
func (v *views) one(ctx context.Context, u reader.UserID, id reader.FeedID) *Subscribed {
	l := v.live(u)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == 0 {
		return nil
	}
	if isKnown, err := v.catchUp(ctx, u, l); err != nil || !isKnown {
		return nil // it is read, or that fails again
	}
	return find(l.list, id)
}
