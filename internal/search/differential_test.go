package search_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/turns"
)

// TestDifferential compares searches with brute force: random items in many scripts, indexed, merged, edited and
// expired in random orders, and random queries over all operators. The joined pages must be what looking at every item
// finds, no more and no less. R-88. 10,000 seeds, 500 in a short run.
func TestDifferential(t *testing.T) {
	t.Parallel()
	turns.EachSeed(t, 10_000, 500, func(t *testing.T, seeds []uint64) {
		found, empty := 0, 0
		for _, seed := range seeds {
			f, e := differ(t, seed)
			found, empty = found+f, empty+e
			if t.Failed() {
				return
			}
		}
		if len(seeds) >= 50 && found < len(seeds) {
			t.Errorf("only %d items were found, and nothing by %d searches", found, empty)
		}
	})
}

// shelf is what the items are, kept beside the world that is searched.
type shelf struct {
	*world
	seed  uint64
	items map[query.Ref]*volume
	first map[query.Ref]int // the deltas, with how many items they have
	nouns []string
}

// volume is an item.
type volume struct {
	header    store.Header
	text      string
	stamp     reader.Minute
	isIndexed bool             // as it is now, so that its text is searched
	folded    [2]*query.Folded // without and with its text, once a search has looked at it
}

// fold returns what a query sees of the item.
func (v *volume) fold() *query.Folded {
	it, i := query.Item{Title: v.header.Title, Author: v.header.Author, Snippet: v.header.Snippet,
		Categories: v.header.Categories}, 0
	if v.isIndexed {
		it.Text, i = reader.CutBytes(v.text, query.MaxText), 1
	}
	if v.folded[i] == nil {
		v.folded[i] = query.Fold(&it)
	}
	return v.folded[i]
}

// differ is one history with some searches. It returns how many items were found, and how many searches found nothing.
func differ(t *testing.T, seed uint64) (found, empty int) {
	s := &shelf{world: newWorld(t, seed), seed: seed, items: map[query.Ref]*volume{}, first: map[query.Ref]int{}}
	for range 1 + s.rnd.IntN(3) {
		s.nouns = append(s.nouns, nouns[s.rnd.IntN(len(nouns))]...)
	}
	for range 1 + s.rnd.IntN(4) {
		s.feed()
	}
	for range 2 {
		s.deliver(s.rnd.IntN(len(s.feeds)))
	}
	for range 6 + s.rnd.IntN(12) {
		s.happen()
		if s.rnd.IntN(2) == 0 {
			continue
		}
		n := s.search()
		found += n
		if n == 0 {
			empty++
		}
	}
	return found, empty
}

func (s *shelf) happen() {
	s.Helper()
	feed := s.rnd.IntN(len(s.feeds))
	f := s.feeds[feed]
	s.clk.Add(time.Duration(s.rnd.IntN(300)) * time.Minute)
	switch s.rnd.IntN(10) {
	case 0, 1, 2, 3:
		s.deliver(feed)
	case 4:
		s.rewrite(feed)
		for s.rnd.IntN(20) == 0 { // more than are named one by one
			for range 18 {
				s.rewrite(feed)
			}
		}
	case 5:
		s.change(feed, func(f *store.FeedRow) { f.Floor = min(f.Seq, f.Floor+uint32(s.rnd.IntN(6))) })
	case 6, 7:
		s.indexAll(s.rnd.IntN(4))
		for _, v := range s.items {
			v.isIndexed = true
		}
	case 8:
		s.indexAll(s.rnd.IntN(3), feed)
		for ref, v := range s.items {
			v.isIndexed = v.isIndexed || ref.Feed == f.ID()
		}
	case 9:
		if s.rnd.IntN(3) == 0 {
			s.change(feed, func(f *store.FeedRow) { f.NoteEditOfAll() })
			s.forget(feed)
		} else if len(s.list) > 1 {
			s.put(1+s.rnd.IntN(len(s.list)), nil)
		}
	}
}

// deliver lets a feed have new items.
func (s *shelf) deliver(feed int) {
	s.Helper()
	id := s.feeds[feed].ID()
	hs, texts := make([]store.Header, 1+s.rnd.IntN(8)), []string(nil)
	for i := range hs {
		hs[i] = s.book()
		texts = append(texts, s.prose(s.rnd.IntN(50)))
		if s.rnd.IntN(1000) == 0 { // longer than what is indexed, and longer than what is folded
			texts[i] = strings.Repeat("x ", s.rnd.IntN(query.MaxText/2)) + texts[i] +
				strings.Repeat(" ﷺ", s.rnd.IntN(8000)) + texts[i]
		}
	}
	first := s.commit(feed, texts, hs...)
	s.first[query.Ref{Feed: id, Seq: first}] = len(hs)
	for i := range hs {
		s.items[query.Ref{Feed: id, Seq: first + reader.Seq(i)}] = &volume{header: hs[i], text: texts[i],
			stamp: reader.Minute(s.feeds[feed].Stamp)}
	}
}

// rewrite edits an item. The whole delta counts as edited, and after many edits the whole feed.
func (s *shelf) rewrite(feed int) {
	s.Helper()
	id := s.feeds[feed].ID()
	var firsts []reader.Seq
	for ref := range s.first {
		if ref.Feed == id {
			firsts = append(firsts, ref.Seq)
		}
	}
	if len(firsts) == 0 {
		return
	}
	slices.Sort(firsts)
	first := firsts[s.rnd.IntN(len(firsts))]
	n := s.first[query.Ref{Feed: id, Seq: first}]
	at := s.rnd.IntN(n)
	v := s.items[query.Ref{Feed: id, Seq: first + reader.Seq(at)}]
	s.edit(feed, first, func(hs []store.Header) {
		sort := hs[at].Sort
		if hs[at] = s.book(); s.rnd.IntN(2) == 0 {
			hs[at].Sort = sort
		}
		v.header = hs[at]
	})
	if s.rnd.IntN(2) == 0 {
		v.text = s.prose(s.rnd.IntN(50))
		s.texts[query.Ref{Feed: id, Seq: first + reader.Seq(at)}] = v.text
	}
	v.folded = [2]*query.Folded{}
	for i := range n {
		s.items[query.Ref{Feed: id, Seq: first + reader.Seq(i)}].isIndexed = false
	}
	if _, all := s.feeds[feed].EditedSince(s.coveredOf(id).Edits); all {
		s.forget(feed)
	}
}

func (s *shelf) forget(feed int) {
	for ref, v := range s.items {
		if ref.Feed == s.feeds[feed].ID() {
			v.isIndexed = false
		}
	}
}

// nouns are what items and searches are made of, in families of words that begin, end or fold alike.
var nouns = [][]string{
	{"go", "golang", "google", "Go言語", "言語", "𝐆𝐨"},
	{"update", "updates", "updated", "updatesx", "updat"},
	{"international", "internationalization", "internationalisation", "interna", "internal"},
	{"a", "x1", "2026", "20260503", "½", "①", "ⅷ", "…", "★"},
	{"c", "c++", "c#", "node", "node.js", "js", "foo", "foo_bar", "bar"},
	{"café", "cafe", "cafes", "résumé", "resume", "é", "e", "e\u0301", "q\u0301", "q"},
	{"łódź", "lodz", "Đà", "da", "straße", "strasse", "ﬁle", "file", "İstanbul", "ıstanbul", "istanbul"},
	{"東京", "京都", "東京都", "東", "都", "京", "東京都京都府"},
	{"株式会社", "㍿", "会社", "株式", "キロ", "㌔", "𠮷野家", "々", "野家"},
	{"ガジェット", "がじぇっと", "ｶﾞｼﾞｪｯﾄ", "ガ", "が", "か\u3099", "ジェット"},
	{"カナ", "かな", "カな", "ヴ", "ゔ", "ヷ", "わ\u3099", "ー", "カナー", "a\u3099", "ﾎﾟ", "ポ"},
	{"스마트폰", "서울에서", "서울", "스마트", "서"},
	{"ประเทศไทย", "ไทย", "กำ", "กี", "ก", "ประเทศ"},
	{"Привет", "привычка", "привычк", "Ёж", "Еж", "ΟΔΥΣΣΕΥΣ", "οδυσσευς", "ὀδυσσεύς"},
	{"ﷺ", "صلى", "الله", "👩\u200d👧", "x", "אבג"},
}

var joints = []string{" ", " ", " ", " ", " ", " ", "", "、", "-", ".", "\n", "\u3000", "・", "\u00a0", " - "}

// prose is random text: nouns, changed in ways that folding undoes and in ways that it does not.
func (s *shelf) prose(words int) string {
	var b strings.Builder
	for range words {
		b.WriteString(joints[s.rnd.IntN(len(joints))])
		b.WriteString(s.noun())
	}
	return b.String()
}

func (s *shelf) noun() string {
	w := s.nouns[s.rnd.IntN(len(s.nouns))]
	switch s.rnd.IntN(14) {
	case 0:
		return strings.ToUpper(w)
	case 1:
		return norm.NFD.String(w)
	case 2: // full width
		return strings.Map(func(r rune) rune {
			if '!' <= r && r <= '~' {
				r += '！' - '!'
			}
			return r
		}, w)
	case 3:
		return w + string(rune(0x300+s.rnd.IntN(0x40)))
	case 4:
		return string(rune(s.rnd.IntN(0x3100))) + w
	case 5:
		return w + "s"
	}
	return w
}

func (s *shelf) book() store.Header {
	h := store.Header{
		Identity: s.rnd.Uint64(), Title: s.prose(s.rnd.IntN(6)), Author: s.prose(s.rnd.IntN(3)),
		Snippet: s.prose(s.rnd.IntN(9)),
		Sort:    s.clk.Now().Unix() - int64(s.rnd.IntN(100))*3600, Link: "https://example.org/a",
	}
	for range s.rnd.IntN(3) {
		h.Categories = append(h.Categories, s.prose(1+s.rnd.IntN(2)))
	}
	return h
}

// asked is a random query: nouns, and pieces of what items say.
func (s *shelf) asked() string {
	var out []string
	refs := slices.SortedFunc(maps.Keys(s.items), func(a, b query.Ref) int {
		return cmp.Or(cmp.Compare(a.Feed, b.Feed), cmp.Compare(a.Seq, b.Seq))
	})
	for range 1 + s.rnd.IntN(1+s.rnd.IntN(3)) {
		w := s.noun()
		if len(refs) > 0 && s.rnd.IntN(2) == 0 {
			v := s.items[refs[s.rnd.IntN(len(refs))]]
			from := []string{v.header.Title, v.header.Title, v.header.Snippet, v.header.Author, v.text}[s.rnd.IntN(5)]
			if words := strings.Fields(from); len(words) > 0 && s.rnd.IntN(2) == 0 {
				at := s.rnd.IntN(len(words))
				from = strings.Join(words[at:min(len(words), at+1+s.rnd.IntN(2))], " ")
			}
			if runes := []rune(from); len(runes) > 0 {
				at := s.rnd.IntN(len(runes)) * s.rnd.IntN(2)
				w = string(runes[at:min(len(runes), at+1+s.rnd.IntN(9))])
			}
		}
		if s.rnd.IntN(5) == 0 {
			_, n := utf8.DecodeLastRuneInString(w)
			w = w[:len(w)-n]
		}
		w = []string{w, w, w, w + "*", `"` + w + `"`, `"` + w + `"`, "“" + w}[s.rnd.IntN(7)]
		out = append(out, []string{"", "", "", "", "", "", "", "", "title:", "author:"}[s.rnd.IntN(10)]+w)
	}
	for s.rnd.IntN(3) == 0 {
		w := s.nouns[s.rnd.IntN(len(s.nouns))]
		out = append(out, []string{"-", "-", "-title:", "-author:"}[s.rnd.IntN(4)]+
			[]string{w, `"` + w + `"`}[s.rnd.IntN(2)])
	}
	for _, prefix := range []string{"after:", "before:"} {
		if s.rnd.IntN(6) == 0 {
			out = append(out, prefix+s.clk.Now().Add(-time.Duration(s.rnd.IntN(120))*time.Hour).Format("2006-01-02"))
		}
	}
	s.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return reader.Cut(strings.Join(out, " "), query.MaxLength)
}

// search makes one search, reads all its pages, and returns how many items were found.
func (s *shelf) search() int {
	s.Helper()
	text, o := s.asked(), query.Options{Kana: s.rnd.IntN(2) == 0, Zone: time.FixedZone("", (s.rnd.IntN(27)-13)*3600)}
	q, err := query.Parse(text, o)
	switch fault.CodeOf(err) {
	case "search_empty", "search_too_long":
		return 0
	}
	s.ok(err)
	r := search.Request{Query: q, Limit: 1 + s.rnd.IntN(20), Best: s.rnd.IntN(2) == 0, Mark: s.rnd.Uint32()}
	if salt := s.rnd.Uint64(); !r.Best && s.rnd.IntN(2) == 0 {
		r.Count = func(f reader.FeedID, seq reader.Seq) int { return int(salt>>(uint64(f)*7+uint64(seq))%64) % 4 }
		r.CountedFrom = s.clk.Now().Unix() - int64(s.rnd.IntN(120))*3600
	}
	for _, f := range s.feeds {
		if s.rnd.IntN(5) == 0 { // unsubscribed
			continue
		}
		x := search.Feed{Row: f, Wants: func(reader.Seq) bool { return true }}
		if state := s.rnd.Uint64(); s.rnd.IntN(3) == 0 { // unread, starred or hidden
			x.Wants = func(seq reader.Seq) bool { return state>>(seq%64)&1 == 1 }
		}
		if s.rnd.IntN(5) == 0 { // since
			x.Above = reader.Seq(s.rnd.IntN(int(f.Seq) + 1))
		}
		r.Feeds = append(r.Feeds, x)
	}
	if s.rnd.IntN(8) == 0 {
		s.fresh()
	}
	want := s.matching(&r)
	var got []search.Hit
	for page := r; ; {
		res, err := s.s.Search(context.Background(), page)
		if err != nil || len(res.Hits) > r.Limit || res.IsBuilding {
			s.Fatalf("seed %d: %q: %d hits, building: %v, %v", s.seed, text, len(res.Hits), res.IsBuilding, err)
		}
		got = append(got, res.Hits...)
		if page.Cursor = res.Next; page.Cursor == "" {
			break
		}
		if len(got) > len(want)+r.Limit {
			s.Fatalf("seed %d: %q finds more than there is", s.seed, text)
		}
		if len(s.list) > 1 && s.rnd.IntN(3) == 0 {
			s.put(1+s.rnd.IntN(len(s.list)), nil)
		}
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
			s.Fatalf("seed %d: %q (kana %v, best %v, by counts %v, limit %d) finds\n%s\nwant\n%s", s.seed, text, o.Kana,
				r.Best, r.Count != nil, r.Limit, named(got[min(i, len(got)):]), named(want[min(i, len(want)):]))
		}
	}
	return len(got)
}

func named(hits []search.Hit) string {
	var out []string
	for _, h := range hits[:min(len(hits), 3)] {
		out = append(out, fmt.Sprintf("%+q", fmt.Sprint(h)))
	}
	return fmt.Sprintf("%d:\n%s", len(hits), strings.Join(out, "\n"))
}

// matching looks at every item.
func (s *shelf) matching(r *search.Request) (hits []search.Hit) {
	first := map[query.Ref]int{} // what comes first, by how much
	for ref, v := range s.items {
		i := slices.IndexFunc(r.Feeds, func(f search.Feed) bool { return f.Row.ID() == ref.Feed })
		if i < 0 || uint32(ref.Seq) <= r.Feeds[i].Row.Floor || ref.Seq <= r.Feeds[i].Above ||
			!r.Feeds[i].Wants(ref.Seq) {
			continue
		}
		h := v.header
		folded := v.fold()
		if q := r.Query; h.Sort < q.From || q.To != 0 && h.Sort >= q.To || !q.Matches(folded) {
			continue
		}
		switch {
		case r.Best && r.Query.MatchesTitle(folded):
			first[ref] = 1
		case r.Count != nil && h.Sort >= r.CountedFrom:
			first[ref] = r.Count(ref.Feed, ref.Seq)
		}
		hit := search.Hit{Feed: ref.Feed, Seq: ref.Seq, Stamp: v.stamp, Header: h}
		hit.Title, hit.Text = r.Query.Highlight(folded)
		hits = append(hits, hit)
	}
	slices.SortFunc(hits, func(a, b search.Hit) int {
		id := func(h *search.Hit) reader.ItemID { return reader.NewItemID(h.Stamp, h.Feed, h.Seq) }
		rank := func(h *search.Hit) int { return first[query.Ref{Feed: h.Feed, Seq: h.Seq}] }
		return cmp.Or(cmp.Compare(rank(&b), rank(&a)), cmp.Compare(b.Header.Sort, a.Header.Sort),
			cmp.Compare(id(&b), id(&a)))
	})
	return hits
}
