package crawl

import (
	"cmp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// verdict is the consequence of an observation for a feed row.
type verdict struct {
	// next is the row once everything is committed, except for the fields that depend on the deltas and blobs: seq,
	// stamp, ages, the time of the newest item, and the names of blobs.
	next   store.FeedRow
	fresh  []newItem // oldest first
	edited []newItem
	// news reports that items or channel are not as the row knows them. Only these are judged again after a lost race.
	news    bool
	stopped bool // the feed is stopped by this
	outcome reader.Outcome
}

// judge computes what an observation means for a feed row. It is a pure function; after a lost race it is called again
// with the row as it then is. added is how many new items this commit has brought into the row before.
func judge(row *store.FeedRow, obs *observation, added int, now time.Time) verdict {
	j := &judging{verdict: verdict{next: *row, outcome: reader.OutcomeUnchanged}, row: row, obs: obs,
		now: now, added: added}
	if l := obs.items; l != nil {
		j.fresh, j.edited = l.compare(row)
		j.added += len(j.fresh)
		j.matched = len(j.edited)+len(l.returned) > 0 || l.unmarked(row)
	}
	switch obs.kind {
	case failed:
		j.failed()
	case unmodified:
		if obs.resp.NotModified {
			j.outcome = reader.OutcomeNotModified
		}
		j.unmodified()
	case listed:
		j.listed()
	case cutOff:
		j.cutOff()
	case pushed:
		j.pushed()
	}
	return j.verdict
}

// judging computes a verdict.
type judging struct {
	verdict
	row     *store.FeedRow // is not changed
	obs     *observation
	now     time.Time
	added   int  // new items, those of this commit that are written included
	matched bool // what is remembered of items differs
}

// first reports whether no whole body of the feed was committed yet.
func (j *judging) first() bool { return len(j.row.Hash) == 0 }

// differs reports whether items or channel are not as the row knows them.
func (j *judging) differs() bool {
	return j.added > 0 || j.matched || j.first() || int64(j.obs.scan.Channel) != j.row.Channel
}

// remember notes the listed items in the row, if they are not all known; whole is as for remember.
func (j *judging) remember(whole bool) {
	if len(j.fresh) > 0 || j.matched {
		remember(&j.next, j.obs.items.all, dayOf(j.now), whole)
	}
}

// answered is the row after any good answer: there are no errors now.
func (j *judging) answered() {
	next := &j.next
	if !next.IsSuspect() { // only a good page ends that
		next.ClearErrors()
	}
	next.Probe, next.Proposed, next.ProposedWhy, next.NotBefore = 0, "", "", 0
	j.redirected()
}

// redirected counts the answers in a row that came by permanent redirects (301, 308) alone from the same place; failed
// polls do not count. It stops counting at movedPolls, so that a feed that cannot be moved costs no write for each
// poll.
func (j *judging) redirected() {
	next := &j.next
	to := j.obs.resp.PermanentURL
	if to == next.URL || len(to) > reader.MaxURL || next.IsWatch() { // its address is the owner's choice
		to = ""
	}
	switch {
	case to == "":
		next.MovedTo, next.MovedSince, next.MovedPolls = "", 0, 0
	case to != next.MovedTo:
		next.MovedTo, next.MovedSince, next.MovedPolls = to, j.now.Unix(), 1
	case next.MovedPolls < movedPolls:
		next.MovedPolls++
	}
}

// unmodified judges an answer without news: usually nothing changes, and nothing is written.
func (j *judging) unmodified() {
	j.answered()
	j.keepValidators() // before pace: a feed without validators is polled less often
	// The owner's crawl of everything respects the greatest max-age.
	j.next.MaxAge = max(j.next.MaxAge, maxAge(j.obs.resp))
	j.next.Large = j.next.Large || j.obs.large
	j.pace(&j.next, !j.row.Equal(&j.next), false)
}

// listed judges a whole body.
func (j *judging) listed() {
	if j.news = j.differs(); !j.news {
		j.unmodified()
		if knowsTooMuch(j.row, j.obs.items) {
			remember(&j.next, j.obs.items.all, dayOf(j.now), true)
		}
		return
	}
	j.outcome = reader.OutcomeChanged
	j.answered()
	next := &j.next
	if j.added > 0 || j.first() {
		j.changed()
	}
	j.channel()
	if missedPush(j.row, j.obs.scan, j.now) {
		// The hub is not reliable: the feed is polled at its own interval again.
		next.PushUntil = 0
	}
	if j.first() {
		next.FirstSeq = j.row.Seq + uint32(len(j.fresh))
	}
	j.remember(true)
	j.pace(next, true, j.first())
}

// channel takes what the response and the body say of the feed itself.
func (j *judging) channel() {
	f, next, obs, scan := j.row, &j.next, j.obs, j.obs.scan
	next.ETag, next.LastModified, next.Fickle = obs.validators.etag, obs.validators.lastModified, 0
	next.Hash, next.Channel, next.Large = obs.hash, int64(scan.Channel), obs.large
	next.MaxAge, next.TTL = maxAge(obs.resp), seconds(scan.TTL)
	next.SkipHours, next.SkipDays = int32(scan.SkipHours), int32(scan.SkipDays)
	j.titles()
	next.Lang, next.Icon = reader.CutBytes(scan.Language, 35), link(scan.Icon)
	next.Hub, next.Topic = link(hub(scan, obs.resp)), topic(f, scan, obs.resp)
	next.LeftOut = int32(scan.LeftOut)
	next.Updated = cmp.Or(lastUpdate(scan, j.now), next.Updated)
}

// lastUpdate is the publisher's date of the last update, in Unix seconds: that of the channel, else the latest of its
// items; 0 for none. Dates in the future are ignored.
func lastUpdate(scan *extract.Feed, now time.Time) int64 {
	last := scan.Updated
	if last.After(now) {
		return 0
	}
	if last.IsZero() {
		for i := range scan.Items {
			it := &scan.Items[i]
			for _, at := range [...]time.Time{it.Published, it.Updated} {
				if at.After(last) && !at.After(now) {
					last = at
				}
			}
		}
	}
	return unixOrZero(last)
}

// titles takes the channel's title, description and site. A title that the publisher left out this time stays.
func (j *judging) titles() {
	scan := j.obs.scan
	j.next.Title = reader.CutBytes(cmp.Or(scan.Title, j.row.Title), maxTitle)
	j.next.About, j.next.Site = reader.CutBytes(scan.Description, maxSnippet), link(scan.Link)
}

// cutOff judges a body that did not arrive whole. Its items count. Its validators do not, or the next answer could be a
// 304 and the rest would never come; nor does the absence of items. The hash stays, so that the first whole body counts
// as the first crawl. The feed shows an error, but is polled at its usual interval and counts no failures.
func (j *judging) cutOff() {
	f, next := j.row, &j.next
	j.outcome = reader.OutcomeTruncated
	j.news = j.differs()
	said := f.Status == string(reader.StatusError) && f.ErrCode == reader.CodeTruncated && f.Errors == 0
	j.answered()
	next.Status, next.ErrCode = string(reader.StatusError), reader.CodeTruncated
	if said {
		next.ErrSince, next.ParseErrs = f.ErrSince, f.ParseErrs
	} else {
		next.ErrSince = j.now.Unix()
	}
	if j.added > 0 {
		j.changed()
	}
	first := j.first() && f.FirstSeq == 0 && j.added > 0
	if first { // there is no better knowledge of the channel yet
		j.titles()
		next.FirstSeq = f.Seq + uint32(len(j.fresh))
	}
	j.remember(false)
	offered := *next
	if !f.HasValidators() {
		// The interval is that of a feed with the validators that the server offered: the next answer will have some.
		offered.ETag, offered.LastModified = j.obs.validators.etag, j.obs.validators.lastModified
	}
	j.pace(&offered, !f.Equal(next), first)
}

// pushed judges what a hub sent. It may list new items only, so it says nothing about other items, the channel, or
// validators.
func (j *judging) pushed() {
	if j.news = j.added > 0 || j.matched; !j.news {
		return
	}
	j.outcome = reader.OutcomeChanged
	if j.added > 0 {
		j.changed()
		j.next.Fickle = 0 // other validators are no surprise now
	}
	j.remember(false)
}

// keptChanges is the number of earlier changes that a feed row remembers, for its interval.
const keptChanges = 8

// changed notes that the feed has changed now. On a first crawl the dates of the items stand for earlier changes.
func (j *judging) changed() {
	f, next := j.row, &j.next
	next.Changed, next.Updated = j.now.Unix(), cmp.Or(lastUpdate(j.obs.scan, j.now), f.Updated)
	if !j.first() {
		kept := f.Changes[max(0, len(f.Changes)-keptChanges+1):]
		next.Changes = append(slices.Clone(kept), j.now.Unix())
		return
	}
	var at []int64
	for i := range j.obs.scan.Items {
		if t := j.obs.scan.Items[i].Published; !t.IsZero() && !t.After(j.now) {
			at = append(at, t.Unix())
		}
	}
	slices.Sort(at)
	next.Changes = at[max(0, len(at)-keptChanges):]
}

// ageStep, in seconds, is the unit to which max-age is rounded up, because some servers count it down from answer to
// answer.
const ageStep = 15 * 60

func maxAge(resp *fetch.Response) int32 {
	return (seconds(min(resp.MaxAge, schedule.MaxHint)+time.Second-1) + ageStep - 1) / ageStep * ageStep
}

// seconds bounds a duration to what a row holds.
func seconds(d time.Duration) int32 { return int32(min(max(d, 0)/time.Second, 1<<30)) }

func hub(scan *extract.Feed, resp *fetch.Response) string { return cmp.Or(resp.Links.Hub, scan.Hub) }

// topic is the address that the feed's hub knows it by, where that is not its own.
func topic(f *store.FeedRow, scan *extract.Feed, resp *fetch.Response) string {
	self := resp.Links.Self
	if self == "" || resp.Links.Hub == "" {
		self = cmp.Or(scan.Self, self)
	}
	if hub(scan, resp) == "" || self == f.URL {
		return ""
	}
	return link(self)
}

// pair is ETag and Last-Modified, byte for byte as the publisher sent them; kept and replaced together, also when one
// of them vanished.
type pair struct{ etag, lastModified string }

func pairOf(resp *fetch.Response) pair {
	return pair{storable(resp.ETag), storable(resp.LastModified)}
}

// storable drops a validator that is not UTF-8, which the table cannot store.
func storable(v string) string {
	if !utf8.ValidString(v) {
		return ""
	}
	return v
}

// fickleAfter changes of the pair over equal content, in a row, make a feed fickle: its pair is stored with the next
// real change only, because storing it at every poll would cost 19 writes a day.
const fickleAfter = 3

// keepValidators takes the pair of an answer without news. Those of a 304 replace the stored ones header by header, and
// what it leaves out stays (RFC 9111, 4.3.4).
func (j *judging) keepValidators() {
	next, now := &j.next, j.obs.validators
	notModified := j.obs.resp.NotModified
	if notModified {
		now = pair{cmp.Or(now.etag, next.ETag), cmp.Or(now.lastModified, next.LastModified)}
	}
	switch same := now == (pair{next.ETag, next.LastModified}); {
	case same && (notModified || next.Fickle < fickleAfter):
		next.Fickle = 0
	case same || next.Fickle >= fickleAfter:
	default:
		next.ETag, next.LastModified = now.etag, now.lastModified
		if now != (pair{}) { // taken away, it says nothing of the next one
			next.Fickle++
		}
	}
}

// pace decides the feed's schedule again, for a feed like this: usually it stays the same, and nothing is written.
// writing means that the row is written in any case, first that this is a first crawl.
func (j *judging) pace(like *store.FeedRow, writing, first bool) {
	plan := j.row.Turns()
	if j.row.IsStopped() { // the probe that it answered counts as its turn
		plan.Probes, plan.First = schedule.Probes{}, schedule.TickOf(j.now)
	}
	in := inputs(plan, like, j.now)
	in.Slow, in.Writing, in.First = j.obs.slow, writing, first
	d := schedule.Decide(in)
	if soon := schedule.OffTurn(schedule.ClaimTick(in.Now), d.Period); j.obs.keepsTurns && j.row.Errors > 0 &&
		d.First > soon {
		d.First = soon // the turn it had was for a feed that fails
	}
	j.keepPlan(d)
	if (writing || !j.row.Equal(&j.next)) && d.Why != j.row.Why {
		j.next.Why = d.Why
	}
}

// keepPlan takes what a decision changes of the feed's plan.
func (j *judging) keepPlan(d schedule.Decision) {
	j.next.First, j.next.Period = int32(d.First), d.Period
	if j.next.First != j.row.First {
		j.next.Polled = j.now.Unix() // the new plan does not contain the turn just taken
	}
}

// inputs are the inputs of the schedule for a feed with this plan, as it is to be stored.
func inputs(plan schedule.Plan, f *store.FeedRow, now time.Time) schedule.Inputs {
	in := schedule.Inputs{
		Feed: f.ID(), Now: now, Plan: plan, Why: f.Why,
		Asked: time.Duration(f.Asked) * time.Minute, Explicit: f.Explicit,
		MaxAge: time.Duration(f.MaxAge) * time.Second, TTL: time.Duration(f.TTL) * time.Second,
		SkipHours: uint32(f.SkipHours), SkipDays: uint8(f.SkipDays),
		HasValidators: f.HasValidators(), Fickle: f.Fickle >= fickleAfter, Large: f.Large, Changes: f.Changes,
		Hub: f.PushUntil > now.Unix(), Watch: f.IsWatch(), Suspect: f.IsSuspect(),
	}
	if f.Changed > 0 {
		in.LastChange = time.Unix(f.Changed, 0)
	}
	return in
}

// failed judges a poll without a feed: the feed backs off, or stops.
func (j *judging) failed() {
	f, next, obs := j.row, &j.next, j.obs
	j.outcome = reader.OutcomeFailed
	if f.IsStopped() {
		j.probed()
		return
	}
	next.Errors++
	next.ParseErrs = 0
	if reader.CategoryOf(obs.code) == reader.CategoryParse {
		next.ParseErrs = f.ParseErrs + 1
	}
	if f.Errors == 0 || f.ErrSince == 0 {
		next.ErrSince = j.now.Unix()
	}
	in := inputs(f.Turns(), f, j.now)
	in.Slow, in.Code, in.Errors, in.Writing = obs.slow, obs.code, int(next.Errors), true
	if obs.resp != nil {
		in.Status, in.RetryAfter = obs.resp.Status, obs.resp.RetryAfter
	}
	d := schedule.Decide(in)
	next.NotBefore = 0
	if !d.NotBefore.IsZero() {
		// a row holds whole seconds, and half of one too early is inside
		next.NotBefore = d.NotBefore.Add(time.Second - 1).Unix()
	}
	why, stop := schedule.Stop(schedule.StopInputs{
		Code: obs.code, Errors: int(next.Errors), ParseErrors: int(next.ParseErrs),
		Since: time.Unix(next.ErrSince, 0), Now: j.now,
	})
	if stop {
		next.Status, next.ErrCode = string(reader.StatusStopped), why
		j.stopped = true
		if obs.probes && schedule.StopsAtOnce(why) {
			next.Probe = schedule.ProbeUntil(j.now).Unix()
		}
	} else {
		next.Status, next.ErrCode = string(reader.StatusError), obs.code
	}
	j.keepPlan(d)
	next.Why = d.Why
}

// probed judges a probe of a stopped feed that has not brought it back: usually nothing is written. Another status that
// stops feeds is the reason from now on, and a Retry-After is kept if it is longer than until the next probe.
func (j *judging) probed() {
	f, next, obs := j.row, &j.next, j.obs
	if schedule.StopsAtOnce(obs.code) {
		next.ErrCode = obs.code
	}
	if obs.resp == nil {
		return
	}
	until := j.now.Add(min(obs.resp.RetryAfter, schedule.MaxHint))
	if turn := f.Turns().NextTurn(schedule.TickOf(j.now)); turn != schedule.NoTick && until.After(turn.Start()) {
		next.NotBefore = until.Unix()
	}
}
