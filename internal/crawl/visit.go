package crawl

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/content/robots"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

// The page of a watch is requested as a feed is, in its turn and conditionally, with these differences: robots.txt is
// binding, a server error is not asked about again, and after one request the host gets no other for a while
// (chain.go). Once a day, and after its settings have changed, a watch is crawled to its last page, and page 1 is
// requested without validators.

// acceptPage is what listings are read from.
const acceptPage = "text/html, application/xhtml+xml;q=0.9, application/json;q=0.8, */*;q=0.1"

// visit is one crawl of a watch, as far as one page of it.
type visit struct {
	set     *watch.Settings
	adapter *listing.Adapter // where the settings name one
	rev     int              // of the settings

	page     int // from 1; 0 stands for the pages of single results
	address  string
	full     bool            // all pages are read
	inspect  bool            // the settings have changed
	relaid   bool            // and only the layout
	replaced bool            // by one that was found in this crawl
	stale    bool            // the validators are of another page than the one seen last
	log      *store.WatchLog // as it was before the request; nil for further pages
	found    []watch.Key     // on the earlier pages of a full crawl
	delay    time.Duration
}

// isWhole reports whether a page is read although its bytes are known.
func (v *visit) isWhole() bool { return v != nil && (v.full || v.inspect || v.stale || v.page > 1) }

// request is conditional for page 1, unless it is read in any case.
func (v *visit) request(f *store.FeedRow) fetch.Request {
	q := fetch.Request{URL: v.address, Accept: acceptPage}
	if !v.isWhole() {
		q.ETag, q.LastModified = f.ETag, f.LastModified
	}
	return q
}

// pace is the least time between two requests to the host.
func (v *visit) pace() time.Duration {
	return max(time.Duration(v.set.Pace)*time.Second, v.delay, leastPace)
}

const leastPace = 5 * time.Second

// prepare begins a crawl of a watch. Where it must not be requested, or its settings cannot be read, that is its
// outcome.
func (r *run) prepare(ctx context.Context, f *store.FeedRow, o *store.FeedOutcome) (v *visit, isReady bool) {
	ch := r.chain(f) // from now on the host gets no other request in this run
	v, code, err := r.begin(ctx, f)
	if code == "" && err == nil {
		if v.log, err = r.c.store.Watches.Log(ctx, f, false); err == nil {
			v.stale = v.log.IsStale(f)
		}
	}
	if code == "" && err == nil {
		code, err = r.permit(ctx, v)
		ch.Pace = max(ch.Pace, v.pace())
	}
	storing, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	switch {
	case err != nil && ctx.Err() != nil:
		r.cutShort(storing, f, o)
	case err != nil:
		r.storageFailed(err, o)
	case code != "":
		r.settle(storing, f, r.failure(nil, code), o)
	default:
		return v, true
	}
	return nil, false
}

// begin reads the settings of a watch and decides how much of it is crawled.
func (r *run) begin(ctx context.Context, f *store.FeedRow) (v *visit, code string, err error) {
	row, err := r.c.store.Watches.Settings(ctx, f.ID())
	if err != nil {
		return nil, "", err
	}
	set, err := row.Decode()
	if err != nil {
		return nil, "", err
	}
	if set.Layout == nil {
		return nil, reader.CodeLayoutInvalid, nil
	}
	isFirst := len(f.Hash) == 0
	v = &visit{set: set, rev: row.Rev, page: 1, address: f.URL, inspect: !isFirst && f.Channel != int64(row.Rev)}
	v.relaid = v.inspect && set.Relaid && f.Channel == int64(row.Rev-1)
	v.full = isFirst || v.inspect || r.kind != store.RunScheduled || watch.FullTick(f.ID(), f.Turns(), r.tick)
	if set.Adapter == "" {
		return v, "", nil
	}
	site, err := r.c.store.Watches.Adapter(ctx, set.Adapter)
	if fault.Is(err, fault.NotFound) {
		return nil, reader.CodeAdapterMissing, nil
	}
	if err == nil {
		v.adapter, err = site.Decode()
	}
	return v, "", err
}

// permit asks robots.txt for the visit's address; a code says why it must not be requested.
func (r *run) permit(ctx context.Context, v *visit) (code string, err error) {
	rules, err := robots.Sites{Cache: r.c.store.Cache}.Rules(ctx, v.address, r.c.fetch.Do)
	switch {
	case err != nil:
		return "", err
	case !rules.IsKnown():
		return cmp.Or(fetchCode(rules.Fault()), reader.CodeHTTP5xx), nil
	case !rules.AllowsURL(v.address):
		return reader.CodeRobots, nil
	}
	v.delay = max(v.delay, rules.Delay())
	return "", nil
}

// observePage reads a page of a watch.
func (r *run) observePage(ctx context.Context, f *store.FeedRow, v *visit, obs *observation) *observation {
	resp := obs.resp
	if resp.FinalURL != "" && resp.FinalURL != v.address {
		// A redirect may lead to an address that robots.txt does not allow.
		end := *v
		end.address = resp.FinalURL
		if code, err := r.permit(ctx, &end); err != nil || code != "" {
			return r.failure(resp, cmp.Or(code, reader.CodeUnknown))
		}
	}
	page, err := listing.Read(ctx, resp.Body, resp.ContentType, resp.FinalURL, v.set.Layout)
	if err != nil {
		return r.failure(resp, listingCode(err))
	}
	if page.Problem == listing.ProblemChallenge && len(page.Rows) == 0 {
		return r.failure(resp, reader.CodeChallenge)
	}
	if n := len(page.Rows); n > 0 && (resp.Truncated || isMarkup(resp.Body) && breaksOff(resp.Body)) {
		page.Rows = page.Rows[:n-1] // half a row would be renamed, and named again by the next look
	}
	if page.Next == "" {
		page.Next = v.following(page)
	}
	if page.Next == v.address || fetch.HostOf(page.Next) != fetch.HostOf(f.URL) {
		page.Next = "" // the limits of requests are those of the watch's host
	}
	now := r.c.clock.Now()
	page.CountFrom(now)
	obs.kind = seen
	obs.look = &look{visit: v, at: now, tick: schedule.TickOf(now), read: page}
	return obs
}

// following is the address of the page that follows by its number, where an adapter has that in its addresses.
func (v *visit) following(page *listing.Page) string {
	if v.adapter == nil || v.set.Query == (listing.Query{}) || len(page.Rows) == 0 ||
		v.page >= v.set.Layout.MostPages() || !strings.Contains(v.adapter.List.URL, "{page}") {
		return ""
	}
	return v.adapter.Address(v.set.Query, v.page+1)
}

// listingCode is the code of a page that cannot be read.
func listingCode(err error) string {
	var le *listing.Error
	if errors.As(err, &le) && le.Code == reader.CodeLayoutInvalid {
		return reader.CodeLayoutInvalid
	}
	return reader.CodeListingEmpty
}
