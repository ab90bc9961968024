package websub_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/cleanup"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/crawl/websub"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// world is a reader with its HTTP face, a publisher and a hub, all of them real servers on loopback.
type world struct {
	*testing.T
	clock   *clock.Manual
	store   *store.Store
	blobs   *memblob.Driver
	crawler *crawl.Crawler
	subs    *subscribe.Service
	hubs    *websub.Service
	reader  *httptest.Server
	id      reader.FeedID
	site    *site
	hub     *hub

	mu   sync.Mutex
	jobs []job.Job
	told int // of news of the feed
}

// site is a publisher.
type site struct {
	*httptest.Server
	hub    string
	clock  clock.Clock
	mu     sync.Mutex
	items  []string
	last   int
	visits int
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits++
	tag := fmt.Sprintf(`"%d"`, s.last)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/atom+xml")
	_, _ = io.WriteString(w, s.feed(s.items))
}

// feed is a document with some items.
func (s *site) feed(items []string) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		`<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><id>f</id><link rel="self" href="%s/self"/><link `+
			`rel="hub" href="%s"/>`, s.URL, s.hub)
	for _, it := range items {
		b.WriteString(it)
	}
	b.WriteString("</feed>")
	return b.String()
}

func (s *site) publish(n int) (items []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range n {
		s.last++
		i := s.last
		it := fmt.Sprintf(`<entry><id>e%d</id><title>Item %d</title><updated>%s</updated><link `+
			`href="%s/%d"/><content type="html">Text %d</content></entry>`,
			i, i, s.clock.Now().UTC().Format(time.RFC3339), s.URL, i, i)
		s.items = append([]string{it}, s.items...)
		items = append(items, it)
	}
	return items
}

// hub verifies and remembers; push signs.
type hub struct {
	*httptest.Server
	mu       sync.Mutex
	asked    []url.Values
	lease    string
	dead     bool
	answered []int // status of each verification
	echoed   bool
}

func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := r.ParseForm(); err != nil || r.Method != http.MethodPost || h.dead {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	h.asked = append(h.asked, r.PostForm)
	status, body := h.call(r.PostForm, r.PostForm.Get("hub.mode"), r.PostForm.Get("hub.topic"), "challenge & <more>")
	h.answered, h.echoed = append(h.answered, status), body == "challenge & <more>"
	w.WriteHeader(http.StatusAccepted)
}

// call is the hub's question.
func (h *hub) call(asked url.Values, mode, topic, challenge string) (int, string) {
	q := url.Values{"hub.mode": {mode}, "hub.topic": {topic}, "hub.challenge": {challenge}}
	if mode == "subscribe" && h.lease != "" {
		q.Set("hub.lease_seconds", h.lease)
	}
	resp, err := http.Get(asked.Get("hub.callback") + "?" + q.Encode())
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body)
}

func (h *hub) last() url.Values {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.asked) == 0 {
		return nil
	}
	return h.asked[len(h.asked)-1]
}

func sign(method string, secret, body string) string {
	mac := hmac.New(map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "sha384": sha512.New384,
		"sha512": sha512.New}[method], []byte(secret))
	mac.Write([]byte(body))
	return method + "=" + hex.EncodeToString(mac.Sum(nil))
}

func (h *hub) push(t *testing.T, callback, signature, body string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, callback, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/atom+xml")
	if signature != "" {
		r.Header.Set("X-Hub-Signature", signature)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

func (w *world) Send(_ context.Context, bodies [][]byte, _ time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return err
		}
		w.jobs = append(w.jobs, j)
	}
	return nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	clk := clock.NewManual(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
	w := &world{T: t, clock: clk, blobs: memblob.New(), hub: &hub{lease: "864000"}, site: &site{clock: clk}}
	w.store = store.New(table.New(memtable.New(), table.Options{Clock: clk, Kind: store.Kind}), clk)
	w.hub.Server = httptest.NewServer(w.hub)
	t.Cleanup(w.hub.Close)
	w.site.hub = w.hub.URL + "/hub"
	w.site.Server = httptest.NewServer(w.site)
	t.Cleanup(w.site.Close)
	var handler http.Handler
	w.reader = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.reader.Close)
	client := fetch.New(fetch.Options{Version: "test", AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Clock: clk})
	t.Cleanup(client.Close)
	log, blobs := slog.New(slog.DiscardHandler), blob.New(w.blobs)
	w.crawler = crawl.New(w.store, blobs, client, clk, crawl.Options{
		News: func(context.Context, *store.FeedRow, *store.DeltaRow) error {
			w.told++
			return nil
		},
	})
	w.subs = subscribe.New(subscribe.Deps{Store: w.store, Fetch: client, Crawler: w.crawler, Queue: w,
		Clock: clk, Log: log})
	w.hubs = websub.New(w.store, blobs, w, client, w.crawler, clk, log, 0, w.reader.URL)
	handler = api.New(api.Options{
		Store: w.store, Streams: stream.New(w.store, blobs, clk), Auth: auth.New(w.store.Accounts, clk, auth.Options{}),
		Clock: clk, Log: log,
		Subscribe: w.subs, Crawler: w.crawler, Hubs: w.hubs,
	})
	if err := w.store.Accounts.Create(t.Context(), flow.User,
		store.Account{Email: "a@example.org", Owner: true}); err != nil {
		t.Fatal(err)
	}
	w.site.publish(3)
	f, _, err := w.subs.Add(t.Context(), flow.User, w.site.URL+"/feed", subscribe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.id = f.ID()
	return w
}

// work handles all messages that wait.
func (w *world) work() {
	w.Helper()
	for {
		w.mu.Lock()
		if len(w.jobs) == 0 {
			w.mu.Unlock()
			return
		}
		j := w.jobs[0]
		w.jobs = w.jobs[1:]
		w.mu.Unlock()
		var err error
		switch j.Kind {
		case job.Hub:
			err = w.hubs.Run(w.Context(), j)
		case job.Pushed:
			err = w.hubs.Ingest(w.Context(), j)
		case job.Refresh:
			_, err = w.crawler.Run(w.Context(), j, 1)
		}
		if err != nil {
			w.Fatalf("%+v: %v", j, err)
		}
	}
}

// night lets a day pass, without polls, and tidies.
func (w *world) night() {
	w.Helper()
	w.clock.Add(24 * time.Hour)
	s := cleanup.New(w.store, blob.New(w.blobs), w, w.clock, slog.New(slog.DiscardHandler),
		cleanup.Options{HubDue: w.hubs.Due, Recount: w.subs.Recount})
	if r, err := s.Run(w.Context(), job.Job{Kind: job.Cleanup}); err != nil || !r.Done {
		w.Fatalf("%+v, %v", r, err)
	}
	w.work()
}

// poll refreshes the feed off its turn.
func (w *world) poll() {
	w.Helper()
	if err := w.Send(w.Context(), [][]byte{job.Job{Kind: job.Refresh, Feeds: []reader.FeedID{w.id}}.Encode()},
		0); err != nil {
		w.Fatal(err)
	}
	w.work()
}

func (w *world) feed() *store.FeedRow {
	w.Helper()
	f, err := w.store.Feeds.Get(w.Context(), w.id, true)
	if err != nil {
		w.Fatal(err)
	}
	return f
}

// verified makes a world with a hub that is relied on.
func verified(t *testing.T) (w *world, callback, secret string) {
	t.Helper()
	w = newWorld(t)
	w.night()
	asked := w.hub.last()
	if asked == nil || w.feed().PushUntil == 0 {
		t.Fatalf("asked %v, relied on until %d", asked, w.feed().PushUntil)
	}
	return w, asked.Get("hub.callback"), asked.Get("hub.secret")
}

// G: a hub is subscribed to, its push is an item at once, and polls are once a day.
func TestSubscribeVerifyPush(t *testing.T) {
	t.Parallel()
	w, callback, secret := verified(t)
	asked := w.hub.last()
	if asked.Get("hub.mode") != "subscribe" || asked.Get("hub.topic") != w.site.URL+"/self" ||
		asked.Get("hub.lease_seconds") != "864000" ||
		len(secret) < 32 || !strings.HasPrefix(callback, w.reader.URL+"/websub/1/") || w.hub.answered[0] != 200 ||
		!w.hub.echoed {
		t.Errorf("asked %v, answered %v", asked, w.hub.answered)
	}
	if until := time.Unix(w.feed().PushUntil, 0); until.Sub(w.clock.Now()) != 10*24*time.Hour {
		t.Errorf("relied on until %v", until)
	}
	w.poll()
	visits, told := w.site.visits, w.told
	items := w.site.publish(1)
	body := w.site.feed(items)
	if status := w.hub.push(t, callback, sign("sha256", secret, body), body); status != 204 {
		t.Errorf("the push is answered %d", status)
	}
	w.work()
	if f := w.feed(); f.Seq != 4 || w.site.visits != visits {
		t.Errorf("%d items after %d more visits", f.Seq, w.site.visits-visits)
	}
	if keys := strings.Join(w.blobs.Keys(), " "); strings.Contains(keys, store.PushPrefix) {
		t.Errorf("left are %s", keys)
	}
	// Again, by the hub and by the queue: nothing doubles.
	for range 2 {
		if w.hub.push(t, callback, sign("sha512", secret, body), body); len(w.jobs) != 1 {
			t.Fatal(w.jobs)
		}
		w.jobs = append(w.jobs, w.jobs[0])
		w.work()
	}
	// The poll that makes sure finds nothing, and comes at the hub's pace.
	w.clock.Add(3 * time.Hour)
	w.poll()
	f := w.feed()
	if w.told != told+1 {
		t.Errorf("webhooks heard of it %d times", w.told-told)
	}
	if f.Seq != 4 || w.site.visits != visits+1 || schedule.IntervalOf(f.Period) < 24*time.Hour || f.PushUntil == 0 {
		t.Errorf("%d items after %d visits, the period is %v, relied on until %d", f.Seq, w.site.visits-visits,
			schedule.IntervalOf(f.Period), f.PushUntil)
	}
}

// Whatever is not signed with the secret brings nothing, and who sends it learns nothing.
func TestForgedPushes(t *testing.T) {
	t.Parallel()
	w, callback, secret := verified(t)
	body := w.site.feed(
		[]string{`<entry><id>forged</id><title>Forged</title><updated>2026-07-02T00:00:00Z</updated></entry>`})
	good := sign("sha256", secret, body)
	for what, signature := range map[string]string{
		"no signature": "", "no method": good[7:], "of another secret": sign("sha256", "other", body),
		"of another body": sign("sha256", secret, body+" "),
		"cut":             good[:40], "md5": "md5=00", "no digits": "sha256=", "of no secret": sign("sha256", "", body),
		"another method": "sha512=" + good[7:],
	} {
		if status := w.hub.push(t, callback, signature, body); status != 204 {
			t.Errorf("%s is answered %d", what, status)
		}
	}
	parts := strings.Split(callback, "/")
	other := strings.Replace(callback, "/1/", "/2/", 1)
	for _, at := range []string{other, callback[:len(callback)-1] + "0", callback + "0",
		strings.TrimSuffix(callback, parts[len(parts)-1]) + "x", strings.Replace(callback, "/1/", "/x/", 1)} {
		if at == callback {
			continue
		}
		if status := w.hub.push(t, at, good, body); status != 404 {
			t.Errorf("%s is answered %d", at, status)
		}
	}
	if len(w.jobs) != 0 || w.feed().Seq != 3 || strings.Contains(strings.Join(w.blobs.Keys(), " "), store.PushPrefix) {
		t.Errorf("%d items, %v", w.feed().Seq, w.jobs)
	}
	large := strings.Repeat("x", websub.MaxPush+1)
	if status := w.hub.push(t, callback, sign("sha256", secret, large), large); status != 413 {
		t.Errorf("a large one is answered %d", status)
	}
	limited := false
	for range 80 {
		limited = limited || w.hub.push(t, callback, "", "x") == 429
	}
	if !limited {
		t.Error("a feed's hub may call without end")
	}
}

// A verification that was not requested is refused, and changes nothing.
func TestVerificationOfWhatWasNotAsked(t *testing.T) {
	t.Parallel()
	w, callback, _ := verified(t)
	until, asked := w.feed().PushUntil, w.hub.last()
	elsewhere := url.Values{"hub.callback": {callback + "x"}}
	for what, c := range map[string]struct {
		asked                  url.Values
		mode, topic, challenge string
		lease                  string
	}{
		"another topic":     {asked, "subscribe", w.site.URL + "/other", "c", "100000"},
		"another token":     {elsewhere, "subscribe", w.site.URL + "/self", "c", "100000"},
		"no challenge":      {asked, "subscribe", w.site.URL + "/self", "", "100000"},
		"no lease":          {asked, "subscribe", w.site.URL + "/self", "c", ""},
		"a lease of nought": {asked, "subscribe", w.site.URL + "/self", "c", "0"},
		"odd lease":         {asked, "subscribe", w.site.URL + "/self", "c", "-5x"},
		"unsubscribing":     {asked, "unsubscribe", w.site.URL + "/self", "c", ""},
		"another mode":      {asked, "publish", w.site.URL + "/self", "c", ""},
	} {
		w.hub.lease = c.lease
		if status, body := w.hub.call(c.asked, c.mode, c.topic, c.challenge); status != 404 || body == c.challenge {
			t.Errorf("%s: %d %q", what, status, body)
		}
	}
	if w.feed().PushUntil != until {
		t.Error("the lease changed")
	}
	w.hub.lease = "99999999999999"
	if status, _ := w.hub.call(asked, "subscribe", w.site.URL+"/self", "c"); status != 200 {
		t.Errorf("a long lease: %d", status)
	}
	if days := time.Unix(w.feed().PushUntil, 0).Sub(w.clock.Now()).Hours() / 24; days > 31 {
		t.Errorf("a lease of %.0f days is believed", days)
	}
	// A hub that refuses in the end is relied on no more.
	if status, _ := w.hub.call(asked, "denied", w.site.URL+"/self", ""); status != 200 || w.feed().PushUntil != 0 {
		t.Errorf("denied: %d, relied on until %d", status, w.feed().PushUntil)
	}
	n := len(w.hub.asked)
	for range 20 {
		w.night()
	}
	if len(w.hub.asked) != n {
		t.Error("a hub that refused is asked again and again")
	}
}

// Leases are renewed before they end, under the same address and secret.
func TestRenewal(t *testing.T) {
	t.Parallel()
	w, callback, secret := verified(t)
	w.poll()
	for day := range 40 {
		w.night()
		if f := w.feed(); f.PushUntil <= w.clock.Now().Unix() {
			t.Fatalf("day %d: the lease ended", day)
		}
	}
	n := len(w.hub.asked)
	if last := w.hub.last(); n < 4 || n > 7 || last.Get("hub.callback") != callback ||
		last.Get("hub.secret") != secret {
		t.Errorf("asked %d times in 40 days, last %v", n, last)
	}
}

// A lease that is not renewed lapses: polls are at their own pace again, and what the hub sends is refused.
func TestLeaseExpiry(t *testing.T) {
	t.Parallel()
	w, callback, secret := verified(t)
	w.poll()
	if p := schedule.IntervalOf(w.feed().Period); p < 24*time.Hour {
		t.Fatalf("the period is %v", p)
	}
	w.hub.dead = true
	for range 12 {
		w.night()
	}
	f := w.feed()
	if f.PushUntil != 0 || schedule.IntervalOf(f.Period) > 2*time.Hour {
		t.Errorf("relied on until %d, the period is %v", f.PushUntil, schedule.IntervalOf(f.Period))
	}
	body := w.site.feed(w.site.publish(1))
	if status := w.hub.push(t, callback, sign("sha256", secret, body), body); status != 404 {
		t.Errorf("a push after the lease is answered %d", status)
	}
	w.poll()
	if w.feed().Seq != 4 {
		t.Errorf("%d items", w.feed().Seq)
	}
}

// A hub that pushes nothing is found out by the daily poll, and left alone for a month.
func TestSilentHub(t *testing.T) {
	t.Parallel()
	w, callback, secret := verified(t)
	w.poll()
	w.site.publish(1)
	w.clock.Add(25 * time.Hour)
	w.poll()
	f := w.feed()
	if f.Seq != 4 || f.PushUntil != 0 || schedule.IntervalOf(f.Period) > 2*time.Hour {
		t.Errorf("%d items, relied on until %d, the period is %v", f.Seq, f.PushUntil, schedule.IntervalOf(f.Period))
	}
	n := len(w.hub.asked)
	for range 28 {
		w.night()
	}
	if len(w.hub.asked) != n {
		t.Errorf("asked %d times in a month", len(w.hub.asked)-n)
	}
	for range 5 {
		w.night()
	}
	if len(w.hub.asked) != n+1 || w.feed().PushUntil == 0 {
		t.Errorf("asked %d times after it, relied on until %d", len(w.hub.asked)-n, w.feed().PushUntil)
	}
	// News that were published a moment before the poll are no reason.
	w.poll()
	w.clock.Add(3 * time.Hour)
	items := w.site.publish(1)
	w.clock.Add(time.Minute)
	w.poll()
	if f := w.feed(); f.Seq != 5 || f.PushUntil == 0 {
		t.Errorf("%d items, relied on until %d", f.Seq, f.PushUntil)
	}
	body := w.site.feed(items)
	w.hub.push(t, callback, sign("sha1", secret, body), body)
	if w.work(); w.feed().Seq != 5 {
		t.Errorf("%d items after the push", w.feed().Seq)
	}
}

// A hub in a private network is not asked, and nothing comes of it.
func TestPrivateHub(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.store.Feeds.Modify(t.Context(), w.id, func(f *store.FeedRow) {
		f.Hub = "http://10.1.2.3/hub"
	}); err != nil {
		t.Fatal(err)
	}
	w.night()
	row, err := w.store.Hubs.Get(t.Context(), w.id)
	if err != nil || row == nil || row.State != store.HubAsked || w.feed().PushUntil != 0 || w.hub.last() != nil {
		t.Errorf("%+v, %v", row, err)
	}
	for range 10 {
		w.night()
	}
	if row, err = w.store.Hubs.Get(t.Context(), w.id); err != nil || row.Tries > 4 {
		t.Errorf("tried %d times in eleven days, %v", row.Tries, err)
	}
}

// A ping that carries no feed asks for a poll, which the publisher's gap still bounds.
func TestThinPing(t *testing.T) {
	t.Parallel()
	w, callback, secret := verified(t)
	visits := w.site.visits
	w.site.publish(1)
	for _, body := range []string{"", "the feed has changed"} {
		if status := w.hub.push(t, callback, sign("sha256", secret, body), body); status != 204 {
			t.Errorf("%q is answered %d", body, status)
		}
		w.work()
	}
	if w.feed().Seq != 4 || w.site.visits != visits+1 {
		t.Errorf("%d items after %d visits", w.feed().Seq, w.site.visits-visits)
	}
}

// With the last reader the subscription ends, and the hub's question whether that is meant is answered.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	w, callback, secret := verified(t)
	if err := w.subs.Leave(t.Context(), flow.User, w.id); err != nil {
		t.Fatal(err)
	}
	w.night()
	if last := w.hub.last(); last.Get("hub.mode") != "unsubscribe" || last.Get("hub.callback") != callback ||
		w.hub.answered[len(w.hub.answered)-1] != 200 {
		t.Errorf("asked %v, answered %v", last, w.hub.answered)
	}
	if row, err := w.store.Hubs.Get(t.Context(), w.id); err != nil || row != nil || w.feed().PushUntil != 0 {
		t.Errorf("left is %+v, %v", row, err)
	}
	if status := w.hub.push(t, callback, sign("sha256", secret, "x"), "x"); status != 404 {
		t.Errorf("a push after it is answered %d", status)
	}
}

// Months of pushes do not make the feed's row grow: a poll now and then says what has left.
func TestPushesDoNotCrowdTheRow(t *testing.T) {
	t.Parallel()
	w, callback, secret := verified(t)
	w.poll()
	for range 30 {
		items := w.site.publish(20)
		w.site.mu.Lock()
		w.site.items = w.site.items[:20]
		w.site.mu.Unlock()
		body := w.site.feed(items)
		w.hub.push(t, callback, sign("sha256", secret, body), body)
		w.night()
		w.poll()
	}
	if f := w.feed(); f.Seq != 603 || f.PushUntil == 0 {
		t.Errorf("%d items, relied on until %d", f.Seq, f.PushUntil)
	}
	if n := store.Known(w.feed().Known).Len(); n > 250 {
		t.Errorf("the row knows %d items", n)
	}
}

func FuzzSigned(f *testing.F) {
	f.Add("sha256=00", "body")
	f.Add(sign("sha1", "s", "b"), "b")
	f.Fuzz(func(t *testing.T, header, body string) {
		method, _, _ := strings.Cut(header, "=")
		is := websub.Signed("s", header, []byte(body))
		for _, m := range []string{"sha1", "sha256", "sha384", "sha512"} {
			if strings.EqualFold(strings.TrimSpace(method), m) &&
				strings.EqualFold(strings.TrimSpace(header), sign(m, "s", body)) {
				if !is {
					t.Fatal("a good signature is refused")
				}
				return
			}
		}
		if is {
			t.Fatal("a bad signature is taken")
		}
	})
}

// A hub is somebody else's: it is not told the password in a private feed's address, and no item that it pushes has a
// link with it.
func TestAHubLearnsNoPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	private := strings.Replace(w.feed().URL, "http://", "http://anna:hunter2@", 1)
	if _, err := w.store.Feeds.Modify(t.Context(), w.id, func(f *store.FeedRow) {
		f.URL, f.Topic = private, ""
	}); err != nil {
		t.Fatal(err)
	}
	w.night()
	asked := w.hub.last()
	if asked == nil || strings.Contains(asked.Encode(), "hunter2") || asked.Get("hub.topic") == "" {
		t.Fatalf("the hub is asked %v", asked)
	}
	callback, secret := asked.Get("hub.callback"), asked.Get("hub.secret")
	body := w.site.feed(
		[]string{
			`<entry><id>p</id><title>Pushed</title><link ` +
				`href="/pushed"/><updated>2026-11-22T00:00:00Z</updated></entry>`})
	if status := w.hub.push(t, callback, sign("sha256", secret, body), body); status != 204 {
		t.Errorf("the push is answered %d", status)
	}
	before := w.feed().Seq
	w.work()
	if w.feed().Seq != before+1 {
		t.Fatalf("%d items came", w.feed().Seq-before)
	}
	err := w.store.Items.Ascend(t.Context(), w.id, 0, true, func(d *store.DeltaRow) (bool, error) {
		headers, err := d.Headers()
		for _, h := range headers {
			if strings.Contains(h.Link, "hunter2") {
				t.Errorf("%s leads to %s", h.Title, h.Link)
			}
		}
		return true, err
	})
	if err != nil {
		t.Fatal(err)
	}
}
