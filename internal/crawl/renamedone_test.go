package crawl_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// note is an item with a text.
type note struct {
	entry
	text string
}

// journal writes a feed of notes, the newest first.
func journal(list ...note) string {
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>A feed</title>`)
	for _, p := range list {
		fmt.Fprintf(&b,
			`<item><guid isPermaLink="false">%s</guid><title>%s</title><link>%s</link><description>%s</description>`,
			p.guid, p.title, p.link, p.text)
		if !p.date.IsZero() {
			b.WriteString("<pubDate>" + p.date.Format(time.RFC1123Z) + "</pubDate>")
		}
		b.WriteString("</item>")
	}
	return b.String() + `</channel></rss>`
}

// undatedNotes are notes without dates, long ones have texts that do not recur.
func undatedNotes(list []note) []note {
	for i := range list {
		list[i].date = time.Time{}
	}
	return list
}

func long(list []note) []note {
	for i := range list {
		list[i].text += ", in which many words are said that nobody says again."
	}
	return undatedNotes(list)
}

// One item whose id changes is the item it was; others that look like it stay items of their own.
func TestOneItemWithANewID(t *testing.T) {
	t.Parallel()
	at := func(day int) time.Time { return time.Date(2026, 8, day, 10, 0, 0, 0, time.UTC) }
	posts := func(n int) (list []note) {
		for k := n; k > 0; k-- {
			list = append(list,
				note{entry{fmt.Sprint("http://wp.example/p", k), fmt.Sprint("http://wp.example/p", k),
					fmt.Sprint("Post ", k), at(k)}, fmt.Sprint("The text of post ", k)})
		}
		return list
	}
	links := func(day int, text string) note {
		return note{entry{fmt.Sprint("links-", day), "https://wp.example/links", "Daily links", at(day)}, text}
	}
	edit := func(list []note, i int, f func(*note)) []note {
		f(&list[i])
		return list
	}
	next := note{entry{"http://wp.example/p7", "http://wp.example/p7", "Post 7", at(7)}, "The text of post 7"}
	for _, tt := range []struct {
		name  string
		was   []note
		now   []note
		fresh int
	}{
		{"https", posts(6), edit(posts(6), 2, func(p *note) {
			p.guid, p.link = "https://wp.example/p4", "https://wp.example/p4"
		}), 0},
		{"a corrected slug", posts(6), edit(posts(6), 0, func(p *note) {
			p.guid, p.link = "http://wp.example/post-6", "http://wp.example/post-6"
		}), 0},
		{"a new guid and a corrected text", posts(6), append([]note{next}, edit(posts(6), 0, func(p *note) {
			p.guid, p.text = "?p=6", p.text+", corrected"
		})...), 1},
		{"a new guid and a corrected title", posts(6), edit(posts(6), 1, func(p *note) {
			p.guid, p.title = "?p=5", "Post five"
		}), 0},
		{"a feed of one", posts(1), edit(posts(1), 0, func(p *note) {
			p.guid, p.link = "?p=1", "http://wp.example/one"
		}), 0},
		{"without dates", edit(posts(1), 0, func(p *note) {
			p.date = time.Time{}
		}), edit(posts(1), 0, func(p *note) { p.guid, p.date = "?p=1", time.Time{} }), 0},
		{"tracked, without dates", undatedNotes(posts(3)), edit(undatedNotes(posts(3)), 0, func(p *note) {
			p.guid, p.link, p.text = "?p=3", p.link+"/?utm_medium=rss", p.text+", corrected"
		}), 1},
		{"tracked, the same text", undatedNotes(posts(3)), edit(undatedNotes(posts(3)), 0, func(p *note) {
			p.guid, p.link = "?p=3", p.link+"/?utm_medium=rss"
		}), 0},
		{"another link, without dates", long(posts(3)), edit(long(posts(3)), 0, func(p *note) {
			p.guid, p.link = "?p=3", "http://wp.example/three"
		}), 0},
		{"a corrected title, without dates", long(posts(3)), edit(long(posts(3)), 0, func(p *note) {
			p.guid, p.title = "?p=3", "Post three"
		}), 0},
		{"all with other links, without dates", long(posts(3)), edit(edit(edit(long(posts(3)), 0, func(p *note) {
			p.guid, p.link = "?p=3", "http://wp.example/three"
		}), 1, func(p *note) {
			p.guid, p.link = "?p=2", "http://wp.example/two"
		}), 2, func(p *note) {
			p.guid, p.link = "?p=1", "http://wp.example/one"
		}), 0},
		{"a short text that recurs", undatedNotes(posts(1)), edit(undatedNotes(posts(1)), 0, func(p *note) {
			p.guid, p.link = "?p=1", "http://wp.example/one"
		}), 1},
		{"without texts", edit(posts(1), 0, func(p *note) {
			p.text = ""
		}), edit(posts(1), 0, func(p *note) { p.guid, p.link, p.text = "?p=1", "http://wp.example/one", "" }), 0},
		{"two of them", posts(6), edit(edit(posts(6), 1, func(p *note) {
			p.guid = "?p=5"
		}), 3, func(p *note) { p.guid = "?p=3" }), 0},

		{"an old title, and all else new", posts(6),
			append([]note{{entry{"x", "http://wp.example/x", "Post 1", at(5)}, "Another text"}}, posts(6)[:5]...), 1},
		{"a title that recurs", []note{links(3, "c"), links(2, "b"), links(1, "a")},
			[]note{links(4, "d"), links(3, "c"), links(2, "b")}, 1},
		{"a title that recurs, in a feed of one", []note{links(1, "a")}, []note{links(2, "b")}, 1},
		{"a title that recurs, without dates",
			[]note{{entry{"1", "https://wp.example/links", "Daily links", time.Time{}}, "a"}},
			[]note{{entry{"2", "https://wp.example/links", "Daily links", time.Time{}}, "b"}}, 1},
		{"a title that recurs, with nothing else",
			[]note{{entry{"1", "https://wp.example/links", "Daily links", time.Time{}}, ""}},
			[]note{{entry{"2", "https://wp.example/links", "Daily links", time.Time{}}, ""}}, 1},
		{"two that are the same as one", posts(3), append(edit(posts(3), 2, func(p *note) {
			p.guid = "a"
		}), edit(posts(1), 0, func(p *note) { p.guid = "b" })...), 2},
		{"a copy of one that is still listed", posts(3), append(posts(3), edit(posts(1), 0, func(p *note) {
			p.guid = "b"
		})...), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.page("/feed", journal(tt.was...))
			id := l.feed(l.url("/feed"))
			l.want(id, reader.OutcomeChanged, len(tt.was))
			p.change(func(p *page) { p.body, p.etag = journal(tt.now...), `"2"` })
			l.want(id, reader.OutcomeChanged, tt.fresh)
			if hs := l.headers(id); len(hs) != len(tt.was)+tt.fresh {
				t.Errorf("%d items are stored", len(hs))
			}
			p.change(func(p *page) { p.etag = `"3"` })
			l.want(id, reader.OutcomeUnchanged, 0)
		})
	}
}
