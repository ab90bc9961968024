package crawl_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Over a month a site is rebuilt again and again, with other names of classes: the watch finds its things again,
// nothing is lost and nothing is announced twice.
func TestAWatchSurvivesReleasesOfItsSite(t *testing.T) {
	t.Parallel()
	m, _ := newMall(t, quiet())
	release, price, things := 0, map[int]int{}, 12
	m.shops[shopHost] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/list" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var b strings.Builder
		fmt.Fprintf(&b,
			`<!doctype html><html lang="en"><body><nav><a href="/">Home</a><a href="/about">About</a></nav><ul `+
				`class="g%d">`, release)
		for i := things; i > 0; i-- {
			body := fmt.Sprintf(`<h3 class="t%d"><a href="/item/%d">A lamp of the kind %d</a></h3><p `+
				`class="p%d">¥%d</p>`, release, i, i, release, 10000+100*i-price[i])
			if release%2 == 1 {
				body = `<div class="box">` + body + `</div>`
			}
			fmt.Fprintf(&b, `<li class="c%d"><img src="/img/%d.jpg" alt="">%s</li>`, release, i, body)
		}
		_, _ = w.Write([]byte(b.String() + `</ul></body></html>`))
	})
	id := m.watch("https://"+shopHost+"/list", func(set *watch.Settings) {
		set.Detail, set.Events = nil, watch.EventKinds()
		set.Layout = &listing.Layout{Rows: listing.Rows{Selector: "li.c0"}, Fields: map[string]listing.Field{
			"title": {At: ".t0"}, "link": {At: ".t0 a"}, "price": {At: ".p0"}, "image": {At: "img"},
		}}
	})
	m.work(m.clock.Now().Add(time.Minute))
	events := 0
	for week := range 4 {
		release = week + 1
		price[1+week] = 2000 // at the same time
		things++
		events += 2
		m.days(7)
		if got := int(m.row(id).Seq); got != events {
			t.Fatalf("week %d: %d events, want %d", week, got, events)
		}
		if n := m.onSale(id); n != things || m.row(id).ErrCode != "" {
			t.Fatalf("week %d: %d things, %q", week, n, m.row(id).ErrCode)
		}
	}
	row, err := m.store.Watches.Settings(bg, id)
	m.must(err)
	set, err := row.Decode()
	m.must(err)
	if set.Found == 0 || m.row(id).Channel != int64(row.Rev) {
		t.Errorf("there is no note: %+v, revision %d of %d", set, m.row(id).Channel, row.Rev)
	}
}
