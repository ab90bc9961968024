package segment

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
)

var words = strings.Fields("go golang Google update updates 東京 東京都庁 京都 カメラ ガンダム がんばる naïve Café Łódź 한국어 ประเทศไทย " +
	"node.js c++ 葛城 ﷺ ㍿ Привет привет Überraschung 1.26 x e\u0301 ｶﾅ GO言語 internationalisation internationalization " +
	"the")

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(words[r.IntN(len(words))])
		b.WriteString([]string{" ", "、", "", "\n", " - "}[r.IntN(5)])
	}
	return b.String()
}

func randomDocument(r *rand.Rand, f reader.FeedID, seq reader.Seq) Document {
	d := Document{
		Feed: f, Seq: seq, Stamp: reader.Minute(1000 + seq), Sort: 1_700_000_000 + int64(r.IntN(5000)),
		Record: []byte(fmt.Sprintf("%d/%d/%d", f, seq, r.Uint32())),
		Item: query.Item{Title: randomText(r, r.IntN(8)), Author: randomText(r, r.IntN(2)),
			Snippet: randomText(r, r.IntN(20))},
	}
	for range r.IntN(3) {
		d.Item.Categories = append(d.Item.Categories, randomText(r, 1))
	}
	if r.IntN(2) == 0 {
		d.Item.Text = randomText(r, r.IntN(400))
	}
	return d
}

// contents reads a whole file: its documents with record and text, and for each index term its documents.
func contents(t testing.TB, file []byte) (docs []string, terms map[Key][]string, tail *Tail) {
	t.Helper()
	s, err := openSource(file)
	if err != nil {
		t.Fatal(err)
	}
	name := func(i uint32) string { return fmt.Sprintf("%d/%d", s.Documents[i].Feed, s.Documents[i].Seq) }
	blocks := map[int]Texts{}
	for i := range s.Documents {
		e := &s.Documents[i]
		block, place := e.Text()
		texts, ok := blocks[block]
		if !ok {
			if texts, err = ReadTexts(s.bytes(s.Text(block))); err != nil {
				t.Fatal(err)
			}
			blocks[block] = texts
		}
		record, text, err := texts.Get(place)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, fmt.Sprintf("%d %d %s %s %s", e.Sort, e.Stamp, name(uint32(i)), record, text))
	}
	terms = map[Key][]string{}
	for {
		if err := s.next(); err != nil {
			t.Fatal(err)
		}
		if s.done {
			return docs, terms, s.Tail
		}
		if err := s.entry.each(len(s.Documents), func(d uint32) {
			terms[s.entry.term] = append(terms[s.entry.term], name(d))
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// wanted is what a segment of documents has to contain.
func wanted(list []Document) (docs []string, terms map[Key][]string) {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Document) int {
		return (&Entry{Sort: a.Sort, Feed: a.Feed, Seq: a.Seq, Stamp: a.Stamp}).Compare(&Entry{Sort: b.Sort,
			Feed: b.Feed, Seq: b.Seq, Stamp: b.Stamp})
	})
	terms = map[Key][]string{}
	for i := range list {
		d := &list[i]
		name := fmt.Sprintf("%d/%d", d.Feed, d.Seq)
		docs = append(docs, fmt.Sprintf("%d %d %s %s %s", d.Sort, d.Stamp, name, d.Record, d.Item.Text))
		add := func(s string, fields ...query.Field) {
			scan([]byte(match.Kana.Fold(s)), func(key Key) {
				for _, f := range fields {
					in := Range{key, key}.In(f).Lo
					if list := terms[in]; len(list) == 0 || list[len(list)-1] != name {
						terms[in] = append(list, name)
					}
				}
			})
		}
		add(d.Item.Title, query.Any, query.Title)
		add(d.Item.Author, query.Any, query.Author)
		for _, s := range append([]string{d.Item.Snippet, d.Item.Text}, d.Item.Categories...) {
			add(s, query.Any)
		}
	}
	return docs, terms
}

func compare(t testing.TB, what string, file []byte, list []Document) *Tail {
	t.Helper()
	docs, terms, tail := contents(t, file)
	wantDocs, wantTerms := wanted(list)
	if !slices.Equal(docs, wantDocs) {
		t.Fatalf("%s: documents\n%q\nwant\n%q", what, docs, wantDocs)
	}
	if !reflect.DeepEqual(terms, wantTerms) {
		t.Fatalf("%s: %d index terms, want %d", what, len(terms), len(wantTerms))
	}
	if err := Verify(file); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return tail
}

// What is built can be read, and what is merged is what would have been built of the documents that are left.
func TestMergesAreWhatTheirDocumentsMake(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		var files [][]byte
		live := map[query.Ref]Document{} // the newest versions
		floor := map[reader.FeedID]reader.Seq{}
		next := map[reader.FeedID]reader.Seq{}
		var p *Part
		for range 1 + r.IntN(6) {
			p = &Part{}
			for range r.IntN(60) {
				f := reader.FeedID(1 + r.IntN(5))
				next[f]++
				p.Documents = append(p.Documents, randomDocument(r, f, next[f]))
			}
			for ref := range live {
				if r.IntN(10) == 0 {
					p.Documents = append(p.Documents, randomDocument(r, ref.Feed, ref.Seq))
					p.Replaces = append(p.Replaces, ref)
				}
			}
			for f := reader.FeedID(1); f <= 5; f++ {
				p.Covered = append(p.Covered, Covered{f, next[f], r.Uint32()})
			}
			for i := range p.Documents {
				d := &p.Documents[i]
				live[query.Ref{Feed: d.Feed, Seq: d.Seq}] = *d
			}
			file, tail, err := Build(p)
			if err != nil {
				t.Fatal(err)
			}
			got := compare(t, "built", file, p.Documents)
			if opened, err := Open(file[len(file)-tail:], len(file)); err != nil || !reflect.DeepEqual(opened, got) {
				t.Fatalf("the tail alone: %v, %v", opened, err)
			}
			if !slices.Equal(got.Covered, p.Covered) || len(got.Replaces) != len(p.Replaces) {
				t.Fatalf("covered %v, replaces %v", got.Covered, got.Replaces)
			}
			files = append(files, file)
		}
		for f := range next {
			floor[f] = reader.Seq(r.IntN(int(next[f]) + 1))
		}
		keep := func(f reader.FeedID, seq reader.Seq) bool { return f != 3 && seq > floor[f] }
		// All in two steps, then once more without anything new.
		cut := r.IntN(len(files))
		older, _, err := Merge(files[:cut], Options{Whole: true})
		if cut > 0 && err != nil {
			t.Fatal(err)
		}
		rest := files[cut : len(files)-1]
		if cut > 0 && cut < len(files)-1 {
			rest = append([][]byte{older}, rest...)
		} else if cut > 0 {
			rest = [][]byte{older}
		}
		merged, _, err := Merge(append(slices.Clip(rest), files[len(files)-1]), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var all, kept []Document
		for ref, d := range live {
			all = append(all, d)
			if keep(ref.Feed, ref.Seq) {
				kept = append(kept, d)
			}
		}
		compare(t, "merged", merged, all)
		again, _, err := Merge([][]byte{merged}, Options{Keep: keep, Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		if tail := compare(t, "kept", again, kept); len(tail.Replaces) > 0 || !slices.Equal(tail.Covered, p.Covered) {
			t.Fatalf("replaces %v, covered %v", tail.Replaces, tail.Covered)
		}
	}
}

// A flipped bit is reported, wherever it is.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 4))
	p := &Part{Covered: []Covered{{1, 9, 3}}, Replaces: []query.Ref{{Feed: 1, Seq: 2}}}
	for i := range 9 {
		p.Documents = append(p.Documents, randomDocument(r, 1, reader.Seq(i+1)))
	}
	file, _, err := Build(p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range file {
		bad := bytes.Clone(file)
		bad[i] ^= 1 << r.IntN(8)
		if err := Verify(bad); !IsDamaged(err) {
			t.Fatalf("byte %d of %d: %v", i, len(file), err)
		}
		if _, _, err := Merge([][]byte{bad}, Options{}); err == nil {
			t.Fatalf("byte %d of %d was merged", i, len(file))
		} else if fault.KindOf(err) != fault.Internal {
			t.Fatal(err)
		}
	}
	for n := range file {
		if err := Verify(file[:n]); !IsDamaged(err) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(file), err)
		}
	}
}
