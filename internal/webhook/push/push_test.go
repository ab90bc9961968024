package push

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/watch"
)

var notifies = store.SubscriptionRow{Notify: true}

// One item is told with its feed and opens; several are one notification, in the language of each device, that opens
// their list. What was read meanwhile is not told, and between two notifications is a while. R-89
func TestFolded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.Feed(notifies), w.Feed(notifies)
	other := w.Feed(store.SubscriptionRow{})
	w.device(1, "en")
	w.device(2, "ja")
	w.news(other, "not chosen")
	w.news(a, "one")
	w.want(1, "at once")
	w.pass(3 * time.Minute)
	f, err := w.Store.Feeds.Get(t.Context(), a, true)
	w.ok(err)
	id := reader.NewItemID(reader.Minute(f.Stamp), a, 2)
	w.want(1, "one item", fmt.Sprintf("Feed 1: one -> /feed/%s/i/%s", a, id))
	w.want(2, "one item", fmt.Sprintf("Feed 1: one -> /feed/%s/i/%s", a, id))

	w.news(a, "two", "three")
	w.pass(10 * time.Minute)
	w.want(1, "soon after another one")
	w.news(b, "four", "five")
	w.pass(gap)
	w.want(1, "several feeds", "4 new articles from 2 feeds: five | four | three -> /all?f=unread")
	w.want(2, "in Japanese", "2件のフィードに新着記事4件: five | four | three -> /all?f=unread")

	w.news(b, "six", "seven")
	w.pass(gap)
	w.want(1, "several of a feed",
		fmt.Sprintf("2 new articles: Feed 2: seven | six -> /feed/%s?f=unread", b))

	w.news(b, "read meanwhile")
	own, err := w.Store.Subscriptions.Get(t.Context(), user, b)
	w.ok(err)
	next := *own
	next.Upto = 6
	_, err = w.Store.Subscriptions.Change(t.Context(), user, own, &next)
	w.ok(err)
	w.took(2)
	w.pass(gap)
	w.want(1, "read")
	w.pass(2 * gap)
	w.want(2, "nothing new")
}

// A user without devices costs nothing: not a row, not a message, and not a read more than without the package.
func TestNothingWithoutDevices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.Feed(notifies)
	f := w.Commit(a, store.Header{Title: "x"})
	if n := w.Work(w.hooks.Work); f.Hooked || n > 0 {
		t.Errorf("the feed is marked (%v), or there are messages (%d)", f.Hooked, n)
	}
	w.device(1, "en")
	interval := int32(720)
	_, err := w.Subscriptions.Set(t.Context(), user, a, subscribe.Settings{Interval: &interval})
	w.ok(err)
	if f, _ := w.Store.Feeds.Get(t.Context(), a, true); !f.Hooked || f.Asked != 720 {
		t.Errorf("the feed is not marked (%v), or not for the new interval", f.Hooked)
	}
	list, err := w.Store.Notices.Devices(t.Context(), user)
	w.ok(err)
	w.ok(w.s.Remove(t.Context(), user, list[0].ID()))
	w.work()
	w.pass(2 * time.Minute)
	if f, _ := w.Store.Feeds.Get(t.Context(), a, true); f.Hooked {
		t.Error("the feed is still marked after the last device was removed")
	}
	w.news(a, "y")
	w.pass(gap)
	w.want(1, "removed")
}

// Folders with those below them, and saved searches, are chosen as well; a muted feed only by itself.
func TestPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.Store.Trees.Change(t.Context(), user, func(x *library.Tree) error {
		x.Ensure([]string{"News", "Daily"})
		return nil
	})
	w.ok(err)
	lib := w.Store.Library(nil, w.hooks)
	_, search, err := lib.AddSearch(t.Context(), user, library.Search{Name: "Go", Query: "golang"})
	w.ok(err)
	inside := w.Feed(store.SubscriptionRow{Folders: []reader.FolderID{2}})
	muted := w.Feed(store.SubscriptionRow{Folders: []reader.FolderID{2}, Mute: true})
	outside := w.Feed(store.SubscriptionRow{})
	w.device(1, "en")
	w.ok(w.s.Change(t.Context(), user, Change{Folders: &[]reader.FolderID{1, 99},
		Searches: &[]reader.SearchID{search, 77}}))
	w.news(muted, "golang in a muted feed")
	w.news(outside, "something else")
	w.pass(gap)
	w.want(1, "neither")
	w.news(inside, "in the folder")
	w.news(outside, "something", "about golang")
	w.pass(gap)
	w.want(1, "both", "2 new articles from 2 feeds: about golang | in the folder -> /all?f=unread")
}

// A watch with a wanted price tells when it is reached, and nothing else; another one tells everything.
func TestWatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wanted, other := w.Feed(notifies), w.Feed(notifies)
	for id, price := range map[reader.FeedID]int64{wanted: 3000, other: 0} {
		_, err := w.Store.Feeds.Modify(t.Context(), id, func(row *store.FeedRow) { row.Kind = "watch" })
		w.ok(err)
		row, err := store.NewWatch(id, user, &watch.Settings{Name: "lens", Wanted: price}, w.Clock.Now())
		w.ok(err)
		w.ok(w.Store.Watches.PutSettings(t.Context(), row))
	}
	w.device(1, "en")
	offer := func(title string, kind watch.EventKind) store.Header {
		return store.Header{Title: title, Offer: &store.Offer{Event: string(kind), Price: 2900}}
	}
	w.Commit(wanted, offer("new", watch.New), offer("reached", watch.Reached))
	w.work()
	w.Commit(other, offer("dropped", watch.Dropped))
	w.work()
	w.pass(gap)
	w.want(1, "watches", "2 new articles from 2 feeds: dropped | reached -> /all?f=unread")
}

// What a rule hides or marks as read is not told, however much waits to be judged, and judging here writes nothing.
func TestRulesFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.Feed(notifies)
	rule := func(word string, do rules.Verb) rules.Rule {
		return rules.Rule{ID: word, Since: 1,
			Conditions: []rules.Condition{{Field: rules.Title, Mode: rules.AnyWord, Words: []string{word}}},
			Actions:    []rules.Action{{Do: do}}}
	}
	w.ok(w.s.Streams.SetRules(t.Context(), user,
		[]rules.Rule{rule("advert", rules.Hide), rule("minor", rules.MarkRead)}, 0))
	w.device(1, "en")
	for i := range 70 { // more deltas than one look judges
		w.Commit(a, store.Header{Title: fmt.Sprint("advert ", i)})
	}
	w.news(a, "advert", "minor", "wanted")
	own, err := w.Store.Subscriptions.Get(t.Context(), user, a)
	w.ok(err)
	w.pass(gap)
	if got := w.took(1); len(got) != 1 || !strings.HasPrefix(got[0], "Feed 1: wanted -> ") {
		t.Errorf("shown %q", got)
	}
	if now, err := w.Store.Subscriptions.Get(t.Context(), user, a); err != nil || now.Rev != own.Rev ||
		now.Ruled != own.Ruled {
		t.Errorf("judging has written the subscription: %v", err)
	}
	w.news(a, "advert 71")
	w.pass(gap)
	w.want(1, "all hidden")
}

// Quiet hours end at the reader's time of day, over midnight and over a change of the clocks; what arrived in them is
// told at their end, once.
func TestQuietHours(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		x, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, c := range []struct {
		zone, from, to string
		at, want       string
	}{
		{"Asia/Tokyo", "22:00", "07:00", "2026-11-21T13:30:00Z", "2026-11-21T22:00:00Z"}, // 22:30 until 7:00
		{"Asia/Tokyo", "22:00", "07:00", "2026-11-21T21:59:59Z", "2026-11-21T22:00:00Z"},
		{"Asia/Tokyo", "22:00", "07:00", "2026-11-21T22:00:00Z", "2026-11-21T22:00:00Z"},
		{"Asia/Tokyo", "22:00", "07:00", "2026-11-21T12:59:00Z", "2026-11-21T12:59:00Z"},
		{"UTC", "12:00", "13:30", "2026-11-21T12:10:00Z", "2026-11-21T13:30:00Z"},
		{"UTC", "12:00", "12:00", "2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z"}, // none
		// The night on which the clocks go forward has 8 hours, that on which they go back has 10.
		{"Europe/Berlin", "22:00", "07:00", "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"},
		{"Europe/Berlin", "22:00", "07:00", "2026-10-24T21:00:00Z", "2026-10-25T06:00:00Z"},
		{"No/Where", "00:00", "23:00", "2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z"},
	} {
		minutes := func(text string) int { x, _ := time.Parse("15:04", text); return x.Hour()*60 + x.Minute() }
		row := &store.NoticesRow{Zone: c.zone, QuietFrom: minutes(c.from), QuietTo: minutes(c.to)}
		if got := afterQuiet(row, at(c.at)); !got.Equal(at(c.want)) {
			t.Errorf("%s, %s to %s: %s becomes %s, want %s", c.zone, c.from, c.to, c.at, got.UTC(), c.want)
		}
	}
	w := newWorld(t) // it is 9:00
	a := w.Feed(notifies)
	w.device(1, "en")
	from, to, zone := 9*60, 22*60, "UTC"
	w.ok(w.s.Change(t.Context(), user, Change{Quiet: &Quiet{from, to, zone}}))
	w.news(a, "one")
	w.pass(2 * time.Hour)
	w.news(a, "two")
	w.pass(10 * time.Hour)
	w.want(1, "in quiet hours")
	w.pass(time.Hour)
	w.want(1, "after them", fmt.Sprintf("2 new articles: Feed 1: two | one -> /feed/%s?f=unread", a))
}

// A device that is gone is forgotten; a busy push service is asked again, some times, when it says; a refusal is shown
// and ends the device after a week; another device is told all the while.
func TestPushServicesThatFail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.Feed(notifies)
	for n := 1; n <= 4; n++ {
		w.device(n, "en")
	}
	w.answer(1, 410, "")
	w.answer(2, 503, "")
	w.answer(3, 403, "")
	w.news(a, "one")
	w.pass(5 * time.Minute)
	if got := w.took(4); len(got) != 1 {
		t.Errorf("the device that works has shown %q", got)
	}
	w.pass(time.Hour)
	if w.asked["/1"] != 1 || w.asked["/2"] != 1+len(delays) || w.asked["/3"] != 1 || w.asked["/4"] != 1 {
		t.Errorf("requests: %v", w.asked)
	}
	list, err := w.Store.Notices.Devices(t.Context(), user)
	w.ok(err)
	failing := 0
	for _, d := range list {
		if d.Failing > 0 {
			failing++
		}
	}
	if len(list) != 3 || failing != 2 {
		t.Errorf("%d devices, %d of them failing", len(list), failing)
	}
	// Retry-After is kept to, and once the service is back the message arrives.
	w.answer(2, 429, "1800")
	w.news(a, "two")
	w.pass(3 * time.Minute)
	before := w.asked["/2"]
	w.pass(20 * time.Minute)
	if w.asked["/2"] != before {
		t.Error("asked again before it was time")
	}
	w.answer(2, 201, "")
	w.pass(20 * time.Minute)
	if got := w.took(2); len(got) != 1 || !strings.Contains(got[0], "two") {
		t.Errorf("after the wait it has shown %q", got)
	}
	// A session that ends takes its device along; so does a week of refusals.
	w.ok(w.Store.Accounts.EndSession(t.Context(), user, "s4"))
	w.Clock.Add(removedAfter)
	w.news(a, "three")
	w.pass(gap)
	list, err = w.Store.Notices.Devices(t.Context(), user)
	w.ok(err)
	if len(list) != 1 || !strings.HasSuffix(list[0].Endpoint, "/2") {
		t.Errorf("devices: %+v", list)
	}
}

// A turn that a crash has cut short is repeated under the same tag, and items that arrive meanwhile are told later.
func TestTurnAfterCrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.Feed(notifies)
	w.device(1, "en")
	w.news(a, "one")
	row, err := w.Store.Notices.Get(t.Context(), user)
	w.ok(err)
	turn := job.Job{Kind: job.Notice, User: user, Due: row.Due}
	w.pass(3 * time.Minute)
	if len(w.took(1)) != 1 {
		t.Fatal("not told")
	}
	w.ok(w.s.Work(t.Context(), turn))
	if got := w.took(1); len(got) != 1 || !strings.Contains(got[0], "Feed 1: one") {
		t.Errorf("the repeated message has shown %q", got)
	}
	w.news(a, "two")
	w.pass(gap)
	if got := w.took(1); len(got) != 1 || !strings.Contains(got[0], "Feed 1: two") {
		t.Errorf("then %q", got)
	}
	w.ok(w.s.Work(t.Context(), turn)) // far too late
	w.want(1, "an old message")
}

// A plan whose message is lost, as after a crash between row and message, holds nothing up for longer than an hour: the
// next news plan anew, and what was lost is told with them.
func TestLostTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.Feed(notifies)
	w.device(1, "en")
	w.news(a, "one")
	w.Clock.Add(foldFor)
	lost, err := w.Queue.Receive(t.Context(), 10, 0)
	w.ok(err)
	for _, d := range lost {
		w.ok(w.Queue.Ack(t.Context(), d))
	}
	w.news(a, "two")
	w.pass(lostAfter - 10*time.Minute)
	w.want(1, "while the first is waited for")
	w.pass(10 * time.Minute)
	w.news(a, "three")
	w.pass(gap)
	w.want(1, "after an hour", fmt.Sprintf("3 new articles: Feed 1: three | two | one -> /feed/%s?f=unread", a))
	if len(lost) != 1 {
		t.Errorf("%d messages were lost", len(lost))
	}
}

// With news all day long, a day costs at most 90 write units. Item 3 of the limits.
func TestWritesOfADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.Feed(notifies)
	w.device(1, "en")
	w.device(2, "en")
	units := 0.0
	for i := range 4 * 24 {
		w.Commit(a, store.Header{Title: fmt.Sprint(i)})
		before := w.Meter.Snapshot().TotalWrites()
		w.work()
		w.pass(14 * time.Minute)
		units += w.Meter.Snapshot().TotalWrites() - before
	}
	t.Logf("%.0f write units, %d notifications", units, len(w.took(1)))
	if units > 90 {
		t.Errorf("%.0f write units", units)
	}
}

func TestRegisterRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.device(1, "en")
	list, err := w.Store.Notices.Devices(t.Context(), user)
	w.ok(err)
	good := Device{Endpoint: list[0].Endpoint, Public: list[0].Public, Auth: list[0].Auth}
	for name, spoil := range map[string]func(*Device){
		"plain http":            func(d *Device) { d.Endpoint = "http://push.example/1" },
		"a private address":     func(d *Device) { d.Endpoint = "https://10.0.0.1/x" },
		"no address":            func(d *Device) { d.Endpoint = "https://" },
		"a long address":        func(d *Device) { d.Endpoint += strings.Repeat("x", maxEndpoint) },
		"a point off the curve": func(d *Device) { d.Public = make([]byte, 65) },
		"a short secret":        func(d *Device) { d.Auth = d.Auth[:15] },
	} {
		d := good
		spoil(&d)
		if _, err := w.s.Register(t.Context(), user, d); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good.Session, good.Language = list[0].Session, list[0].Language
	before := w.Meter.Written()
	if d, err := w.s.Register(t.Context(), user, good); err != nil || d.ID() != list[0].ID() ||
		w.Meter.Written() != before {
		t.Errorf("renewing what is the same: %v, %d writes", err, w.Meter.Written()-before)
	}
	for n := 2; n <= MaxDevices; n++ {
		w.device(n, "en")
	}
	good.Endpoint += "0000"
	if _, err := w.s.Register(t.Context(), user, good); !fault.Is(err, fault.Conflict) {
		t.Errorf("one too many: %v", err)
	}
	day, zone := 24*60, "Mars/Olympus"
	for _, c := range []Change{{Quiet: &Quiet{From: day}}, {Quiet: &Quiet{Zone: zone}}} {
		if err := w.s.Change(t.Context(), user, c); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A message fits into what push services take, whatever publishers write.
func TestLongTitles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.Feed(store.SubscriptionRow{Notify: true, Title: strings.Repeat("題", 500)})
	w.device(1, "ja")
	w.news(a, strings.Repeat("\"<\x01", 900), strings.Repeat("長", 900), strings.Repeat("😀", 900))
	w.pass(gap)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.shown["/1"]) != 1 {
		t.Fatalf("shown %d", len(w.shown["/1"]))
	}
	if b, err := json.Marshal(w.shown["/1"][0]); err != nil || len(b) > maxMessage {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}
