package fetch

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func stamp(d time.Duration) string { return noon.Add(d).Format(http.TimeFormat) }

func TestMaxAge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		control []string
		expires string
		date    string
		want    time.Duration
	}{
		"nothing":              {},
		"max-age":              {control: []string{"public, max-age=3600"}, want: time.Hour},
		"upper case, spaces":   {control: []string{" Public ,  Max-Age = 60 "}, want: time.Minute},
		"quoted":               {control: []string{`max-age="60"`}, want: time.Minute},
		"two lines":            {control: []string{"public", "max-age=60"}, want: time.Minute},
		"first counts":         {control: []string{"max-age=60, max-age=120"}, want: time.Minute},
		"s-maxage is not ours": {control: []string{"s-maxage=600"}},
		"no-cache":             {control: []string{"max-age=60, no-cache"}},
		"no-store first":       {control: []string{"no-store, max-age=60"}, expires: stamp(time.Hour)},
		"no-cache of a field":  {control: []string{`no-cache="set-cookie", max-age=60`}, want: time.Minute},
		"negative":             {control: []string{"max-age=-1"}, expires: stamp(time.Hour)},
		"garbage":              {control: []string{"max-age=soon"}, expires: stamp(time.Hour)},
		"fraction":             {control: []string{"max-age=1.5"}},
		"overflow":             {control: []string{"max-age=99999999999999999999"}, want: maxSeconds * time.Second},
		"expires":              {expires: stamp(2 * time.Hour), date: stamp(time.Hour), want: time.Hour},
		"expires without date": {expires: stamp(time.Hour), want: time.Hour},
		"expires beside other": {control: []string{"private"}, expires: stamp(time.Hour), want: time.Hour},
		"expires is second":    {control: []string{"max-age=60"}, expires: stamp(time.Hour), want: time.Minute},
		"expires in the past":  {expires: stamp(-time.Hour)},
		"expires zero":         {expires: "0"},
		"expires far":          {expires: "Fri, 31 Dec 9999 23:59:59 GMT", want: maxSeconds * time.Second},
	} {
		h := http.Header{}
		if c.control != nil {
			h["Cache-Control"] = c.control
		}
		if c.expires != "" {
			h.Set("Expires", c.expires)
		}
		if c.date != "" {
			h.Set("Date", c.date)
		}
		if got := maxAge(h, noon); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for v, want := range map[string]time.Duration{
		"120": 2 * time.Minute, " 120 ": 2 * time.Minute, "0": 0, "-5": 0, "soon": 0, "": 0, "1e3": 0,
		"60.5": 0, "+60": 0,
		"999999999": MaxRetryAfter, "99999999999999999999999": MaxRetryAfter,
		stamp(90 * time.Second):     90 * time.Second,
		stamp(-90 * time.Second):    0,
		stamp(300 * 24 * time.Hour): MaxRetryAfter,
		noon.Add(time.Minute).Format("Monday, 02-Jan-06 15:04:05 GMT"): time.Minute, // RFC 850
		noon.Add(time.Minute).Format(time.ANSIC):                       time.Minute,
	} {
		if got := retryAfter(http.Header{"Retry-After": {v}}, noon); got != want {
			t.Errorf("%q: %v, want %v", v, got, want)
		}
	}
	for date, want := range map[string]time.Duration{
		stamp(-10 * time.Minute): 15 * time.Minute, // its clock is slow: measured by it
		stamp(-48 * time.Hour):   5 * time.Minute,  // its Date means nothing: measured by ours
		"yesterday":              5 * time.Minute,
	} {
		h := http.Header{"Retry-After": {stamp(5 * time.Minute)}, "Date": {date}}
		if got := retryAfter(h, noon); got != want {
			t.Errorf("Date %s: %v, want %v", date, got, want)
		}
	}
}

func TestWebSubLinks(t *testing.T) {
	t.Parallel()
	base, _ := url.Parse("https://a.example/blog/feed")
	for name, c := range map[string]struct {
		lines []string
		want  Links
	}{
		"both": {[]string{`<https://hub.example/>; rel="hub", </feed>; rel=self`},
			Links{"https://hub.example/", "https://a.example/feed"}},
		"two lines": {[]string{`<x>; rel="self"`, `<//hub.example>;REL="Hub"`},
			Links{"https://hub.example", "https://a.example/blog/x"}},
		"first hub": {[]string{`<http://1.example/>; rel=hub, <http://2.example/>; rel=hub`},
			Links{Hub: "http://1.example/"}},
		"two words": {[]string{`<http://1.example/>; title="a, b; rel=self"; rel="next hub"`},
			Links{Hub: "http://1.example/"}},
		"no rel":     {[]string{`<http://1.example/>`, `nonsense`, `<`, `<a`, ``}, Links{}},
		"other rel":  {[]string{`</wp-json/>; rel="https://api.w.org/"`}, Links{}},
		"bad target": {[]string{`<javascript:alert(1)>; rel=hub, <http://[::1>; rel=self`}, Links{}},
	} {
		if got := webSubLinks(c.lines, base); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestAlternates(t *testing.T) {
	t.Parallel()
	base, _ := url.Parse("https://a.example/blog/")
	got := alternates([]string{
		`<feed.xml>; rel="alternate"; type="application/rss+xml"; title="News; all, of it"`,
		`</wp-json/>; rel="https://api.w.org/", </json>; rel=alternate; type=application/json, </en>; rel=alternate`,
		`<javascript:x()>; rel=alternate; type=text/html, </a>; title="type=x"; rel="home Alternate";type=text/x`,
	}, base)
	want := []Alternate{
		{"https://a.example/blog/feed.xml", "application/rss+xml", "News; all, of it"},
		{"https://a.example/json", "application/json", ""},
		{"https://a.example/a", "text/x", "type=x"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if n := len(alternates(slices.Repeat([]string{"<a>;rel=alternate;type=a"}, 99), base)); n != maxAlternates {
		t.Errorf("%d are kept", n)
	}
}

func FuzzFreshness(f *testing.F) {
	for _, s := range []string{"120", "max-age=60", stamp(time.Hour), "no-cache, max-age=1", `max-age="9`, "-1",
		"<a>; rel=hub"} {
		f.Add(s, s)
	}
	base, _ := url.Parse("https://a.example/")
	f.Fuzz(func(t *testing.T, a, b string) {
		h := http.Header{"Cache-Control": {a, b}, "Expires": {a}, "Date": {b}, "Retry-After": {a}}
		if d := maxAge(h, noon); d < 0 || d > maxSeconds*time.Second {
			t.Errorf("max-age %v", d)
		}
		if d := retryAfter(h, noon); d < 0 || d > MaxRetryAfter {
			t.Errorf("retry after %v", d)
		}
		for _, l := range []string{webSubLinks([]string{a, b}, base).Hub, webSubLinks([]string{a}, base).Self} {
			if l != "" && !strings.HasPrefix(l, "http") {
				t.Errorf("link %q", l)
			}
		}
	})
}
