package rehearse

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
)

// Check walks once through the stack from outside: the page with its headers, signing in, import, crawl by message,
// a list, an item, marks, a star, export, and a tick of the schedule that finds what is new. The browser's walk does
// the same in more detail; this one needs no browser.
func (s *Stack) Check(ctx context.Context) error {
	w, err := newWalker(ctx, s)
	if err != nil {
		return err
	}
	publisher, items := growingFeed()
	defer publisher.Close()
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"the page", w.page},
		{"signing in", w.signIn},
		{"odd requests", w.odd},
		{"import and crawl", func() error { return w.importFeed(publisher.URL) }},
		{"reading, marking, starring", w.read},
		{"export", func() error { return w.export(publisher.URL) }},
		{"a tick of the schedule", func() error { items.Add(1); return w.tick() }},
		{"cold starts", func() error {
			s.Host.Recycle()
			return w.expectItems(map[bool]int{false: 3, true: 2}[w.late])
		}},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	if denied := s.Denied(); len(denied) > 0 {
		return fmt.Errorf("roles did not allow:\n  %s", strings.Join(denied, "\n  "))
	}
	return nil
}

// growingFeed serves a feed that has as many items as asked.
func growingFeed() (*httptest.Server, *atomic.Int64) {
	items := new(atomic.Int64)
	items.Store(2)
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = io.WriteString(w, `<rss version="2.0"><channel><title>Rehearsed</title>`)
		for i := range items.Load() {
			_, _ = fmt.Fprintf(w, `<item><guid>%d</guid><title>Item %d</title><description>%s</description></item>`, i, i, strings.Repeat("Text. ", 300))
		}
		_, _ = io.WriteString(w, `</channel></rss>`)
	})), items
}

type walker struct {
	ctx    context.Context
	s      *Stack
	client *http.Client
	late   bool // the tick was too late to be crawled
}

func newWalker(ctx context.Context, s *Stack) (*walker, error) {
	pem, err := os.ReadFile(s.rig.certFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	jar, err := cookiejar.New(nil)
	return &walker{ctx: ctx, s: s, client: &http.Client{
		Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true},
	}}, err
}

// call sends a request and wants a status; into takes the JSON answer.
func (w *walker) call(method, path, body string, status int, into any) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(w.ctx, method, w.s.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Cache-Control", "no-cache") // a list may be a minute old otherwise
	if body != "" && body[0] == '{' {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := w.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != status {
		err = fmt.Errorf("%s %s answers %d, not %d: %.300s", method, path, res.StatusCode, status, b)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(b, into)
	}
	return res, b, err
}

func (w *walker) page() error {
	for _, path := range []string{"/", "/feed/12/i/3", "/login"} {
		res, b, err := w.call("GET", path, "", 200, nil)
		if err != nil {
			return err
		}
		if !bytes.Contains(b, []byte("<html")) {
			return fmt.Errorf("%s is %.80s", path, b)
		}
		for _, h := range []string{"Content-Security-Policy", "Strict-Transport-Security", "X-Content-Type-Options", "Referrer-Policy", "Permissions-Policy"} {
			if res.Header.Get(h) == "" {
				return fmt.Errorf("%s has no %s", path, h)
			}
		}
	}
	if _, _, err := w.call("GET", "/assets/none.js", "", 404, nil); err != nil {
		return err
	}
	_, _, err := w.call("GET", "/healthz", "", 200, nil)
	return err
}

func (w *walker) signIn() error {
	if _, _, err := w.call("GET", "/api/me", "", 401, nil); err != nil {
		return err
	}
	link, err := w.s.Link(w.ctx, "")
	if err != nil {
		return err
	}
	path := strings.TrimPrefix(link, w.s.URL)
	if _, _, err := w.call("GET", path, "", 200, nil); err != nil { // a page with a button, which signs nobody in
		return err
	}
	if _, _, err := w.call("GET", "/api/me", "", 401, nil); err != nil {
		return err
	}
	if _, _, err := w.call("POST", path, "", 200, nil); err != nil {
		return err
	}
	_, _, err = w.call("GET", "/api/me", "", 200, nil)
	return err
}

// odd sends what the gateway changes or refuses: nothing of it may end as a failure of the function.
func (w *walker) odd() error {
	for _, path := range []string{"/api/items/100%25", "/api/items/a%23b?c=d", "/api/items/a%20b%2Fc", "/api/items/%E6%97%A5%0A"} {
		if _, _, err := w.call("GET", path, "", 404, nil); err != nil {
			return err
		}
	}
	if _, _, err := w.call("POST", "/api/import/opml", strings.Repeat("x", lambdahost.MaxPayload), 413, nil); err != nil {
		return err
	}
	_, _, err := w.call("POST", "/feed/12", "", 403, nil) // the page takes no changes
	return err
}

func (w *walker) importFeed(address string) error {
	opml := `<opml version="2.0"><body><outline text="r" xmlUrl="` + address + `/feed"/></body></opml>`
	if _, _, err := w.call("POST", "/api/import/opml", opml, 200, nil); err != nil {
		return err
	}
	if err := w.s.Drained(w.ctx); err != nil {
		return err
	}
	return w.expectItems(2)
}

type page struct {
	Items []struct {
		ID, Title         string
		IsRead, IsStarred bool
	}
}

func (w *walker) expectItems(n int) error {
	var p page
	if _, _, err := w.call("GET", "/api/items?limit=50", "", 200, &p); err != nil {
		return err
	}
	if len(p.Items) != n {
		return fmt.Errorf("%d items, want %d", len(p.Items), n)
	}
	return nil
}

func (w *walker) read() error {
	var p page
	if _, _, err := w.call("GET", "/api/items", "", 200, &p); err != nil {
		return err
	}
	path := "/api/items/" + p.Items[0].ID
	var one struct {
		Item struct{ ContentState, ContentHTML string }
	}
	for range 2 { // parsed, then from the cache
		if _, _, err := w.call("GET", path, "", 200, &one); err != nil {
			return err
		}
		if one.Item.ContentState != "full" || !strings.Contains(one.Item.ContentHTML, "Text.") {
			return fmt.Errorf("the body is %s %.60s", one.Item.ContentState, one.Item.ContentHTML)
		}
	}
	var state struct {
		Totals struct{ Unread, Starred int }
	}
	if _, _, err := w.call("PUT", path+"/state", `{"isRead":true,"isStarred":true}`, 200, &state); err != nil {
		return err
	}
	if state.Totals.Unread != 1 || state.Totals.Starred != 1 {
		return fmt.Errorf("after one was read and starred the totals are %+v", state.Totals)
	}
	return nil
}

func (w *walker) export(address string) error {
	_, b, err := w.call("GET", "/api/export/opml", "", 200, nil)
	if err == nil && !bytes.Contains(b, []byte(`xmlUrl="`+address+`/feed"`)) {
		err = fmt.Errorf("the feed is not in %.300s", b)
	}
	return err
}

// tick makes the feed's turn fall into this tick, and fires it. In the last minutes of a tick, in which no run may
// start, it is dropped, as it should be; then only that is looked at.
func (w *walker) tick() error {
	now := time.Now()
	t := schedule.TickOf(now)
	row, err := w.s.App.Store.Feeds.Get(w.ctx, 1, true)
	if err != nil {
		return err
	}
	_, err = w.s.client.dynamodb.UpdateItem(w.ctx, &dynamodb.UpdateItemInput{
		TableName:                aws.String(w.s.d.Outputs["TableName"]),
		Key:                      map[string]types.AttributeValue{"pk": text(row.PK), "sk": text(row.SK)},
		UpdateExpression:         aws.String("SET #first = :first, #period = :period REMOVE polled"),
		ExpressionAttributeNames: map[string]string{"#first": "first", "#period": "period"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":first": &types.AttributeValueMemberN{Value: strconv.Itoa(int(t))}, ":period": &types.AttributeValueMemberN{Value: "1"},
		},
	})
	if err != nil {
		return err
	}
	if err := w.s.Tick(w.ctx, now); err != nil {
		return err
	}
	if !t.MayStart(time.Now()) {
		w.late = true
		return w.expectItems(2)
	}
	return w.expectItems(3)
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
