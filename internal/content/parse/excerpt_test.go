package parse

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"

	"github.com/ruri-reader/ruri/internal/content/extract"
)

// excerpt makes the excerpt of a document in which the items that unknown chooses are new, and checks that each of them
// reads as it does in the whole document. It returns nil where there is none.
func excerpt(t testing.TB, body []byte, contentType, base string, unknown func(i int) bool) []byte {
	t.Helper()
	whole, err := extract.Scan(body, contentType, base, extract.Options{})
	if err != nil {
		return nil
	}
	content, fresh := map[uint64]uint32{}, map[uint64]extract.Item{}
	for i, it := range whole.Items {
		if content[it.Identity] = it.Content; unknown(i) {
			content[it.Identity] ^= 1
			fresh[it.Identity] = it
		}
	}
	feed, text, err := extract.ScanText(body, contentType, base, extract.Options{
		Known: func(id uint64) (uint32, bool) {
			c, ok := content[id]
			return c, ok
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	out := extract.Excerpt(text, base, feed)
	if out == nil {
		return nil
	}
	if len(out) > len(text)/2 {
		t.Fatalf("an excerpt of %d bytes of %d", len(out), len(text))
	}
	before, err := Open(body, contentType, base, 0)
	if err != nil {
		t.Fatal(err)
	}
	after, err := Open(out, contentType, base, 0)
	if err != nil {
		t.Fatalf("the excerpt cannot be read: %v\n%s", err, out)
	}
	for id, it := range fresh {
		want, _ := before.Find(id)
		got, ok := after.Find(id)
		if !ok && it.Shared != 0 {
			got, ok = after.Find(it.Shared)
			want.Identity, want.Shared = got.Identity, got.Shared
		}
		if !ok || got != want {
			t.Fatalf("item %x: %v\n%+v, want\n%+v\n%s", id, ok, got, want, out)
		}
		if !bytes.Contains(out, text[it.Start:it.End]) {
			t.Fatalf("the bytes of item %x differ", id)
		}
	}
	return out
}

// Whatever is cut from a document, the items that stay are read as before.
func TestCorpusExcerptsReadTheSame(t *testing.T) {
	t.Parallel()
	made := 0
	for _, s := range samples(t) {
		for name, unknown := range map[string]func(int) bool{
			"the first": func(i int) bool { return i == 0 },
			"the third": func(i int) bool { return i == 2 },
			"a fourth":  func(i int) bool { return i%4 == 1 },
		} {
			t.Run(s.file+"/"+name, func(t *testing.T) {
				if excerpt(t, s.body, s.contentType, s.base, unknown) != nil {
					made++
				}
			})
		}
	}
	t.Logf("%d excerpts", made)
	if made == 0 {
		t.Error("no document of the corpus had one")
	}
}

const itemsOfExcerpts = 12

// listed is a list of items, each with what makes identities in its format.
func listed(item func(i int) string, between string) string {
	var all []string
	for i := range itemsOfExcerpts {
		all = append(all, item(i))
	}
	return strings.Join(all, between)
}

// documents are one of each kind, with twelve items or more.
func documents(t testing.TB) map[string]struct{ doc, contentType string } {
	t.Helper()
	text := strings.Repeat("words of a text ", 40)
	rssItem := func(i int) string {
		return fmt.Sprintf(`<item><guid>%d</guid><link>/p/%d</link><title>t%d</title><content:encoded><![CDATA[<p>%d %s`+
			`<img src="x.png"></p>]]></content:encoded></item>`, i, i, i, i, text)
	}
	const rssHead = `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" ` +
		`xml:base="https://base.example/"><channel><title>F</title><link>https://site.example/</link>`
	rss := rssHead + listed(rssItem, "\n<!-- between -->\n") + `</channel></rss>`
	long := rssHead
	for i := range 300 {
		long += rssItem(i)
	}
	all := map[string]struct{ doc, contentType string }{
		"RSS": {rss, ""},
		"RSS with the channel's link behind the items": {`<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/` +
			`modules/content/"><channel><title>F</title>` + listed(rssItem, "") + `<link>https://site.example/</link>` +
			`</channel></rss>`, ""},
		"RSS without end tags": {`<rss version="2.0"><channel><title>F</title>` + listed(func(i int) string {
			return fmt.Sprintf("<item><guid>%d</guid><description>%d %s</description>", i, i, text)
		}, "") + `</channel></rss>`, ""},
		"RSS, cut off":         {rss[:len(rss)-len(text)], ""},
		"RSS behind a warning": {"Warning: x in /y on line 3<br />\n" + rss, ""},
		"RSS of 300 items":     {long + "</channel></rss>", ""},
		"RSS whose items share guids": {`<rss version="2.0"><channel><title>F</title>` + listed(func(i int) string {
			return fmt.Sprintf(`<item><guid>%d</guid><link>https://site.example/%d</link><title>t%d</title><description>%d %s`+
				`</description></item>`, i/2, i, i, i, text)
		}, "") + `</channel></rss>`, ""},
		"RSS without guids and links": {`<rss version="2.0"><channel><title>F</title>` + listed(func(i int) string {
			return fmt.Sprintf(`<item><title>t%d</title><description>%d %s</description></item>`, i, i, text)
		}, "") + `</channel></rss>`, ""},
		"RDF": {`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">` +
			`<channel rdf:about="https://site.example/"><title>F</title><items><rdf:Seq/></items></channel>` +
			listed(func(i int) string {
				return fmt.Sprintf(`<item rdf:about="https://site.example/%d"><title>t%d</title><link>https://site.example/%d`+
					`</link><description>%d %s</description></item>`, i, i, i, i, text)
			}, "") + `</rdf:RDF>`, ""},
		"Atom": {`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/b/"><title>F</title><author><name>N</name>` +
			`</author><subtitle>` + listed(func(i int) string {
			return fmt.Sprintf(`<entry xml:base="%d/"><id>tag:x,%d</id><title>t%d</title><link href="%d.html"/><content `+
				`type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><a href="z">%d</a> %s</div></content></entry>`,
				i, i, i, i, i, text)
		}, "") + `</feed>`, ""},
		"JSON Feed": {`{"version":"https://jsonfeed.org/version/1.1","title":"F","items":[null, ` +
			listed(func(i int) string {
				return fmt.Sprintf(`{"id":"%d","url":"https://site.example/%d","content_html":"<p>%d %s</p>"}`, i, i, i, text)
			}, " ,\n") + ` ],"language":"ja"}`, ""},
	}
	inEUC, err := japanese.EUCJP.NewEncoder().String(`<?xml version="1.0" encoding="EUC-JP"?><rss version="2.0"><channel>` +
		`<title>日本語</title>` + listed(func(i int) string {
		return fmt.Sprintf(`<item><guid>%d</guid><description>%d の本文です。%s</description></item>`, i, i, text)
	}, "") + `</channel></rss>`)
	if err != nil {
		t.Fatal(err)
	}
	all["EUC-JP"] = struct{ doc, contentType string }{inEUC, "text/xml; charset=euc-jp"}
	return all
}

func TestExcerpts(t *testing.T) {
	t.Parallel()
	for name, d := range documents(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, chosen := range []int{0, 1, 5, itemsOfExcerpts - 2} {
				if excerpt(t, []byte(d.doc), d.contentType, feedURL, func(i int) bool { return i == chosen }) == nil &&
					name != "RSS without end tags" { // which gofeed reads
					t.Errorf("no excerpt with item %d", chosen)
				}
			}
			if excerpt(t, []byte(d.doc), d.contentType, feedURL, func(int) bool { return false }) != nil {
				t.Error("an excerpt of nothing")
			}
			if excerpt(t, []byte(d.doc), d.contentType, feedURL, func(int) bool { return true }) != nil {
				t.Error("an excerpt of everything")
			}
		})
	}
}

// FuzzExcerpt: from whatever document, an excerpt has what it should or is not made.
func FuzzExcerpt(f *testing.F) {
	for name, d := range documents(f) {
		if name == "RSS of 300 items" { // slow, and nothing new
			continue
		}
		f.Add([]byte(d.doc), d.contentType, byte(1))
		f.Add([]byte(d.doc), d.contentType, byte(1<<3))
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string, mask byte) {
		excerpt(t, body, contentType, feedURL, func(i int) bool { return mask>>(i%8)&1 == 1 })
	})
}
