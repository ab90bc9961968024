package fulltext

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/japanese"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// web is all sites: answers by address. What is not there is 404.
type web struct {
	answers map[string]fetch.Response
	fails   map[string]error
	asked   []string
}

func (w *web) Do(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	w.asked = append(w.asked, r.URL)
	if err := w.fails[r.URL]; err != nil {
		return nil, err
	}
	resp, ok := w.answers[r.URL]
	if !ok {
		return &fetch.Response{Status: 404, FinalURL: r.URL}, nil
	}
	if resp.Status == 0 {
		resp.Status = 200
	}
	if resp.FinalURL == "" {
		resp.FinalURL = r.URL
	}
	return &resp, nil
}

func newService(w *web) (*Service, *clock.Manual) {
	c := clock.NewManual(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
	return New(store.New(table.New(memtable.New(), table.Options{Clock: c, Kind: store.Kind}), c), w), c
}

const articleURL = "https://site.example/a/article.html"

// paper is a page with an article and all that stands around one.
func paper(title, text string) string {
	return fmt.Sprintf(
		`<!DOCTYPE html><html lang="en"><head><title>%s</title><meta property="og:site_name" content="The  Site"></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/about">About</a></li></ul></nav>
<div class="sidebar"><p>Subscribe to our newsletter, now!</p></div>
<article><h1>%s</h1>%s<p><img src="pic.jpg" onerror="alert(1)"><script>steal()</script><a href="javascript:x()">here</a> <a href="../b">there</a></p></article>
<footer>All rights reserved.</footer></body></html>`, title, title, text)
}

func sentences(s string, n int) string {
	return strings.Repeat("<p>"+strings.Repeat(s, 6)+"</p>\n", n)
}

const english = "The night train left the station, late as ever, and nobody but the dog seemed to mind it. "

func asHTML(body string) fetch.Response {
	return fetch.Response{Body: []byte(body), ContentType: "text/html; charset=utf-8"}
}

// The article is extracted from its page, and sanitised like any content.
func TestArticle(t *testing.T) {
	t.Parallel()
	w := &web{answers: map[string]fetch.Response{articleURL: asHTML(paper("A title", sentences(english, 5)))}}
	s, c := newService(w)
	got, err := s.Of(t.Context(), articleURL+"#part")
	if err != nil || got.State != OK {
		t.Fatalf("%+v, %v", got, err)
	}
	if !strings.Contains(got.HTML, "night train") || strings.Contains(got.HTML, "newsletter") ||
		strings.Contains(got.HTML, "All rights") {
		t.Errorf("the text is %q", got.HTML)
	}
	for _, bad := range []string{"script", "onerror", "javascript:", "steal"} {
		if strings.Contains(got.HTML, bad) {
			t.Errorf("%q is in %q", bad, got.HTML)
		}
	}
	if !strings.Contains(got.HTML, `"https://site.example/b"`) ||
		!strings.Contains(got.HTML, "https://site.example/a/pic.jpg") {
		t.Errorf("addresses are not those of the page: %q", got.HTML)
	}
	if got.Lang != "en" || got.SiteName != "The Site" || got.URL != articleURL || got.Characters < 2000 ||
		got.HTML != sanitize.HTML(got.HTML, articleURL) {
		t.Errorf("%+v", got)
	}
	// A second reader costs the site nothing for a day, and robots.txt is asked once for a host.
	if again, err := s.Of(t.Context(), articleURL); err != nil || again != got || len(w.asked) != 2 {
		t.Errorf("asked %v, got %+v, %v", w.asked, again, err)
	}
	c.Add(keep + time.Second)
	if _, err := s.Of(t.Context(), articleURL); err != nil || len(w.asked) != 4 {
		t.Errorf("a day later: asked %v, %v", w.asked, err)
	}
}

// A banner that asks for consent is longer than many articles.
func TestConsent(t *testing.T) {
	t.Parallel()
	ask := strings.Repeat("<p>We and our partners store cookies, and process personal data, for advertising. </p>", 12)
	body := func(attrs, inside string) string {
		return `<html><body class="cookie-banner-open"><div ` + attrs + `>` + ask + inside + `</div>` +
			`<div id="content">` + sentences(english, 1) + `</div></body></html>`
	}
	for attrs, want := range map[string]bool{
		`class="site cookie-consent"`: false, `id="onetrust-consent-sdk"`: false, `id="gdpr-overlay"`: false,
		`class="cookie-recipes"`: true,
	} {
		f := article([]byte(body(attrs, "")), "text/html", articleURL)
		if strings.Contains(f.html, "partners") != want || !want && !strings.Contains(f.html, "night train") {
			t.Errorf("%s: %q", attrs, f.html)
		}
	}
	if f := article([]byte(body(`class="consent"`, "<h1>Cookies</h1>")), "text/html",
		articleURL); !strings.Contains(f.html, "partners") {
		t.Errorf("an article about them: %q", f.html)
	}
}

// Pages of other charsets, and texts that are short because their script is.
func TestJapanese(t *testing.T) {
	t.Parallel()
	text := sentences("夜行列車はいつものように遅れて駅を出たが、犬のほかは誰も気にしていないようだった。", 3)
	body := strings.Replace(paper("題名", text), `lang="en"`, `lang="ja"`, 1)
	for name, encode := range map[string]func(string) (string, error){
		"shift_jis": japanese.ShiftJIS.NewEncoder().String, "euc-jp": japanese.EUCJP.NewEncoder().String,
		"utf-8": func(s string) (string, error) { return s, nil },
	} {
		encoded, err := encode(body)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []string{"header", "meta", "nothing"} {
			resp := fetch.Response{Body: []byte(encoded), ContentType: "text/html; charset=" + name}
			if in != "header" {
				resp.ContentType = "text/html"
			}
			if in == "meta" {
				resp.Body = []byte(strings.Replace(encoded, "<head>", `<head><meta charset="`+name+`">`, 1))
			}
			s, _ := newService(&web{answers: map[string]fetch.Response{articleURL: resp}})
			got, err := s.Of(t.Context(), articleURL)
			if err != nil || got.State != OK || !strings.Contains(got.HTML, "夜行列車") || got.Lang != "ja" ||
				!strings.Contains(got.Title, "題名") {
				t.Errorf("%s in the %s: %+v, %v", name, in, got, err)
			}
		}
	}
}

// What a site's robots.txt closes is not asked for, nor shown when a redirect leads there (RFC 9309).
func TestRobots(t *testing.T) {
	t.Parallel()
	const robotsAt = "https://site.example/robots.txt"
	file := func(s string) fetch.Response { return fetch.Response{Body: []byte(s), ContentType: "text/plain"} }
	article := asHTML(paper("A title", sentences(english, 5)))
	moved := article
	moved.FinalURL = "https://other.example/closed/1"
	for _, c := range []struct {
		name  string
		web   web
		want  State
		asked int
	}{
		{"closed to all",
			web{answers: map[string]fetch.Response{robotsAt: file("User-agent: *\nDisallow: /a/"),
				articleURL: article}}, Robots, 1},
		{"closed to us",
			web{answers: map[string]fetch.Response{robotsAt: file("User-agent: RuriReader\nDisallow: /"),
				articleURL: article}}, Robots, 1},
		{"closed to others",
			web{answers: map[string]fetch.Response{robotsAt: file("User-agent: Other\nDisallow: /"),
				articleURL: article}}, OK, 2},
		{"open within",
			web{answers: map[string]fetch.Response{robotsAt: file("User-agent: *\nDisallow: /\nAllow: /a/article"),
				articleURL: article}}, OK, 2},
		{"none", web{answers: map[string]fetch.Response{articleURL: article}}, OK, 2},
		{"forbidden", web{answers: map[string]fetch.Response{robotsAt: {Status: 403}, articleURL: article}}, OK, 2},
		{"out of order", web{answers: map[string]fetch.Response{robotsAt: {Status: 503}, articleURL: article}}, Robots,
			1},
		{"too many requests", web{answers: map[string]fetch.Response{robotsAt: {Status: 429}, articleURL: article}},
			Robots, 1},
		{"no answer", web{fails: map[string]error{robotsAt: &fetch.Error{Code: fetch.CodeTimeout}},
			answers: map[string]fetch.Response{articleURL: article}}, Failed, 1},
		{"redirect to a closed place", web{answers: map[string]fetch.Response{
			articleURL: moved, "https://other.example/robots.txt": file("User-agent: *\nDisallow: /closed"),
		}}, Robots, 3},
	} {
		s, clk := newService(&c.web)
		got, err := s.Of(t.Context(), articleURL)
		if err != nil || got.State != c.want || len(c.web.asked) != c.asked || c.want != OK && got.HTML != "" {
			t.Errorf("%s: %v %q after %v, %v", c.name, got.State, got.Code, c.web.asked, err)
		}
		if _, err := s.Of(t.Context(), articleURL); err != nil || len(c.web.asked) != c.asked {
			t.Errorf("%s: asked again: %v, %v", c.name, c.web.asked, err)
		}
		clk.Add(keep + time.Second)
		if _, err := s.Of(t.Context(), articleURL); err != nil || len(c.web.asked) == c.asked {
			t.Errorf("%s: never asked again: %v, %v", c.name, c.web.asked, err)
		}
	}
}

// A page that only leads on is followed a little, as far as robots.txt allows.
func TestRefresh(t *testing.T) {
	t.Parallel()
	on := func(to string) fetch.Response {
		return asHTML(`<html><head><noscript><meta http-equiv="refresh" content="0;url=` + to +
			`"></noscript></head></html>`)
	}
	const two, three = "https://two.example/", "https://three.example/"
	end := asHTML(paper("A title", sentences(english, 5)))
	for _, c := range []struct {
		name string
		web  web
		want State
		url  string
	}{
		{"one", web{answers: map[string]fetch.Response{articleURL: on(two), two: end}}, OK, two},
		{"two", web{answers: map[string]fetch.Response{articleURL: on(two), two: on(three), three: end}}, OK, three},
		{"a circle", web{answers: map[string]fetch.Response{articleURL: on(two), two: on(articleURL)}}, Empty,
			articleURL},
		{"to a closed place", web{answers: map[string]fetch.Response{articleURL: on(two), two: end,
			two + "robots.txt": {Body: []byte("User-agent: *\nDisallow: /"), ContentType: "text/plain"}}}, Robots, two},
		{"from an article", web{answers: map[string]fetch.Response{articleURL: asHTML(strings.Replace(string(end.Body),
			"<head>", `<head><meta http-equiv="refresh" content="9;url=`+two+`">`, 1)), two: on(three)}}, OK,
			articleURL},
	} {
		s, _ := newService(&c.web)
		if got, err := s.Of(t.Context(), articleURL); err != nil || got.State != c.want || got.URL != c.url {
			t.Errorf("%s: %v %q of %s after %v, %v", c.name, got.State, got.Code, got.URL, c.web.asked, err)
		}
	}
}

// Where the markup has no article, or a fraction of it, the page's data may have it.
func TestArticleInData(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("The night train left late, as &lt;always&gt;.\n\n", 8)
	object := func(members string) string {
		return `{"@type":"NewsArticle",` + members + `"articleBody":` + fmt.Sprintf("%q", text) + `}`
	}
	for _, c := range []struct {
		name, data, markup string
		want               bool
	}{
		{"none in the markup", object(""), `<div id="app"></div>`, true},
		{"in a graph", `{"@context":"x","@graph":[{"@type":"WebPage"},` + object("") + `]}`, "<p>Loading</p>", true},
		{"in a list", `[{"@type":"Person"},` + object("") + `]`, "<article><p>" + english + "</p></article>", true},
		{"an article in the markup", object(""), "<article>" + sentences(english, 5) + "</article>", false},
		{"to be paid for", object(`"isAccessibleForFree":false,`), `<div id="app"></div>`, false},
		{"short", `{"articleBody":"The night train left."}`, `<div id="app"></div>`, false},
		{"no JSON", object("") + ",", `<div id="app"></div>`, false},
	} {
		w := &web{answers: map[string]fetch.Response{articleURL: asHTML(`<html lang="en"><head><title>T</title>` +
			`<script type="application/ld+json">` + c.data + `</script></head><body>` + c.markup + `</body></html>`)}}
		s, _ := newService(w)
		got, err := s.Of(t.Context(), articleURL)
		is := strings.Count(got.HTML, "<p>The night train left late, as &lt;always&gt;.</p>") == 8
		if err != nil || is != c.want {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// What is no article has a state of its own, with the reason, and is not asked for again at once.
func TestNoText(t *testing.T) {
	t.Parallel()
	deep := "<html><body>" + strings.Repeat("<div>", 600) + english
	deepish := "<html><body>" + strings.Repeat("<div>", maxDepth) + english
	wide := "<html><body>" + strings.Repeat("<p>x</p>", maxElements+1)
	for _, c := range []struct {
		name, link string
		resp       fetch.Response
		fail       error
		want       State
		code       string
	}{
		{"no address", "", fetch.Response{}, nil, Failed, CodeNoLink},
		{"a mail address", "mailto:a@b.example", fetch.Response{}, nil, Failed, CodeNoLink},
		{"gone", articleURL, fetch.Response{Status: 410}, nil, Failed, "http_410"},
		{"a file", articleURL, fetch.Response{Body: []byte("%PDF"), ContentType: "application/pdf"}, nil,
			Failed, CodeNotHTML},
		{"no label", articleURL, fetch.Response{Body: []byte("\x00\x01")}, nil, Failed, CodeNotHTML},
		{"a private network", articleURL, fetch.Response{}, &fetch.Error{Code: fetch.CodeBlockedAddress}, Failed,
			fetch.CodeBlockedAddress},
		{"too large", articleURL, fetch.Response{}, &fetch.Error{Code: fetch.CodeTooLarge}, Failed, fetch.CodeTooLarge},
		{"nothing", articleURL, asHTML("<html><body><script>app()</script></body></html>"), nil, Empty, ""},
		{"too deep", articleURL, asHTML(deep), nil, Failed, CodeTooHeavy},
		{"nearly too deep", articleURL, asHTML(deepish), nil, Failed, CodeTooHeavy},
		{"too many elements", articleURL, asHTML(wide), nil, Failed, CodeTooHeavy},
	} {
		w := &web{answers: map[string]fetch.Response{articleURL: c.resp}, fails: map[string]error{articleURL: c.fail}}
		s, clk := newService(w)
		got, err := s.Of(t.Context(), c.link)
		if err != nil || got.State != c.want || got.Code != c.code {
			t.Errorf("%s: %v %q, %v", c.name, got.State, got.Code, err)
		}
		n := len(w.asked)
		clk.Add(keepFailed - time.Second)
		if _, err := s.Of(t.Context(), c.link); err != nil || len(w.asked) != n {
			t.Errorf("%s: asked again: %v, %v", c.name, w.asked, err)
		}
	}
}

// Who goes away learns nothing, and nothing is remembered of it.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	w := &web{fails: map[string]error{"https://site.example/robots.txt": &fetch.Error{Code: fetch.CodeCancelled}}}
	s, _ := newService(w)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := s.Of(ctx, articleURL); err == nil {
		t.Errorf("%+v", got)
	}
	w.fails = nil
	w.answers = map[string]fetch.Response{articleURL: asHTML(paper("A title", sentences(english, 5)))}
	if got, err := s.Of(t.Context(), articleURL); err != nil || got.State != OK {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzArticle(f *testing.F) {
	f.Add([]byte(paper("A title", sentences(english, 5))), "text/html")
	f.Add([]byte("<html><frameset><frame src=x></frameset>"), "text/html; charset=utf-16")
	f.Add([]byte(`<script type="application/ld+json">{"articleBody":"`+strings.Repeat("<p>a<b>&lt;", 40)+`"}</script>`),
		"")
	f.Add([]byte("<table><tr><td><svg><math><p><title>"), "")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		a := article(body, contentType, articleURL)
		clean := sanitize.HTML(a.html, articleURL)
		if clean != sanitize.HTML(clean, articleURL) || strings.Contains(clean, "<script") {
			t.Errorf("%q", clean)
		}
		if len(a.title) > 500 || len(a.site) > 200 || len(a.lang) > 35 {
			t.Errorf("%+v", a)
		}
	})
}
