package opml

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
)

func list(body string) []byte {
	return []byte(`<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>` + body +
		`</body></opml>`)
}

func TestDecodeFeeds(t *testing.T) {
	t.Parallel()
	one := func(title, address string, path ...string) []Feed {
		return []Feed{{Path: path, Title: title, XMLURL: address}}
	}
	tests := map[string]struct {
		body string
		want []Feed
	}{
		"plain": {`<outline type="rss" text="A" xmlUrl="https://a.example/f"/>`,
			one("A", "https://a.example/f")},
		"title when text is empty": {`<outline text="" title="B" xmlUrl="https://a.example/f"/>`,
			one("B", "https://a.example/f")},
		"an address is no title": {`<outline text="https://a.example/f" xmlUrl="https://a.example/f"/>`,
			one("", "https://a.example/f")},
		"attributes in other case": {`<OUTLINE TEXT="A" XMLURL="https://a.example/f"></OUTLINE>`,
			one("A", "https://a.example/f")},
		"attributes without quotes": {`<outline text=A xmlUrl=https://a.example/f/>`, one("A", "https://a.example/f")},
		"less-than in an attribute": {`<outline text="x < y" xmlUrl="https://a.example/f"/>`,
			one("x < y", "https://a.example/f")},
		"bare ampersands": {`<outline text="Q & A" xmlUrl="https://a.example/f?a=1&copy=2&b=3"/>`,
			one("Q & A", "https://a.example/f?a=1&copy=2&b=3")},
		"references": {
			`<outline text="&eacute;&#x65E5;&lt;b&gt;&unknown;" xmlUrl="https://a.example/f?a=1&amp;b=2"/>`,
			one("é日<b>&unknown;", "https://a.example/f?a=1&b=2")},
		"folders": {
			`<outline text="X"><outline title="Y / Z"><outline text="A" ` +
				`xmlUrl="https://a.example/f"/></outline></outline>`, one("A", "https://a.example/f", "X", "Y / Z")},
		"a folder without a name": {`<outline><outline text="A" xmlUrl="https://a.example/f"/></outline>`,
			one("A", "https://a.example/f")},
		"feed: addresses": {`<outline text="A" xmlUrl="feed:HTTPS://A.example/F"/>`,
			one("A", "https://a.example/F")},
		"feed:// addresses": {`<outline text="A" xmlUrl="feed://a.example/f"/>`,
			one("A", "http://a.example/f")},
		"other schemes of feeds": {`<outline text="A" xmlUrl="pcast://a.example/f"/>`, one("A", "http://a.example/f")},
		"no scheme": {`<outline text="A" xmlUrl="A.example:8080/f?x"/>`,
			one("A", "https://a.example:8080/f?x")},
		"only slashes": {`<outline text="A" xmlUrl="//a.example/f"/>`, one("A", "http://a.example/f")},
		"a feed's url": {`<outline type="RSS" text="A" url=" https://a.example/f"/>` +
			`<outline type="link" text="B" url="https://b.example/"/>`, one("A", "https://a.example/f")},
		"credentials keep case": {`<outline text="A" xmlUrl="https://Bob:Pw@A.example/f"/>`,
			one("A", "https://Bob:Pw@a.example/f")},
		"script sites are no links": {`<outline text="A" htmlUrl="javascript:alert(1)" xmlUrl="https://a.example/f"/>`,
			one("A", "https://a.example/f")},
		"comments and CDATA": {
			`<!-- <outline xmlUrl="https://no.example/"/> --><![CDATA[<outline ` +
				`xmlUrl="https://no.example/"/>]]><outline text="A" xmlUrl="https://a.example/f"/>`,
			one("A", "https://a.example/f")},
		"prefixed elements": {`<o:outline xmlns:o="x" text="A" xmlUrl="https://a.example/f"/>`,
			one("A", "https://a.example/f")},
		"duplicates": {`<outline text="A" xmlUrl="https://a.example/f"/><outline text="X"><outline text="B" ` +
			`xmlUrl="HTTPS://A.EXAMPLE/f"/></outline>`,
			one("A", "https://a.example/f")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := Decode(list(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(doc.Feeds, tt.want) {
				t.Errorf("got %+v, want %+v", doc.Feeds, tt.want)
			}
			if doc.Title != "Mine" {
				t.Errorf("title %q", doc.Title)
			}
		})
	}
}

// C-14
func TestDecodeListsProblemsAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	doc, err := Decode(list(`
<outline text="ok" xmlUrl="https://ok.example/f"/>
<outline text="none" type="rss"/>
<outline text="script" xmlUrl="javascript:alert(1)"/>
<outline text="file" xmlUrl="file:///etc/passwd"/>
<outline text="no host" xmlUrl="https:///f"/>
<outline text="off" isComment="true"><outline text="inner" xmlUrl="https://off.example/f"/></outline>
<outline text="list" type="include" url="https://list.example/l.opml"/>
<outline text="a note"/>
<outline text="ok2" xmlUrl="https://ok2.example/f"/>`))
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Feeds) != 2 {
		t.Errorf("feeds %+v", doc.Feeds)
	}
	var got []string
	for _, p := range doc.Problems {
		if texts.Entries[p.Code].Message.En == "" {
			t.Errorf("%+v has no text", p)
		}
		got = append(got, fmt.Sprintf("%s %s", p.Title, p.Code))
	}
	want := []string{"none no_address", "script bad_address", "file bad_address", "no host bad_address",
		"inner commented", "list include"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("problems\n got %q\nwant %q", got, want)
	}
}

//
func TestDecodeRefusesWhole(t *testing.T) {
	t.Parallel()
	feed := `<outline text="A" xmlUrl="https://a.example/f"/>`
	tests := map[string]struct{ in, code string }{
		"nothing":             {"", "opml_empty"},
		"white space":         {" \n ", "opml_empty"},
		"a feed":              {`<rss version="2.0"><channel/></rss>`, "not_opml"},
		"a page":              {`<!DOCTYPE html><html><body></body></html>`, "not_opml"},
		"text":                {"hello", "not_opml"},
		"cut between tags":    {`<opml><body>` + feed, "opml_truncated"},
		"cut inside a tag":    {`<opml><body>` + feed + `<outline text="B" xml`, "opml_truncated"},
		"cut inside a value":  {`<opml><body>` + feed + `<outline text="B`, "opml_truncated"},
		"cut inside comment":  {`<opml><body>` + feed + `<!-- x`, "opml_truncated"},
		"mis-nested":          {`<opml><body><outline text="F">` + feed + `</body></opml>`, "opml_malformed"},
		"entity declarations": {`<!DOCTYPE opml [<!ENTITY a "b">]><opml/>`, "opml_entities"},
		"too deep":            {`<opml><body>` + strings.Repeat(`<outline text="x">`, 100), "opml_too_deep"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := Decode([]byte(tt.in))
			if fault.CodeOf(orNil(err)) != tt.code || !fault.Is(err, fault.Invalid) {
				t.Errorf("error %v, want %s", err, tt.code)
			}
			if len(doc.Feeds) != 0 {
				t.Errorf("feeds %+v in spite of an error", doc.Feeds)
			}
		})
	}
}

// orNil lets CodeOf be asked about no error at all.
func orNil(err error) error {
	if err == nil {
		return fmt.Errorf("no error")
	}
	return err
}

//
func TestLimits(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&b, `<outline text="F%d" xmlUrl="https://f%d.example/"/>`, i, i)
	}
	doc, err := Decode(list(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Feeds) != MaxFeeds || len(doc.Problems) != 200 || doc.Problems[0].Code != OverLimit {
		t.Errorf("%d feeds, %d problems", len(doc.Feeds), len(doc.Problems))
	}
	doc, err = Decode(list(strings.Repeat(`<outline type="rss" text="x"/>`, 3000)))
	if err != nil || len(doc.Problems) != maxProblems {
		t.Errorf("%d problems, %v", len(doc.Problems), err)
	}
	if _, err := Decode(make([]byte, MaxBytes+1)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too large: %v", err)
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	feeds := []Feed{
		{Title: `A "quoted" <b>title</b> & more`, XMLURL: "https://a.example/f?a=1&b=2", HTMLURL: "https://a.example/"},
		{Path: []string{"猫/犬"}, Title: "日本語の題", XMLURL: "https://b.example/f"},
		{XMLURL: "https://c.example/f"},
		{Path: []string{"猫/犬", "中"}, Title: "line", XMLURL: "https://d.example/f"},
		{Path: []string{"猫/犬"}, Title: "again", XMLURL: "https://e.example/f"},
	}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head>
    <title>Ruri &amp; co</title>
    <dateCreated>Fri, 20 Nov 2026 01:02:03 GMT</dateCreated>
  </head>
  <body>
    <outline type="rss" text="A &quot;quoted&quot; &lt;b&gt;title&lt;/b&gt; &amp; more" title="A &quot;quoted&quot; &lt;b&gt;title&lt;/b&gt; &amp; more" xmlUrl="https://a.example/f?a=1&amp;b=2" htmlUrl="https://a.example/"/>
    <outline text="猫/犬" title="猫/犬">
      <outline type="rss" text="日本語の題" title="日本語の題" xmlUrl="https://b.example/f"/>
      <outline text="中" title="中">
        <outline type="rss" text="line" title="line" xmlUrl="https://d.example/f"/>
      </outline>
      <outline type="rss" text="again" title="again" xmlUrl="https://e.example/f"/>
    </outline>
    <outline type="rss" text="https://c.example/f" title="https://c.example/f" xmlUrl="https://c.example/f"/>
  </body>
</opml>
`
	got := string(Encode("Ruri & co", feeds, time.Date(2026, 11, 20, 1, 2, 3, 0, time.UTC)))
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	checkRoundTrip(t, "example", Document{Title: "Ruri & co", Feeds: feeds})
}

// FuzzDecode: whatever is accepted can be exported and comes back the same.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`<opml><head><title>t</title></head><body><outline text="F"><outline text="a&amp;b" ` +
		`xmlUrl="https://a.example/?a&b"/></outline></body></opml>`))
	f.Add([]byte(`<?xml version="1.0" encoding="euc-jp"?><!DOCTYPE opml><opml><outline title='x' ` +
		`XMLURL=feed://x.example/></opml>`))
	f.Add([]byte("</opml>"))
	f.Add([]byte(`<opml><outline type="rss" url="pcast://a.b/"/><outline xmlUrl="a.b:8/?x"/><outline xmlUrl="//a"/>`))
	f.Add([]byte("\xff\xfe<\x00o\x00p\x00m\x00l\x00/\x00>\x00"))
	f.Add([]byte(`<opml><![CDATA[x]]><!-- --><?pi?><outline isComment="true" type="include" url="u"/>`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Decode(data)
		if err != nil {
			if len(doc.Feeds) > 0 {
				t.Fatal("feeds in spite of an error")
			}
			return
		}
		checkRoundTrip(t, "fuzzed", doc)
	})
}

// An outline without an address that holds others is a folder, whatever its type; one that holds nothing lacks its
// address.
func TestFoldersOfAnyType(t *testing.T) {
	t.Parallel()
	doc, err := Decode([]byte(`<opml><body>
<outline text="Tech" type="rss"><outline text="Go" type="rss" xmlUrl=""><outline text="a" type="rss" xmlUrl="https://a.org/f"/></outline></outline>
<outline text="b" type="rss" xmlUrl="https://b.org/f"/>
<outline text="In"><outline text="c" type="rss" xmlUrl="https://c.org/f"/></outline>
<outline text="none" type="rss"/><outline text="none either" type="rss"></outline>
</body></opml>`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range doc.Feeds {
		got = append(got, fmt.Sprintf("%s%v%v", f.Title, f.Path, f.Also))
	}
	if want := []string{"a[Tech Go][]", "b[][]", "c[In][]"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if len(doc.Problems) != 2 || doc.Problems[0].Title != "none" || doc.Problems[1].Title != "none either" {
		t.Errorf("%+v", doc.Problems)
	}
}

// A list without folders has those that its categories name, as paths or as words, but for a list of one feed.
func TestCategories(t *testing.T) {
	t.Parallel()
	feed := func(name, category string) string {
		return fmt.Sprintf(`<outline text=%q xmlUrl="https://%s.org/f" category=%q/>`, name, name, category)
	}
	for body, want := range map[string]string{
		feed("a", "/Tech/Go") + feed("b", "Wetenschap") + feed("c", ""): "a[Tech Go][] b[Wetenschap][] c[][]",
		feed("a", ",, x , /x/,x/ y ,") + feed("b", " / "):               "a[x][[x y]] b[][]",
		feed("a", "x,"+strings.Repeat("y", 101)) + feed("b", "日本/技術"):   "a[x][] b[日本 技術][]",
		feed("a", "/Tech"): "a[][]",
		`<outline text="In">` + feed("a", "/Tech") + `</outline>` + feed("b", "/Tech"): "a[In][] b[][]",
		feed("a", "/Tech") + feed("a", "/Go") + feed("b", "/Go"):                       "a[Tech][] b[Go][]",
	} {
		doc, err := Decode(list(body))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range doc.Feeds {
			got = append(got, fmt.Sprintf("%s%v%v", f.Title, f.Path, f.Also))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s\nis %s, want %s", body, got, want)
		}
	}
}
