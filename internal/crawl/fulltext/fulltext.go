// Package fulltext gives the text of the page that an item links to: asked for by a person who has opened the item,
// fetched as robots.txt allows, freed of all that is not the article (go-readability), sanitised like any body, and
// remembered for a day, so that a page is asked once however many read it.
package fulltext

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/content/robots"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// State tells what came of a page.
type State string

// The states.
const (
	OK     State = "ok"
	Robots State = "robots" // the site's robots.txt keeps programs out
	Failed State = "failed" // it could not be read; Code says why
	Empty  State = "empty"  // there is no text in it that could be told from the rest
)

// Codes of our own, beside those of package fetch and of HTTP.
const (
	CodeNoLink   = "no_link"
	CodeNotHTML  = "not_a_page"
	CodeTooHeavy = "page_too_heavy"
)

// Text is what came of a page.
type Text struct {
	State State  `json:"s"`
	Code  string `json:"c,omitempty"` // why it failed
	HTML  string `json:"h,omitempty"`
	// Characters counts the text without markup.
	Characters int    `json:"n,omitempty"`
	Lang       string `json:"l,omitempty"`
	SiteName   string `json:"w,omitempty"`
	Title      string `json:"t,omitempty"`
	URL        string `json:"u,omitempty"` // where it was in the end
}

const (
	// keep is how long what was found is remembered, keepFailed how long that nothing could be had: a reader who
	// opens the item again does not ask the site again.
	keep       = 24 * time.Hour
	keepFailed = 15 * time.Minute
	// keepRobots is how long a robots.txt holds, at most a day (RFC 9309, 2.4).
	keepRobots = 24 * time.Hour
	// patience bounds the whole; the API has 25 seconds.
	patience = 18 * time.Second
	maxPage  = 3 << 20
	// version is part of every key: another way of reading starts anew.
	version = "1"
)

// Fetcher is the guarded client. It asks a host one thing at a time.
type Fetcher interface {
	Do(ctx context.Context, r fetch.Request) (*fetch.Response, error)
}

// Service reads linked pages.
type Service struct {
	cache *store.Cache
	fetch Fetcher
	clock clock.Clock
}

// New binds the service to its seams.
func New(s *store.Store, f Fetcher, c clock.Clock) *Service {
	return &Service{cache: s.Cache, fetch: f, clock: c}
}

// Of gives the text of a page, from the cache or from its site. Only the caller's own end is an error.
func (s *Service) Of(ctx context.Context, link string) (Text, error) {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Text{State: Failed, Code: CodeNoLink, URL: link}, nil
	}
	u.Fragment = ""
	address := u.String()
	key := store.HashToken("text#" + version + "#" + address)
	var t Text
	if s.remembered(ctx, key, &t) {
		return t, nil
	}
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	t = s.read(ctx, address)
	if err := caller.Err(); err != nil {
		return Text{}, err // nothing is learnt from a request that was given up
	}
	ttl := keep
	if t.State == Failed {
		ttl = keepFailed
	}
	s.remember(caller, key, t, ttl)
	return t, nil
}

// read asks the site.
func (s *Service) read(ctx context.Context, address string) Text {
	if t := s.barred(ctx, address); t.State != "" {
		return t
	}
	resp, err := s.fetch.Do(ctx, fetch.Request{URL: address, Accept: "text/html, application/xhtml+xml;q=0.9, */*;q=0.1", MaxBytes: maxPage})
	if err != nil {
		return Text{State: Failed, Code: codeOf(err), URL: address}
	}
	defer resp.Release()
	switch {
	case resp.Status != 200:
		return Text{State: Failed, Code: reader.HTTPCode(resp.Status), URL: address}
	case !isHTML(resp):
		return Text{State: Failed, Code: CodeNotHTML, URL: address}
	}
	end := resp.FinalURL
	if end == "" {
		end = address
	}
	// A redirect may lead to where programs are kept out.
	if end != address {
		if t := s.barred(ctx, end); t.State != "" {
			return t
		}
	}
	a := article(resp.Body, resp.ContentType, end)
	if a.code != "" {
		return Text{State: Failed, Code: a.code, URL: end}
	}
	html := sanitize.HTML(a.html, end)
	n := utf8.RuneCountInString(strings.TrimSpace(sanitize.Text(html)))
	if n == 0 {
		return Text{State: Empty, URL: end}
	}
	return Text{State: OK, HTML: html, Characters: n, Lang: a.lang, SiteName: a.site, Title: a.title, URL: end}
}

// barred asks the robots.txt of an address's host, which is remembered for a day, and gives the zero Text where we
// are let in. Where the host has none everything is open, where it cannot be told nothing is (RFC 9309, 2.3.1).
func (s *Service) barred(ctx context.Context, address string) Text {
	u, err := url.Parse(address)
	if err != nil {
		return Text{State: Failed, Code: CodeNoLink, URL: address}
	}
	host := u.Scheme + "://" + u.Host
	key := store.HashToken("robots#" + version + "#" + host)
	var file robotsFile
	if !s.remembered(ctx, key, &file) {
		file = s.robots(ctx, host)
		ttl := keepRobots
		if file.Status == 0 || file.Status >= 500 || file.Status == 429 {
			ttl = keepFailed
		}
		if ctx.Err() == nil {
			s.remember(ctx, key, file, ttl)
		}
	}
	switch {
	case file.Code != "":
		return Text{State: Failed, Code: file.Code, URL: address}
	case !robots.Of(file.Status, []byte(file.Body)).Allows(u.RequestURI()):
		return Text{State: Robots, URL: address}
	}
	return Text{}
}

// robotsFile is a robots.txt as it was answered, or why it was not.
type robotsFile struct {
	Status int    `json:"s,omitempty"`
	Body   string `json:"b,omitempty"`
	Code   string `json:"c,omitempty"`
}

func (s *Service) robots(ctx context.Context, host string) robotsFile {
	resp, err := s.fetch.Do(ctx, fetch.Request{URL: host + "/robots.txt", Accept: "text/plain, */*;q=0.1", MaxBytes: robots.MaxBytes})
	switch code := codeOf(err); {
	case err == nil:
		defer resp.Release()
		return robotsFile{Status: resp.Status, Body: string(resp.Body)}
	case code == fetch.CodeTooLarge:
		return robotsFile{Status: 500} // it cannot be told what it says
	default:
		return robotsFile{Code: code}
	}
}

func codeOf(err error) string {
	var fe *fetch.Error
	if errors.As(err, &fe) {
		return fe.Code
	}
	return fetch.CodeNetworkUnreachable
}

// isHTML goes by the label, and where there is none by how the body begins.
func isHTML(resp *fetch.Response) bool {
	kind, _, _ := strings.Cut(strings.ToLower(resp.ContentType), ";")
	switch strings.TrimSpace(kind) {
	case "text/html", "application/xhtml+xml":
		return true
	case "":
		return strings.HasPrefix(strings.TrimSpace(string(resp.Body[:min(len(resp.Body), 64)])), "<")
	}
	return false
}
