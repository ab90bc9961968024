package subscribe_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// sequential is the service that takes the same steps each time.
func sequential(w *flow.Env) *subscribe.Service {
	s := service(w)
	s.Concurrency = 1
	return s
}

// list makes n publishers on hosts of up to three feeds, and a list of them in folders.
func list(w *flow.Env, n int) []byte {
	var feeds []opml.Feed
	for i := range n {
		s := w.Web.Site(fmt.Sprintf("https://host%d.example/%d", i/3, i), 2)
		feeds = append(feeds,
			opml.Feed{Title: fmt.Sprint("Feed ", i), XMLURL: s.URL, Path: []string{"All", fmt.Sprint("Folder ", i%7)}})
	}
	return opml.Encode("My list", feeds, time.Time{})
}

// work takes one message out of the queue and handles it as the crawler's program does.
func work(w *flow.Env, m flow.Message) error {
	if m.Job.Kind == job.Import {
		return sequential(w).RunImport(bg, m.Job)
	}
	_, err := w.Run(m.Job)
	return err
}

// take gives the next message, waiting for it if need be.
func take(w *flow.Env) (flow.Message, bool) {
	for {
		if m, ok := w.Queue.Take(); ok {
			return m, true
		}
		at, ok := w.Queue.Next()
		if !ok {
			return flow.Message{}, false
		}
		w.Advance(at.Sub(w.Now()))
	}
}

// drain works through the queue until it is empty.
func drain(t *testing.T, w *flow.Env) (messages int) {
	t.Helper()
	for range 500 {
		m, ok := take(w)
		if !ok {
			return messages
		}
		if err := work(w, m); err != nil {
			t.Fatalf("%+v: %v", m.Job, err)
		}
		messages++
	}
	t.Fatal("the queue does not become empty")
	return messages
}

func importOf(t *testing.T, w *flow.Env, id string) *store.Import {
	t.Helper()
	im, err := w.Store().Imports.One(bg, flow.User, id)
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// sums are what an import has come to.
func sums(t *testing.T, im *store.Import) (made, had, failed int) {
	t.Helper()
	for i := range im.Done {
		list, err := store.UnpackFailures(im.Done[i].Failed)
		if err != nil {
			t.Fatal(err)
		}
		made, had, failed = made+len(im.Done[i].Made), had+im.Done[i].Had, failed+len(list)
	}
	return made, had, failed
}

// whole checks that an import of n feeds has come to its end with nothing lost and nothing doubled.
func whole(t *testing.T, w *flow.Env, id string, n int) {
	t.Helper()
	im := importOf(t, w, id)
	made, had, failed := sums(t, im)
	if im.Ended == 0 || im.Failed != "" || made != n || had != 0 || failed != 0 {
		t.Errorf("ended %d, failed %q: %d made, %d had, %d failed", im.Ended, im.Failed, made, had, failed)
	}
	rows := subscriptions(t, w, flow.User)
	if len(rows) != n {
		t.Errorf("%d subscriptions of %d", len(rows), n)
	}
	for id, row := range rows {
		f := w.Feed(id)
		if f.Subs != 1 || f.Seq != 2 || row.Since != im.Created || len(row.Folders) != 1 {
			t.Fatalf("feed %d: %d subscribers, seq %d; %+v", id, f.Subs, f.Seq, row)
		}
		if v := len(w.Web.Of(f.URL).Visits); v != 1 {
			t.Errorf("feed %d was visited %d times", id, v)
		}
	}
	if keys := w.Blobs.Keys(); slices.ContainsFunc(keys, func(k string) bool {
		return strings.HasPrefix(k, store.ImportPrefix)
	}) {
		t.Error("the file is still there")
	}
}

// C-14: a long list goes through the queue, and its first feeds can be read while it is worked on.
//
func TestLongImport(t *testing.T) {
	t.Parallel()
	for _, parts := range []int{1, 4} {
		w := flow.New(t, 1, parts)
		body := list(w, 230)
		var im *store.Import
		costs := written(w, func() {
			var err error
			if im, err = sequential(w).StartImport(bg, flow.User, body); err != nil {
				t.Fatal(err)
			}
		})
		if im.Ended != 0 || im.Total != 230 || im.Chunks < 5 || len(im.Done) != 0 || im.Name != "My list" ||
			costs["import"] != 1 || len(costs) != 1 {
			t.Fatalf("%+v, wrote %v", im, costs)
		}
		if n := len(w.Queue.Waiting()); n != parts {
			t.Errorf("%d messages of %d parts", n, parts)
		}
		m, _ := take(w)
		if err := work(w, m); err != nil {
			t.Fatal(err)
		}
		half := importOf(t, w, im.ID())
		if made, _, _ := sums(t, half); made == 0 || made > 50 || half.Ended != 0 {
			t.Errorf("after one message %d feeds", made)
		}
		for _, id := range half.Done[0].Made {
			if f := w.Feed(reader.FeedID(id)); f.Seq != 2 {
				t.Errorf("feed %d has no items yet", id)
			}
		}
		messages := drain(t, w)
		whole(t, w, im.ID(), 230)
		if messages != im.Chunks-1 {
			t.Errorf("%d messages after the first, for %d chunks", messages, im.Chunks)
		}
		if w.Web.WorstOverlap() > 1 {
			t.Errorf("a host had %d requests at once", w.Web.WorstOverlap())
		}
		tree, err := w.Store().Trees.Get(bg, flow.User)
		if err != nil || len(tree.Folders) != 8 {
			t.Errorf("%d folders, %v", len(tree.Folders), err)
		}
		// Once more: all is there already.
		again, err := service(w).StartImport(bg, flow.User, body)
		if err != nil {
			t.Fatal(err)
		}
		w.Advance(time.Second)
		drain(t, w)
		if made, had, failed := sums(t, importOf(t, w, again.ID())); made != 0 && again.Created != im.Created ||
			made+had != 230 || failed != 0 {
			t.Errorf("the same again: %d made, %d had, %d failed", made, had, failed)
		}
	}
}

// Whichever step a message's process dies at, the message comes again and the import ends as if nothing had been.
func TestImportSurvivesEveryCrash(t *testing.T) {
	t.Parallel()
	for step := 0; ; step++ {
		w := flow.New(t, uint64(step), 1)
		const feeds = 54 // two chunks, of which the second is short
		im, err := sequential(w).StartImport(bg, flow.User, list(w, feeds))
		if err != nil {
			t.Fatal(err)
		}
		// The first chunk's steps are many and alike: each is tried where few come before, else some.
		at := step
		if step > 40 {
			at = 40 + (step-40)*23
		}
		n, p := 0, w.Main()
		p.Before(func() {
			if n++; n > at {
				p.Kill()
			}
		})
		for range 6 {
			m, ok := take(w)
			if !ok {
				break
			}
			if err := work(w, m); err != nil {
				w.Queue.Again(m, w.Now().Add(time.Minute)) // not acknowledged
				break
			}
		}
		died := p.Dead()
		w.Restart()
		w.Advance(3 * time.Minute) // the lease of a part whose process died expires
		drain(t, w)
		if !died {
			whole(t, w, im.ID(), feeds)
			break
		}
		made, had, failed := sums(t, importOf(t, w, im.ID()))
		if ended := importOf(t, w, im.ID()).Ended; ended == 0 || made != feeds || had != 0 || failed != 0 {
			t.Fatalf("step %d: ended %d, %d made, %d had, %d failed", at, ended, made, had, failed)
		}
		rows := subscriptions(t, w, flow.User)
		for id := range rows {
			if f := w.Feed(id); f.Subs != 1 || !f.Live() {
				t.Fatalf("step %d: feed %d: %+v", at, id, f)
			}
		}
		if len(rows) != feeds {
			t.Fatalf("step %d: %d subscriptions", at, len(rows))
		}
	}
}

// Messages that come twice, in any order, double nothing.
func TestImportMessagesComeTwice(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 3, 1)
	im, err := sequential(w).StartImport(bg, flow.User, list(w, 120))
	if err != nil {
		t.Fatal(err)
	}
	var seen []flow.Message
	for {
		m, ok := take(w)
		if !ok {
			break
		}
		seen = append(seen, m)
		for range 2 {
			if err := work(w, m); err != nil {
				t.Fatal(err)
			}
		}
		for _, old := range seen { // long after
			if err := work(w, old); err != nil {
				t.Fatal(err)
			}
		}
		if len(seen) > 30 {
			t.Fatal("messages breed")
		}
	}
	whole(t, w, im.ID(), 120)
}

// C-13: a list of 1,000 subscribes up to the cap, in its order, and reports the rest with the reason.
func TestLongImportAtTheCap(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 4)
	service(w).OwnerCap, service(w).UserCap = 70, 70
	w.Add(w.Web.Site("https://had.example/feed", 1).URL, subscribe.Options{})
	body := list(w, 200)
	im, err := sequential(w).StartImport(bg, flow.User, body)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(w.Queue.Waiting()); n != 1 {
		t.Errorf("%d messages at once", n)
	}
	drain(t, w)
	made, hadN, failed := sums(t, importOf(t, w, im.ID()))
	if made != 69 || hadN != 0 || failed != 131 || len(subscriptions(t, w, flow.User)) != 70 {
		t.Errorf("%d made, %d had, %d failed", made, hadN, failed)
	}
	doc, err := opml.Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range doc.Feeds {
		if _, err := w.Store().Feeds.FindURL(bg, f.XMLURL); (err == nil) != (i < 69) {
			t.Errorf("feed %d of the list: %v", i, err)
		}
	}
	last := importOf(t, w, im.ID()).Done
	list, err := store.UnpackFailures(last[len(last)-1].Failed)
	if err != nil || len(list) == 0 || list[0].Code != "subscription_limit" || list[0].URL == "" {
		t.Errorf("%+v, %v", list, err)
	}
}

// An import that is removed ends; what it has subscribed to stays.
func TestRemoveImport(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	im, err := sequential(w).StartImport(bg, flow.User, list(w, 120))
	if err != nil {
		t.Fatal(err)
	}
	first, _ := take(w)
	if err := work(w, first); err != nil {
		t.Fatal(err)
	}
	if err := service(w).RemoveImport(bg, "u2", im.ID()); !fault.Is(err, fault.NotFound) {
		t.Errorf("by somebody else: %v", err)
	}
	if err := service(w).RemoveImport(bg, flow.User, im.ID()); err != nil {
		t.Fatal(err)
	}
	drain(t, w)
	if n := len(subscriptions(t, w, flow.User)); n != 50 {
		t.Errorf("%d subscriptions", n)
	}
	if list, err := w.Store().Imports.List(bg, flow.User); err != nil || len(list) != 0 {
		t.Errorf("%d imports, %v", len(list), err)
	}
	if err := service(w).RemoveImport(bg, flow.User, im.ID()); fault.CodeOf(err) != "import_not_found" {
		t.Error(err)
	}
}

// G-42: a long import whose user is removed ends with its next message, and leaves nothing of the user's.
func TestLongImportOfSomebodyWhoIsGone(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	im, err := sequential(w).StartImport(bg, flow.User, list(w, 120))
	if err != nil {
		t.Fatal(err)
	}
	first, _ := take(w)
	// The removal went by, but for what the message finds when it looks: its import.
	row, err := w.Store().Imports.Get(bg, flow.User, im.ID())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Store().Accounts.SweepUser(bg, flow.User); err != nil {
		t.Fatal(err)
	}
	if err := w.Store().Accounts.RemoveAccount(bg, flow.User); err != nil {
		t.Fatal(err)
	}
	if err := w.Store().Imports.Put(bg, flow.User, im.ID(), *row); err != nil {
		t.Fatal(err)
	}
	if err := work(w, first); err != nil {
		t.Fatal(err)
	}
	drain(t, w)
	if n := len(subscriptions(t, w, flow.User)); n != 0 {
		t.Errorf("%d subscriptions", n)
	}
	if _, err := w.Store().Imports.Get(bg, flow.User, im.ID()); !fault.Is(err, fault.NotFound) {
		t.Errorf("its import: %v", err)
	}
}

// A file that is gone ends the import, and says so.
func TestImportWithoutItsFile(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	im, err := sequential(w).StartImport(bg, flow.User, list(w, 60))
	if err != nil {
		t.Fatal(err)
	}
	if err := blob.New(w.Blobs).Delete(bg, store.ImportBlobKey(flow.User, im.ID())); err != nil {
		t.Fatal(err)
	}
	drain(t, w)
	if im := importOf(t, w, im.ID()); im.Failed != "import_file_gone" || im.Ended == 0 {
		t.Errorf("%+v", im)
	}
}

// A part that is busy does not delay the import: the first crawls come later.
func TestImportWhileThePartIsBusy(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	im, err := sequential(w).StartImport(bg, flow.User, list(w, 60))
	if err != nil {
		t.Fatal(err)
	}
	release, err := w.Main().Crawler.Hold(bg, "https://any.example/")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		m, _ := take(w)
		for m.Job.Kind != job.Import {
			w.Queue.Again(m, w.Now())
			m, _ = take(w)
		}
		if err := work(w, m); err != nil {
			t.Fatal(err)
		}
	}
	if im := importOf(t, w, im.ID()); im.Ended == 0 {
		t.Error("it waits")
	}
	release()
	drain(t, w)
	whole(t, w, im.ID(), 60)
}
