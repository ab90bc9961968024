package icon_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/favicon"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
	"github.com/ruri-reader/ruri/internal/wire/iconwire"
)

var bg = context.Background()

// outbox keeps what is sent.
type outbox struct {
	jobs  []job.Job
	delay time.Duration
}

func (o *outbox) Send(_ context.Context, bodies [][]byte, delay time.Duration) error {
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return err
		}
		o.jobs = append(o.jobs, j)
	}
	o.delay = delay
	return nil
}

// lab is a world whose crawler asks for icons, and the service that finds them.
type lab struct {
	*flow.Env
	p     *flow.Process
	icons *icon.Service
	out   *outbox
}

func newLab(t *testing.T) *lab {
	t.Helper()
	w := flow.New(t, 1, 1)
	l := &lab{Env: w, out: &outbox{}}
	l.p = w.Process(crawl.Options{Queue: l.out})
	l.icons = l.another()
	return l
}

// another is a service of another process.
func (l *lab) another() *icon.Service {
	return icon.New(l.p.Store, blob.New(l.Blobs), l.Visitor(l.p.Dead), l.p.Crawler, l.out, l.Clock,
		slog.New(slog.DiscardHandler),
		iconwire.Shrink)
}

// add subscribes to a feed of a site, whose channel has more elements.
func (l *lab) add(host, head string) (*flow.Site, reader.FeedID) {
	l.T.Helper()
	s := l.Web.Site("https://"+host+"/feed", 3)
	s.Head = head
	f, _, err := l.p.Subscribe.Add(bg, flow.User, s.URL, subscribe.Options{})
	if err != nil {
		l.T.Fatal(err)
	}
	return s, f.ID()
}

// file puts something at an address; an empty body is a 404.
func (l *lab) file(url, body string) *flow.Site {
	s := l.Web.Site(url, 1)
	s.ContentType, s.Body = "text/html", func() string { return body }
	if body == "" {
		s.Answer = func(flow.Visit) (int, time.Duration, error) { return 404, 0, nil }
	}
	return s
}

func picture(w, h int, shade uint8) string {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 0xFF
	}
	img.Set(0, 0, color.NRGBA{shade, 0, 0, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.String()
}

// work runs the messages that are waiting, once.
func (l *lab) work() {
	l.T.Helper()
	jobs := l.out.jobs
	l.out.jobs = nil
	for _, j := range jobs {
		if err := l.icons.Run(bg, j); err != nil {
			l.T.Fatal(err)
		}
	}
}

func (l *lab) hash(id reader.FeedID) string { return fmt.Sprintf("%x", l.Feed(id).IconHash) }

// G-11: an icon is found after the first crawl, off it, and kept under its hash.
func TestFind(t *testing.T) {
	t.Parallel()
	const image = "<image><url>https://pics.example/sign.png</url></image>"
	tests := []struct {
		name, head string
		files      map[string]string
		want       string // address whose picture is taken
	}{
		{"the feed's own", image, map[string]string{"https://pics.example/sign.png": picture(100, 100, 1),
			"https://a.example/favicon.ico": picture(16, 16, 2)}, "https://pics.example/sign.png"},
		{"a banner waits", image, map[string]string{"https://pics.example/sign.png": picture(300, 100, 1),
			"https://a.example/favicon.ico": picture(16, 16, 2)}, "https://a.example/favicon.ico"},
		{"a banner is better than nothing", image,
			map[string]string{"https://pics.example/sign.png": picture(300, 100, 1)}, "https://pics.example/sign.png"},
		{"the page's", "",
			map[string]string{"https://a.example/feed": "", "https://a.example/i.png": picture(64, 64, 3),
				"https://a.example/favicon.ico": picture(16, 16, 2)}, "https://a.example/i.png"},
		{"what a page calls an icon may be none", "",
			map[string]string{"https://a.example/i.png": "<html>", "https://a.example/favicon.ico": picture(16, 16, 2)},
			"https://a.example/favicon.ico"},
		{"small ones wait", strings.Replace(image, "sign", "s", 1), map[string]string{
			"https://pics.example/s.png": picture(16, 16, 1), "https://a.example/i.png": picture(24, 24, 2),
			"https://a.example/favicon.ico": picture(32, 32, 3)}, "https://a.example/favicon.ico"},
		{"the manifest's", "", map[string]string{"https://a.example/i.png": picture(16, 16, 1),
			"https://a.example/app.json": `{"icons":[{"src":"/tiny.png","sizes":"16x16"},{"src":"big.png","sizes":"192x192"}]}`,
			"https://a.example/big.png":  picture(192, 192, 2)}, "https://a.example/big.png"},
		{"at the address of home screens", "", map[string]string{"https://a.example/favicon.ico": picture(16, 16, 1),
			"https://a.example/apple-touch-icon.png": picture(120, 120, 2)}, "https://a.example/apple-touch-icon.png"},
		{"a drawing is sharper than a small one", "", map[string]string{"https://a.example/i.png": drawing,
			"https://a.example/favicon.ico": picture(16, 16, 1)}, "https://a.example/i.png"},
		{"but apps can show others", "", map[string]string{"https://a.example/i.png": drawing,
			"https://a.example/favicon.ico": picture(32, 32, 1)}, "https://a.example/favicon.ico"},
		{"the largest of small ones", "", map[string]string{"https://a.example/i.png": picture(16, 16, 1),
			"https://a.example/favicon.ico": picture(24, 24, 2)}, "https://a.example/favicon.ico"},
		{"none", "", map[string]string{"https://a.example/favicon.ico": "<svg/>"}, ""},
		{"closed to us", "", map[string]string{"https://a.example/robots.txt": "User-agent: *\nDisallow: /favicon",
			"https://a.example/favicon.ico": picture(16, 16, 2)}, ""},
		{"out of order", "",
			map[string]string{"https://a.example/robots.txt": "-", "https://a.example/favicon.ico": picture(16, 16, 2)},
			""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			s, id := l.add("a.example", tt.head)
			visits := len(s.Visits)
			for _, host := range []string{"a.example", "pics.example"} {
				l.file("https://"+host+"/robots.txt", "")
			}
			for address, body := range tt.files {
				if address != s.URL {
					l.file(address, body)
				}
			}
			if tt.files["https://a.example/robots.txt"] == "-" {
				l.Web.Of("https://a.example/robots.txt").Answer = func(flow.Visit) (int, time.Duration, error) {
					return 503, 0, nil
				}
			}
			// The channel's link is the feed's address in this world: it stands for the site's page.
			s.ContentType, s.Body = "text/html", func() string {
				return `<link rel=icon href=/i.png><link rel=manifest href=/app.json>`
			}
			if len(l.out.jobs) != 1 || l.out.jobs[0].Kind != job.Icon || visits != 1 {
				t.Fatalf("messages %+v after %d visits", l.out.jobs, visits)
			}
			l.work()
			f := l.Feed(id)
			if f.IconAt == 0 {
				t.Error("it is not noted that the icon was looked for")
			}
			if tt.want == "" {
				if len(f.IconHash) > 0 {
					t.Error("an icon out of nothing")
				}
				return
			}
			made, err := favicon.Make([]byte(tt.files[tt.want]))
			if err != nil {
				t.Fatal(err)
			}
			got, err := l.icons.Get(bg, store.IconName(f.IconHash))
			if err != nil || !bytes.Equal(got.Body, made.Body) {
				t.Errorf("%d bytes, %v; want the icon of %s", len(got.Body), err, tt.want)
			}
			if n := l.Web.WorstOverlap(); n != 1 {
				t.Errorf("%d requests at once", n)
			}
		})
	}
}

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text y="8">🎯</text></svg>`

// An icon may be written into the page, in either encoding of a data: URL.
func TestIconInThePage(t *testing.T) {
	t.Parallel()
	for kind, address := range map[string]string{
		"image/svg+xml": "data:image/svg+xml," + url.PathEscape(drawing),
		"image/png":     "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(picture(32, 32, 1))),
		"":              "data:image/png;base64,%",
	} {
		l := newLab(t)
		s, id := l.add("a.example", "")
		l.file("https://a.example/robots.txt", "")
		s.ContentType, s.Body = "text/html", func() string { return `<link rel=icon href="` + address + `">` }
		l.work()
		got, err := l.icons.Get(bg, store.IconName(l.Feed(id).IconHash))
		if got.ContentType != kind || kind == "image/svg+xml" && string(got.Body) != drawing {
			t.Errorf("%s: %s %q, %v", address, got.ContentType, got.Body, err)
		}
	}
}

// Twenty feeds of one host, added one after the other, cost it one look at its robots.txt, its front page and its
// icons, whichever process takes the messages; a day later it may have others.
func TestOneLookForAHost(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	const feeds = 20
	var looks []*flow.Site
	for path, body := range map[string]string{
		"robots.txt": "User-agent: *\nDisallow: /closed",
		"":           `<link rel=icon href=/i.png><link rel=icon href=/banner.png sizes=64x64>`,
		"i.png":      "<html>", "banner.png": picture(300, 100, 1), "favicon.ico": picture(16, 16, 2),
	} {
		looks = append(looks, l.file("https://a.example/"+path, body))
	}
	other := l.another()
	for i := range feeds {
		s := l.Web.Site(fmt.Sprintf("https://a.example/feed/%d", i), 3)
		f, _, err := l.p.Subscribe.Add(bg, flow.User, s.URL, subscribe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.p.Store.Feeds.Modify(bg, f.ID(), func(f *store.FeedRow) {
			f.Site = "https://a.example/"
		}); err != nil {
			t.Fatal(err)
		}
		l.work()
		l.icons, other = other, l.icons
		if got, want := l.hash(f.ID()), l.hash(1); got != want || got == "" {
			t.Errorf("feed %d has the icon %q, the first %q", i, got, want)
		}
	}
	for _, s := range looks {
		if s.Count != 1 {
			t.Errorf("%s was asked for %d times", s.URL, s.Count)
		}
	}
	l.Advance(24 * time.Hour)
	_, _ = l.add("a.example", "")
	l.work()
	if n := l.Web.Of("https://a.example/robots.txt").Count; n != 2 {
		t.Errorf("robots.txt was asked for %d times within a day and after", n)
	}
}

// A failure is made up for after a week at the earliest, a success renewed after a month, and both only when the
// feed has news; a failure keeps the icon that there was.
func TestAgain(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	s, id := l.add("a.example", "<image><url>https://a.example/sign.png</url></image>")
	l.file("https://a.example/robots.txt", "")
	l.file("https://a.example/favicon.ico", "")
	sign := l.file("https://a.example/sign.png", "")
	turn := func(days int, news bool) int {
		t.Helper()
		l.Advance(time.Duration(days) * 24 * time.Hour)
		if news {
			s.Publish(l.Now(), 1)
		}
		before := sign.Count
		tick := l.Feed(id).Turns().NextTurn(l.Tick())
		l.To(tick, time.Second)
		if _, err := l.p.Crawler.Run(bg, job.Job{Kind: job.Scheduled, Tick: tick, Feeds: []reader.FeedID{id}},
			1); err != nil {
			t.Fatal(err)
		}
		l.work()
		return sign.Count - before
	}
	l.work()
	if n := turn(1, true); n != 0 {
		t.Errorf("asked %d times a day after a failure", n)
	}
	if n := turn(7, false); n != 0 {
		t.Errorf("asked %d times without news", n)
	}
	sign.Answer, sign.Body = nil, func() string { return picture(64, 64, 1) }
	if n := turn(1, true); n != 1 || l.hash(id) == "" {
		t.Errorf("asked %d times after a week, hash %q", n, l.hash(id))
	}
	had := l.hash(id)
	if n := turn(8, true); n != 0 {
		t.Errorf("asked %d times a week after a success", n)
	}
	sign.Answer = func(flow.Visit) (int, time.Duration, error) { return 404, 0, nil }
	if n := turn(30, true); n != 1 || l.hash(id) != had {
		t.Errorf("asked %d times after a month, hash %q", n, l.hash(id))
	}
}

// A message that comes twice asks nobody twice; a busy host and the end of time leave the rest for later.
func TestMessages(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var ids []reader.FeedID
	for i := range 4 {
		host := fmt.Sprintf("h%d.example", i)
		_, id := l.add(host, "")
		l.file("https://"+host+"/robots.txt", "")
		l.file("https://"+host+"/favicon.ico", picture(16, 16, 9)).Latency = 20 * time.Second
		ids = append(ids, id)
	}
	l.out.jobs = nil
	all := job.Job{Kind: job.Icon, Feeds: ids}
	run := func(j job.Job) {
		t.Helper()
		if err := l.icons.Run(bg, j); err != nil {
			t.Fatal(err)
		}
	}
	free, err := l.p.Crawler.Hold(bg, "https://h0.example/")
	if err != nil {
		t.Fatal(err)
	}
	run(all)
	if len(l.out.jobs) != 1 || len(l.out.jobs[0].Feeds) != 4 || l.out.delay < time.Second {
		t.Errorf("while the host is busy: %+v", l.out.jobs)
	}
	free()
	l.out.jobs = nil
	run(all)
	if len(l.out.jobs) != 1 || len(l.out.jobs[0].Feeds) != 2 {
		t.Fatalf("at the end of time: %+v", l.out.jobs)
	}
	l.work()
	run(all) // the first message once more
	for i, id := range ids {
		if n := l.Web.Of(fmt.Sprintf("https://h%d.example/favicon.ico", i)).Count; n != 1 {
			t.Errorf("host %d was asked %d times", i, n)
		}
		if l.hash(id) != l.hash(ids[0]) || l.hash(id) == "" {
			t.Errorf("feed %d has the icon %q", id, l.hash(id))
		}
	}
	icons := 0
	for _, k := range l.Blobs.Keys() {
		if strings.HasPrefix(k, store.IconPrefix) {
			icons++
		}
	}
	if icons != 1 {
		t.Errorf("the one picture is stored %d times", icons)
	}
	run(job.Job{Kind: job.Icon, Feeds: []reader.FeedID{9999}}) // a feed that is gone
	for _, name := range []string{"", "x.png", strings.Repeat("0", 64) + ".png", strings.Repeat("A", 64) + ".png",
		"../" + strings.Repeat("0", 61) + ".png"} {
		if _, err := l.icons.Get(bg, name); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
