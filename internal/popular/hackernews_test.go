package popular_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

func hash(link string) uint32 { return reader.StoryHash(reader.StoryURL(link)) }

func TestStories(t *testing.T) {
	t.Parallel()
	since := time.Unix(1_800_000_000, 0)
	var asked fetch.Request
	ok := func(body string) answering {
		return answering{resp: fetch.Response{Status: 200, Body: []byte(body)}, asked: &asked}
	}
	for name, c := range map[string]struct {
		answering
		want map[uint32]popular.Story
		code string
	}{
		"stories": {
			answering: ok(
				`{"hits":[{"objectID":"41","url":"https://site.org/a","points":12},{"objectID":"42","url":"http://` +
					`site.org/a?utm_source=x","points":30},` +
					`{"objectID":"43","url":"https://site.org/a/","points":9},{"objectID":"44","points":50},` +
					`{"objectID":"45",` +
					`"url":"https://site.org/","points":7}]}`),
			want: map[uint32]popular.Story{hash("https://site.org/a"): {Points: 30, ID: 42}}},
		"none":         {answering: ok(`{"hits":[]}`), want: map[uint32]popular.Story{}},
		"a page":       {answering: ok(`<!DOCTYPE html>`), code: "counts_unreadable"},
		"cut off":      {answering: ok(`{"hits":[{"objectID":"41"`), code: "counts_unreadable"},
		"without hits": {answering: ok(`{}`), code: "counts_unreadable"},
		"null":         {answering: ok(`null`), code: "counts_unreadable"},
		"a name as number": {answering: ok(`{"hits":[{"objectID":"x1","url":"https://site.org/a","points":12}]}`),
			code: "counts_unreadable"},
		"negative points": {answering: ok(`{"hits":[{"objectID":"41","url":"https://site.org/a","points":-1}]}`),
			code: "counts_unreadable"},
		"too many points": {answering: ok(`{"hits":[{"objectID":"41","url":"https://site.org/a","points":9999999}]}`),
			code: "counts_unreadable"},
		"points as text": {answering: ok(`{"hits":[{"objectID":"41","url":"https://site.org/a","points":"9"}]}`),
			code: "counts_unreadable"},
		"too many requests": {answering: answering{resp: fetch.Response{Status: 429}, asked: &asked},
			code: "counts_failed"},
		"no answer": {answering: answering{err: fault.New(fault.Unavailable, "timeout", "test", nil),
			asked: &asked}, code: "timeout"},
	} {
		got, err := popular.NewHackerNews(c.answering).Stories(t.Context(), since)
		if c.code != "" && fault.CodeOf(err) != c.code || c.code == "" && (err != nil || !maps.Equal(got, c.want)) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if !strings.HasPrefix(asked.URL, "https://hn.algolia.com/api/v1/search_by_date?tags=story&") ||
		!strings.HasSuffix(asked.URL, "created_at_i%3E1800000000") || asked.MaxBytes == 0 {
		t.Errorf("asked for %q", asked.URL)
	}
}

// lister counts how often it is asked.
type lister struct {
	clk     clock.Clock
	stories map[uint32]popular.Story
	err     error
	asked   []time.Time
	since   time.Time
}

func (l *lister) Stories(_ context.Context, since time.Time) (map[uint32]popular.Story, error) {
	l.asked, l.since = append(l.asked, l.clk.Now()), since
	return l.stories, l.err
}

// jobs keeps the messages that were sent.
type jobs struct{ list []job.Job }

func (q *jobs) Send(_ context.Context, bodies [][]byte, _ time.Duration) error {
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return err
		}
		q.list = append(q.list, j)
	}
	return nil
}

// The list of Hacker News is asked for at most once an hour, while somebody reads and the owner wants it, whether
// Hatena is asked or not; after a failure the earlier points stay, and the settings say why.
func TestPointsOfHackerNews(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	clk := clock.NewManual(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	st := store.New(table.New(memtable.New(), table.Options{Clock: clk, Kind: store.Kind}), clk)
	q := &jobs{}
	l := &lister{clk: clk, stories: map[uint32]popular.Story{hash("https://site.org/a"): {Points: 30, ID: 42}}}
	s := popular.New(st, blob.New(memblob.New()), q, clk, slog.New(slog.DiscardHandler), nil,
		popular.Options{Stories: l})
	work := func() {
		t.Helper()
		for _, j := range q.list {
			for range 2 { // messages may come twice
				if err := s.RunPoints(ctx, j); err != nil {
					t.Fatal(err)
				}
			}
		}
		q.list = nil
	}
	read := func(d time.Duration) {
		for range d / (10 * time.Minute) {
			s.Counts(ctx)
			work()
			clk.Add(10 * time.Minute)
		}
	}

	read(3 * time.Hour)
	if len(l.asked) > 0 {
		t.Fatal("asked while it is off")
	}
	if err := s.SwitchPoints(ctx, true); err != nil {
		t.Fatal(err)
	}
	read(5 * time.Hour)
	if n := len(l.asked); n != 5 {
		t.Errorf("asked %d times in five hours", n)
	}
	for i := 1; i < len(l.asked); i++ {
		if gap := l.asked[i].Sub(l.asked[i-1]); gap < time.Hour {
			t.Errorf("asked again after %s", gap)
		}
	}
	if want := l.asked[len(l.asked)-1].Add(-72 * time.Hour); !l.since.Equal(want) {
		t.Errorf("since %s, want %s", l.since, want)
	}
	check := func(want int) {
		t.Helper()
		c := s.Counts(ctx)
		if got := c.Story("http://site.org/a?utm_medium=rss"); got == nil ||
			*got != (popular.Story{Points: want, ID: 42}) {
			t.Errorf("%+v, want %d points", got, want)
		}
		if got := c.Story("https://site.org/b"); got != nil || c.IsOn() {
			t.Errorf("another page has %+v, bookmarks are counted: %v", got, c.IsOn())
		}
	}
	reason := func(want string) {
		t.Helper()
		if site, err := st.Accounts.Site(ctx); err != nil || site.PointsWhy != want {
			t.Errorf("the settings say %q, want %q: %v", site.PointsWhy, want, err)
		}
	}
	check(30)
	reason("")

	work()
	l.err = errors.New("down")
	clk.Add(48 * time.Hour) // nobody reads
	asked := len(l.asked)
	read(2 * time.Hour)
	if n := len(l.asked) - asked; n != 4 { // each message, twice
		t.Errorf("asked %d times in two hours", n)
	}
	check(30)
	reason("counts_failed")
	before := st.Table().Meter().Snapshot().TotalWrites()
	if read(2 * time.Hour); st.Table().Meter().Snapshot().TotalWrites() != before {
		t.Error("the same reason is written again")
	}
	l.err = fault.New(fault.Unavailable, "counts_unreadable", "test", nil)
	read(time.Hour)
	reason("counts_unreadable")
	l.err, l.stories = nil, map[uint32]popular.Story{hash("https://site.org/a"): {Points: 31, ID: 42}}
	read(2 * time.Hour)
	check(31)
	reason("")

	if err := s.SwitchPoints(ctx, false); err != nil {
		t.Fatal(err)
	}
	if got := s.Counts(ctx).Story("https://site.org/a"); got != nil {
		t.Errorf("switched off: %+v", got)
	}
	q.list = []job.Job{{Kind: job.Points}}
	asked = len(l.asked)
	if work(); len(l.asked) != asked {
		t.Error("asked after it was switched off")
	}
}
