package api_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
)

// bar is an answer of GET /api/feeds.
type bar struct {
	IsDelta *bool
	Feeds   []map[string]any
	Removed []string
	Totals  struct{ Feeds, Unread, Starred int }
	Since   string
}

// listWorld is a world with some hundred feeds of rows alone.
type listWorld struct {
	*world
	server *api.Server
	r      *rand.Rand
	seq    int
}

// newListWorld makes one; with blind, the table cannot tell what changed, as in the cloud.
func newListWorld(t *testing.T, seed uint64, n int, blind bool) *listWorld {
	t.Helper()
	w := &listWorld{world: newWorld(t), r: rand.New(rand.NewPCG(seed, 0))}
	if blind {
		w.store = store.New(table.New(struct{ table.Driver }{w.driver},
			table.Options{Clock: w.clock, Kind: store.Kind}), w.clock)
		w.options.Store, w.options.Streams = w.store, stream.New(w.store, nil, w.clock)
	}
	w.server, w.handler = api.NewServer(w.options)
	for range n {
		w.subscribe(w.r.IntN(n))
	}
	return w
}

func (w *listWorld) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// subscribe adds a feed, which may be there already.
func (w *listWorld) subscribe(n int) {
	w.t.Helper()
	address := fmt.Sprintf("https://host%d.example.org/%d", n%7, n)
	f, err := w.store.Feeds.Ensure(w.t.Context(), address, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{First: int32(n % 9), Period: 4, Subs: 1, Seq: 30, FirstSeq: 20, Hash: []byte{1},
			Title: "Feed " + strconv.Itoa(n), Status: "active"}
	})
	if err == nil {
		err = w.store.Subscriptions.Add(w.t.Context(), w.owner, f.ID(), store.SubscriptionRow{Since: 1, Upto: 12})
	}
	if err != nil && !fault.Is(err, fault.Conflict) {
		w.t.Fatal(err)
	}
}

func (w *listWorld) list(lang, since string, zip bool) (bar, []byte) {
	w.t.Helper()
	path := "/api/feeds"
	if since != "" {
		path += "?since=" + url.QueryEscape(since)
	}
	header := map[string]string{"Accept-Language": lang}
	if zip {
		header["Accept-Encoding"] = "gzip"
	}
	rec := w.send("GET", path, "", header)
	body := rec.Body.Bytes()
	if rec.Header().Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(rec.Body)
		w.ok(err)
		body, err = io.ReadAll(z)
		w.ok(err)
	}
	var b bar
	if err := json.Unmarshal(body, &b); err != nil || rec.Code != 200 || b.IsDelta == nil || b.Since == "" {
		w.t.Fatalf("GET %s answers %d: %v: %.200s", path, rec.Code, err, body)
	}
	return b, body
}

// change does something that can change a list.
func (w *listWorld) change() {
	w.t.Helper()
	full, _ := w.list("en", "", false)
	some := full.Feeds[w.r.IntN(len(full.Feeds))]["id"].(string)
	now := w.clock.Now()
	w.seq++
	switch w.r.IntN(16) {
	case 0, 1:
		w.want(w.call("POST", "/api/feeds/"+some+"/mark-read", nil, nil), 200)
	case 2, 3:
		w.modify(some, func(f *store.FeedRow) { f.Seq, f.Changed, f.NewestAt = f.Seq+2, now.Unix(), now.Unix() })
	case 4:
		w.modify(some, func(f *store.FeedRow) {
			f.Errors, f.First, f.Status, f.ErrCode, f.ErrSince = f.Errors+1, f.First+4, "error",
				"not_a_feed", now.Unix()
		})
	case 5:
		w.modify(some, func(f *store.FeedRow) {
			f.NotBefore = now.Add(time.Duration(w.r.IntN(3600)) * time.Second).Unix()
		})
	case 6:
		w.modify(some, func(f *store.FeedRow) { f.Polled = now.Unix() })
	case 7:
		w.set(some, `{"position":%d}`, w.r.IntN(3))
	case 8:
		w.set(some, `{"title":"T %d","isMuted":%v}`, w.r.IntN(100), w.r.IntN(2) == 0)
	case 9:
		w.want(w.call("DELETE", "/api/feeds/"+some, nil, nil), 204)
	case 10:
		w.subscribe(w.r.IntN(400))
	case 11:
		w.want(w.call("POST", "/api/folders", fmt.Sprintf(`{"name":"F%d"}`, w.seq), nil), 201)
		w.set(some, `{"folders":["1"]}`)
	case 12:
		w.call("PATCH", "/api/folders/1", fmt.Sprintf(`{"name":"Name %d"}`, w.seq), nil)
	case 13:
		w.clock.Add(time.Duration(w.r.IntN(2400)) * time.Second)
	case 14:
		w.ok(w.store.Leases.MarkAll(w.t.Context(), 0, now))
	case 15:
		run, err := store.NewRun(schedule.TickOf(now), 0, "", store.RunScheduled, store.RunDone, now,
			store.RunSums{}, nil)
		w.ok(err)
		w.ok(w.store.Runs.Put(w.t.Context(), run))
	}
}

func (w *listWorld) modify(id string, edit func(*store.FeedRow)) {
	w.t.Helper()
	feed, err := reader.ParseFeedID(id)
	w.ok(err)
	_, err = w.store.Feeds.Modify(w.t.Context(), feed, edit)
	w.ok(err)
}

func (w *listWorld) set(id, format string, args ...any) {
	w.t.Helper()
	w.want(w.call("PUT", "/api/subscriptions/"+id+"/settings", fmt.Sprintf(format, args...), nil), 200)
}

// apply gives a list after an answer, as the page does.
func (b bar) apply(next bar) bar {
	if !*next.IsDelta {
		return next
	}
	byID := map[string]map[string]any{}
	for _, f := range slices.Concat(b.Feeds, next.Feeds) {
		byID[f["id"].(string)] = f
	}
	for _, id := range next.Removed {
		delete(byID, id)
	}
	number := func(f map[string]any) int { n, _ := strconv.Atoi(f["id"].(string)); return n }
	next.Feeds = slices.SortedFunc(maps.Values(byID), func(a, b map[string]any) int {
		return cmp.Or(cmp.Compare(a["position"].(float64), b["position"].(float64)), cmp.Compare(number(a), number(b)))
	})
	return next
}

// steady is a list without what moves with the clock alone.
func (b bar) steady() string {
	for i, f := range b.Feeds {
		f = maps.Clone(f)
		for _, name := range []string{"lastCheckedAt", "nextCheckAt", "nextCheckReason", "itemsPerWeek"} {
			delete(f, name)
		}
		b.Feeds[i] = f
	}
	text, _ := json.Marshal([]any{b.Feeds, b.Totals, b.Since})
	return string(text)
}

// Whatever happens, the list is what is made from nothing, byte for byte, in both languages and encodings; and whoever
// follows it by deltas, from whichever answer on, has the same.
func TestKeptListsAreExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			w := newListWorld(t, seed, 150, seed%2 == 1)
			type follower struct {
				lang string
				bar
			}
			var followers []*follower
			deltas := 0
			for step := range 80 {
				w.change()
				for _, lang := range []string{"en", "ja"} {
					want, err := w.server.PlainFeeds(t.Context(), w.owner, lang)
					w.ok(err)
					full, body := w.list(lang, "", w.r.IntN(2) == 0)
					if got := body[len(`{"isDelta":false,"feeds":`):][:len(want)]; !bytes.Equal(got, want) {
						t.Fatalf("step %d: the list in %s is\n%s\nwant\n%s", step, lang, got, want)
					}
					for _, f := range followers {
						if f.lang != lang || w.r.IntN(4) > 0 {
							continue
						}
						next, _ := w.list(lang, f.Since, false)
						if *next.IsDelta {
							deltas++
						}
						f.bar = f.apply(next)
						if got, want := f.steady(), full.steady(); got != want {
							t.Fatalf("step %d: after deltas\n%s\nwant\n%s", step, got, want)
						}
					}
					if step%10 == 0 {
						followers = append(followers, &follower{lang, full})
					}
				}
			}
			if deltas < 40 {
				t.Errorf("only %d deltas were tested", deltas)
			}
		})
	}
}

// What a feed says of its checks is what is known now, in the list as in what is made from nothing. A poll off turn is
// a change, a turn is not.
func TestKeptListsFollowTheClock(t *testing.T) {
	t.Parallel()
	w := newListWorld(t, 1, 0, false)
	w.subscribe(0)
	w.subscribe(1)
	last, _ := w.list("en", "", false)
	check := func(what string, isNew bool, changed int) {
		t.Helper()
		want, err := w.server.PlainFeeds(t.Context(), w.owner, "en")
		w.ok(err)
		full, body := w.list("en", "", false)
		if !bytes.Contains(body, want) {
			t.Errorf("%s: the list is\n%s\nwant\n%s", what, body, want)
		}
		if isNew == (fmt.Sprint(full.Feeds) == fmt.Sprint(last.Feeds)) {
			t.Errorf("%s: the list is %v, and was %v", what, full.Feeds, last.Feeds)
		}
		if next, _ := w.list("en", last.Since, false); !*next.IsDelta || len(next.Feeds) != changed {
			t.Errorf("%s: %d feeds changed, want %d", what, len(next.Feeds), changed)
		}
		last = full
	}
	check("nothing", false, 0)
	w.modify("1", func(f *store.FeedRow) { f.NotBefore = w.clock.Now().Add(100 * time.Second).Unix() })
	check("a wait", true, 1)
	w.clock.Add(99 * time.Second)
	check("nearly its end", false, 0)
	w.clock.Add(time.Second)
	check("its end", true, 0)
	w.clock.Set(schedule.TickOf(w.clock.Now().Add(2 * time.Hour)).Start())
	check("the next turn", true, 0)
	run, err := store.NewRun(schedule.TickOf(w.clock.Now()), 0, "", store.RunScheduled, store.RunDone, w.clock.Now(),
		store.RunSums{}, nil)
	w.ok(err)
	w.ok(w.store.Runs.Put(t.Context(), run))
	w.clock.Add(time.Minute)
	check("the end of its run", true, 0)
	w.modify("2", func(f *store.FeedRow) { f.Polled = w.clock.Now().Unix() })
	check("a refresh", true, 1)
	w.clock.Add(time.Minute)
	w.ok(w.store.Leases.MarkAll(t.Context(), 0, w.clock.Now()))
	w.modify("2", func(f *store.FeedRow) { f.Polled = w.clock.Now().Add(time.Second).Unix() })
	w.clock.Add(10 * time.Second)
	if next, _ := w.list("en", last.Since, false); *next.IsDelta || len(next.Feeds) != 2 {
		t.Errorf("after a crawl of everything the answer is %v", next)
	}
}

// A request for an unchanged list builds no feed, with its tag it sends nothing, and its allocations do not grow with
// the list. A mark builds one feed, and a clock that moves within the tick none.
func TestAnUnchangedListIsNotBuilt(t *testing.T) { // not parallel: it counts allocations
	w := newListWorld(t, 1, 0, false)
	for n := range 640 {
		w.subscribe(n)
	}
	built := func(do func()) int {
		before := w.server.BuiltFeeds()
		do()
		return w.server.BuiltFeeds() - before
	}
	get := func() { w.list("en", "", true) }
	if n := built(get); n != 640 {
		t.Fatalf("the first list builds %d feeds", n)
	}
	w.clock.Add(time.Second)
	if n := built(get); n != 0 {
		t.Errorf("the second list builds %d feeds", n)
	}
	if n := built(func() { w.send("GET", "/api/me", "", map[string]string{"Accept-Language": "en"}) }); n != 0 {
		t.Errorf("the page's start builds %d feeds", n)
	}
	zipped := map[string]string{"Accept-Language": "en", "Accept-Encoding": "gzip"}
	tag := w.send("GET", "/api/feeds", "", zipped).Header().Get("ETag")
	zipped["If-None-Match"] = tag
	if n := built(func() {
		if rec := w.send("GET", "/api/feeds", "", zipped); rec.Code != 304 || rec.Body.Len() > 0 {
			t.Errorf("with its tag: %d, %d bytes", rec.Code, rec.Body.Len())
		}
	}); n != 0 {
		t.Errorf("with its tag it builds %d feeds", n)
	}
	now, _ := w.list("en", "", true)
	w.want(w.call("POST", "/api/feeds/"+now.Feeds[100]["id"].(string)+"/mark-read", nil, nil), 200)
	if n := built(get); n != 1 {
		t.Errorf("after a mark %d feeds are built", n)
	}
	var changes bar
	if n := built(func() {
		changes, _ = w.list("en", now.Since, true)
	}); n != 0 || !*changes.IsDelta || len(changes.Feeds) != 1 {
		t.Errorf("the changes build %d feeds in the list, and are %+v", n, changes)
	}
	if n := testing.AllocsPerRun(20, func() { w.send("GET", "/api/feeds", "", zipped) }); n > 200 {
		t.Errorf("an unchanged list takes %v allocations", n)
	}
	w.clock.Add(15 * time.Minute)
	if n := built(get); n != 640 {
		t.Errorf("in the next tick %d feeds are built", n)
	}
}

// A kept list counts for what it takes, so that no more than the limit are kept.
func TestKeptListsAreBounded(t *testing.T) {
	t.Parallel()
	w := newListWorld(t, 1, 0, false)
	for n := range 4 {
		w.subscribe(n)
		w.modify(strconv.Itoa(n+1), func(f *store.FeedRow) { f.About = strings.Repeat(fmt.Sprint(n), 100_000) })
	}
	if _, body := w.list("en", "", true); w.server.KeptBytes(w.owner, "en") < len(body)+4000 {
		t.Errorf("a list of %d bytes counts for %d", len(body), w.server.KeptBytes(w.owner, "en"))
	}
}
