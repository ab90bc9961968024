package crawl_test

import (
	"fmt"
	"html"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// post is an item as a publisher has it. Its text begins with its number, by which a test knows it again.
type post struct {
	n                       int
	guid, link, title, text string
	date                    time.Time
}

// posts writes a feed.
func posts(list ...post) string {
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>A feed</title><link>https://example.org/</link>`)
	for _, p := range list {
		b.WriteString("<item>")
		if p.guid != "" {
			fmt.Fprintf(&b, `<guid isPermaLink="false">%s</guid>`, p.guid)
		}
		if p.link != "" {
			fmt.Fprintf(&b, `<link>%s</link>`, p.link)
		}
		if p.title != "" {
			fmt.Fprintf(&b, `<title>%s</title>`, html.EscapeString(p.title))
		}
		if !p.date.IsZero() {
			b.WriteString("<pubDate>" + p.date.Format(time.RFC1123Z) + "</pubDate>")
		}
		fmt.Fprintf(&b, `<description>#%d %s</description></item>`, p.n, html.EscapeString(p.text))
	}
	return b.String() + `</channel></rss>`
}

// numberOf is the number of the post that a header was made of.
func numberOf(h *store.Header) int {
	word, _, _ := strings.Cut(h.Snippet, " ")
	n, err := strconv.Atoi(strings.TrimPrefix(word, "#"))
	if err != nil {
		panic(h.Snippet)
	}
	return n
}

// show publishes a listing.
func (p *page) show(list ...post) {
	p.change(func(p *page) {
		n, err := strconv.Atoi(strings.Trim(p.etag, `"`))
		if err != nil {
			panic(err)
		}
		p.etag, p.body = fmt.Sprintf("%q", strconv.Itoa(n+1)), posts(list...)
	})
}

// A status page gives all its messages one link. None is lost, none takes the place of another, and what was read
// stays what it was.
func TestMessagesThatAllLinkToOnePage(t *testing.T) {
	t.Parallel()
	for _, guid := range []string{"", "https://status.example/"} { // or one guid, as a feed proxy gives it
		l := newLab(t)
		var list []post
		at := func(n int) post {
			return post{
				n: n, guid: guid, link: "https://status.example/status", title: fmt.Sprint("Incident ", n),
				text: "We are investigating.",
				date: l.clock.Now().Add(-time.Duration(n) * time.Minute),
			}
		}
		for n := range 5 {
			list = append([]post{at(n + 1)}, list...)
		}
		p := l.page("/feed", posts(list...))
		id := l.feed(l.url("/feed"))
		l.want(id, reader.OutcomeChanged, 5)
		before := l.headers(id)
		list = append([]post{at(6)}, list[:4]...)
		p.show(list...)
		l.want(id, reader.OutcomeChanged, 1)
		// One left in the window, the others gone.
		list = []post{at(7)}
		p.show(list...)
		l.want(id, reader.OutcomeChanged, 1)
		list[0].title = "Incident 7, resolved"
		p.show(list...)
		l.want(id, reader.OutcomeChanged, 0)
		hs := l.headers(id)
		if len(hs) != 7 || hs[6].Title != "Incident 7, resolved" {
			t.Fatalf("%d items, the last %q", len(hs), hs[len(hs)-1].Title)
		}
		for i := range before {
			if hs[i].Title != before[i].Title {
				t.Errorf("item %d was %q, is %q", i+1, before[i].Title, hs[i].Title)
			}
		}
		if _, units := l.writes(func() { l.want(id, reader.OutcomeNotModified, 0) }); units["feed"]+units["delta"] > 0 {
			t.Errorf("a poll without news writes %v", units)
		}
	}
}

// A feed of one item whose guid never changes: another title and date make another item; an edit is one.
func TestOneGuidForever(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(p *post, n int, now time.Time)
		want   int // items after 20 polls
	}{
		{"another item each time", func(p *post, n int, now time.Time) {
			p.n, p.title, p.text, p.date = n, fmt.Sprint("Word ", n), fmt.Sprint("Meaning ", n), now
		}, 20},
		{"another item each time, without dates", func(p *post, n int, _ time.Time) {
			p.n, p.title, p.text = n, fmt.Sprint("Word ", n), fmt.Sprint("Meaning ", n)
		}, 20},
		{"one title, another text and date", func(p *post, n int, now time.Time) {
			p.n, p.text, p.date = n, fmt.Sprint("Bulletin ", n), now
		}, 20},
		{"an article that is corrected", func(p *post, n int, _ time.Time) {
			p.text = fmt.Sprint("Text, corrected ", n)
		}, 1},
		{"an article that is given other titles", func(p *post, n int, _ time.Time) {
			p.title = fmt.Sprint("Title ", n)
		}, 1},
		{"a date that is always now", func(p *post, _ int, now time.Time) { p.date = now }, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			one := post{guid: "always", link: "https://example.org/", title: "Title", text: "Text"}
			p := l.page("/feed", posts(one))
			id := l.feed(l.url("/feed"))
			tt.change(&one, 0, l.clock.Now())
			p.show(one)
			l.want(id, reader.OutcomeChanged, 1)
			for n := 1; n < 20; n++ {
				tt.change(&one, n, l.clock.Now().Add(time.Duration(n)*time.Second))
				p.show(one)
				l.poll(id)
			}
			if hs := l.headers(id); len(hs) != tt.want {
				t.Errorf("%d items, want %d", len(hs), tt.want)
			}
		})
	}
}

// A feed that repeats one guid and changes what it lists at every poll makes neither a flood nor one item.
func TestOneGuidForAllAndOtherTextsAtEveryPoll(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name        string
		change      func(p *post, k, n int, now time.Time)
		least, most int
	}{
		{"a table of scores", func(p *post, k, n int, now time.Time) {
			p.title, p.text, p.date = fmt.Sprint("Team ", k), fmt.Sprint(n, " points"), now
		}, 10, 40},
		{"texts alone", func(p *post, k, n int, _ time.Time) { p.text = fmt.Sprint("Line ", k, " at ", n) }, 10, 200},
		{"edits of the text", func(p *post, k, n int, _ time.Time) {
			p.title, p.text = fmt.Sprint("Item ", k), fmt.Sprint("Text ", n)
		}, 10, 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.page("/feed", "")
			id := l.feed(l.url("/feed"))
			began := l.clock.Now()
			for n := range 60 {
				var list []post
				for k := range 10 {
					one := post{n: k, guid: "always", link: "https://example.org/"}
					tt.change(&one, k, n, l.clock.Now())
					list = append(list, one)
				}
				p.show(list...)
				l.poll(id)
			}
			hs := l.headers(id)
			t.Logf("%d items of 600 in %v", len(hs), l.clock.Now().Sub(began))
			if len(hs) < tt.least || len(hs) > tt.most {
				t.Errorf("%d items, want %d to %d", len(hs), tt.least, tt.most)
			}
		})
	}
}

// Rows from before items with one guid were told apart: what was stored under the guid is found again, the others
// come, nothing comes twice, and nothing that was read is lost.
func TestItemsStoredUnderTheirSharedGuid(t *testing.T) {
	t.Parallel()
	for _, edited := range []bool{false, true} {
		l := newLab(t)
		var list []post
		for n := range 4 {
			list = append(list, post{
				n: n, guid: "always", link: fmt.Sprint("https://example.org/", n),
				title: fmt.Sprint("Item ", n), text: "Text",
				date: l.clock.Now().Add(-time.Duration(n) * time.Hour),
			})
		}
		p := l.page("/feed", posts(list[1], post{n: 9, guid: "own", title: "Own"}))
		id := l.feed(l.url("/feed"))
		l.want(id, reader.OutcomeChanged, 2)
		was := l.headers(id)
		if i := slices.IndexFunc(was, func(h store.Header) bool {
			return h.Identity == extract.Identity("always", "", "", "", "")
		}); i < 0 || was[i].Shared != 0 {
			t.Fatal("a guid that one item has is not its identity")
		}
		if edited {
			list[1].title += ", corrected"
		}
		p.show(append(list, post{n: 9, guid: "own", title: "Own"})...)
		l.want(id, reader.OutcomeChanged, 3)
		hs := l.headers(id)
		for i := range was {
			if numberOf(&hs[i]) != numberOf(&was[i]) || hs[i].Sort != was[i].Sort {
				t.Errorf("edited %v: item %d was %q, is %q", edited, i+1, was[i].Title, hs[i].Title)
			}
		}
		if len(hs) != 5 {
			t.Errorf("edited %v: %d items", edited, len(hs))
		}
	}
}

// world is the model: a publisher who repeats guids and links in every combination, and what a reader must have of it.
type world struct {
	rng    *rand.Rand
	next   int
	window int
	all    []post // as they are now, the oldest first; the newest of them are listed
	edited map[int]bool
	now    func() time.Time
}

func (w *world) pick(list ...string) string { return list[w.rng.IntN(len(list))] }

// publish adds a post that differs from every other in title, date or link, and in its text.
func (w *world) publish() {
	n := w.next
	w.next++
	own := "own-" + strconv.Itoa(n)
	p := post{
		n: n, guid: w.pick("", "one", "two", own),
		link:  w.pick("", "https://example.org/status", "https://example.org/"+own),
		title: w.pick("Update", "Update", "", "Title of "+own), text: "text of " + own,
	}
	if w.rng.IntN(4) > 0 || !strings.HasSuffix(p.title+p.link, own) {
		p.date = w.now().Add(-time.Duration(n*37%300) * time.Second)
	}
	w.all = append(w.all, p)
}

func (w *world) listed() []post {
	list := slices.Clone(w.all[max(0, len(w.all)-w.window):])
	if w.rng.IntN(3) == 0 {
		w.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	} else {
		slices.Reverse(list)
	}
	return list
}

// edit changes one thing of a post since the last poll, and not what alone tells it from others of its guid.
func (w *world) edit() {
	i := max(0, len(w.all)-w.window)
	p := &w.all[i+w.rng.IntN(len(w.all)-i)]
	if w.edited[p.n] {
		return
	}
	w.edited[p.n] = true
	ownTitle := strings.HasPrefix(p.title, "Title of")
	switch w.rng.IntN(3) {
	case 0:
		if ownTitle || !p.date.IsZero() && p.title != "" || !p.date.IsZero() && p.date.Second() > 0 {
			p.text += ", corrected"
		}
	case 1:
		if p.title != "" {
			p.title += ", corrected by " + strconv.Itoa(p.n)
		}
	case 2:
		if !p.date.IsZero() {
			p.date = p.date.Add(time.Hour)
		}
	}
}

// G-20
// "Nothing lost, nothing doubled" over random feeds that repeat guids and links, with edits, shuffled listings and
// listing windows that move: every post that was ever listed is one item, in the place that it had from the start,
// and with the text that was listed last.
func TestModelOfRepeatedGuids(t *testing.T) {
	t.Parallel()
	rounds := 150
	if testing.Short() {
		rounds = 20
	}
	for round := range rounds {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			w := &world{rng: rand.New(rand.NewPCG(uint64(round), 22)), now: l.clock.Now}
			w.window = 2 + w.rng.IntN(10)
			for range w.window {
				w.publish()
			}
			// The guids of this publisher are known to be shared from the start.
			w.all[len(w.all)-1].guid, w.all[len(w.all)-2].guid = "one", "one"
			p := l.page("/feed", "")
			id := l.feed(l.url("/feed"))
			place, text, title := map[int]int{}, map[int]string{}, map[int]string{}
			for step := range 25 {
				list := w.listed()
				p.show(list...)
				o := l.poll(id)
				if o.Err != "" {
					t.Fatalf("step %d: %s", step, o.Err)
				}
				for _, p := range list {
					text[p.n], title[p.n] = "#"+strconv.Itoa(p.n)+" "+p.text, p.title
				}
				hs := l.headers(id)
				seen := map[int]bool{}
				for i := range hs {
					n := numberOf(&hs[i])
					if was, ok := place[n]; seen[n] || ok && was != i {
						t.Fatalf("step %d: post %d (%q) is item %d, was %d; twice: %v\n%s", step, n, hs[i].Title, i,
							was, seen[n], posts(list...))
					}
					seen[n], place[n] = true, i
					if hs[i].Snippet != text[n] || hs[i].Title != title[n] {
						t.Fatalf("step %d: item %d is %q %q, listed as %q %q", step, i, hs[i].Title, hs[i].Snippet,
							title[n], text[n])
					}
				}
				if len(hs) != len(text) {
					t.Fatalf("step %d: %d items of %d posts\n%s", step, len(hs), len(text), posts(list...))
				}
				w.edited = map[int]bool{}
				for range 1 + w.rng.IntN(3) {
					if w.rng.IntN(2) == 0 {
						w.edit()
					} else {
						w.publish()
					}
				}
			}
		})
	}
}

// A crash between the delta and the feed row, at any write, loses and doubles nothing of a feed that repeats a guid.
func TestSharedGuidsAfterACrash(t *testing.T) {
	t.Parallel()
	for stop := range 5 {
		l := newLab(t)
		at := func(n int) post {
			return post{n: n, guid: "always", title: fmt.Sprint("Item ", n), text: "Text",
				date: l.clock.Now().Add(-time.Duration(n) * time.Minute)}
		}
		a, b, c := at(1), at(2), at(3)
		p := l.page("/feed", posts(a))
		id := l.feed(l.url("/feed"))
		l.want(id, reader.OutcomeChanged, 1)
		a.title += ", corrected"
		p.show(c, b, a)
		real := l.driver
		l.driver = &failing{Driver: real, left: stop}
		l.restart()
		l.poll(id)
		l.driver = real
		l.restart()
		l.clock.Add(48 * time.Hour)
		l.poll(id)
		p.show(c) // alone, and still told from the first one
		l.clock.Add(48 * time.Hour)
		l.poll(id)
		hs := l.headers(id)
		var got []int
		for i := range hs {
			got = append(got, numberOf(&hs[i]))
		}
		if fmt.Sprint(got) != "[1 3 2]" || hs[0].Title != a.title {
			t.Errorf("stopped after %d writes: %v, the first %q", stop, got, hs[0].Title)
		}
	}
}

// A hub pushes an item that looks like one that is still listed: it is another one, and the other stays.
func TestPushedItemLikeOneThatIsListed(t *testing.T) {
	t.Parallel()
	for _, dated := range []bool{true, false} {
		l := newLab(t)
		at := func(n int) post {
			p := post{n: n, guid: "always", link: "https://example.org/status", title: "Operational", text: "Fine."}
			if dated {
				p.date = l.clock.Now().Add(time.Duration(n-5) * 24 * time.Hour)
			}
			return p
		}
		incident := post{n: 9, guid: "always", link: "https://example.org/status", title: "Incident", text: "Broken.",
			date: l.clock.Now().Add(-99 * time.Hour)}
		p := l.page("/feed", posts(at(1), incident))
		id := l.feed(l.url("/feed"))
		l.want(id, reader.OutcomeChanged, 2)
		if o, err := l.crawler.Pushed(bg, id, []byte(posts(at(2))), "application/rss+xml"); err != nil || o.New != 1 {
			t.Errorf("dated %v: the push brought %d, %v", dated, o.New, err)
		}
		p.show(at(2), at(1), incident)
		l.poll(id)
		if hs := l.headers(id); len(hs) != 3 || numberOf(&hs[2]) != 2 {
			t.Errorf("dated %v: %d items", dated, len(hs))
		}
	}
}

// A guid that is given to another item, while the first leaves a listing of several, is taken for an edit only where
// anything of the first is left: its link, its title, its text or its date.
func TestGuidGivenToAnotherItem(t *testing.T) {
	t.Parallel()
	for _, edit := range []bool{false, true} {
		l := newLab(t)
		at := func(n int, guid string) post {
			return post{n: n, guid: guid, link: fmt.Sprint("https://example.org/", n), title: fmt.Sprint("Item ", n),
				text: fmt.Sprint("Text ", n), date: l.clock.Now().Add(time.Duration(n-100) * time.Minute)}
		}
		other := at(5, "a")
		if edit {
			other.link = at(1, "a").link
		}
		p := l.page("/feed", posts(at(3, "c"), at(2, "b"), at(1, "a")))
		id := l.feed(l.url("/feed"))
		l.want(id, reader.OutcomeChanged, 3)
		p.show(other, at(4, "d"), at(3, "c"))
		want := 2
		if edit {
			want = 1
		}
		if o := l.poll(id); o.New != want {
			t.Errorf("edit %v: %d new items", edit, o.New)
		}
		l.clock.Add(time.Hour)
		other.title += ", corrected"
		p.show(other, at(4, "d"), at(3, "c"))
		l.want(id, reader.OutcomeChanged, 0)
	}
}
