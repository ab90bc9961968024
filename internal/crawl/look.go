package crawl

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

// The commit of what a page of a watch shows, step by step; each step may be the last.
//
//	1 the state of the results is read, and compared with the page; if anything has changed, both are repeated with
//	  what was written last
//	2 changes that items announce go into the delta row D#(seq+1) with these items, IF ABSENT, and the feed row takes
//	  the seq, as for every feed (commit.go); other changes go into a row of their own, IF ABSENT
//	3 the feed row takes the validators of page 1, with the last write: after a crash the next answer is a whole one.
//	  With silent changes alone, or none, that is done once a day at most: their rows say that the validators are not
//	  those of the page
//	4 history, then a new base, when they are due (fold.go)
//
// After a lost race everything is compared again: what another crawler committed is no longer a change. A look that is
// older than what another has committed is dropped. The delta of a dead crawler may be older than the validators, which
// are forgotten with it.

// look is what was seen of a watch: a page of its listing, or the pages of single results.
type look struct {
	*visit
	at      time.Time
	tick    schedule.Tick
	read    *listing.Page
	details []watch.DetailLook // instead of read

	wasTried bool // to be read by a new layout

	// What it meant in the end.
	verdict *watch.Verdict
	targets []target // whose own pages are to be read
}

func (l *look) compare(st *watch.State) *watch.Verdict {
	if l.read == nil {
		return watch.CompareDetails(st, l.set, l.tick, l.at, l.details)
	}
	return watch.Compare(st, l.set, &watch.Look{
		At: l.at, Tick: l.tick, Page: l.page, Read: l.read, Full: l.full, Seen: l.found, Inspect: l.inspect,
		Relaid: l.relaid, Last: l.read.Next == "" || l.page >= l.set.Layout.MostPages(),
	})
}

// commitLook stores what was seen. row may be stale; it is read again whenever a condition says so.
func (c *Crawler) commitLook(ctx context.Context, row *store.FeedRow, obs *observation) (committed, error) {
	out := committed{row: row, outcome: reader.OutcomeUnchanged}
	latest := false
	for range maxRounds {
		log := obs.look.log
		if obs.look.log = nil; log == nil {
			var err error
			if log, err = c.store.Watches.Log(ctx, out.row, latest); err != nil {
				return out, err
			}
		}
		st, err := log.State()
		if err != nil {
			return out, err
		}
		v := obs.look.compare(st)
		if v.Problem != "" && c.describeAnew(ctx, out.row.ID(), st, obs) {
			v = obs.look.compare(st)
		}
		if !latest && !v.Changes.IsEmpty() {
			latest = true
			if err := c.reread(ctx, &out); err != nil {
				return out, err
			}
			continue
		}
		if latest && log.Orphan != nil {
			if err := c.rollForward(ctx, log.Orphan, &out); err != nil {
				return out, err
			}
			continue
		}
		if latest && log.HasBetween(obs.look.at, c.clock.Now()) {
			return out, nil // somebody else has seen the watch since: that it looked otherwise before is no change
		}
		done, err := c.writeLook(ctx, &reading{log, st, v}, obs, &out)
		if err != nil || done {
			return out, err
		}
		latest = true
	}
	return out, errTooManyRaces
}

// reading is a verdict with the state that it was found for.
type reading struct {
	log *store.WatchLog
	st  *watch.State
	v   *watch.Verdict
}

// since are the changes since the base, those of the verdict included.
func (r *reading) since() []*watch.Changes { return append(r.log.Changes(), &r.v.Changes) }

// writeLook writes a verdict. done is false when it has to be compared again.
func (c *Crawler) writeLook(ctx context.Context, r *reading, obs *observation, out *committed) (done bool, err error) {
	// Before the state has the changes: texts are those of the changes until now.
	if err := c.fillTexts(ctx, out.row.ID(), r, r.v.Events); err != nil {
		return false, err
	}
	r.st.Apply(&r.v.Changes)
	problem, _ := r.st.Problem()
	j := &judging{verdict: verdict{next: *out.row, outcome: reader.OutcomeUnchanged}, row: out.row, obs: obs,
		now: c.clock.Now()}
	j.seen(r.v, problem)
	out.outcome, out.news = j.outcome, !r.v.Changes.IsEmpty()
	if problem != "" && problem != out.row.ErrCode {
		if err := c.keepPage(ctx, out.row, obs, out); err != nil {
			return false, err
		}
	}
	if len(r.v.Events) > 0 {
		done, err = c.writeEvents(ctx, r.v, &j.next, obs, out)
	} else {
		done, err = c.writeSilent(ctx, r, &j.next, obs.look.page == 1, out)
	}
	if err != nil || !done {
		return false, err
	}
	if obs.look.verdict, err = r.v, c.findTargets(ctx, out.row, r, obs.look); err != nil {
		return false, err
	}
	if err := c.fold(ctx, out.row, obs.look.set, r); err != nil {
		c.o.Log.Warn("the results of a watch were not folded", "feed_id", uint32(out.row.ID()), "error", err)
	}
	return true, nil
}

// writeEvents writes the delta with the events and all changes, and the feed row.
func (c *Crawler) writeEvents(ctx context.Context, v *watch.Verdict, next *store.FeedRow, obs *observation,
	out *committed) (done bool, err error) {
	items := offers(v.Events, next.Lang)
	d, err := c.newDelta(out.row, items, "", out.mine)
	if err != nil {
		return false, err
	}
	v.Changes.Announce(d.First(), v.Events)
	d.Announce(&v.Changes)
	err = c.store.Items.Put(ctx, d)
	if fault.Is(err, fault.Conflict) {
		return false, c.rollForward(ctx, d, out)
	}
	if err != nil {
		return false, err
	}
	err = c.commitDelta(ctx, d, items, next, out)
	return out.mine == d, err
}

// writeSilent writes changes that no item announces, if there are any, and the feed row.
func (c *Crawler) writeSilent(ctx context.Context, r *reading, next *store.FeedRow, isFirst bool,
	out *committed) (done bool, err error) {
	if ch := &r.v.Changes; !ch.IsEmpty() {
		seq := reader.Seq(out.row.Seq)
		err := c.store.Watches.PutChanges(ctx, out.row.ID(), seq, ch, r.log.Free(seq, ch.Tick), isFirst)
		if fault.Is(err, fault.Conflict) {
			return false, c.reread(ctx, out)
		}
		if err != nil {
			return false, err
		}
		out.wrote = true
	}
	if out.row.Equal(next) {
		return true, nil
	}
	now, err := c.store.Feeds.Change(ctx, out.row, next, store.SameSeq, store.SameHash, store.SameETag)
	if fault.Is(err, fault.Conflict) {
		return false, c.reread(ctx, out)
	}
	if err == nil {
		out.row, out.wrote = now, true
	}
	return err == nil, err
}

// seen judges what was seen of a watch. problem is what it has had several times in a row.
func (j *judging) seen(v *watch.Verdict, problem string) {
	l, next := j.obs.look, &j.next
	switch {
	case v.Problem != "":
		j.outcome, j.obs.code = reader.OutcomeFailed, v.Problem
	case !v.Changes.IsEmpty():
		j.outcome = reader.OutcomeChanged
	}
	if len(v.Events) > 0 {
		next.Changed = j.now.Unix()
	}
	first := j.first()
	switch {
	case l.page != 1: // says nothing of page 1
		j.suspect(problem)
		return
	case v.Problem != "":
		// The next answer must be a whole one, and count as well.
		j.answered()
		forgetPage(next)
	case first || l.inspect || l.replaced || len(v.Events) > 0 || l.full && j.row.ReadAt <= l.at.Add(-day).Unix() &&
		(l.stale || j.obs.validators != (pair{j.row.ETag, j.row.LastModified})):
		j.answered()
		next.ETag, next.LastModified, next.Hash = j.obs.validators.etag, j.obs.validators.lastModified, j.obs.hash
		next.ReadAt, next.Large, next.Channel = l.at.Unix(), j.obs.large, int64(l.rev)
		next.Lang, next.MaxAge = reader.CutBytes(l.read.Lang, 35), l.maxAge(j.obs)
		if first {
			next.FirstSeq = j.row.Seq + uint32(len(v.Events))
		}
	default:
		j.answered()
		next.MaxAge = max(next.MaxAge, l.maxAge(j.obs))
	}
	if v.Again {
		forgetPage(next)
	}
	next.ClearErrors()
	j.suspect(problem)
	j.pace(next, !j.row.Equal(next), first && v.Problem == "")
}

// forgetPage makes the next answer a whole page, which is compared whatever its bytes: the row's validators are not
// those of the state.
func forgetPage(next *store.FeedRow) {
	next.ETag, next.LastModified = "", ""
	if len(next.Hash) > 0 { // else nothing was read yet
		next.Hash = []byte{0} // of no body
	}
}

// maxAge is the publisher's, or a Crawl-delay that is too long for a pace.
func (l *look) maxAge(obs *observation) int32 {
	if l.delay > reader.LongestPace {
		return max(maxAge(obs.resp), seconds(l.delay))
	}
	return maxAge(obs.resp)
}

// suspect shows a problem, or the end of one.
func (j *judging) suspect(problem string) {
	next := &j.next
	if problem == "" {
		if next.IsSuspect() {
			next.ClearErrors()
		}
		return
	}
	if next.Errors > 0 {
		return // page 1 did not even arrive
	}
	next.Status, next.ErrCode, next.ErrSince = string(reader.StatusError), problem, j.now.Unix()
	if j.row.IsSuspect() {
		next.ErrSince = j.row.ErrSince
	}
}

// keepPage keeps a page that could not be read, for correcting the settings.
func (c *Crawler) keepPage(ctx context.Context, f *store.FeedRow, obs *observation, out *committed) error {
	resp := obs.resp
	if resp == nil || len(resp.Body) == 0 {
		return nil
	}
	err := c.blobs.Put(ctx, store.PageKey(f.ID()), blob.Gzip(resp.Body), blob.Meta{
		ContentType: blob.ContentType(resp.ContentType), ContentEncoding: "gzip",
		User: map[string]string{"feedid": f.ID().String(), "originalurl": publicURL(resp.FinalURL)},
	})
	if err == nil {
		out.blobs++
	}
	return err
}
