package popular

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/hatena"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// world is an installation in virtual time: feeds get items, ticks and messages come when they are due, and Hatena
// counts bookmarks and checks how it is asked.
type world struct {
	t       *testing.T
	rnd     *rand.Rand
	clk     *clock.Manual
	store   *store.Store
	blobs   *blob.Bucket
	service *Service
	// rows and files count every write, and each may fail once or be the last of its process.
	faults  func() error
	twice   bool // every message comes twice
	refused int  // calls that were not sent
	kill    *killing
	early   bool // messages come before their delay is over
	// workers, where there are several, take turns at random.
	workers []*Service

	messages []message
	feeds    int
	items    []*item
	byURL    map[string]*item // without scheme

	hatena *hatena.Server
	// frozen is when people stop bookmarking; zero: never.
	frozen time.Time
}

type message struct {
	at       time.Time
	body     []byte
	receives *int // shared by what the queue delivers twice
}

// item is an item and the history of its bookmarks.
type item struct {
	feed    reader.FeedID
	seq     reader.Seq
	arrived time.Time
	link    string
	rate    float64 // bookmarks a day, fewer each day
	schemes schemes
}

// schemes is how the addresses of an item that begin with http and https are counted.
type schemes int

const (
	ownCounts   schemes = iota // the other has a third of the item's own
	otherCounts                // the other way round
	merged                     // they are one page, which is answered under https
)

// count is how many bookmarks an address has.
func (w *world) count(address string, now time.Time) int {
	if !w.frozen.IsZero() && now.After(w.frozen) {
		now = w.frozen
	}
	scheme, rest, _ := strings.Cut(address, "://")
	it := w.byURL[rest]
	if it == nil || it.rate == 0 || now.Before(it.arrived) {
		return 0
	}
	n := int(it.rate * (1 - 1/(1+now.Sub(it.arrived).Hours()/24)))
	if isOwn := strings.HasPrefix(it.link, scheme+":"); it.schemes == ownCounts && !isOwn ||
		it.schemes == otherCounts && isOwn {
		n /= 3
	}
	return n
}

// greatest is the count of an item: the greater one of its two addresses.
func (w *world) greatest(address string, now time.Time) int {
	return max(w.count(address, now), w.count(reader.OtherScheme(address), now))
}

// canonical is under which address Hatena answers.
func (w *world) canonical(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	if it := w.byURL[rest]; it != nil && it.schemes == merged {
		return "https://" + rest
	}
	return address
}

func newWorld(t *testing.T, seed uint64) *world {
	clk := clock.NewManual(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	w := &world{t: t, rnd: rand.New(rand.NewPCG(seed, 15)), clk: clk, byURL: map[string]*item{}}
	w.hatena = hatena.New(t, clk, func(address string) int { return w.count(address, clk.Now()) })
	w.hatena.Canonical = w.canonical
	rows, files := memtable.New(), memblob.New()
	w.store = store.New(table.New(faultyTable{rows, w}, table.Options{Clock: clk, Kind: store.Kind}), clk)
	w.blobs = blob.New(files)
	w.restart()
	return w
}

// restart begins a new process.
func (w *world) restart() {
	w.service = New(w.store, w.blobs, w, w.clk, slog.New(slog.DiscardHandler), NewHatena(w), Options{})
}

type faultyTable struct {
	table.Driver
	w *world
}

var errStorage = errors.New("storage is away")

func (f faultyTable) Write(ctx context.Context, op table.WriteOp) (row table.Row, found bool,
	u table.Usage, err error) {
	err = f.w.kill.around(func() error {
		row, found, u, err = f.write(ctx, op)
		return err
	})
	return row, found, u, err
}

func (f faultyTable) write(ctx context.Context, op table.WriteOp) (table.Row, bool, table.Usage, error) {
	if f.w.faults != nil {
		if err := f.w.faults(); err != nil {
			return table.Row{}, false, table.Usage{}, err
		}
	}
	return f.Driver.Write(ctx, op)
}

// Send implements job.Sender.
func (w *world) Send(_ context.Context, bodies [][]byte, delay time.Duration) error {
	return w.kill.around(func() error { return w.send(bodies, delay) })
}

func (w *world) send(bodies [][]byte, delay time.Duration) error {
	if w.early && delay > 0 {
		delay -= time.Duration(w.rnd.Int64N(int64(delay)))
	}
	for _, b := range bodies {
		if len(b) > queue.MaxBody {
			return fault.New(fault.TooLarge, "message_too_large", "test", nil)
		}
		m := message{w.clk.Now().Add(delay), b, new(int)}
		w.messages = append(w.messages, m)
		if w.twice {
			m.at = m.at.Add(time.Duration(w.rnd.IntN(2000)) * time.Second)
			w.messages = append(w.messages, m)
		}
	}
	return nil
}

// Do implements fetch.Fetcher.
func (w *world) Do(ctx context.Context, r fetch.Request) (resp *fetch.Response, err error) {
	if _, err := fetch.CheckURL(r.URL); err != nil { // the guarded client sends no such address
		w.refused++
		return nil, err
	}
	err = w.kill.around(func() error {
		resp, err = w.hatena.Do(ctx, r)
		return err
	})
	return resp, err
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// on switches counts on or off.
func (w *world) on(isOn bool) {
	w.must(w.store.Accounts.SetCounts(bg, isOn))
}

var bg = context.Background()

// feed adds a feed.
func (w *world) feed(url string) reader.FeedID {
	w.feeds++
	row, err := w.store.Feeds.Ensure(bg, url, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Period: 5, Status: "active", Subs: 1}
	})
	w.must(err)
	return row.ID()
}

// arrive commits new items of a feed, now.
func (w *world) arrive(f reader.FeedID, links ...string) {
	now := w.clk.Now()
	row, err := w.store.Feeds.Get(bg, f, true)
	w.must(err)
	var headers []store.Header
	for i, link := range links {
		it := &item{feed: f, seq: reader.Seq(row.Seq) + reader.Seq(i) + 1, arrived: now, link: link}
		if w.rnd.IntN(10) < 3 {
			it.rate, it.schemes = w.rnd.ExpFloat64()*30, schemes(w.rnd.IntN(3))
		}
		w.items = append(w.items, it)
		if _, rest, ok := strings.Cut(reader.AskURL(link), "://"); ok {
			w.byURL[rest] = it
		}
		headers = append(headers, store.Header{Identity: w.rnd.Uint64(), Title: link, Link: link,
			Sort: now.Unix() - now.Unix()%60})
	}
	d, err := store.NewDelta(f, reader.Seq(row.Seq)+1, reader.MinuteOf(now), now.UnixMilli(), "", headers)
	w.must(err)
	w.must(w.store.Items.Put(bg, d))
	next := *row
	next.Seq, next.Stamp = row.Seq+uint32(len(links)), d.Stamp
	_, err = w.store.Feeds.Change(bg, row, &next, store.SameSeq)
	w.must(err)
}

// link makes a new address.
func (w *world) link(f reader.FeedID) string {
	return fmt.Sprintf("https://site%d.org/2026/%d/%d?utm_source=feed", f, len(w.items), w.rnd.IntN(1000))
}

// tick does what the orchestrator does.
func (w *world) tick() {
	now := w.clk.Now()
	due, err := w.service.Next(bg, schedule.TickOf(now), now)
	if err != nil || due == nil {
		return
	}
	var feeds, except []reader.FeedID
	w.must(w.store.Feeds.Each(bg, func(f *store.FeedRow) error {
		if f.IsUncountable() {
			except = append(except, f.ID())
		} else if reader.Minute(f.Stamp) > due.Arrived {
			feeds = append(feeds, f.ID())
		}
		return nil
	}))
	if len(feeds) >= due.From {
		j := due.Begin
		j.Feeds, j.Except = feeds, except
		w.must(w.Send(bg, [][]byte{j.Encode()}, 0))
	}
}

// live lets time pass: ticks every quarter of an hour, messages when they are due, and what else is to happen at each
// tick.
func (w *world) live(until time.Time, each func()) {
	for w.clk.Now().Before(until) {
		next := schedule.TickOf(w.clk.Now()).Start().Add(schedule.TickLength)
		first := -1
		for i, m := range w.messages {
			if m.at.Before(next) && (first < 0 || m.at.Before(w.messages[first].at)) {
				first = i
			}
		}
		if first < 0 {
			w.clk.Add(next.Sub(w.clk.Now()))
			if each != nil {
				each()
			}
			w.tick()
			continue
		}
		m := w.messages[first]
		w.messages = slices.Delete(w.messages, first, first+1)
		if wait := m.at.Sub(w.clk.Now()); wait > 0 {
			w.clk.Add(wait)
		}
		w.receive(m)
	}
}

// receive delivers a message; one that fails comes again.
func (w *world) receive(m message) {
	j, err := job.Decode(m.body)
	w.must(err)
	*m.receives++
	j.Receives = *m.receives
	if len(w.workers) > 0 {
		w.service = w.workers[w.rnd.IntN(len(w.workers))]
	}
	w.kill.begin()
	err = w.service.Run(bg, j)
	if w.kill.end() {
		w.restart()
	}
	if err != nil {
		if fault.Is(err, fault.Invalid) {
			w.t.Fatal(err)
		}
		m.at = w.clk.Now().Add(12 * time.Minute)
		w.messages = append(w.messages, m)
	}
}

// check compares all counts with those of the provider: none is older than a day, and unknown is what was never asked
// for. settled is up to when everything that arrived has been asked for.
func (w *world) check(settled time.Time, oldest time.Duration) {
	w.t.Helper()
	now := w.clk.Now()
	w.restart()
	c := w.service.Counts(bg)
	for _, it := range w.items {
		row, err := w.store.Feeds.Get(bg, it.feed, true)
		w.must(err)
		n, isKnown := c.Of(row, it.seq, reader.MinuteOf(it.arrived), it.link)
		if isSecret := reader.AskURL(it.link) == "" || row.IsUncountable(); isSecret {
			if isKnown {
				w.t.Errorf("the count of %s is known", it.link)
			}
			continue
		}
		address := reader.AskURL(it.link)
		if !isKnown {
			if it.arrived.Before(settled) {
				w.t.Errorf("%s, which arrived %s ago, is not known", it.link, now.Sub(it.arrived))
			}
			continue
		}
		age := now.Sub(it.arrived)
		low, high := w.greatest(address, now.Add(-oldest)), w.greatest(address, now)
		if !w.hadBoth(it, now) {
			low = w.count(address, now.Add(-oldest))
		}
		if age > 7*24*time.Hour {
			low = min(low, w.count(address, it.arrived.Add(6*24*time.Hour)))
		}
		if age > 4*24*time.Hour && n == 0 {
			low = 0 // asked for seldom
		}
		if n < low || n > high {
			w.t.Errorf("%s, which arrived %s ago, has %d of %d to %d", it.link, age, n, low, high)
		}
	}
}

// hadBoth reports whether it is certain that an item is asked for by its greater address: both addresses are asked for
// on arrival and a day later, and an address without a bookmark tells nothing.
func (w *world) hadBoth(it *item, now time.Time) bool {
	return now.Sub(it.arrived) > 36*time.Hour && w.greatest(reader.AskURL(it.link), it.arrived.Add(24*time.Hour)) > 0
}

// checkAgain stops time for bookmarks: a day later, counts are exactly those of Hatena, up to the age after which items
// are asked for more seldom than daily.
func (w *world) checkAgain() {
	w.t.Helper()
	w.frozen = w.clk.Now()
	w.live(w.clk.Now().Add(26*time.Hour), nil)
	w.restart()
	c, exact := w.service.Counts(bg), 0
	for _, it := range w.items {
		row, err := w.store.Feeds.Get(bg, it.feed, true)
		w.must(err)
		age, address := w.frozen.Sub(it.arrived), reader.AskURL(it.link)
		n, isKnown := c.Of(row, it.seq, reader.MinuteOf(it.arrived), it.link)
		if address == "" || age > 5*24*time.Hour || age > 60*time.Hour && n == 0 {
			continue
		}
		want := w.greatest(address, w.frozen)
		if !isKnown || n != want && (n != w.count(address, w.frozen) || w.hadBoth(it, w.clk.Now())) {
			w.t.Errorf("%s, which arrived %s ago, has %d (%v) of %d", it.link, age, n, isKnown, want)
		}
		if n > 0 && n == want {
			exact++
		}
	}
	if exact < 10 {
		w.t.Errorf("%d counts were compared", exact)
	}
}
