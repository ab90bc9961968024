package crawl_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/parse"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// bodyOf reads the body of a stored item from the blob that it names.
func (l *lab) bodyOf(d *store.DeltaRow, h *store.Header) string {
	l.t.Helper()
	packed, meta, err := blob.New(l.blobs).Get(bg, cmp.Or(h.Raw, d.Raw))
	if err != nil {
		l.t.Fatalf("%s: %v", h.Title, err)
	}
	body, err := blob.Gunzip(packed, 1<<20)
	if err != nil {
		l.t.Fatal(err)
	}
	doc, err := parse.Open(body, meta.ContentType, "https://example.org/", 0)
	if err != nil {
		l.t.Fatal(err)
	}
	it, ok := doc.Find(h.Identity)
	if !ok && h.Shared != 0 {
		it, ok = doc.Find(h.Shared)
	}
	if !ok {
		l.t.Fatalf("%s is not in its body:\n%s", h.Title, body)
	}
	return it.Content
}

// eachBody reads the bodies of all items of a feed.
func (l *lab) eachBody(id reader.FeedID, each func(h *store.Header, body string)) {
	l.t.Helper()
	err := l.store.Items.DescendLatest(bg, id, func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		for i := range hs {
			each(&hs[i], l.bodyOf(d, &hs[i]))
		}
		return true, err
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// A poll stores what it has brought: the new and the edited items of the body, whatever else that lists. Each item
// stays readable as it was listed last, and can be extracted again.
//
func TestAChangedPollStoresItsNewsAlone(t *testing.T) {
	t.Parallel()
	for _, guid := range []string{"i%d", "shared %[2]d"} {
		t.Run(guid, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			want := map[string]string{}
			write := func(k, version int) item {
				title := fmt.Sprint("Item ", k)
				want[title] = fmt.Sprintf("<p>%d as of %d %s</p>", k, version, strings.Repeat("and so on ", 50))
				return item{id: fmt.Sprintf(guid, k, k/3), title: title, more: "<description>&lt;p>" +
					strings.TrimSuffix(want[title][len("<p>"):], "</p>") + "&lt;/p></description>",
					date: time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(k) * time.Hour)}
			}
			var list []item
			for k := range 20 {
				list = append([]item{write(k, 0)}, list...)
			}
			p := l.page("/feed", rss("", list...))
			id := l.feed(l.url("/feed"))
			l.want(id, reader.OutcomeChanged, 20)
			whole := len(l.blobs.Keys())
			if whole != 1 {
				t.Fatalf("%d blobs", whole)
			}
			for k := 20; k < 60; k++ {
				list = slices.Concat([]item{write(k, 0)}, list[:len(list)-1])
				if k%5 == 0 {
					list[7] = write(k-7, k)
				}
				p.change(func(p *page) { p.etag, p.body = fmt.Sprintf(`"%d"`, k), rss("", list...) })
				l.want(id, reader.OutcomeChanged, 1)
			}
			items := 0
			l.eachBody(id, func(h *store.Header, body string) {
				if items++; body != want[h.Title] {
					t.Errorf("%s: %q, want %q", h.Title, body, want[h.Title])
				}
			})
			if items != len(want) {
				t.Errorf("%d items, want %d", items, len(want))
			}
			page, _, err := blob.New(l.blobs).List(bg, store.RawPrefix, "", 0)
			if err != nil || len(page) != 41 {
				t.Fatalf("%d blobs, %v", len(page), err)
			}
			plain := len(rss("", list...))
			for _, o := range page {
				packed, _, err := blob.New(l.blobs).Get(bg, o.Key)
				body, err2 := blob.Gunzip(packed, 1<<20)
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				if isFirst := o.Key == l.firstBody(id); !isFirst && len(body) > plain/3 {
					t.Errorf("%d bytes are stored of a body of about %d", len(body), plain)
				}
			}
			sum, err := l.crawler.Replay(bg, id, false)
			if err != nil || sum.Items != 60 || sum.Changed+sum.Missing+sum.Failed+sum.Unmatched != 0 {
				t.Errorf("replay: %+v, %v", sum, err)
			}
		})
	}
}

// firstBody is the body of a feed's first crawl.
func (l *lab) firstBody(id reader.FeedID) (raw string) {
	l.t.Helper()
	d, err := l.store.Items.Get(bg, id, 1)
	if err != nil {
		l.t.Fatal(err)
	}
	return d.Raw
}
