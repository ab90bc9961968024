package popular

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A cycle is a chain of messages. Each makes at most one call and sends the next message, delayed by the least time
// between calls, so no worker waits. The row is written before the first call and after the last, so that a tick has
// one chain. A redelivered message ends its chain, because its call may have been made; the next chain asks for what
// this one has not written.

const (
	// settling is the longest time from the stamp of a delta until it is visible.
	settling = 3
	// lasts bounds the duration of a chain, so that it ends before the chain of the next tick begins.
	lasts = 13 * time.Minute
	// manyFeeds is how many feeds with new items begin a cycle at once: enough to fill its calls.
	manyFeeds = 200
	// skew is by how much the clocks of two workers may differ without a call coming too early.
	skew = time.Second
	// maxDeltas bounds the deltas that one message reads.
	maxDeltas = 200
)

// progress is the state of a cycle in its messages.
type progress struct {
	UpTo  reader.Minute `json:"upTo"` // what arrived or became due up to it is asked for
	Began int64         `json:"began,omitempty"`
	Tick  schedule.Tick `json:"tick,omitempty"`
	// What the newest cycle before has done, see store.CycleRow; FilledTo is up to which feed this one has planned.
	On       uint32 `json:"on,omitempty"`
	Arrived  uint32 `json:"arrived,omitempty"`
	Due      uint32 `json:"due,omitempty"`
	Filled   uint32 `json:"filled,omitempty"`
	FilledTo uint32 `json:"filledTo,omitempty"`
	// FilledSeq is store.Stops.Older of the cycle before, if this one has planned nothing older.
	FilledSeq reader.Seq `json:"filledSeq,omitempty"`

	Asks    []byte `json:"asks,omitempty"`    // what is left to ask for
	Left    []byte `json:"left,omitempty"`    // the first of each class that is left to the next cycle
	Rest    int32  `json:"rest,omitempty"`    // how many items are
	Asked   []byte `json:"asked,omitempty"`   // as the row's New
	Changes []byte `json:"changes,omitempty"` // as the row's
	Calls   int32  `json:"calls,omitempty"`
	Fails   int32  `json:"fails,omitempty"`
	Shed    int32  `json:"shed,omitempty"`
	// Most bounds the URLs of a call after the provider has refused longer ones; 0 = the provider's limit.
	Most int `json:"most,omitempty"`
	// NotBefore is the earliest time of the next call, in Unix milliseconds.
	NotBefore int64 `json:"notBefore,omitempty"`
}

// Next says whether and when a cycle is to begin in a tick; nil for none.
func (s *Service) Next(ctx context.Context, t schedule.Tick, now time.Time) (*job.CountsDue, error) {
	site, err := s.store.Accounts.Site(ctx)
	if err != nil || !site.CountsBookmarks {
		return nil, err
	}
	newest, done, err := s.store.Cycles.Newest(ctx, now)
	if err != nil {
		return nil, err
	}
	if isUnderWay(newest, now) || newest != nil && newest.Tick() >= t || done != nil && done.NotBefore > now.Unix() {
		return nil, nil
	}
	upto := reader.MinuteOf(now)
	upto -= min(upto, settling)
	due := &job.CountsDue{Begin: job.NewCounts(progress{UpTo: upto, Tick: t}, nil)}
	switch {
	case done == nil:
		due.Arrived = upto
	case done.Rest > 0 || t-done.Tick() >= schedule.Tick(s.o.Wait/schedule.TickLength):
		due.Arrived = reader.Minute(done.Arrived)
	default:
		due.Arrived, due.From = reader.Minute(done.Arrived), manyFeeds
	}
	return due, nil
}

// isUnderWay reports whether a cycle has begun and may still be going on.
func isUnderWay(newest *store.CycleRow, now time.Time) bool {
	return newest != nil && !newest.IsDone && now.Before(newest.Tick().Start().Add(schedule.TickLength))
}

// Run handles a message of kind job.Counts: it begins a cycle, or makes its next call.
func (s *Service) Run(ctx context.Context, j job.Job) error {
	if j.Receives > 1 {
		return nil
	}
	var c progress
	if err := json.Unmarshal(j.State, &c); err != nil {
		return fault.New(fault.Invalid, "bad_message", "popular: counts", err)
	}
	if c.Began == 0 {
		return s.begin(ctx, &c, j.Feeds, j.Except)
	}
	return s.call(ctx, &c)
}

// begin plans a cycle. One without anything to ask writes its row and ends, or each tick would plan it again.
func (s *Service) begin(ctx context.Context, c *progress, feeds, except []reader.FeedID) error {
	now := s.clock.Now()
	newest, done, err := s.store.Cycles.Newest(ctx, now)
	if err != nil || isUnderWay(newest, now) || newest != nil && newest.Tick() >= c.Tick ||
		now.After(c.Tick.Start().Add(lasts)) {
		return err
	}
	prev := store.CycleRow{On: uint32(c.UpTo), Arrived: uint32(c.UpTo), Due: uint32(c.UpTo)}
	if done != nil {
		prev = *done
	}
	counts := s.Counts(ctx)
	if !counts.IsOn() {
		return nil
	}
	p, err := s.plan(ctx, prev, c.UpTo, feeds, except, counts)
	if err != nil {
		return err
	}
	c.Began, c.On, c.Arrived, c.Due, c.Filled, c.Fails = now.Unix(), prev.On, prev.Arrived, prev.Due,
		prev.Filled, prev.Fails
	c.FilledTo, c.Shed = p.filledTo, int32(p.shed)
	if p.filledTo == prev.Filled {
		c.FilledSeq = p.stops.Older.Seq
	}
	if len(p.list) == 0 {
		row := s.ended(c, nil)
		row.IsDone = true
		return fault.Ignore(s.store.Cycles.Begin(ctx, c.Tick, row), fault.Conflict)
	}
	c.Asks, _ = p.list.MarshalBinary()
	c.Left, _ = p.left.firsts().MarshalBinary()
	c.Rest = int32(p.left.items())
	row := store.CycleRow{Began: c.Began}
	if err := s.store.Cycles.Begin(ctx, c.Tick, &row); err != nil {
		return fault.Ignore(err, fault.Conflict)
	}
	return s.send(ctx, c, s.o.Interval)
}

// send sends the chain's next message, whose call is an interval away by any worker's clock. The queue's delay keeps
// the interval; NotBefore is for early delivery.
func (s *Service) send(ctx context.Context, c *progress, delay time.Duration) error {
	delay += skew
	c.NotBefore = s.clock.Now().Add(delay).UnixMilli()
	return job.Send(ctx, s.queue, delay, job.NewCounts(c, nil))
}

// call makes one call, and ends the cycle if it was the last.
func (s *Service) call(ctx context.Context, c *progress) error {
	now := s.clock.Now()
	if early := time.UnixMilli(c.NotBefore).Sub(now); early > 0 {
		// The message is sent anew, because one received twice makes no call. It waits no longer than usual, as the
		// sender's clock may be ahead.
		early = min(early, s.o.Interval+skew)
		c.NotBefore = now.Add(early).UnixMilli()
		return job.Send(ctx, s.queue, early, job.NewCounts(c, nil))
	}
	var list asks
	if err := list.UnmarshalBinary(c.Asks); err != nil {
		return err
	}
	if now.After(c.Tick.Start().Add(lasts)) || int(c.Calls) >= s.o.MaxCalls {
		return s.end(ctx, c, list, nil)
	}
	b, err := s.batch(ctx, c, list)
	if err != nil {
		return err
	}
	if len(b.urls) == 0 && len(b.rest) > 0 { // so many that are not sent
		c.Asks, _ = b.rest.MarshalBinary()
		return job.Send(ctx, s.queue, 0, job.NewCounts(c, nil))
	}
	if len(b.urls) == 0 {
		return s.end(ctx, c, nil, nil)
	}
	c.Calls++
	found, err := s.provider.Ask(ctx, b.urls)
	switch {
	case errors.Is(err, ErrTooLong) && len(b.urls) > 1:
		c.Most = max(len(b.urls)/2, 1)
		return s.send(ctx, c, s.o.Interval)
	case errors.Is(err, ErrTooLong):
		found = map[string]int{b.urls[0]: store.UnknownCount}
	case fault.Is(err, fault.Cancelled): // this process ends
		return err
	case err != nil:
		c.Fails++
		return s.end(ctx, c, list, err)
	}
	c.Fails = 0
	if err := s.record(c, b, found); err != nil {
		return err
	}
	if len(b.rest) == 0 {
		return s.end(ctx, c, nil, nil)
	}
	c.Asks, _ = b.rest.MarshalBinary()
	return s.send(ctx, c, s.o.Interval)
}

// batch is the items of one call.
type batch struct {
	urls  []string
	items []batchItem
	done  asks // what it covers, those included that are not sent
	rest  asks
}

// batchItem is an item with the URLs of which it takes the greatest count; the second may be missing.
type batchItem struct {
	feed       reader.FeedID
	seq        reader.Seq
	sort       int64
	story      uint32
	url, other string
}

// batch takes as much of the list as one call may ask for.
func (s *Service) batch(ctx context.Context, c *progress, list asks) (*batch, error) {
	limits := s.provider.Limits()
	if c.Most > 0 {
		limits.URLs = c.Most
	}
	b, bytes, seen := &batch{}, 0, map[string]bool{}
	counts := s.Counts(ctx)
	for i, a := range list {
		if i >= maxDeltas {
			b.rest = list[i:]
			return b, nil
		}
		d, err := s.store.Items.At(ctx, a.feed, a.first)
		if fault.Is(err, fault.NotFound) {
			continue // the feed or its items are gone
		}
		if err != nil {
			return nil, err
		}
		headers, err := d.Headers()
		if err != nil {
			continue // a damaged row has no links to ask for
		}
		for k := range a.n {
			seq := a.first + reader.Seq(k)
			at := int(seq - d.First())
			if at >= len(headers) {
				break
			}
			x := batchItem{feed: a.feed, seq: seq, sort: headers[at].Sort,
				story: reader.StoryHash(reader.StoryURL(headers[at].Link)), url: reader.AskURL(headers[at].Link)}
			if x.url == "" {
				continue
			}
			if was := counts.find(a.feed, seq); was != nil && was.isOther() && !a.both {
				x.url = reader.OtherScheme(x.url)
			}
			var more []string
			if !seen[x.url] {
				more = append(more, x.url)
			}
			if a.both {
				if x.other = reader.OtherScheme(x.url); !seen[x.other] {
					more = append(more, x.other)
				}
			}
			size := 0
			for _, u := range more {
				size += limits.Size(u)
			}
			if len(b.urls) > 0 && (len(b.urls)+len(more) > limits.URLs || bytes+size > limits.Bytes) {
				rest := a
				rest.first, rest.n = seq, a.n-k
				b.rest = append(asks{rest}, list[i+1:]...)
				if k > 0 {
					a.n = k
					b.done = append(b.done, a)
				}
				return b, nil
			}
			if len(more) > limits.URLs || size > limits.Bytes {
				more, x.other = more[:1], "" // one URL at a time: after refusals, or because both are very long
				size = limits.Size(more[0])
			}
			for _, u := range more {
				seen[u] = true
			}
			b.urls, b.items, bytes = append(b.urls, more...), append(b.items, x), bytes+size
		}
		b.done = append(b.done, a)
	}
	return b, nil
}

// record notes the counts of a call that are new.
func (s *Service) record(c *progress, b *batch, found map[string]int) error {
	changes, err := store.UnpackCounts(c.Changes)
	if err != nil {
		return err
	}
	counts := s.Counts(context.Background())
	for _, x := range b.items {
		next := store.ChangedCount{Feed: x.feed, Seq: x.seq, N: found[x.url], Sort: x.sort, Story: x.story}
		if n := found[x.other]; x.other != "" && n > next.N {
			next.N, next.IsOther = n, true
		}
		was := counts.find(x.feed, x.seq)
		if was != nil {
			next.Was = was.changed().N
			if x.other == "" {
				next.IsOther = was.isOther()
			}
		}
		if next.N != next.Was || was != nil && next.IsOther != was.isOther() {
			changes = append(changes, next)
		}
	}
	c.Changes = store.PackCounts(changes)
	row := store.CycleRow{New: c.Asked}
	asked, err := row.Asked()
	if err != nil {
		return err
	}
	for _, a := range b.done {
		if a.class != again {
			asked = append(asked, store.AskedItems{Feed: a.feed, First: a.first, N: a.n, Arrived: a.at})
		}
	}
	row.SetAsked(asked)
	c.Asked = row.New
	return nil
}

// end writes what the cycle has found. failure is why it ended early, if it did.
func (s *Service) end(ctx context.Context, c *progress, rest asks, failure error) error {
	changes, err := store.UnpackCounts(c.Changes)
	if err != nil {
		return err
	}
	slices.SortStableFunc(changes, func(a, b store.ChangedCount) int {
		return cmp.Or(cmp.Compare(a.Feed, b.Feed), cmp.Compare(a.Seq, b.Seq))
	})
	var left asks
	if err := left.UnmarshalBinary(c.Left); err != nil {
		return err
	}
	row := s.ended(c, append(rest.firsts(), left...))
	row.Rest = int32(rest.items()) + c.Rest
	row.SetChanged(changes)
	if failure != nil {
		row.Why = why(failure)
		row.NotBefore = s.clock.Now().Add(pause(c.Fails, failure)).Unix()
		s.log.Warn("the provider of counts failed", "code", row.Why, "error", failure, "fails", c.Fails, "calls",
			c.Calls, "not_before", row.NotBefore)
	}
	return fault.Ignore(s.store.Cycles.End(ctx, c.Tick, row), fault.Conflict)
}

// ended is the row of a finished cycle. For what is left, the first of each class says how far it came.
func (s *Service) ended(c *progress, left asks) *store.CycleRow {
	row := &store.CycleRow{
		Began: c.Began, On: c.On, Arrived: uint32(c.UpTo), Due: uint32(c.UpTo), Filled: c.FilledTo, New: c.Asked,
		Calls: c.Calls, Shed: c.Shed,
		Fails: c.Fails,
	}
	stops := store.Stops{}
	if c.FilledSeq > 0 {
		stops.Older = store.Stop{Feed: reader.FeedID(c.FilledTo) + 1, Seq: c.FilledSeq}
	}
	seen := map[class]bool{}
	for _, a := range left {
		if seen[a.class] {
			continue
		}
		seen[a.class] = true
		stop := store.Stop{Feed: a.feed, Seq: a.first}
		switch a.class {
		case arrived:
			row.Arrived, stops.Arrived = uint32(a.at)-1, stop
		case again:
			row.Due, stops.Due = uint32(a.at)-1, stop
		case older:
			row.Filled, stops.Older = uint32(a.feed)-1, stop
		}
	}
	row.SetStops(stops)
	return row
}

// why is the code of a failure, see texts.Counts.
func why(failure error) string {
	var limited *RateLimitedError
	switch {
	case errors.As(failure, &limited):
		return "counts_limited"
	case fault.CodeOf(failure) == "counts_unreadable":
		return "counts_unreadable"
	}
	return "counts_failed"
}

// pause is the time without requests after failures in a row.
func pause(fails int32, failure error) time.Duration {
	wait := time.Duration(0)
	switch {
	case fails >= 10:
		wait = 6 * time.Hour
	case fails >= 5:
		wait = time.Hour
	case fails >= 3:
		wait = 30 * time.Minute
	}
	if limited, ok := errors.AsType[*RateLimitedError](failure); ok {
		wait = max(wait, min(limited.After, 24*time.Hour))
	}
	return wait
}
