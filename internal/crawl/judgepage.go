package crawl

import (
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

// seen judges a look at a watch. problem is the problem that several looks in a row have shown.
func (j *judging) seen(v *watch.Verdict, problem string) {
	s, next := j.obs.page, &j.next
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
	case s.Page != 1: // says nothing of page 1
		j.suspect(problem)
		return
	case v.Problem != "":
		// The next answer must be a whole one, and count as well.
		j.answered()
		forgetPage(next)
	case first || s.Inspect || s.Replaced || len(v.Events) > 0 || s.Full && j.row.ReadAt <= s.At.Add(-day).Unix() &&
		(s.Stale || j.obs.validators != (pair{j.row.ETag, j.row.LastModified})):
		j.answered()
		next.ETag, next.LastModified, next.Hash = j.obs.validators.etag, j.obs.validators.lastModified, j.obs.hash
		next.ReadAt, next.Large, next.Channel = s.At.Unix(), j.obs.large, int64(s.Rev)
		next.Lang, next.MaxAge = reader.CutBytes(s.Listing.Lang, 35), pageMaxAge(j.obs)
		if first {
			next.FirstSeq = j.row.Seq + uint32(len(v.Events))
		}
	default:
		j.answered()
		next.MaxAge = max(next.MaxAge, pageMaxAge(j.obs))
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

// pageMaxAge is the publisher's, or a Crawl-delay that is too long for a pace.
func pageMaxAge(obs *observation) int32 {
	if delay := obs.page.Delay; delay > reader.LongestPace {
		return max(maxAge(obs.resp), seconds(delay))
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
