package extract

import (
	"strings"
	"testing"
)

// The text of an item is its whole body without markup, the content rather than the summary, in each format.
func TestTextIsTheWholeBody(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 3000)
	plain := strings.TrimSpace(long) + " end"
	html := "<p>" + long + "</p><script>no</script><b>end</b>"
	escaped := strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(html)
	rss := func(in string) string {
		return `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" ` +
			`xmlns:media="http://search.yahoo.com/mrss/"><channel><title>t</title><item><guid>1</guid>` + in +
			`</item></channel></rss>`
	}
	for name, c := range map[string]struct{ doc, want string }{
		"content before description": {rss(`<description>summary</description><content:encoded><![CDATA[` + html +
			`]]></content:encoded>`), plain},
		"escaped description": {rss(`<description>` + escaped + `</description>`), plain},
		"empty content": {
			rss(`<description>summary</description><content:encoded><![CDATA[<img src="x">]]></content:encoded>`),
			"summary"},
		"media description": {rss(`<media:description>about</media:description>`), "about"},
		"none":              {rss(`<title>x</title>`), ""},
		"Atom": {
			`<feed xmlns="http://www.w3.org/2005/Atom"><id>f</id><entry><id>1</id><summary>summary</summary><content ` +
				`type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">` +
				`<p>` + long + `</p><b>end</b></div></content></entry></feed>`, plain},
		"JSON HTML": {
			`{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[{"id":"1","summary":"s",` +
				`"content_html":"<p>` + long + `</p><b>end</b>"}]}`, plain},
		"JSON text": {
			`{"version":"https://jsonfeed.org/version/1.1","title":"t","items":[{"id":"1","summary":"s",` +
				`"content_text":"` + plain + `"}]}`, plain},
		"damaged, as gofeed reads it": {
			`<rss version="2.0"><channel><title>t</title><item><guid>1</guid><title>a</b></title><description>` +
				escaped + `</description></item></channel></rss>`, plain},
	} {
		feed, err := Scan([]byte(c.doc), "", "https://example.org/", Options{Text: true})
		if err != nil || len(feed.Items) != 1 {
			t.Errorf("%s: %v, %+v", name, err, feed)
			continue
		}
		if got := feed.Items[0].Text; got != c.want {
			t.Errorf("%s: %d bytes, %.40q … %.20q", name, len(got), got, got[max(0, len(got)-20):])
		}
		if feed, err = Scan([]byte(c.doc), "", "https://example.org/", Options{Length: true}); err != nil ||
			feed.Items[0].Length != len([]rune(c.want)) || feed.Items[0].Text != "" {
			t.Errorf("%s: %d characters, want %d; %v", name, feed.Items[0].Length, len([]rune(c.want)), err)
		}
		if feed, err = Scan([]byte(c.doc), "", "https://example.org/", Options{}); err != nil ||
			feed.Items[0].Text != "" || feed.Items[0].Length != 0 {
			t.Errorf("%s: a text that nobody asked for; %v", name, err)
		}
	}
	huge := rss(`<description>` + strings.Repeat("あいうえお ", 200_000) + `</description>`)
	feed, err := Scan([]byte(huge), "", "", Options{Text: true})
	if err != nil || len([]rune(feed.Items[0].Text)) > textRunes || len(feed.Items[0].Text) < textRunes {
		t.Errorf("%d bytes of a huge body, %v", len(feed.Items[0].Text), err)
	}
}
