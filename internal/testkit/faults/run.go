package faults

import (
	"fmt"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Storm plays days of faults, lets them end, and gives what the oracle finds wrong.
func (w *World) Storm(days int) []string {
	w.build(8, 2)
	w.site(bigSite, 130)
	w.orphans()
	w.inj.off = false
	for range days * 96 {
		w.quarter(1)
	}
	w.settle(2)
	return w.judge()
}

// Deaths is how many processes have died.
func (w *World) Deaths() int { return w.deaths }

// State is what readers see in the end, in words: two worlds with equal states are equal to them.
func (w *World) State() string { return w.state() }

// orphans leaves what a crash of an earlier day left: a body and a star's body that no row names.
func (w *World) orphans() {
	at := w.Clock.Now().Add(-26 * time.Hour)
	w.Clock.Set(at)
	defer w.Clock.Set(at.Add(26 * time.Hour))
	raw := store.RawKey(at, w.Web.Sites()[0].URL, []byte{1}, "gz")
	star := store.StarBlobKey(w.users[0].id, reader.NewItemID(5, 1, 1), at)
	for _, key := range []string{raw, star} {
		err := w.looker.app.Blobs.Put(w.T.Context(), key, []byte("orphan"), blob.Meta{User: map[string]string{"feedid": "1"}})
		if err != nil {
			w.T.Fatal(err)
		}
	}
}

// Scenarios are the works whose every step fails once in TestEveryStep.
var Scenarios = []string{
	"plan", "first crawl", "large first crawl", "news", "edit", "unchanged", "add", "import", "mark", "mark all", "star", "unstar",
	"unsubscribe", "tidy", "poison",
}

// Scene plays one scenario with the plan's fault in it, lets the world settle, and gives what the oracle finds wrong;
// played is false when the scenario has no such step.
func (w *World) Scene(name string) (played bool, wrong []string) {
	w.build(2, 1)
	u, sites := w.users[0], w.Web.Sites()
	if strings.HasPrefix(name, "large") {
		w.site(bigSite, 130)
	}
	w.orphans()
	if name != "add" && name != "import" && !strings.HasSuffix(name, "first crawl") {
		for range sites {
			w.wish(u, w.wishAdd(u))
		}
	}
	w.To(w.Tick()+1, time.Second)
	w.scenes(name, u)
	played = w.inj.n >= w.inj.plan.At
	w.settle(1)
	return played, w.judge()
}

// wish asks until it is done.
func (w *World) wish(u *user, x *wish) {
	for u.waiting = x; u.waiting != nil && x.tries < 20; {
		w.try(u)
		w.Advance(40 * time.Second)
	}
}

// on runs f with faults.
func (w *World) on(f func()) {
	w.inj.off = false
	f()
	w.inj.off = true
}

func (w *World) scenes(name string, u *user) {
	url := w.Web.Sites()[0].URL
	switch name {
	case "plan":
		w.publish(w.Web.Of(url), 1)
		w.due()
		w.on(func() { w.tick(w.Clock.Now()) })
	case "first crawl", "large first crawl":
		w.wish(u, w.wishImport(u))
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
		w.send(string(job.Job{Kind: job.Tidy, Tick: w.Tick()}.Encode()), "")
		clear(w.poison)
		w.on(func() { w.deliver(5) })
	case "poison":
		w.send(`{"kind":"nobody knows"}`, "unknown_message_kind")
		w.on(func() { w.deliver(5) })
	default:
		w.asks(name, u, url)
	}
}

// due gives all feeds their turn now.
func (w *World) due() {
	w.To(w.Tick()+10, time.Second)
	for id := reader.FeedID(1); ; id++ {
		if _, err := w.looker.app.Store.Feeds.Update(w.T.Context(), id, store.Patch{"first": int32(w.Tick())}); err != nil {
			return
		}
	}
}

// asks lets a reader want something, with faults in it.
func (w *World) asks(name string, u *user, url string) {
	var x *wish
	state := func(role, body string, done func(it item)) {
		it, ok := w.long(u, url)
		if !ok {
			w.T.Fatalf("%s has no long item", url)
		}
		x = &wish{role: role, method: "PUT", path: "/api/items/" + it.ID + "/state", body: body, done: func([]byte) { done(it) }}
	}
	star := func(it item) { u.starred[fmt.Sprintf("%s#%d", url, numberOf(it.Title))] = it.ID }
	switch name {
	case "add":
		x = w.wishAdd(u)
	case "import":
		x = w.wishImport(u)
	case "mark":
		state("api mark", `{"isRead":true}`, func(it item) { u.feeds[url].read[numberOf(it.Title)] = true })
	case "mark all":
		x = w.wishMarkAll(u, url)
	case "star":
		state("api star", `{"isStarred":true}`, star)
	case "unstar":
		state("api star", `{"isStarred":true}`, star)
		w.wish(u, x)
		state("api unstar", `{"isStarred":false}`, func(it item) { delete(u.starred, fmt.Sprintf("%s#%d", url, numberOf(it.Title))) })
	case "unsubscribe":
		x = w.wishLeave(u, url)
	default:
		w.T.Fatalf("no scenario %q", name)
	}
	w.on(func() { w.wish(u, x) })
}

// long finds an item with a text that is too long for a star's row.
func (w *World) long(u *user, url string) (item, bool) {
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
