package crawl

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// What a poll means for the feed's row, beside its items: schedule, state of errors, hints. Each function
// gives the patch of one update; an empty one means that nothing is written, which is the rule.

// keptChanges is how many earlier changes a feed row remembers, for its interval.
const keptChanges = 8

// succeeded is what any good answer means: errors are over, and the interval may have to change.
func (r *run) succeeded(k task, resp *fetch.Response) store.Patch {
	f := k.row
	p := store.Patch{}
	if f.Errors > 0 || f.Status != string(reader.StatusActive) || f.ErrCode != "" {
		p["status"], p["errors"], p["parseErrs"] = string(reader.StatusActive), int32(0), int32(0)
		p["err"], p["errText"], p["errSince"] = "", "", int64(0)
	}
	if f.Probe > 0 {
		p["probe"] = int64(0)
	}
	if f.Proposed != "" {
		p["proposed"], p["proposedWhy"] = "", ""
	}
	if f.NotBefore > 0 {
		p["notBefore"] = int64(0)
	}
	r.movedPatch(f, resp, p)
	return p
}

// settled is the patch of an answer without news, given the validators that it leaves: usually empty.
func (r *run) settled(k task, resp *fetch.Response, validators pair) store.Patch {
	p := r.succeeded(k, resp)
	next := *k.row
	// First, for a feed that loses its validators is polled less often from now on.
	r.keepPair(&next, p, validators, resp.NotModified)
	next.MaxAge = max(next.MaxAge, maxAge(resp))
	if len(resp.Body) > schedule.LargeBody && !next.Large {
		next.Large = true
		p["large"] = true
	}
	r.interval(k, &next, p)
	return p
}

// changed is the patch of an answer with news: it goes with the commit's last step.
func (r *run) changed(k task, resp *fetch.Response, scan *extract.Feed, hash []byte, large bool, seq uint32, added int) store.Patch {
	f, now := k.row, r.c.clock.Now()
	p := r.succeeded(k, resp)
	next := *f
	first := len(f.Hash) == 0
	if added > 0 || first {
		next.Changed = now.Unix()
		if first {
			next.Changes = published(scan, now)
		} else {
			next.Changes = changedNow(f, now)
		}
		p["changed"], p["changes"] = next.Changed, next.Changes
	}
	validators := pairOf(resp)
	next.ETag, next.LastModified, next.Fickle = validators.etag, validators.lastModified, 0
	next.Large = large
	next.TTL = seconds(scan.TTL)
	next.SkipHours, next.SkipDays = int32(scan.SkipHours), int32(scan.SkipDays)
	p["etag"], p["lastmod"], p["fickle"] = next.ETag, next.LastModified, next.Fickle
	p["hash"], p["chan"], p["raw"], p["large"] = hash, int64(scan.Channel), f.Raw, next.Large
	p["ttlHint"], p["skipHours"], p["skipDays"] = next.TTL, next.SkipHours, next.SkipDays
	p["title"], p["about"], p["site"] = cut(orOld(scan.Title, f.Title), maxTitle), cut(scan.Description, maxSnippet), link(scan.Link)
	p["lang"], p["icon"], p["hub"] = cut(scan.Language, 35), link(scan.Icon), link(hub(scan, resp))
	p["topic"] = topic(f, scan, resp)
	if unpushed(f, scan, now) {
		// The hub is not to be relied on: polls are at the feed's own pace again, from this one on.
		next.PushUntil = 0
		p["pushUntil"] = int64(0)
	}
	p["leftOut"] = int32(scan.LeftOut)
	if first {
		p["firstSeq"] = seq
	}
	next.MaxAge = maxAge(resp)
	r.interval(k, &next, p)
	return p
}

// changedNow gives a row's changes with one more, for a row that may be shared.
func changedNow(f *store.FeedRow, now time.Time) []int64 {
	return append(f.Changes[max(0, len(f.Changes)-keptChanges+1):len(f.Changes):len(f.Changes)], now.Unix())
}

// published gives the newest dates of a first crawl's items: how often the feed changed before we knew it.
func published(scan *extract.Feed, now time.Time) []int64 {
	var at []int64
	for i := range scan.Items {
		if t := scan.Items[i].Published; !t.IsZero() && !t.After(now) {
			at = append(at, t.Unix())
		}
	}
	slices.Sort(at)
	return at[max(0, len(at)-keptChanges):]
}

// ageStep, in seconds, is to what max-age is rounded up: a server that counts it down makes it another
// with each answer, and a greater one than was known is written, because it binds the owner's crawl of
// everything.
const ageStep = 15 * 60

func maxAge(resp *fetch.Response) int32 {
	return (seconds(min(resp.MaxAge, schedule.MaxHint)+time.Second-1) + ageStep - 1) / ageStep * ageStep
}

func hub(scan *extract.Feed, resp *fetch.Response) string {
	if resp.Links.Hub != "" {
		return resp.Links.Hub
	}
	return scan.Hub
}

// topic is the address that the feed's hub knows it by, where that is not its own.
func topic(f *store.FeedRow, scan *extract.Feed, resp *fetch.Response) string {
	self := resp.Links.Self
	if self == "" || resp.Links.Hub == "" {
		self = orOld(scan.Self, self)
	}
	if hub(scan, resp) == "" || self == f.URL {
		return ""
	}
	return link(self)
}

// orOld keeps a title that the publisher left out this time.
func orOld(now, old string) string {
	if now == "" {
		return old
	}
	return now
}

// interval decides the feed's schedule anew, for the row as it is to be: usually it stays as it is, and
// nothing is written.
func (r *run) interval(k task, next *store.FeedRow, p store.Patch) {
	if next.MaxAge != k.row.MaxAge {
		p["maxAge"] = next.MaxAge
	}
	in := r.inputs(k, next)
	in.Outcome, in.Writing = reader.OutcomeUnchanged, len(p) > 0
	_, in.First = p["firstSeq"]
	d := schedule.Decide(in)
	if soon := schedule.OffTurn(schedule.ClaimTick(in.Now), d.Period); r.keepsTurns() && k.row.Errors > 0 && d.First > soon {
		d.First, d.Polled = soon, in.Now // the turn it had was for a feed that fails
	}
	r.keepPlan(k.row, d, p)
}

// keepPlan adds what a decision changes of the feed's plan.
func (r *run) keepPlan(f *store.FeedRow, d schedule.Decision, p store.Patch) {
	if d.Write || int32(d.First) != f.First || d.Period != f.Period {
		p["first"], p["period"] = int32(d.First), d.Period
		if !d.Polled.IsZero() {
			p["polled"] = d.Polled.Unix() // the turn just taken is not seen in the plan any more
		}
	}
	if len(p) > 0 && d.Why != f.Why {
		p["why"] = d.Why
	}
}

// inputs is what the schedule needs to know of a feed, as it is to be stored.
func (r *run) inputs(k task, f *store.FeedRow) schedule.Inputs {
	in := schedule.Inputs{
		Feed: k.row.ID(), Now: r.c.clock.Now(), Plan: k.row.Turns(),
		Asked: time.Duration(f.Asked) * time.Minute, Explicit: f.Explicit,
		MaxAge: time.Duration(f.MaxAge) * time.Second, TTL: time.Duration(f.TTL) * time.Second,
		SkipHours: uint32(f.SkipHours), SkipDays: uint8(f.SkipDays),
		HasValidators: f.HasValidators(), Fickle: f.Fickle >= fickleAfter, Large: f.Large, Changes: f.Changes,
		Hub: f.PushUntil > r.c.clock.Now().Unix(),
	}
	if f.Changed > 0 {
		in.LastChange = time.Unix(f.Changed, 0)
	}
	return in
}

// seconds bounds a duration to what a row holds.
func seconds(d time.Duration) int32 { return int32(min(max(d, 0)/time.Second, 1<<30)) }

// maxErrText bounds the sentence kept of an error.
const maxErrText = 300

// fail records a poll that brought nothing: the feed backs off, or stops where its publisher said so.
func (r *run) fail(ctx context.Context, k task, resp *fetch.Response, code, detail string, o *store.FeedOutcome) {
	f, now := k.row, r.c.clock.Now()
	o.Outcome, o.Err = string(reader.OutcomeFailed), code
	p := store.Patch{
		"status": string(reader.StatusError), "errors": f.Errors + 1, "err": code, "errText": cut(detail, maxErrText),
	}
	parse := int32(0)
	if reader.FaultOf(code).Category == reader.CategoryParse {
		parse = f.ParseErrs + 1
	}
	p["parseErrs"] = parse
	since := f.ErrSince
	if f.Errors == 0 || since == 0 {
		since = now.Unix()
		p["errSince"] = since
	}
	in := r.inputs(k, f)
	in.Outcome, in.Code, in.Errors, in.Writing = reader.OutcomeFailed, code, int(f.Errors)+1, true
	if resp != nil {
		in.Status, in.RetryAfter = resp.Status, resp.RetryAfter
	}
	d := schedule.Decide(in)
	until := int64(0)
	if !d.NotBefore.IsZero() {
		until = d.NotBefore.Add(time.Second - 1).Unix() // a row holds whole seconds, and half of one too early is inside
	}
	if until != f.NotBefore {
		p["notBefore"] = until
	}
	why, stop := schedule.Stop(schedule.StopInputs{
		Code: code, Errors: int(f.Errors) + 1, ParseErrors: int(parse), Since: time.Unix(since, 0), Now: now,
	})
	stopped := f.Status == string(reader.StatusStopped)
	switch {
	case stopped: // a probe: the feed stays as it was stopped, for the reason there was
		p["status"] = f.Status
		delete(p, "err")
		delete(p, "errText")
	case stop:
		p["status"], p["err"] = string(reader.StatusStopped), why
		if why != code {
			p["errText"] = ""
		}
		r.wantFind(f)
	}
	if stopped || stop {
		d = r.probe(f, why, d, p)
	}
	r.keepPlan(f, d, p)
	r.store(ctx, f, p, o)
}

// probeDays is how long a stopped feed is tried once a day, where that is asked for (C-5).
const probeDays = 7

// probe decides whether and when a stopped feed is tried again by itself.
func (r *run) probe(f *store.FeedRow, why string, d schedule.Decision, p store.Patch) schedule.Decision {
	now, until := r.c.clock.Now(), f.Probe
	if until == 0 && r.c.o.Probe && schedule.Probed(why) {
		until = now.AddDate(0, 0, probeDays).Unix()
	}
	next := max(d.First, schedule.TickOf(now)+schedule.TicksPerDay)
	if next.Start().Unix() > until {
		until = 0
	}
	if until != f.Probe {
		p["probe"] = until
	}
	if until > 0 {
		d.First, d.Why, d.Write, d.Polled = next, schedule.ReasonProbe, true, now
	}
	return d
}

const (
	// movedPolls polls in a row have to be led to the same place for good, and for movedGrace at least, before that
	// is believed: a mistake of a configuration is found within days.
	movedPolls = 5
	movedGrace = 3 * 24 * time.Hour
)

// movedPatch counts answers that came by permanent redirects (301, 308) alone to the same place, and forgets what is
// not said any more; a poll that failed says neither. It counts no further than it has to, so that a feed whose
// move cannot be carried out costs no write for each poll.
func (r *run) movedPatch(f *store.FeedRow, resp *fetch.Response, p store.Patch) {
	to := resp.PermanentURL
	if to == f.URL || len(to) > maxURL {
		to = ""
	}
	switch {
	case to == "" && f.MovedTo != "":
		p["movedTo"], p["movedSince"], p["movedPolls"] = "", int64(0), int32(0)
	case to != "" && to != f.MovedTo:
		p["movedTo"], p["movedSince"], p["movedPolls"] = to, r.c.clock.Now().Unix(), int32(1)
	case to != "" && f.MovedPolls < movedPolls:
		p["movedPolls"] = f.MovedPolls + 1
	}
}

// moved carries a permanent redirect out that was seen often and for long enough.
func (r *run) moved(ctx context.Context, f *store.FeedRow, resp *fetch.Response, o *store.FeedOutcome) {
	if r.c.o.Mover == nil || f.MovedTo == "" || resp.PermanentURL != f.MovedTo {
		return
	}
	if f.MovedPolls+1 < movedPolls || r.c.clock.Now().Sub(time.Unix(f.MovedSince, 0)) < movedGrace {
		return
	}
	if err := r.c.o.Mover.MoveFeed(ctx, f, f.MovedTo); err != nil {
		r.storageFailed(err, o)
	}
}
