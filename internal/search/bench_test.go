package search_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// benchItem is an item to measure on.
type benchItem struct {
	feed   reader.FeedID
	seq    reader.Seq
	header store.Header
	text   string
}

// benchItems are the items of the folder RURI_FEEDS_DUMP (made by the feed farm with -dump), else made up, in the order
// in which a crawl brings them: feed by feed.
func benchItems(b *testing.B) (list []benchItem) {
	b.Helper()
	dir := os.Getenv("RURI_FEEDS_DUMP")
	if dir == "" {
		return madeUp(100, 40)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	for i, f := range files {
		body, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			b.Fatal(err)
		}
		feed, err := extract.Scan(body, "", "https://example.org/", extract.Options{Text: true})
		if err != nil {
			b.Fatal(f.Name(), err)
		}
		slices.SortStableFunc(feed.Items, func(x, y extract.Item) int { return x.Published.Compare(y.Published) })
		for j := range feed.Items {
			it := &feed.Items[j]
			list = append(list, benchItem{reader.FeedID(i + 1), reader.Seq(j + 1), store.Header{
				Identity: it.Identity, Content: it.Content, Title: strings.Clone(it.Title),
				Link: strings.Clone(it.Link), Author: strings.Clone(it.Author),
				Published: it.Published.Unix(), Updated: it.Updated.Unix(), Sort: it.Published.Unix(),
				Snippet: strings.Clone(it.Snippet), Image: strings.Clone(it.Image),
				Lang: it.Lang, Categories: it.Categories,
			}, strings.Clone(it.Text)})
		}
	}
	return list
}

// madeUp makes items with words of which few are frequent, as in languages.
func madeUp(feeds, items int) (list []benchItem) {
	r := rand.New(rand.NewPCG(1, 6))
	zipf := rand.NewZipf(r, 1.1, 8, 20_000)
	words := func(n int, isJapanese bool) string {
		var s strings.Builder
		for s.Len() < n {
			w := zipf.Uint64()
			if isJapanese {
				s.WriteString(string([]rune{rune(0x4e00 + w%2000), rune(0x3042 + w%80)}))
			} else {
				fmt.Fprintf(&s, "%s ", strings.Repeat(string(rune('a'+w%26)), 1+int(w%3))+fmt.Sprintf("%x", w))
			}
		}
		return s.String()
	}
	for f := range feeds {
		for i := range items {
			ja, at := f%12 == 0, 1_770_000_000+int64(i)*3600*5+int64(r.IntN(3600))
			list = append(list, benchItem{reader.FeedID(f + 1), reader.Seq(i + 1), store.Header{
				Identity: r.Uint64() >> 16, Content: r.Uint32() >> 8, Title: words(42, ja), Author: words(10, ja),
				Link:      fmt.Sprintf("https://host%d.example/posts/%d", f, i),
				Published: at, Updated: at, Sort: at, Snippet: words(178, ja),
			}, words(1156, ja)})
		}
	}
	return list
}

func (it *benchItem) document(bodies bool) segment.Document {
	h := &it.header
	d := segment.Document{Feed: it.feed, Seq: it.seq, Stamp: 60_000, Sort: h.Sort, Record: h.Record(), Item: query.Item{
		Title: h.Title, Author: h.Author, Snippet: h.Snippet, Categories: h.Categories,
	}}
	if bodies {
		d.Item.Text = it.text
	}
	return d
}

// benchSizes are the sizes of segments on one machine.
const (
	benchStep = 4000 // items of a job
	benchMost = 8 << 20
)

// benchWorld indexes items as the jobs of one machine do after a first crawl; report tells what that cost.
func benchWorld(b *testing.B, items []benchItem, bodies bool) (w *world, report func()) {
	b.Helper()
	files, err := fileblob.Open(b.TempDir(), fileblob.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = files.Close() })
	w = newWorldOn(b, 1, memtable.New(), nil)
	w.blobs = blob.New(files)
	w.fresh()
	ctx := context.Background()
	var list []store.Segment
	var building, merging time.Duration
	var size, merged int
	put := func(file []byte, tail int) {
		t, err := segment.OpenFile(file)
		w.ok(err)
		s := store.Segment{Name: fmt.Sprintf("%016x", w.rnd.Uint64()), Size: len(file), Tail: tail,
			Documents: len(t.Documents)}
		s.Newest, s.Oldest = t.Documents[0].Sort, t.Documents[len(t.Documents)-1].Sort
		w.ok(w.blobs.Put(ctx, store.SegmentKey(s.Name), file, blob.Meta{}))
		list = append(list, s)
	}
	for from := 0; from < len(items); from += benchStep {
		p := &segment.Part{}
		for i := range items[from:min(from+benchStep, len(items))] {
			p.Documents = append(p.Documents, items[from+i].document(bodies))
		}
		begun := cpu()
		file, tail, err := segment.Build(p)
		w.ok(err)
		building += cpu() - begun
		var old [][]byte
		sum := len(file)
		for n := len(list); n > 0 && list[n-1].Size < max(1<<20, 4*sum) && sum+list[n-1].Size < benchMost; n-- {
			prior, _, err := w.blobs.Get(ctx, store.SegmentKey(list[n-1].Name))
			w.ok(err)
			old, sum = append([][]byte{prior}, old...), sum+len(prior)
			merged += list[n-1].Documents
		}
		list = list[:len(list)-len(old)]
		if len(old) > 0 {
			begun = cpu()
			file, tail, err = segment.Merge(append(old, file), segment.Options{})
			w.ok(err)
			merging += cpu() - begun
			merged += len(p.Documents)
		}
		put(file, tail)
	}
	for _, s := range list {
		size += s.Size
	}
	byFeed := map[reader.FeedID]uint32{}
	newest := map[reader.FeedID]int64{}
	for i := range items {
		byFeed[items[i].feed] = max(byFeed[items[i].feed], uint32(items[i].seq))
		newest[items[i].feed] = max(newest[items[i].feed], items[i].header.Sort)
	}
	var covered []segment.Covered
	for f := reader.FeedID(1); int(f) <= len(byFeed); f++ {
		covered = append(covered, segment.Covered{Feed: f, Seq: reader.Seq(byFeed[f])})
		w.change(w.feed(), func(row *store.FeedRow) { row.Seq, row.NewestAt = byFeed[f], newest[f] })
	}
	file, tail, err := segment.Build(&segment.Part{Documents: []segment.Document{items[0].document(bodies)},
		Replaces: []query.Ref{{Feed: items[0].feed, Seq: items[0].seq}}, Covered: covered})
	w.ok(err)
	put(file, tail)
	next := store.SearchRow{}
	next.Format = segment.Format
	next.SetList(list)
	_, err = w.store.Search.Replace(ctx, &store.SearchRow{}, &next)
	w.ok(err)
	n := float64(len(items))
	return w, func() {
		b.ReportMetric(float64(building.Microseconds())/n, "build-µs/item")
		b.ReportMetric(float64(merging.Microseconds())/float64(max(merged, 1)), "merge-µs/item")
		b.ReportMetric(float64(size)/n, "B/item")
		b.ReportMetric(float64(len(list)), "segments")
	}
}

// benchQueries are searches for words of the items: frequent and rare ones, several together, quoted, excluded,
// beginnings.
func benchQueries(items []benchItem, n int) (list []string) {
	r := rand.New(rand.NewPCG(2, 7))
	for len(list) < n {
		it := &items[r.IntN(len(items))]
		source := []string{it.header.Title, it.header.Snippet, it.text}[r.IntN(3)]
		words := strings.Fields(source)
		if len(words) < 3 {
			continue
		}
		at := r.IntN(len(words) - 1)
		one, two := words[at], words[at+1]
		if letters := []rune(one); letters[0] > 0x3000 {
			from := r.IntN(len(letters))
			one = string(letters[from:min(from+2+r.IntN(3), len(letters))])
			two = string([]rune(words[0])[:1])
		}
		one, two = strings.Trim(one, `"-.,:;`), strings.Trim(two, `"-.,:;`)
		q := []string{one, one, one + " " + two, `"` + one + " " + two + `"`, one + " -" + two, "title:" + one,
			one + "*"}[r.IntN(7)]
		if _, err := query.Parse(q, query.Options{}); err == nil {
			list = append(list, q)
		}
	}
	return list
}

// BenchmarkIndex builds the index of a first crawl, and searches it warm: half of the latencies are below p50-ms.
func BenchmarkIndex(b *testing.B) {
	items := benchItems(b)
	for _, mode := range []string{"titles", "bodies"} {
		b.Run(mode, func(b *testing.B) {
			w, report := benchWorld(b, items, mode == "bodies")
			queries := benchQueries(items, 300)
			var requests []search.Request
			for _, q := range queries {
				requests = append(requests, w.request(q))
			}
			var took []time.Duration
			var hits, rounds int
			runtime.GC()
			before := cpu()
			for b.Loop() {
				took, hits = took[:0], 0
				rounds++
				for i := range requests {
					begun := time.Now()
					res, err := w.s.Search(b.Context(), requests[i])
					w.ok(err)
					took = append(took, time.Since(begun))
					hits += len(res.Hits)
				}
			}
			report()
			b.ReportMetric((cpu()-before).Seconds()*1000/float64(rounds*len(requests)), "cpu-ms/search")
			order := make([]int, len(took))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(i, j int) int { return cmp.Compare(took[i], took[j]) })
			for _, i := range order[len(order)-6:] {
				b.Logf("%v for %s", took[i], queries[i])
			}
			b.ReportMetric(took[order[len(took)/2]].Seconds()*1000, "p50-ms")
			b.ReportMetric(took[order[len(took)*99/100]].Seconds()*1000, "p99-ms")
			b.ReportMetric(float64(hits)/float64(len(requests)), "hits")
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			runtime.KeepAlive(w)
			b.ReportMetric(float64(m.HeapAlloc)/1e6, "heap-MB")
		})
	}
}
