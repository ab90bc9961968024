package lambda_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
	"github.com/ruri-reader/ruri/internal/wire/lambda"
)

var start = time.Date(2026, 4, 1, 8, 0, 0, 0, time.UTC)

// newApp constructs an App as the functions do, over local drivers.
func newApp(t *testing.T) (*wire.App, *clock.Manual) {
	t.Helper()
	return buildApp(t, func(*wire.Seams) {})
}

// buildApp is newApp with seams that a test may change first.
func buildApp(t *testing.T, change func(*wire.Seams)) (*wire.App, *clock.Manual) {
	t.Helper()
	clk := clock.NewManual(start)
	q, err := sqlitequeue.Open(t.Context(), filepath.Join(t.TempDir(), "queue.db"), sqlitequeue.Options{Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	files, err := fileblob.Open(t.TempDir(), fileblob.Options{Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(func(k string) (string, bool) {
		v, ok := map[string]string{"RURI_ALLOW_NETS": "127.0.0.0/8", "RURI_BASE_URL": "https://reader.example",
			"RURI_EMF": "ruri-dev"}[k]
		return v, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	seams := wire.Seams{
		Table: table.New(memtable.New(), table.Options{Clock: clk, Kind: store.Kind}), Blobs: blob.New(files),
		Queue: queue.New(q, queue.Options{}), Clock: clk, Log: slog.New(slog.DiscardHandler), Secure: true,
	}
	change(&seams)
	return wire.Build(c, "test", seams), clk
}

// publisher serves one feed and counts its visits.
func publisher(t *testing.T) (*httptest.Server, *int) {
	t.Helper()
	visits := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		visits++
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = fmt.Fprintf(w,
			`<rss version="2.0"><channel><title>Feed</title><item><guid>1</guid><title>One</title><description>%s</`+
				`description></item></channel></rss>`,
			strings.Repeat("Text. ", 400))
	}))
	t.Cleanup(srv.Close)
	return srv, &visits
}

// feed makes a feed with one subscriber that was never polled.
func feed(t *testing.T, app *wire.App, url string) reader.UserID {
	t.Helper()
	owner, err := app.Auth.EnsureOwner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, err := app.Store.Feeds.Ensure(t.Context(), url, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{First: int32(schedule.TickOf(start)), Period: 5, Status: string(reader.StatusWaiting)}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.Subscribe.Attach(t.Context(), owner.ID(), f, subscribe.Options{}); err != nil {
		t.Fatal(err)
	}
	return owner.ID()
}

func read[T any](t *testing.T, name string, replace ...string) (v T) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(strings.NewReplacer(replace...).Replace(string(b))), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestScheduleEvents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		event    string
		messages int
		ok       bool
	}{
		"on the tick":         {`{"scheduledTime":"2026-04-01T08:00:00Z"}`, 1, true},
		"another hour's zone": {`{"scheduledTime":"2026-04-01T10:00:00+02:00"}`, 1, true},
		"without its time":    {`{}`, 0, false},
		"another event's time": {
			`{"version":"0","id":"x","detail-type":"Scheduled ` +
				`Event","source":"aws.events","time":"2026-04-01T08:00:00Z"}`, 0, false},
		"the template's own": {`{"scheduledTime":"<aws.scheduler.scheduled-time>"}`, 0, false},
		"no JSON":            {`tick`, 0, false},
	} {
		app, _ := newApp(t)
		srv, _ := publisher(t)
		feed(t, app, srv.URL+"/")
		if err := app.Store.Leases.MarkCleaned(t.Context(), schedule.DayOf(schedule.TickOf(start)), 180); err != nil {
			t.Fatal(err)
		}
		err := lambda.Orchestrate(app)(t.Context(), json.RawMessage(c.event))
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		got, err := app.Queue.Receive(t.Context(), 10, 0)
		if err != nil || len(got) != c.messages {
			t.Errorf("%s: %d messages, %v", name, len(got), err)
		}
		for _, m := range got {
			j, err := job.Decode(m.Body)
			if err != nil || j.Kind != job.Scheduled || j.Tick != schedule.TickOf(start) {
				t.Errorf("%s: the message is %s, %v", name, m.Body, err)
			}
		}
	}
}

// TestBatchNamesOnlyWhatFailed: a message that nobody can read does not bring the others back.
//
func TestBatchNamesOnlyWhatFailed(t *testing.T) {
	t.Parallel()
	app, _ := newApp(t)
	srv, visits := publisher(t)
	feed(t, app, srv.URL+"/")
	batch := read[events.SQSEvent](t, "sqs-batch.json")
	answer, err := lambda.Crawl(app)(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.BatchItemFailures) != 1 || answer.BatchItemFailures[0].ItemIdentifier != batch.Records[1].MessageId {
		t.Errorf("failed are %+v", answer.BatchItemFailures)
	}
	f, err := app.Store.Feeds.Get(t.Context(), 1, true)
	if err != nil || f.Seq != 1 || *visits != 1 {
		t.Errorf("the feed has %d items after %d visits, %v", f.Seq, *visits, err)
	}
	// The queue gives at least once: the second delivery visits nobody.
	batch.Records = batch.Records[:1]
	if answer, err = lambda.Crawl(app)(t.Context(), batch); err != nil ||
		len(answer.BatchItemFailures) != 0 || *visits != 1 {
		t.Errorf("delivered again: %+v, %v, %d visits", answer, err, *visits)
	}
	b, err := json.Marshal(answer)
	if err != nil || !strings.Contains(string(b), `"batchItemFailures":`) {
		t.Errorf("the answer is %s", b)
	}
}

// TestHopelessMessagesAreBuriedWithTheirReason: what nobody can read at once, what fails by its last receive; the
// redrive policy would say no reason.
//
func TestHopelessMessagesAreBuriedWithTheirReason(t *testing.T) {
	t.Parallel()
	app, clk := newApp(t)
	feed(t, app, "http://192.0.2.1/feed")
	if _, err := app.Store.Leases.Take(t.Context(), 0, 1, start, start.Add(24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	busy := job.Job{Kind: job.First, Feeds: []reader.FeedID{1}}.Encode()
	if err := app.Queue.Send(t.Context(), [][]byte{[]byte("no JSON"), busy}, 0); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		got, err := app.Queue.Receive(t.Context(), 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		var e events.SQSEvent
		for _, d := range got {
			e.Records = append(e.Records, events.SQSMessage{
				MessageId: d.ID, ReceiptHandle: d.Handle, Body: string(d.Body), Attributes: map[string]string{
					"ApproximateReceiveCount": strconv.Itoa(d.Receives),
					"SentTimestamp":           strconv.FormatInt(d.Sent.UnixMilli(), 10),
				},
			})
		}
		if _, err := lambda.Crawl(app)(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		clk.Add(time.Minute)
	}
	dead, err := app.Queue.Dead(t.Context(), 10)
	if err != nil || len(dead) != 2 {
		t.Fatalf("dead letters: %+v, %v", dead, err)
	}
	for i, want := range []struct {
		body, reason string
		receives     int
	}{{"no JSON", "bad_message", 1}, {string(busy), "part_busy", 5}} {
		if d := dead[i]; string(d.Body) != want.body || !strings.Contains(d.Reason, want.reason) ||
			d.Receives != want.receives {
			t.Errorf("dead letter %d: %s after %d receives: %s", i, d.Body, d.Receives, d.Reason)
		}
	}
}

// TestBusyPartComesAgainSoon gives the message back to the queue for half a minute, not for its visibility.
func TestBusyPartComesAgainSoon(t *testing.T) {
	t.Parallel()
	app, clk := newApp(t)
	srv, visits := publisher(t)
	feed(t, app, srv.URL+"/")
	if _, err := app.Store.Leases.Take(t.Context(), 0, 1, start, start.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	body := job.Job{Kind: job.First, Feeds: []reader.FeedID{1}}.Encode()
	if err := app.Queue.Send(t.Context(), [][]byte{body}, 0); err != nil {
		t.Fatal(err)
	}
	receive := func() []queue.Delivery {
		t.Helper()
		got, err := app.Queue.Receive(t.Context(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	d := receive()[0]
	answer, err := lambda.Crawl(app)(t.Context(), events.SQSEvent{Records: []events.SQSMessage{
		{MessageId: d.ID, ReceiptHandle: d.Handle, Body: string(d.Body)},
	}})
	if err != nil || len(answer.BatchItemFailures) != 1 || *visits != 0 {
		t.Fatalf("a busy part answered %+v, %v", answer, err)
	}
	if clk.Add(29 * time.Second); len(receive()) != 0 {
		t.Error("it came again at once")
	}
	if clk.Add(time.Second); len(receive()) != 1 {
		t.Error("it did not come again after half a minute")
	}
}

// TestRequestsThroughTheAdapter sends what the HTTP API sends, and looks at what it gets back.
//
func TestRequestsThroughTheAdapter(t *testing.T) {
	t.Parallel()
	app, _ := newApp(t)
	srv, _ := publisher(t)
	owner := feed(t, app, srv.URL+"/")
	if _, err := lambda.Crawl(app)(t.Context(), read[events.SQSEvent](t, "sqs-batch.json")); err != nil {
		t.Fatal(err)
	}
	session, _, err := app.Auth.NewSession(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	api := lambda.API(app)
	call := func(method, path, body string,
		change func(*events.APIGatewayV2HTTPRequest)) events.APIGatewayV2HTTPResponse {
		t.Helper()
		e := read[events.APIGatewayV2HTTPRequest](t, "httpapi-get.json", "SESSION", session)
		e.RequestContext.HTTP.Method, e.RequestContext.HTTP.Path, e.RawPath, e.Body = method, path, path, body
		if change != nil {
			change(&e)
		}
		answer, err := api(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}

	first := call("GET", "/api/feeds", "", nil)
	if first.StatusCode != 200 || !first.IsBase64Encoded || !strings.Contains(unzip(t, first.Body), `"unreadCount":1`) {
		t.Fatalf("the list answers %d, %s", first.StatusCode, first.Body)
	}
	if small := call("GET", "/healthz", "", nil); small.StatusCode != 200 || small.IsBase64Encoded {
		t.Errorf("a small answer is %+v", small)
	}
	packed := call("GET", "/api/openapi.json", "", nil)
	if packed.StatusCode != 200 || !packed.IsBase64Encoded || packed.Headers["Content-Encoding"] != "gzip" {
		t.Fatalf("a large answer is %d, %v", packed.StatusCode, packed.Headers)
	}
	if doc := unzip(t, packed.Body); !json.Valid([]byte(doc)) {
		t.Errorf("unpacked it is %.100s", doc)
	}
	tag := strings.Trim(first.Headers["Etag"], `"`)
	again := call("GET", "/api/feeds", "", func(e *events.APIGatewayV2HTTPRequest) {
		e.Headers["if-none-match"] = strings.Replace(e.Headers["if-none-match"], "TAG", tag, 1)
	})
	if again.StatusCode != 304 || again.Body != "" {
		t.Errorf("the second of two tags answers %d", again.StatusCode)
	}
	if bare := call("GET", "/api/me", "", func(e *events.APIGatewayV2HTTPRequest) {
		e.Cookies = nil
	}); bare.StatusCode != 401 {
		t.Errorf("without cookies: %d", bare.StatusCode)
	}
	head := call("HEAD", "/api/feeds", "", nil)
	if head.StatusCode != 200 || head.Body != "" {
		t.Errorf("HEAD answers %d with %d bytes", head.StatusCode, len(head.Body))
	}

	// HTTP APIs hand paths over decoded: none of these is an address as it stands, and each is only not found.
	for _, path := range []string{"/api/items/100%", "/api/items/a#b", "/api/items/a b", "/api/items/\n",
		"/api/items/日本", "/api/items/%zz"} {
		if got := call("GET", path, "", nil); got.StatusCode != 404 || !strings.Contains(got.Body, `"code"`) {
			t.Errorf("%q answers %d: %.80s", path, got.StatusCode, got.Body)
		}
	}
	if got := call("GET", "/api/%66eeds", "", nil); got.StatusCode != 200 {
		t.Errorf("a path that is still encoded answers %d", got.StatusCode)
	}

	opml := `<opml version="2.0"><body><outline text="b" xmlUrl="https://example.org/f"/></body></opml>`
	for name, change := range map[string]func(*events.APIGatewayV2HTTPRequest){
		"as text": func(*events.APIGatewayV2HTTPRequest) {},
		"as base64": func(e *events.APIGatewayV2HTTPRequest) {
			e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(e.Body)), true
		},
	} {
		if got := call("POST", "/api/import/opml", opml, change); got.StatusCode != 200 {
			t.Errorf("an upload %s answers %d: %s", name, got.StatusCode, got.Body)
		}
	}
	foreign := call("POST", "/api/import/opml", opml, func(e *events.APIGatewayV2HTTPRequest) {
		e.Headers["sec-fetch-site"] = "cross-site"
	})
	if foreign.StatusCode != 403 {
		t.Errorf("another site's page answers %d", foreign.StatusCode)
	}

	// Other reader apps: an address in the path, which comes decoded, and forms, with and without a content type.
	password, err := app.Auth.NewToken(t.Context(), owner, "app", auth.ScopeSync, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	sync := func(e *events.APIGatewayV2HTTPRequest) {
		e.Cookies, e.Headers["authorization"], e.Headers["accept-encoding"] = nil, "GoogleLogin auth="+
			password, "identity"
		delete(e.Headers, "content-type")
	}
	if got := call("GET", "/reader/api/0/stream/contents/feed/"+srv.URL+"/", "", sync); got.StatusCode != 200 ||
		!strings.Contains(got.Body, `"items":[{`) {
		t.Errorf("the stream of an address answers %d: %.300s", got.StatusCode, got.Body)
	}
	for name, change := range map[string]func(*events.APIGatewayV2HTTPRequest){
		"as text": sync,
		"as base64": func(e *events.APIGatewayV2HTTPRequest) {
			sync(e)
			e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(e.Body)), true
		},
	} {
		got := call("POST", "/accounts/ClientLogin", "Email=owner%40localhost&Passwd="+password, change)
		if got.StatusCode != 200 || !strings.Contains(got.Body, "Auth="+password+"\n") {
			t.Errorf("a login %s answers %d: %s", name, got.StatusCode, got.Body)
		}
	}

	secret, err := app.Auth.NewLink(t.Context(), owner, auth.LinkLife)
	if err != nil {
		t.Fatal(err)
	}
	link := call("POST", "/auth/link/"+secret, "", nil)
	if link.StatusCode != 303 || link.Headers["Location"] != "/" || len(link.Cookies) != 1 ||
		!strings.HasPrefix(link.Cookies[0], "__Host-ruri=") || !strings.Contains(link.Cookies[0], "Secure") {
		t.Errorf("a link answers %d to %q, cookies %v", link.StatusCode, link.Headers["Location"], link.Cookies)
	}
	if _, there := link.Headers["Set-Cookie"]; there {
		t.Error("the cookie is a plain header too")
	}
}

// TestUploadsFitIntoAnEvent: the largest file that is taken comes in one event, as base64, and what is larger is told
// the limit as long as it reaches the function.
func TestUploadsFitIntoAnEvent(t *testing.T) {
	t.Parallel()
	app, _ := buildApp(t, func(s *wire.Seams) { s.MaxUpload = awswire.MaxUpload })
	owner, err := app.Auth.EnsureOwner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	session, _, err := app.Auth.NewSession(t.Context(), owner.ID())
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int]string{awswire.MaxUpload: "not_takeout", awswire.MaxUpload +
		1: "larger than 4 MB"} {
		e := read[events.APIGatewayV2HTTPRequest](t, "httpapi-get.json", "SESSION", session)
		e.RequestContext.HTTP.Method, e.RequestContext.HTTP.Path, e.RawPath = "POST", "/api/users/me/import",
			"/api/users/me/import"
		e.Body, e.IsBase64Encoded = base64.StdEncoding.EncodeToString(make([]byte, size)), true
		event, err := json.Marshal(e)
		if err != nil || len(event)+10<<10 > lambdahost.MaxPayload { // headers take up to 10 KB
			t.Errorf("the event of %d bytes has %d, %v", size, len(event), err)
		}
		if answer, err := lambda.API(app)(t.Context(), e); err != nil || !strings.Contains(answer.Body, want) {
			t.Errorf("%d bytes: %d %s, %v", size, answer.StatusCode, answer.Body, err)
		}
	}
}

func unzip(t *testing.T, body string) string {
	t.Helper()
	packed, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// TestInvocationDeadlineReachesHandlers: what is left of it bounds the request.
func TestInvocationDeadlineReachesHandlers(t *testing.T) {
	t.Parallel()
	app, _ := newApp(t)
	owner, err := app.Auth.EnsureOwner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	session, _, err := app.Auth.NewSession(t.Context(), owner.ID())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	answer, err := lambda.API(app)(ctx, read[events.APIGatewayV2HTTPRequest](t, "httpapi-get.json", "SESSION", session))
	if err != nil || answer.StatusCode != 503 {
		t.Errorf("after its deadline a request answers %d, %v", answer.StatusCode, err)
	}
}
