package robots

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
)

const (
	// keep is the time for which a robots.txt is valid, at most a day (RFC 9309, 2.4); keepFailed is for one that could
	// not be read.
	keep       = 24 * time.Hour
	keepFailed = 15 * time.Minute
)

// Cache keeps values for a while, by a hash.
type Cache interface {
	GetJSON(ctx context.Context, hash string, v any) (ok bool)
	PutJSON(ctx context.Context, hash string, v any, ttl time.Duration)
}

// Ask makes one request.
type Ask func(ctx context.Context, r fetch.Request) (*fetch.Response, error)

// Sites knows what the robots.txt of sites say. Each is read once a day.
type Sites struct{ Cache Cache }

// file is the response to a request of a robots.txt, or why there is none.
type file struct {
	Status int    `json:"s,omitempty"`
	Body   string `json:"b,omitempty"`
	Code   string `json:"c,omitempty"`
}

// isReliable reports whether the site has said what it allows.
func (f *file) isReliable() bool { return f.Status > 0 && f.Status < 500 && f.Status != 429 }

// Rules returns the rules for an address, from the cache or by a request. The reason why a site does not answer is part
// of the rules (Rules.Fault); an error is the end of the caller's context, or another error of ask.
func (s Sites) Rules(ctx context.Context, address string, ask Ask) (Rules, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return Rules{all: true, fault: fetch.CodeBadURL}, nil //nolint:nilerr // nothing can be fetched there
	}
	site := u.Scheme + "://" + u.Host
	sum := sha256.Sum256([]byte("robots#1#" + site))
	key := hex.EncodeToString(sum[:])
	var f file
	if s.Cache.GetJSON(ctx, key, &f) {
		return f.rules(), nil
	}
	if f, err = read(ctx, site, ask); err != nil {
		return Rules{}, err
	}
	if err := ctx.Err(); err != nil {
		return Rules{}, err // a cancelled request says nothing of the site
	}
	ttl := keep
	if !f.isReliable() {
		ttl = keepFailed
	}
	s.Cache.PutJSON(ctx, key, f, ttl)
	return f.rules(), nil
}

func (f *file) rules() Rules {
	r := Of(f.Status, []byte(f.Body))
	r.fault = f.Code
	return r
}

func read(ctx context.Context, site string, ask Ask) (file, error) {
	resp, err := ask(ctx, fetch.Request{URL: site + "/robots.txt", Accept: "text/plain, */*;q=0.1", MaxBytes: MaxBytes})
	var fe *fetch.Error
	switch {
	case errors.As(err, &fe) && fe.Code == fetch.CodeTooLarge:
		return file{Status: 500}, nil
	case fe != nil:
		return file{Code: fe.Code}, nil
	case err != nil:
		return file{}, err
	}
	defer resp.Release()
	return file{Status: resp.Status, Body: string(resp.Body)}, nil
}
