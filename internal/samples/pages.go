package samples

import (
	"bytes"
	"html/template"
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

var itemTemplate = template.Must(template.New("item").Parse(`<!DOCTYPE html>
<html lang="{{.Lang}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Item.Title}} – {{.Channel.Title}}</title>
<link rel="stylesheet" href="/samples/style.css">
<link rel="alternate" type="{{.Channel.ContentType}}" title="{{.Channel.Title}}" href="{{.Channel.Path}}">
</head>
<body>
<nav><a href="/samples/" lang="en">Sample feeds</a></nav>
<main>
<h1>{{.Item.Title}}</h1>
{{with .Item.Date}}<p><time datetime="{{.}}">{{.}}</time></p>
{{end}}{{with .Item.Sound}}<audio controls preload="none" src="{{.}}"></audio>
{{end}}{{.Item.Body}}
</main>
</body>
</html>
`))

var indexTemplate = template.Must(template.New("index").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sample feeds / 見本のフィード</title>
<link rel="stylesheet" href="/samples/style.css">
{{range .}}<link rel="alternate" type="{{.ContentType}}" title="{{.Title}}" href="{{.Path}}">
{{end}}</head>
<body>
<main>
<h1>Sample feeds <span lang="ja">見本のフィード</span></h1>
<p>These feeds come with the reader, so that it is not empty on the first day. Subscribe to them, read them, and let them go again.</p>
<p lang="ja">リーダーに最初から入っている見本です。購読し、読み、要らなくなったら解除してください。</p>
<ul>
{{range .}}<li lang="{{.Lang}}"><a href="{{.Path}}" type="{{.ContentType}}">{{.Title}}</a> <small lang="en">({{.ContentType}}, {{.Items}} items)</small></li>
{{end}}</ul>
</main>
</body>
</html>
`))

func indexPage() []byte { return render(indexTemplate, List()) }

// itemPage is the page an item links to. Its body is our own markup and goes in as it is.
func itemPage(c *channel, it item) []byte {
	var view struct {
		Lang    string
		Channel Feed
		Item    struct {
			Title, Date, Sound string
			Body               template.HTML
		}
	}
	view.Lang = c.lang
	if it.lang != "" {
		view.Lang = it.lang
	}
	view.Channel = Feed{Path: c.path(), Title: c.title, ContentType: formats[c.format].mediaType}
	view.Item.Title = it.title
	view.Item.Body = template.HTML(it.markup()) //nolint:gosec // compiled into the binary
	if !it.date.IsZero() {
		view.Item.Date = it.date.Format("2006-01-02")
	}
	if len(it.tone) > 0 {
		view.Item.Sound = c.sound(it)
	}
	return render(itemTemplate, view)
}

func render(t *template.Template, data any) []byte {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		panic(err) // our own templates and texts; a test renders all of them
	}
	return b.Bytes()
}
