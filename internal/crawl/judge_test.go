package crawl

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

var judgedAt = time.Date(2026, 9, 1, 12, 0, 30, 0, time.UTC)

// crawled is a feed with items 1 and 2, polled at its turn without news.
// stopped makes the row that of a feed that was stopped six hours ago.
func stopped(f *store.FeedRow) {
	f.Status, f.ErrCode, f.Errors = string(reader.StatusStopped), reader.CodeHTTP404, 1
	f.Probe = schedule.ProbeUntil(judgedAt.Add(-6 * time.Hour)).Unix()
}

func crawled(change ...func(*store.FeedRow)) *store.FeedRow {
	f := &store.FeedRow{
		URL: "https://a.example/feed", Title: "A", Subs: 1, Status: string(reader.StatusActive),
		First: int32(schedule.TickOf(judgedAt)) - 50, Period: 5, Why: schedule.ReasonDefault, Polled: 1,
		ETag: `"1"`, Hash: []byte{1}, Channel: 1, Seq: 2, FirstSeq: 2, Changed: judgedAt.Add(-time.Hour).Unix(),
	}
	f.SK = "7"
	f.Changes = []int64{f.Changed - 7200, f.Changed}
	remember(f, []store.KnownItem{{Identity: 1, Content: 1}, {Identity: 2, Content: 1}}, dayOf(judgedAt), true)
	for _, c := range change {
		c(f)
	}
	return f
}

// answer is an observation of a response without a body that is read.
func answer(k kind, resp fetch.Response) *observation {
	return &observation{kind: k, resp: &resp, validators: pairOf(&resp)}
}

// lists is an observation of a body with these items: identity and content.
func lists(k kind, f *store.FeedRow, items ...[2]int) *observation {
	scan := &extract.Feed{Channel: 1, Title: "A"}
	for _, it := range items {
		scan.Items = append(scan.Items, extract.Item{Identity: uint64(it[0]), Content: uint32(it[1]),
			Published: judgedAt.Add(-time.Hour)})
	}
	obs := answer(k, fetch.Response{Status: 200, ETag: `"2"`})
	obs.scan, obs.items, obs.hash = scan, newItemList(f, scan, obs.resp, judgedAt), []byte{2}
	obs.items.partial = k != listed
	return obs
}

func TestJudge(t *testing.T) {
	t.Parallel()
	failing := func(f *store.FeedRow) {
		f.Status, f.Errors, f.ErrCode, f.ErrSince = string(reader.StatusError), 3, reader.CodeTimeout,
			judgedAt.Add(-time.Hour).Unix()
	}
	same := [][2]int{{1, 1}, {2, 1}}
	first := &store.FeedRow{URL: "https://a.example/feed", Status: string(reader.StatusWaiting), Subs: 1}
	first.SK = "7"
	for _, tt := range []struct {
		name  string
		row   *store.FeedRow
		obs   *observation
		added int
		// what is expected
		outcome       reader.Outcome
		fresh, edited int
		news, same    bool // same: the row stays as it is
		check         func(next *store.FeedRow) bool
	}{
		{
			name: "a 304 changes nothing", row: crawled(),
			obs:     answer(unmodified, fetch.Response{Status: 304, NotModified: true}),
			outcome: reader.OutcomeNotModified, same: true,
		},
		{
			name: "a 304 ends errors", row: crawled(failing),
			obs:     answer(unmodified, fetch.Response{Status: 304, NotModified: true}),
			outcome: reader.OutcomeNotModified,
			check: func(next *store.FeedRow) bool {
				return next.Status == string(reader.StatusActive) && next.Errors == 0 && next.ErrCode == "" &&
					next.ErrSince == 0
			},
		},
		{
			name: "a permanent redirect is counted", row: crawled(),
			obs: answer(unmodified,
				fetch.Response{Status: 304, NotModified: true, PermanentURL: "https://b.example/"}),
			outcome: reader.OutcomeNotModified,
			check: func(next *store.FeedRow) bool {
				return next.MovedTo == "https://b.example/" && next.MovedPolls == 1 &&
					next.MovedSince == judgedAt.Unix()
			},
		},
		{
			name: "equal bytes with another validator", row: crawled(),
			obs:     answer(unmodified, fetch.Response{Status: 200, ETag: `"2"`}),
			outcome: reader.OutcomeUnchanged,
			check:   func(next *store.FeedRow) bool { return next.ETag == `"2"` && next.Fickle == 1 },
		},
		{
			name: "equal items in other bytes", row: crawled(), obs: lists(listed, crawled(), same...),
			outcome: reader.OutcomeUnchanged,
			check: func(next *store.FeedRow) bool {
				return next.ETag == `"2"` && string(next.Hash) == "\x01" && next.Changed < judgedAt.Unix()
			},
		},
		{
			name: "a new and an edited item", row: crawled(), obs: lists(listed, crawled(), [2]int{3, 1}, [2]int{2, 5}),
			outcome: reader.OutcomeChanged, fresh: 1, edited: 1, news: true,
			check: func(next *store.FeedRow) bool {
				content, _ := store.Known(next.Known).Content(2)
				return content == 5 && next.Changed == judgedAt.Unix() && len(next.Changes) == 3 &&
					string(next.Hash) == "\x02" && next.Seq == 2
			},
		},
		{
			name: "what another crawler has committed meanwhile", row: crawled(func(f *store.FeedRow) {
				f.Hash, f.ETag = []byte{2}, `"2"`
			}),
			obs: lists(listed, crawled(func(f *store.FeedRow) {
				f.Known = nil
			}), same...), outcome: reader.OutcomeUnchanged, same: true,
		},
		{
			name: "the end of a commit whose items are in", row: crawled(),
			obs: lists(listed, crawled(), same...), added: 2,
			outcome: reader.OutcomeChanged, news: true,
			check: func(next *store.FeedRow) bool {
				return next.Changed == judgedAt.Unix() && string(next.Hash) == "\x02"
			},
		},
		{
			name: "a first crawl", row: first, obs: lists(listed, first, same...), outcome: reader.OutcomeChanged,
			fresh: 2, news: true,
			check: func(next *store.FeedRow) bool {
				return next.FirstSeq == 2 && next.Status == string(reader.StatusActive) && next.Title == "A" &&
					next.Period > 0
			},
		},
		{
			name: "a body that broke off", row: crawled(), obs: lists(cutOff, crawled(), [2]int{3, 1}),
			outcome: reader.OutcomeTruncated, fresh: 1, news: true,
			check: func(next *store.FeedRow) bool {
				_, kept := store.Known(next.Known).Content(1)
				return next.ETag == `"1"` && string(next.Hash) == "\x01" && next.ErrCode == reader.CodeTruncated &&
					next.Errors == 0 && kept
			},
		},
		{
			name: "a push with a new item", row: crawled(), obs: lists(pushed, crawled(), [2]int{3, 1}),
			outcome: reader.OutcomeChanged, fresh: 1, news: true,
			check: func(next *store.FeedRow) bool {
				return next.ETag == `"1"` && next.Changed == judgedAt.Unix() && next.First == crawled().First
			},
		},
		{
			name: "a push of what is known", row: crawled(), obs: lists(pushed, crawled(), same...),
			outcome: reader.OutcomeUnchanged, same: true,
		},
		{
			name: "a fault of the server", row: crawled(), obs: &observation{code: reader.CodeTimeout},
			outcome: reader.OutcomeFailed,
			check: func(next *store.FeedRow) bool {
				return next.Status == string(reader.StatusError) && next.Errors == 1 && next.ErrSince == judgedAt.Unix()
			},
		},
		{
			name: "a feed that is gone stops", row: crawled(failing),
			obs:     &observation{code: reader.CodeHTTP410, resp: &fetch.Response{Status: 410}},
			outcome: reader.OutcomeFailed,
			check: func(next *store.FeedRow) bool {
				return next.Status == string(reader.StatusStopped) && next.ErrCode == reader.CodeHTTP410 &&
					next.Errors == 4 && next.Probe == 0
			},
		},
		{
			name: "a stopped feed is probed", row: crawled(),
			obs:     &observation{code: reader.CodeHTTP404, resp: &fetch.Response{Status: 404}, probes: true},
			outcome: reader.OutcomeFailed,
			check: func(next *store.FeedRow) bool {
				return next.Status == string(reader.StatusStopped) &&
					next.Probe == schedule.ProbeUntil(judgedAt).Unix() &&
					next.NextCheck(judgedAt).Equal(schedule.TickOf(judgedAt.Add(6*time.Hour)).Start())
			},
		},
		{
			name: "a probe with the same answer", row: crawled(stopped), outcome: reader.OutcomeFailed, same: true,
			obs: &observation{code: reader.CodeHTTP404, resp: &fetch.Response{Status: 404, RetryAfter: time.Minute},
				probes: true},
		},
		{
			name: "a probe with a fault that passes", row: crawled(stopped), outcome: reader.OutcomeFailed, same: true,
			obs: &observation{code: reader.CodeTimeout, probes: true},
		},
		{
			name: "a probe that says that the feed is gone", row: crawled(stopped), outcome: reader.OutcomeFailed,
			obs: &observation{code: reader.CodeHTTP410, resp: &fetch.Response{Status: 410}, probes: true},
			check: func(next *store.FeedRow) bool {
				return next.ErrCode == reader.CodeHTTP410 && next.Probe == crawled(stopped).Probe
			},
		},
		{
			name: "a probe that is to wait", row: crawled(stopped), outcome: reader.OutcomeFailed,
			obs: &observation{code: reader.HTTPCode(429, false),
				resp: &fetch.Response{Status: 429, RetryAfter: 48 * time.Hour}, probes: true},
			check: func(next *store.FeedRow) bool { return next.NotBefore == judgedAt.Add(48*time.Hour).Unix() },
		},
		{
			name: "a probe that finds the feed as it was", row: crawled(stopped), outcome: reader.OutcomeNotModified,
			obs: &observation{kind: unmodified, resp: &fetch.Response{Status: 304, NotModified: true}},
			check: func(next *store.FeedRow) bool {
				return next.Status == string(reader.StatusActive) && next.Probe == 0 && next.ErrCode == "" &&
					next.Errors == 0 &&
					next.Turns().NextTurn(schedule.TickOf(judgedAt)) > schedule.TickOf(judgedAt)+4
			},
		},
		{
			name: "a Retry-After", row: crawled(), outcome: reader.OutcomeFailed,
			obs: &observation{code: reader.HTTPCode(429, false),
				resp: &fetch.Response{Status: 429, RetryAfter: 90 * time.Minute}},
			check: func(next *store.FeedRow) bool { return next.NotBefore == judgedAt.Add(90*time.Minute).Unix() },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := *tt.row
			v := judge(tt.row, tt.obs, tt.added, judgedAt)
			if v.outcome != tt.outcome || v.news != tt.news || len(v.fresh) != tt.fresh || len(v.edited) != tt.edited {
				t.Errorf("%s, news %v, %d new and %d edited items", v.outcome, v.news, len(v.fresh), len(v.edited))
			}
			if tt.row.Equal(&v.next) != tt.same || tt.check != nil && !tt.check(&v.next) {
				t.Errorf("the row is %+v", v.next)
			}
			if stopped := v.next.IsStopped() && !tt.row.IsStopped(); v.stopped != stopped {
				t.Errorf("stopped: %v", v.stopped)
			}
			if !before.Equal(tt.row) {
				t.Errorf("the row that was judged has changed: %+v", tt.row)
			}
			again := judge(tt.row, tt.obs, tt.added, judgedAt)
			if !again.next.Equal(&v.next) || len(again.fresh) != len(v.fresh) {
				t.Error("judged again it is another verdict")
			}
		})
	}
}

// The publisher's date is that of the channel, else of its newest item, and never in the future.
//
func TestLastUpdate(t *testing.T) {
	t.Parallel()
	at := func(hours int) time.Time { return judgedAt.Add(time.Duration(hours) * time.Hour) }
	items := []extract.Item{{Published: at(-9)}, {Published: at(-8), Updated: at(-3)}, {}, {Published: at(2)}}
	for _, tt := range []struct {
		name string
		scan extract.Feed
		want int64
	}{
		{"of the channel", extract.Feed{Updated: at(-5), Items: items}, at(-5).Unix()},
		{"of an item", extract.Feed{Items: items}, at(-3).Unix()},
		{"in the future", extract.Feed{Updated: at(1), Items: items}, 0},
		{"none", extract.Feed{Items: items[2:]}, 0},
	} {
		if got := lastUpdate(&tt.scan, judgedAt); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	f := store.FeedRow{Changed: 10, Updated: 7}
	if f.LastUpdated() != 7 {
		t.Errorf("of a row with a date %d", f.LastUpdated())
	}
	if f.Updated = 11; f.LastUpdated() != 10 {
		t.Errorf("of a row with a date in the future %d", f.LastUpdated())
	}
}
