package main

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// floor is a plain Go client that fetches every feed, inflates it and keeps nothing: what any crawler in
// this language pays at least. It keeps connections alive, one to a host at a time.
type floor struct {
	client *http.Client
	tags   []string
}

func newFloor(n int) *floor {
	return &floor{
		client: &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConns: 256, MaxIdleConnsPerHost: 2}},
		tags:   make([]string, n),
	}
}

// crawl fetches all feeds, conditionally where it has been before, and gives its processor time.
func (f *floor) crawl(ctx context.Context, urls []string, parallel int) (cpu, wall time.Duration, err error) {
	byHost := map[string][]int{}
	for i, u := range urls {
		parsed, err := url.Parse(u)
		if err != nil {
			return 0, 0, err
		}
		byHost[parsed.Host] = append(byHost[parsed.Host], i)
	}
	began, before := time.Now(), ownCPU()
	hosts := make(chan []int)
	failed := make(chan error, parallel)
	var wg sync.WaitGroup
	for range parallel {
		wg.Go(func() {
			for list := range hosts {
				for _, i := range list {
					if err := f.one(ctx, urls[i], &f.tags[i]); err != nil {
						select {
						case failed <- err:
						default:
						}
					}
				}
			}
		})
	}
	for _, list := range byHost {
		hosts <- list
	}
	close(hosts)
	wg.Wait()
	select {
	case err = <-failed:
	default:
	}
	return ownCPU() - before, time.Since(began), err
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
