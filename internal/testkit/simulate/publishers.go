package simulate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
)

// Publishers that behave like real ones, in what costs depend on: how often they publish, how large their
// documents are, whether they send validators, how seldom they fail. Rates spread over four orders of
// magnitude: a few news sites write most of what is read, most sites write a few times a month.
const (
	medianRate = 0.7 // items a day of the middle feed
	rateSpread = 1.7 // sigma of the log-normal distribution: the mean is about three items a day
	maxRate    = 80
	batchMean  = 1.8 // items that appear together

	listed       = 24   // items of a document
	withoutPairs = 0.25 // share of feeds that send neither ETag nor Last-Modified
	withMaxAge   = 0.3  // share that sends a max-age
	failing      = 0.004
	hostsEach    = 0.7 // hosts for each feed: some platforms carry many
)

// usualTrip is a long-distance round trip with the server's processing.
const usualTrip = 300 * time.Millisecond

// publisher is one feed's site.
type publisher struct {
	url   string
	rate  float64 // events a day
	peak  float64 // hour of UTC around which it publishes
	plain bool    // sends no validators
	age   time.Duration

	version int
	items   []entry // newest first
	next    time.Time
	body    int // bytes of text of an item
	etag    string
}

type entry struct {
	id int
	at time.Time
}

// web is all publishers. It is for one goroutine.
type web struct {
	rnd   *rand.Rand
	now   func() time.Time
	byURL map[string]*publisher
	all   []*publisher
	words string
	// bookmarks is asked for counts; nil where counts are off.
	bookmarks *bookmarks

	// visits of the invocation under way, for its duration.
	visits []visit
	bytes  int64
}

type visit struct {
	host string
	took time.Duration
}

// zone is the last part of all host names; publicZone is where pages are that a provider of counts may be asked for.
const zone, publicZone = "example", "example.org"

func newWeb(rnd *rand.Rand, now func() time.Time, feeds int, news float64, counts bool) *web {
	zone := zone
	if news <= 0 {
		news = 1
	}
	w := &web{rnd: rnd, now: now, byURL: make(map[string]*publisher, feeds), words: words(rnd)}
	if counts {
		zone, w.bookmarks = publicZone, &bookmarks{now: now, seen: map[string]time.Time{}}
	}
	hosts := max(1, int(hostsEach*float64(feeds)))
	for i := range feeds {
		host := i
		if host >= hosts { // the rest lives on the platforms
			host = rnd.IntN(max(1, hosts/10))
		}
		p := &publisher{
			url:   fmt.Sprintf("https://site%d.%s/feed/%d.xml", host, zone, i),
			rate:  min(maxRate, news*medianRate*math.Exp(rateSpread*rnd.NormFloat64())) / batchMean,
			peak:  24 * rnd.Float64(),
			plain: rnd.Float64() < withoutPairs,
			// The middle document is 35 KB, one in a hundred 400 KB.
			body: int(min(16_000, 1_100*math.Exp(0.9*rnd.NormFloat64()))),
		}
		if rnd.Float64() < withMaxAge {
			p.age = []time.Duration{5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour}[rnd.IntN(4)]
		}
		w.past(p)
		w.byURL[p.url] = p
		w.all = append(w.all, p)
	}
	return w
}

// past gives a publisher what it had written before anybody looked.
func (w *web) past(p *publisher) {
	at, ids := w.now(), listed
	for len(p.items) < listed {
		at = at.Add(-w.pause(p))
		for range w.batch() {
			p.items = append(p.items, entry{id: ids, at: at})
			ids--
		}
	}
	p.items = p.items[:listed]
	p.next = w.now().Add(w.pause(p))
}

// pause is how long until a publisher's next event: exponential, stretched by its night.
func (w *web) pause(p *publisher) time.Duration {
	days := w.rnd.ExpFloat64() / p.rate
	return time.Duration(min(days, 400) * float64(24*time.Hour))
}

func (w *web) batch() int {
	n := 1
	for w.rnd.Float64() < 1-1/batchMean && n < 10 {
		n++
	}
	return n
}

// publish lets all publishers write what is due. By night, four of five events wait for the morning.
func (w *web) publish() (events, items int) {
	now := w.now()
	for _, p := range w.all {
		for !p.next.After(now) {
			at := p.next
			p.next = at.Add(w.pause(p))
			if away := math.Abs(math.Mod(float64(at.Hour())-p.peak+36, 24) - 12); away > 8 && w.rnd.Float64() < 0.8 {
				p.next = at.Add(time.Duration((away - 7) * float64(time.Hour)))
				continue
			}
			n := w.batch()
			for range n {
				p.items = append([]entry{{id: p.items[0].id + 1, at: at}}, p.items[:listed-1]...)
			}
			p.version++
			p.etag = ""
			events++
			items += n
		}
	}
	return events, items
}

// Do implements fetch.Fetcher.
func (w *web) Do(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	if w.bookmarks != nil && strings.HasPrefix(r.URL, bookmarksHost) {
		w.visits = append(w.visits, visit{fetch.HostOf(r.URL), usualTrip})
		return w.bookmarks.answer(r.URL)
	}
	p := w.byURL[r.URL]
	if p == nil {
		return nil, &fetch.Error{Code: fetch.CodeDNSFailure, NoResponse: true}
	}
	// A long-distance round trip and the server's processing: the median is 300 ms, one in twenty takes a second.
	took := time.Duration(math.Exp(0.75*w.rnd.NormFloat64()) * float64(usualTrip))
	w.visits = append(w.visits, visit{fetch.HostOf(r.URL), min(took, 10*time.Second)})
	if w.rnd.Float64() < failing {
		return &fetch.Response{Status: 502, FinalURL: p.url}, nil
	}
	resp := &fetch.Response{Status: 200, FinalURL: p.url, MaxAge: p.age, ContentType: "application/rss+xml"}
	if !p.plain {
		if p.etag == "" {
			p.etag = fmt.Sprintf(`"%x-%d"`, len(p.url), p.version)
		}
		resp.ETag = p.etag
		if r.ETag == p.etag {
			resp.Status, resp.NotModified, resp.ContentType = 304, true, ""
			return resp, nil
		}
	}
	resp.Body = w.document(p)
	resp.WireBytes = int64(len(resp.Body)) / 3 // they are sent compressed
	w.bytes += resp.WireBytes
	return resp, nil
}

// document writes a feed as it is now, RSS 2.0.
func (w *web) document(p *publisher) []byte {
	var b strings.Builder
	b.Grow(listed * (p.body + 400))
	fmt.Fprintf(&b, `<?xml version="1.0"?><rss version="2.0"><channel><title>%s</title><link>%s</link>`,
		w.text(len(p.url)*977, 20), p.url)
	for _, e := range p.items {
		// An item's text follows from its number, or it would be an edited one at each visit.
		at := (e.id*7919 + len(p.url)*104729) % len(w.words)
		fmt.Fprintf(&b,
			`<item><guid isPermaLink="false">%s#%d</guid><title>%s</title><link>%s?item=%d</link><pubDate>%s</pubDate><description><![CDATA[<p>%s</p>]]></description></item>`,
			p.url, e.id, w.text(at, 60), p.url, e.id, e.at.Format(time.RFC1123Z), w.text(at, p.body))
	}
	b.WriteString(`</channel></rss>`)
	return []byte(b.String())
}

// text cuts n bytes out of the words, from some place on.
func (w *web) text(at, n int) string {
	at %= len(w.words)
	for at+n > len(w.words) {
		at /= 2
	}
	return w.words[at : at+n]
}

// words is text that compresses like text: words of a skewed frequency.
func words(rnd *rand.Rand) string {
	lexicon := make([]string, 4000)
	for i := range lexicon {
		n := 2 + rnd.IntN(4) + rnd.IntN(5)
		word := make([]byte, n)
		for j := range word {
			word[j] = "etaoinshrdlucmfwypvbgk"[min(rnd.IntN(22), rnd.IntN(22))]
		}
		lexicon[i] = string(word)
	}
	var b strings.Builder
	for b.Len() < 1<<19 {
		i := int(float64(len(lexicon)) * math.Pow(rnd.Float64(), 3))
		b.WriteString(lexicon[i])
		b.WriteByte(' ')
	}
	return b.String()
}
