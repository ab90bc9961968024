package extract

import (
	"errors"
	"strings"
	"testing"
)

// TestFeedWithin: the document begins at the first root that is a feed's, whatever a server has put in front of it.
func TestFeedWithin(t *testing.T) {
	t.Parallel()
	const (
		decl = `<?xml version="1.0" encoding="utf-8"?>`
		rss  = `<rss version="2.0"><channel><title>F</title><item><guid>1</guid><title>Grüße</title></item></channel>` +
			`</rss>`
		atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><entry><id>1</id><title>Grüße</title></` +
			`entry></feed>`
		rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" ` +
			`xmlns="http://purl.org/rss/1.0/"><channel><title>F</title></channel><item><link>https://a.example/1</` +
			`link><title>Grüße</title></item></rdf:RDF>`
		json = `{"version":"https:\/\/jsonfeed.org\/version\/1","title":"F","items":[{"id":"1","title":"Grüße",` +
			`"content_html":"<p>x</p>"}]}`
	)
	for name, doc := range map[string]string{
		"a warning of PHP": "<br />\n<b>Warning</b>:  Undefined variable $x in <b>/srv/a.php</b> on line " +
			"<b>12</b><br />\n" + decl + rss,
		"many warnings": strings.Repeat("<br />\n<b>Notice</b>: x in <b>/srv/a.php</b><br />\n", 40) + decl +
			rss,
		"a warning as text":      "PHP Warning: a < b in /srv/a.php\n" + decl + rss,
		"a script":               `<script>if (a < b) document.write("<rss version='2.0'>")</script>` + decl + rss,
		"a style sheet":          `<link rel="stylesheet" href="x.css">` + "\n" + decl + atom,
		"a comment of a feed":    `<div></div><!-- <rss version="2.0"> -->` + decl + rss,
		"a page around it":       "<!DOCTYPE html><html><head><title>F</title></head><body>" + rss + "</body></html>",
		"a page around Atom":     "<html><body><div>" + decl + atom + "</div></body></html>",
		"RDF behind an element":  "<br/>" + decl + rdf,
		"a zero byte in front":   "\x00" + decl + rss,
		"zero bytes within":      decl + strings.ReplaceAll(rss, "Gr", "G\x00r"),
		"zero bytes behind":      decl + rss + "\x00\x00\x00",
		"JSON with a guard":      ")]}',\n" + json,
		"JSON with another":      "while(1);" + json,
		"JSON of a function":     "/**/callback(" + json + ");",
		"JSON after a warning":   "<br />\n<b>Warning</b>: {x}<br />\n" + json,
		"JSON after a zero byte": "\x00" + json,
		"a bracket in front":     "[error] <br>" + decl + rss,
	} {
		feed, err := Scan([]byte(doc), "text/html; charset=utf-8", "https://a.example/f", Options{})
		if err != nil || len(feed.Items) != 1 || feed.Items[0].Title != "Grüße" || feed.Title != "F" || feed.Fallback {
			t.Errorf("%s: %+v, %v", name, feed, err)
		}
	}
	for name, c := range map[string]struct{ doc, code string }{
		"a page that quotes a feed": {"<!DOCTYPE html><html><body><pre>" + rss +
			"</pre></body></html>", CodeHTML},
		"a page with a field": {"<html><body><textarea>" + decl + rss + "</textarea></body></html>",
			CodeHTML},
		"a page with a script":       {"<html><script>var a = '" + rss + "'</script></html>", CodeHTML},
		"a page with escaped source": {"<html><body>&lt;rss version=&quot;2.0&quot;></body></html>", CodeHTML},
		"a page with a licence": {
			`<html><body><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" ` +
				`xmlns="http://web.resource.org/cc/"><Work/></rdf:RDF></body></html>`, CodeHTML},
		"a page with an element so named": {"<html><body><feed><entry></entry></feed></body></html>", CodeHTML},
		"a page with an empty feed":       {`<html><body>see <rss version="2.0"></body></html>`, CodeHTML},
		"a page that links the standard": {
			`<html><script>{"a":1}</script><a href="https://jsonfeed.org/">x</a></html>`, CodeHTML},
		"far behind":              {"<html><body>" + strings.Repeat("<p>x</p>", 2000) + rss, CodeHTML},
		"a script without an end": {"<script>" + rss, CodeHTML},
		"other XML":               {`<?xml version="1.0"?><opml version="2.0"><body/></opml>`, CodeNotAFeed},
		"a list of JSON":          {`[{"a":1}]`, CodeBadJSON},
		"a picture": {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR<\x00\x01\x02\x03\x04\x05\x06\x0e\x0f",
			CodeBinary},
	} {
		var e *Error
		if feed, err := Scan([]byte(c.doc), "", "", Options{}); !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: %+v, %v; want %s", name, feed, err, c.code)
		}
	}
}
