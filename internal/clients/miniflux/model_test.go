package miniflux_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/testkit/readerapps"
)

// pick returns one of some values.
func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// question is a list that is asked for: its parameters, and which entries of all it wants in which order.
type question struct {
	url.Values
	wants []func(*entry) bool
	less  func(a, b *entry) int
}

func (q *question) want(name, value string, wants func(*entry) bool) {
	q.Add(name, value)
	q.wants = append(q.wants, wants)
}

// ask makes up a list.
func ask(r *rand.Rand, all []entry) question {
	q := question{Values: url.Values{}}
	one := &all[r.IntN(len(all))]
	maybe := func() bool { return r.IntN(4) == 0 }
	if maybe() {
		status := pick(r, "read", "unread")
		q.want("status", status, func(e *entry) bool { return e.Status == status })
		if maybe() {
			q.Set("status", "read")
			q.Add("status", "unread")
			q.wants = q.wants[:len(q.wants)-1]
		}
	}
	if maybe() {
		starred := pick(r, true, false)
		q.want("starred", pick(r, strconv.FormatBool(starred), map[bool]string{true: "1", false: "0"}[starred]),
			func(e *entry) bool {
				return e.Starred == starred
			})
	}
	if maybe() {
		q.want("feed_id", strconv.FormatInt(one.FeedID, 10), func(e *entry) bool { return e.FeedID == one.FeedID })
	}
	if one := &all[r.IntN(len(all))]; maybe() {
		q.want("category_id", strconv.FormatInt(one.Feed.Category.ID, 10), func(e *entry) bool {
			return e.Feed.Category.ID == one.Feed.Category.ID
		})
	}
	if maybe() {
		q.want("before_entry_id", strconv.FormatInt(one.ID, 10), func(e *entry) bool { return e.ID < one.ID })
	}
	if maybe() {
		q.want("after_entry_id", strconv.FormatInt(one.ID, 10), func(e *entry) bool { return e.ID > one.ID })
	}
	for name, at := range map[string]func(*entry) time.Time{
		"before": (*entry).published, "published_before": (*entry).published, "changed_before": (*entry).changed,
	} {
		if one := &all[r.IntN(len(all))]; r.IntN(12) == 0 {
			t := at(one)
			q.want(name, strconv.FormatInt(t.Unix(), 10), func(e *entry) bool { return at(e).Before(t) })
		}
	}
	for name, at := range map[string]func(*entry) time.Time{
		"after": (*entry).published, "published_after": (*entry).published, "changed_after": (*entry).changed,
	} {
		if one := &all[r.IntN(len(all))]; r.IntN(12) == 0 {
			t := at(one)
			q.want(name, strconv.FormatInt(t.Unix(), 10), func(e *entry) bool { return at(e).After(t) })
		}
	}
	if r.IntN(8) == 0 && len(one.Tags) > 0 {
		tag := strings.ToLower(one.Tags[0])
		q.want("tags", tag, func(e *entry) bool {
			return slices.ContainsFunc(e.Tags, func(t string) bool { return strings.ToLower(t) == tag })
		})
	}
	order := pick(r, "", "id", "status", "changed_at", "published_at", "created_at", "category_title", "category_id",
		"title", "author")
	keys := map[string]func(a, b *entry) int{
		"":             func(a, b *entry) int { return a.Date.Compare(b.Date) },
		"id":           func(a, b *entry) int { return 0 },
		"status":       func(a, b *entry) int { return strings.Compare(a.Status, b.Status) },
		"changed_at":   func(a, b *entry) int { return a.ChangedAt.Compare(b.ChangedAt) },
		"published_at": func(a, b *entry) int { return a.Date.Compare(b.Date) },
		"created_at":   func(a, b *entry) int { return a.CreatedAt.Compare(b.CreatedAt) },
		"category_title": func(a, b *entry) int {
			return strings.Compare(strings.ToLower(a.Feed.Category.Title), strings.ToLower(b.Feed.Category.Title))
		},
		"category_id": func(a, b *entry) int { return cmp.Compare(a.Feed.Category.ID, b.Feed.Category.ID) },
		"title": func(a, b *entry) int {
			return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title))
		},
		"author": func(a, b *entry) int {
			return strings.Compare(strings.ToLower(a.Author), strings.ToLower(b.Author))
		},
	}
	sign := 1
	if order != "" {
		q.Set("order", order)
	}
	if direction := pick(r, "", "asc", "desc"); direction != "" {
		q.Set("direction", direction)
		if direction == "desc" {
			sign = -1
		}
	}
	q.less = func(a, b *entry) int { return sign * cmp.Or(keys[order](a, b), cmp.Compare(a.ID, b.ID)) }
	return q
}

func (e *entry) published() time.Time { return e.Date }
func (e *entry) changed() time.Time   { return e.ChangedAt }

// answer is what the question should be answered with.
func (q *question) answer(all []entry) (out []int64) {
	var list []*entry
	for i := range all {
		e := &all[i]
		if !slices.ContainsFunc(q.wants, func(wants func(*entry) bool) bool { return !wants(e) }) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, q.less)
	for _, e := range list {
		out = append(out, e.ID)
	}
	return out
}

// TestListsAreExact: filters, orders and totals of random lists are those of the list of all entries, and the pages of
// each have every entry once.
func TestListsAreExact(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.rich("https://rich.example/feed", 60)
	for i, path := range [][]string{{"News"}, {"News", "Tech"}, nil} {
		f := p.Follow(fmt.Sprintf("https://%d.example/feed", i), 40, path...)
		p.Publish(f, 15)
	}
	all := p.list("entries?order=id&limit=10000").Entries
	for i := range all { // some read, some with a star
		if i%3 == 0 {
			p.want(http.StatusNoContent, "PUT", "entries", fmt.Sprintf(`{"entry_ids":[%d],"status":%q,"starred":%t}`,
				all[i].ID, pick(p.Rand, "read", "unread"), i%2 == 0), nil)
		}
	}
	all = p.list("entries?order=id&limit=10000").Entries
	if len(all) != 60+3*55 {
		t.Fatalf("%d entries", len(all))
	}
	lists := 1000
	if testing.Short() {
		lists = 250
	}
	for range lists {
		p.Advance(2 * time.Second) // within the limit of requests
		q := ask(p.Rand, all)
		want := q.answer(all)
		limit := pick(p.Rand, 1, 7, 50, 100, 0)
		var got []int64
		if limit > 0 {
			q.Set("limit", strconv.Itoa(limit))
		}
		for first := true; first || limit > 0 && len(got)%limit == 0 && len(got) < len(want) &&
			len(got) < 5*limit; first = false {
			q.Set("offset", strconv.Itoa(len(got)))
			page := p.list("entries?" + q.Encode())
			if page.Total != len(want) {
				t.Fatalf("%s has %d entries in all, want %d", q.Encode(), page.Total, len(want))
			}
			got = append(got, idsOf(page.Entries)...)
		}
		if limit == 0 {
			want = want[:min(len(want), 100)]
		} else {
			want = want[:min(len(want), 5*limit)]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s\nis %v\nwant %v", q.Encode(), got, want)
		}
	}
}

// TestLongLists: of a list that is long the newest are ordered without a look at what arrived earlier, and pages have
// every entry once.
func TestLongLists(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for i := range 12 {
		f := p.Follow(fmt.Sprintf("https://%d.example/feed", i), 5)
		p.Publish(f, 110)
	}
	for _, order := range []string{"published_at", "title"} {
		for _, direction := range []string{"asc", "desc"} {
			whole := p.list(fmt.Sprintf("entries?order=%s&direction=%s&limit=10000", order, direction))
			want := idsOf(whole.Entries)
			if whole.Total != 12*115 || len(want) != whole.Total {
				t.Fatalf("%d of %d entries", len(want), whole.Total)
			}
			for offset := 0; offset < len(want); offset += 300 {
				page := p.list(fmt.Sprintf("entries?order=%s&direction=%s&limit=300&offset=%d", order,
					direction, offset))
				if page.Total != whole.Total ||
					!slices.Equal(idsOf(page.Entries), want[offset:min(offset+300, len(want))]) {
					t.Errorf("by %s, %s, the page at %d differs", order, direction, offset)
				}
			}
		}
	}
}

// TestSearch: words narrow a list as other parameters do.
func TestSearch(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.rich("https://rich.example/feed", 40)
	p.Follow("https://one.example/feed", 30)
	all := p.list("entries?order=id&limit=10000").Entries
	p.want(http.StatusNoContent, "PUT", "entries", fmt.Sprintf(`{"entry_ids":[%d,%d],"status":"read","starred":true}`,
		all[1].ID, all[2].ID), nil)
	all = p.list("entries?order=id&limit=10000").Entries
	for query, wants := range map[string]func(*entry) bool{
		"search=gamma": func(e *entry) bool {
			return strings.HasPrefix(e.Title, "gamma")
		},
		"search=gamma&feed_id=2": func(e *entry) bool { return false },
		"search=gamma&category_id=2&status=unread": func(e *entry) bool {
			return strings.HasPrefix(e.Title, "gamma") && e.Status == "unread"
		},
		"search=author:mia&order=title&direction=asc": func(e *entry) bool { return e.Author == "Mia" },
		"search=gamma&starred=true": func(e *entry) bool {
			return strings.HasPrefix(e.Title, "gamma") && e.Starred
		},
		"search=nothing": func(*entry) bool { return false },
	} {
		want := 0
		for i := range all {
			if wants(&all[i]) {
				want++
			}
		}
		got := p.list("entries?limit=1000&" + query)
		if got.Total != want || len(got.Entries) != want || slices.ContainsFunc(got.Entries, func(e entry) bool {
			return !wants(&e)
		}) {
			t.Errorf("%s finds %d of %d entries, want %d", query, len(got.Entries), got.Total, want)
		}
	}
}

// TestMutedFeeds: as on the page, what is muted is in the list of its feed and of its category, and not among all.
func TestMutedFeeds(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	f := p.Follow("https://one.example/feed", 3, "News")
	p.Follow("https://two.example/feed", 5, "News")
	p.want(http.StatusCreated, "PUT", "feeds/"+f.ID().String(), `{"hide_globally":true}`, nil)
	for query, want := range map[string]int{
		"entries": 5, "feeds/1/entries": 3, "categories/2/entries": 8, "categories/2/entries?globally_visible=true": 5,
		"feeds/1/entries?globally_visible=false": 3, "feeds/1/entries?globally_visible=true": 0,
	} {
		if n := p.list(query).Total; n != want {
			t.Errorf("%s has %d entries, want %d", query, n, want)
		}
	}
}

// copied is what a program keeps of the entries.
type copied struct {
	*program
	items map[int64]readerapps.State
	last  int64
}

// sync fetches what is new and takes the states of all, as Fluent does.
func (c *copied) sync() {
	const limit = 25
	top, low := c.last, int64(0)
	for {
		query := fmt.Sprintf("entries?order=id&direction=desc&after_entry_id=%d&limit=%d", c.last, limit)
		if low > 0 {
			query += fmt.Sprintf("&before_entry_id=%d", low)
		}
		page := c.list(query).Entries
		for _, e := range page {
			if _, had := c.items[e.ID]; had {
				c.T.Fatalf("entry %d comes twice", e.ID)
			}
			c.items[e.ID], low = readerapps.State{}, e.ID
			top = max(top, e.ID)
		}
		if len(page) < limit {
			break
		}
	}
	c.last = top
	unread, starred := c.all("status=unread"), c.all("starred=true")
	for id := range c.items {
		c.items[id] = readerapps.State{Read: !unread[id], Starred: starred[id]}
	}
}

// all returns the entries of a list, page by page.
func (c *copied) all(query string) map[int64]bool {
	const limit = 40
	out := map[int64]bool{}
	for offset := 0; ; offset += limit {
		page := c.list(fmt.Sprintf("entries?%s&limit=%d&offset=%d", query, limit, offset))
		for _, e := range page.Entries {
			out[e.ID] = true
		}
		if len(page.Entries) < limit {
			if len(out) != page.Total {
				c.T.Fatalf("%s: %d of %d entries", query, len(out), page.Total)
			}
			return out
		}
	}
}

// change marks something.
func (c *copied) change() string {
	known := slices.Sorted(maps.Keys(c.items))
	if len(known) == 0 {
		return "nothing"
	}
	var some []string
	for range 1 + c.Rand.IntN(5) {
		some = append(some, strconv.FormatInt(known[c.Rand.IntN(len(known))], 10))
	}
	feed := reader.ItemID(known[0]).Feed()
	what := pick(c.Rand,
		fmt.Sprintf(`entries {"entry_ids":[%s],"status":%q}`, strings.Join(some, ","), pick(c.Rand, "read", "unread")),
		fmt.Sprintf(`entries {"entry_ids":[%s],"starred":%t}`, strings.Join(some, ","), pick(c.Rand, true, false)),
		fmt.Sprintf("entries/%s/bookmark ", some[0]), fmt.Sprintf("feeds/%d/mark-all-as-read ", feed),
		"categories/2/mark-all-as-read ", "users/1/mark-all-as-read ",
	)
	path, body, _ := strings.Cut(what, " ")
	if code := c.call("PUT", path, body, nil); code != http.StatusNoContent && code != http.StatusNotFound {
		c.T.Fatalf("%s answers %d", what, code)
	}
	return what
}

// TestCopiesStayEqual: whatever happens, after each synchronisation a program has what the page shows, each entry once
// and in the same state.
func TestCopiesStayEqual(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			w := readerapps.New(t, seed)
			c := &copied{program: &program{w, w.Password}, items: map[int64]readerapps.State{}}
			var log []string
			for range 120 {
				switch n := w.Rand.IntN(10); {
				case n < 6:
					log = append(log, w.Happen())
					continue
				case n < 8:
					log = append(log, c.change())
					continue
				}
				c.sync()
				log = append(log, "sync")
				if wrong := c.compare(); wrong != "" {
					t.Fatalf("%s after\n%s", wrong, strings.Join(log, "\n"))
				}
			}
		})
	}
}

// compare says in what a program differs from the page. Items that do not exist any more are not unread in it.
func (c *copied) compare() string {
	shown := c.Shown()
	for id, want := range shown {
		if got, has := c.items[int64(id)]; has != c.Listed(id) && !has || has && got != want {
			return fmt.Sprintf("item %d is %+v (%v), want %+v", id, got, has, want)
		}
	}
	for id, got := range c.items {
		if _, exists := shown[reader.ItemID(id)]; !exists && !got.Read {
			return fmt.Sprintf("item %d is unread and does not exist", id)
		}
	}
	var n struct {
		Reads, Unreads int
	}
	var counts counters
	c.want(http.StatusOK, "GET", "feeds/counters", "", &counts)
	for _, v := range counts.Reads {
		n.Reads += v
	}
	for _, v := range counts.Unreads {
		n.Unreads += v
	}
	unread, listed := 0, 0
	for id, s := range shown {
		if !c.Listed(id) {
			continue
		}
		if listed++; !s.Read {
			unread++
		}
	}
	if n.Unreads != unread || n.Reads != listed-unread {
		return fmt.Sprintf("counters are %+v, want %d of %d unread", n, unread, listed)
	}
	for path, want := range map[string]int{
		"entries?limit=1": listed, "entries?order=id&limit=1": listed, "entries?status=unread&order=title": unread,
		"entries/ids?status=unread&limit=1": unread,
	} {
		var got struct {
			Total   int             `json:"total"`
			Entries json.RawMessage `json:"entries"`
			IDs     json.RawMessage `json:"entry_ids"`
		}
		if c.want(http.StatusOK, "GET", path, "", &got); got.Total != want {
			return fmt.Sprintf("%s has %d, want %d", path, got.Total, want)
		}
	}
	return ""
}

// FuzzLists: whatever the parameters, the answer is a list or says why there is none.
func FuzzLists(f *testing.F) {
	p := newProgram(f)
	p.rich("https://rich.example/feed", 5)
	for _, s := range []string{
		"status=unread&starred=1&order=title&direction=desc", "limit=0&offset=99999999999",
		"before_entry_id=-1&after_entry_id=18446744073709551615",
		"published_after=9223372036854775807&changed_before=1", "category_id=2&feed_id=1&tags=odd&tags=All",
		"globally_visible=x&search=x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		p.Advance(10 * time.Second) // within the limit of searches
		for _, path := range []string{"/v1/entries?", "/v1/entries/ids?", "/v1/feeds/1/entries?"} {
			rec := p.Do("GET", path+values.Encode(), "", "", "X-Auth-Token", p.token)
			if rec.Code != http.StatusOK && rec.Code != http.StatusBadRequest ||
				!strings.HasPrefix(rec.Body.String(), `{"`) {
				t.Errorf("%s%s answers %d: %.200s", path, query, rec.Code, rec.Body.String())
			}
		}
	})
}

// FuzzBodies: whatever the body, nothing fails on our side.
func FuzzBodies(f *testing.F) {
	p := newProgram(f)
	p.Follow("https://one.example/feed", 3)
	for path, body := range map[string]string{
		"entries": `{"entry_ids":[1],"status":"read"}`, "feeds/1": `{"title":"x","category_id":1}`,
		"categories/2": `{"title":"x"}`, "enclosures/1": `{"media_progression":1}`,
	} {
		f.Add(path, body)
	}
	f.Fuzz(func(t *testing.T, path, body string) {
		if slices.ContainsFunc([]rune(path), func(r rune) bool {
			return r <= ' ' || r > '~' || strings.ContainsRune("%?#", r)
		}) || strings.Contains(path, "import") {
			return
		}
		for _, method := range []string{"PUT", "POST"} {
			if rec := p.Do(method, "/v1/"+path, "application/json", body, "X-Auth-Token", p.token); rec.Code >= 500 {
				t.Errorf("%s %s %q answers %d: %.200s", method, path, body, rec.Code, rec.Body.String())
			}
		}
	})
}
