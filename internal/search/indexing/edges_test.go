package indexing

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Where there is nothing to be found, nothing is kept, not even a row.
func TestAnEmptyInstallation(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.service(Options{Bodies: true})
	for _, with := range []string{"no feeds", "a feed without items"} {
		for _, rebuild := range []bool{false, true} {
			if r, err := s.All(bg, rebuild, func(Report) {}); err != nil || r != (Report{Done: true}) {
				t.Errorf("%s: %+v, %v", with, r, err)
			}
		}
		if row, _ := p.row(); row.Exists() || len(p.mem.Keys()) > 0 {
			t.Errorf("%s: there are %+v and %v", with, row, p.mem.Keys())
		}
		p.feed(1)
	}
	p.add(1, "one")
	if r := p.index(s); r.Items != 1 || r.Segments != 1 {
		t.Errorf("the first item: %+v", r)
	}
}

// A feed whose floor is above all of its items leaves nothing of them the night after; what comes then is indexed as
// always.
func TestAFloorAboveEverything(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.service(Options{Bodies: true})
	f := p.feed(1)
	p.add(f, "first text", "second text")
	p.index(s)
	p.add(f, "third text") // which no job sees before its end
	_, err := p.store.Feeds.Modify(bg, f, func(row *store.FeedRow) { row.Floor = row.Seq })
	p.ok(err)
	p.clk.Add(24 * time.Hour)
	if r := p.index(s); r.Items != 0 || !r.Done {
		t.Errorf("%+v", r)
	}
	if texts := p.texts(); texts != "" {
		t.Errorf("left: %q", texts)
	}
	p.add(f, "fourth text")
	if r := p.index(s); r.Items != 1 {
		t.Errorf("after it: %+v", r)
	}
	if texts := p.texts(); !strings.Contains(texts, "fourth text") || strings.Contains(texts, "third") {
		t.Errorf("the index has %q", texts)
	}
}

// The index follows the setting, however often it changes, and also when a job died in the middle of a change.
func TestTheModeGoesBackAndForth(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := p.feed(1)
	items := 0
	for i, mode := range []string{"titles", "bodies", "off", "bodies", "off", "titles", "bodies", "titles"} {
		for range 3 {
			p.add(f, fmt.Sprintf("long text %d with a needle", i))
			items++
		}
		s := p.service(Options{Off: mode == "off", Bodies: mode == "bodies"})
		s.stepItems = 4
		p.clk.Add(2 * time.Hour)
		_, err := s.Run(bg, job.Job{Kind: job.Index}) // what follows it is lost
		p.ok(err)
		p.clk.Add(2 * time.Hour)
		_, err = s.All(bg, false, func(Report) {})
		p.ok(err)
		if mode == "off" {
			continue
		}
		row, list := p.row()
		documents := 0
		for _, x := range list {
			documents += x.Documents
		}
		if want := map[string]int{"titles": 0, "bodies": items}[mode]; row.Mode != mode || documents != items ||
			strings.Count(p.texts(), "needle") != want {
			t.Errorf("%s: a row of %s with %d of %d documents, %d texts of %d", mode, row.Mode, documents, items,
				strings.Count(p.texts(), "needle"), want)
		}
	}
}

// Twenty thousand items are indexed in steps, each once, in segments of their size.
func TestTwentyThousandItems(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const feeds, deltas, items = 20, 10, 100
	for n := range feeds {
		f := p.feed(n)
		for range deltas {
			texts := make([]string, items)
			for i := range texts {
				texts[i] = fmt.Sprintf("text %x", n*7919+i*104729)
			}
			p.add(f, texts...)
		}
	}
	for _, o := range []Options{{}, {PutsCost: true}} {
		s, steps := p.service(o), 0
		s.small, s.most = 50<<10, 200<<10 // more than one segment
		sum, err := s.All(bg, true, func(r Report) { steps++ })
		p.ok(err)
		if sum.Items != feeds*deltas*items || !sum.Done || steps < sum.Items/s.stepItems ||
			steps > 2+sum.Items/s.stepItems {
			t.Errorf("%+v: %d steps, %+v", o, steps, sum)
		}
		_, list := p.row()
		seen := map[query.Ref]bool{}
		for i := range list {
			file, err := s.file(bg, &list[i])
			p.ok(err)
			p.ok(segment.Verify(file))
			tail, err := segment.OpenFile(file)
			p.ok(err)
			for _, e := range tail.Documents {
				seen[query.Ref{Feed: e.Feed, Seq: e.Seq}] = true
			}
			if list[i].Size > s.most {
				t.Errorf("%+v: a segment of %d bytes", o, list[i].Size)
			}
		}
		documents := 0
		for _, x := range list {
			documents += x.Documents
		}
		if len(seen) != sum.Items || documents != sum.Items || len(list) < 2 {
			t.Errorf("%+v: %d segments have %d documents, %d items of %d", o, len(list), documents,
				len(seen), sum.Items)
		}
	}
}

// Texts that nobody writes are indexed up to their limit, and end no job.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := p.feed(1)
	long := strings.Repeat("word ", query.MaxText/5)
	texts := map[string]string{
		"a text above the limit":        long + "needle",
		"one endless word":              strings.Repeat("x", 2*query.MaxText),
		"one endless word of kanji":     strings.Repeat("桜", query.MaxText),
		"marks on one letter":           "e" + strings.Repeat("\u0301", 10_000) + " after",
		"what folds to eighteen runes":  strings.Repeat("ﷺ", 30_000),
		"every index term once":         everyRune(),
		"controls, and half characters": "a\u202eb\u200dc\ufffdd",
		"nothing but symbols":           strings.Repeat("★ ", 5000),
	}
	s := p.service(Options{Bodies: true})
	for _, text := range texts {
		p.add(f, text)
	}
	sum, err := s.All(bg, false, func(Report) {})
	p.ok(err)
	if sum.Items != len(texts) {
		t.Errorf("%+v", sum)
	}
	_, list := p.row()
	for i := range list {
		file, err := s.file(bg, &list[i])
		p.ok(err)
		p.ok(segment.Verify(file))
	}
	all := p.texts()
	for name, text := range texts {
		if want := reader.CutBytes(text, query.MaxText); !strings.Contains(all, strings.TrimSpace(want)) {
			t.Errorf("%s: it is not in the index as it is", name)
		}
	}
	if strings.Contains(all, "needle") {
		t.Error("what is above the limit is indexed")
	}
}

func everyRune() string {
	var b strings.Builder
	for r := rune(0x3400); b.Len() < query.MaxText-3; r++ {
		b.WriteRune(r)
	}
	return b.String()
}

// A clock that was years ahead, and is set right: what a job left at that time stops no other, and each night's work is
// done.
func TestAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	right := p.clk.Now()
	p.clk.Add(5 * 365 * 24 * time.Hour)
	kept, removed := p.feed(1), p.feed(2)
	s := p.service(Options{Bodies: true, PutsCost: true})
	s.small, s.most = 1, 1 // nothing is merged
	for i := range 10 {
		for range 4 {
			p.add(kept, fmt.Sprintf("kept text %d", i))
		}
		p.add(removed, fmt.Sprintf("secret text %d", i))
		p.index(s)
	}
	row, list := p.row()
	next := *row // a job dies
	next.Making, next.At = newName(), p.clk.Now().Unix()
	next.SetDropped([]store.DroppedSegment{{Name: newName(), At: p.clk.Now().Unix()}})
	_, err := p.store.Search.Replace(bg, row, &next)
	p.ok(err)
	dropped, err := next.ListDropped()
	p.ok(err)
	for _, name := range []string{next.Making, dropped[0].Name} {
		p.ok(p.blobs.Put(bg, store.SegmentKey(name), []byte("half"), blob.Meta{}))
	}
	if len(list) != 10 {
		t.Fatalf("%d segments", len(list))
	}
	f, err := p.store.Feeds.Get(bg, removed, true)
	p.ok(err)
	gone := *f
	gone.RemovingSince = right.Unix()
	f, err = p.store.Feeds.Change(bg, f, &gone)
	p.ok(err)
	p.ok(p.store.Feeds.Remove(bg, removed, f.RemovingSince))

	p.clk.Set(right)
	p.add(kept, "a new text")
	if r := p.index(s); r.Lost || r.Items != 1 || !r.Done {
		t.Fatalf("after the clock was set: %+v", r)
	}
	for _, name := range []string{next.Making, dropped[0].Name} {
		if slices.Contains(p.mem.Keys(), store.SegmentKey(name)) {
			t.Errorf("%s is left", name)
		}
	}
	for range 31 {
		p.clk.Add(24 * time.Hour)
		if r := p.index(s); !r.Done {
			t.Fatalf("%+v", r)
		}
	}
	texts := p.texts()
	if n := strings.Count(texts, "secret text"); n > 0 {
		t.Errorf("%d texts of a removed feed are left", n)
	}
	if n := strings.Count(texts, "kept text"); n != 40 {
		t.Errorf("%d texts of the other, want 40", n)
	}
}

// A removed feed leaves no index term either: none of the words that only it had lead to a document.
func TestWhatIsGoneLeavesNoTerm(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	kept, removed := p.feed(1), p.feed(2)
	s := p.service(Options{Bodies: true})
	p.add(kept, "kept text")
	p.add(removed, "zyxwvut 秘密")
	p.index(s)
	has := func(word string) (documents int) {
		q, err := query.Parse(word, query.Options{})
		p.ok(err)
		ranges, _ := segment.Ranges(&q.Terms[0])
		_, list := p.row()
		for i := range list {
			file, err := s.file(bg, &list[i])
			p.ok(err)
			tail, err := segment.OpenFile(file)
			p.ok(err)
			for _, r := range ranges {
				set := segment.NewSet(len(tail.Documents))
				from, to := tail.Terms(r)
				for b := from; b < to; b++ {
					at := tail.Term(b)
					terms, err := segment.ReadTerms(file[at.At : at.At+at.Size])
					p.ok(err)
					p.ok(terms.Collect(r, len(tail.Documents), set))
				}
				for _, word := range set {
					if word != 0 {
						documents++
					}
				}
			}
		}
		return documents
	}
	words := []string{"zyxwvut", "秘密"}
	for _, word := range words {
		if has(word) == 0 {
			t.Fatalf("%q is not indexed", word)
		}
	}
	f, err := p.store.Feeds.Get(bg, removed, true)
	p.ok(err)
	gone := *f
	gone.RemovingSince = p.clk.Now().Unix()
	f, err = p.store.Feeds.Change(bg, f, &gone)
	p.ok(err)
	p.ok(p.store.Feeds.Remove(bg, removed, f.RemovingSince))
	for range 8 {
		p.clk.Add(24 * time.Hour)
		p.index(s)
	}
	for _, word := range words {
		if n := has(word); n > 0 {
			t.Errorf("%q still leads to %d documents", word, n)
		}
	}
	if has("kept") == 0 {
		t.Error("what is there is not indexed")
	}
}
