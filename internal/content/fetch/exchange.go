package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// errOutOfTime is the cause of the end of an exchange that used up its Timeout.
var errOutOfTime = errors.New("time limit of the exchange")

// Do fetches one URL. Any HTTP status is a Response; an error is always an *Error. A response with a body
// holds pooled buffers until its Release.
func (c *Client) Do(ctx context.Context, req Request) (*Response, error) {
	u, err := CheckURL(req.URL)
	if err != nil {
		return nil, err
	}
	x := exchange{c: c, req: &req, caller: ctx, limit: req.MaxBytes, left: c.opt.Timeout}
	if x.limit <= 0 {
		x.limit = c.opt.MaxBytes
	}
	x.user, u.User = u.User, nil
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	defer x.end()
	resp, failure := x.follow(u)
	if failure != nil {
		return nil, failure
	}
	return resp, nil
}

// exchange is one Do: all hops, retries and the body, inside one time limit.
type exchange struct {
	c       *Client
	req     *Request
	caller  context.Context
	ctx     context.Context // ends with the caller's, or with the time limit
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	since   time.Time     // start of the running stretch
	left    time.Duration // of the time limit at that start
	paused  bool
	limit   int64
	user    *url.Userinfo // credentials of the feed's URL; nil once they no longer apply
	retries int
	faults  []int // statuses after which the server was asked again
	visited [MaxRedirects + 1]visit
	cookies []cookie // that the redirects have set
	// cameBack: an address was asked for twice, with other cookies.
	cameBack bool
}

// follow goes from hop to hop. It remembers whether all of them were permanent.
func (x *exchange) follow(u *url.URL) (*Response, *Error) {
	permanent := true
	for hop := 0; ; hop++ {
		resp, to, status, failure := x.hop(u, hop)
		if failure != nil {
			return nil, failure
		}
		if to == nil && x.waitForRetry(resp) {
			hop--
			continue
		}
		if to == nil {
			x.describe(resp, u, hop, permanent)
			return resp, nil
		}
		permanent = permanent && (status == http.StatusMovedPermanently || status == http.StatusPermanentRedirect)
		if failure := x.checkRedirect(u, to, hop); failure != nil {
			return nil, failure
		}
		u = to
	}
}

// waitForRetry waits before a retry of a server error, and reports whether there is to be one: two at most, after one
// and two seconds (RFC 9110, 15.6: the error may be temporary). A 503, like a 429, asks for fewer requests; so does a
// Retry-After.
func (x *exchange) waitForRetry(resp *Response) bool {
	switch resp.Status {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
	default:
		return false
	}
	pause := FaultPause * time.Duration(len(x.faults)+1)
	if x.req.Idle == nil || resp.hasRetryAfter || len(x.faults) == MaxRetries || x.remaining() <= pause {
		return false
	}
	if x.req.Idle(func() error { return x.c.opt.Sleep(x.ctx, pause) }) != nil || x.ctx.Err() != nil {
		return false // the error is the answer
	}
	x.faults = append(x.faults, resp.Status)
	return true
}

// remaining is the rest of the time limit.
func (x *exchange) remaining() time.Duration {
	if x.paused || x.timer == nil {
		return x.left
	}
	return x.left - x.c.opt.Clock.Now().Sub(x.since)
}

// describe fills in the fields that depend on the whole chain of redirects.
func (x *exchange) describe(resp *Response, u *url.URL, hops int, permanent bool) {
	resp.Faults = x.faults
	if hops == 0 {
		resp.FinalURL = x.req.URL
		if x.user != nil {
			resp.FinalURL = u.String()
		}
		return
	}
	resp.FinalURL = u.String()
	if permanent && !x.cameBack && (resp.NotModified || resp.Status/100 == 2) {
		moved := *u
		moved.User = x.user
		resp.PermanentURL = moved.String()
	}
}

// hop does one request with its host locked, and returns either a response or the target of a redirect.
func (x *exchange) hop(u *url.URL, n int) (resp *Response, to *url.URL, status int, failure *Error) {
	transport, failure := x.route(u)
	if failure != nil {
		return nil, nil, 0, failure
	}
	if lock := x.c.opt.HostLock; lock != nil {
		x.pause()
		if err := lock.Lock(x.caller, u.Host); err != nil {
			return nil, nil, 0, &Error{Code: CodeCancelled, Host: u.Host, Cause: err, NoResponse: true}
		}
		defer lock.Unlock(u.Host)
	}
	x.run()
	res, failure := x.send(transport, u)
	if failure != nil {
		return nil, nil, 0, failure
	}
	defer func() { _ = res.Body.Close() }()
	if redirects(res.StatusCode) && x.req.Post == nil {
		discard(res)
		x.keepCookies(u, res)
		to, failure = target(u, res)
		return nil, to, res.StatusCode, failure
	}
	resp, failure = x.response(u, res)
	return resp, nil, res.StatusCode, failure
}

// send does the request, again if the connection died without an answer.
func (x *exchange) send(t *http.Transport, u *url.URL) (*http.Response, *Error) {
	for {
		answered := new(firstByte)
		res, err := t.RoundTrip(x.request(u, answered))
		if err == nil {
			if res.StatusCode == http.StatusSwitchingProtocols {
				_ = res.Body.Close()
				return nil, &Error{Code: CodeBadResponse, Host: u.Host, Cause: errors.New("101 without an upgrade")}
			}
			return res, nil
		}
		failure := x.fail(u, err, answered.got.Load())
		again := failure.NoResponse && (failure.Code == CodeConnectionRefused || failure.Code == CodeConnectionReset)
		if !again || x.retries == MaxRetries || x.req.Post != nil {
			return nil, failure
		}
		x.retries++
		// Half to all of 200 ms, then of 800 ms: time for a restart behind a balancer, well inside the limit.
		pause := time.Duration(float64(int64(50*time.Millisecond)<<(2*x.retries)) * (0.5 + x.c.opt.Jitter()/2))
		if err := x.c.opt.Sleep(x.ctx, pause); err != nil {
			if x.caller.Err() != nil {
				return nil, x.fail(u, err, false)
			}
			return nil, failure
		}
	}
}

// run lets the time limit count; pause stops it, so that waiting for the host lock does not count
// against the publisher.
func (x *exchange) run() {
	switch {
	case x.timer == nil:
		x.since = x.c.opt.Clock.Now()
		x.timer = time.AfterFunc(x.left, func() { x.cancel(errOutOfTime) })
	case x.paused:
		x.since, x.paused = x.c.opt.Clock.Now(), false
		x.timer.Reset(x.left)
	}
}

func (x *exchange) pause() {
	if x.timer != nil && x.timer.Stop() {
		x.left, x.paused = max(x.left-x.c.opt.Clock.Now().Sub(x.since), 0), true
	}
}

func (x *exchange) end() {
	if x.timer != nil {
		x.timer.Stop()
	}
	x.cancel(nil)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
