package extract

import (
	"strings"
	"testing"
)

func TestEntitiesOfTheDocument(t *testing.T) {
	t.Parallel()
	many := func(n int, text string) string { return strings.Repeat(text, n) }
	for _, c := range []struct{ name, subset, text, want string }{
		{"text", `<!ENTITY pub "The Daily &#169; 'Post'">`, "a &pub; b", "a The Daily © 'Post' b"},
		{"single quotes, over lines", "<!ENTITY\n pub\t'Post \"x\"'\n>", "&pub;&pub;", `Post "x"Post "x"`},
		{"the first declaration counts", `<!ENTITY p "one"><!ENTITY p "two">`, "&p;", "one"},
		{"behind others", `<!ELEMENT rss ANY><!-- <!ENTITY p "no"> --><!ENTITY % q "no"><!ENTITY p "yes">`, "&p; &q;",
			"yes &q;"},
		{"a name of HTML", `<!ENTITY nbsp "space"><!ENTITY eacute "e">`, "x&nbsp;y&eacute;", "x yé"},
		{"in a section", `<!ENTITY p "no">`, "<![CDATA[&p;]]>", "&p;"},
		{"of another document", `<!ENTITY p SYSTEM "file:///etc/passwd"><!ENTITY q PUBLIC "a" "http://x/">`, "&p;&q;",
			"&p;&q;"},
		{"nested", `<!ENTITY a "ha"><!ENTITY b "&a;&a;">`, "&a; &b;", "ha &b;"},
		{"markup", `<!ENTITY a "1 &lt; 2"><!ENTITY b "<title>x</title>">`, "&a;&b;", "1 < 2&b;"},
		{"too long", `<!ENTITY a "` + many(maxEntityText+1, "x") + `">`, "&a;", "&a;"},
		{"without an end", `<!ENTITY a "x`, "&a;", "&a;"},
		{"references without an end", `<!ENTITY a "x">`, "&a &a& &;", "&a &a& &;"},
	} {
		doc := `<?xml version="1.0"?><!-- x --><!DOCTYPE rss [` + c.subset + `]><rss><channel><title>T</title><item>` +
			`<guid>1</guid><title>` + c.text + `</title></item></channel></rss>`
		if f, err := Scan([]byte(doc), "", "", Options{}); err != nil {
			if c.name != "without an end" {
				t.Errorf("%s: %v", c.name, err)
			}
		} else if got := f.Items[0].Title; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	late := `<rss><channel><item><title>&p;</title><description><![CDATA[<!DOCTYPE x [<!ENTITY p "no">]>]]></description>` +
		`</item></channel></rss>`
	if f, err := Scan([]byte(late), "", "", Options{}); err != nil || f.Items[0].Title != "&p;" {
		t.Errorf("a DOCTYPE within: %+v, %v", f, err)
	}
	large := []byte(`<!DOCTYPE rss [<!ENTITY a "` + many(maxEntityText, "x") + `">]><rss>` + many(1<<20, "&a;"))
	if got := len(expandEntities(large)); got > len(large)+2*maxEntityAdded {
		t.Errorf("%d bytes grew to %d", len(large), got)
	}
}
