package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// The script: what publishers publish and readers do, and the model of the expected result. The model changes only when
// a request is acknowledged.

// user is a reader in the model.
type user struct {
	id           reader.UserID
	token        string
	feeds        map[string]*subscription // by address
	left         map[string]bool          // feeds left with stars: not added again
	unsubscribed map[string]unsubscribed  // by URL
	starred      map[string]string
	saved        map[string]bool // names of searches; false until it was acknowledged
	hooked       bool            // has a webhook of new items
	waiting      *request        // not yet acknowledged; a reader makes one request at a time
	busy         bool            // in a request
}

// subscription is a subscription in the model.
type subscription struct {
	read map[int]bool // by the item's number; absent: never marked
	base uint32       // seqs up to it were read when the subscription was made
	auto bool         // made before the first crawl was complete: the newest 20 of that are unread
	from uint32       // items above it came after it was made, or after the webhook
}

// unsubscribed is a subscription that was left.
type unsubscribed struct {
	*subscription
	at time.Time
}

// skew bounds the difference of two clocks plus the time of a request with all its tries.
const skew = time.Hour

// request is one request of a reader.
type request struct {
	role, method, path, body string
	tries                    int
	before                   uint32 // seq of the feed at the first try
	done                     func(answer []byte)
	// settled reports whether an error status means that an earlier try succeeded.
	settled func(status int) bool
}

const bigSite = "https://host9.example/big"

// build adds publishers and readers.
func (w *Installation) build(sites, users int) {
	for i := range sites {
		w.site(fmt.Sprintf("https://host%d.example/feed%d", i%5, i), 2+w.script.IntN(6))
	}
	for i := range users {
		u := &user{feeds: map[string]*subscription{}, left: map[string]bool{}, unsubscribed: map[string]unsubscribed{},
			starred: map[string]string{}, saved: map[string]bool{}}
		var err error
		if u.id = flow.User; i > 0 {
			u.id = reader.UserID(fmt.Sprintf("u%d", i+1))
			err = w.Store().Accounts.Create(context.Background(), u.id,
				store.Account{Email: fmt.Sprintf("u%d@example.org", i+1)})
		}
		if err == nil {
			u.token, err = w.observer.app.Auth.NewToken(context.Background(), u.id, "test", "", time.Time{})
		}
		if err != nil {
			w.T.Fatal(err)
		}
		w.users = append(w.users, u)
	}
}

func (w *Installation) site(url string, items int) *flow.Site {
	s := w.Web.Site(url, items)
	s.Keep, s.Light = 1000, true
	for i := range s.Items {
		w.word(s, &s.Items[i])
	}
	return s
}

// word gives an item a new text; a quarter of them are long ones, whose stars are blobs.
func (w *Installation) word(s *flow.Site, e *flow.Entry) {
	e.Text = fmt.Sprintf("text-%d-%d of %s.", e.ID, s.Version, s.URL)
	if e.ID%4 == 0 {
		var b strings.Builder
		for i := range 900 {
			if i%8 == 0 { // in few words: what does not compress need not take long to index
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%016x", w.script.Uint64())
		}
		e.Text += b.String()
	}
}

// remember keeps a site's current response, for OldAnswer.
func (w *Installation) remember(s *flow.Site) {
	w.older[s.URL] = &version{etag: s.ETag(), body: []byte(s.Feed())}
}

// publish adds items to a site.
func (w *Installation) publish(s *flow.Site, n int) {
	w.remember(s)
	s.Publish(w.Now(), n)
	for i := range n {
		w.word(s, &s.Items[i])
	}
}

// edit changes an item's text and title.
func (w *Installation) edit(s *flow.Site) {
	w.remember(s)
	s.Version++
	e := &s.Items[w.script.IntN(min(len(s.Items), 15))]
	w.word(s, e)
	e.Title = fmt.Sprintf("Item %d, version %d", e.ID, s.Version)
}

func numberOf(title string) int {
	n := 0
	_, _ = fmt.Sscanf(title, "Item %d", &n)
	return n
}

// news publishes what comes in a quarter of an hour.
func (w *Installation) news() {
	for _, s := range w.Web.Sites() {
		switch x := w.script.IntN(40); {
		case x < 5:
			w.publish(s, 1+w.script.IntN(2))
		case x == 5:
			w.edit(s)
		}
	}
}

// item is an item in a list of the API.
type item struct {
	ID        string `json:"id"`
	FeedID    string `json:"feedId"`
	Title     string `json:"title"`
	IsRead    bool   `json:"isRead"`
	IsStarred bool   `json:"isStarred"`
}

type page struct {
	Items []item  `json:"items"`
	Next  *string `json:"nextCursor"`
}

// act makes or repeats a request of one reader.
func (w *Installation) act() {
	u := w.users[w.script.IntN(len(w.users))]
	if u.busy {
		return
	}
	if u.waiting != nil {
		w.try(u)
		return
	}
	if u.waiting = w.choose(u); u.waiting != nil {
		w.try(u)
	}
}

// try makes a reader's pending request, which stays pending if it fails.
func (w *Installation) try(u *user) {
	x := u.waiting
	u.busy = true
	defer func() { u.waiting, u.busy = x, false }()
	w.as(x.role, func() {
		x.tries++
		p := w.instance(&w.api)
		if w.inj.off {
			p = w.process(true)
		}
		status, answer, ok := w.ask(p, u.token, x.method, x.path, x.body)
		switch {
		case ok && status >= 200 && status < 300:
			done := x.done
			x = nil
			done(answer)
		case ok && x.settled != nil && x.settled(status):
			done := x.done
			x = nil
			done(nil)
		case ok && w.inj.off && w.depth == 0 && x.tries > 200:
			w.fail("%s never succeeds: %s %s answers %d: %s", x.role, x.method, x.path, status, answer)
			x = nil
		}
	})
}

func (w *Installation) choose(u *user) *request {
	addresses := slices.Sorted(maps.Keys(u.feeds))
	x := w.script.IntN(100)
	switch {
	case len(addresses) == 0 || x < 6:
		return w.addRequest(u)
	case x < 9:
		return w.importRequest(u)
	}
	url := addresses[w.script.IntN(len(addresses))]
	switch {
	case x < 12:
		return w.unsubscribeRequest(u, url)
	case x < 16:
		return w.readRequest(u, url)
	case x < 18:
		return w.refreshRequest(url)
	case x < 26:
		return w.markAllRequest(u, url)
	case x < 34:
		return w.searchRequest(u, w.terms()[w.script.IntN(len(w.terms()))])
	case x < 36:
		return w.saveRequest(u)
	default:
		return w.stateRequest(u, url)
	}
}

// without returns the URLs that the reader may add.
func (w *Installation) without(u *user) (out []string) {
	for _, s := range w.Web.Sites() {
		if u.feeds[s.URL] == nil && !u.left[s.URL] {
			out = append(out, s.URL)
		}
	}
	return out
}

func (w *Installation) seqOf(url string) uint32 {
	f, err := w.rowOf(url)
	if err != nil {
		return 0
	}
	return f.Seq
}

func (w *Installation) addRequest(u *user) *request {
	free := w.without(u)
	if len(free) == 0 {
		return nil
	}
	url := free[w.script.IntN(len(free))]
	body, err := json.Marshal(map[string]string{"url": url})
	if err != nil {
		w.T.Fatal(err)
	}
	before := w.seqOf(url)
	return &request{role: "api add", method: "POST", path: "/api/feeds", body: string(body), before: before,
		done: func([]byte) {
			w.subscribed(u, url, before)
		}}
}

func (w *Installation) importRequest(u *user) *request {
	free := w.without(u)
	if len(free) == 0 {
		return nil
	}
	w.script.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	free = free[:min(len(free), 3)]
	var feeds []opml.Feed
	before := map[string]uint32{}
	for _, url := range free {
		feeds = append(feeds, opml.Feed{Title: url, XMLURL: url})
		before[url] = w.seqOf(url)
	}
	body := opml.Encode("test", feeds, time.Time{})
	return &request{role: "api import", method: "POST", path: "/api/import/opml", body: string(body),
		done: func(answer []byte) {
			var out struct{ Failed int }
			if err := json.Unmarshal(answer, &out); err != nil || out.Failed > 0 {
				w.fail("an import answers %s", answer)
			}
			for _, url := range free {
				w.subscribed(u, url, before[url])
			}
		}}
}

// subscribed adds a subscription to the model. Within a day after unsubscribing, the read state is restored; otherwise
// all but the newest 20 items are read, as of some moment between the first try and the acknowledgement.
func (w *Installation) subscribed(u *user, url string, before uint32) {
	f, err := w.rowOf(url)
	if err != nil {
		w.fail("%s is subscribed to, and there is no such feed: %v", url, err)
		return
	}
	row, err := w.observer.app.Store.Subscriptions.Get(context.Background(), u.id, f.ID())
	if err != nil {
		w.fail("%s: an acknowledged subscription does not exist: %v", url, err)
		return
	}
	was, came := u.unsubscribed[url]
	delete(u.unsubscribed, url)
	age := w.Clock.Now().Sub(was.at)
	if row.Rev > 0 {
		if !came || age > store.LeftFor+skew {
			w.fail("%s: a new subscription has read state, and was left %s ago (%v)", url, age, came)
		}
		u.feeds[url] = was.subscription
		was.from = f.Seq
		return
	}
	if came && age < store.LeftFor-skew && slices.ContainsFunc(slices.Collect(maps.Keys(was.read)), func(n int) bool {
		return was.read[n] && !was.auto && uint32(w.places(url)[n]) > was.base // otherwise it was read from the start
	}) {
		w.fail("%s: the read state is lost %s after unsubscribing", url, age)
	}
	least, most := uint32(0), uint32(0)
	if before > 20 {
		least = before - 20
	}
	if f.Seq > 20 {
		most = f.Seq - 20
	}
	if row.Upto < least || row.Upto > most || len(row.Runs) > 0 {
		w.fail("%s: a new subscription starts read up to %d, between seq %d and %d", url, row.Upto, before, f.Seq)
	}
	u.feeds[url] = &subscription{read: map[int]bool{}, base: row.Upto, auto: row.Upto == 0, from: f.Seq}
}

func (w *Installation) unsubscribeRequest(u *user, url string) *request {
	f, err := w.rowOf(url)
	if err != nil {
		return nil
	}
	x := &request{role: "api unsubscribe", method: "DELETE", path: "/api/feeds/" + f.ID().String()}
	x.done = func([]byte) {
		u.unsubscribed[url] = unsubscribed{u.feeds[url], w.Clock.Now()}
		delete(u.feeds, url)
		for key := range u.starred {
			if strings.HasPrefix(key, url+"#") {
				u.left[url] = true
			}
		}
	}
	x.settled = func(status int) bool { return status == 404 && x.tries > 1 }
	return x
}

// items returns a feed's items.
func (w *Installation) items(u *user, id reader.FeedID, filter string) (out []item) {
	cursor := ""
	for {
		var p page
		w.look(u, fmt.Sprintf("/api/feeds/%s/items?limit=100&filter=%s&cursor=%s", id, filter, cursor), &p)
		out = append(out, p.Items...)
		if p.Next == nil {
			return out
		}
		cursor = *p.Next
	}
}

// places returns the sequence number of each item of a feed, by order of arrival: after a truncated response it differs
// from the order of publication.
func (w *Installation) places(url string) map[int]reader.Seq {
	at := map[int]reader.Seq{}
	f, err := w.rowOf(url)
	if err == nil {
		err = w.observer.app.Store.Items.DescendLatest(context.Background(), f.ID(),
			func(d *store.DeltaRow) (bool, error) {
				hs, err := d.Headers()
				for i, h := range hs {
					if seq := d.First() + reader.Seq(i); seq <= reader.Seq(f.Seq) {
						at[numberOf(h.Title)] = seq
					}
				}
				return true, err
			})
	}
	if err != nil {
		w.T.Fatal(err)
	}
	return at
}

func (w *Installation) anItem(u *user, url string) (item, bool) {
	f, err := w.rowOf(url)
	if err != nil || f.Seq == 0 {
		return item{}, false
	}
	var p page
	w.look(u, fmt.Sprintf("/api/feeds/%s/items?limit=30", f.ID()), &p)
	if len(p.Items) == 0 {
		return item{}, false
	}
	return p.Items[w.script.IntN(len(p.Items))], true
}

// readRequest reads the feeds, a list or a body, which fills the cache. The response is not checked, as reads may be
// stale.
func (w *Installation) readRequest(u *user, url string) *request {
	it, ok := w.anItem(u, url)
	paths := []string{"/api/feeds", "/api/items?filter=unread", "/api/items?filter=starred"}
	if ok {
		paths = append(paths, "/api/items/"+it.ID, "/api/items/"+it.ID)
	}
	path := paths[w.script.IntN(len(paths))]
	return &request{role: "api read", method: "GET", path: path, done: func([]byte) {}, settled: func(int) bool {
		return true
	}}
}

func (w *Installation) refreshRequest(url string) *request {
	f, err := w.rowOf(url)
	if err != nil {
		return nil
	}
	return &request{
		role: "api refresh", method: "POST", path: "/api/feeds/" + f.ID().String() + "/refresh", done: func([]byte) {},
		settled: func(int) bool { return true },
	}
}

func (w *Installation) markAllRequest(u *user, url string) *request {
	it, ok := w.anItem(u, url)
	if !ok {
		return nil
	}
	return &request{
		role: "api mark all", method: "POST", path: "/api/feeds/" + it.FeedID + "/mark-read",
		body: fmt.Sprintf(`{"upTo":%q}`, it.ID),
		done: func([]byte) {
			m, places := u.feeds[url], w.places(url)
			for n, seq := range places {
				if seq <= places[numberOf(it.Title)] {
					m.read[n] = true
				}
			}
		},
	}
}

func (w *Installation) stateRequest(u *user, url string) *request {
	it, ok := w.anItem(u, url)
	if !ok {
		return nil
	}
	n := numberOf(it.Title)
	x := &request{role: "api mark", method: "PUT", path: "/api/items/" + it.ID + "/state"}
	switch y := w.script.IntN(10); {
	case y < 4:
		x.body, x.done = `{"isRead":true}`, func([]byte) { u.feeds[url].read[n] = true }
	case y < 6:
		x.body, x.done = `{"isRead":false}`, func([]byte) { u.feeds[url].read[n] = false }
	case y < 9:
		x.role, x.body, x.done = "api star", `{"isStarred":true}`, func([]byte) {
			u.starred[fmt.Sprintf("%s#%d", url, n)] = it.ID
		}
	default:
		x.role, x.body, x.done = "api unstar", `{"isStarred":false}`, func([]byte) {
			delete(u.starred, fmt.Sprintf("%s#%d", url, n))
		}
	}
	return x
}

// quarter runs one tick.
func (w *Installation) quarter(acts int) {
	w.To(w.Tick()+1, time.Duration(w.script.IntN(30))*time.Second)
	w.storm()
	w.news()
	w.ticks(w.Tick())
	for range 12 {
		w.fire()
		w.deliver(3)
		for range w.script.IntN(acts + 1) {
			w.act()
		}
		w.Advance(50 * time.Second)
	}
}

// settle ends all faults, publishes once more everywhere, and runs until all requests and crawls are done, and then for
// days, after which cleanup has removed all orphans.
func (w *Installation) settle(days int) {
	w.inj.off = true
	w.planner, w.crawler, w.api = [2]*process{}, [2]*process{}, [2]*process{}
	for _, s := range w.Web.Sites() {
		w.publish(s, 1)
	}
	w.older = map[string]*version{}
	calm := func(ticks int, until func() bool) {
		for range ticks {
			w.To(w.Tick()+1, 10*time.Second)
			w.ticks(w.Tick())
			for range 8 {
				w.fire()
				w.deliver(20)
				for _, u := range w.users {
					if u.waiting != nil {
						w.try(u)
					}
				}
				w.Advance(time.Minute)
			}
			if until() {
				return
			}
		}
	}
	calm(400, w.caughtUp)
	for range days {
		day := w.Now().Truncate(24 * time.Hour)
		calm(100, func() bool { return w.Now().After(day.Add(24*time.Hour + 40*time.Minute)) })
	}
	// What the last polls sent with a delay.
	for range 30 {
		w.Advance(time.Minute)
		w.deliver(20)
	}
}

// caughtUp reports whether every subscribed feed has its publisher's current version, and no request is pending.
func (w *Installation) caughtUp() bool {
	for _, u := range w.users {
		if u.waiting != nil {
			return false
		}
		for url := range u.feeds {
			f, err := w.rowOf(url)
			if fault.Is(err, fault.NotFound) || err != nil || f.ETag != w.Web.Of(url).ETag() || f.Errors > 0 {
				return false
			}
		}
	}
	return true
}
