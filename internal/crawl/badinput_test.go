package crawl_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
)

// bad is one thing that publishers do wrong, and how it is told.
type bad struct {
	name     string
	url      string // when it is no page of the lab
	serve    http.HandlerFunc
	options  func(*fetch.Options)
	code     string
	category string
	items    int // of those that are read all the same
}

func gives(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

func bomb(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte("<rss><channel><item><title>"))
	for range 300 {
		_, _ = z.Write(make([]byte, 1<<20))
	}
	_ = z.Close()
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write(b.Bytes())
}

func badInputs(t *testing.T) []bad {
	tls := httptest.NewUnstartedServer(gives(rss("", numbered(1, 3)...)))
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	t.Cleanup(tls.Close)
	closed := httptest.NewServer(gives(""))
	closed.Close()
	laughs := `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "ha">` + func() (s string) {
		for i := range 12 {
			s += fmt.Sprintf(`<!ENTITY %c "%s">`, 'b'+i, strings.Repeat(fmt.Sprintf("&%c;", 'a'+i), 10))
		}
		return s
	}() + `]><rss version="2.0"><channel><title>&m;</title><item><guid>1</guid><title>&m;</title></item></channel></` +
		`rss>`
	outside := `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % y SYSTEM ` +
		`"http://127.0.0.1/y">%y;]>` +
		`<rss version="2.0"><channel><title>A feed</title><item><guid>1</guid><title>&x;</title></item></channel></rss>`
	closedNets := func(o *fetch.Options) { o.AllowNets = nil }
	return []bad{
		{name: "wrong address", url: "ftp://example.org/feed", code: reader.CodeBadURL,
			category: reader.CategoryPolicy},
		{name: "private network", url: "http://127.0.0.1/feed", options: closedNets, code: reader.CodeBlockedAddress,
			category: reader.CategoryPolicy},
		{name: "unusual port", url: "http://8.8.8.8:22/feed", options: closedNets, code: reader.CodeBlockedPort,
			category: reader.CategoryPolicy},
		{name: "DNS", url: "http://nowhere.example/feed", options: func(o *fetch.Options) {
			o.Dial = func(_ context.Context, _ *net.Dialer, address string) (net.Conn, error) {
				return nil, &net.DNSError{Err: "no such host", Name: address, IsNotFound: true}
			}
		}, code: reader.CodeDNSFailure, category: reader.CategoryNetwork},
		{name: "TLS", url: tls.URL, code: reader.CodeTLSFailure, category: reader.CategoryNetwork},
		{name: "nobody listens", url: closed.URL, code: reader.CodeConnectionRefused, category: reader.CategoryNetwork},
		{name: "timeout", serve: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			options: func(o *fetch.Options) {
				o.Timeout = 30 * time.Millisecond
			}, code: reader.CodeTimeout, category: reader.CategoryNetwork},
		{name: "oversize", serve: gives("<rss><channel>" + strings.Repeat(" ", 6<<20)), code: reader.CodeTooLarge,
			category: reader.CategoryPolicy},
		{name: "gzip bomb", serve: bomb, code: reader.CodeTooLarge, category: reader.CategoryPolicy},
		{name: "redirect circle", serve: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/feed", http.StatusFound)
		},
			code: reader.CodeRedirectLoop, category: reader.CategoryHTTP},
		{name: "too many redirects", serve: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"?"+r.URL.RawQuery+"x", http.StatusFound)
		},
			code: reader.CodeTooManyRedirects, category: reader.CategoryHTTP},
		{name: "redirect to nowhere", serve: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "gopher://example.org/")
			w.WriteHeader(302)
		}, code: reader.CodeHTTPOther, category: reader.CategoryHTTP},
		{name: "web page",
			serve: gives("<!DOCTYPE html><html><head><title>A page</title></head><body>Hello</body></html>"),
			code:  reader.CodeHTMLPage, category: reader.CategoryParse},
		{name: "garbage", serve: gives("lorem ipsum, dolor sit amet"), code: reader.CodeNotAFeed,
			category: reader.CategoryParse},
		{name: "binary", serve: gives("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), code: reader.CodeNotAFeed,
			category: reader.CategoryParse},
		{name: "empty", serve: gives(""), code: reader.CodeEmptyBody, category: reader.CategoryParse},
		{name: "other JSON", serve: gives(`{"error":"none"}`), code: reader.CodeNotAFeed,
			category: reader.CategoryParse},
		{name: "truncated before an item ends",
			serve: gives(
				`<?xml version="1.0"?><rss version="2.0"><channel><title>A feed</title><item><guid>1</guid><tit`),
			code: reader.CodeTruncated, category: reader.CategoryParse},
		{name: "truncated later", serve: gives(rss("", numbered(1, 3)...)[:400]), items: 1},
		{name: "billion laughs", serve: gives(laughs), items: 1},
		{name: "external entities", serve: gives(outside), items: 1},
		{name: "deep nesting", serve: gives(`<rss version="2.0"><channel><item><guid>1</guid><description>` +
			strings.Repeat("<a>", 200_000) +
			strings.Repeat("</a>", 200_000) + "</description></item></channel></rss>"), items: 1},
		{name: "deep nesting that never ends",
			serve: gives(`<rss version="2.0"><channel>` + strings.Repeat("<a>", 200_000)),
			code:  reader.CodeTruncated, category: reader.CategoryParse},
		{name: "deep nesting in JSON",
			serve: gives(`{"version":"https://jsonfeed.org/version/1.1","items":` + strings.Repeat("[", 200_000)),
			code:  reader.CodeTooDeep, category: reader.CategoryParse},
		{name: "wrong charset",
			serve: gives(`<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>` +
				"\x83t\x83B\x81[\x83h" + `</title><item><guid>1</guid><title>` + "\x93\xfa\x96\x7b" +
				`</title></item></channel></rss>`), items: 1},
		{name: "no items", serve: gives(rss(""))},
	}
}

// Whatever comes, a feed says in one sentence what is wrong, and nothing of it is kept.
func TestBadInput(t *testing.T) {
	t.Parallel()
	for _, c := range badInputs(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, func(_ *lab, o *fetch.Options) {
				if c.options != nil {
					c.options(o)
				}
			})
			address := c.url
			if address == "" {
				address = l.url("/feed")
				l.page("/feed", "").serve = c.serve
			}
			id := l.feed(address)
			o := l.poll(id)
			f := l.row(id)
			if c.code == "" {
				fed(t, l, id, c.items)
				return
			}
			if o.Outcome != string(reader.OutcomeFailed) || o.Err != c.code || f.ErrCode != c.code {
				t.Fatalf("outcome %s, code %s, stored %s, want %s", o.Outcome, o.Err, f.ErrCode, c.code)
			}
			if got := reader.CategoryOf(c.code); got != c.category {
				t.Errorf("category %s, want %s", got, c.category)
			}
			explains(t, f, c.code)
			if f.Status != string(reader.StatusError) || f.Errors != 1 || f.Seq != 0 || len(l.blobs.Keys()) != 0 {
				t.Errorf("status %s, %d errors, seq %d, blobs %v", f.Status, f.Errors, f.Seq, l.blobs.Keys())
			}
		})
	}
}

// fed checks what was read of a body that is wrong but can be read.
func fed(t *testing.T, l *lab, id reader.FeedID, items int) {
	t.Helper()
	f, hs := l.row(id), l.headers(id)
	if f.Status != string(reader.StatusActive) || len(hs) != items {
		t.Errorf("status %s (%s), %d items, want %d", f.Status, f.ErrCode, len(hs), items)
	}
	all := fmt.Sprint(f.Title, hs)
	if len(all) > 20_000 || strings.Contains(all, "root:") {
		t.Errorf("%d bytes were made of it", len(all))
	}
	if strings.ContainsRune(all, 0) || strings.ToValidUTF8(all, "") != all {
		t.Error("what is stored is no text")
	}
}
