package crawl

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

// A run sends one request to the host of watches. Whatever else is to be requested there follows in a chain: a message
// that makes one request and sends the next message, which is hidden for the pace of the host. A run has one chain for
// each host; where two meet, one of them waits (pace.go). A chain ends when nothing is left, before the next tick,
// after maxSteps requests, or where the host refuses or fails. What is left then is found again by the next crawl, and
// so is what a dead worker left: a message that was received before requests nothing.

const (
	// chainTime is how long after the beginning of its tick, or of a run out of turn, a chain makes requests.
	chainTime = 14 * time.Minute
	// maxSteps bounds the requests of a chain.
	maxSteps = 20
)

// chain is what is to be requested from one host.
type chain struct {
	// Kind and Requested are those of the run.
	Kind      string        `json:"kind"`
	Host      string        `json:"host"`
	Requested bool          `json:"requested,omitempty"`
	Until     int64         `json:"until"` // Unix seconds
	Pace      time.Duration `json:"pace"`
	Sent      int           `json:"sent,omitempty"` // requests
	Steps     []step        `json:"steps"`
	// Read are the pages of single results of the first step.
	Read []watch.DetailLook `json:"read,omitempty"`
	// Polled are the watches of which this chain has requested page 1.
	Polled []store.FeedOutcome `json:"polled,omitempty"`
}

// step is what is to be requested for one watch: a page, or the pages of single results.
type step struct {
	Feed    reader.FeedID `json:"feed"`
	Page    int           `json:"page,omitempty"` // 0 for Targets
	Address string        `json:"address,omitempty"`
	Found   []watch.Key   `json:"found,omitempty"` // on the pages before, of a full crawl
	Full    bool          `json:"full,omitempty"`
	Inspect bool          `json:"inspect,omitempty"`
	Claim   bool          `json:"claim,omitempty"` // page 1 is claimed first
	Targets []target      `json:"targets,omitempty"`
}

// target is a result whose own page is to be read.
type target struct {
	Key     watch.Key `json:"key"`
	Address string    `json:"address"`
}

// chain returns what is to be requested from a watch's host after this run.
func (r *run) chain(f *store.FeedRow) *chain {
	host := fetch.HostOf(f.URL)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.chains == nil {
		r.chains = map[string]*chain{}
	}
	if r.chains[host] == nil {
		began := r.started
		if r.kind == store.RunScheduled {
			began = r.tick.Start()
		}
		r.chains[host] = &chain{Kind: r.kind, Host: host, Requested: r.requested, Until: began.Add(chainTime).Unix(),
			Pace: leastPace}
	}
	return r.chains[host]
}

// isPaced reports whether the run has sent a request to a watch's host already.
func (r *run) isPaced(f *store.FeedRow) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.chains[fetch.HostOf(f.URL)] != nil
}

// postpone leaves page 1 of a watch to the chain of its host.
func (r *run) postpone(f *store.FeedRow, claim bool) {
	ch := r.chain(f)
	ch.Steps = append(ch.Steps, step{Feed: f.ID(), Page: 1, Claim: claim})
	o := outcome(f, reader.OutcomeDeferred)
	o.Err = "paced"
	r.note(o)
}

// goOn adds to the chain what a page makes worth a request: the next page, or the pages of single results after the
// last one. Without a look nothing new was seen.
func (r *run) goOn(f *store.FeedRow, v *visit, l *look) {
	ch := r.chain(f)
	switch {
	case l == nil || l.verdict == nil:
	case l.verdict.More:
		ch.Steps = append(ch.Steps, step{
			Feed: f.ID(), Page: v.page + 1, Address: l.read.Next, Found: l.verdict.Seen, Full: v.full,
			Inspect: v.inspect,
		})
	case len(l.targets) > 0:
		ch.Steps = append(ch.Steps, step{Feed: f.ID(), Targets: l.targets})
	}
}

// sendChains sends the first message of each chain.
func (r *run) sendChains(ctx context.Context) {
	for host, ch := range r.chains {
		if len(ch.Steps) == 0 || r.waits[host] > r.c.clock.Now().Unix() {
			continue
		}
		if err := r.send(ctx, ch, ch.Pace); err != nil {
			r.c.o.Log.Warn("the further requests for a watch were not sent", "feed_id",
				uint32(ch.Steps[0].Feed), "error", err)
		}
	}
	r.chains = nil
}

// send sends a chain's next message, unless it has ended.
func (r *run) send(ctx context.Context, ch *chain, delay time.Duration) error {
	if !ch.goesOn(r.c.clock.Now().Add(delay)) {
		return nil
	}
	state, err := json.Marshal(ch)
	if err != nil {
		return err
	}
	kind := job.Watch
	if ch.Steps[0].Page == 0 {
		kind = job.Detail
	}
	return job.Send(ctx, r.c.o.Queue, delay, job.Job{Kind: kind, Tick: r.tick, State: state})
}

// goesOn reports whether the chain makes a request at a time.
func (ch *chain) goesOn(at time.Time) bool {
	return len(ch.Steps) > 0 && ch.Sent < maxSteps && at.Unix() < ch.Until
}

// end leaves out all that was to come, also what was read of single results.
func (ch *chain) end() { ch.Steps = nil }

// giveUp makes no more requests.
func (ch *chain) giveUp() { ch.Until = 0 }

// Continue handles a message of a chain.
func (c *Crawler) Continue(ctx context.Context, j job.Job) error {
	if j.Receives > 1 {
		return nil // who had it may have made the request, and has sent the next message or died
	}
	var ch chain
	if err := json.Unmarshal(j.State, &ch); err != nil || len(ch.Steps) == 0 {
		return fault.New(fault.Invalid, "bad_message", "crawl: chain", err)
	}
	ctx, r := c.newRun(ctx, ch.Kind, j.Tick)
	r.requested = ch.Requested
	c.runs.Add(1)
	defer c.runs.Add(-1)
	var delay time.Duration
	if wait := c.paces.take(ch.Host, r.started, ch.Pace); wait > 0 {
		delay = wait // a run or another chain has just asked
	} else {
		for asked := false; !asked && ch.goesOn(r.started); {
			var err error
			if asked, err = r.step(ctx, &ch); err != nil {
				return err
			}
		}
		delay = ch.Pace
	}
	storing, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if !ch.goesOn(c.clock.Now().Add(delay)) {
		return r.close(storing, &ch)
	}
	r.sendFollowUps(storing)
	return r.send(storing, &ch, delay)
}

// close stores what a chain has gathered.
func (r *run) close(ctx context.Context, ch *chain) error {
	if len(ch.Steps) > 0 && len(ch.Read) > 0 {
		if err := r.commitDetails(ctx, ch); err != nil {
			return err
		}
	}
	r.chains = nil // what would follow is left to the next crawl
	r.sendFollowUps(ctx)
	if len(ch.Polled) == 0 {
		return nil
	}
	var sums store.RunSums
	for i := range ch.Polled {
		count(&sums, &ch.Polled[i])
	}
	sums.Due = len(ch.Polled)
	name := store.JobName(r.kind, r.started) + "-" + reader.FeedID(ch.Polled[0].Feed).String()
	row, err := store.NewRun(r.tick, 0, name, r.kind, store.RunDone, r.started, sums, ch.Polled)
	if err != nil {
		return err
	}
	return r.c.store.Runs.Put(ctx, row)
}

// step does the first step of a chain, or a part of it. asked is false where no request was needed.
func (r *run) step(ctx context.Context, ch *chain) (asked bool, err error) {
	s := ch.Steps[0]
	f, err := r.c.store.Feeds.Get(ctx, s.Feed, true)
	if err != nil || !f.Live() {
		ch.Steps, ch.Read = ch.Steps[1:], nil
		return false, fault.Ignore(err, fault.NotFound)
	}
	switch {
	case s.Page == 1:
		return r.firstPage(ctx, ch, f)
	case s.Page > 1:
		return r.furtherPage(ctx, ch, f)
	}
	return r.detail(ctx, ch, f)
}

// firstPage polls a watch whose host another watch had been requested from.
func (r *run) firstPage(ctx context.Context, ch *chain, f *store.FeedRow) (asked bool, err error) {
	s := ch.Steps[0]
	ch.Steps = ch.Steps[1:]
	if s.Claim {
		claimed, err := r.claimOffTurn(ctx, f)
		if err != nil || claimed == nil {
			return false, err
		}
		f = claimed
	}
	ch.Sent++
	o, timedOut := r.poll(ctx, f, nil)
	r.note(o)
	o.Host = ""
	ch.Polled = append(ch.Polled, o)
	r.takeOver(ch, f)
	if timedOut || r.newWaits {
		ch.giveUp()
	}
	return true, r.keepWaits(ctx, f)
}

// takeOver puts what a page has made worth a request before what the chain still has.
func (r *run) takeOver(ch *chain, f *store.FeedRow) {
	more := r.chain(f)
	ch.Steps, ch.Pace = append(more.Steps, ch.Steps...), max(ch.Pace, more.Pace)
	r.chains = nil
}

// keepWaits tells later runs what the host has asked for.
func (r *run) keepWaits(ctx context.Context, f *store.FeedRow) error {
	if !r.newWaits {
		return nil
	}
	n, err := r.c.store.Feeds.Count(ctx)
	if err == nil {
		r.saveHostWaits(ctx, partOf(f, job.Parts(r.c.o.Parts, n)), 1)
	}
	return err
}

// furtherPage reads a page after the first.
func (r *run) furtherPage(ctx context.Context, ch *chain, f *store.FeedRow) (asked bool, err error) {
	s := ch.Steps[0]
	ch.Steps = ch.Steps[1:]
	v, code, err := r.begin(ctx, f)
	if err != nil || code != "" {
		return false, err
	}
	v.page, v.address, v.found, v.full, v.inspect, v.relaid = s.Page, s.Address, s.Found, s.Full, s.Inspect,
		s.Inspect && v.set.Relaid
	resp, err := r.ask(ctx, ch, f, v)
	if resp == nil || err != nil {
		return true, err
	}
	defer resp.Release()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if resp.Status != http.StatusOK {
		return true, nil
	}
	obs := r.observePage(ctx, f, v, r.observation(resp))
	obs.probes = false // a probe asks for page 1, which says nothing of this one
	o := outcome(f, "")
	if obs.kind == failed && !schedule.StopsAtOnce(obs.code) {
		return true, nil // page 1 tells whether the settings fit
	}
	r.settle(ctx, f, obs, &o)
	if obs.kind == failed {
		ch.end()
		return true, nil
	}
	r.goOn(f, v, obs.look)
	r.takeOver(ch, f)
	return true, nil
}

// detail reads the page of one result, and commits what the pages say with the last one.
func (r *run) detail(ctx context.Context, ch *chain, f *store.FeedRow) (asked bool, err error) {
	s := &ch.Steps[0]
	v, code, err := r.begin(ctx, f)
	if err != nil || code != "" || !v.set.ReadsDetails() {
		ch.Steps, ch.Read = ch.Steps[1:], nil
		return false, err
	}
	t := s.Targets[0]
	s.Targets = s.Targets[1:]
	v.page, v.address = 0, t.Address
	resp, err := r.ask(ctx, ch, f, v)
	if err != nil || len(ch.Steps) == 0 { // stopped by this
		return true, err
	}
	found := watch.DetailLook{Key: t.Key, At: r.c.clock.Now().Unix()}
	if resp != nil {
		defer resp.Release()
		if d, err := listing.ReadDetail(ctx, resp.Status, resp.Body, resp.ContentType, resp.FinalURL,
			v.set.Detail); err == nil && (d.Source != "" || d.Gone) {
			d.CountFrom(r.c.clock.Now())
			found.Read = d
		}
	}
	ch.Read = append(ch.Read, found)
	if len(s.Targets) > 0 {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return true, r.commitDetails(ctx, ch)
}

// commitDetails commits the pages of single results that the first step has read.
func (r *run) commitDetails(ctx context.Context, ch *chain) error {
	id, found := ch.Steps[0].Feed, ch.Read
	ch.Steps, ch.Read = ch.Steps[1:], nil
	f, err := r.c.store.Feeds.Get(ctx, id, true)
	if err != nil || !f.Live() {
		return fault.Ignore(err, fault.NotFound)
	}
	v, code, err := r.begin(ctx, f)
	if err != nil || code != "" {
		return err
	}
	v.page = 0
	now := r.c.clock.Now()
	obs := &observation{kind: seen, look: &look{visit: v, at: now, tick: schedule.TickOf(now), details: found}}
	o := outcome(f, "")
	r.settle(ctx, f, obs, &o)
	return nil
}

// ask makes the request of a visit. Without a response the host has failed or refused, and nothing more is to be
// requested from it; or robots.txt forbids the page of a single result, which then counts as unreadable.
func (r *run) ask(ctx context.Context, ch *chain, f *store.FeedRow, v *visit) (*fetch.Response, error) {
	code, err := r.permit(ctx, v)
	if err != nil {
		return nil, err
	}
	switch {
	case code == reader.CodeRobots && v.page == 0:
		return nil, nil
	case code != "":
		r.refuse(ctx, ch, f, nil, code)
		return nil, nil
	}
	ch.Sent++
	resp, err := r.c.fetch.Do(ctx, v.request(f))
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		ch.giveUp()
		return nil, nil
	}
	switch code := reader.HTTPCode(resp.Status); {
	case resp.Status == http.StatusUnauthorized || resp.Status == http.StatusForbidden:
		r.refuse(ctx, ch, f, resp, code)
	case resp.Status == http.StatusTooManyRequests || resp.Status >= 500:
		r.noteHostWait(f, resp)
		ch.giveUp()
	default:
		return resp, nil
	}
	resp.Release()
	return nil, r.keepWaits(context.WithoutCancel(ctx), f)
}

// refuse stops the watch if the site has forbidden it, and ends the chain.
func (r *run) refuse(ctx context.Context, ch *chain, f *store.FeedRow, resp *fetch.Response, code string) {
	if schedule.StopsAtOnce(code) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		defer cancel()
		o := outcome(f, "")
		obs := r.failure(resp, code)
		obs.probes = false // as above
		r.settle(ctx, f, obs, &o)
		ch.end()
		return
	}
	ch.giveUp()
}
