package subscribe_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

var bg = context.Background()

func service(w *flow.Env) *subscribe.Service { return w.Main().Subscribe }

// page makes a web page that names feeds.
func page(w *flow.Env, url string, feeds ...string) *flow.Site {
	s := w.Web.Site(url, 1)
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>A site</title>")
	for _, f := range feeds {
		fmt.Fprintf(&b, `<link rel="alternate" type="application/rss+xml" title="Feed" href="%s">`, f)
	}
	b.WriteString("</head><body><p>Hello.</p></body></html>")
	s.Body, s.ContentType = func() string { return b.String() }, "text/html"
	return s
}

func subscriptions(t *testing.T, w *flow.Env, u reader.UserID) map[reader.FeedID]*store.SubscriptionRow {
	t.Helper()
	out := map[reader.FeedID]*store.SubscriptionRow{}
	err := w.Store().Subscriptions.Each(bg, u, func(r *store.SubscriptionRow) error {
		out[r.Feed()] = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// folderOf names the one folder of a subscription.
func folderOf(t *testing.T, w *flow.Env, u reader.UserID, row *store.SubscriptionRow) string {
	t.Helper()
	tree, err := w.Store().Trees.Get(bg, u)
	if err != nil || len(row.Folders) != 1 {
		t.Fatalf("folders %v, %v", row.Folders, err)
	}
	return strings.Join(tree.Path(row.Folders[0]), "/")
}

func user(t *testing.T, w *flow.Env, u reader.UserID) reader.UserID {
	t.Helper()
	if err := w.Store().Accounts.Create(bg, u, store.Account{Email: string(u) + "@example.org"}); err != nil {
		t.Fatal(err)
	}
	return u
}

// Discovery and first crawl are one request, and the newest twenty items are unread.
func TestAddFeed(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	s := w.Web.Site("https://site.example/feed", 50)
	f, made, err := service(w).Add(bg, flow.User, " SITE.example/feed#top ",
		subscribe.Options{Folder: []string{"A", "B"}, Interval: 30})
	if err != nil || !made {
		t.Fatalf("made %v, %v", made, err)
	}
	if f.URL != s.URL || f.Seq != 50 || f.Subs != 1 || f.Asked != 30 || !f.Explicit ||
		f.Status != string(reader.StatusActive) {
		t.Errorf("the feed: %+v", f)
	}
	if len(s.Visits) != 1 || s.Visits[0].Subscribers != 1 {
		t.Errorf("visits %+v", s.Visits)
	}
	row := subscriptions(t, w, flow.User)[f.ID()]
	if row == nil || row.Upto != 30 || folderOf(t, w, flow.User, row) != "A/B" || row.Interval != 30 {
		t.Errorf("the subscription: %+v", row)
	}
	if again, made, err := service(w).Add(bg, flow.User, s.URL, subscribe.Options{}); err != nil || made ||
		again.ID() != f.ID() || len(s.Visits) != 1 {
		t.Errorf("adding it again: made %v, %v, %d visits", made, err, len(s.Visits))
	}
	if row := w.Feed(f.ID()); row.Asked != 30 || !row.Explicit {
		t.Errorf("adding it again has changed the interval: %d", row.Asked)
	}
}

func TestAddSite(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	feed := w.Web.Site("https://site.example/atom.xml", 3)
	site := page(w, "https://site.example/", "/gone.xml", "/atom.xml")
	f, made, err := service(w).Add(bg, flow.User, "site.example", subscribe.Options{})
	if err != nil || !made || f.URL != feed.URL || f.Seq != 3 {
		t.Fatalf("made %v, %+v, %v", made, f, err)
	}
	if len(feed.Visits) != 1 || len(site.Visits) != 1 {
		t.Errorf("%d visits of the feed, %d of the page", len(feed.Visits), len(site.Visits))
	}
	// A second reader of the site: the page is asked, the feed is known.
	u2 := user(t, w, "u2")
	if f, made, err := service(w).Add(bg, u2, "https://site.example/", subscribe.Options{}); err != nil || !made ||
		f.URL != feed.URL || len(feed.Visits) != 1 {
		t.Errorf("the second reader: made %v, %v, %d visits of the feed", made, err, len(feed.Visits))
	}
	if n := w.Feed(f.ID()).Subs; n != 2 {
		t.Errorf("%d subscribers", n)
	}
}

// G-12
func TestAddWithoutFeed(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	page(w, "https://bare.example/")
	page(w, "https://broken.example/", "/gone.xml")
	page(w, "https://lies.example/", "/other")
	page(w, "https://lies.example/other")
	w.Web.Site("https://refuses.example/", 1).Answer = func(flow.Visit) (int, time.Duration, error) {
		return 403, 0, nil
	}
	for address, tried := range map[string]int{"https://bare.example/": 1, "https://broken.example/": 2,
		"https://lies.example/": 2} {
		_, _, err := service(w).Add(bg, flow.User, address, subscribe.Options{})
		var none *subscribe.NoFeedError
		if !errors.As(err, &none) || len(none.Tried) != tried || none.Code != "no_feed_found" {
			t.Errorf("%s: %v (%+v)", address, err, none)
		}
	}
	var he *subscribe.HTTPError
	if _, _, err := service(w).Add(bg, flow.User, "https://refuses.example/", subscribe.Options{}); !errors.As(err,
		&he) || he.Code != reader.CodeHTTP403 {
		t.Errorf("a site that refuses: %v", err)
	}
	for _, address := range []string{"", "ftp://example.org/", "https://", "javascript:alert(1)",
		strings.Repeat("x", 3000)} {
		if _, _, err := service(w).Add(bg, flow.User, address, subscribe.Options{}); !fault.Is(err, fault.Invalid) ||
			fault.CodeOf(err) != "bad_url" {
			t.Errorf("%.30q: %v", address, err)
		}
	}
	if n := len(subscriptions(t, w, flow.User)); n != 0 {
		t.Errorf("%d subscriptions were made of nothing", n)
	}
}

func TestAddTakesThePermanentAddress(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	s := w.Web.Site("https://new.example/feed", 3)
	w.Web.Site("http://old.example/feed", 1).Permanent = s.URL
	f := w.Add("http://old.example/feed", subscribe.Options{})
	if f.URL != s.URL || f.MovedTo != "" || f.Seq != 3 {
		t.Errorf("the feed: %s, %q", f.URL, f.MovedTo)
	}
	if again := w.Add(s.URL, subscribe.Options{}); again.ID() != f.ID() || len(s.Visits) != 1 {
		t.Errorf("the address itself is feed %d, %d visits", again.ID(), len(s.Visits))
	}
}

// TestCapAtOnce: of many that are made at the same moment none passes the cap, and who is refused leaves nothing.
// (C-13)
func TestCapAtOnce(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	u := user(t, w, "u2")
	var feeds []*store.FeedRow
	for i := range 8 {
		feeds = append(feeds, w.Add(w.Web.Site(fmt.Sprintf("https://site%d.example/feed", i), 3).URL,
			subscribe.Options{}))
	}
	s := service(w)
	s.OwnerCap, s.UserCap = 8, 3
	var wait sync.WaitGroup
	begin := make(chan struct{})
	for _, f := range feeds {
		row := *f
		wait.Go(func() {
			<-begin
			if _, err := s.Attach(bg, u, &row, subscribe.Options{}); err != nil &&
				fault.CodeOf(err) != "subscription_limit" {
				t.Error(err)
			}
		})
	}
	close(begin)
	wait.Wait()
	mine := subscriptions(t, w, u)
	if len(mine) > 3 {
		t.Errorf("%d subscriptions", len(mine))
	}
	for _, f := range feeds {
		want := int32(1)
		if mine[f.ID()] != nil {
			want++
		}
		if n := w.Feed(f.ID()).Subs; n != want {
			t.Errorf("feed %d has %d subscribers, want %d", f.ID(), n, want)
		}
	}
}

// R-77, G-13
func TestCap(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	u := user(t, w, "u2")
	for i := range subscribe.UserCap {
		if err := w.Store().Subscriptions.Add(bg, u, reader.FeedID(1000+i), store.SubscriptionRow{Since: 1}); err !=
			nil {
			t.Fatal(err)
		}
	}
	s := w.Web.Site("https://one.example/feed", 3)
	f := w.Add(s.URL, subscribe.Options{})
	over := w.Web.Site("https://two.example/feed", 3)
	for _, address := range []string{s.URL, over.URL} {
		if _, made, err := service(w).Add(bg, u, address, subscribe.Options{}); made ||
			fault.CodeOf(err) != "subscription_limit" {
			t.Errorf("%s over the cap: made %v, %v", address, made, err)
		}
	}
	if len(over.Visits) != 0 {
		t.Error("requests are made for a user at the cap")
	}
	if n := w.Feed(f.ID()).Subs; n != 1 {
		t.Errorf("%d subscribers", n)
	}
	// Adding a feed that the user has already succeeds at the cap too.
	if err := service(w).Leave(bg, u, 1000); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if made, err := service(w).Attach(bg, u, w.Feed(f.ID()), subscribe.Options{}); made != want || err != nil {
			t.Errorf("attach: made %v, want %v, %v", made, want, err)
		}
	}
}

// With its last subscriber a feed is polled no more, and with the next again, conditionally.
// G-41
func TestLeave(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	s := w.Web.Site("https://site.example/feed", 3)
	f := w.Add(s.URL, subscribe.Options{})
	turns := func(n int) int {
		before := len(s.Visits)
		for range n {
			w.To(w.Tick()+1, time.Second)
			w.Turn()
		}
		return len(s.Visits) - before
	}
	if turns(12) == 0 {
		t.Fatal("never polled")
	}
	if err := service(w).Leave(bg, flow.User, f.ID()); err != nil {
		t.Fatal(err)
	}
	if n := turns(200); n != 0 {
		t.Errorf("polled %d times for nobody", n)
	}
	if row := w.Feed(f.ID()); row.Subs != 0 || row.Seq != 3 {
		t.Errorf("the feed: %d subscribers, seq %d", row.Subs, row.Seq)
	}
	if err := service(w).Leave(bg, flow.User, f.ID()); !fault.Is(err, fault.NotFound) {
		t.Errorf("leaving twice: %v", err)
	}
	w.Add(s.URL, subscribe.Options{})
	if turns(12) == 0 || s.Visits[len(s.Visits)-1].Unconditional {
		t.Error("not polled for the next subscriber, or not conditionally")
	}
}

// A crash at any step of adding or leaving is repaired by repeating it: no subscriber has a feed that is not polled,
// and no feed without subscribers is polled.
func TestCrashesOfAddAndLeaveHeal(t *testing.T) {
	t.Parallel()
	for step := range 40 {
		w := flow.New(t, uint64(step), 1)
		s := w.Web.Site("https://site.example/feed", 3)
		die := func(do func() error) (err error) {
			n, p := 0, w.Main()
			p.Before(func() {
				if n++; n > step {
					p.Kill()
				}
			})
			err = do()
			w.Restart()
			w.Advance(3 * time.Minute) // leases of the dead lapse
			return err
		}
		err := die(func() error {
			_, _, err := service(w).Add(bg, flow.User, s.URL, subscribe.Options{})
			return err
		})
		if err != nil {
			w.Add(s.URL, subscribe.Options{})
		}
		id := reader.FeedID(0)
		for id = range subscriptions(t, w, flow.User) {
		}
		if f := w.Feed(id); f.Subs != 1 || !f.Live() {
			t.Errorf("step %d: after adding: %+v", step, f)
		}
		err = die(func() error { return service(w).Leave(bg, flow.User, id) })
		if err != nil {
			if err := service(w).Leave(bg, flow.User, id); err != nil && !fault.Is(err, fault.NotFound) {
				t.Errorf("step %d: leaving again: %v", step, err)
			}
		}
		subs, err := w.Store().Subscriptions.Subscribers(bg, id)
		if err != nil || len(subs) != 0 || len(subscriptions(t, w, flow.User)) != 0 {
			t.Errorf("step %d: %d subscribers are left, %v", step, len(subs), err)
		}
		if f := w.Feed(id); f.Subs != 0 || f.Live() {
			t.Errorf("step %d: a feed that all have left is polled for %d", step, f.Subs)
		}
	}
}

// What the feed row says of its subscribers follows their rows, whoever's row is stale.
func TestDerive(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	f := w.Add(w.Web.Site("https://site.example/feed", 3).URL, subscribe.Options{})
	want := func(subs, asked int32, explicit bool, why string) {
		t.Helper()
		if row := w.Feed(f.ID()); row.Subs != subs || row.Asked != asked || row.Explicit != explicit {
			t.Errorf("%s: %d subscribers ask for %d (%v), want %d, %d, %v", why, row.Subs, row.Asked, row.Explicit,
				subs, asked, explicit)
		}
	}
	attach := func(u reader.UserID, minutes int32) {
		t.Helper()
		// The row as it was at the beginning: as stale as can be.
		if _, err := service(w).Attach(bg, user(t, w, u), f, subscribe.Options{Interval: minutes}); err != nil {
			t.Fatal(err)
		}
	}
	want(1, 60, false, "one with the default")
	attach("u2", 240)
	want(2, 60, false, "the default is smaller than 240")
	attach("u3", 30)
	want(3, 30, true, "a subscriber chose 30")
	for _, u := range []reader.UserID{"u3", flow.User} {
		if err := service(w).Leave(bg, u, f.ID()); err != nil {
			t.Fatal(err)
		}
	}
	want(1, 240, true, "only 240 is left")
	stale := w.Feed(f.ID()) // says one subscriber
	if err := service(w).Leave(bg, "u2", f.ID()); err != nil {
		t.Fatal(err)
	}
	want(0, 60, false, "no subscribers")
	// One subscriber in the stale row, one in the list: equal numbers, and the row says none.
	if _, err := service(w).Attach(bg, user(t, w, "u4"), stale, subscribe.Options{Interval: 240}); err != nil {
		t.Fatal(err)
	}
	want(1, 240, true, "one who came while another left")
}

func outline(url, title string, path ...string) opml.Feed {
	return opml.Feed{XMLURL: url, Title: title, Path: path}
}

//
func TestImport(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 4)
	had := w.Add(w.Web.Site("https://had.example/feed", 3).URL, subscribe.Options{})
	var doc opml.Document
	for i := range 12 {
		s := w.Web.Site(fmt.Sprintf("https://host%d.example/feed", i), 4)
		doc.Feeds = append(doc.Feeds, outline(s.URL, fmt.Sprint("Feed ", i), "Folder"))
	}
	doc.Feeds = append(doc.Feeds, outline(had.URL, "Had"), outline("HTTPS://host3.example/feed", "Again"),
		outline("https://", "Nothing"))
	doc.Problems = []opml.Problem{{URL: "file:///x", Title: "A file", Code: opml.BadAddress}}
	out, err := service(w).Import(bg, flow.User, doc)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Feeds) != 12 || out.AlreadySubscribed != 2 || len(out.Failed) != 2 {
		t.Fatalf("%d imported, %d had, failed %+v", len(out.Feeds), out.AlreadySubscribed, out.Failed)
	}
	for _, f := range out.Failed {
		if f.Code != "bad_address" && f.Code != "bad_url" || f.Title == "" {
			t.Errorf("a failure without reason: %+v", f)
		}
	}
	feeds := map[reader.FeedID]bool{}
	for _, m := range w.Queue.Waiting() {
		for _, id := range m.Job.Feeds {
			if m.Job.Kind != job.First || job.PartOf(w.Feed(id).URL, 4) != m.Job.Part || feeds[id] {
				t.Errorf("message %+v", m.Job)
			}
			feeds[id] = true
		}
		if _, err := w.Run(m.Job); err != nil {
			t.Fatal(err)
		}
	}
	if len(feeds) != 12 {
		t.Errorf("first crawls of %d feeds were sent", len(feeds))
	}
	for _, f := range out.Feeds {
		if row := w.Feed(f.ID()); row.Seq != 4 || row.Status != string(reader.StatusActive) {
			t.Errorf("%s: seq %d, %s", row.URL, row.Seq, row.Status)
		}
	}
	// Once more: nothing is new, nothing is asked for.
	w.Queue.Clear()
	if out, err = service(w).Import(bg, flow.User, doc); err != nil || len(out.Feeds) != 0 ||
		out.AlreadySubscribed != 14 || len(w.Queue.Waiting()) != 0 {
		t.Errorf("the same again: %d imported, %d had, %v", len(out.Feeds), out.AlreadySubscribed, err)
	}
}

// A folder whose name is too long is not cut: the entry fails, with its reason, and the others come in.
func TestImportRefusesLongFolders(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	long := strings.Repeat("長", 121)
	also := outline(w.Web.Site("https://also.example/feed", 1).URL, "Also", "A")
	also.Also = [][]string{{"A", long}}
	doc := opml.Document{Feeds: []opml.Feed{
		outline(w.Web.Site("https://long.example/feed", 1).URL, "Long", "A", long), also,
		outline(w.Web.Site("https://good.example/feed", 1).URL, "Good", "A", long[:3*120]),
	}}
	out, err := service(w).Import(bg, flow.User, doc)
	if err != nil || len(out.Feeds) != 1 || len(out.Failed) != 2 || out.Failed[0].Code != "bad_name" ||
		out.Failed[1].Code != "bad_name" {
		t.Fatalf("%+v, %v", out, err)
	}
	tree, err := w.Store().Trees.Get(bg, flow.User)
	if err != nil || len(tree.Folders) != 2 || tree.Folders[1].Name != long[:3*120] {
		t.Errorf("%+v, %v", tree, err)
	}
	_, _, err = service(w).Add(bg, flow.User, "https://long.example/feed", subscribe.Options{Folder: []string{long}})
	if fault.CodeOf(err) != "bad_name" {
		t.Errorf("one feed: %v", err)
	}
}

// Duplicates do not count against the cap, and what exceeds it is reported, also for feeds that others have.
// C-13
func TestImportAtTheCap(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	u := user(t, w, "u2")
	for i := range subscribe.UserCap - 3 {
		if err := w.Store().Subscriptions.Add(bg, u, reader.FeedID(1000+i), store.SubscriptionRow{Since: 1}); err !=
			nil {
			t.Fatal(err)
		}
	}
	known := w.Add(w.Web.Site("https://known.example/feed", 3).URL, subscribe.Options{})
	var doc opml.Document
	for i := range 5 {
		url := fmt.Sprintf("https://host%d.example/feed", i)
		doc.Feeds = append(doc.Feeds, outline(url, ""), outline(strings.ToUpper(url[:8])+url[8:], "the same"))
	}
	doc.Feeds = append(doc.Feeds, outline(known.URL, "Known to others"))
	out, err := service(w).Import(bg, u, doc)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Feeds) != 3 || out.AlreadySubscribed != 5 || len(out.Failed) != 3 {
		t.Errorf("%d imported, %d had, %d failed", len(out.Feeds), out.AlreadySubscribed, len(out.Failed))
	}
	if n := len(subscriptions(t, w, u)); n != subscribe.UserCap {
		t.Errorf("%d subscriptions", n)
	}
	for _, f := range out.Failed {
		if f.Code != "subscription_limit" {
			t.Errorf("failed: %+v", f)
		}
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	for i, o := range []subscribe.Options{{Folder: []string{"B"}}, {}, {Folder: []string{"A", "Deep"}, Title: "Mine"},
		{Title: "Zebra"}} {
		w.Add(w.Web.Site(fmt.Sprintf("https://host%d.example/feed", i), 1).URL, o)
	}
	feeds, err := service(w).Export(bg, flow.User)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range feeds {
		got = append(got, strings.Join(f.Path, "/")+"|"+f.Title+"|"+f.XMLURL)
	}
	want := []string{
		"|Feed of host1.example|https://host1.example/feed", "|Zebra|https://host3.example/feed",
		"A/Deep|Mine|https://host2.example/feed", "B|Feed of host0.example|https://host0.example/feed",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("exported %v\nwant     %v", got, want)
	}
}

// A merge whose process dies at any step is complete after the next that goes through.
func TestMergeSurvivesEveryCrash(t *testing.T) {
	t.Parallel()
	for step := range 60 {
		w := flow.New(t, uint64(step), 1)
		a := w.Add(w.Web.Site("https://a.example/feed", 4).URL, subscribe.Options{Title: "Mine"})
		b := w.Add(w.Web.Site("https://b.example/feed", 4).URL, subscribe.Options{})
		u2 := user(t, w, "u2")
		if _, err := service(w).Attach(bg, u2, w.Feed(a.ID()), subscribe.Options{Interval: 30}); err != nil {
			t.Fatal(err)
		}
		n, p := 0, w.Main()
		p.Before(func() {
			if n++; n > step {
				p.Kill()
			}
		})
		row := w.Feed(a.ID())
		_ = p.Subscribe.MoveFeed(bg, row, b.URL)
		died := p.Dead()
		w.Restart()
		for range 2 { // the next runs continue it; where it had not started, the redirect is still there
			w.To(w.Tick()+1, time.Second)
			w.Turn()
		}
		if old := w.Feed(a.ID()); old.MergedInto == 0 {
			if err := service(w).MoveFeed(bg, old, b.URL); err != nil {
				t.Fatal(err)
			}
		}
		old, into := w.Feed(a.ID()), w.Feed(b.ID())
		if old.MergedInto != uint32(b.ID()) || old.Subs != 0 || into.Subs != 2 || into.Asked != 30 {
			t.Errorf("step %d: old %d into %d with %d, target %d asking %d", step, old.ID(), old.MergedInto, old.Subs,
				into.Subs, into.Asked)
		}
		for _, u := range []reader.UserID{flow.User, u2} {
			if subs := subscriptions(t, w, u); len(subs) != 1 || subs[b.ID()] == nil {
				t.Errorf("step %d: %s has %v", step, u, subs)
			}
		}
		if !died {
			return
		}
	}
	t.Error("the merge never came to its end")
}

// A stopped feed that is resumed is asked again, but not before its gap is over.
// G-31
func TestResumeKeepsTheGap(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	s := w.Web.Site("https://site.example/feed", 3)
	f := w.Add(s.URL, subscribe.Options{})
	s.Answer = func(flow.Visit) (int, time.Duration, error) { return 404, 0, nil }
	w.To(w.Feed(f.ID()).Turns().NextTurn(w.Tick()), time.Second)
	w.Turn()
	if row := w.Feed(f.ID()); row.Status != string(reader.StatusStopped) {
		t.Fatalf("status %s", row.Status)
	}
	stopped := w.Now()
	s.Answer = nil
	w.Advance(time.Minute)
	row, err := service(w).Resume(bg, f.ID())
	if err != nil || row.Status != string(reader.StatusActive) {
		t.Fatalf("resume: %+v, %v", row, err)
	}
	for range 12 {
		w.To(w.Tick()+1, time.Second)
		w.Turn()
	}
	if len(s.Visits) < 3 {
		t.Fatalf("%d visits", len(s.Visits))
	}
	if gap := s.Visits[2].At.Sub(stopped); gap < time.Hour || gap > 2*time.Hour {
		t.Errorf("asked again after %v", gap)
	}
	if schedule.IntervalOf(w.Feed(f.ID()).Period) < time.Hour {
		t.Error("the period is lost")
	}
}

func TestNormalise(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"example.org":                       "https://example.org/",
		"feed://example.org/x":              "https://example.org/x",
		"feed://user:pw@example.org/x":      "https://user:pw@example.org/x",
		"feed:https://example.org/x":        "https://example.org/x",
		"feed:example.org/x":                "https://example.org/x",
		"FEED:http://Example.ORG/X?a=B#c":   "http://example.org/X?a=B",
		" https://example.org/a b ":         "https://example.org/a%20b",
		"HTTPS://user:Pw@Example.org/x":     "https://user:Pw@example.org/x",
		"example.com:8080/feed":             "https://example.com:8080/feed",
		"example.com:8080":                  "https://example.com:8080/",
		"localhost:8080/feed?a=b":           "https://localhost:8080/feed?a=b",
		"192.0.2.1:8080/feed":               "https://192.0.2.1:8080/feed",
		"[2001:db8::1]:8080/feed":           "https://[2001:db8::1]:8080/feed",
		"example.org/@name":                 "https://example.org/@name",
		"example.org:443/@name":             "https://example.org/@name",
		"http://example.org:80/feed":        "http://example.org/feed",
		"http://example.org:443/feed":       "http://example.org:443/feed",
		"https://bücher.example/f":          "https://xn--bcher-kva.example/f",
		"https://Example.org./f":            "https://example.org/f",
		"https://example.org/f?q=a b&c=é":   "https://example.org/f?q=a%20b&c=%C3%A9",
		"https://example.org/?a=1&amp;b":    "https://example.org/?a=1&b",
		"pcast://example.org/x":             "https://example.org/x",
		"ITPC://example.org/x":              "https://example.org/x",
		"rss://example.org/x":               "https://example.org/x",
		"//example.org/x":                   "https://example.org/x",
		"example.org/a:b":                   "https://example.org/a:b",
		"example.org?u=ftp:x@y":             "https://example.org/?u=ftp:x@y",
		"feed:ȺȺȺȺȺȺȺȺȺȺ.org":               "https://xn--cgjaaaaaaaaa.org/",
		"https://example.org/?u=mailto:a@b": "https://example.org/?u=mailto:a@b",
	} {
		if got, err := subscribe.Normalise(in); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
}

// TestAddressesOfOtherSchemes are refused with a sentence, and never taken for a host with a password.
func TestAddressesOfOtherSchemes(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"mailto:a@example.com", "MailTo:a@example.com", "ftp:a@example.com", "data:a@example.com",
		"javascript:alert(1)@example.com",
		"feed:mailto:a@example.com", "feed:javascript:alert(1)@example.com", "xmpp:a@example.com", "a@example.com",
		"user:pw@example.com/feed",
		"1javascript:alert(1)@example.com", "mailto:a@example.com/://x", "foo:a@example.com/?x=https://b",
		"javascript:alert(1)", "data:text/html,x",
		"ftp://example.com/feed", "ftp:21/feed", "tel:911", "file:///etc/passwd", "mailto:", "http:example.org",
		"https:/example.org", "https://", "https://:80/",
		"about:blank", "view-source:https://example.org/", "blob:https://example.org/x",
		"javascript://example.org/%0aalert(1)", "feed:", "",
	} {
		got, err := subscribe.Normalise(in)
		var fe *fault.Error
		if !errors.As(err, &fe) || fe.Code != "bad_url" {
			t.Errorf("%q is taken as %q, %v", in, got, err)
		}
	}
}

// FuzzNormalise: whatever is typed is refused, or an address of the web with a host, which stays as it is and has a
// password only if one stood behind a scheme.
func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"example.org", "feed://u:p@example.org/x", "mailto:a@example.com",
		"example.com:8080/feed", "javascript:alert(1)@x", "[::1]:80/", "feed:" + strings.Repeat("Ⱥ", 9),
		"//x", "http:x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := subscribe.Normalise(in)
		if err != nil {
			if fault.CodeOf(err) != "bad_url" {
				t.Fatalf("%q: %v", in, err)
			}
			return
		}
		u, err := url.Parse(got)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "" {
			t.Fatalf("%q became %q, %v", in, got, err)
		}
		if before, _, _ := strings.Cut(in, "@"); u.User != nil && !strings.Contains(before, "://") {
			t.Fatalf("%q became %q", in, got)
		}
		if again, err := subscribe.Normalise(got); err != nil || again != got {
			t.Fatalf("%q became %q and then %q, %v", in, got, again, err)
		}
	})
}
