package search_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/search/texts"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// remote is a table without a log of changes, as DynamoDB is.
type remote struct{ table.Driver }

// far are blobs where a request costs what it does in S3.
func far() blob.Driver {
	d := memblob.New()
	d.PerRequest = 256 << 10
	return d
}

// spent is what something costs: requests to the blobs, and units of reads of the table.
func (w *world) spent(do func()) (gets int64, reads float64) {
	w.Helper()
	blobs, rows := w.blobs.Meter().Snapshot(), w.store.Table().Meter().Snapshot().TotalReads()
	do()
	return w.blobs.Meter().Snapshot().Minus(blobs).Gets, w.store.Table().Meter().Snapshot().TotalReads() - rows
}

func (w *world) search(r search.Request) search.Result {
	w.Helper()
	res, err := w.s.Search(context.Background(), r)
	w.ok(err)
	return res
}

// A cold search in a hundred feeds takes at most twenty requests, and a warm one for other words those for terms and
// texts.
func TestRequestsOfASearch(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t, 1, memtable.New(), far())
	for range 100 {
		w.feed()
	}
	for range 4 { // segments
		for f := range w.feeds {
			var hs []store.Header
			var texts []string
			for range 10 {
				hs, texts = append(hs, w.header()), append(texts, w.words(100)+fmt.Sprintf("rare%d", w.rnd.IntN(300)))
			}
			w.commit(f, texts, hs...)
		}
		w.indexAll(0)
	}
	cold, reads := w.spent(func() {
		if res := w.search(w.request("rare17 -update title:go")); res.IsBuilding {
			t.Error("everything is indexed")
		}
	})
	if cold > 20 || reads > 0.5 {
		t.Errorf("a cold search took %d requests and %v units", cold, reads)
	}
	warm, reads := w.spent(func() { w.search(w.request("東京都 rare18")) })
	if warm > int64(2*len(w.list)) || reads > 0.5 {
		t.Errorf("a warm search took %d requests and %v units", warm, reads)
	}
	if again, reads := w.spent(func() { w.search(w.request("東京都 rare18")) }); again > 0 || reads != 0.5 {
		t.Errorf("the same search took %d requests and %v units, want the row alone", again, reads)
	}
}

// A search in titles, as one types, reads the texts of what it shows alone, and no body that is not indexed yet.
func TestRequestsOfASearchInTitles(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t, 1, memtable.New(), far())
	w.s.ReadTexts(texts.New(w.blobs))
	w.feed()
	filler := strings.Repeat("needle of a long text ", 600) // one block for each item
	for i := range 150 {
		title := "other"
		if i == 100 {
			title = "Needle"
		}
		w.commit(0, []string{filler}, store.Header{Title: title, Sort: int64(10_000 - i)})
	}
	w.indexAll(0)
	w.ok(w.blobs.Put(t.Context(), "feeds/raw",
		blob.Gzip([]byte(`{"version":"https://jsonfeed.org/version/1.1","title":"x","items":[{"id":"a","content_text":"a needle"}]}`)),
		blob.Meta{ContentType: "application/feed+json", ContentEncoding: "gzip"}))
	w.commit(0, nil, store.Header{Title: "news", Identity: extract.Identity("a", "", "", "", ""), Sort: 1})
	var res search.Result
	if gets, _ := w.spent(func() { res = w.search(w.request("title:need*")) }); len(res.Hits) != 1 || gets > 3 {
		t.Errorf("%d requests found %d titles", gets, len(res.Hits))
	}
	if res.IsBuilding {
		t.Error("texts are missed that were not needed")
	}
	if all := w.all(w.request("needle"), nil); len(all) != 151 {
		t.Errorf("%d texts found", len(all))
	}
	if gets, _ := w.spent(func() { w.search(w.request("title:need*")) }); gets > 0 {
		t.Errorf("the same news were read again: %d requests", gets)
	}
}

// Where nothing can be found, nothing is read.
func TestNothingInScopeReadsNothing(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t, 2, memtable.New(), far())
	w.feed()
	w.feed()
	w.commit(0, nil, store.Header{Title: "go"}, store.Header{Title: "go"})
	w.indexAll(0)
	w.change(0, func(f *store.FeedRow) { f.Floor = 1 })
	empty := w.request("go", 1)
	seen := w.request("go", 0)
	seen.Feeds[0].Above = 2
	none := w.request("go", 0)
	none.Feeds = nil
	for name, r := range map[string]search.Request{"a feed without items": empty, "no later items": seen,
		"no feeds": none} {
		if gets, reads := w.spent(func() {
			if res := w.search(r); len(res.Hits) > 0 || res.Next != "" {
				t.Errorf("%s: found %v", name, res)
			}
		}); gets > 0 || reads > 0 {
			t.Errorf("%s: %d requests and %v units", name, gets, reads)
		}
	}
}

// Many segments are opened as far as the page needs them, whatever their order in time.
func TestManySegments(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		w := newWorld(t, seed)
		for range 3 {
			w.feed()
		}
		for range 45 {
			w.commit(w.rnd.IntN(3), []string{w.words(20)}, w.header(), w.header())
			if list := w.deltas(0); len(list) > 0 && w.rnd.IntN(4) == 0 {
				w.edit(0, list[0].First(), func(hs []store.Header) { hs[0] = w.header() })
			}
			w.indexAll(0)
			w.clk.Add(time.Hour)
		}
		for range 30 {
			w.compare("a search of many segments", w.randomRequest(), nil)
		}
	}
	w := newWorld(t, 99)
	w.feed()
	for i := range 60 {
		w.commit(0, nil, store.Header{Title: "go", Sort: int64(1000 + i)})
		w.indexAll(0)
	}
	r := w.request("go")
	r.Limit = 5
	if gets, _ := w.spent(func() { w.search(r) }); gets > 60 {
		t.Errorf("%d requests for the newest five items", gets)
	}
}

// A page ends when it has read enough, says how far it got, and the next one goes on there.
func TestBudgetOfAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.feed()
	filler := strings.Repeat("abcdefg ", 1500) // one block for each item
	for from := 0; from < 900; from += 100 {
		var hs []store.Header
		var texts []string
		for i := range 100 {
			hs = append(hs, store.Header{Title: fmt.Sprint("n", from+i), Sort: int64(10_000 - from - i)})
			text := "one and two " // too short for the index to know pairs
			if from+i == 850 {
				text = "one two "
			}
			texts = append(texts, text+filler)
		}
		w.commit(0, texts, hs...)
	}
	w.indexAll(0)
	byDate := w.request(`"one two"`)
	byCounts := byDate
	// in other blocks than the dates
	byCounts.Count = func(_ reader.FeedID, seq reader.Seq) int { return int(seq) * 7 % 20 }
	for order, r := range map[string]search.Request{"by date": byDate, "by counts": byCounts} {
		var pages, found int
		for {
			var res search.Result
			gets, _ := w.spent(func() { res = w.search(r) })
			pages++
			found += len(res.Hits)
			if gets > 200 {
				t.Errorf("%s: page %d took %d requests", order, pages, gets)
			}
			if res.Next == "" {
				break
			}
			if res.Reached == 0 || r.Count == nil && res.Reached > 10_000 {
				t.Fatalf("%s: page %d ended early and reached %d", order, pages, res.Reached)
			}
			r.Cursor = res.Next
		}
		if pages < 3 || found != 1 {
			t.Errorf("%s: %d pages found %d items", order, pages, found)
		}
	}
}

// More deltas than a search may read are said to be missing, and the newest are found.
func TestIndexIsBeingBuilt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.s.Bound(300, 0)
	for range 10 {
		w.feed()
	}
	for i := range 400 {
		w.commit(i%10, nil, store.Header{Title: "go", Sort: int64(i)})
	}
	r := w.request("go")
	res := w.search(r)
	if !res.IsBuilding || len(res.Hits) != 50 {
		t.Errorf("%d hits, building %v", len(res.Hits), res.IsBuilding)
	}
	w.indexAll(0)
	for i := range 250 {
		w.commit(i%10, nil, store.Header{Title: "go", Sort: int64(500 + i)})
	}
	if got := w.all(w.request("go"), nil); len(got) != 650 {
		t.Errorf("found %d items", len(got))
	}
	if res := w.search(w.request("go")); res.IsBuilding {
		t.Error("all of it can be read")
	}
}

// A phrase of words that many items have is looked for in those alone that may have it, and so is a word whose
// beginning many have.
func TestPhrasesOfUsualWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 8)
	w.feed()
	filler := strings.Repeat("abcdefg ", 2500) // one block for each item
	var hs []store.Header
	var texts []string
	for i := range 100 {
		text := "market with reports, internationality "
		if i == 70 {
			text = "market reports, internationalisation "
		}
		hs, texts = append(hs, store.Header{Title: "n", Sort: int64(i)}), append(texts, text+filler)
	}
	w.commit(0, texts, hs...)
	w.indexAll(0)
	for q, want := range map[string]int{`"market reports"`: 1, `"market with reports"`: 99, "internationalis": 1,
		"internatio": 100, `"market research"`: 0} {
		if got := w.all(w.request(q), nil); len(got) != want {
			t.Errorf("%s: found %d items", q, len(got))
		}
	}
	w.fresh()
	for _, q := range []string{`"market reports"`, "internationalis", `"reports market"`, `"abcdefg the"`} {
		w.search(w.request("abcdefg zzz")) // which opens the segment
		if gets, _ := w.spent(func() { w.search(w.request(q)) }); gets > 3 {
			t.Errorf("%s took %d requests", q, gets)
		}
	}
}

// However many items wait for the index, what they say and what their bodies say is found; where bodies are far, as
// many are read as a search may, and the answer says that others may be missing.
func TestNewsIsFoundAtOnce(t *testing.T) {
	t.Parallel()
	for on, d := range map[string]blob.Driver{"near": memblob.New(), "far": far()} {
		w := newWorldOn(t, 4, memtable.New(), d)
		read := texts.New(w.blobs)
		w.s.ReadTexts(read)
		w.ok(w.blobs.Put(t.Context(), "feeds/raw",
			blob.Gzip([]byte(`{"version":"https://jsonfeed.org/version/1.1","title":"x","items":[
			{"id":"a","title":"t","content_text":"a stored needle"},{"id":"b","title":"t","content_text":"another stored needle"}]}`)),
			blob.Meta{ContentType: "application/feed+json", ContentEncoding: "gzip"}))
		id := func(s string) uint64 { return extract.Identity(s, "", "", "", "") }
		for range 10 {
			w.feed()
		}
		for i := range 400 {
			w.commit(i%10, nil, store.Header{Title: "go", Sort: int64(i), Raw: "none"})
			read.Keep("none", 0, "")
		}
		w.commit(3, nil, store.Header{Title: "one", Sort: 7, Identity: id("a")},
			store.Header{Title: "two", Sort: 8, Identity: id("b")})
		for range 2 {
			if got := w.all(w.request("go"), nil); len(got) != 400 {
				t.Errorf("%s: found %d items", on, len(got))
			}
			if got := w.all(w.request("needle -another"), nil); len(got) != 1 {
				t.Errorf("%s: found %d items by their bodies", on, len(got))
			}
			if w.search(w.request("needle")).IsBuilding {
				t.Errorf("%s: building", on)
			}
		}
		read.Keep("feeds/raw", id("a"), "kept text with a pin") // as an edit or the crawl would
		w.edit(3, reader.Seq(w.feeds[3].Seq)-1, func(hs []store.Header) { hs[0].Title = "edited" })
		if got := w.all(w.request("pin edited"), nil); len(got) != 1 {
			t.Errorf("%s: after an edit found %d items", on, len(got))
		}
		w.s.Bound(1000, 0)
		w.s.ReadTexts(texts.New(w.blobs))
		w.commit(3, nil, store.Header{Title: "three", Sort: 9, Identity: id("b")})
		if res := w.search(w.request("needle")); !res.IsBuilding {
			t.Errorf("%s: with bodies that may not be read: %d hits", on, len(res.Hits))
		}
	}
}

func TestCursors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5)
	w.feed()
	for i := range 10 {
		w.commit(0, nil, store.Header{Title: "go", Sort: int64(i % 3)}) // many at the same time
	}
	w.indexAll(0, 0)
	r := w.request("go")
	r.Limit, r.Mark = 3, 7
	next := w.search(r).Next
	if next == "" {
		t.Fatal("one page")
	}
	if got := w.all(r, nil); len(got) != 10 || !slices.Equal(got, w.wanted(r)) {
		t.Errorf("found %v", got)
	}
	for _, bad := range []string{"x", "!", next + "AA", next[:len(next)-2], strings.Repeat("A", 5000), "AA", "AQc"} {
		r.Cursor = bad
		if _, err := w.s.Search(t.Context(), r); fault.CodeOf(err) != "bad_cursor" {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
	r.Cursor, r.Mark = next, 8
	if _, err := w.s.Search(t.Context(), r); fault.CodeOf(err) != "bad_cursor" {
		t.Errorf("another search's cursor: %v", err)
	}
}

// damagedWorld has two segments, and something to find in both and in deltas.
func damagedWorld(t *testing.T, d table.Driver) *world {
	w := newWorldOn(t, 6, d, memblob.New())
	w.feed()
	for i := range 3 {
		w.commit(0, []string{w.words(30), w.words(20)}, w.header(), w.header())
		if i < 2 {
			w.indexAll(0)
		}
	}
	w.edit(0, 1, func(hs []store.Header) { hs[0] = w.header() })
	return w
}

// A flipped bit is reported, wherever it is, or does not matter: no answer is ever wrong.
func TestDamagedSegments(t *testing.T) {
	t.Parallel()
	w := damagedWorld(t, memtable.New())
	requests := []search.Request{w.request("go"), w.request("東京 -update"), w.request("title:golang"), w.request("th*")}
	var want [][]string
	for _, r := range requests {
		want = append(want, w.all(r, nil))
	}
	reported := 0
	for _, s := range w.list {
		key := store.SegmentKey(s.Name)
		file, _, err := w.blobs.Get(t.Context(), key)
		w.ok(err)
		for i := range file {
			bad := slices.Clone(file)
			bad[i] ^= 1 << w.rnd.IntN(8)
			w.ok(w.blobs.Put(t.Context(), key, bad, blob.Meta{}))
			w.fresh()
			for j, r := range requests {
				res, err := w.s.Search(t.Context(), r)
				var got []string
				for _, h := range res.Hits {
					got = append(got, fmt.Sprintf("%d/%d", h.Feed, h.Seq))
				}
				switch {
				case err != nil:
					if reported++; fault.CodeOf(err) != "search_damaged" || !fault.Is(err, fault.Unavailable) ||
						!segment.IsDamaged(segment.Verify(bad)) {
						t.Fatalf("byte %d: %v", i, err)
					}
				case !slices.Equal(got, want[j]):
					t.Fatalf("byte %d: found %v, want %v", i, got, want[j])
				}
			}
		}
		w.ok(w.blobs.Put(t.Context(), key, file[:len(file)-1], blob.Meta{}))
		w.fresh()
		if _, err := w.s.Search(t.Context(), requests[0]); fault.CodeOf(err) != "search_damaged" {
			t.Errorf("a segment that was cut: %v", err)
		}
		w.ok(w.blobs.Delete(t.Context(), key))
		if _, err := w.s.Search(t.Context(), requests[0]); fault.CodeOf(err) != "search_damaged" {
			t.Errorf("a segment that is gone: %v", err)
		}
		w.ok(w.blobs.Put(t.Context(), key, file, blob.Meta{}))
	}
	one, other := store.SegmentKey(w.list[0].Name), store.SegmentKey(w.list[1].Name)
	a, _, err := w.blobs.Get(t.Context(), one)
	w.ok(err)
	b, _, err := w.blobs.Get(t.Context(), other)
	w.ok(err)
	w.ok(w.blobs.Put(t.Context(), one, b, blob.Meta{}))
	w.ok(w.blobs.Put(t.Context(), other, a, blob.Meta{}))
	w.fresh()
	if _, err := w.s.Search(t.Context(), requests[0]); fault.CodeOf(err) != "search_damaged" {
		t.Errorf("two segments that were exchanged: %v", err)
	}
	if reported < 1000 {
		t.Errorf("%d searches reported damage", reported)
	}
}

// The row may be a minute old where reading it costs money: a search whose segments were merged meanwhile reads it
// again.
func TestSegmentsMergedSinceTheRowWasRead(t *testing.T) {
	t.Parallel()
	w := damagedWorld(t, remote{memtable.New()})
	r := w.request("go")
	want := w.wanted(r)
	w.search(w.request("nothing"))
	w.fresh()
	w.search(w.request("nothing")) // reads the row and the tails, no texts
	w.put(2, nil)
	if got := w.all(r, nil); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	// What was committed and indexed meanwhile is found, in deltas or in the new segment.
	w.commit(0, nil, store.Header{Title: "go", Sort: w.clk.Now().Unix()})
	w.compare("before it is indexed", w.request("go"), nil)
	w.indexAll(1)
	w.clk.Add(2 * time.Minute)
	w.compare("after it is indexed, and the row is read again", w.request("go"), nil)
}

// Only what the caller gives is found: other feeds' items never, whatever they have in common.
func TestOnlyTheGivenFeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 7)
	for range 4 {
		w.feed()
	}
	for range 40 {
		w.step()
	}
	for i := range w.feeds {
		for _, name := range w.all(w.request("go*", i), nil) {
			if !strings.HasPrefix(name, fmt.Sprintf("%d/", w.feeds[i].ID())) {
				t.Errorf("a search in feed %d found %s", w.feeds[i].ID(), name)
			}
		}
	}
}

// Searches at the same time share what is in memory, and each finds what it would alone.
func TestSearchesAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 8)
	for range 4 {
		w.feed()
	}
	for range 60 {
		w.step()
	}
	type pair struct {
		r    search.Request
		want []string
	}
	var list []pair
	for range 40 {
		r := w.randomRequest()
		r.Limit = 1000
		list = append(list, pair{r, w.wanted(r)})
	}
	w.fresh()
	var wg sync.WaitGroup
	for i := range list {
		wg.Go(func() {
			res, err := w.s.Search(t.Context(), list[i].r)
			var got []string
			for _, h := range res.Hits {
				got = append(got, fmt.Sprintf("%d/%d", h.Feed, h.Seq))
			}
			if err != nil || !slices.Equal(got, list[i].want) {
				t.Errorf("found %v, %v; want %v", got, err, list[i].want)
			}
		})
	}
	wg.Wait()
}

// A hit is the item as it is now, with its place and what matched.
func TestHits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9)
	w.feed()
	h := store.Header{Identity: 5, Title: "About Go", Link: "https://example.org/go", Author: "A", Snippet: "s",
		Sort: 100, Categories: []string{"c"}}
	w.commit(0, []string{"the language Go in bodies"}, h)
	for _, where := range []string{"in a delta", "in a segment", "edited", "edited, in a segment"} {
		got := w.search(w.request("go")).Hits
		if len(got) != 1 || got[0].Feed != w.feeds[0].ID() || got[0].Seq != 1 ||
			got[0].Stamp != reader.Minute(w.feeds[0].Stamp) ||
			fmt.Sprint(got[0].Header) != fmt.Sprint(h) ||
			!slices.Equal(got[0].Title, []string{strings.TrimSuffix(h.Title, "Go"), "Go", ""}) {
			t.Errorf("%s: %+v", where, got)
		}
		if where == "in a segment" {
			h.Title = "Again Go"
			w.edit(0, 1, func(hs []store.Header) { hs[0] = h })
		} else {
			w.indexAll(1)
		}
	}
}
