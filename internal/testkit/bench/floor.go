package main

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"
)

// floor is a plain Go client that fetches every feed, inflates it and keeps nothing: what any crawler in
// this language pays at least. It keeps connections alive, one to a host at a time.
type floor struct {
	client *http.Client
	tags   []string
}

func newFloor(n int) *floor {
	return &floor{
		client: &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConns: 256,
			MaxIdleConnsPerHost: 2}},
		tags: make([]string, n),
	}
}

// crawl fetches all feeds, conditionally those that it has fetched before, and returns its processor time.
func (f *floor) crawl(ctx context.Context, urls []string) (time.Duration, error) {
	byHost := map[string][]int{}
	for i, u := range urls {
		parsed, err := url.Parse(u)
		if err != nil {
			return 0, err
		}
		byHost[parsed.Host] = append(byHost[parsed.Host], i)
	}
	before := ownCPU()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, list := range byHost {
		g.Go(func() error {
			for _, i := range list {
				if err := f.one(ctx, urls[i], &f.tags[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := g.Wait()
	return ownCPU() - before, err
}

func (f *floor) one(ctx context.Context, url string, tag *string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept-Encoding", "gzip")
	if *tag != "" {
		req.Header.Set("If-None-Match", *tag)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	*tag = resp.Header.Get("ETag")
	var body io.Reader = resp.Body
	if resp.Header.Get("Content-Encoding") == "gzip" && resp.StatusCode == http.StatusOK {
		z, err := gzip.NewReader(resp.Body)
		if err != nil {
			return err
		}
		body = z
	}
	_, err = io.Copy(io.Discard, body)
	return err
}
