package explore_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/tags"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

var topics = []string{"Ocean plastic", "Rust", "Kubernetes", "東京都知事選", "ふるさと納税", "Jazz", "Chess", "Mars"}

// titled lets an item arrive with a title about some topics.
func (w *world) titled(f *feed, ago time.Duration, link, title string, categories ...string) *item {
	w.headers = func(h *store.Header) { h.Title, h.Snippet, h.Categories = title, "", categories }
	defer func() { w.headers = nil }()
	w.arrive(f, ago, link)
	return w.items[len(w.items)-1]
}

// tagWorld has feeds with items about topics, some of which two feeds list.
func tagWorld(t *testing.T, seed uint64) *world {
	w := newWorld(t, seed)
	for i := range 6 {
		w.addFeed(i == 4, i == 5)
	}
	for range 120 {
		link := fmt.Sprintf("https://site.org/%d", w.rnd.IntN(1<<30))
		if w.rnd.IntN(4) == 0 {
			link = fmt.Sprintf("https://shared.org/%d", w.rnd.IntN(12))
		}
		topic := topics[w.rnd.IntN(len(topics))]
		if strings.HasPrefix(link, "https://shared") {
			topic = topics[len(link)%len(topics)] // a page has one title
		}
		w.titled(w.feeds[w.rnd.IntN(len(w.feeds))], 48*time.Hour, link, "About "+topic, topics[w.rnd.IntN(3)])
		w.clk.Add(time.Duration(w.rnd.IntN(9)) * time.Hour)
	}
	for _, it := range w.items {
		if !it.feed.isOthers && w.rnd.IntN(12) == 0 {
			w.hide(it)
		}
	}
	w.countSome()
	return w
}

// tagModel lists tags naively, from what the user sees of some days: by tag, the items that have it, and the scores of
// pages, for which their first item in order of feeds speaks.
func (w *world) tagModel(days int) (items map[string][]*item, scores map[string][]float64) {
	usual := map[*feed]tags.Usual{}
	for _, f := range w.feeds {
		var all [][]string
		for _, it := range w.items {
			if it.feed == f && it.seq <= w.night[f] && it.sort >= w.nightAt.Add(-30*24*time.Hour).Unix() {
				all = append(all, it.header.Categories)
			}
		}
		usual[f] = tags.UsualOf(all)
	}
	items, scores = map[string][]*item{}, map[string][]float64{}
	pages := map[string]bool{}
	for _, it := range slices.SortedFunc(slices.Values(w.items), (*item).compare) {
		if !it.isSeen() || minute(it.sort) < w.clk.Now().Add(-time.Duration(days)*24*time.Hour).Unix() {
			continue
		}
		h := it.header
		for _, x := range tags.Of(&tags.Text{Title: h.Title, Snippet: h.Snippet, Categories: h.Categories},
			usual[it.feed]) {
			key := tags.Key(x.Name)
			items[key] = append(items[key], it)
			if !pages[it.link] {
				scores[key] = append(scores[key], x.Score)
			}
		}
		pages[it.link] = true
	}
	return items, scores
}

func sum(list []float64) (all float64) {
	for _, x := range list {
		all += x
	}
	return all
}

// H-6: tags of the user's feeds are those of a naive model, as of the night and with what arrived since.
func TestTagsAgainstAModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		w := tagWorld(t, seed)
		w.nightly()
		for round := range 3 {
			if round > 0 {
				for range 4 {
					w.titled(w.feeds[w.rnd.IntN(len(w.feeds))], time.Hour,
						fmt.Sprint("https://site.org/new", w.rnd.IntN(1<<30)), "About Venus and "+topics[round])
				}
				w.clk.Add(20 * time.Minute)
			}
			for period, days := range map[explore.Period]int{explore.Day: 1, explore.Week: 7, explore.Month: 30} {
				list, err := w.s.Tags(bg, user, period, false)
				w.must(err)
				_, scores := w.tagModel(days)
				maps.DeleteFunc(scores, func(_ string, list []float64) bool { return len(list) < 3 })
				best := 0.0
				for _, list := range scores {
					best = max(best, sum(list))
				}
				if len(list.Tags) != len(scores) || list.State != explore.Ready {
					t.Fatalf("seed %d, %s: %d tags, want %d", seed, period, len(list.Tags), len(scores))
				}
				last := 1.0
				for _, x := range list.Tags {
					key := tags.Key(x.Name)
					if x.Entries != len(scores[key]) || math.Abs(x.Score-sum(scores[key])/best) > 0.01 ||
						x.Score > last {
						t.Errorf("seed %d, %s: %+v, want %d entries with %f", seed, period, x, len(scores[key]),
							sum(scores[key])/best)
					}
					last = x.Score
				}
			}
		}
	}
}

// H-24: the entries with a tag, the newest first, in pages between which others arrive.
func TestEntriesOfATag(t *testing.T) {
	t.Parallel()
	long := 0
	for seed := range uint64(6) {
		w := tagWorld(t, seed)
		w.nightly()
		w.titled(w.feeds[0], time.Hour, "https://site.org/today", "ABOUT OCEAN PLASTIC NOW")
		for _, topic := range topics {
			items, _ := w.tagModel(30)
			want := items[tags.Key(topic)]
			byTime := func(a, b *item) int { return cmp.Or(cmp.Compare(minute(a.sort), minute(b.sort)), a.compare(b)) }
			slices.SortFunc(want, byTime) // of the items of a page the first leads
			pages := map[string]bool{}
			want = slices.DeleteFunc(want, func(it *item) bool {
				isThere := pages[it.link]
				pages[it.link] = true
				return isThere
			})
			slices.SortFunc(want, func(a, b *item) int {
				return cmp.Or(cmp.Compare(minute(b.sort), minute(a.sort)), a.compare(b))
			})
			q := explore.Query{Order: explore.Newest, Period: explore.Ever, Tag: strings.ToUpper(topic),
				Limit: 2 + w.rnd.IntN(5)}
			var got []explore.Entry
			for {
				p, err := w.s.Entries(bg, user, q)
				if len(want) == 0 {
					if fault.CodeOf(err) != "unknown_tag" {
						t.Errorf("seed %d, %s: %v", seed, topic, err)
					}
					break
				}
				w.must(err)
				got = append(got, p.Entries...)
				for _, r := range p.Related {
					if tags.Key(r.Name) == tags.Key(topic) || r.Entries < 2 || q.Cursor != "" {
						t.Errorf("seed %d: related to %s: %+v", seed, topic, r)
					}
				}
				if q.Cursor = p.Next; q.Cursor == "" {
					break
				}
				w.titled(w.feeds[1], time.Minute, fmt.Sprint("https://site.org/late", w.rnd.IntN(1<<30)),
					"About something else")
			}
			if len(got) != len(want) {
				t.Fatalf("seed %d, %s: %d entries, want %d", seed, topic, len(got), len(want))
			}
			long = max(long, len(got))
			for i, e := range got {
				if e.Page != reader.EntryID(reader.StoryURL(want[i].link)) ||
					!slices.ContainsFunc(e.Tags, func(x tags.Tag) bool {
						return tags.Key(x.Name) == tags.Key(topic)
					}) {
					t.Fatalf("seed %d, %s at %d: %s %v, want %s", seed, topic, i, e.Header.Link, e.Tags, want[i].link)
				}
				if slices.ContainsFunc(e.Also, func(o stream.Other) bool { return o.ID == e.ID }) {
					t.Errorf("seed %d, %s at %d: beside itself", seed, topic, i)
				}
			}
		}
	}
	if long < 15 {
		t.Errorf("the longest list has %d entries", long)
	}
}

// A tag of feeds that the user does not follow is unknown, and no list counts it.
func TestTagsOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	mine, others := w.addFeed(false, false), w.addFeed(false, true)
	w.titled(mine, time.Hour, "https://site.org/1", "About Jazz")
	for i := range 5 {
		w.titled(others, time.Hour, fmt.Sprint("https://site.org/other", i), "About Chess")
	}
	w.countSome()
	w.nightly()
	list, err := w.s.Tags(bg, user, explore.Month, false)
	w.must(err)
	if len(list.Tags) > 0 {
		t.Errorf("tags %+v", list.Tags)
	}
	if _, err := w.s.Entries(bg, user, explore.Query{Order: explore.Newest, Tag: "Chess"}); fault.CodeOf(err) !=
		"unknown_tag" {
		t.Error(err)
	}
	if p, err := w.s.Entries(bg, user, explore.Query{Order: explore.Newest, Tag: "jazz"}); err != nil ||
		len(p.Entries) != 1 {
		t.Errorf("%v, %v", p.Entries, err)
	}
}

// Without the blob, or with a damaged one, tags are those of the newest items. Counts need not be on.
func TestTagsWithoutABlob(t *testing.T) {
	t.Parallel()
	w := tagWorld(t, 2)
	check := func(what string, isAny bool, state explore.State) {
		t.Helper()
		w.restart()
		list, err := w.s.Tags(bg, user, explore.Month, false)
		w.must(err)
		if (len(list.Tags) > 0) != isAny || list.State != state {
			t.Errorf("%s: %d tags, %s", what, len(list.Tags), list.State)
		}
	}
	check("no blob", true, explore.Ready)
	w.nightly()
	packed, meta, err := w.blobs.Get(bg, "tags/recent.gz")
	w.must(err)
	for _, damaged := range [][]byte{packed[:len(packed)/2], {}, blob.Gzip([]byte{1, 2, 3}), blob.Gzip([]byte{9})} {
		w.must(w.blobs.Put(bg, "tags/recent.gz", damaged, meta))
		check("damaged", true, explore.Ready)
	}
	w.must(w.store.Accounts.SetCounts(bg, false))
	w.must(w.blobs.Delete(bg, "tags/recent.gz"))
	check("counts are off", true, explore.Ready)
	w.nightly()
	if _, err := w.blobs.Stat(bg, "tags/recent.gz"); err != nil {
		t.Errorf("while counts are off no tags are written: %v", err)
	}
}

// The nightly blob keeps tags as they were found, and a second one of the same night is the same.
func TestNightlyTwice(t *testing.T) {
	t.Parallel()
	w := tagWorld(t, 3)
	w.nightly()
	first, _, err := w.blobs.Get(bg, "tags/recent.gz")
	w.must(err)
	before, err := w.s.Tags(bg, user, explore.Month, false)
	w.must(err)
	w.nightly()
	second, _, err := w.blobs.Get(bg, "tags/recent.gz")
	w.must(err)
	w.restart()
	after, err := w.s.Tags(bg, user, explore.Month, false)
	w.must(err)
	if len(first) != len(second) || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%d and %d bytes; %v, then %v", len(first), len(second), before, after)
	}
}
