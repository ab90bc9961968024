package listing

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	fewestLines = 3 // that make a list
	leastBeside = 4 // how wide the text beside the link of a line is
)

// wrapLines makes a span of each line of a list that only line breaks divide ("2026.11.20 <a>…</a><br>"), so that the
// text beside a link is in the same row as the link. Lists whose lines are links alone stay as they are.
func (d *document) wrapLines() {
	breaks := map[*html.Node]int{}
	var lists []*html.Node
	for n := range d.root.Descendants() {
		if isElement(n, atom.Br) && n.Parent != nil {
			if breaks[n.Parent]++; breaks[n.Parent] == fewestLines-1 {
				lists = append(lists, n.Parent)
			}
		}
	}
	for _, list := range lists {
		lines := linesOf(list)
		linked, beside := 0, 0
		for _, line := range lines {
			links, width := besideLink(line)
			if links == 1 {
				linked++
			}
			if links == 1 && width >= leastBeside {
				beside++
			}
		}
		if beside < fewestLines || beside*2 < linked || linked*2 < len(lines) {
			continue
		}
		for _, line := range lines {
			span := &html.Node{Type: html.ElementNode, DataAtom: atom.Span, Data: "span"}
			list.InsertBefore(span, line[0])
			for _, n := range line {
				list.RemoveChild(n)
				span.AppendChild(n)
			}
		}
	}
}

// linesOf divides the texts and inline elements of an element at its line breaks; nil if it has other elements.
func linesOf(list *html.Node) (lines [][]*html.Node) {
	var line []*html.Node
	end := func() {
		if len(line) > 0 {
			lines = append(lines, line)
		}
		line = nil
	}
	for n := list.FirstChild; n != nil; n = n.NextSibling {
		switch {
		case isElement(n, atom.Br):
			end()
		case n.Type == html.ElementNode && !inline(n.DataAtom) && !isElement(n, atom.Img):
			return nil
		case n.Type == html.ElementNode || n.Type == html.TextNode && oneLine(n.Data) != "":
			line = append(line, n)
		}
	}
	end()
	return lines
}

// besideLink counts the links of a line, and how wide the texts beside them are.
func besideLink(line []*html.Node) (links, beside int) {
	for _, n := range line {
		switch {
		case isElement(n, atom.A) && hasAttr(n, "href"):
			links++
		case n.Type == html.TextNode:
			beside += width(oneLine(n.Data))
		default:
			beside += width(textOf(n, nil))
			for c := range n.Descendants() {
				if isElement(c, atom.A) && hasAttr(c, "href") {
					links++
				}
			}
		}
	}
	return links, beside
}
