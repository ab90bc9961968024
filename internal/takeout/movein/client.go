package movein

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/takeout"
)

// Doer sends a request; *http.Client is one.
type Doer interface {
	Do(r *http.Request) (*http.Response, error)
}

// Account says whose data is moved, and how the other reader is reached.
type Account struct {
	takeout.Reader
	Client Doer
	Tries  int // of each request; 0: five
}

// Connect signs in.
func Connect(ctx context.Context, a Account) (Source, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	a.URL = strings.TrimSuffix(a.URL, "/")
	why := errMissing
	if a.API != takeout.Miniflux && a.Login != "" { // first where both answer: only this one has labels
		from, err := connectGReader(ctx, a)
		if err == nil || a.API == takeout.GReader {
			return from, err
		}
		why = err
	}
	m := &miniflux{client{a, nil}}
	err := m.signIn(ctx)
	if err != nil && !errors.Is(why, errMissing) {
		err = why
	}
	return m, err
}

type client struct {
	Account
	auth func(*http.Request)
}

const (
	maxTries  = 5
	maxAnswer = 64 << 20
	maxPause  = 2 * time.Minute
)

// errMissing: there is no such path.
var errMissing error = fault.Coded(fault.NotFound, "no_api")

// do sends a request and returns the body. It waits when the other reader asks for it.
func (c *client) do(ctx context.Context, method, path string, form url.Values) ([]byte, error) {
	pause := time.Second
	for try := 1; ; try++ {
		r, err := http.NewRequestWithContext(ctx, method, c.URL+path, strings.NewReader(form.Encode()))
		if err != nil {
			return nil, err
		}
		if form != nil {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		for k, v := range c.Header {
			r.Header.Set(k, v)
		}
		if c.auth != nil {
			c.auth(r)
		}
		status, body, wait, err := c.send(r)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil && status == http.StatusOK:
			return body, nil
		case status == http.StatusUnauthorized || status == http.StatusForbidden:
			return nil, fault.Coded(fault.Unauthenticated, "login_refused")
		case status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status/100 == 3:
			return nil, errMissing
		case err == nil && status < 500 && status != http.StatusTooManyRequests || try == cmp.Or(c.Tries, maxTries):
			if err == nil {
				err = errors.New(http.StatusText(status))
			}
			return nil, fault.New(fault.Unavailable, "other_reader", c.URL, err)
		}
		if err := clock.Sleep(ctx, min(max(pause, wait), maxPause)); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

func (c *client) send(r *http.Request) (status int, body []byte, wait time.Duration, err error) {
	resp, err := c.Client.Do(r)
	if err != nil {
		return 0, nil, 0, err
	}
	defer resp.Body.Close()
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
		wait = time.Duration(min(n, int(maxPause/time.Second))) * time.Second
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp.StatusCode, body, wait, err
}

func (c *client) get(ctx context.Context, path string, into any) error {
	body, err := c.do(ctx, http.MethodGet, path, nil)
	if err == nil && json.Unmarshal(body, into) != nil {
		return errMissing
	}
	return err
}
