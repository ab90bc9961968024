package extract

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/htmlindex"
)

func rss(items ...string) []byte {
	return []byte(`<?xml version="1.0"?><rss version="2.0"><channel><title>T</title><link>http://x.example/</link>` +
		strings.Join(items, "\n") + `</channel></rss>`)
}

func mustScan(t testing.TB, body []byte, o Options) *Feed {
	t.Helper()
	f, err := Scan(body, "", "http://x.example/feed", o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func identities(f *Feed) map[uint64]uint32 {
	m := map[uint64]uint32{}
	for _, it := range f.Items {
		m[it.Identity] = it.Content
	}
	return m
}

func TestIdentityAndContentDoNotDependOnPlaceOrCharset(t *testing.T) {
	t.Parallel()
	a := `<item><title>漢字</title><guid>a</guid><description>本文</description></item>`
	b := `<item><title>かな</title><link>http://x.example/b</link></item>`
	c := `<item><title>only text</title><description>d</description><pubDate>Mon, 06 Apr 2026 10:00:00 ` +
		`GMT</pubDate></item>`
	want := identities(mustScan(t, rss(a, b, c), Options{}))
	if len(want) != 3 {
		t.Fatalf("%d items", len(want))
	}
	sjis, err := htmlindex.Get("shift_jis")
	if err != nil {
		t.Fatal(err)
	}
	recoded, err := sjis.NewEncoder().Bytes(bytes.Replace(rss(c, b, a), []byte(`"1.0"`),
		[]byte(`"1.0" encoding="Shift_JIS"`), 1))
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{
		"order":   rss(c, a, b),
		"indent":  rss("\n\n  "+strings.ReplaceAll(a, "><", ">\n   <"), b, c),
		"charset": recoded,
		"comment": rss(strings.Replace(a, "<guid>", "<!-- now --><guid>", 1), b, c),
	} {
		if got := identities(mustScan(t, body, Options{})); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// G-20
func TestIdentityRule(t *testing.T) {
	t.Parallel()
	base := Identity("g", "http://x/", "t", "d", "s")
	same := [][5]string{
		{" g\n", "http://other/", "t2", "d2", "s2"},
		{"g", "", "", "", ""},
	}
	for _, v := range same {
		if Identity(v[0], v[1], v[2], v[3], v[4]) != base {
			t.Errorf("%q is another item", v)
		}
	}
	if Identity("", "g", "", "", "") == base {
		t.Error("a link that equals a guid is the same item")
	}
	if Identity("", "", "t", "2026-04-06T10:00:00Z", "s") != Identity("", "", "<b>t</b> ",
		"Mon, 06 Apr 2026 12:00:00 +0200", " s\n") {
		t.Error("the same text and instant are not the same item")
	}
	if Identity("", "", "t", "", "s") == Identity("", "", "ts", "", "") {
		t.Error("title and summary run together")
	}
	if base>>48 != 0 {
		t.Errorf("%x has more than 48 bits", base)
	}
}

// TestVolatile proves the list of volatile.go: what is left out changes nothing, what is covered does.
func TestVolatile(t *testing.T) {
	t.Parallel()
	item := `<item><title>T</title><guid>1</guid><link>http://x.example/1</link>%s</item>`
	hash := func(extra string) uint32 {
		return mustScan(t, rss(fmt.Sprintf(item, extra)), Options{}).Items[0].Content
	}
	plain := hash("")
	for _, v := range []string{
		`<slash:comments>3</slash:comments>`, `<thr:total>9</thr:total>`, `<comments>http://x.example/1#c</comments>`,
		`<media:community><media:starRating average="4.1" count="7"/><media:statistics views="99"/></media:community>`,
		`<media:group><media:community><media:statistics views="5"/></media:community></media:group>`,
		`<yt:statistics viewCount="1"/>`, `<gd:rating average="3"/>`,
		`<feedburner:origLink>http://x.example/1</feedburner:origLink>`,
		`<wfw:commentRss>http://x.example/1/feed</wfw:commentRss>`, `<!-- built 12:00 -->`,
		`<source url="http://y.example/">Y</source>`,
	} {
		if hash(v) != plain {
			t.Errorf("%s counts as an edit", v)
		}
	}
	for _, v := range []string{
		`<description>d</description>`, `<content:encoded>d</content:encoded>`,
		`<pubDate>Mon, 06 Apr 2026 10:00:00 GMT</pubDate>`,
		`<enclosure url="http://x.example/a.mp3"/>`, `<category>c</category>`, `<dc:creator>n</dc:creator>`,
		`<media:group><media:thumbnail url="http://x.example/i.jpg"/></media:group>`,
	} {
		if hash(v) == plain {
			t.Errorf("%s does not count as an edit", v)
		}
	}
	channel := func(extra string) uint64 {
		return mustScan(t, []byte(`<rss><channel><title>T</title>`+extra+`<item><guid>1</guid></item></channel></rss>`),
			Options{}).Channel
	}
	if channel(`<lastBuildDate>Mon, 06 Apr 2026 10:00:00 GMT</lastBuildDate><ttl>7</ttl><generator>g 2</generator>`) !=
		channel("") {
		t.Error("a build date changes the channel")
	}
	if channel(`<link>http://x.example/</link>`) == channel("") ||
		channel(`<atom:link rel="hub" href="http://h.example/"/>`) == channel("") {
		t.Error("link or hub do not change the channel")
	}
	f1 := []byte(`{"version":"https://jsonfeed.org/version/1","title":"T","items":[{"id":"1","title":"a","_views":1}]}`)
	f2 := bytes.Replace(f1, []byte(`"_views":1`), []byte(`"_views":2`), 1)
	if mustScan(t, f1, Options{}).Items[0].Content != mustScan(t, f2, Options{}).Items[0].Content {
		t.Error("an extension of JSON Feed counts as an edit")
	}
}

// TestKnown: what is known with its content is not decoded; what is edited is.
func TestKnown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"rss2.rss", "atom10.atom", "atom03.atom", "rss1.rdf", "feed.json"} {
		body := fixture(t, name)
		first := mustScan(t, body, Options{})
		known := identities(first)
		asked := 0
		again := mustScan(t, body, Options{Known: func(id uint64) (uint32, bool) {
			asked++
			c, ok := known[id]
			return c, ok
		}})
		if asked != len(first.Items) {
			t.Errorf("%s: asked %d times for %d items", name, asked, len(first.Items))
		}
		for i, it := range again.Items {
			if !it.Known || it.Title != "" || it.GUID != "" || it.Identity != first.Items[i].Identity {
				t.Errorf("%s: item %d is not known: %+v", name, i, it)
			}
		}
		if again.Channel != first.Channel || again.Title != first.Title {
			t.Errorf("%s: another channel", name)
		}
		edited := mustScan(t, body, Options{Known: func(id uint64) (uint32, bool) { return known[id] ^ 1, true }})
		for i, it := range edited.Items {
			if it.Known || it.Title != first.Items[i].Title {
				t.Errorf("%s: the edit of item %d is not seen", name, i)
			}
		}
	}
}

// TestNewest200: of a long body the newest items are kept in document order, the rest is counted.
//
func TestNewest200(t *testing.T) {
	t.Parallel()
	const n = 1000
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	xml, json := make([]string, n), make([]string, n)
	for i := range n {
		day := start.AddDate(0, 0, (i*7919)%n) // a shuffled order, each day once
		xml[i] = fmt.Sprintf("<item><title>%d</title><guid>g%d</guid><pubDate>%s</pubDate></item>", i, i,
			day.Format(time.RFC1123Z))
		json[i] = fmt.Sprintf(`{"id":"g%d","title":"%d","date_published":"%s"}`, i, i, day.Format(time.RFC3339))
	}
	oldest := start.AddDate(0, 0, n-200)
	for name, body := range map[string][]byte{
		"xml": rss(xml...),
		"json": []byte(`{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[` +
			strings.Join(json, ",") + `]}`),
	} {
		for _, o := range []Options{{}, {Known: func(id uint64) (uint32, bool) { return 0, id%2 == 0 }}} {
			f := mustScan(t, body, o)
			if len(f.Items) != 200 || f.LeftOut != n-200 {
				t.Fatalf("%s: %d items, %d left out", name, len(f.Items), f.LeftOut)
			}
			last := -1
			for _, it := range f.Items {
				var i int
				if _, err := fmt.Sscan(it.Title, &i); err != nil || i <= last || it.Published.Before(oldest) {
					t.Fatalf("%s: item %q of %v does not belong here", name, it.Title, it.Published)
				}
				last = i
			}
		}
	}
	undated := make([]string, 300)
	for i := range undated {
		undated[i] = fmt.Sprintf("<item><title>%d</title></item>", i)
	}
	if f := mustScan(t, rss(undated...), Options{}); len(f.Items) != 200 || f.Items[199].Title != "199" {
		t.Errorf("without dates the first are not kept: %d", len(f.Items))
	}
}

// TestHundredThousandItems bounds the work by counts: allocations do not follow the number of items.
func TestHundredThousandItems(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("<rss><channel><title>T</title>")
	for i := range 100_000 {
		fmt.Fprintf(&b, "<item><title>%d</title><guid>%d</guid></item>", i, i)
	}
	b.WriteString("</channel></rss>")
	allocs := testing.AllocsPerRun(1, func() {
		if f := mustScan(t, b.Bytes(), Options{}); len(f.Items) != 200 || f.LeftOut != 99_800 {
			t.Errorf("%d items, %d left out", len(f.Items), f.LeftOut)
		}
	})
	if allocs > 2000 {
		t.Errorf("%.0f allocations", allocs)
	}
}

// TestErrors: each kind of unreadable body has its code, a line where one is to blame, and a sentence.
//
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body, code string
		line             int
	}{
		{"empty", "", CodeEmpty, 0},
		{"white space", " \r\n\t", CodeEmpty, 0},
		{"byte order mark", "\xef\xbb\xbf", CodeEmpty, 0},
		{"page", "\n<!DOCTYPE html>\n<html><body>hi</body></html>", CodeHTML, 3},
		{"page without doctype", "<html><head><title>x</title></head></html>", CodeHTML, 1},
		{"other XML", "<?xml version='1.0'?>\n<opml version='2.0'><body/></opml>", CodeNotAFeed, 2},
		{"text", "Not found", CodeNotAFeed, 1},
		{"noise", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f", CodeBinary, 1},
		{"other JSON", `{"ok":true}`, CodeNotAFeed, 1},
		{"JSON list", `[1,2]`, CodeBadJSON, 1},
		{"trailing comma", `{"version":"https://jsonfeed.org/version/1","title":"T","items":[{"id":"1"},]}`,
			CodeBadJSON, 1},
		{"deep JSON", `{"version":` + strings.Repeat("[", 5000), CodeTooDeep, 0},
		{"cut before an item", "<rss><channel>\n<title>T</title>\n<item><title>half", CodeTruncated, 3},
		{"cut in a comment", "<!-- ", CodeTruncated, 1},
		{"cut JSON", `{"version":"https://jsonfeed.org/version/1","items":[{"id":"1`, CodeTruncated, 1},
	} {
		_, err := Scan([]byte(c.body), "", "http://x.example/feed", Options{})
		var e *Error
		if !errors.As(err, &e) || e.Code != c.code || e.Line != c.line {
			t.Errorf("%s: %v, want %s in line %d", c.name, err, c.code, c.line)
		}
	}
}

// TestDamage: what is readable is read.
//
func TestDamage(t *testing.T) {
	t.Parallel()
	good := `<item><title>A</title><guid>1</guid></item>`
	for _, c := range []struct {
		name, body string
		items      int
		truncated  bool
		title      string
	}{
		{"bare ampersand", string(rss(`<item><title>A & B</title></item>`)), 1, false, "A & B"},
		{"unknown entity", string(rss(`<item><title>A &nosuch; B</title></item>`)), 1, false, "A &nosuch; B"},
		{"HTML entity", string(rss(`<item><title>A &mdash; B</title></item>`)), 1, false, "A — B"},
		{"control characters", string(rss("<item><title>A\x00\x08 B</title></item>")), 1, false, "A B"},
		{"cut in the second item", string(rss(good))[:len(rss(good))-len("</channel></rss>")] +
			"<item><title>B", 1, true, "A"},
		{"cut in CDATA", "<rss><channel>" + good + "<item><description><![CDATA[ x", 1, true, "A"},
		{"cut after the items", "<rss><channel>" + good, 1, true, "A"},
		{"no end of the root", "<rss><channel>" + good + "</channel>", 1, false, "A"},
		{"unclosed HTML", string(rss(`<item><title>A</title><description><p>x<br>y<img src=z></description></item>`)),
			1, false, "A"},
		{"unclosed item", string(rss(`<item><title>A</title>`, `<item><title>B</title></item>`)), 2, false, "A"},
		{"unquoted attribute", string(rss(`<item><guid isPermaLink=false>1</guid><title>A</title></item>`)),
			1, false, "A"},
		{"declared entity", `<!DOCTYPE rss [<!ENTITY x "expanded">]>` +
			string(rss(`<item><title>A &x;</title></item>`)), 1, false, "A expanded"},
		{"text before the root", "Warning: oops\n" + string(rss(good)), 1, false, "A"},
		{"no version, no channel end", `<rdf:RDF>` + good + `</rdf:RDF>`, 1, false, "A"},
		{"upper case", strings.ToUpper(`<rss><channel>`) + `<ITEM><TITLE>A</TITLE></ITEM>` + `</CHANNEL></RSS>`,
			1, false, "A"},
		{"cut JSON", `{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","title":"A"},{"id":"2`, 1, true,
			"A"},
	} {
		f, err := Scan([]byte(c.body), "", "http://x.example/feed", Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(f.Items) != c.items || f.Truncated != c.truncated || f.Items[0].Title != c.title {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// TestFallback: a structure that is in doubt is read by gofeed, and by the scan alone when gofeed refuses.
func TestFallback(t *testing.T) {
	t.Parallel()
	f := mustScan(t, rss(`<item><title>A<link>http://x.example/1</link><guid>1</guid></item>`), Options{})
	if !f.Fallback || len(f.Items) != 1 || f.Title != "T" || f.Items[0].Start != 0 {
		t.Errorf("not by gofeed: %+v", f)
	}
	known := identities(f)
	again := mustScan(t, rss(`<item><title>A<link>http://x.example/1</link><guid>1</guid></item>`),
		Options{Known: func(id uint64) (uint32, bool) {
			c, ok := known[id]
			return c, ok
		}})
	if !again.Items[0].Known {
		t.Error("known items are not known to gofeed's reading")
	}
	f = mustScan(t, rss(`<item><title>A</title>`, `<item><title>B</title></item>`), Options{})
	if f.Fallback || len(f.Items) != 2 {
		t.Errorf("gofeed has fewer items: %+v", f)
	}
}

// TestStartEnd: the bounds cut exactly the item out of the decoded body.
func TestStartEnd(t *testing.T) {
	t.Parallel()
	body := rss(`<item><guid>1</guid></item>`, `<item><guid>2</guid></item>`)
	body = bytes.Replace(body, []byte("<title>"), []byte("<title>\x00\x01"), 1) // dropped characters shift nothing
	f, text, err := ScanText(body, "", "https://example.org/feed", Options{})
	if err != nil || len(f.Items) != 2 {
		t.Fatalf("%+v, %v", f, err)
	}
	for i, it := range f.Items {
		if got, want := string(text[it.Start:it.End]), fmt.Sprintf("<item><guid>%d</guid></item>", i+1); got != want {
			t.Errorf("item %d is %q", i, got)
		}
	}
}
