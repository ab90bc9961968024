package movein

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/takeout"
)

func TestLinkKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"https://www.example.org/a/", "http://example.org/a", true},
		{"https://example.org/a?utm_source=rss&id=1", " https://EXAMPLE.org/a?id=1", true},
		{"https://example.org/a?id=1", "https://example.org/a?id=2", false},
		{"https://example.org/a#top", "https://example.org/a", true},
		{"https://example.org/a", "https://example.org/b", false},
	} {
		if got := linkKey(c.a) == linkKey(c.b); got != c.same {
			t.Errorf("%s and %s are the same: %v", c.a, c.b, got)
		}
	}
	for _, none := range []string{"", "/a", "urn:x", "%zz", "http://"} {
		if k := linkKey(none); k != "" {
			t.Errorf("%q has the key %q", none, k)
		}
	}
}

// pages is a source with one subscription.
type pages [][]Entry

func (p pages) Subscriptions(context.Context) ([]Subscription, error) { return nil, nil }
func (p pages) Labels(context.Context) ([]string, error)              { return nil, nil }
func (p pages) Page(_ context.Context, _ List, at string) (e []Entry, next string, err error) {
	if e = p[len(at)]; len(at)+1 < len(p) {
		next = at + "x"
	}
	return e, next, nil
}

// TestCompare: what was read there, what is not there any more, what is news, and what only has the same title.
func TestCompare(t *testing.T) {
	t.Parallel()
	const day = 86_400
	a := newArticles([]store.Header{
		{Identity: 1, Link: "https://x.example/1", Title: "One", Published: 10 * day},
		{Identity: 2, Link: "https://x.example/2", Title: "Two", Published: 9 * day},
		{Identity: 3, Link: "https://x.example/3", Title: "Three", Published: 8 * day},
		{Identity: 4, Link: "https://x.example/4", Title: "News", Published: 11 * day},
		{Identity: 5, Title: "Weekly", Published: 5 * day},
	})
	got, err := a.compare(t.Context(), pages{
		{{Link: "http://www.x.example/1", Read: false, Published: 10 * day}},
		{{Title: " two ", Published: 9*day + 60, Read: true}, {Title: "weekly", Published: 30, Read: false},
			{Title: "Weekly", Published: math.MinInt64}, {}},
	}, &Subscription{})
	want := map[uint64]bool{1: false, 2: true, 3: true, 5: true}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read are %v, %v; want %v", got, err, want)
	}
}

// TestConnect: each way in which an address is no reader's has its sentence.
func TestConnect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status          int
		body, api, code string
	}{
		{404, "", "", "no_api"}, {404, "", "miniflux", "no_api"}, {200, "<html>", "miniflux", "no_api"},
		{200, "<html>", "greader", "no_api"}, {401, "", "", "login_refused"}, {301, "", "", "no_api"},
		{400, "", "greader", "other_reader"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		_, err := Connect(t.Context(), Account{Client: s.Client(), Reader: takeout.Reader{URL: s.URL + "/", Login: "a",
			Password: "b", API: c.api}})
		s.Close()
		if fault.CodeOf(err) != c.code {
			t.Errorf("%d %s for %q: %v", c.status, c.body, c.api, err)
		}
	}
}
