package popular

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	countsURL = "https://bookmark.hatenaapis.com/count/entries"
	// maxURLs is Hatena's limit of a call, maxBytes that of the query, as other clients found.
	maxURLs  = 50
	maxBytes = 4000
	// maxAnswer bounds an answer: 50 URLs of a thousand bytes, escaped, with their numbers.
	maxAnswer = 256 << 10
	// maxCount is more than any page has.
	maxCount = 1_000_000_000
)

// Hatena asks Hatena Bookmark: GET /count/entries of bookmark.hatenaapis.com, at most 50 URLs in a call, answered by a
// JSON object from URL to number (developer.hatena.ne.jp, Hatena Bookmark, getcount). It sends URLs and our User-Agent,
// and nothing about a person.
type Hatena struct{ fetch fetch.Fetcher }

// NewHatena returns a client.
func NewHatena(f fetch.Fetcher) *Hatena { return &Hatena{f} }

// Limits implements Counter.
func (c *Hatena) Limits() Limits {
	return Limits{URLs: maxURLs, Bytes: maxBytes, Size: func(u string) int { return len(parameter(u)) + 1 }}
}

// Ask implements Counter. Errors are RateLimitedError, ErrTooLong, the client's, and fault.Unavailable with
// counts_failed or counts_unreadable.
func (c *Hatena) Ask(ctx context.Context, urls []string) (map[string]int, error) {
	var query strings.Builder
	for _, u := range urls {
		if query.Len() > 0 {
			query.WriteByte('&')
		}
		query.WriteString(parameter(u))
	}
	resp, err := c.fetch.Do(ctx, fetch.Request{URL: countsURL + "?" + query.String(), Accept: "application/json",
		MaxBytes: maxAnswer})
	if fault.Is(err, fault.Invalid) { // our own client does not send it
		return nil, ErrTooLong
	}
	if err != nil {
		return nil, err
	}
	defer resp.Release()
	switch {
	case resp.Status == http.StatusOK:
		return match(resp.Body, urls)
	case resp.Status == http.StatusRequestURITooLong:
		return nil, ErrTooLong
	case resp.RetryAfter > 0:
		return nil, &RateLimitedError{After: resp.RetryAfter}
	}
	return nil, fault.Newf(fault.Unavailable, "counts_failed", "hatena: status %d", resp.Status)
}

func parameter(address string) string { return "url=" + url.QueryEscape(address) }

// match reads an answer, whose keys are the URLs asked for or others of the same page. A missing URL has no bookmarks.
func match(body []byte, urls []string) (map[string]int, error) {
	var answer map[string]json.Number
	if err := json.Unmarshal(body, &answer); err != nil || answer == nil {
		return nil, unreadable(err)
	}
	found, stories := map[string]int{}, map[string]int{}
	for key, number := range answer {
		n, err := number.Int64()
		if err != nil || n < 0 || n > maxCount {
			return nil, unreadable(err)
		}
		found[key] = int(n)
		if story := reader.StoryURL(key); story != "" && !slices.Contains(urls, key) {
			stories[story] = max(stories[story], int(n))
		}
	}
	counts := make(map[string]int, len(urls))
	for _, u := range urls {
		n, isExact := found[u]
		if !isExact {
			n = stories[reader.StoryURL(u)]
		}
		if n > 0 {
			counts[u] = n
		}
	}
	return counts, nil
}

func unreadable(cause error) error {
	return fault.New(fault.Unavailable, "counts_unreadable", "hatena: answer", cause)
}
