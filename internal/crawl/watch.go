package crawl

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl/pages"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

// The crawler's side of the pages of watches (package pages), whose outcomes are judged and stored as those of feeds
// are.

// RunWatch crawls a watch because its owner asked for it, within the rules of refreshes: page 1 now, the rest by the
// queue. With inspect all pages are read as after a change of settings, which a crawl notices by itself.
func (c *Crawler) RunWatch(ctx context.Context, f *store.FeedRow, inspect bool) (store.FeedOutcome, error) {
	if inspect && f.Channel != 0 {
		next := *f
		next.Channel = 0 // the revision of no settings
		if _, err := c.store.Feeds.Change(ctx, f, &next); err != nil {
			return store.FeedOutcome{}, err
		}
	}
	n, err := c.store.Feeds.Count(ctx)
	if err != nil {
		return store.FeedOutcome{}, err
	}
	parts := job.Parts(c.o.Parts, n)
	report, err := c.Run(ctx, job.Job{Kind: job.Refresh, Part: partOf(f, parts), Feeds: []reader.FeedID{f.ID()}}, parts)
	if err != nil || len(report.Feeds) == 0 {
		return outcome(f, reader.OutcomeSkipped), err
	}
	return report.Feeds[0], nil
}

// FoldWatch folds old changes of a watch's results before they expire, as each look at its page does.
func (c *Crawler) FoldWatch(ctx context.Context, f *store.FeedRow) error { return c.pages.Fold(ctx, f) }

// Continue handles a message of a chain of requests.
func (c *Crawler) Continue(ctx context.Context, j job.Job) error {
	if j.Receives > 1 {
		return nil // the worker before may have made the request, and has sent the next message or died
	}
	chain, err := pages.Parse(j.State)
	if err != nil {
		return err
	}
	ctx, r := c.newRun(ctx, chain.Kind, j.Tick)
	r.requested = chain.Requested
	c.runs.Add(1)
	defer c.runs.Add(-1)
	return r.beginPages().Continue(ctx, chain)
}

// beginPages begins the chains of a run.
func (r *run) beginPages() *pages.Run {
	r.pages = &pages.Run{
		Pages: r.c.pages, Crawl: (*chains)(r), Kind: r.kind, Tick: r.tick, Started: r.started, Requested: r.requested,
	}
	return r.pages
}

// visit prepares the request of a watch. nil means that there is none; the outcome says why.
func (r *run) visit(ctx context.Context, f *store.FeedRow, o *store.FeedOutcome) *pages.Visit {
	v, code, err := r.pages.Prepare(ctx, f)
	asked := ctx
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	switch {
	case err != nil && asked.Err() != nil:
		r.cutShort(ctx, f, o)
	case err != nil:
		r.storageFailed(err, o)
	case code != "":
		r.settle(ctx, f, r.failure(nil, fetchCode(code)), o)
	default:
		return v
	}
	return nil
}

// observePage reads a page of a watch.
func (r *run) observePage(ctx context.Context, f *store.FeedRow, v *pages.Visit, obs *observation) *observation {
	s, code := r.c.pages.Read(ctx, f, v, obs.resp)
	if code != "" {
		return r.failure(obs.resp, fetchCode(code))
	}
	obs.kind, obs.page = seen, s
	return obs
}

// chains is the part of a run that its chains use.
type chains run

func (r *chains) Poll(ctx context.Context, f *store.FeedRow, claim bool) (*store.FeedOutcome, bool, error) {
	run := (*run)(r)
	if claim {
		claimed, err := run.claimOffTurn(ctx, f)
		if err != nil || claimed == nil {
			return nil, false, err
		}
		f = claimed
	}
	o, timedOut := run.poll(ctx, f, nil)
	run.note(o)
	o.Host = ""
	return &o, timedOut || r.newWaits, r.keepWaits(ctx, f)
}

func (r *chains) Settle(ctx context.Context, f *store.FeedRow, s *pages.Snapshot) {
	o := outcome(f, "")
	(*run)(r).settle(ctx, f, &observation{kind: seen, resp: s.Resp, page: s}, &o)
}

func (r *chains) Fail(ctx context.Context, f *store.FeedRow, resp *fetch.Response, code string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	obs := (*run)(r).failure(resp, fetchCode(code))
	obs.probes = false // a probe asks for page 1, which says nothing of this one
	o := outcome(f, "")
	(*run)(r).settle(ctx, f, obs, &o)
}

func (r *chains) Wait(ctx context.Context, f *store.FeedRow, resp *fetch.Response) error {
	(*run)(r).noteHostWait(f, resp)
	return r.keepWaits(ctx, f)
}

func (r *chains) keepWaits(ctx context.Context, f *store.FeedRow) error {
	if !r.newWaits {
		return nil
	}
	n, err := r.c.store.Feeds.Count(ctx)
	if err == nil {
		(*run)(r).saveHostWaits(ctx, partOf(f, job.Parts(r.c.o.Parts, n)), 1)
	}
	return err
}

func (r *chains) FollowUps(ctx context.Context) { (*run)(r).sendFollowUps(ctx) }

func (r *chains) Close(ctx context.Context, polled []store.FeedOutcome) error {
	var sums store.RunSums
	for i := range polled {
		count(&sums, &polled[i])
	}
	sums.Due = len(polled)
	name := store.JobName(r.kind, r.started) + "-" + reader.FeedID(polled[0].Feed).String()
	row, err := store.NewRun(r.tick, 0, name, r.kind, store.RunDone, r.started, sums, polled)
	if err != nil {
		return err
	}
	return r.c.store.Runs.Put(ctx, row)
}

// pageCommit is the commit of an observation of a watch.
type pageCommit struct {
	*Crawler
	obs *observation
	committed
}

// commitPage stores what was seen of a watch.
func (c *Crawler) commitPage(ctx context.Context, row *store.FeedRow, obs *observation) (committed, error) {
	p := &pageCommit{c, obs, committed{row: row, outcome: reader.OutcomeUnchanged}}
	err := c.pages.Commit(ctx, obs.page, p)
	return p.committed, err
}

func (p *pageCommit) Row() *store.FeedRow { return p.row }

func (p *pageCommit) Reread(ctx context.Context) error { return p.reread(ctx, &p.committed) }

func (p *pageCommit) RollForward(ctx context.Context, d *store.DeltaRow) error {
	return p.rollForward(ctx, d, &p.committed)
}

func (p *pageCommit) Judge(v *watch.Verdict, problem string) *store.FeedRow {
	j := &judging{verdict: verdict{next: *p.row, outcome: reader.OutcomeUnchanged}, row: p.row, obs: p.obs,
		now: p.clock.Now()}
	j.seen(v, problem)
	p.outcome, p.news = j.outcome, !v.Changes.IsEmpty()
	return &j.next
}

func (p *pageCommit) KeepPage(ctx context.Context) error {
	return p.keepPage(ctx, p.obs, &p.committed)
}

func (p *pageCommit) Append(ctx context.Context, headers []store.Header, v *watch.Verdict,
	next *store.FeedRow) (done bool, err error) {
	items := make([]newItem, len(headers))
	for i := range headers {
		items[i].Header = headers[i]
		cut(&items[i].Header)
		if at := headers[i].Published; at > 0 {
			items[i].published = time.Unix(at, 0)
		}
	}
	d, err := p.newDelta(p.row, items, "", p.mine)
	if err != nil {
		return false, err
	}
	v.Changes.Announce(d.First(), v.Events)
	d.Announce(&v.Changes)
	err = p.store.Items.Put(ctx, d)
	if fault.Is(err, fault.Conflict) {
		return false, p.RollForward(ctx, d)
	}
	if err != nil {
		return false, err
	}
	err = p.commitDelta(ctx, d, items, next, &p.committed)
	return p.mine == d, err
}

func (p *pageCommit) Change(ctx context.Context, next *store.FeedRow) (done bool, err error) {
	if p.row.Equal(next) {
		return true, nil
	}
	now, err := p.store.Feeds.Change(ctx, p.row, next, store.SameSeq, store.SameHash, store.SameETag)
	if fault.Is(err, fault.Conflict) {
		return false, p.Reread(ctx)
	}
	if err == nil {
		p.row, p.wrote = now, true
	}
	return err == nil, err
}

// keepPage keeps a page of a watch that could not be read, for correcting the settings.
func (c *Crawler) keepPage(ctx context.Context, obs *observation, out *committed) error {
	resp := obs.resp
	if resp == nil || len(resp.Body) == 0 {
		return nil
	}
	id := out.row.ID()
	err := c.blobs.Put(ctx, store.PageKey(id), blob.Gzip(resp.Body), blob.Meta{
		ContentType: blob.ContentType(resp.ContentType), ContentEncoding: "gzip",
		User: map[string]string{"feedid": id.String(), "originalurl": publicURL(resp.FinalURL)},
	})
	if err == nil {
		out.blobs++
	}
	return err
}
