// Package fulltext returns the text of the page that an item links to, for a user who has opened the item. The page is
// fetched if robots.txt allows it, reduced to the article (go-readability), sanitised, and cached for a day.
package fulltext

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/page"
	"github.com/ruri-reader/ruri/internal/content/robots"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// State is the outcome for a page.
type State string

// The states.
const (
	OK     State = "ok"
	Robots State = "robots" // the site's robots.txt does not allow it
	Failed State = "failed" // it could not be read; Code says why
	Empty  State = "empty"  // no article was found in it
)

// Codes of failures, besides those of package fetch and of HTTP.
const (
	CodeNoLink   = "no_link"
	CodeNotHTML  = "not_a_page"
	CodeTooHeavy = "page_too_heavy"
)

// Text is the text of a page, or why there is none.
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
	// A text is cached for keep, a failure for keepFailed.
	keep       = 24 * time.Hour
	keepFailed = 15 * time.Minute
	// patience bounds the whole; the API has 25 seconds.
	patience = 18 * time.Second
	maxPage  = 3 << 20
	// version is part of every cache key.
	version = "1"
)

// Service reads linked pages.
type Service struct {
	cache *store.Cache
	fetch fetch.Fetcher
}

// New returns the service.
func New(s *store.Store, f fetch.Fetcher) *Service {
	return &Service{cache: s.Cache, fetch: f}
}

// Of returns the text of a page, from the cache or from its site. Only the caller's own end is an error.
func (s *Service) Of(ctx context.Context, link string) (Text, error) {
	u, err := url.Parse(link)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Text{State: Failed, Code: CodeNoLink, URL: link}, nil
	}
	u.Fragment = ""
	address := u.String()
	key := store.HashToken("text#" + version + "#" + address)
	var t Text
	if s.cache.GetJSON(ctx, key, &t) {
		return t, nil
	}
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	t = s.read(ctx, address)
	if err := caller.Err(); err != nil {
		return Text{}, err // a cancelled request is not cached
	}
	ttl := keep
	if t.State == Failed {
		ttl = keepFailed
	}
	s.cache.PutJSON(caller, key, t, ttl)
	return t, nil
}

// maxRefreshes bounds the pages that only lead on to another, by a meta element.
const maxRefreshes = 2

// read fetches a page, and the one that it leads to.
func (s *Service) read(ctx context.Context, address string) (t Text) {
	for range maxRefreshes + 1 {
		var next string
		if t, next = s.readOne(ctx, address); next == "" {
			break
		}
		address = next
	}
	return t
}

// readOne fetches a page; next is the address that it leads to by itself, or "".
func (s *Service) readOne(ctx context.Context, address string) (t Text, next string) {
	if t := s.barred(ctx, address); t.State != "" {
		return t, ""
	}
	resp, err := s.fetch.Do(ctx,
		fetch.Request{URL: address, Accept: "text/html, application/xhtml+xml;q=0.9, */*;q=0.1", MaxBytes: maxPage})
	if err != nil {
		return Text{State: Failed, Code: codeOf(err), URL: address}, ""
	}
	defer resp.Release()
	switch {
	case resp.Status != 200:
		return Text{State: Failed, Code: reader.HTTPCode(resp.Status, resp.Challenge), URL: address}, ""
	case !isHTML(resp):
		return Text{State: Failed, Code: CodeNotHTML, URL: address}, ""
	}
	end := resp.FinalURL
	if end == "" {
		end = address
	}
	// A redirect may lead to an address that robots.txt does not allow.
	if end != address {
		if t := s.barred(ctx, end); t.State != "" {
			return t, ""
		}
	}
	if t = s.textOf(ctx, resp, end); t.Characters < enough {
		next = page.Refresh(resp.Body, resp.ContentType, end)
	}
	return t, next
}

// textOf reads the article out of a response.
func (s *Service) textOf(ctx context.Context, resp *fetch.Response, end string) Text {
	leave, err := page.Turn(ctx)
	if err != nil {
		return Text{State: Failed, Code: codeOf(err), URL: end}
	}
	a := article(resp.Body, resp.ContentType, end)
	leave()
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

// barred returns why an address may not be fetched, according to its site's robots.txt; the zero Text if it may. A
// missing robots.txt allows everything, a failing one nothing (RFC 9309, 2.3.1).
func (s *Service) barred(ctx context.Context, address string) Text {
	rules, err := robots.Sites{Cache: s.cache}.Rules(ctx, address, s.fetch.Do)
	switch {
	case err != nil:
		return Text{State: Failed, Code: codeOf(err), URL: address}
	case rules.Fault() != "":
		return Text{State: Failed, Code: rules.Fault(), URL: address}
	case !rules.AllowsURL(address):
		return Text{State: Robots, URL: address}
	}
	return Text{}
}

func codeOf(err error) string {
	if fe, ok := errors.AsType[*fetch.Error](err); ok {
		return fe.Code
	}
	return fetch.CodeNetworkUnreachable
}

// isHTML decides by the content type, and without one by the beginning of the body.
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
