package sanitize

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/formula"
)

// Text returns what a reader would see of the markup as one line of plain text: tags removed, scripts
// and the like dropped with their content, readings (ruby) too, references decoded, blocks kept apart by a space, white
// space collapsed. The result is text, not markup: it must be escaped when it is shown.
func Text(in string) string {
	if !strings.ContainsAny(in, "<&") {
		return strings.Join(strings.Fields(clean(in, maxInput)), " ")
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(clean(in, maxInput)))
	var skip skipper
	var over ruby
	for {
		switch tt := z.Next(); tt {
		case html.ErrorToken:
			return strings.Join(strings.Fields(clean(b.String(), maxInput)), " ")
		case html.TextToken:
			if !skip.active() && !over.isReading {
				b.Write(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			tag, _ := z.TagName()
			name := string(tag)
			if rawText[name] && (tt == html.SelfClosingTagToken || name == "noscript") {
				z.NextIsNotRawText()
			}
			if formula.IsMath(name) && !skip.active() {
				f, broken := formula.Read(z, nil, tt == html.SelfClosingTagToken)
				b.WriteString(f.Text())
				if broken == nil {
					continue
				}
				name = broken.Name
			}
			skip.start(name, tt == html.SelfClosingTagToken)
			over.tag(name, false)
			separate(&b, name)
		case html.EndTagToken:
			tag, _ := z.TagName()
			skip.end(string(tag))
			over.tag(string(tag), true)
			separate(&b, string(tag))
		}
	}
}

// ruby tells the readings over a text from the text.
type ruby struct{ isInside, isReading bool }

func (r *ruby) tag(name string, isEnd bool) {
	switch name {
	case "ruby":
		r.isInside, r.isReading = !isEnd, false
	case "rt", "rp", "rtc":
		r.isReading = r.isInside && !isEnd
	case "rb":
		r.isReading = false
	default:
		if out := shown[name]; block[out] {
			*r = ruby{}
		}
	}
}

// separate keeps the words of neighbouring blocks and cells apart.
func separate(b *strings.Builder, name string) {
	out := shown[name]
	if block[out] || tablePart[out] || out == "br" || out == "hr" {
		b.WriteByte(' ')
	}
}
