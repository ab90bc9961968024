package fetch

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
)

// firstByte learns from net/http whether an answer has begun. It is written by the connection's goroutine,
// possibly after RoundTrip has given up, so it is never reused.
type firstByte struct {
	got   atomic.Bool
	trace httptrace.ClientTrace
}

func (f *firstByte) mark() { f.got.Store(true) }

// request builds the request of a hop. A publisher gets to see nothing else.
func (x *exchange) request(u *url.URL, answered *firstByte) *http.Request {
	c := x.c
	h := make(http.Header, 7)
	values := make([]string, 5)
	set := func(name, value string) {
		values[0] = value
		h[name], values = values[:1:1], values[1:]
	}
	set("User-Agent", c.agent.value(x.req.Subscribers))
	h["Accept"], h["Accept-Encoding"] = c.accept, c.codings
	if x.req.Accept != "" {
		set("Accept", x.req.Accept)
	}
	if v := validator(x.req.ETag); v != "" && x.req.Post == nil {
		set("If-None-Match", v)
	}
	if v := validator(x.req.LastModified); v != "" && x.req.Post == nil {
		set("If-Modified-Since", v)
	}
	if v := x.cookieHeader(u); v != "" {
		h.Set("Cookie", v)
	}
	if x.user != nil {
		password, _ := x.user.Password()
		set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(x.user.Username()+":"+password)))
	}
	answered.trace.GotFirstResponseByte = answered.mark
	req := &http.Request{
		Method: http.MethodGet, URL: u, Host: u.Host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if p := x.req.Post; p != nil {
		p.attach(req)
	}
	return req.WithContext(httptrace.WithClientTrace(x.ctx, &answered.trace))
}

// response reads what is wanted of an answer: headers always, the body of a 2xx.
func (x *exchange) response(u *url.URL, res *http.Response) (*Response, *Error) {
	now := x.c.opt.Clock.Now()
	if res.StatusCode == http.StatusNonAuthoritativeInfo {
		// a proxy has changed something (RFC 9110, 15.3.4), as so many do without saying so
		res.StatusCode = http.StatusOK
	}
	r := &Response{
		Status:        res.StatusCode,
		NotModified:   res.StatusCode == http.StatusNotModified,
		ContentType:   first(res.Header["Content-Type"]),
		ETag:          validator(first(res.Header["Etag"])),
		LastModified:  validator(first(res.Header["Last-Modified"])),
		MaxAge:        maxAge(res.Header, now),
		RetryAfter:    retryAfter(res.Header, now),
		hasRetryAfter: len(res.Header["Retry-After"]) > 0,
	}
	if links := res.Header["Link"]; len(links) > 0 {
		r.Links, r.Alternates = webSubLinks(links, u), alternates(links, u)
	}
	r.Challenge = first(res.Header["Cf-Mitigated"]) == "challenge"
	if ask := x.req.IsChallenge; ask != nil && res.StatusCode == http.StatusForbidden && !r.Challenge {
		// Unreadable values say nothing.
		page := &Response{}
		_ = x.c.pools.readBody(page, res.Body, first(res.Header["Content-Encoding"]), -1, min(x.limit, refusalBytes))
		r.Challenge = ask(page.Body)
		page.Release()
		return r, nil
	}
	if p := x.req.Post; res.StatusCode/100 != 2 || p != nil && !p.Answered {
		discard(res)
		return r, nil
	}
	encoding := first(res.Header["Content-Encoding"])
	if lines := res.Header["Content-Encoding"]; len(lines) > 1 {
		encoding = strings.Join(lines, ",")
	}
	r.OpenEnded = encoding == "" && res.ContentLength < 0 && len(res.TransferEncoding) == 0 && res.ProtoMajor < 2
	if err := x.c.pools.readBody(r, res.Body, encoding, res.ContentLength, x.limit); err != nil {
		failure := x.failBody(u, err)
		brokeOff := failure.Code == CodeTruncatedBody || failure.Code == CodeConnectionReset
		if !x.req.KeepPart || !brokeOff || len(r.Body) == 0 {
			r.Release()
			return nil, failure
		}
		r.Truncated = true
	}
	return r, nil
}

// refusalBytes is the length of a 403's body that is looked at.
const refusalBytes = 64 << 10

// smallRest is the length up to which the rest of an unwanted body is cheaper to read than a new connection.
const smallRest = 4 << 10

func first(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0]
}

// discard reads a small rest of a body, so that its connection can be used again.
func discard(res *http.Response) {
	if res.ContentLength != 0 && res.ContentLength <= smallRest {
		_, _ = io.CopyN(io.Discard, res.Body, smallRest)
	}
}

// attach makes a request a POST.
func (p *Post) attach(req *http.Request) {
	req.Method, req.ContentLength = http.MethodPost, int64(len(p.Body))
	req.Body = io.NopCloser(bytes.NewReader(p.Body))
	// net/http repeats a request that a reused connection was too old for: nothing of it was read by anybody.
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(p.Body)), nil }
	req.Header.Set("Content-Type", p.ContentType)
	for name, value := range p.Header {
		req.Header.Set(name, value)
	}
}
