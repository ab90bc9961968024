package fulltext

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

const (
	// maxData is the length of a script that is read, maxDataDepth how deep it is looked into.
	maxData      = 1 << 20
	maxDataDepth = 8
)

// articleBody is the longest text that the page's data (JSON-LD) calls the body of an article; "" if there is none, or
// if the data says that it has to be paid for.
func articleBody(doc *html.Node) (body string) {
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Data != "script" || n.FirstChild == nil {
			continue
		}
		script := n.FirstChild.Data
		if len(script) > maxData || !strings.Contains(script, "articleBody") {
			continue
		}
		var data any
		if json.Unmarshal([]byte(script), &data) == nil {
			body = longer(body, bodyIn(data, maxDataDepth))
		}
	}
	return body
}

func bodyIn(data any, depth int) (body string) {
	if depth == 0 {
		return ""
	}
	switch v := data.(type) {
	case []any:
		for _, one := range v {
			body = longer(body, bodyIn(one, depth-1))
		}
	case map[string]any:
		if free := v["isAccessibleForFree"]; free == false || free == "False" || free == "false" {
			return ""
		}
		body, _ = v["articleBody"].(string)
		for _, name := range [...]string{"@graph", "mainEntity", "mainEntityOfPage"} {
			body = longer(body, bodyIn(v[name], depth-1))
		}
	}
	return body
}

func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}

// orData returns the article that was found in the markup, or the one in the data if that has much more text.
func orData(f found, characters int, body string) found {
	isMarkup := strings.Contains(body, "</p>") || strings.Contains(body, "<br")
	if !isMarkup {
		body = html.UnescapeString(body)
	}
	if n := utf8.RuneCountInString(body); n < enough || n < 2*characters {
		return f
	}
	if f.html = body; isMarkup {
		return f
	}
	var b strings.Builder
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString("<p>" + html.EscapeString(line) + "</p>")
		}
	}
	f.html = b.String()
	return f
}
