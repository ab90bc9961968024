package popular_test

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/popular"
)

// answering is a guarded client that gets one answer.
type answering struct {
	resp  fetch.Response
	err   error
	asked *fetch.Request
}

func (a answering) Do(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	*a.asked = r
	resp := a.resp
	return &resp, a.err
}

// G-33, H-2
func TestAsk(t *testing.T) {
	t.Parallel()
	urls := []string{"https://site.org/a?x=1&y=2", "http://site.org/桜", "https://site.org/none"}
	var asked fetch.Request
	ok := func(body string) answering {
		return answering{resp: fetch.Response{Status: 200, Body: []byte(body)}, asked: &asked}
	}
	for name, c := range map[string]struct {
		answering
		want map[string]int
		code string
	}{
		"as asked": {
			answering: ok(`{"https://site.org/a?x=1&y=2":12,"http://site.org/桜":3,"https://site.org/none":0}`),
			want:      map[string]int{urls[0]: 12, urls[1]: 3}},
		"missing URLs": {answering: ok(`{"https://site.org/a?x=1&y=2":12}`),
			want: map[string]int{urls[0]: 12}},
		"none": {answering: ok(`{}`), want: map[string]int{}},
		"another scheme": {answering: ok(`{"https://site.org/%E6%A1%9C":3,"http://site.org/a?x=1&y=2":7}`),
			want: map[string]int{urls[0]: 7, urls[1]: 3}},
		"a page": {answering: ok(`<!DOCTYPE html><title>Maintenance</title>`),
			code: "counts_unreadable"},
		"cut off":                {answering: ok(`{"https://site.org/a?x=1&y=2":12,"http`), code: "counts_unreadable"},
		"a list":                 {answering: ok(`[1,2]`), code: "counts_unreadable"},
		"null":                   {answering: ok(`null`), code: "counts_unreadable"},
		"a negative number":      {answering: ok(`{"https://site.org/none":-1}`), code: "counts_unreadable"},
		"a fraction":             {answering: ok(`{"https://site.org/none":1.5}`), code: "counts_unreadable"},
		"more than there can be": {answering: ok(`{"https://site.org/none":99999999999}`), code: "counts_unreadable"},
		"a text":                 {answering: ok(`{"https://site.org/none":"many"}`), code: "counts_unreadable"},
		"a server's fault": {answering: answering{resp: fetch.Response{Status: 500}, asked: &asked},
			code: "counts_failed"},
		"no answer": {answering: answering{err: fault.New(fault.Unavailable, "timeout", "test", nil),
			asked: &asked}, code: "timeout"},
	} {
		counts, err := popular.NewHatena(c.answering).Ask(t.Context(), urls)
		if c.code != "" && fault.CodeOf(err) != c.code || c.code == "" &&
			(err != nil || !maps.Equal(fold(counts), c.want)) {
			t.Errorf("%s: %v, %v", name, counts, err)
		}
	}
	_, query, _ := strings.Cut(asked.URL, "?")
	values, err := url.ParseQuery(query)
	if err != nil || len(values["url"]) != 3 || values["url"][0] != urls[0] || asked.MaxBytes == 0 {
		t.Errorf("it asks for %s", asked.URL)
	}
}

// G-33: the number of a page that was asked for itself says nothing about the one with the other scheme.
func TestBothSchemes(t *testing.T) {
	t.Parallel()
	urls := []string{"https://site.org/a", "http://site.org/a"}
	for body, want := range map[string]map[string]int{
		`{"http://site.org/a":3}`:                        {urls[1]: 3},
		`{"http://site.org/a":3,"https://site.org/a":7}`: {urls[0]: 7, urls[1]: 3},
		`{"https://site.org/a/":5}`:                      {urls[0]: 5, urls[1]: 5},
	} {
		var asked fetch.Request
		counts, err := popular.NewHatena(answering{resp: fetch.Response{Status: 200, Body: []byte(body)},
			asked: &asked}).Ask(t.Context(), urls)
		if err != nil || !maps.Equal(counts, want) {
			t.Errorf("%s: %v, %v", body, counts, err)
		}
	}
}

// fold drops zeros.
func fold(counts map[string]int) map[string]int {
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n == 0 })
	return counts
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	var asked fetch.Request
	_, err := popular.NewHatena(answering{resp: fetch.Response{Status: 414}, asked: &asked}).Ask(t.Context(),
		[]string{"https://site.org/"})
	if !errors.Is(err, popular.ErrTooLong) {
		t.Error(err)
	}
	_, err = popular.NewHatena(answering{err: &fetch.Error{Code: fetch.CodeBadURL}, asked: &asked}).Ask(t.Context(),
		[]string{"https://site.org/"})
	if !errors.Is(err, popular.ErrTooLong) {
		t.Errorf("what our client refuses is the provider's failure: %v", err)
	}
	var limited *popular.RateLimitedError
	for _, status := range []int{429, 503} {
		_, err := popular.NewHatena(answering{resp: fetch.Response{Status: status, RetryAfter: time.Hour},
			asked: &asked}).Ask(t.Context(), []string{"https://site.org/"})
		if !errors.As(err, &limited) || limited.After != time.Hour {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func FuzzAsk(f *testing.F) {
	f.Add(`{"https://site.org/a":1}`)
	f.Add(`{"https://site.org/a":1e3,"":2}`)
	f.Fuzz(func(t *testing.T, body string) {
		var asked fetch.Request
		counts, err := popular.NewHatena(answering{resp: fetch.Response{Status: 200, Body: []byte(body)},
			asked: &asked}).Ask(t.Context(), []string{"https://site.org/a"})
		if n, ok := counts["https://site.org/a"]; err == nil && (len(counts) > 1 || ok && n <= 0) {
			t.Errorf("%s: %v", body, counts)
		}
	})
}
