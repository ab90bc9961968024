package watching

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/listing"
	pages "github.com/ruri-reader/ruri/internal/content/page"
	"github.com/ruri-reader/ruri/internal/content/robots"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Try is a request for a preview.
type Try struct {
	// Settings has the address, or adapter and query; the layout to try, if there is one; and what is followed of what
	// is listed.
	Settings watch.Settings
	Interval int32
	Preview  string // ID of an earlier preview, whose page is read again
	// Count is called before a page is requested, and may refuse it; nil: nobody counts.
	Count func() error
}

// Preview has the results that a page lists, by each layout that may describe it.
type Preview struct {
	ID         string // empty where no page was fetched
	URL        string // where the page was found
	Title      string
	Problem    string // code of why there are no candidates
	Candidates []Candidate
	Allowed    bool // by robots.txt
	Delay      time.Duration
	Terms      string
	Warnings   []string // codes
	Host       string
	Used, Need Use
	// CanReadDetails reports whether the pages of single results tell exact dates of sales; nil where the settings do
	// not want them.
	CanReadDetails *bool
}

// Candidate is one way in which a page can be read.
type Candidate struct {
	listing.Candidate
	Adapter string // its name; empty where none describes the page
	Fitting int    // rows that the settings follow
}

// Sources of candidates, besides those of package listing.
const (
	FromAdapter = "adapter"
	FromLayout  = "layout" // the one that was tried
)

// Warnings of a preview.
const (
	WarnMorePages = "more_pages" // there is a next page, and the layout reads one
	WarnLeftOut   = "left_out"   // rows beyond listing.MaxRows
	WarnNarrower  = "narrower_search"
	WarnHostLimit = "host_limit"
	WarnDelay     = "crawl_delay" // longer than a watch waits between pages: the interval is longer
	WarnNoPrices  = "no_prices"
	WarnFewFit    = "none_fits"
)

const (
	// maxResults is how many live results a watch has at most.
	maxResults = 2000
	// keepPage is how long a previewed page can be tried again.
	keepPage = 24 * time.Hour
	// acceptPages is the header Accept of a preview.
	acceptPages = "text/html, application/xhtml+xml, application/json;q=0.9, */*;q=0.1"
	// maxPage bounds a page.
	maxPage = 5 << 20
	// previewTime bounds the requests of a preview.
	previewTime = 18 * time.Second
)

// page is a page that was fetched.
type page struct {
	body             []byte
	contentType, url string
	at               time.Time
}

// Preview fetches a page, unless an earlier preview has it, and tells how it can be read.
func (s *Service) Preview(ctx context.Context, u reader.UserID, t Try) (*Preview, error) {
	adapters, err := s.Adapters(ctx)
	if err != nil {
		return nil, err
	}
	var kept *page
	if t.Preview != "" {
		if kept, err = s.keptPage(ctx, u, t.Preview); err != nil {
			return nil, err
		}
		t.Settings.URL = cmp.Or(t.Settings.URL, kept.url)
	}
	set, err := s.resolved(ctx, &t.Settings)
	if err == nil && set.Layout != nil {
		err = invalid(set.Layout.Check(), "layout")
	}
	if err != nil {
		return nil, err
	}
	p := &Preview{ID: t.Preview, URL: set.URL, Host: fetch.HostOf(set.URL), Candidates: []Candidate{}}
	if p.Used, err = s.used(ctx, p.Host, 0); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	if kept == nil {
		if kept, err = s.request(ctx, u, set.URL, t.Count, p); err != nil || kept == nil {
			return p, err
		}
	} else if err := s.ask(ctx, p, set.URL); err != nil || !p.Allowed {
		return p, err
	}
	p.URL = kept.url
	if err := p.read(ctx, kept, set, adapters); err != nil {
		return nil, err
	}
	for i := range p.Candidates {
		p.Candidates[i].Page.CountFrom(s.Clock.Now())
	}
	p.Need = need(p.chosen(set), cmp.Or(t.Interval, reader.DefaultInterval))
	p.warn(set)
	if set.Details && len(p.Candidates) > 0 {
		can, err := s.canReadDetails(ctx, u, p.chosen(set), kept, t.Count)
		if err != nil {
			return nil, err
		}
		p.CanReadDetails = &can
	}
	return p, nil
}

// request asks for a page within the rules of its site, and keeps it; nil where robots.txt does not allow it.
func (s *Service) request(ctx context.Context, u reader.UserID, address string, count func() error,
	p *Preview) (*page, error) {
	if count != nil {
		if err := count(); err != nil {
			return nil, err
		}
	}
	release, err := s.Subscribe.Hold(ctx, address)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := s.ask(ctx, p, address); err != nil || !p.Allowed {
		return nil, err
	}
	return s.fetchPage(ctx, u, address, p)
}

// ask sets what robots.txt says of an address.
func (s *Service) ask(ctx context.Context, p *Preview, address string) error {
	rules, err := robots.Sites{Cache: s.Store.Cache}.Rules(ctx, address, s.Fetch.Do)
	if err == nil && rules.Fault() != "" {
		err = &fetch.Error{Code: rules.Fault()}
	}
	if err != nil {
		return err
	}
	switch p.Allowed, p.Delay = rules.AllowsURL(address), rules.Delay(); {
	case !rules.IsKnown():
		p.Problem = reader.CodeHTTP5xx
	case !p.Allowed:
		p.Problem = reader.CodeRobots
	}
	return nil
}

// fetchPage requests a page and keeps it for further previews; nil where a redirect led to an address that robots.txt
// does not allow.
func (s *Service) fetchPage(ctx context.Context, u reader.UserID, address string, p *Preview) (*page, error) {
	resp, err := s.Fetch.Do(ctx, fetch.Request{URL: address, Accept: acceptPages, MaxBytes: maxPage})
	if err != nil {
		return nil, err
	}
	defer resp.Release()
	if resp.Status != 200 {
		return nil, &subscribe.HTTPError{Code: reader.HTTPCode(resp.Status, resp.Challenge), Status: resp.Status}
	}
	end := cmp.Or(resp.FinalURL, address)
	if end != address {
		if err := s.ask(ctx, p, end); err != nil || !p.Allowed {
			return nil, err
		}
	}
	got := &page{bytes.Clone(resp.Body), resp.ContentType, end, s.Clock.Now()}
	p.ID = previewID(address)
	return got, s.keepPage(ctx, u, p.ID, got)
}

func previewID(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:])
}

func previewKey(u reader.UserID, id string) string {
	return store.PreviewPrefix + string(u) + "/" + id + ".gz"
}

// Metadata of a kept page.
const (
	metaURL  = "url"
	metaType = "content-type"
)

func (s *Service) keepPage(ctx context.Context, u reader.UserID, id string, p *page) error {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(p.body); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return s.Blobs.Put(ctx, previewKey(u, id), packed.Bytes(), blob.Meta{
		ContentType: "application/octet-stream", ContentEncoding: "gzip",
		User: map[string]string{metaURL: p.url, metaType: p.contentType},
	})
}

// keptPage returns the page of an earlier preview of the user's.
func (s *Service) keptPage(ctx context.Context, u reader.UserID, id string) (*page, error) {
	if b, err := hex.DecodeString(id); err != nil || len(b) != sha256.Size {
		return nil, expired()
	}
	packed, meta, err := s.Blobs.Get(ctx, previewKey(u, id))
	if fault.Is(err, fault.NotFound) || err == nil && s.Clock.Now().Sub(meta.Modified) > keepPage {
		return nil, expired()
	}
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r, maxPage))
	return &page{body, meta.User[metaType], meta.User[metaURL], meta.Modified}, err
}

func expired() error { return fault.Coded(fault.NotFound, "preview_expired").At("previewId") }

// read finds the ways to read a page: the layout to try, or else what the adapters of its host and the page itself
// propose.
func (p *Preview) read(ctx context.Context, kept *page, set *watch.Settings, adapters []*listing.Adapter) error {
	leave, err := pages.Turn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	found, err := listing.Detect(ctx, kept.body, kept.contentType, kept.url)
	if e, ok := errors.AsType[*listing.Error](err); ok && e.Code == listing.CodePage {
		p.Problem = reader.CodePageUnreadable
		return nil
	}
	if err != nil {
		return err
	}
	p.Title, p.Terms = found.Title, found.Terms
	if set.Layout != nil {
		source := FromLayout
		if set.Adapter != "" {
			source = FromAdapter
		}
		c, err := readBy(ctx, kept, set.Layout, source, set.Adapter)
		if err != nil {
			return err
		}
		for _, other := range found.Candidates { // the places that were found serve a layout of the same rows
			if other.Layout.Rows == set.Layout.Rows {
				c.Choices = other.Choices
			}
		}
		p.Problem = c.Page.Problem
		p.add(c, set)
		return nil
	}
	for _, a := range adapters {
		if !covers(a, kept.url) {
			continue
		}
		if c, err := readBy(ctx, kept, &a.List.Layout, FromAdapter, a.Name); err == nil && len(c.Page.Rows) > 0 {
			p.Terms = cmp.Or(a.Terms, p.Terms)
			p.add(c, set)
		}
	}
	for _, c := range found.Candidates {
		p.add(Candidate{Candidate: c}, set)
	}
	if len(p.Candidates) == 0 {
		p.Problem = cmp.Or(found.Problem, reader.CodeListingEmpty)
	}
	return nil
}

// readBy reads a page by a layout.
func readBy(ctx context.Context, kept *page, l *listing.Layout, source, adapter string) (Candidate, error) {
	got, err := listing.Read(ctx, kept.body, kept.contentType, kept.url, l)
	return Candidate{Candidate: listing.Candidate{Source: source, Layout: *l, Page: got, Score: 1}, Adapter: adapter},
		invalid(err, "layout")
}

func (p *Preview) add(c Candidate, set *watch.Settings) {
	for i := range c.Page.Rows {
		if set.Fits(&c.Page.Rows[i]) {
			c.Fitting++
		}
	}
	p.Candidates = append(p.Candidates, c)
}

// chosen returns settings with the layout of the best candidate, where they have none.
func (p *Preview) chosen(set *watch.Settings) *watch.Settings {
	if set.Layout != nil || len(p.Candidates) == 0 {
		return set
	}
	with := *set
	with.Layout = &p.Candidates[0].Layout
	return &with
}

// warn notes what a person should know before making a watch of the best candidate.
func (p *Preview) warn(set *watch.Settings) {
	note := func(code string, is bool) {
		if is {
			p.Warnings = append(p.Warnings, code)
		}
	}
	note(WarnHostLimit, !p.Used.plus(p.Need).within(HostLimit))
	note(WarnDelay, p.Delay > reader.LongestPace)
	if len(p.Candidates) == 0 {
		return
	}
	c := &p.Candidates[0]
	rows := c.Page.Rows
	hasPrice := false
	for i := range rows {
		hasPrice = hasPrice || rows[i].Price != nil
	}
	note(WarnMorePages, c.Page.Next != "" && c.Layout.MostPages() <= 1)
	note(WarnLeftOut, c.Page.LeftOut > 0)
	note(WarnNarrower, c.Fitting*c.Layout.MostPages() > maxResults && c.Page.Next != "" || c.Fitting > maxResults)
	note(WarnFewFit, len(rows) > 0 && c.Fitting == 0)
	note(WarnNoPrices, len(rows) > 0 && !hasPrice && (set.Min > 0 || set.Max > 0 || set.Wanted > 0))
}
