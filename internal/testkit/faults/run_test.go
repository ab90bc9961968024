package faults

import (
	"fmt"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A storm of a few hours is enough where its faults need not be many.
const (
	aDay     = 96
	sixHours = 24
)

// Storm runs quarters of an hour with faults, waits until the installation has recovered, and returns what the oracle
// finds wrong.
func (w *Installation) Storm(quarters int) []string {
	w.build(8, 2)
	w.hook(w.users[0])
	w.site(bigSite, 130)
	w.orphans()
	w.inj.off = false
	for range quarters {
		w.quarter(1)
	}
	w.settle(2)
	return w.check()
}

// orphans creates what a crash of an earlier day leaves: a body and a star's body to which no row refers.
func (w *Installation) orphans() {
	at := w.Clock.Now().Add(-26 * time.Hour)
	w.Clock.Set(at)
	defer w.Clock.Set(at.Add(26 * time.Hour))
	raw := store.RawKey(at, w.Web.Sites()[0].URL, []byte{1}, "gz")
	star := store.SnapshotBlobKey(w.users[0].id, store.Star, reader.NewItemID(5, 1, 1), at)
	for _, key := range []string{raw, star} {
		err := w.observer.app.Blobs.Put(w.T.Context(), key, []byte("orphan"),
			blob.Meta{User: map[string]string{"feedid": "1"}})
		if err != nil {
			w.T.Fatal(err)
		}
	}
}

// Scenarios are those of TestEveryStep.
var Scenarios = []string{
	"plan", "first crawl", "large first crawl", "news", "edit", "unchanged", "add", "import", "mark", "mark all",
	"star", "unstar",
	"unsubscribe", "tidy", "poison", "index", "search", "save a search", "told", "hook", "hook during a poll",
	"hook beside another", "hook beside another during a poll",
}

// Scenario runs one scenario with the plan's fault, waits until the installation has recovered, and returns what the
// oracle finds wrong; played is false when the scenario has no such step.
func (w *Installation) Scenario(name string) (played bool, wrong []string) {
	w.build(2, map[bool]int{true: 2, false: 1}[strings.HasPrefix(name, "hook beside another")])
	u, sites := w.users[0], w.Web.Sites()
	if !strings.HasPrefix(name, "hook") {
		w.hook(u)
	}
	if strings.HasPrefix(name, "large") {
		w.site(bigSite, 130)
	}
	days := 1
	if isTold(name) {
		days = 0 // there is nothing to clean up
	} else {
		w.orphans()
	}
	if name != "add" && name != "import" && !strings.HasSuffix(name, "first crawl") {
		for range sites {
			for _, u := range w.users {
				w.request(u, w.addRequest(u))
			}
		}
	}
	w.To(w.Tick()+1, time.Second)
	w.runScenario(name, u)
	played = w.inj.n >= w.inj.plan.At
	w.settle(days)
	return played, w.check()
}

// request repeats a request until it succeeds.
func (w *Installation) request(u *user, x *request) {
	for u.waiting = x; u.waiting != nil && x.tries < 20; {
		w.try(u)
		w.Advance(40 * time.Second)
	}
}

// on runs f with faults enabled.
func (w *Installation) on(f func()) {
	w.inj.off = false
	f()
	w.inj.off = true
}

func (w *Installation) runScenario(name string, u *user) {
	url := w.Web.Sites()[0].URL
	if isTold(name) {
		w.runTold(name, u, url)
		return
	}
	switch name {
	case "plan":
		w.publish(w.Web.Of(url), 1)
		w.due()
		w.on(func() { w.tick(w.Clock.Now()) })
	case "first crawl", "large first crawl":
		w.request(u, w.importRequest(u))
		w.on(func() { w.deliver(5) })
	case "news", "edit", "unchanged":
		switch name {
		case "news":
			w.publish(w.Web.Of(url), 2)
		case "edit":
			w.edit(w.Web.Of(url))
		}
		w.due()
		w.tick(w.Clock.Now())
		w.on(func() { w.deliver(5) })
	case "tidy":
		w.To(w.Tick()+2*96, time.Second)
		w.send(string(job.Job{Kind: job.Cleanup, Tick: w.Tick()}.Encode()), "")
		clear(w.poison)
		w.on(func() { w.deliver(5) })
	case "index":
		w.publish(w.Web.Of(url), 2)
		w.edit(w.Web.Of(url))
		w.due()
		w.tick(w.Clock.Now())
		w.deliver(5)
		w.Advance(time.Hour) // the job that the crawl may have sent is due
		w.send(string(job.Job{Kind: job.Index}.Encode()), "")
		clear(w.poison)
		w.on(func() { w.deliver(5) })
	case "poison":
		w.send(`{"kind":"nobody knows"}`, "unknown_message_kind")
		w.on(func() { w.deliver(5) })
	default:
		w.runRequest(name, u, url)
	}
}

// due makes all feeds due in some hours' time, which is then.
func (w *Installation) due() {
	w.To(w.Tick()+10, time.Second)
	w.dueNow()
}

func (w *Installation) dueNow() {
	for id := reader.FeedID(1); ; id++ {
		if _, err := w.observer.app.Store.Feeds.Modify(w.T.Context(), id, func(f *store.FeedRow) {
			f.First = int32(w.Tick())
		}); err != nil {
			return
		}
	}
}

// runRequest makes one request of a reader with faults.
func (w *Installation) runRequest(name string, u *user, url string) {
	var x *request
	state := func(role, body string, done func(it item)) {
		it, ok := w.long(u, url)
		if !ok {
			w.T.Fatalf("%s has no long item", url)
		}
		x = &request{role: role, method: "PUT", path: "/api/items/" + it.ID + "/state", body: body, done: func([]byte) {
			done(it)
		}}
	}
	star := func(it item) { u.starred[fmt.Sprintf("%s#%d", url, numberOf(it.Title))] = it.ID }
	switch name {
	case "add":
		x = w.addRequest(u)
	case "import":
		x = w.importRequest(u)
	case "mark":
		state("api mark", `{"isRead":true}`, func(it item) { u.feeds[url].read[numberOf(it.Title)] = true })
	case "mark all":
		x = w.markAllRequest(u, url)
	case "star":
		state("api star", `{"isStarred":true}`, star)
	case "unstar":
		state("api star", `{"isStarred":true}`, star)
		w.request(u, x)
		state("api unstar", `{"isStarred":false}`, func(it item) {
			delete(u.starred, fmt.Sprintf("%s#%d", url, numberOf(it.Title)))
		})
	case "unsubscribe":
		x = w.unsubscribeRequest(u, url)
	case "search":
		w.request(u, w.searchRequest(u, "item")) // what is in memory, and the job that indexes
		w.send(string(job.Job{Kind: job.Index}.Encode()), "")
		clear(w.poison)
		w.deliver(5)
		w.crawler, w.api = [2]*process{}, [2]*process{}
		x = w.searchRequest(u, `"text of" -version`)
	case "save a search":
		x = w.saveRequest(u)
	default:
		w.T.Fatalf("no scenario %q", name)
	}
	w.on(func() { w.request(u, x) })
}

// long returns an item whose text is too long for a star's row.
func (w *Installation) long(u *user, url string) (item, bool) {
	w.publish(w.Web.Of(url), 4) // one of four is long
	w.due()
	w.tick(w.Clock.Now())
	w.deliver(5)
	f, err := w.rowOf(url)
	if err != nil {
		return item{}, false
	}
	for _, it := range w.items(u, f.ID(), "all") {
		if numberOf(it.Title)%4 == 0 {
			return it, true
		}
	}
	return item{}, false
}
