package pages

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
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

// A run sends one request to the host of watches. All further requests follow in a chain: a message makes one request
// and sends the next message, which is hidden for the pace of the host. A run has one chain for each host; where two
// meet, one of them waits (pace.go). A chain ends when nothing is left, before the next tick, after maxSteps requests,
// or where the host refuses or fails. The next crawl finds what is left then. It also finds the rest of a chain whose
// worker died: a message that is received a second time requests nothing.

const (
	// A chain makes requests for chainTime from the beginning of its tick, or of a run out of turn.
	chainTime = 14 * time.Minute
	// maxSteps bounds the requests of a chain.
	maxSteps = 20
)

// StoreTimeout bounds the storing of one poll.
const StoreTimeout = 15 * time.Second

// Chain is a list of requests to one host.
type Chain struct {
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

// step is the requests for one watch: a page, or the pages of single results.
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

// Crawl is the part of a run of the crawler that its chains use.
type Crawl interface {
	// Poll requests page 1 of a watch; if claim is set, it is claimed first. There is no outcome if another run had
	// claimed it. isOver reports whether the host did not answer in time, or has asked to wait.
	Poll(ctx context.Context, f *store.FeedRow, claim bool) (o *store.FeedOutcome, isOver bool, err error)
	// Settle commits what was seen, Fail that a request failed.
	Settle(ctx context.Context, f *store.FeedRow, s *Snapshot)
	Fail(ctx context.Context, f *store.FeedRow, resp *fetch.Response, code string)
	// Wait tells later runs what the response says of further requests to the host.
	Wait(ctx context.Context, f *store.FeedRow, resp *fetch.Response) error
	// FollowUps sends the jobs that follow from the run.
	FollowUps(ctx context.Context)
	// Close stores what became of the watches that a chain has polled.
	Close(ctx context.Context, polled []store.FeedOutcome) error
}

// Run has the chains of a run of the crawler. It is safe for concurrent use.
type Run struct {
	Pages     *Pages
	Crawl     Crawl
	Kind      string
	Tick      schedule.Tick
	Started   time.Time
	Requested bool // a user refreshed a list

	mu     sync.Mutex
	chains map[string]*Chain // by host: what is to be requested after the run
}

// chain returns what is to be requested from a watch's host after this run.
func (r *Run) chain(f *store.FeedRow) *Chain {
	host := fetch.HostOf(f.URL)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.chains == nil {
		r.chains = map[string]*Chain{}
	}
	if r.chains[host] == nil {
		began := r.Started
		if r.Kind == store.RunScheduled {
			began = r.Tick.Start()
		}
		r.chains[host] = &Chain{Kind: r.Kind, Host: host, Requested: r.Requested, Until: began.Add(chainTime).Unix(),
			Pace: leastPace}
	}
	return r.chains[host]
}

// Postpone leaves page 1 of a watch to the chain of its host, if a request was sent to the host just now.
func (r *Run) Postpone(f *store.FeedRow, claim bool) bool {
	host := fetch.HostOf(f.URL)
	r.mu.Lock()
	isPaced := r.chains[host] != nil
	r.mu.Unlock()
	if !isPaced && r.Pages.paces.take(host, r.Pages.Clock.Now(), leastPace) == 0 {
		return false
	}
	ch := r.chain(f)
	ch.Steps = append(ch.Steps, step{Feed: f.ID(), Page: 1, Claim: claim})
	return true
}

// GoOn adds to the chain what a page makes worth a request: the next page, or the pages of single results after the
// last one.
func (r *Run) GoOn(f *store.FeedRow, s *Snapshot) {
	ch := r.chain(f)
	switch {
	case s.verdict == nil:
	case s.verdict.More:
		ch.Steps = append(ch.Steps, step{
			Feed: f.ID(), Page: s.Page + 1, Address: s.Listing.Next, Found: s.verdict.Seen, Full: s.Full,
			Inspect: s.Inspect,
		})
	case len(s.targets) > 0:
		ch.Steps = append(ch.Steps, step{Feed: f.ID(), Targets: s.targets})
	}
}

// Send sends the first message of each chain, but to hosts that asked to wait.
func (r *Run) Send(ctx context.Context, waits store.HostWaits) {
	for host, ch := range r.chains {
		if len(ch.Steps) == 0 || waits[host] > r.Pages.Clock.Now().Unix() {
			continue
		}
		if err := r.send(ctx, ch, ch.Pace); err != nil {
			r.Pages.Log.Warn("the further requests for a watch were not sent", "feed_id",
				uint32(ch.Steps[0].Feed), "error", err)
		}
	}
	r.chains = nil
}

// send sends a chain's next message, unless it has ended.
func (r *Run) send(ctx context.Context, ch *Chain, delay time.Duration) error {
	if !ch.goesOn(r.Pages.Clock.Now().Add(delay)) {
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
	return job.Send(ctx, r.Pages.Queue, delay, job.Job{Kind: kind, Tick: r.Tick, State: state})
}

// goesOn reports whether the chain makes a request at a time.
func (ch *Chain) goesOn(at time.Time) bool {
	return len(ch.Steps) > 0 && ch.Sent < maxSteps && at.Unix() < ch.Until
}

// end leaves out all that was to come, also what was read of single results.
func (ch *Chain) end() { ch.Steps = nil }

// giveUp makes no more requests.
func (ch *Chain) giveUp() { ch.Until = 0 }

// Parse reads the chain of a message.
func Parse(state []byte) (*Chain, error) {
	var ch Chain
	if err := json.Unmarshal(state, &ch); err != nil || len(ch.Steps) == 0 {
		return nil, fault.New(fault.Invalid, "bad_message", "crawl: chain", err)
	}
	return &ch, nil
}

// Continue makes the next request of a chain.
func (r *Run) Continue(ctx context.Context, ch *Chain) error {
	delay := r.Pages.paces.take(ch.Host, r.Started, ch.Pace)
	if delay == 0 { // else a run or another chain has just asked
		for asked := false; !asked && ch.goesOn(r.Started); {
			var err error
			if asked, err = r.step(ctx, ch); err != nil {
				return err
			}
		}
		delay = ch.Pace
	}
	storing, cancel := context.WithTimeout(context.WithoutCancel(ctx), StoreTimeout)
	defer cancel()
	if !ch.goesOn(r.Pages.Clock.Now().Add(delay)) {
		return r.close(storing, ch)
	}
	r.Crawl.FollowUps(storing)
	return r.send(storing, ch, delay)
}

// close stores what a chain has gathered.
func (r *Run) close(ctx context.Context, ch *Chain) error {
	if len(ch.Steps) > 0 && len(ch.Read) > 0 {
		if err := r.commitDetails(ctx, ch); err != nil {
			return err
		}
	}
	r.chains = nil // what would follow is left to the next crawl
	r.Crawl.FollowUps(ctx)
	if len(ch.Polled) == 0 {
		return nil
	}
	return r.Crawl.Close(ctx, ch.Polled)
}

// step does the first step of a chain, or a part of it. asked is false where no request was needed.
func (r *Run) step(ctx context.Context, ch *Chain) (asked bool, err error) {
	s := ch.Steps[0]
	f, err := r.Pages.Store.Feeds.Get(ctx, s.Feed, true)
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
func (r *Run) firstPage(ctx context.Context, ch *Chain, f *store.FeedRow) (asked bool, err error) {
	s := ch.Steps[0]
	ch.Steps = ch.Steps[1:]
	o, isOver, err := r.Crawl.Poll(ctx, f, s.Claim)
	if o == nil {
		return false, err
	}
	ch.Sent++
	ch.Polled = append(ch.Polled, *o)
	r.takeOver(ch, f)
	if isOver {
		ch.giveUp()
	}
	return true, err
}

// takeOver puts what a page has made worth a request before what the chain still has.
func (r *Run) takeOver(ch *Chain, f *store.FeedRow) {
	more := r.chain(f)
	ch.Steps, ch.Pace = append(more.Steps, ch.Steps...), max(ch.Pace, more.Pace)
	r.chains = nil
}

// furtherPage reads a page after the first.
func (r *Run) furtherPage(ctx context.Context, ch *Chain, f *store.FeedRow) (asked bool, err error) {
	s := ch.Steps[0]
	ch.Steps = ch.Steps[1:]
	v, code, err := r.begin(ctx, f)
	if err != nil || code != "" {
		return false, err
	}
	v.Page, v.address, v.found, v.Full, v.Inspect, v.relaid = s.Page, s.Address, s.Found, s.Full, s.Inspect,
		s.Inspect && v.Set.Relaid
	resp, err := r.ask(ctx, ch, f, v)
	if resp == nil || err != nil {
		return true, err
	}
	defer resp.Release()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), StoreTimeout)
	defer cancel()
	if resp.Status != http.StatusOK {
		return true, nil
	}
	seen, code := r.Pages.Read(ctx, f, v, resp)
	if code != "" {
		if schedule.StopsAtOnce(code) { // else page 1 tells whether the settings fit
			r.Crawl.Fail(ctx, f, resp, code)
			ch.end()
		}
		return true, nil
	}
	r.Crawl.Settle(ctx, f, seen)
	r.GoOn(f, seen)
	r.takeOver(ch, f)
	return true, nil
}

// detail reads the page of one result, and commits what the pages say with the last one.
func (r *Run) detail(ctx context.Context, ch *Chain, f *store.FeedRow) (asked bool, err error) {
	s := &ch.Steps[0]
	v, code, err := r.begin(ctx, f)
	if err != nil || code != "" || !v.Set.ReadsDetails() {
		ch.Steps, ch.Read = ch.Steps[1:], nil
		return false, err
	}
	t := s.Targets[0]
	s.Targets = s.Targets[1:]
	v.Page, v.address = 0, t.Address
	resp, err := r.ask(ctx, ch, f, v)
	if err != nil || len(ch.Steps) == 0 { // stopped by this
		return true, err
	}
	found := watch.DetailLook{Key: t.Key, At: r.Pages.Clock.Now().Unix()}
	if resp != nil {
		defer resp.Release()
		if d, err := listing.ReadDetail(ctx, resp.Status, resp.Body, resp.ContentType, resp.FinalURL,
			v.Set.Detail); err == nil && (d.Source != "" || d.Gone) {
			d.CountFrom(r.Pages.Clock.Now())
			found.Read = d
		}
	}
	ch.Read = append(ch.Read, found)
	if len(s.Targets) > 0 {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), StoreTimeout)
	defer cancel()
	return true, r.commitDetails(ctx, ch)
}

// commitDetails commits the pages of single results that the first step has read.
func (r *Run) commitDetails(ctx context.Context, ch *Chain) error {
	id, found := ch.Steps[0].Feed, ch.Read
	ch.Steps, ch.Read = ch.Steps[1:], nil
	f, err := r.Pages.Store.Feeds.Get(ctx, id, true)
	if err != nil || !f.Live() {
		return fault.Ignore(err, fault.NotFound)
	}
	v, code, err := r.begin(ctx, f)
	if err != nil || code != "" {
		return err
	}
	v.Page = 0
	now := r.Pages.Clock.Now()
	r.Crawl.Settle(ctx, f, &Snapshot{Visit: v, At: now, Tick: schedule.TickOf(now), details: found})
	return nil
}

// ask makes the request of a visit. Without a response the host has failed or refused, and nothing more is to be
// requested from it; or robots.txt forbids the page of a single result, which then counts as unreadable.
func (r *Run) ask(ctx context.Context, ch *Chain, f *store.FeedRow, v *Visit) (*fetch.Response, error) {
	code, err := r.Pages.permit(ctx, v)
	if err != nil {
		return nil, err
	}
	switch {
	case code == reader.CodeRobots && v.Page == 0:
		return nil, nil
	case code != "":
		r.refuse(ctx, ch, f, nil, code)
		return nil, nil
	}
	ch.Sent++
	resp, err := r.Pages.Fetch.Do(ctx, v.Request(f))
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		ch.giveUp()
		return nil, nil
	}
	switch code := reader.HTTPCode(resp.Status, resp.Challenge); {
	case resp.Status == http.StatusUnauthorized || resp.Status == http.StatusForbidden:
		r.refuse(ctx, ch, f, resp, code)
	case resp.Status == http.StatusTooManyRequests || resp.Status >= 500:
		err = r.Crawl.Wait(context.WithoutCancel(ctx), f, resp)
		ch.giveUp()
	default:
		return resp, nil
	}
	resp.Release()
	return nil, err
}

// refuse stops the watch if the site has forbidden it, and ends the chain.
func (r *Run) refuse(ctx context.Context, ch *Chain, f *store.FeedRow, resp *fetch.Response, code string) {
	if schedule.StopsAtOnce(code) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), StoreTimeout)
		defer cancel()
		r.Crawl.Fail(ctx, f, resp, code)
		ch.end()
		return
	}
	ch.giveUp()
}
