package crawl_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// outcome is one way in which a poll can end.
type outcome struct {
	name   string
	change func(p *page)
	want   reader.Outcome
	items  int
	status reader.FeedStatus
	code   string
	// rows of the feed and of its items that are written beside lease and run.
	feed, delta int64
}

func status(n int) func(*page) { return func(p *page) { p.status = n } }

func outcomes() []outcome {
	return []outcome{
		{name: "304", change: func(*page) {}, want: reader.OutcomeNotModified, status: reader.StatusActive},
		{name: "304 with another ETag", change: func(p *page) {
			p.serve = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Etag", `"9"`)
				w.WriteHeader(304)
			}
		}, want: reader.OutcomeNotModified, status: reader.StatusActive, feed: 1},
		{name: "200 with news", change: func(p *page) { p.etag, p.body = `"2"`, rss("", numbered(1, 32)...) },
			want: reader.OutcomeChanged, items: 2, status: reader.StatusActive, feed: 1, delta: 1},
		{name: "200 with the same bytes", change: func(p *page) { p.serve = plainly(p.body, `"1"`) },
			want: reader.OutcomeUnchanged, status: reader.StatusActive},
		{name: "200 with the same content in other bytes", change: func(p *page) {
			p.serve = plainly(rss("<lastBuildDate>Tue, 01 Sep 2026 10:00:00 GMT</lastBuildDate><!-- ad 17 -->",
				numbered(1, 30)...), `"1"`)
		}, want: reader.OutcomeUnchanged, status: reader.StatusActive},
		{name: "200 with the same content and another pair", change: func(p *page) { p.etag = `"2"` },
			want: reader.OutcomeUnchanged, status: reader.StatusActive, feed: 1},
		{name: "200 with another title of the channel", change: func(p *page) {
			p.etag, p.body = `"2"`, strings.Replace(p.body, "A feed", "A renamed feed", 1)
		}, want: reader.OutcomeChanged, status: reader.StatusActive, feed: 1},
		{name: "404", change: status(404), want: reader.OutcomeFailed, status: reader.StatusStopped,
			code: reader.CodeHTTP404, feed: 1},
		{name: "410", change: status(410), want: reader.OutcomeFailed, status: reader.StatusStopped,
			code: reader.CodeHTTP410, feed: 1},
		{name: "401", change: status(401), want: reader.OutcomeFailed, status: reader.StatusStopped,
			code: reader.CodeHTTP401, feed: 1},
		{name: "403", change: status(403), want: reader.OutcomeFailed, status: reader.StatusStopped,
			code: reader.CodeHTTP403, feed: 1},
		{name: "403 with a challenge in its header", change: func(p *page) { p.serve = refuses("challenge", "no") },
			want: reader.OutcomeFailed, status: reader.StatusStopped, code: reader.CodeChallenged, feed: 1},
		{name: "403 with a challenge in its body", change: func(p *page) {
			p.serve = refuses("", "<title>Just a moment...</title>")
		},
			want: reader.OutcomeFailed, status: reader.StatusStopped, code: reader.CodeChallenged, feed: 1},
		{name: "403 with a page", change: func(p *page) { p.serve = refuses("", "<h1>Forbidden</h1>") },
			want: reader.OutcomeFailed, status: reader.StatusStopped, code: reader.CodeHTTP403, feed: 1},
		{name: "429", change: status(429), want: reader.OutcomeFailed, status: reader.StatusError,
			code: reader.CodeHTTP429, feed: 1},
		{name: "500", change: status(500), want: reader.OutcomeFailed, status: reader.StatusError,
			code: reader.CodeHTTP5xx, feed: 1},
		{name: "418", change: status(418), want: reader.OutcomeFailed, status: reader.StatusError,
			code: "http_418", feed: 1},
		{name: "204", change: status(204), want: reader.OutcomeFailed, status: reader.StatusError,
			code: "http_204", feed: 1},
	}
}

// refuses answers 403 with a page.
func refuses(mitigated, page string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		set(w.Header(), "Cf-Mitigated", mitigated)
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(page))
	}
}

func plainly(body, etag string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		set(w.Header(), "Etag", etag)
		_, _ = w.Write([]byte(body))
	}
}

// G-64
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, c := range outcomes() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.page("/feed", rss("", numbered(1, 30)...))
			id := l.feed(l.url("/feed"))
			l.want(id, reader.OutcomeChanged, 30)
			l.want(id, reader.OutcomeNotModified, 0)
			p.change(c.change)
			var rows int64
			var units map[string]float64
			before := l.row(id)
			blobs := len(l.blobs.Keys())
			rows, units = l.writes(func() { l.want(id, c.want, c.items) })
			f := l.row(id)
			if f.Status != string(c.status) || f.ErrCode != c.code {
				t.Errorf("status %s, code %q, want %s, %q", f.Status, f.ErrCode, c.status, c.code)
			}
			if rows != 2+c.feed+c.delta {
				t.Errorf("%d rows written, want %d: %v", rows, 2+c.feed+c.delta, units)
			}
			if c.feed == 0 && units["feed"] != 0 || c.delta == 0 && units["delta"] != 0 {
				t.Errorf("units %v", units)
			}
			// A body is kept for its items: a change of the channel alone needs none.
			needed := c.want == reader.OutcomeChanged && c.name != "200 with another title of the channel"
			if made := len(l.blobs.Keys()) - blobs; needed != (made == 1) {
				t.Errorf("%d blobs put", made)
			}
			if f.Seq != before.Seq+uint32(c.items) || len(l.headers(id)) != int(f.Seq) {
				t.Errorf("seq %d, %d items stored", f.Seq, len(l.headers(id)))
			}
			if c.code != "" {
				explains(t, f, c.code)
			}
		})
	}
}

// explains checks that a failing feed can say what is wrong.
func explains(t *testing.T, f *store.FeedRow, code string) {
	t.Helper()
	isListed := slices.Contains(reader.FaultCodes(), code) || reader.StatusOf(code) != ""
	if !isListed || texts.Feed(code) == texts.Feed(reader.CodeUnknown) {
		t.Errorf("%s is not in the table of faults", code)
	}
	if f.ErrSince == 0 {
		t.Errorf("%s: since when is not said", code)
	}
}

// A pair that changes three times in a row over equal content waits for the next real change.
func TestFickleAfterThree(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", "")
	n := 0
	body := rss("", l.lively(30)...)
	p.serve = func(w http.ResponseWriter, _ *http.Request) {
		n++
		w.Header().Set("Etag", fmt.Sprintf(`"%d"`, n))
		_, _ = w.Write([]byte(body))
	}
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 30)
	for range 3 {
		l.want(id, reader.OutcomeUnchanged, 0)
	}
	f := l.row(id)
	if f.ETag != `"4"` || f.Fickle != 3 || f.Period != 8 || f.Why != schedule.ReasonFickle {
		t.Fatalf("pair %s, fickle %d, period %d", f.ETag, f.Fickle, f.Period)
	}
	for range 3 {
		if _, units := l.writes(func() { l.want(id, reader.OutcomeUnchanged, 0) }); units["feed"] != 0 {
			t.Errorf("a fickle feed is written: %v", units)
		}
	}
	body = rss("", append([]item{{id: "news", title: "News", date: l.clock.Now()}}, l.lively(30)...)...)
	l.want(id, reader.OutcomeChanged, 1)
	if f = l.row(id); f.ETag != fmt.Sprintf(`"%d"`, n) || f.Fickle != 0 || f.Why == schedule.ReasonFickle {
		t.Errorf("after news: pair %s of %d, fickle %d, period %d", f.ETag, n, f.Fickle, f.Period)
	}
}

// Validators that answer between show that they serve: three changes over months are not fickle.
func TestSeldomChangedPairIsNotFickle(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", rss("", numbered(1, 30)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 30)
	for i := range 6 {
		p.change(func(p *page) { p.etag = fmt.Sprintf(`"deploy %d"`, i) })
		l.want(id, reader.OutcomeUnchanged, 0)
		l.want(id, reader.OutcomeNotModified, 0)
	}
	if f := l.row(id); f.Fickle != 0 || f.ETag != `"deploy 5"` {
		t.Errorf("fickle %d, pair %s", f.Fickle, f.ETag)
	}
}

// A feed whose validators vanish is polled every two hours from the very poll that shows it, a large one every six,
// and says why.
func TestVanishedValidatorsMeanTwoHours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		more   string
		period int32
	}{{"small", "", 8}, {"large", "<description>" + strings.Repeat("x ", 130<<10) + "</description>", 24}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			items := l.lively(30)
			items[0].more = c.more
			p := l.page("/feed", rss("", items...))
			id := l.feed(l.url("/feed"))
			l.want(id, reader.OutcomeChanged, 30)
			p.change(func(p *page) { p.etag = "" })
			l.want(id, reader.OutcomeUnchanged, 0)
			f := l.row(id)
			if f.HasValidators() || f.Period != c.period || f.Why != schedule.ReasonNoValidators {
				t.Errorf("validators %v, period %d, %s", f.HasValidators(), f.Period, f.Why)
			}
			if _, units := l.writes(func() { l.want(id, reader.OutcomeUnchanged, 0) }); units["feed"] != 0 {
				t.Errorf("an unchanged poll writes %v", units)
			}
		})
	}
}

func TestBackOffGrowsAndEnds(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", rss("", numbered(1, 30)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 30)
	l.want(id, reader.OutcomeNotModified, 0)
	p.change(status(500))
	last := time.Duration(0)
	for k := range 8 {
		l.want(id, reader.OutcomeFailed, 0)
		now := l.clock.Now()
		wait := l.row(id).Turns().NextTurn(schedule.TickOf(now)).Start().Sub(now)
		if wait < time.Hour || wait > 13*time.Hour || wait < last/2 {
			t.Errorf("after %d failures the next poll comes in %v, before it was %v", k+1, wait, last)
		}
		last = wait
	}
	if last < 11*time.Hour {
		t.Errorf("after 8 failures the next poll comes in %v", last)
	}
	p.change(status(0))
	l.want(id, reader.OutcomeNotModified, 0)
	f := l.row(id)
	if f.Errors != 0 || f.ErrCode != "" || f.ErrSince != 0 || f.Status != string(reader.StatusActive) {
		t.Errorf("a success does not end the errors: %+v", f)
	}
	now := l.clock.Now()
	if wait := f.Turns().NextTurn(schedule.TickOf(now)).Start().Sub(now); wait > schedule.IntervalOf(f.Period+1) ||
		f.Why == schedule.ReasonBackOff {
		t.Errorf("after the success the next poll comes in %v (%s)", wait, f.Why)
	}
}

// G-29
func TestTenUnreadableBodiesStop(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", rss("", numbered(1, 30)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 30)
	for _, body := range []string{"<html><body>under construction</body></html>", "no feed at all",
		"\x00\x01\x02 binary"} {
		p.change(func(p *page) { p.etag, p.body = "", body })
		for range 3 {
			l.want(id, reader.OutcomeFailed, 0)
		}
	}
	if f := l.row(id); f.Status != string(reader.StatusError) || f.ParseErrs != 9 {
		t.Fatalf("after nine: %s, %d", f.Status, f.ParseErrs)
	}
	l.want(id, reader.OutcomeFailed, 0)
	f := l.row(id)
	if f.Status != string(reader.StatusStopped) || f.ErrCode != reader.CodeStoppedParse {
		t.Fatalf("after ten: %s, %s", f.Status, f.ErrCode)
	}
	explains(t, f, f.ErrCode)
	if f.ETag != `"1"` {
		t.Error("bad bodies have taken the validators away")
	}
}

//
func TestTenErrorsStopOnlyAfterAWeek(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", rss("", numbered(1, 30)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 30)
	p.change(status(502))
	began := time.Time{}
	for n := 1; ; n++ {
		l.want(id, reader.OutcomeFailed, 0)
		if began.IsZero() {
			began = l.clock.Now()
		}
		f, lasted := l.row(id), l.clock.Now().Sub(began)
		stopped := f.Status == string(reader.StatusStopped)
		if want := n >= 10 && lasted >= 7*24*time.Hour; stopped != want {
			t.Fatalf("after %d errors over %v: %s", n, lasted, f.Status)
		}
		if stopped {
			break
		}
	}
	f := l.row(id)
	if f.ErrCode != reader.CodeStoppedErrors {
		t.Errorf("code %s", f.ErrCode)
	}
	asked := p.count()
	if r, err := l.crawler.All(bg, 1); err != nil || r.Polled != 0 || p.count() != asked {
		t.Errorf("a stopped feed is crawled: %+v %v", r, err)
	}
	p.change(status(0))
	if _, err := l.subs.Resume(bg, id); err != nil {
		t.Fatal(err)
	}
	if _, err := l.subs.Resume(bg, id); !fault.Is(err, fault.Conflict) {
		t.Errorf("resuming what is not stopped: %v", err)
	}
	l.want(id, reader.OutcomeNotModified, 0)
	if f := l.row(id); f.Status != string(reader.StatusActive) || f.Errors != 0 {
		t.Errorf("after resuming: %s, %d errors", f.Status, f.Errors)
	}
}

// An edit changes the item where it stands: no new seq, never a second item.
// R-24, G-21
func TestEditsStayInPlace(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	items := numbered(1, 5)
	p := l.page("/feed", rss("", items...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 5)
	items[2].title = "Item three, corrected"
	items[2].more = "<description>Now with a text.</description>"
	p.change(func(p *page) { p.etag, p.body = `"2"`, rss("", items...) })
	before := l.headers(id)
	l.want(id, reader.OutcomeChanged, 0)
	after := l.headers(id)
	if f := l.row(id); f.Seq != 5 || len(after) != 5 {
		t.Fatalf("seq %d, %d items", f.Seq, len(after))
	}
	for i := range after {
		switch changed := after[i].Title != before[i].Title; {
		case changed != (after[i].Title == "Item three, corrected"):
			t.Errorf("item %d: %q became %q", i, before[i].Title, after[i].Title)
		case after[i].Sort != before[i].Sort || after[i].Identity != before[i].Identity:
			t.Errorf("item %d moved", i)
		case changed && (after[i].Raw == "" || after[i].Raw != l.row(id).Raw || after[i].Snippet != "Now with a text."):
			t.Errorf("the edited item: %+v", after[i])
		}
	}
	// And an edit together with news.
	items[4].title = "Item one, corrected"
	p.change(func(p *page) { p.etag, p.body = `"3"`, rss("", append(numbered(6, 1), items...)...) })
	l.want(id, reader.OutcomeChanged, 1)
	if after = l.headers(id); len(after) != 6 || after[0].Title != "Item one, corrected" {
		t.Errorf("after both: %d items, first %q", len(after), after[0].Title)
	}
}

// A first crawl keeps the publisher's dates, and an item without one stands beside its neighbour in the
// document; later items are held within a day of their arrival, and a missing date is the arrival. Both are
// said to be estimated. A date in the future is kept, but nothing stands above what arrives now.
// G-22
func TestSortTimes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	now := l.clock.Now()
	first := []item{
		{id: "future", title: "From the future", date: now.Add(48 * time.Hour)},
		{id: "none", title: "Without a date"},
		{id: "old", title: "Old", date: now.Add(-400 * 24 * time.Hour)},
	}
	p := l.page("/feed", rss("", first...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 3)
	arrived := l.clock.Now()
	hs := l.headers(id)
	if hs[0].Title != "Old" || hs[0].Sort != first[2].date.Unix() || hs[0].Estimated {
		t.Errorf("a first crawl keeps dates: %+v", hs[0])
	}
	if hs[1].Sort != arrived.Unix() || !hs[1].Estimated || hs[1].Published != 0 || hs[1].Title != "Without a date" {
		t.Errorf("a missing date is that of the item above, here the arrival: %+v", hs[1])
	}
	if hs[2].Sort != arrived.Unix() || hs[2].Estimated || hs[2].Published != first[0].date.Unix() ||
		hs[2].Shown() != hs[2].Published {
		t.Errorf("a date in the future stands at the arrival and is kept: %+v", hs[2])
	}
	later := append([]item{
		{id: "soon", title: "Soon", date: now.Add(100 * time.Hour)},
		{id: "undated", title: "Undated"},
		{id: "late", title: "Late", date: now.Add(-100 * 24 * time.Hour)},
		{id: "fresh", title: "Fresh", date: l.row(id).Turns().NextTurn(schedule.TickOf(now)).Start().Add(-time.Hour)},
	}, first...)
	p.change(func(p *page) { p.etag, p.body = `"2"`, rss("", later...) })
	l.want(id, reader.OutcomeChanged, 4)
	hs, arrived = l.headers(id), l.clock.Now()
	if hs[3].Title != "Late" || hs[3].Sort != arrived.Add(-24*time.Hour).Unix() ||
		hs[3].Published != later[2].date.Unix() {
		t.Errorf("a late post stands a day before its arrival: %+v", hs[3])
	}
	if hs[4].Sort != later[3].date.Unix() {
		t.Errorf("a fresh one where its publisher dates it: %+v", hs[4])
	}
	if hs[5].Title != "Undated" || hs[5].Sort != arrived.Unix() || !hs[5].Estimated {
		t.Errorf("a later item without a date is as new as its arrival: %+v", hs[5])
	}
	if hs[6].Sort != arrived.Unix() || hs[6].Published != later[0].date.Unix() {
		t.Errorf("a later date in the future: %+v", hs[6])
	}
}

// The items that a feed has when it is added are older than its addition, whether it dates them or not.
// G-22
func TestUndatedItemsOfAFirstCrawlAreNotNew(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	now := l.clock.Now()
	dated, older := now.Add(-90*24*time.Hour), now.Add(-100*24*time.Hour)
	channel := now.Add(-30 * 24 * time.Hour).Truncate(time.Second)
	undated := []item{{id: "a"}, {id: "b"}, {id: "c"}}
	tests := map[string]struct {
		body, modified string
		want           []time.Time // the oldest first
	}{
		"between dated items": {
			rss("", item{id: "0"}, item{id: "1", date: dated}, item{id: "2"}, item{id: "3", date: older},
				item{id: "4"}), "",
			[]time.Time{older, older, dated, dated, dated},
		},
		"nothing known": {
			rss("", undated...), "",
			[]time.Time{now.AddDate(0, 0, -3), now.AddDate(0, 0, -2), now.AddDate(0, 0, -1)},
		},
		"the channel's date": {
			rss("<lastBuildDate>"+channel.Format(time.RFC1123Z)+"</lastBuildDate>", undated...), "",
			[]time.Time{channel.AddDate(0, 0, -2), channel.AddDate(0, 0, -1), channel},
		},
		"the response's date": {
			rss("<lastBuildDate>"+now.Format(time.RFC1123Z)+"</lastBuildDate>", undated...),
			channel.Format(http.TimeFormat),
			[]time.Time{channel.AddDate(0, 0, -2), channel.AddDate(0, 0, -1), channel},
		},
	}
	for name, tt := range tests {
		path := "/" + url.PathEscape(name)
		l.page(path, tt.body).modified = tt.modified
		id := l.feed(l.url(path))
		l.want(id, reader.OutcomeChanged, len(tt.want))
		passed := l.clock.Now().Sub(now)
		hs := l.headers(id)
		for i, want := range tt.want {
			if want.After(now.AddDate(0, 0, -4)) {
				want = want.Add(passed) // counted from the arrival
			}
			if hs[i].Sort != want.Unix() || hs[i].Estimated != (hs[i].Published == 0) {
				t.Errorf("%s: item %d stands at %v, want %v: %+v", name, i, time.Unix(hs[i].Sort, 0).UTC(), want, hs[i])
			}
		}
	}
}

func TestNoItemsAndTooMany(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.page("/none", rss(""))
	none := l.feed(l.url("/none"))
	l.want(none, reader.OutcomeChanged, 0)
	if f := l.row(none); f.Status != string(reader.StatusActive) || f.Title != "A feed" || len(f.Hash) == 0 {
		t.Errorf("a feed without items: %+v", f)
	}
	l.want(none, reader.OutcomeNotModified, 0)
	for n, path := range map[int]string{250: "/many", 100_000: "/all"} {
		l.page(path, "").serve = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Etag", `"1"`)
			items := make([]string, n)
			for i := range items {
				items[i] = fmt.Sprintf("<item><guid>%d</guid></item>", n-i)
			}
			_, _ = w.Write([]byte(`<rss version="2.0"><channel><title>A feed</title>` + strings.Join(items, "") +
				"</channel></rss>"))
		}
		id := l.feed(l.url(path))
		l.want(id, reader.OutcomeChanged, 200)
		f := l.row(id)
		if f.Seq != 200 || int(f.LeftOut) != n-200 || f.FirstSeq != 200 {
			t.Errorf("%d items: seq %d, %d left out, first crawl up to %d", n, f.Seq, f.LeftOut, f.FirstSeq)
		}
		if len(f.Known) > 200*11 {
			t.Errorf("%d items: %d bytes known", n, len(f.Known))
		}
		l.want(id, reader.OutcomeUnchanged, 0)
	}
}

// The raw body is stored once, compressed, labelled, and without anybody's secrets.
// C-8
func TestRawBodyIsKeptOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.clock.Set(time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC))
	body := rss("", numbered(1, 3)...)
	p := l.page("/feed", body)
	p.modified = "Tue, 01 Sep 2026 09:00:00 GMT"
	id := l.feed(strings.Replace(l.url("/feed?key=s3cret"), "http://", "http://name:passw0rd@", 1))
	l.want(id, reader.OutcomeChanged, 3)
	keys := l.blobs.Keys()
	if len(keys) != 1 || !strings.HasPrefix(keys[0], "feeds/2026/09/01/") || keys[0] != l.row(id).Raw {
		t.Fatalf("blobs %v, row says %q", keys, l.row(id).Raw)
	}
	packed, meta, err := l.blobs.Get(bg, keys[0], 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := got.ReadFrom(z); err != nil || got.String() != body {
		t.Errorf("the stored body differs: %v", err)
	}
	if meta.ContentType != "application/rss+xml" || meta.ContentEncoding != "gzip" {
		t.Errorf("meta %+v", meta)
	}
	for k, want := range map[string]string{"feedid": id.String(), "fetchedat": "2026-09-01T12:00:00Z"} {
		if meta.User[k] != want {
			t.Errorf("%s = %q, want %q", k, meta.User[k], want)
		}
	}
	if meta.User["etag"] == "" || meta.User["lastmodified"] == "" ||
		!strings.Contains(meta.User["originalurl"], "/feed") {
		t.Errorf("user meta %v", meta.User)
	}
	all := fmt.Sprint(keys, meta)
	for _, secret := range []string{"s3cret", "passw0rd", "name:"} {
		if strings.Contains(all, secret) {
			t.Errorf("%q is in the blob's key or metadata: %s", secret, all)
		}
	}
	l.want(id, reader.OutcomeNotModified, 0)
	if len(l.blobs.Keys()) != 1 {
		t.Error("an unchanged poll puts a blob")
	}
}

// A label that cannot be sent on is no reason to refuse the body.
func TestStrangeContentTypeIsNoFault(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"text/xml; charset=\"utf-8\" \x81", strings.Repeat("x", 3000), " ", ""} {
		l := newLab(t)
		p := l.page("/feed", "")
		p.serve = func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{label}
			_, _ = w.Write([]byte(rss("", numbered(1, 3)...)))
		}
		l.want(l.feed(l.url("/feed")), reader.OutcomeChanged, 3)
	}
}

// A quiet month must not empty what the feed knows: an item that is withdrawn with the next news and
// comes back is not new.
func TestQuietFeedKeepsItsMemory(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", rss("", numbered(1, 5)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 5)
	l.clock.Add(50 * 24 * time.Hour)
	p.change(func(p *page) { p.etag, p.body = `"2"`, rss("", append(numbered(6, 1), numbered(1, 4)...)...) })
	l.want(id, reader.OutcomeChanged, 1)
	p.change(func(p *page) { p.etag, p.body = `"3"`, rss("", numbered(1, 5)...) })
	if o := l.poll(id); o.New != 0 {
		t.Errorf("%d items came twice", o.New)
	}
	// But after its thirty days an item that left is forgotten.
	l.clock.Add(20 * 24 * time.Hour)
	p.change(func(p *page) { p.etag, p.body = `"4"`, rss("", numbered(7, 3)...) })
	l.want(id, reader.OutcomeChanged, 3)
	l.clock.Add(20 * 24 * time.Hour)
	p.change(func(p *page) { p.etag, p.body = `"5"`, rss("", numbered(10, 1)...) })
	l.want(id, reader.OutcomeChanged, 1)
	l.clock.Add(20 * 24 * time.Hour)
	p.change(func(p *page) { p.etag, p.body = `"6"`, rss("", numbered(11, 1)...) })
	l.want(id, reader.OutcomeChanged, 1)
	if n := store.Known(l.row(id).Known).Len(); n != 5 {
		t.Errorf("%d items known, want those of the last thirty days", n)
	}
}
