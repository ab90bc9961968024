package explore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// sent is a queue whose messages the world delivers when they are due.
type sent struct {
	w    *phraseWorld
	list []delayed
}

type delayed struct {
	at  time.Time
	job job.Job
}

func (s *sent) Send(_ context.Context, bodies [][]byte, delay time.Duration) error {
	for _, b := range bodies {
		if len(b) > 256<<10 {
			s.w.t.Errorf("a message of %d bytes", len(b))
		}
		j, err := job.Decode(b)
		s.w.must(err)
		s.list = append(s.list, delayed{s.w.clk.Now().Add(delay), j})
	}
	return nil
}

// phraseWorld is an installation whose owner has a client ID of Yahoo! JAPAN.
type phraseWorld struct {
	*world
	yahoo *yahoo
	sent  *sent
}

func newPhraseWorld(t *testing.T) *phraseWorld {
	w := &phraseWorld{world: newWorld(t, 0)}
	w.yahoo = &yahoo{t: t, clk: w.clk}
	w.sent = &sent{w: w}
	w.world.yahoo, w.world.queue = explore.NewYahoo(w.yahoo), w.sent
	w.restart()
	w.must(w.s.SetYahoo(bg, " "+clientID+" "))
	return w
}

// night is the nightly job with its chain, whose messages are handled when they are due.
func (w *phraseWorld) night() {
	w.t.Helper()
	w.nightly()
	w.deliver(-1)
	w.clk.Add(24 * time.Hour)
}

// deliver handles so many messages, or all.
func (w *phraseWorld) deliver(most int) {
	w.t.Helper()
	for ; most != 0 && len(w.sent.list) > 0; most-- {
		next := w.sent.list[0]
		w.sent.list = w.sent.list[1:]
		w.clk.Add(max(next.at.Sub(w.clk.Now()), 0))
		w.must(w.s.RunPhrases(bg, next.job))
	}
}

// namesOf are the tags of an item as lists show them, and whether any is Yahoo's.
func (w *phraseWorld) namesOf(it *item) (names []string) {
	w.t.Helper()
	w.restart() // a process that has kept nothing
	p, err := w.s.Entries(bg, user, explore.Query{Order: explore.Newest, Limit: 500})
	w.must(err)
	for _, e := range p.Entries {
		if e.Feed == it.feed.id && e.Seq == it.seq {
			for _, x := range e.Tags {
				names = append(names, x.Name)
			}
		}
	}
	return names
}

func (w *phraseWorld) site() *store.SiteRow {
	site, err := w.store.Accounts.Site(bg)
	w.must(err)
	return site
}

// H-7: each Japanese item of a public feed is asked for once, and its tags are the phrases; nothing else is sent.
func TestPhrasesAreAskedForOnce(t *testing.T) {
	t.Parallel()
	w := newPhraseWorld(t)
	f, secret, private, never := w.addFeed(false, false), w.addFeed(false, false), w.addFeed(false, false),
		w.addFeed(false, false)
	for _, change := range []struct {
		feed *feed
		edit func(*store.FeedRow)
	}{
		{secret, func(row *store.FeedRow) { row.URL = "https://user:password@example.org/feed" }},
		{private, func(row *store.FeedRow) { row.URL = "http://192.168.1.2/feed" }},
		{never, func(row *store.FeedRow) { row.NoCounts = true }},
	} {
		_, err := w.store.Feeds.Modify(bg, change.feed.id, change.edit)
		w.must(err)
	}
	ja := w.titled(f, time.Hour, "https://site.org/ja", "桜まつりが東京の公園で始まる", "旅行")
	en := w.titled(f, time.Hour, "https://site.org/en", "Ocean plastic is found everywhere")
	zh := w.titled(f, time.Hour, "https://site.org/zh", "北京春节庙会开幕")
	w.titled(f, time.Hour, "https://user:word@site.org/x", "秘密のリンクのきじ")
	w.titled(f, time.Hour, "https://site.org/old", "三か月前の桜のきじ")
	w.items[len(w.items)-1].sort -= 90 * 24 * 3600
	for i, f := range []*feed{secret, private, never} {
		w.titled(f, time.Hour, fmt.Sprint("https://site.org/p", i), "秘密のフィードのきじ")
	}
	w.night()
	if want := []string{ja.header.Title + "\n", "三か月前の桜のきじ\n"}; len(w.yahoo.texts) != 2 ||
		!slices.Contains(want, w.yahoo.texts[0]) || !slices.Contains(want, w.yahoo.texts[1]) {
		t.Fatalf("sent: %q", w.yahoo.texts)
	}
	if got := w.namesOf(ja); !slices.Equal(got, []string{"桜ま＊", "旅行", "Yつり"}) &&
		!slices.Equal(got, []string{"桜ま*", "旅行", "Yつり"}) {
		t.Errorf("tags of an item with phrases: %q", got)
	}
	if !w.s.NamesYahoo(bg) {
		t.Error("Yahoo! is not named")
	}
	for _, it := range []*item{en, zh} {
		if got := w.namesOf(it); len(got) == 0 || strings.HasPrefix(got[0], "Y") {
			t.Errorf("%s: %q", it.link, got)
		}
	}
	w.night()
	late := w.titled(f, time.Hour, "https://site.org/late", "梅まつりも始まる")
	if w.night(); len(w.yahoo.texts) != 3 || w.yahoo.texts[2] != late.header.Title+"\n" {
		t.Errorf("sent again: %q", w.yahoo.texts[2:])
	}
	if w.site().YahooWhy != "" {
		t.Errorf("it says %s", w.site().YahooWhy)
	}
	w.clk.Add(40 * 24 * time.Hour)
	w.titled(f, time.Hour, "https://site.org/later", "紅葉の季節になる")
	w.night()
	if size := w.phrasesKept(); size > 200 {
		t.Errorf("what is not listed any more is kept: %d bytes", size)
	}

	// Switched off, the tags are those of the words again, and nothing is kept.
	w.must(w.s.SetYahoo(bg, ""))
	w.titled(f, time.Hour, "https://site.org/off", "雪まつりの準備")
	before := len(w.yahoo.texts)
	if w.night(); len(w.yahoo.texts) != before || w.phrasesKept() != 0 {
		t.Errorf("%d calls after it was switched off, %d bytes kept", len(w.yahoo.texts)-before, w.phrasesKept())
	}
	if w.restart(); w.s.NamesYahoo(bg) {
		t.Error("Yahoo! is named without its phrases")
	}
}

// phrasesKept is the size of the blob with phrases.
func (w *phraseWorld) phrasesKept() int {
	b, _, err := w.blobs.Get(bg, store.TagsPrefix+"phrases.gz")
	if fault.Is(err, fault.NotFound) {
		return 0
	}
	w.must(err)
	return len(b)
}

// many adds Japanese items.
func (w *phraseWorld) many(f *feed, n int) {
	var links []string
	for i := range n {
		links = append(links, fmt.Sprintf("https://site.org/%d-%d-%d", f.id, f.seq, i))
	}
	w.headers = func(h *store.Header) { h.Title, h.Snippet = "第"+h.Link[17:]+"回の東京まつり", "" }
	defer func() { w.headers = nil }()
	for part := range slices.Chunk(links, 100) {
		w.arrive(f, 20*24*time.Hour, part...)
		w.clk.Add(time.Minute)
	}
}

// H-7: a night makes 5,000 calls at most, one a second and no second chain beside it, whoever repeats the nightly job.
func TestCallsOfANight(t *testing.T) {
	t.Parallel()
	w := newPhraseWorld(t)
	for range 6 {
		w.many(w.addFeed(false, false), 900)
	}
	w.must(w.s.Nightly(bg))
	w.must(w.s.Nightly(bg)) // repeated
	w.deliver(100)
	w.must(w.s.Nightly(bg))
	w.deliver(-1)
	if n := len(w.yahoo.texts); n != 5000 {
		t.Errorf("%d calls in a night", n)
	}
	w.clk.Add(24 * time.Hour)
	w.night()
	if n := len(w.yahoo.texts); n != 5400 {
		t.Errorf("%d calls in two nights", n)
	}
	slices.Sort(w.yahoo.texts)
	if n := len(slices.Compact(w.yahoo.texts)); n != 5400 {
		t.Errorf("%d items were asked for", n)
	}
}

// H-7: whatever Yahoo! answers, the tags of the words stay, the reason is told, and the next night asks again.
func TestPhrasesFail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer *fetch.Response
		code   string
		calls  int
	}{
		"refused":    {&fetch.Response{Status: 403}, "phrases_refused", 1},
		"limited":    {&fetch.Response{Status: 429}, "phrases_limited", 1},
		"a page":     {&fetch.Response{Status: 200, Body: []byte("<html>")}, "phrases_unreadable", 3},
		"its fault":  {&fetch.Response{Status: 500}, "phrases_failed", 3},
		"no answer":  {&fetch.Response{}, "phrases_failed", 3},
		"not at all": {nil, "", 10},
	} {
		w := newPhraseWorld(t)
		f := w.addFeed(false, false)
		w.many(f, 10)
		w.yahoo.answer = func(string) *fetch.Response { return c.answer }
		w.night()
		if n := len(w.yahoo.texts); n != c.calls || w.site().YahooWhy != c.code {
			t.Errorf("%s: %d calls, %q", name, n, w.site().YahooWhy)
		}
		if got := w.namesOf(w.items[0]); len(got) == 0 {
			t.Errorf("%s: no tags", name)
		}
		w.yahoo.answer, w.yahoo.texts = nil, nil
		w.night()
		if n := len(w.yahoo.texts); n != 10-max(0, c.calls-9)*10 || w.site().YahooWhy != "" {
			t.Errorf("%s: %d calls in the next night, %q", name, n, w.site().YahooWhy)
		}
	}

	// One item that fails is passed over, and asked for again in the next night.
	w := newPhraseWorld(t)
	w.many(w.addFeed(false, false), 10)
	bad := w.items[4].header.Title + "\n"
	w.yahoo.answer = func(text string) *fetch.Response {
		if text == bad {
			return &fetch.Response{Status: 500}
		}
		return nil
	}
	w.night()
	if n := len(w.yahoo.texts); n != 10 || w.site().YahooWhy != "" {
		t.Errorf("%d calls, %q", n, w.site().YahooWhy)
	}
	w.yahoo.answer, w.yahoo.texts = nil, nil
	if w.night(); !slices.Equal(w.yahoo.texts, []string{bad}) {
		t.Errorf("the next night: %q", w.yahoo.texts)
	}
}

// H-7: a chain that is switched off, whose message comes twice, whose feed is gone or whose blob is damaged ends or
// goes on without harm.
func TestPhrasesGoWrong(t *testing.T) {
	t.Parallel()
	w := newPhraseWorld(t)
	f := w.addFeed(false, false)
	w.many(f, 120)
	w.must(w.s.Nightly(bg))
	w.deliver(60)
	w.sent.list[0].job.Receives = 2
	w.deliver(-1)
	if n := len(w.yahoo.texts); n != 60 {
		t.Errorf("%d calls although a message came twice", n)
	}
	w.clk.Add(24 * time.Hour)
	w.must(w.s.Nightly(bg))
	w.deliver(5)
	if n := len(w.sent.list); n != 1 {
		t.Fatalf("%d messages", n)
	}
	_, err := w.store.Feeds.Modify(bg, f.id, func(row *store.FeedRow) { row.NoCounts = true })
	w.must(err)
	w.deliver(-1)
	if n := len(w.yahoo.texts); n != 65 {
		t.Errorf("%d calls after a subscriber forbade them", n-65)
	}
	_, err = w.store.Feeds.Modify(bg, f.id, func(row *store.FeedRow) { row.NoCounts = false })
	w.must(err)
	w.clk.Add(24 * time.Hour)
	w.must(w.s.Nightly(bg))
	w.deliver(5)
	w.must(w.s.SetYahoo(bg, ""))
	if w.deliver(-1); len(w.yahoo.texts) != 70 {
		t.Errorf("%d calls after it was switched off", len(w.yahoo.texts)-70)
	}
	w.must(w.s.SetYahoo(bg, clientID))
	w.night()
	w.must(w.blobs.Put(bg, store.TagsPrefix+"phrases.gz", []byte("damaged"), blob.Meta{}))
	before := len(w.yahoo.texts)
	if w.night(); len(w.yahoo.texts) != before+120 {
		t.Errorf("%d calls after the blob was damaged", len(w.yahoo.texts)-before)
	}
}

func TestBadClientIDs(t *testing.T) {
	t.Parallel()
	w := newPhraseWorld(t)
	for _, id := range []string{"two words", "line\nbreak", "日本", strings.Repeat("x", 201)} {
		if err := w.s.SetYahoo(bg, id); fault.CodeOf(err) != "bad_client_id" {
			t.Errorf("%q: %v", id, err)
		}
	}
	if w.site().YahooID != clientID {
		t.Errorf("it is %q now", w.site().YahooID)
	}
}
