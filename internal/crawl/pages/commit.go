package pages

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

// The commit of what a page of a watch shows, step by step; each step may be the last.
//
//	1 the state of the results is read, and compared with the page; if anything has changed, both are repeated with
//	  what was written last
//	2 changes that items announce go into the delta row D#(seq+1) with these items, IF ABSENT, and the feed row takes
//	  the seq, as for every feed (crawl/commit.go); other changes go into a row of their own, IF ABSENT
//	3 the feed row takes the validators of page 1, with the last write: after a crash the next answer is a whole one.
//	  With silent changes alone, or none, that is done once a day at most: their rows say that the validators are not
//	  those of the page
//	4 history, then a new base, when they are due (fold.go)
//
// After a lost race everything is compared again: what another crawler committed is no longer a change. A snapshot that
// is older than what another has committed is dropped. The delta of a dead crawler may be older than the validators,
// which are forgotten with it.

// Commit is the part of a commit that snapshots and feeds have in common.
type Commit interface {
	// Row is the feed row as it was read or written last.
	Row() *store.FeedRow
	Reread(ctx context.Context) error
	// RollForward commits a delta that exists already, and reads the row again.
	RollForward(ctx context.Context, d *store.DeltaRow) error
	// Judge returns the row as it is to be once the verdict is stored. problem is the problem that the watch has had
	// several times in a row.
	Judge(v *watch.Verdict, problem string) *store.FeedRow
	// KeepPage keeps a page that could not be read.
	KeepPage(ctx context.Context) error
	// Append writes a delta with the items of the verdict's events and with all its changes, and then the row. done is
	// false after a lost race.
	Append(ctx context.Context, items []store.Header, v *watch.Verdict, next *store.FeedRow) (done bool, err error)
	// Change writes the row alone, if it differs.
	Change(ctx context.Context, next *store.FeedRow) (done bool, err error)
}

func (s *Snapshot) compare(st *watch.State) *watch.Verdict {
	if s.Listing == nil {
		return watch.CompareDetails(st, s.Set, s.Tick, s.At, s.details)
	}
	return watch.Compare(st, s.Set, &watch.Look{
		At: s.At, Tick: s.Tick, Page: s.Page, Read: s.Listing, Full: s.Full, Seen: s.found, Inspect: s.Inspect,
		Relaid: s.relaid, Last: s.Listing.Next == "" || s.Page >= s.Set.Layout.MostPages(),
	})
}

// Commit stores what was seen. The commit's row may be stale; it is read again whenever a condition says so.
func (p *Pages) Commit(ctx context.Context, s *Snapshot, to Commit) error {
	latest := false
	for range MaxRounds {
		log := s.log
		if s.log = nil; log == nil {
			var err error
			if log, err = p.Store.Watches.Log(ctx, to.Row(), latest); err != nil {
				return err
			}
		}
		st, err := log.State()
		if err != nil {
			return err
		}
		v := s.compare(st)
		if v.Problem != "" && p.describeAnew(ctx, to.Row().ID(), st, s) {
			v = s.compare(st)
		}
		if !latest && !v.Changes.IsEmpty() {
			latest = true
			if err := to.Reread(ctx); err != nil {
				return err
			}
			continue
		}
		if latest && log.Orphan != nil {
			if err := to.RollForward(ctx, log.Orphan); err != nil {
				return err
			}
			continue
		}
		if latest && log.HasBetween(s.At, p.Clock.Now()) {
			return nil // somebody else has seen the watch since: that it looked otherwise before is no change
		}
		done, err := p.write(ctx, &comparison{log, st, v}, s, to)
		if err != nil || done {
			return err
		}
		latest = true
	}
	return ErrTooManyRaces
}

// comparison is a verdict with the state that it was found for.
type comparison struct {
	log *store.WatchLog
	st  *watch.State
	v   *watch.Verdict
}

// since are the changes since the base, those of the verdict included.
func (r *comparison) since() []*watch.Changes { return append(r.log.Changes(), &r.v.Changes) }

// write writes a verdict. done is false when it has to be compared again.
func (p *Pages) write(ctx context.Context, r *comparison, s *Snapshot, to Commit) (done bool, err error) {
	// Before the state has the changes: texts are those of the changes until now.
	if err := p.fillTexts(ctx, to.Row().ID(), r, r.v.Events); err != nil {
		return false, err
	}
	r.st.Apply(&r.v.Changes)
	problem, _ := r.st.Problem()
	next := to.Judge(r.v, problem)
	if problem != "" && problem != to.Row().ErrCode {
		if err := to.KeepPage(ctx); err != nil {
			return false, err
		}
	}
	if len(r.v.Events) > 0 {
		done, err = to.Append(ctx, offers(r.v.Events, next.Lang), r.v, next)
	} else {
		done, err = p.writeSilent(ctx, r, next, s.Page == 1, to)
	}
	if err != nil || !done {
		return false, err
	}
	if s.verdict, err = r.v, p.findTargets(ctx, to.Row(), r, s); err != nil {
		return false, err
	}
	if err := p.fold(ctx, to.Row(), s.Set, r); err != nil {
		p.Log.Warn("the results of a watch were not folded", "feed_id", uint32(to.Row().ID()), "error", err)
	}
	return true, nil
}

// writeSilent writes changes that no item announces, if there are any, and the feed row.
func (p *Pages) writeSilent(ctx context.Context, r *comparison, next *store.FeedRow, isFirst bool,
	to Commit) (done bool, err error) {
	if ch := &r.v.Changes; !ch.IsEmpty() {
		row := to.Row()
		seq := reader.Seq(row.Seq)
		err := p.Store.Watches.PutChanges(ctx, row.ID(), seq, ch, r.log.Free(seq, ch.Tick), isFirst)
		if fault.Is(err, fault.Conflict) {
			return false, to.Reread(ctx)
		}
		if err != nil {
			return false, err
		}
	}
	return to.Change(ctx, next)
}
