package extract

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unicode/utf8"
)

func seeds(f *testing.F) {
	f.Helper()
	files, err := os.ReadDir(filepath.Join("testdata", "feeds"))
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range files {
		f.Add(fixture(f, e.Name()), "")
	}
	f.Add([]byte("<rss><item><description><![CDATA[<ruby>a<rp><rt>b<rb>c</ruby><img alt='d&amp;' src=e><rt>f]]>"), "")
	f.Add([]byte("<rss><channel><item><a><b></item><item>"), "text/xml; charset=iso-8859-1")
	f.Add([]byte("<feed xml:base='//x'><entry><link href='y'/><content type=xhtml><div>z</content></entry>"), "")
	f.Add([]byte("<?xml version='1.0' encoding='Shift_JIS'?><rss><channel><title>\x93\xfa\x96{</title>"), "")
	f.Add([]byte(`{"version":"jsonfeed.org","items":[{"content_html":"\ud83d\u003cimg src=\"a\`), "application/json")
	f.Add([]byte("<rss><channel><title>caf\u00e9 don\x92t \xe3\x81<item>"), "text/xml; charset=iso-8859-1")
	f.Add([]byte(`<!DOCTYPE rss [<!ENTITY a "b&#38;"><!ENTITY % c 'd'>]><rss><item><title>&a;<![CDATA[&a;</title>`), "")
	f.Add([]byte(`{"feed":{"version":"jsonfeed.org","items":{"0":{"id":"a"},"1":{"id":`), "application/json")
}

// FuzzScan: whatever comes, no panic, no harm in the output, nothing unbounded; a second scan that is told
// what the first found decodes nothing; and the identities are those of any order.
func FuzzScan(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		feed, err := Scan(body, contentType, "http://x.example/feed", Options{MaxItems: 50})
		if err != nil {
			return
		}
		if h := harm(feed); h != "" {
			t.Fatal(h)
		}
		if len(feed.Items) > 50 || utf8.RuneCountInString(feed.Title) > maxTitle {
			t.Fatalf("%d items, title of %d bytes", len(feed.Items), len(feed.Title))
		}
		known := identities(feed)
		if len(known) != len(feed.Items) {
			t.Fatal("two items of one identity")
		}
		again, err := Scan(body, contentType, "http://x.example/feed",
			Options{MaxItems: 50, Known: func(id uint64) (uint32, bool) {
				c, ok := known[id]
				return c, ok
			}})
		if err != nil || again.Channel != feed.Channel || len(again.Items) != len(feed.Items) {
			t.Fatalf("second scan: %v", err)
		}
		for i, it := range again.Items {
			if !it.Known || it.Identity != feed.Items[i].Identity || it.Title != "" {
				t.Fatalf("item %d is not known again", i)
			}
			if n := utf8.RuneCountInString(feed.Items[i].Snippet); n > snippetRunes {
				t.Fatalf("snippet of %d runes", n)
			}
		}
		reordered(t, body, contentType, feed)
	})
}

// reordered turns the items of a clean document round, and expects the same identities and contents.
func reordered(t *testing.T, body []byte, contentType string, feed *Feed) {
	t.Helper()
	if feed.Fallback || feed.Truncated || feed.LeftOut > 0 || feed.Repeated > 0 || len(feed.Items) < 2 ||
		feed.Format == JSON {
		return
	}
	doc, err := decode(body, contentType)
	if err != nil || bytes.Contains(doc, []byte("xmlns")) {
		return // a declaration in one item may mean something for the next
	}
	first, last := feed.Items[0].Start, feed.Items[len(feed.Items)-1].End
	turned := slices.Clone(doc[:first])
	for i := len(feed.Items) - 1; i >= 0; i-- {
		turned = append(turned, doc[feed.Items[i].Start:feed.Items[i].End]...)
	}
	turned = append(turned, doc[last:]...)
	back, err := Scan(turned, "", "http://x.example/feed", Options{MaxItems: 50})
	if err != nil || len(back.Items) != len(feed.Items) {
		return // what lay between the items (the channel's end, xml:base …) moved
	}
	for i, it := range back.Items {
		if want := feed.Items[len(feed.Items)-1-i]; it.Identity != want.Identity || it.Content != want.Content {
			t.Fatalf("item %d has another identity or content elsewhere", i)
		}
	}
}

// FuzzParseDate: no panic; what is parsed lies in the years 1 to 9999, in UTC, and reads back as itself.
func FuzzParseDate(f *testing.F) {
	for _, v := range []string{
		"Mon, 02 Jan 2006 15:04:05 -0700", "2006-01-02T15:04:05.5Z", "2004-W05-3", "2003-335T10:14",
		"1520932969", "令和6年5月1日",
		"2004년 05월 28일  01:31:15", "mar, 9 avr 2018 24:00", "10/30/23 9:55 p.m. EST",
		"Thu, 25 Feb 2016 00:00:00 Europe/Brussels",
	} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		got, ok := ParseDate(v)
		if !ok {
			return
		}
		if got.Location() != time.UTC || got.Year() < 1 || got.Year() > 9999 {
			t.Fatalf("%q = %v", v, got)
		}
		if back, ok := ParseDate(got.Format(time.RFC3339Nano)); !ok || !back.Equal(got) {
			t.Fatalf("%q = %v, read back %v", v, got, back)
		}
	})
}

// FuzzDecode: the result is valid UTF-8 without forbidden control characters, and stays as it is.
func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		out, err := Decode(body, contentType)
		if err != nil {
			return
		}
		if !utf8.Valid(out) {
			t.Fatal("invalid UTF-8")
		}
		if len(DropControls(out)) != len(out) {
			t.Fatal("control characters")
		}
		if len(out) > 4*len(body)+64 {
			t.Fatalf("%d bytes of %d", len(out), len(body))
		}
	})
}
