package faults

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table/dynamotable"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
)

// The smaller part: the compiled functions themselves, killed between any two calls to AWS's protocols. Their clock is
// the machine's, so a crawler's lease cannot be waited for; what the dead left behind is repaired by the same packages
// in this process, hours later by a clock that is ours.

// cloud is the functions over the doubles, and an observer without faults.
type cloud struct {
	*testing.T
	host     *lambdahost.Host
	api      http.Handler
	observer *wire.App
	now      *clock.Manual
	env      map[string]string
	sqs      *sqs.Client
	tally    *Tally
	token    string
	bucket   string
	sites    []*hostSite
	mu       sync.Mutex // random numbers, off
	rnd      *rand.Rand
	off      bool
	read     map[string]bool // titles by site and number
	starred  map[string]string
	subs     map[string]bool
	waiting  []func(http.Handler) bool
}

// hostSite is a publisher on a loopback address of its own, so that it has a part of its own.
type hostSite struct {
	url   string
	mu    sync.Mutex
	items int
}

func (s *hostSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	tag := fmt.Sprintf(`"%d"`, s.items)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/rss+xml")
	fmt.Fprintf(w, `<rss version="2.0"><channel><title>Feed</title>`)
	for n := s.items; n > 0; n-- {
		fmt.Fprintf(w,
			`<item><guid>%s#%d</guid><title>Item %d</title><pubDate>%s</pubDate><description>text-%d. `+
				`%s</description></item>`, s.url, n, n,
			time.Date(2026, 1, 1, 0, n, 0, 0, time.UTC).Format(time.RFC1123Z), n, strings.Repeat("Words. ", 100))
	}
	fmt.Fprint(w, `</channel></rss>`)
}

func (s *hostSite) publish(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items += n
}

// draw chooses the fault of a call or an invocation, 0 for none.
func (c *cloud) draw(p float64, n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off || c.rnd.Float64() >= p {
		return 0
	}
	return 1 + c.rnd.IntN(n)
}

// acts are what a gate may do to a call, and the kind of that fault.
var acts = []struct {
	act  lambdahost.Act
	kind Kind
}{
	{lambdahost.Pass, ""}, {lambdahost.KillBefore, CrashBefore}, {lambdahost.KillAfter, CrashAfter},
	{lambdahost.Throttle, Throttled}, {lambdahost.ServerFail, ServerError}, {lambdahost.FailAfter, TimeoutDone},
}

func (c *cloud) hook(call lambdahost.Call) lambdahost.Act {
	a := acts[c.draw(0.1, len(acts)-1)]
	if a.kind != "" {
		c.tally.Add(call.Function+": "+call.Action, a.kind)
	}
	return a.act
}

func (c *cloud) inject(function string, _ []byte) (f lambdahost.Fault) {
	kind := Kind("")
	switch c.draw(0.08, 4) {
	case 1:
		f.Throttle, kind = true, Throttled
	case 2:
		f.KillBefore, kind = true, CrashBefore
	case 3:
		f.LoseAnswer, kind = true, LostAnswer
	case 4:
		f.KillAfter, kind = 20*time.Millisecond, CrashAfter
	}
	if kind != "" {
		c.tally.Add(function+": invocation", kind)
	}
	return f
}

// tamper delivers some messages twice and in another order.
func (c *cloud) tamper(received []types.Message) (batches [][]types.Message) {
	for _, m := range received {
		batches = append(batches, []types.Message{m})
		if c.draw(0.1, 1) > 0 {
			batches = append(batches, []types.Message{m})
			c.tally.Add("queue: receive", Duplicated)
		}
	}
	if len(batches) > 1 && c.draw(0.5, 1) > 0 {
		slices.Reverse(batches)
		c.tally.Add("queue: receive", Reordered)
	}
	return batches
}

func newCloud(t *testing.T, seed uint64) *cloud {
	t.Helper()
	tables, blobs, queues := doubles.Dynalite(t), doubles.Moto(t), doubles.Fauxqs(t)
	name := doubles.Name("faults")
	c := &cloud{
		T: t, now: clock.NewManual(time.Now().UTC()), tally: NewTally(), bucket: name,
		rnd: rand.New(rand.NewPCG(seed, 0x4057)), off: true,
		read: map[string]bool{}, starred: map[string]string{}, subs: map[string]bool{},
	}
	cfg := aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")}
	c.must(dynamotable.New(cfg, name, func(o *dynamodb.Options) { o.BaseEndpoint = &tables }).CreateTable(t.Context()))
	_, err := s3.NewFromConfig(cfg, func(o *s3.Options) { o.BaseEndpoint, o.UsePathStyle = &blobs, true }).
		CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &name})
	c.must(err)
	c.sqs = sqs.NewFromConfig(cfg, func(o *sqs.Options) { o.BaseEndpoint = &queues })
	queue, dead := c.queues(name)
	c.env = map[string]string{
		"RURI_RATE_USER": "0", "RURI_RATE_ADDRESS": "0", // scripts are faster than people
		"RURI_TABLE": name, "RURI_BUCKET": name, "RURI_QUEUE_URL": queue, "RURI_DEAD_QUEUE_URL": dead,
		"RURI_ALLOW_NETS": "127.0.0.0/8", "RURI_LOG_LEVEL": "error", "RURI_PARTS": "64", "RURI_PARALLEL": "1",
	}
	c.look(map[string]string{
		"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_ENDPOINT_URL_DYNAMODB": tables, "AWS_ENDPOINT_URL_S3": blobs, "AWS_ENDPOINT_URL_SQS": queues,
	}, cfg)
	c.functions(map[string]string{"dynamodb": tables, "s3": blobs, "sqs": queues})
	return c
}

func (c *cloud) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *cloud) queues(name string) (queue, dead string) {
	d, err := c.sqs.CreateQueue(c.Context(), &sqs.CreateQueueInput{QueueName: aws.String(name + "-dead")})
	c.must(err)
	attrs, err := c.sqs.GetQueueAttributes(c.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: d.QueueUrl, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	c.must(err)
	redrive := fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":5}`, attrs.Attributes["QueueArn"])
	q, err := c.sqs.CreateQueue(c.Context(), &sqs.CreateQueueInput{
		QueueName: &name, Attributes: map[string]string{"VisibilityTimeout": "720", "RedrivePolicy": redrive},
	})
	c.must(err)
	return *q.QueueUrl, *d.QueueUrl
}

// look opens the installation directly, past the gates and with a separate clock.
func (c *cloud) look(endpoints map[string]string, cfg aws.Config) {
	lookup := func(k string) (string, bool) {
		v, ok := c.env[k]
		if !ok {
			v, ok = endpoints[k]
		}
		return v, ok
	}
	settings, err := config.Load(lookup)
	c.must(err)
	awswire.UseEndpoints(&cfg, lookup)
	c.observer = awswire.Bind(settings, "test", cfg, awswire.Options{Log: slog.New(slog.DiscardHandler), Clock: c.now,
		PathStyle: true})
	c.Cleanup(c.observer.Close)
	owner, err := c.observer.Auth.EnsureOwner(c.Context())
	c.must(err)
	c.token, err = c.observer.Auth.NewToken(c.Context(), owner.ID(), "test", "", time.Time{})
	c.must(err)
}

// functions builds the three programs and sets them behind gates.
func (c *cloud) functions(services map[string]string) {
	surroundings := map[string]string{}
	o := lambdahost.Options{Surroundings: surroundings, Fault: c.inject}
	gates := map[string]*lambdahost.Gate{}
	for service, target := range services {
		u, err := url.Parse(target)
		c.must(err)
		gates[service] = &lambdahost.Gate{Service: service, Target: u, Hook: c.hook}
		srv := httptest.NewServer(gates[service])
		c.Cleanup(srv.Close)
		surroundings["AWS_ENDPOINT_URL_"+strings.ToUpper(service)] = srv.URL
	}
	c.host = lambdahost.New(o)
	c.Cleanup(c.host.Close)
	for _, g := range gates {
		g.Host = c.host
	}
	dir := c.TempDir()
	// Four times what the template gives: the machine may be busy.
	for name, timeout := range map[string]time.Duration{"api": 2 * time.Minute, "crawler": 8 * time.Minute,
		"orchestrator": 2 * time.Minute} {
		program := filepath.Join(dir, name)
		cmd := exec.CommandContext(c.Context(), "go", "build", "-tags", "lambda.norpc", "-o", program,
			"github.com/ruri-reader/ruri/functions/"+name)
		cmd.Stderr = os.Stderr
		c.must(cmd.Run())
		c.must(c.host.Add(lambdahost.Function{Name: name, Bootstrap: program, Timeout: timeout,
			Memory: 256, Env: c.env}))
	}
	c.api = &lambdahost.HTTPAPI{Host: c.host, Function: "api", APIID: "api", Domain: "api.example",
		Timeout: 2 * time.Minute}
}

// site makes a publisher on 127.0.0.n.
func (c *cloud) site(n, items int) {
	ln, err := new(net.ListenConfig).Listen(c.Context(), "tcp", fmt.Sprintf("127.0.0.%d:0", n))
	c.must(err)
	s := &hostSite{items: items, url: "http://" + ln.Addr().String() + "/feed"}
	srv := &httptest.Server{Listener: ln, Config: &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}}
	srv.Start()
	c.Cleanup(srv.Close)
	c.sites = append(c.sites, s)
}

// ask makes a request; status 0 when no answer came.
func (c *cloud) ask(h http.Handler, method, path, body string) (int, []byte) {
	r := httptest.NewRequestWithContext(c.Context(), method, "https://api.example"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+c.token)
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec.Code, rec.Body.Bytes()
}

// want repeats a request until it is acknowledged: of the functions a few times, of the observer in the end.
func (c *cloud) want(method, path, body string, done func()) {
	try := func(h http.Handler) bool {
		status, _ := c.ask(h, method, path, body)
		if status < 200 || status > 299 {
			return false
		}
		done()
		return true
	}
	for range 6 {
		if try(c.api) {
			return
		}
	}
	c.waiting = append(c.waiting, try)
}

type listed struct{ ID, FeedID, Title string }

// known lists a site's items as they are.
func (c *cloud) known(s *hostSite) (id string, items []listed) {
	f, err := c.observer.Store.Feeds.FindURL(c.Context(), s.url)
	if err != nil {
		return "", nil
	}
	status, answer := c.ask(c.observer.Handler(), "GET", "/api/feeds/"+f.String()+"/items?limit=100", "")
	if status != 200 {
		return f.String(), nil
	}
	var p struct{ Items []listed }
	c.must(json.Unmarshal(answer, &p))
	return f.String(), p.Items
}

// crawled waits until half of the sites have items, or until those that are left can be expected to have lost their
// crawler.
func (c *cloud) crawled() {
	for range 100 {
		with := 0
		for _, s := range c.sites {
			if _, items := c.known(s); len(items) > 0 {
				with++
			}
		}
		if with >= len(c.sites)/2 {
			return
		}
		time.Sleep(100 * time.Millisecond) // the functions are processes that work meanwhile
	}
}

// readers mark and star what there is; where there is nothing yet, they look at their list of feeds.
func (c *cloud) readers(rounds int) {
	for i := range rounds {
		s := c.sites[i%len(c.sites)]
		_, items := c.known(s)
		if len(items) == 0 {
			c.ask(c.api, "GET", "/api/feeds", "")
			continue
		}
		it := items[i%len(items)]
		key := s.url + " " + it.Title
		if i%3 == 0 {
			c.want("PUT", "/api/items/"+it.ID+"/state", `{"isStarred":true}`, func() { c.starred[it.ID] = key })
			continue
		}
		c.want("PUT", "/api/items/"+it.ID+"/state", `{"isRead":true}`, func() { c.read[key] = true })
	}
}

// fewest is how many faults TestHost plays at least.
const fewest = 100

// TestHost plays faults against the compiled functions.
func TestHost(t *testing.T) {
	if !*full || runtime.GOOS != "linux" { // elsewhere loopback has one address
		t.Skip("part of the full run on Linux: make test-faults")
	}
	t.Parallel()
	c := newCloud(t, uint64(max(*seedFlag, 1)))
	for n := range 8 {
		c.site(n+2, 3+n)
	}
	c.set(false)
	ctx, stop := context.WithCancel(t.Context())
	source := &lambdahost.EventSource{
		Host: c.host, Function: "crawler", Client: c.sqs, QueueURL: c.env["RURI_QUEUE_URL"],
		QueueARN:  lambdahost.QueueARN(c.env["RURI_QUEUE_URL"]),
		BatchSize: 1, Maximum: 4, Tamper: c.tamper, Visible: func(int) time.Duration { return time.Second },
	}
	var polling sync.WaitGroup
	polling.Go(func() { _ = source.Run(ctx) })

	for _, s := range c.sites[:4] {
		body, err := json.Marshal(map[string]string{"url": s.url})
		c.must(err)
		c.want("POST", "/api/feeds", string(body), func() { c.subs[s.url] = true })
	}
	outlines := ""
	for _, s := range c.sites[4:] {
		outlines += fmt.Sprintf(`<outline text="f" xmlUrl=%q/>`, s.url)
	}
	c.want("POST", "/api/import/opml", `<opml version="2.0"><body>`+outlines+`</body></opml>`, func() {
		for _, s := range c.sites[4:] {
			c.subs[s.url] = true
		}
	})
	poison := `{"kind":"nobody knows"}`
	_, err := c.sqs.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &source.QueueURL, MessageBody: &poison})
	c.must(err)
	c.crawled()
	c.readers(20)
	for _, s := range c.sites {
		s.publish(2)
	}
	c.due()
	tick := fmt.Sprintf(`{"scheduledTime":%q}`, time.Now().UTC().Format(time.RFC3339))
	for range 4 { // the scheduler tries again, and fires twice
		_, _ = c.host.Invoke(t.Context(), "orchestrator", []byte(tick))
	}
	c.readers(80)
	c.host.Recycle()
	// How many calls the functions make depends on who dies when: the readers go on until there were enough faults.
	for round := 0; c.tally.Total() < fewest && round < 50; round++ {
		c.readers(10)
	}
	c.set(true)
	c.buried(poison)
	stop()
	polling.Wait()
	c.settle()
	c.check()
	t.Logf("against the compiled functions %s", c.tally)
	if c.tally.Total() < fewest {
		t.Errorf("%d faults", c.tally.Total())
	}
}

func (c *cloud) set(off bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off = off
}

// due gives all feeds their turn in the present tick.
func (c *cloud) due() {
	tick := int32(schedule.TickOf(time.Now()))
	err := c.observer.Store.Feeds.Each(c.Context(), func(f *store.FeedRow) error {
		if f.Fresh() {
			return nil
		}
		_, err := c.observer.Store.Feeds.Modify(c.Context(), f.ID(), func(f *store.FeedRow) { f.First = tick })
		return err
	})
	c.must(err)
}

// buried waits until the poison is where it belongs.
func (c *cloud) buried(body string) {
	for range 30 {
		dead, err := c.observer.Queue.Dead(c.Context(), 10)
		c.must(err)
		for _, m := range dead {
			if string(m.Body) == body && strings.Contains(m.Reason, "unknown_message_kind") {
				return
			}
		}
	}
	c.Error("the poison is not in the dead letters with its reason")
}

// settle heals what the dead left behind, hours later.
func (c *cloud) settle() {
	ctx := c.Context()
	c.now.Add(3 * time.Hour)
	handler := c.observer.Handler()
	for range 200 {
		c.now.Set(schedule.TickOf(c.now.Now()).Start().Add(schedule.TickLength + 10*time.Second))
		jobs, err := c.observer.Orchestrator.Plan(ctx, schedule.TickOf(c.now.Now()))
		c.must(err)
		for _, j := range jobs {
			_, err := c.observer.Crawler.Run(ctx, j, 64)
			c.must(err)
		}
		c.waiting = slices.DeleteFunc(c.waiting, func(try func(http.Handler) bool) bool { return try(handler) })
		if len(c.waiting) == 0 && c.caughtUp() {
			break
		}
	}
	if len(c.waiting) > 0 {
		c.Errorf("%d requests never succeed", len(c.waiting))
	}
	c.now.Add(48 * time.Hour)
	_, err := c.observer.Cleanup.Run(ctx, job.Job{Kind: job.Cleanup})
	c.must(err)
}

func (c *cloud) caughtUp() bool {
	return !slices.ContainsFunc(c.sites, func(s *hostSite) bool { _, items := c.known(s); return len(items) < s.items })
}

// check compares what is there with what was published and acknowledged.
func (c *cloud) check() {
	ctx := c.Context()
	named := map[string]bool{}
	for _, s := range c.sites {
		id, items := c.known(s)
		seen := map[string]int{}
		for _, it := range items {
			seen[it.Title]++
		}
		for n := range s.items {
			if got := seen[fmt.Sprintf("Item %d", n+1)]; got != 1 {
				c.Errorf("%s: item %d is there %d times", s.url, n+1, got)
			}
		}
		unread := 0
		for n := range s.items {
			if !c.read[s.url+fmt.Sprintf(" Item %d", n+1)] {
				unread++
			}
		}
		status, answer := c.ask(c.observer.Handler(), "GET", "/api/feeds/"+cmp.Or(id, "0"), "")
		var f struct{ Feed struct{ UnreadCount int } }
		if status != 200 || json.Unmarshal(answer, &f) != nil || f.Feed.UnreadCount != unread {
			c.Errorf("%s: %d %d unread, and should be %d", s.url, status, f.Feed.UnreadCount, unread)
		}
	}
	err := c.observer.Store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		named[f.Raw] = true
		if f.Subs != 1 {
			c.Errorf("%s counts %d subscribers", f.URL, f.Subs)
		}
		return c.observer.Store.Items.DescendLatest(ctx, f.ID(), func(d *store.DeltaRow) (bool, error) {
			named[d.Raw] = true
			if d.First() > reader.Seq(f.Seq) {
				c.Errorf("%s: a delta is left above seq %d", f.URL, f.Seq)
			}
			return true, nil
		})
	})
	c.must(err)
	var stars struct{ Items []listed }
	_, answer := c.ask(c.observer.Handler(), "GET", "/api/items?filter=starred&limit=100", "")
	c.must(json.Unmarshal(answer, &stars))
	got := map[string]bool{}
	for _, it := range stars.Items {
		got[it.ID] = true
	}
	if want := slices.Sorted(maps.Keys(c.starred)); !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		c.Errorf("starred are %v, and should be %v", got, want)
	}
	checkIndex(c.observer.Store, c.observer.Blobs, func(format string, args ...any) { c.Errorf(format, args...) })
	page, _, err := c.observer.Blobs.List(ctx, "", "", 0)
	c.must(err)
	for _, o := range page {
		if !named[o.Key] && !isSegment(o.Key) {
			c.Errorf("%s is an orphan", o.Key)
		}
	}
}
