package sanitize

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

// fragment parses markup the way a browser does with innerHTML of a div.
func fragment(t testing.TB, markup string) *html.Node {
	t.Helper()
	div := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(strings.NewReader(markup), div)
	if err != nil {
		t.Fatalf("parse %q: %v", markup, err)
	}
	for _, n := range nodes {
		div.AppendChild(n)
	}
	return div
}

var (
	bannedElements = set(strings.Fields("script style iframe frame frameset object embed applet base meta link form " +
		"input button textarea select option keygen isindex noscript template svg portal layer ilayer bgsound xml " +
		"marquee plaintext xmp noembed noframes title html head body dialog slot")...)
	mathElements = set(strings.Fields("math mi mn mo mtext ms mrow mfrac msqrt mroot mstyle merror mpadded " +
		"mphantom msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd mspace")...)
	bannedAttrs  = set("formaction", "ping", "srcdoc", "http-equiv", "contenteditable", "autofocus", "is", "slot")
	addressAttrs = set("href", "src", "srcset", "action", "poster", "background", "cite", "longdesc", "data",
		"xlink:href", "usemap", "icon", "manifest", "profile", "lowsrc", "dynsrc")
	bannedStyle = strings.Fields("expression javascript url( @import behavior -moz-binding fixed absolute")
	bannedNames = set("location", "document", "cookie", "body", "forms", "attributes", "parentNode",
		"getElementById")
)

// violation names the first of the corpus' rules that the parsed markup breaks, "" when it is clean.
func violation(n *html.Node) string {
	for d := range n.Descendants() {
		if d.Type != html.ElementNode {
			if d.Type == html.CommentNode {
				return "comment"
			}
			continue
		}
		if bannedElements[d.Data] || d.Namespace != "" && (d.Namespace != "math" || !mathElements[d.Data]) ||
			d.Namespace == "" && d.Parent.Namespace != "" {
			return "rule 1: <" + d.Data + ">"
		}
		for _, a := range d.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on") || bannedAttrs[a.Key]:
				return "rule 2: " + a.Key
			case addressAttrs[a.Key] && !harmless(a.Val):
				return "rule 3: " + a.Key + "=" + a.Val
			case (a.Key == "id" || a.Key == "name") && bannedNames[a.Val]:
				return "rule 5: " + a.Val
			case a.Key == "style":
				for _, word := range bannedStyle {
					if strings.Contains(strings.ToLower(a.Val), word) {
						return "rule 4: " + a.Val
					}
				}
			}
		}
	}
	return ""
}

// harmless judges an address by its scheme after taking out what browsers skip.
func harmless(address string) bool {
	s := strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7F || r >= 0x80 && r <= 0xA0 || r == 0xAD || r >= 0x2000 && r <= 0x206F || r == 0xFEFF {
			return -1
		}
		return r
	}, strings.ToLower(address))
	i := strings.IndexAny(s, ":/?#")
	if i < 0 || s[i] != ':' {
		return true
	}
	switch s[:i] {
	case "http", "https", "mailto", "tel", "ftp":
		return true
	case "data":
		return isDataImage(address)
	}
	return false
}

// G-37
func TestCorpusPayloadsAreStopped(t *testing.T) {
	t.Parallel()
	dir := corpus.Dir(t, "sanitize")
	files, _ := filepath.Glob(filepath.Join(dir, "payloads-*.json"))
	if len(files) == 0 {
		t.Fatal("no payload files")
	}
	total, live, stopped, textStopped, stable := 0, 0, 0, 0, 0
	for _, file := range files {
		var payloads []struct {
			ID, Payload string
			Live        bool
		}
		corpus.ReadJSON(t, file, &payloads)
		for _, p := range payloads {
			total++
			if p.Live {
				live++
			}
			const base = "https://blog.example.org/2024/post.html"
			out := HTML(p.Payload, base)
			if v := violation(fragment(t, out)); v != "" {
				t.Errorf("%s: %s\n in: %q\nout: %q", p.ID, v, p.Payload, out)
			} else if p.Live {
				stopped++
			}
			if again := HTML(out, base); again != out {
				t.Errorf("%s: not stable\n in: %q\nout: %q\n2nd: %q", p.ID, p.Payload, out, again)
			} else {
				stable++
			}
			// As a title or an author it is text, escaped by whoever shows it.
			if v := violation(fragment(t, html.EscapeString(Text(p.Payload)))); v != "" {
				t.Errorf("%s as text: %s", p.ID, v)
			} else {
				textStopped++
			}
		}
	}
	t.Logf("payloads %d: live stopped %d of %d; as text %d of %d; stable %d of %d", total, stopped, live, textStopped,
		total, stable, total)
	if live < 4000 {
		t.Errorf("only %d live payloads: is the corpus whole?", live)
	}
}

type benign struct {
	ID, HTML, Base string
	MustKeepText   []string    `json:"must_keep_text"`
	MustKeepTags   []string    `json:"must_keep_tags"`
	MustKeepAttrs  [][3]string `json:"must_keep_attrs"`
}

func TestCorpusBenignSnippetsAreKept(t *testing.T) {
	t.Parallel()
	var snippets []benign
	corpus.ReadJSON(t, filepath.Join(corpus.Dir(t, "sanitize"), "benign.json"), &snippets)
	kept := 0
	for _, s := range snippets {
		out := HTML(s.HTML, s.Base)
		if missing := lost(t, s, out); missing != "" {
			t.Errorf("%s: lost %s\n in: %s\nout: %s", s.ID, missing, s.HTML, out)
			continue
		}
		kept++
	}
	t.Logf("benign snippets kept: %d of %d", kept, len(snippets))
}

func lost(t *testing.T, s benign, out string) string {
	root := fragment(t, out)
	var text strings.Builder
	tags := map[string]bool{}
	attrs := map[[3]string]bool{}
	for d := range root.Descendants() {
		switch d.Type {
		case html.TextNode:
			text.WriteString(d.Data)
		case html.ElementNode:
			tags[d.Data] = true
			for _, a := range d.Attr {
				attrs[[3]string{d.Data, a.Key, normal(a.Key, a.Val)}] = true
			}
		}
	}
	collapsed := strings.Join(strings.Fields(text.String()), " ")
	for _, want := range s.MustKeepText {
		if !strings.Contains(collapsed, strings.Join(strings.Fields(want), " ")) {
			return "text " + want
		}
	}
	for _, want := range s.MustKeepTags {
		if !tags[want] {
			return "element " + want
		}
	}
	for _, want := range s.MustKeepAttrs {
		want[2] = normal(want[1], want[2])
		if !attrs[want] {
			return "attribute " + strings.Join(want[:], " ")
		}
	}
	return ""
}

// normal makes addresses comparable: percent-encoding as net/url writes it.
func normal(key, val string) string {
	if key != "href" && key != "src" {
		return val
	}
	u, err := url.Parse(val)
	if err != nil {
		return val
	}
	return u.String()
}

func TestPolicyHasNothingToRemove(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob(filepath.Join(corpus.Dir(t, "sanitize"), "*.json"))
	for _, file := range files {
		var payloads []struct{ ID, Payload, HTML string }
		corpus.ReadJSON(t, file, &payloads)
		for _, p := range payloads {
			const base = "https://blog.example.org/2024/post.html"
			ours := withPlaces(clean(p.Payload+p.HTML, maxInput), parseBase(base), parseBase(base))
			if theirs := policy().Sanitize(ours); theirs != ours {
				t.Errorf("%s: the two allow-lists differ\nours:   %q\ntheirs: %q", p.ID, ours, theirs)
			}
		}
	}
}
