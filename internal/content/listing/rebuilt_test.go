package listing

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// generatedPart is what tools write into a class name: css-1q2w3e, Card_title__1q2w3, price--3zUvK.
var generatedPart = regexp.MustCompile(`^((?:css|sc|jss|emotion)-|.+?(?:__|--|-module__?))([A-Za-z0-9]{4,10})$`)

// rebuilt is a page after a release of its site: other generated class names, a mark at the beginning of each row, the
// first two rows gone, an advertisement among the others.
func rebuilt(t *testing.T, r *release, l *Layout) *release {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	sel, bad := parseSelector(l.Rows.Selector)
	if bad != nil {
		t.Fatal(bad)
	}
	rows, ok := sel.find(root, 0, newBudget(t.Context(), maxSteps))
	if !ok || len(rows) < 6 {
		return nil
	}
	for n := range root.Descendants() {
		for i := range n.Attr {
			if n.Attr[i].Key != "class" {
				continue
			}
			classes := strings.Fields(n.Attr[i].Val)
			for j, c := range classes {
				m := generatedPart.FindStringSubmatch(c)
				switch {
				case m != nil && strings.ContainsAny(m[2], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
					classes[j] = m[1] + "Zq" + fmt.Sprint(len(m[2])) + m[2][1:3]
				case !wordClass.MatchString(c):
					classes[j] = "q" + c[1:]
				}
			}
			n.Attr[i].Val = strings.Join(classes, " ")
		}
	}
	out := &release{name: r.name + " (rebuilt)", url: r.url, next: r.next, rows: map[string]*releaseRow{}}
	base, err := parsePage(t.Context(), r.body, "text/html; charset=utf-8", r.url)
	if err != nil {
		t.Fatal(err)
	}
	for link, row := range r.rows {
		out.rows[link] = row
	}
	for _, n := range rows[:2] {
		delete(out.rows, base.link(linkOf(n)))
		for c := range n.Descendants() {
			delete(out.rows, base.link(attr(c, "href")))
		}
		n.Parent.RemoveChild(n)
	}
	var b bytes.Buffer
	if err := html.Render(&b, rows[3]); err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`href="[^"]*"`).ReplaceAllString(b.String(), `href="https://click.example/?c=77"`)
	nodes, err := html.ParseFragment(strings.NewReader(text), rows[4].Parent)
	if err != nil {
		t.Fatal(err)
	}
	mark := func(n *html.Node, text string) {
		if n.Data == "table" || n.Data == "tr" || n.Data == "tbody" {
			for c := range n.Descendants() {
				if c.Data == "td" {
					n = c
					break
				}
			}
		}
		d := &html.Node{Type: html.ElementNode, Data: "div"}
		s := &html.Node{Type: html.ElementNode, Data: "span"}
		s.AppendChild(&html.Node{Type: html.TextNode, Data: text})
		d.AppendChild(s)
		n.InsertBefore(d, n.FirstChild)
	}
	for _, n := range nodes {
		if n.Type == html.ElementNode {
			mark(n, "Sponsored")
			rows[4].Parent.InsertBefore(n, rows[4])
		}
	}
	for _, n := range rows[2:] {
		mark(n, "✓")
	}
	b.Reset()
	if err := html.Render(&b, root); err != nil {
		t.Fatal(err)
	}
	out.body = b.Bytes()
	return out
}

// A watch goes on when the page is built in another way. Pages that are not read whole before that are left out.
func TestRebuiltPages(t *testing.T) {
	t.Parallel()
	names, all, survived := releaseNames(t, ".html"), 0, 0
	for i, name := range names {
		if testing.Short() && i%5 > 0 || slices.Contains(notWhole, name) {
			continue
		}
		before := readRelease(t, name)
		d, p := detected(t, name, before.body, "text/html; charset=utf-8", before.url)
		if len(d.Candidates) == 0 || d.Candidates[0].Source != "rows" {
			continue
		}
		layout := d.Candidates[0].Layout
		after := rebuilt(t, before, &layout)
		if after == nil {
			continue
		}
		all++
		titles, priced := map[uint64]string{}, 0
		for i := range p.Rows {
			titles[p.Rows[i].Key] = p.Rows[i].Title
			if p.Rows[i].Price != nil {
				priced++
			}
		}
		known := func(r *Row) (bool, bool) {
			title, ok := titles[r.Key]
			return ok, title == r.Title
		}
		now, err := Read(t.Context(), after.body, "text/html; charset=utf-8", after.url, &layout)
		if err != nil {
			t.Fatal(err)
		}
		how := "the layout still holds"
		if isSuspect(now, known, priced*2 > len(p.Rows)) {
			how = "detected anew"
			c, ok := Redetect(t.Context(), after.body, "text/html; charset=utf-8", after.url, &layout, known)
			if !ok {
				t.Logf("%-22s no layout replaces %+v", name, layout)
				continue
			}
			now = c.Page
		}
		now.Rows = slices.DeleteFunc(now.Rows, func(r Row) bool { return strings.Contains(r.Link, "click.example") })
		s := after.score(now)
		if s.links.recall() >= 0.9 && s.right*10 >= s.rows*9 && s.wrong == 0 {
			survived++
			continue
		}
		t.Logf("%-22s %s: %v %q %v", name, how, s, s.examples[:min(len(s.examples), 3)], layout.Fields)
	}
	t.Logf("%d of %d", survived, all)
	if survived*20 < all*19 {
		t.Errorf("%d of %d rebuilt pages are survived", survived, all)
	}
}
