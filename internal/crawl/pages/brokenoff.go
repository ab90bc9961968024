package pages

import (
	"bytes"

	"golang.org/x/net/html"
)

// breaksOff reports whether the markup of a page ends in the middle: neither body nor document is closed, and elements
// are open whose end tags nobody may leave out. The last row of such a page may be half of one.
func breaksOff(body []byte) bool {
	tail := bytes.ToLower(body[max(0, len(body)-(4<<10)):])
	if bytes.Contains(tail, []byte("</html")) || bytes.Contains(tail, []byte("</body")) {
		return false
	}
	open := map[string]int{}
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			for _, n := range open {
				if n > 0 {
					return true
				}
			}
			return false
		case html.StartTagToken:
			if name, _ := z.TagName(); mustEnd[string(name)] {
				open[string(name)]++
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); mustEnd[string(name)] {
				open[string(name)]--
			}
		}
	}
}

// mustEnd are the elements around and in rows that HTML requires an end tag of.
var mustEnd = map[string]bool{
	"ul": true, "ol": true, "dl": true, "div": true, "table": true, "section": true, "main": true, "article": true,
	"a": true, "span": true,
	"h1": true, "h2": true, "h3": true, "h4": true, "b": true, "strong": true,
}

func isMarkup(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, "\ufeff \t\r\n"), []byte("<"))
}
