package assist

import (
	"strings"

	"github.com/ruri-reader/ruri/internal/content/sanitize"
)

// paragraph is a block of an article, as one line of plain text.
type paragraph struct {
	text string
	// isProse is false of headings, captions, cells and code: none of their sentences stands for the article.
	isProse bool
}

// blocks are the elements that end a paragraph, and whether prose begins with them.
var blocks = map[string]bool{
	"p": true, "div": true, "li": true, "ul": true, "ol": true, "blockquote": true, "section": true, "article": true,
	"br": true, "hr": true, "dd": true, "figure": true, "details": true,
	"h1": false, "h2": false, "h3": false, "h4": false, "h5": false, "h6": false, "dt": false, "pre": false,
	"figcaption": false, "table": false, "tr": false, "td": false, "th": false, "summary": false,
}

// paragraphs splits sanitised HTML, in which a tag ends at the next ">".
func paragraphs(html string) []paragraph {
	var list []paragraph
	from, isProse := 0, true
	add := func(to int) {
		if text := sanitize.Text(html[from:to]); text != "" {
			list = append(list, paragraph{text, isProse})
		}
	}
	for at := 0; ; {
		open := strings.IndexByte(html[at:], '<')
		if open < 0 {
			break
		}
		open += at
		length := strings.IndexByte(html[open:], '>')
		if length < 0 {
			break
		}
		at = open + length + 1
		name, isEnd := strings.CutPrefix(html[open+1:at-1], "/")
		if i := strings.IndexAny(name, " /"); i >= 0 {
			name = name[:i]
		}
		if begins, isBlock := blocks[name]; isBlock {
			add(open)
			from, isProse = at, isEnd || begins
		}
	}
	add(len(html))
	return list
}
