package pages

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

// acceptPage is the Accept header for pages of listings.
const acceptPage = "text/html, application/xhtml+xml;q=0.9, application/json;q=0.8, */*;q=0.1"

// Visit is one crawl of a watch, as far as one page of it.
type Visit struct {
	Set     *watch.Settings
	Rev     int              // of the settings
	adapter *listing.Adapter // where the settings name one

	Page     int           // from 1; 0 stands for the pages of single results
	Full     bool          // all pages are read
	Inspect  bool          // the settings have changed
	Replaced bool          // by settings with a layout that was found in this crawl
	Stale    bool          // the validators are of another page than the one seen last
	Delay    time.Duration // that robots.txt asks for

	address string
	relaid  bool            // only the layout has changed
	log     *store.WatchLog // as it was before the request; nil for further pages
	found   []watch.Key     // on the earlier pages of a full crawl
}

// IsWhole reports whether a page is read although its bytes are known.
func (v *Visit) IsWhole() bool { return v.Full || v.Inspect || v.Stale || v.Page > 1 }

// Request is conditional for page 1, unless it is read in any case.
func (v *Visit) Request(f *store.FeedRow) fetch.Request {
	q := fetch.Request{URL: v.address, Accept: acceptPage}
	if !v.IsWhole() {
		q.ETag, q.LastModified = f.ETag, f.LastModified
	}
	return q
}

// pace is the least time between two requests to the host.
func (v *Visit) pace() time.Duration {
	return max(time.Duration(v.Set.Pace)*time.Second, v.Delay, leastPace)
}

const leastPace = 5 * time.Second

// Prepare begins the crawl of a watch in its turn; a code says why it must not be requested, or that its settings
// cannot be read. From now on the host gets no other request in this run.
func (r *Run) Prepare(ctx context.Context, f *store.FeedRow) (v *Visit, code string, err error) {
	ch := r.chain(f)
	if v, code, err = r.begin(ctx, f); err != nil || code != "" {
		return nil, code, err
	}
	if v.log, err = r.Pages.Store.Watches.Log(ctx, f, false); err != nil {
		return nil, "", err
	}
	v.Stale = v.log.IsStale(f)
	code, err = r.Pages.permit(ctx, v)
	ch.Pace = max(ch.Pace, v.pace())
	return v, code, err
}

// begin reads the settings of a watch and decides how much of it is crawled.
func (r *Run) begin(ctx context.Context, f *store.FeedRow) (v *Visit, code string, err error) {
	row, err := r.Pages.Store.Watches.Settings(ctx, f.ID())
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
	v = &Visit{Set: set, Rev: row.Rev, Page: 1, address: f.URL, Inspect: !isFirst && f.Channel != int64(row.Rev)}
	v.relaid = v.Inspect && set.Relaid && f.Channel == int64(row.Rev-1)
	v.Full = isFirst || v.Inspect || r.Kind != store.RunScheduled || watch.FullTick(f.ID(), f.Turns(), r.Tick)
	if set.Adapter == "" {
		return v, "", nil
	}
	site, err := r.Pages.Store.Watches.Adapter(ctx, set.Adapter)
	if fault.Is(err, fault.NotFound) {
		return nil, reader.CodeAdapterMissing, nil
	}
	if err == nil {
		v.adapter, err = site.Decode()
	}
	return v, "", err
}

// permit asks robots.txt for the visit's address; a code says why it must not be requested.
func (p *Pages) permit(ctx context.Context, v *Visit) (code string, err error) {
	rules, err := robots.Sites{Cache: p.Store.Cache}.Rules(ctx, v.address, p.Fetch.Do)
	switch {
	case err != nil:
		return "", err
	case !rules.IsKnown():
		return cmp.Or(rules.Fault(), reader.CodeHTTP5xx), nil
	case !rules.AllowsURL(v.address):
		return reader.CodeRobots, nil
	}
	v.Delay = max(v.Delay, rules.Delay())
	return "", nil
}

// Snapshot is a look at a watch at one time: a page of its listing, or the pages of single results.
type Snapshot struct {
	*Visit
	At      time.Time
	Tick    schedule.Tick
	Listing *listing.Page
	Resp    *fetch.Response    // that brought the page
	details []watch.DetailLook // instead of Listing

	wasTried bool // to be read by a new layout

	// What it meant in the end.
	verdict *watch.Verdict
	targets []target // whose own pages are to be read
}

// Read reads a page of a watch; a code says why it cannot be read.
func (p *Pages) Read(ctx context.Context, f *store.FeedRow, v *Visit, resp *fetch.Response) (*Snapshot, string) {
	if resp.FinalURL != "" && resp.FinalURL != v.address {
		// A redirect may lead to an address that robots.txt does not allow.
		end := *v
		end.address = resp.FinalURL
		if code, err := p.permit(ctx, &end); err != nil || code != "" {
			return nil, cmp.Or(code, reader.CodeUnknown)
		}
	}
	page, err := listing.Read(ctx, resp.Body, resp.ContentType, resp.FinalURL, v.Set.Layout)
	if err != nil {
		return nil, listingCode(err)
	}
	if page.Problem == listing.ProblemChallenge && len(page.Rows) == 0 {
		return nil, reader.CodeChallenge
	}
	if n := len(page.Rows); n > 0 && (resp.Truncated || isMarkup(resp.Body) && breaksOff(resp.Body)) {
		page.Rows = page.Rows[:n-1] // half a row would be renamed, and named again by the next crawl
	}
	if page.Next == "" {
		page.Next = v.following(page)
	}
	if page.Next == v.address || fetch.HostOf(page.Next) != fetch.HostOf(f.URL) {
		page.Next = "" // the limits of requests are those of the watch's host
	}
	now := p.Clock.Now()
	page.CountFrom(now)
	return &Snapshot{Visit: v, At: now, Tick: schedule.TickOf(now), Listing: page, Resp: resp}, ""
}

// following is the address of the page that follows by its number, where an adapter has that in its addresses.
func (v *Visit) following(page *listing.Page) string {
	if v.adapter == nil || v.Set.Query == (listing.Query{}) || len(page.Rows) == 0 ||
		v.Page >= v.Set.Layout.MostPages() || !strings.Contains(v.adapter.List.URL, "{page}") {
		return ""
	}
	return v.adapter.Address(v.Set.Query, v.Page+1)
}

// listingCode is the code of a page that cannot be read.
func listingCode(err error) string {
	var le *listing.Error
	if errors.As(err, &le) && le.Code == reader.CodeLayoutInvalid {
		return reader.CodeLayoutInvalid
	}
	return reader.CodeListingEmpty
}
