package crawl_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// raw answers with the very bytes given and closes the connection.
func raw(t *testing.T, head, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, head+"Content-Type: application/rss+xml\r\nEtag: \"2\"\r\nLast-Modified: Tue, 01 "+
			"Sep 2026 10:00:00 GMT\r\n\r\n"+body)
		_ = conn.Close()
	}
}

// breaks are the ways in which a body arrives by half; items is how many of it were whole.
func breaks(t *testing.T, body string, part int) map[string]http.HandlerFunc {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(body[:part]))
	_ = z.Flush() // all of the part can be unpacked, and the end is missing
	return map[string]http.HandlerFunc{
		"less than its length": raw(t, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n", len(body)),
			body[:part]),
		"chunks without an end": raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n",
			fmt.Sprintf("%x\r\n%s\r\n", part, body[:part])),
		"a chunk without an end": raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n",
			fmt.Sprintf("%x\r\n%s", len(body), body[:part])),
		"half of a gzip stream": raw(t, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n", packed.String()),
		"HTTP/1.0 by half":      raw(t, "HTTP/1.0 200 OK\r\n", body[:part]),
	}
}

// A body that breaks off on its way: whole items are kept, its validators are not, the feed says so and keeps its pace,
// nothing left the feed by being missing, and a whole body heals it.
//
func TestTruncatedBody(t *testing.T) {
	t.Parallel()
	body := rss("", numbered(3, 30)...) // items 1 and 2 have left the feed
	part := strings.Index(body, "<guid isPermaLink=\"false\">i28<") + 10
	for name, serve := range breaks(t, body, part) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.page("/feed", rss("", numbered(1, 28)...))
			id := l.feed(l.url("/feed"))
			l.want(id, reader.OutcomeChanged, 28)
			whole := l.row(id)
			p.change(func(p *page) { p.serve = serve })
			l.want(id, reader.OutcomeTruncated, 4)
			f := l.row(id)
			if f.Status != string(reader.StatusError) || f.ErrCode != reader.CodeTruncated || f.Errors != 0 ||
				f.ErrSince == 0 {
				t.Errorf("status %s, %s, %d errors since %d", f.Status, f.ErrCode, f.Errors, f.ErrSince)
			}
			if f.ETag != whole.ETag || f.LastModified != whole.LastModified || string(f.Hash) != string(whole.Hash) {
				t.Errorf("of the part were kept: %s, %s, hash %x", f.ETag, f.LastModified, f.Hash)
			}
			next := f.Turns().NextTurn(schedule.TickOf(l.clock.Now())).Start().Sub(l.clock.Now())
			if pace := schedule.IntervalOf(f.Period); f.Period != whole.Period || next < pace ||
				next > pace+2*schedule.TickLength {
				t.Errorf("the next turn comes after %v, the pace is %v", next, pace)
			}
			if _, units := l.writes(func() { l.want(id, reader.OutcomeTruncated, 0) }); units["feed"] != 0 {
				t.Errorf("the same part again is written: %v", units)
			}
			if got := p.last().Get("If-None-Match"); got != `"1"` {
				t.Errorf("asked with %s", got)
			}
			p.change(func(p *page) { p.serve, p.etag, p.body = nil, `"2"`, body })
			l.want(id, reader.OutcomeUnchanged, 0)
			if f := l.row(id); f.Status != string(reader.StatusActive) || f.ErrCode != "" || f.ErrSince != 0 ||
				f.ETag != `"2"` {
				t.Errorf("after a whole body: %s %s since %d, %s", f.Status, f.ErrCode, f.ErrSince, f.ETag)
			}
			p.change(func(p *page) { p.etag, p.body = `"3"`, rss("", numbered(1, 33)...) })
			l.want(id, reader.OutcomeChanged, 1) // what was missing from the part, or has left before, is not new
		})
	}
}

// A first crawl that broke off shows what there was; the first whole body is the first crawl, and its items have the
// publisher's dates.
func TestTruncatedFirstCrawl(t *testing.T) {
	t.Parallel()
	body := rss("", numbered(1, 30)...)
	part := strings.Index(body, "<guid isPermaLink=\"false\">i26<") + 10
	for name, serve := range breaks(t, body, part) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.page("/feed", body)
			p.serve = serve
			id := l.feed(l.url("/feed"))
			l.want(id, reader.OutcomeTruncated, 4)
			if f := l.row(id); f.Title != "A feed" || f.HasValidators() || len(f.Hash) != 0 ||
				f.ErrCode != reader.CodeTruncated || f.Why == schedule.ReasonNoValidators {
				t.Errorf("%q, %s, hash %x, %s, paced by %s", f.Title, f.ETag, f.Hash, f.ErrCode, f.Why)
			}
			p.change(func(p *page) { p.serve = nil })
			l.want(id, reader.OutcomeChanged, 26)
			f := l.row(id)
			if f.FirstSeq != 30 || f.ErrCode != "" || f.ETag != `"1"` {
				t.Errorf("first crawl up to %d, %s, %s", f.FirstSeq, f.ErrCode, f.ETag)
			}
			for _, h := range l.headers(id) {
				if h.Sort != h.Published {
					t.Errorf("%s stands at %d, published %d", h.Title, h.Sort, h.Published)
				}
			}
		})
	}
}

// A long part is committed in several steps, and the first crawl ends with the last of them.
func TestTruncatedFirstCrawlOfManyItems(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	body := rss("", numbered(1, 160)...)
	p := l.page("/feed", "")
	p.serve = raw(t, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n", len(body)), body[:len(body)-40])
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeTruncated, 159)
	if f := l.row(id); f.Title != "A feed" || f.FirstSeq != 159 {
		t.Errorf("%q, first crawl up to %d", f.Title, f.FirstSeq)
	}
}

// What breaks off before its first item is a failure, and one that backs off.
func TestTruncatedBeforeAnItem(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", "")
	p.serve = raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n", rss("", numbered(1, 3)...)[:200])
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeFailed, 0)
	if f := l.row(id); f.ErrCode != reader.CodeTruncatedBody || f.Errors != 1 || f.ParseErrs != 0 {
		t.Errorf("%s, %d errors, %d of parsing", f.ErrCode, f.Errors, f.ParseErrs)
	}
}

// A body without a length that is whole is whole.
func TestHTTP10WithoutLength(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", "")
	p.serve = raw(t, "HTTP/1.0 200 OK\r\n", rss("", numbered(1, 3)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 3)
	if f := l.row(id); f.ETag != `"2"` || f.Status != string(reader.StatusActive) {
		t.Errorf("%s %s", f.ETag, f.Status)
	}
}
