package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"
)

// wireItem is an item as a publisher writes it; empty parts are left out.
type wireItem struct{ guid, link, title, date, text string }

func (w wireItem) rss() string {
	var b strings.Builder
	b.WriteString("<item>")
	for _, e := range [][2]string{{"guid", w.guid}, {"link", w.link}, {"title", w.title}, {"pubDate", w.date},
		{"description", w.text}} {
		if e[1] != "" {
			fmt.Fprintf(&b, "<%s>%s</%s>", e[0], html.EscapeString(e[1]), e[0])
		}
	}
	return b.String() + "</item>"
}

func (w wireItem) atom() string {
	var b strings.Builder
	b.WriteString("<entry>")
	for _, e := range [][2]string{{"id", w.guid}, {"title", w.title}, {"published", w.date}, {"summary", w.text}} {
		if e[1] != "" {
			fmt.Fprintf(&b, "<%s>%s</%s>", e[0], html.EscapeString(e[1]), e[0])
		}
	}
	if w.link != "" {
		fmt.Fprintf(&b, `<link href="%s"/>`, html.EscapeString(w.link))
	}
	return b.String() + "</entry>"
}

// document writes a feed of items in one of the forms that are read.
func document(form string, items []wireItem) []byte {
	var b strings.Builder
	switch form {
	case "rss":
		b.WriteString(`<rss version="2.0"><channel><title>T</title>`)
		for _, w := range items {
			b.WriteString(w.rss())
		}
		b.WriteString(`</channel></rss>`)
	case "damaged": // an element without an end tag: gofeed reads it
		b.WriteString(`<rss version="2.0"><channel><title>T</title>`)
		for _, w := range items {
			b.WriteString(strings.Replace(w.rss(), "</item>", "<category>C</item>", 1))
		}
		b.WriteString(`</channel></rss>`)
	case "atom":
		b.WriteString(`<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>`)
		for _, w := range items {
			b.WriteString(w.atom())
		}
		b.WriteString(`</feed>`)
	case "json":
		list := []map[string]string{}
		for _, w := range items {
			m := map[string]string{}
			for k, v := range map[string]string{"id": w.guid, "url": w.link, "title": w.title, "date_published": w.date,
				"content_text": w.text} {
				if v != "" {
					m[k] = v
				}
			}
			list = append(list, m)
		}
		raw, err := json.Marshal(map[string]any{"version": "https://jsonfeed.org/version/1.1", "title": "T",
			"items": list})
		if err != nil {
			panic(err)
		}
		return raw
	}
	return []byte(b.String())
}

var forms = []string{"rss", "atom", "json", "damaged"}

// TestItemsThatShareAnIdentity: whatever distinguishes two listed items keeps them apart; what is listed twice
// without a difference is one item, and other items are not touched.
func TestItemsThatShareAnIdentity(t *testing.T) {
	t.Parallel()
	const day, night = "Mon, 06 Apr 2026 10:00:00 GMT", "Mon, 06 Apr 2026 22:00:00 GMT"
	own := wireItem{"own", "https://x.example/own", "Own", day, "own"}
	for _, c := range []struct {
		name string
		list []wireItem
		want int
	}{
		{"one guid, other titles", []wireItem{{"g", "", "A", day, "x"}, {"g", "", "B", day, "x"},
			{"g", "", "C", day, "x"}}, 3},
		{"one guid, other dates", []wireItem{{"g", "", "A", day, "x"}, {"g", "", "A", night, "x"}}, 2},
		{"one guid, other links",
			[]wireItem{{"g", "https://x.example/1", "A", day, "x"}, {"g", "https://x.example/2", "A", day, "x"}}, 2},
		{"no guid, one link", []wireItem{{"", "https://x.example/status", "A", day, "x"},
			{"", "https://x.example/status", "B", night, "y"}}, 2},
		{"one link, neither title nor date",
			[]wireItem{{"", "https://x.example/", "", "", "one"}, {"", "https://x.example/", "", "", "two"}}, 2},
		{"one guid and title, no date", []wireItem{{"g", "", "A", "", "one"}, {"g", "", "A", "", "two"}}, 2},
		{"the same twice", []wireItem{{"g", "", "A", day, "x"}, {"g", "", "A", day, "x"}}, 1},
		{"the same twice, the text cut", []wireItem{{"g", "", "A", day, "x and y"}, {"g", "", "A", day, "x"}}, 1},
		{"the first comes again after another", []wireItem{{"g", "", "A", day, "x"}, {"g", "", "B", day, "x"},
			{"g", "", "A", day, "x"}}, 2},
	} {
		for _, form := range forms {
			f := mustScan(t, document(form, append(append([]wireItem{own}, c.list...), own)), Options{})
			if f.Fallback != (form == "damaged") {
				t.Fatalf("%s, %s: fallback %v", c.name, form, f.Fallback)
			}
			if len(f.Items) != c.want+1 || f.Repeated != len(c.list)+1-c.want {
				t.Errorf("%s, %s: %d items, %d repeated, want %d", c.name, form, len(f.Items), f.Repeated, c.want+1)
				continue
			}
			seen := map[uint64]bool{}
			for i := range f.Items {
				seen[f.Items[i].Identity] = true
			}
			if len(seen) != len(f.Items) {
				t.Errorf("%s, %s: identities are not unique", c.name, form)
			}
			if c.list[0].guid == "g" && f.Items[1].Shared != Identity("g", "", "", "", "") {
				t.Errorf("%s, %s: shares %x", c.name, form, f.Items[1].Shared)
			}
		}
	}
}

// TestSharedIdentityIsStable: with the memory of what is shared, an item has one identity in whatever part of the
// listing it appears, in whatever order, and whether its content is known or not.
func TestSharedIdentityIsStable(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(10, 1))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for round := range 400 {
		var all []wireItem
		for i := range 2 + r.IntN(12) {
			all = append(all, wireItem{
				pick("", "g", "h", fmt.Sprint("own-", i)),
				pick("", "https://x.example/", fmt.Sprint("https://x.example/", i)),
				pick("Title", fmt.Sprint("Title ", i)),
				pick("", "2026-04-06T10:00:00Z", fmt.Sprintf("2026-04-%02dT10:00:00Z", i+1)),
				fmt.Sprint("Text ", i),
			})
		}
		form := forms[round%len(forms)]
		whole := mustScan(t, document(form, all), Options{})
		shared, byText := map[uint64]bool{}, map[string]*Item{}
		for i := range whole.Items {
			it := &whole.Items[i]
			if it.Shared != 0 {
				shared[it.Shared] = true
			}
			byText[it.Snippet] = it
		}
		if len(byText)+whole.Repeated != len(all) {
			t.Fatalf("round %d: %d of %d items, %d repeated", round, len(byText), len(all), whole.Repeated)
		}
		for range 4 {
			part := slices.Clone(all)
			r.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
			part = part[:1+r.IntN(len(part))]
			half := map[uint64]uint32{}
			for _, it := range byText {
				if r.IntN(2) == 0 {
					half[it.Identity] = it.Content
				}
			}
			f := mustScan(t, document(form, part), Options{
				Shared: func(id uint64) bool { return shared[id] },
				Known:  func(id uint64) (uint32, bool) { c, ok := half[id]; return c, ok },
			})
			for i := range f.Items {
				it := &f.Items[i]
				if content, ok := half[it.Identity]; it.Known {
					if !ok || content != it.Content {
						t.Fatalf("round %d: an item is known that is not", round)
					}
					continue
				}
				if was := byText[it.Snippet]; was != nil && (was.Identity != it.Identity || was.Shared != it.Shared) {
					t.Fatalf("round %d, %s: %q was %x of %x, is %x of %x", round, form, it.Snippet, was.Identity,
						was.Shared, it.Identity, it.Shared)
				}
			}
		}
	}
}

// TestManyItemsThatShareAnIdentity: the newest are kept, wherever they stand.
func TestManyItemsThatShareAnIdentity(t *testing.T) {
	t.Parallel()
	var list []wireItem
	for i := range 300 {
		w := wireItem{"g", "", fmt.Sprint("Title ", i), fmt.Sprintf("2026-04-%02dT%02d:%02d:00Z", 1+i/60, i/60, i%60),
			fmt.Sprint("Text ", i)}
		list = append(list, w, w)
	}
	for _, form := range forms {
		f := mustScan(t, document(form, list), Options{MaxItems: 50})
		if len(f.Items) != 50 || f.LeftOut != 250 || f.Repeated != 300 {
			t.Fatalf("%s: %d items, %d left out, %d repeated", form, len(f.Items), f.LeftOut, f.Repeated)
		}
		for i := range f.Items {
			if want := fmt.Sprint("Text ", 250+i); f.Items[i].Snippet != want {
				t.Fatalf("%s: item %d is %q, want %q", form, i, f.Items[i].Snippet, want)
			}
		}
	}
}

// TestWithin: an item that is known with another content brings the identity that it would have among others.
func TestWithin(t *testing.T) {
	t.Parallel()
	a := wireItem{"g", "https://x.example/", "A", "2026-04-06T10:00:00Z", "x"}
	b := wireItem{"g", "https://x.example/", "B", "2026-04-07T10:00:00Z", "y"}
	for _, form := range forms {
		first, both := mustScan(t, document(form, []wireItem{b}), Options{}),
			mustScan(t, document(form, []wireItem{b, a}), Options{})
		if first.Items[0].Within != 0 {
			t.Errorf("%s: a new item is judged", form)
		}
		known := identities(first)
		again := mustScan(t, document(form, []wireItem{a}), Options{Known: func(id uint64) (uint32, bool) {
			c, ok := known[id]
			return c, ok
		}})
		if it := again.Items[0]; it.Within == 0 || it.Within != both.Items[1].Identity ||
			it.Identity != first.Items[0].Identity {
			t.Errorf("%s: %x with another content, %x among others", form, it.Within, both.Items[1].Identity)
		}
	}
}

// TestCorpusLosesNoItem: over all real feeds, items that differ in title, date or link are as many items, by gofeed's
// reading; and what is dropped stands in the list below.
func TestCorpusLosesNoItem(t *testing.T) {
	t.Parallel()
	repeated := map[string]int{
		"feedparser/wellformed__lang__entry_content_xml_lang_blank_3.xml":      1, // equal to the letter
		"feedparser/wellformed__node_precedence__atom10_arbitrary_element.xml": 1, // neither has anything that is read
		"plagger/atom10-example.xml":                                           1, // id, link, title and date are equal
	}
	documents, items := 0, 0
	for _, c := range corpusFiles(t) {
		f, err := Scan(c.body, c.contentType, "http://example.org/feed", Options{MaxItems: 1 << 20})
		if err != nil {
			continue
		}
		if f.Repeated != repeated[c.name] {
			t.Errorf("%s: %d items are taken for others", c.name, f.Repeated)
		}
		seen := map[uint64]bool{}
		for i := range f.Items {
			if seen[f.Items[i].Identity] {
				t.Errorf("%s: item %d has another's identity", c.name, i)
			}
			seen[f.Items[i].Identity] = true
		}
		doc, err := Decode(c.body, c.contentType)
		if err != nil {
			t.Fatal(err)
		}
		g, err := gofeed.NewParser().Parse(bytes.NewReader(doc))
		if err != nil || len(g.Items) < 2 {
			continue
		}
		distinct := map[[3]string]bool{}
		for _, it := range g.Items {
			distinct[[3]string{it.Title, it.Published, it.Link}] = true
		}
		documents, items = documents+1, items+len(g.Items)
		if len(f.Items) < len(distinct) && f.Repeated > 0 {
			t.Errorf("%s: %d of %d items", c.name, len(f.Items), len(distinct))
		}
	}
	t.Logf("%d documents of several items, %d items", documents, items)
}
