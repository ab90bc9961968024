package samples

import (
	"fmt"
	"html"
	"strings"
)

const htmlType = "text/html; charset=utf-8"

// style keeps to what the pages need; they are seen once, by the curious.
const style = `:root { color-scheme: light dark; font: 1.05rem/1.75 system-ui, sans-serif; }
body { max-width: 38rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1, h2 { line-height: 1.35; }
pre { overflow-x: auto; padding: 0.75rem 1rem; border: 1px solid; border-radius: 6px; }
table { border-collapse: collapse; }
caption { text-align: start; font-weight: 600; }
th, td { border: 1px solid; padding: 0.3rem 0.7rem; text-align: start; }
blockquote { margin-inline: 0; padding-inline-start: 1rem; border-inline-start: 3px solid; }
audio { width: 100%; }
`

// The pages are put together by hand: html/template looks methods up by name, which keeps every method of the
// program alive and made the binary 15 MB larger.
const itemHead = `<!DOCTYPE html>
<html lang="%s">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%[2]s – %[3]s</title>
<link rel="stylesheet" href="/samples/style.css">
%[4]s</head>
<body>
<nav><a href="/samples/" lang="en">Sample feeds</a></nav>
<main>
<h1>%[2]s</h1>
`

const pageFoot = `</main>
</body>
</html>
`

const indexHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sample feeds / 見本のフィード</title>
<link rel="stylesheet" href="/samples/style.css">
%s</head>
<body>
<main>
<h1>Sample feeds <span lang="ja">見本のフィード</span></h1>
<p>These feeds come with the reader, so that it is not empty on the first day. Subscribe to them, read them, and let them go again.</p>
<p lang="ja">リーダーに最初から入っている見本です。購読し、読み、要らなくなったら解除してください。</p>
<ul>
`

// page is a page being written. What it is given to write is text; only markup goes in as it is.
type page struct{ strings.Builder }

// add writes a format, its values escaped for text and quoted attributes.
func (p *page) add(format string, values ...string) {
	escaped := make([]any, len(values))
	for i, v := range values {
		escaped[i] = html.EscapeString(v)
	}
	fmt.Fprintf(p, format, escaped...)
}

func alternate(f Feed) string {
	var p page
	p.add("<link rel=\"alternate\" type=\"%s\" title=\"%s\" href=\"%s\">\n", f.ContentType, f.Title, f.Path)
	return p.String()
}

func indexPage() []byte {
	var p page
	var links strings.Builder
	for _, f := range List() {
		links.WriteString(alternate(f))
	}
	fmt.Fprintf(&p, indexHead, links.String())
	for _, f := range List() {
		p.add("<li lang=\"%s\"><a href=\"%s\" type=\"%s\">%s</a> <small lang=\"en\">(%[3]s, ", f.Lang, f.Path, f.ContentType, f.Title)
		fmt.Fprintf(&p, "%d items)</small></li>\n", f.Items)
	}
	p.WriteString("</ul>\n" + pageFoot)
	return []byte(p.String())
}

// itemPage is the page an item links to. Its body is our own markup and goes in as it is.
func itemPage(c *channel, it item) []byte {
	var p page
	feed := Feed{Path: c.path(), Title: c.title, ContentType: formats[c.format].mediaType}
	lang := c.lang
	if it.lang != "" {
		lang = it.lang
	}
	fmt.Fprintf(&p, itemHead, html.EscapeString(lang), html.EscapeString(it.title), html.EscapeString(c.title), alternate(feed))
	if !it.date.IsZero() {
		p.add("<p><time datetime=\"%s\">%[1]s</time></p>\n", it.date.Format("2006-01-02"))
	}
	if len(it.tone) > 0 {
		p.add("<audio controls preload=\"none\" src=\"%s\"></audio>\n", c.sound(it))
	}
	p.WriteString(it.markup() + "\n" + pageFoot)
	return []byte(p.String())
}
