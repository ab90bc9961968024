package extract

import (
	"slices"
	"strings"
	"testing"
)

// What an item says in a second place counts where the first is empty.
//
func TestSecondChoices(t *testing.T) {
	t.Parallel()
	const head = `<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" ` +
		`xmlns:media="http://search.yahoo.com/mrss/" ` +
		`xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>F</title><item><guid>1</guid>`
	read := func(t *testing.T, item string) Item {
		t.Helper()
		f, err := Scan([]byte(head+item+`</item></channel></rss>`), "", "https://site.example/feed", Options{})
		if err != nil || len(f.Items) != 1 {
			t.Fatalf("%v, %v", f, err)
		}
		return f.Items[0]
	}
	tests := map[string]struct {
		item, title, snippet string
		categories           []string
	}{
		"itunes:title alone":        {`<itunes:title>Episode &amp; more</itunes:title>`, "Episode & more", "", nil},
		"itunes:title beside title": {`<itunes:title>B</itunes:title><title>A</title>`, "A", "", nil},
		"atom:title in RSS":         {`<atom:title>C</atom:title>`, "C", "", nil},
		"an empty title":            {`<title/><itunes:title>B</itunes:title>`, "B", "", nil},
		"media:category": {
			`<title>A</title><media:category>arts</media:category><media:category label="Ace ` +
				`Ventura">films/ace</media:category><media:category label="L"/>`, "A", "",
			[]string{"arts", "films/ace", "L"}},
		"keywords in an attribute": {`<title>A</title><itunes:keywords text="a, b"/>`, "A", "", []string{"a", "b"}},
		"itunes:category": {
			`<title>A</title><itunes:category text="Technology"><itunes:category text="Gadgets"/></itunes:category>`,
			"A", "", []string{"Technology", "Gadgets"}},
		"fullitem": {`<title>A</title><fullitem>&lt;p&gt;The whole&lt;/p&gt;</fullitem>`, "A",
			"The whole", nil},
		"fullitem beside content": {`<title>A</title><fullitem>B</fullitem><content:encoded>C</content:encoded>`,
			"A", "C", nil},
		"windows-1252 as C1 control": {"<title>The publisher\u0092s \u0093word\u0094\u0081</title>",
			"The publisher’s “word”", "", nil},
	}
	for name, tt := range tests {
		if got := read(t, tt.item); got.Title != tt.title || got.Snippet != tt.snippet ||
			!slices.Equal(got.Categories, tt.categories) {
			t.Errorf("%s: title %q, snippet %q, categories %q", name, got.Title, got.Snippet, got.Categories)
		}
	}
	if read(t, `<itunes:title>A</itunes:title>`).Content == read(t, `<itunes:title>B</itunes:title>`).Content {
		t.Error("another title in the only place that has one is no edit")
	}
}

func TestDatesOfOldMailAndOfScripts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"03 Apr 02 1500 GMT":    "2002-04-03T15:00:00Z",
		"03 Apr 02 1500 EST":    "2002-04-03T20:00:00Z",
		"3 Apr 2002 0930":       "2002-04-03T09:30:00Z",
		"03 Apr 02 2500 GMT":    "",
		"03 Apr 02 1560 GMT":    "",
		"12 2020 1500":          "",
		"Tue Nov 12 19 GMT":     "2019-11-12T00:00:00Z",
		"12 Nov 2020 (guess)":   "",
		"01.31.2012":            "2012-01-31T00:00:00Z",
		"25/08/2013 06:30:25 م": "2013-08-25T18:30:25Z",
		"Thu Nov 12 2020 17:00:00 GMT+0000 (Coordinated Universal Time)": "2020-11-12T17:00:00Z",
		"Thu Nov 12 2020 17:00:00 GMT+0900 (日本標準時)":                      "2020-11-12T08:00:00Z",
		"Thu Nov 12 2020 17:00:00 (EST)":                                 "2020-11-12T22:00:00Z",
	} {
		got := ""
		if d, ok := ParseDate(text); ok {
			got = d.Format("2006-01-02T15:04:05Z")
		}
		if got != want {
			t.Errorf("%q = %q, want %q", text, got, want)
		}
	}
}

func TestJSONFeedWithoutTitleOrNamedVersion(t *testing.T) {
	t.Parallel()
	for doc, feed := range map[string]bool{
		`{"version":"1.0","items":[{"id":"1","content_text":"a"}]}`: true,
		`{"version":"1.0","items":[{"url":"/a","title":"A"}]}`:      true,
		`{"version":"1.0","items":[{"id":1,"price":3}]}`:            false,
		`{"version":"1.0","items":[]}`:                              false,
		`{"items":[{"id":"1","content_text":"a"}]}`:                 false,
	} {
		if f, err := Scan([]byte(doc), "", "https://site.example/feed", Options{}); (err == nil) != feed || feed &&
			len(f.Items) != 1 {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

// Lists that a program has written as something else, and a feed within another object.
func TestJSONFeedOfOtherShapes(t *testing.T) {
	t.Parallel()
	const a, b = `{"id":"a","content_text":"A"}`, `{"id":"b","content_text":"B"}`
	for doc, want := range map[string]string{
		`{"version":"https://jsonfeed.org/version/1.1","title":"T","items":{"0":` + a + `,"7":` + b + `}}`:  "a b",
		`{"title":"T","home_page_url":"https://site.example/","items":{"1":` + a + `,"x":4,"2":` + b + `}}`: "a b",
		`{"feed":{"version":"https://jsonfeed.org/version/1","title":"T","items":[` + a + `]},"ok":true}`:   "a",
		`{"status":"ok","feed":{"title":"T","items":{"0":` + a + `}}}`:                                      "a",
		`{"version":"https://jsonfeed.org/version/1.1","title":"T","items":null}`:                           "",
		`{"title":"T","feed_url":"https://site.example/feed","items":null}`:                                 "",
		`{"version":"https://jsonfeed.org/version/1.1","title":"T","items":[` + a + `],"feed":{"items":[` + b +
			`]}}`: "a",
	} {
		f, err := Scan([]byte(doc), "", "https://site.example/feed", Options{})
		if err != nil {
			t.Errorf("%s: %v", doc, err)
			continue
		}
		var ids []string
		for _, it := range f.Items {
			ids = append(ids, it.GUID)
		}
		if got := strings.Join(ids, " "); got != want || f.Title != "T" {
			t.Errorf("%s: items %q of %q, want %q", doc, got, f.Title, want)
		}
	}
	for _, doc := range []string{
		`{"title":"T","items":{"first":` + a + `}}`, // an answer of some interface
		`{"feed":{"feed":{"title":"T","items":[` + a + `]}}}`,
		`{"feed":[` + a + `]}`,
		`{"items":{"0":` + a + `}}`,
	} {
		if f, err := Scan([]byte(doc), "", "", Options{}); err == nil {
			t.Errorf("%s: %d items", doc, len(f.Items))
		}
	}
	for author, want := range map[string]string{
		`"author":"Ann"`: "Ann", `"authors":["Ann",{"name":"Bob"}]`: "Ann, Bob", `"author":{"name":"Cy"}`: "Cy",
		`"author":7`: "",
	} {
		doc := `{"version":"https://jsonfeed.org/version/1","items":[{"id":"a",` + author + `}]}`
		if f, err := Scan([]byte(doc), "", "", Options{}); err != nil || f.Items[0].Author != want {
			t.Errorf("%s: %+v, %v", author, f, err)
		}
	}
	cut := `{"version":"https://jsonfeed.org/version/1.1","items":{"0":` + a + `,"1":{"id":"b","con`
	if f, err := Scan([]byte(cut), "", "", Options{}); err != nil || len(f.Items) != 1 || !f.Truncated {
		t.Errorf("cut off: %+v, %v", f, err)
	}
}

func TestAddressesAndNamesOfOtherPlaces(t *testing.T) {
	t.Parallel()
	read := func(doc string) *Feed {
		t.Helper()
		f, err := Scan([]byte(doc), "", "https://site.example/feed", Options{})
		if err != nil || len(f.Items) != 1 {
			t.Fatalf("%v, %v", f, err)
		}
		return f
	}
	const ns = `xmlns="http://www.w3.org/2005/Atom"`
	for doc, link := range map[string]string{
		`<feed ` + ns +
			`><entry><id>https://site.example/1</id></entry></feed>`: "https://site.example/1",
		`<feed ` + ns +
			`><entry><id>https://site.example/1</id><link href="/2"/></entry></feed>`: "https://site.example/2",
		`<feed ` + ns +
			`><entry><id>urn:uuid:1</id></entry></feed>`: "",
		`<rss><channel xml:base="https://site.example/p/"><item><guid ` +
			`isPermaLink="true">e/1</guid></item></channel></rss>`: "https://site.example/p/e/1",
		`<rss><channel><item><guid>e/1</guid></item></channel></rss>`:                                        "",
		`<rss><channel><item><guid isPermaLink="false">https://site.example/1</guid></item></channel></rss>`: "",
		`<entry ` + ns +
			`><title>A</title><link href="/3"/></entry>`: "https://site.example/3",
	} {
		if got := read(doc).Items[0].Link; got != link {
			t.Errorf("%s\nlink %q, want %q", doc, got, link)
		}
	}
	for entry, title := range map[string]string{
		`<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <![CDATA[&amp;]]>amp; <b>c</b><![CDATA[ <i> ` +
			`]]></div></title>`: "A &amp;amp; c <i>",
		`<title type="xhtml"><div>A <![CDATA[B</div>`: "",
	} {
		f, err := Scan([]byte(`<feed `+ns+`><entry><id>1</id>`+entry+`</entry></feed>`), "", "", Options{})
		if err == nil && f.Items[0].Title != title || err != nil && title != "" {
			t.Errorf("%s: %v, %v", entry, f, err)
		}
	}
	links := func(links string) string {
		return read(`<feed ` + ns + `><entry><id>1</id>` + links + `</entry></feed>`).Items[0].Link
	}
	for in, want := range map[string]string{
		`<link type="application/json" href="/j"/><link type="text/html" href="/h"/>`: "https://site.example/h",
		`<link type="application/pdf" href="/p"/><link href="/h"/><link href="/i"/>`:  "https://site.example/h",
		`<link href="/h"/><link type="application/pdf" href="/p"/>`:                   "https://site.example/h",
		`<link type="application/pdf" href="/p"/>`:                                    "https://site.example/p",
	} {
		if got := links(in); got != want {
			t.Errorf("of %s the link is %q, want %q", in, got, want)
		}
	}
	if f := read(`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","tags":["a",null,"b"]}]}`); len(
		f.Items[0].Categories) != 2 {
		t.Errorf("null among tags: %q", f.Items[0].Categories)
	}
	f := read(
		`<rss><channel><atom:tagline>T</atom:tagline><item><guid>1</guid><atom:created>2007-01-11T16:00:00Z</` +
			`atom:created></item></channel></rss>`)
	if f.Description != "T" || f.Items[0].Published.Unix() != 1168531200 {
		t.Errorf("elements of Atom 0.3 in RSS: %+v", f)
	}
	f = read(`<feed ` + ns +
		`><link rel="http://www.iana.org/assignments/relation/alternate" href="/"/><entry><id>1</id><link ` +
		`rel="http://www.iana.org/assignments/relation/alternate" href="/1"/></entry></feed>`)
	if f.Link != "https://site.example/" || f.Items[0].Link != "https://site.example/1" {
		t.Errorf("relations as addresses: %q, %q", f.Link, f.Items[0].Link)
	}
	if f := read(`<rss><channel><itunes:title>F</itunes:title><item><guid>1</guid></item></channel></rss>`); f.Title !=
		"F" {
		t.Errorf("title of the channel %q", f.Title)
	}
	if _, err := Scan([]byte(`<entry><title>A</title></entry>`), "", "", Options{}); err == nil {
		t.Error("an entry of no namespace is not a feed")
	}
	if f := read(`<feed ` + ns +
		`><author><name>A</name></author><author><name>B</name></author><entry><id>1</id></entry></feed>`); f.Author !=
		"A, B" {
		t.Errorf("authors of the feed %q", f.Author)
	}
	if f := read(
		`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","authors":[{"name":"B"},{"name":"A"},` +
			`{"name":"B"}]}]}`); f.Items[0].Author != "B, A" {
		t.Errorf("authors of a JSON item %q", f.Items[0].Author)
	}
	for language, want := range map[string]string{"en_US": "en-US", "zh_Hant_TW": "zh-Hant-TW", "en": "en",
		"a_name of some length": "a_name of some length"} {
		if f := read(`<rss><channel><language>` + language +
			`</language><item><guid>1</guid></item></channel></rss>`); f.Language != want {
			t.Errorf("language %q = %q", language, f.Language)
		}
	}
}
