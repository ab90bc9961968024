package faults

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// What webhooks are told: every new item, under one delivery id.

const hookHost = "hook.example"

// isTold reports whether a scenario is about webhooks.
func isTold(scene string) bool { return scene == "told" || strings.HasPrefix(scene, "hook") }

// hook makes a webhook of a reader, without faults. Its feeds are marked by messages that follow.
func (w *Installation) hook(u *user) {
	status, answer, _ := w.ask(w.observer, u.token, "POST", "/api/webhooks",
		fmt.Sprintf(`{"url":"https://%s/%s","events":["new"]}`, hookHost, u.id))
	if status/100 != 2 {
		w.T.Fatalf("a webhook: %d %s", status, answer)
	}
	u.hooked = true
	for url, m := range u.feeds {
		m.from = w.seqOf(url)
	}
	w.Advance(time.Second) // what comes now is new
}

// runTold lets a poll bring items, with a webhook of the reader that was made long ago or just now: its feeds are
// marked before the poll, or meanwhile, for the first time, or beside those of another reader.
func (w *Installation) runTold(name string, u *user, url string) {
	calm := func() {
		w.deliver(20)
		w.Advance(time.Hour)
		w.tick(w.Clock.Now()) // with the night's cleanup, which repairs what it finds
		w.deliver(20)
		w.Advance(time.Hour)
	}
	calm()
	for _, other := range w.users[1:] {
		w.hook(other)
		calm()
	}
	isDuring := strings.HasSuffix(name, "poll")
	if name != "told" && !isDuring {
		w.hook(u)
	}
	w.publish(w.Web.Of(url), 2)
	w.dueNow()
	w.tick(w.Clock.Now())
	if isDuring {
		w.hook(u)
	}
	w.on(func() {
		for range 12 {
			w.deliver(5)
			w.Advance(20 * time.Second)
		}
	})
}

// takes is the receiver of the webhooks.
func (w *Installation) takes(r fetch.Request) (*fetch.Response, error) {
	var b struct {
		Delivery string
		Items    []struct{ ID string }
	}
	u, err := url.Parse(r.URL)
	if err == nil {
		err = json.Unmarshal(r.Post.Body, &b)
	}
	if err != nil || u.Host != hookHost {
		return nil, &fetch.Error{Code: fetch.CodeDNSFailure, NoResponse: true}
	}
	for _, it := range b.Items {
		key := strings.TrimPrefix(u.Path, "/") + " " + it.ID
		if w.told[key] == nil {
			w.told[key] = map[string]bool{}
		}
		w.told[key][b.Delivery] = true
	}
	return &fetch.Response{Status: 204}, nil
}

// checkTold checks that what came while a reader subscribed, after the first crawl, was told; ids are those of the
// feed's items.
func (w *Installation) checkTold(f *store.FeedRow, ids map[reader.ItemID]reader.Seq) {
	for _, u := range w.users {
		m := u.feeds[f.URL]
		if !u.hooked || m == nil {
			continue
		}
		for id, seq := range ids {
			isNew, n := uint32(seq) > max(m.from, f.FirstSeq), len(w.told[string(u.id)+" "+id.String()])
			if n > 1 || n == 0 && isNew {
				w.fail("%s: seq %d was told %s under %d ids", f.URL, seq, u.id, n)
			}
		}
	}
}
