package watch_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/testkit/shop"
	"github.com/ruri-reader/ruri/internal/watch"
)

const address = "https://shop.example"

var plan = schedule.Plan{First: 0, Period: schedule.PeriodFor(time.Hour)}

// sim crawls the shop as the crawler does: a state is only what its stored forms say.
type sim struct {
	t     *testing.T
	clock *clock.Manual
	shop  *shop.Shop
	set   *watch.Settings
	rng   *rand.Rand

	base    []byte
	groups  [][]byte
	history map[string][]byte
	seq     reader.Seq

	full   bool // the next crawls are full
	truth  *oracle
	events []string // of the crawl, "kind id"
	items  map[uint64]string
	writes int
	bases  int
	bytes  int
}

func newSim(t *testing.T, opt shop.Options, set watch.Settings) *sim {
	c := clock.NewManual(reader.Epoch.Add(300 * 24 * time.Hour))
	set.Layout, set.Events = shop.Layout(), watch.EventKinds()
	s := &sim{t: t, clock: c, shop: shop.New(c, opt), set: &set, rng: rand.New(rand.NewPCG(opt.Seed, 1)),
		base:    watch.NewState().Encode(),
		history: map[string][]byte{}, items: map[uint64]string{}}
	s.truth = newOracle(s)
	return s
}

// load returns the state, and the changes since its base, in any order.
func (s *sim) load() (*watch.State, []*watch.Changes) {
	s.t.Helper()
	st, err := watch.DecodeState(s.base)
	if err != nil {
		s.t.Fatal(err)
	}
	var cs []*watch.Changes
	for _, b := range s.groups {
		c, err := watch.DecodeChanges(b)
		if err != nil {
			s.t.Fatal(err)
		}
		cs = append(cs, c)
	}
	s.rng.Shuffle(len(cs), func(i, j int) { cs[i], cs[j] = cs[j], cs[i] })
	st.Apply(cs...)
	return st, cs
}

func (s *sim) month(m string) (*watch.History, error) {
	if s.history[m] == nil {
		return nil, nil //nolint:nilnil // as documented
	}
	return watch.DecodeHistory(s.history[m])
}

func (s *sim) histories() (hs []*watch.History) {
	s.t.Helper()
	for _, m := range slices.Sorted(maps.Keys(s.history)) {
		h, err := s.month(m)
		if err != nil {
			s.t.Fatal(err)
		}
		hs = append(hs, h)
	}
	return hs
}

func (s *sim) get(path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.shop.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address+path, nil))
	return w
}

func (s *sim) read(page int) *listing.Page {
	s.t.Helper()
	path := fmt.Sprintf("/list?page=%d", page)
	w := s.get(path)
	p, err := listing.Read(s.t.Context(), w.Body.Bytes(), w.Header().Get("Content-Type"), address+path, s.set.Layout)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, r := range p.Rows {
		s.truth.keys[r.ID] = watch.Key(r.Key)
	}
	return p
}

// commit stores a verdict.
func (s *sim) commit(v *watch.Verdict) {
	s.t.Helper()
	if v.Changes.IsEmpty() {
		if len(v.Events) > 0 {
			s.t.Fatal("events without changes")
		}
		return
	}
	v.Changes.Announce(s.seq+1, v.Events)
	s.seq += reader.Seq(len(v.Events))
	b := v.Changes.Encode()
	s.groups = append(s.groups, b)
	s.writes++
	s.bytes += len(b)
	st, cs := s.load()
	if err := watch.FillTexts(v.Events, st, cs, s.month); err != nil {
		s.t.Fatal(err)
	}
	for _, e := range v.Events {
		what := fmt.Sprintf("%s %s", e.Kind, e.Text.ID)
		s.events = append(s.events, what)
		if e.Text.Title == "" {
			s.t.Errorf("an event without a title: %+v", e)
		}
		if s.items[e.Identity] != "" {
			s.t.Errorf("one identity for %s and %s", what, s.items[e.Identity])
		}
		s.items[e.Identity] = what
	}
}

// crawl looks at the list, and at the details that are asked for. It returns the problem of its last page.
func (s *sim) crawl() string {
	s.t.Helper()
	s.events, s.truth.expected = nil, nil
	tick := schedule.TickOf(s.clock.Now())
	l := &watch.Look{Tick: tick, Page: 1}
	for {
		st, _ := s.load()
		l.At = s.clock.Now()
		l.Full = s.full || st.WantsFull() || watch.FullTick(7, plan, tick)
		l.Read = s.read(l.Page)
		l.Last = l.Read.Next == ""
		v := watch.Compare(st, s.set, l)
		s.commit(v)
		if again := s.again(l); !again.IsEmpty() {
			s.t.Fatalf("%v: the same look has changes", l.At)
		}
		if v.Problem != "" {
			return v.Problem
		}
		s.truth.look(l)
		if !v.More {
			s.details(tick, v.Details)
			return ""
		}
		l = &watch.Look{Tick: tick, Page: l.Page + 1, Seen: v.Seen}
		s.clock.Add(5 * time.Second)
	}
}

func (s *sim) again(l *watch.Look) *watch.Changes {
	st, _ := s.load()
	return &watch.Compare(st, s.set, l).Changes
}

func (s *sim) details(tick schedule.Tick, keys []watch.Key) {
	s.t.Helper()
	if len(keys) == 0 {
		return
	}
	var ds []watch.DetailLook
	for _, k := range keys {
		s.clock.Add(5 * time.Second)
		id := s.truth.id(k)
		w := s.get("/item/" + id)
		d, err := listing.ReadDetail(s.t.Context(), w.Code, w.Body.Bytes(), w.Header().Get("Content-Type"),
			address+"/item/"+id, s.set.Detail)
		if err != nil {
			s.t.Fatal(err)
		}
		ds = append(ds, watch.DetailLook{Key: k, At: s.clock.Now().Unix(), Read: d})
		s.truth.detail(id)
	}
	st, _ := s.load()
	v := watch.CompareDetails(st, s.set, tick, s.clock.Now(), ds)
	s.commit(v)
	st, _ = s.load()
	if v := watch.CompareDetails(st, s.set, tick, s.clock.Now(), ds); len(v.Events) > 0 {
		s.t.Fatalf("the same details announce %+v", v.Events)
	}
}

// fold writes a base when one is due; a crash may come between history and base.
func (s *sim) fold() {
	s.t.Helper()
	_, cs := s.load()
	if !watch.NeedsBase(cs) {
		return
	}
	t := schedule.TickOf(s.clock.Now()) - 2
	st, err := watch.DecodeState(s.base)
	if err != nil {
		s.t.Fatal(err)
	}
	cs = slices.DeleteFunc(cs, func(c *watch.Changes) bool { return c.Tick > t })
	months, err := watch.Record(st, cs, s.month)
	if err != nil {
		s.t.Fatal(err)
	}
	for m, h := range months {
		s.history[m] = h.Encode()
		s.writes++
	}
	if s.rng.IntN(3) == 0 {
		return
	}
	st.Apply(cs...)
	st.FoldTo(t, s.seq)
	s.base = st.Encode()
	s.bases++
	s.writes++
	s.groups = slices.DeleteFunc(s.groups, func(b []byte) bool {
		c, err := watch.DecodeChanges(b)
		return err == nil && c.Tick <= t
	})
}

func (s *sim) days(n int, each func()) {
	s.t.Helper()
	end := s.clock.Now().Add(time.Duration(n) * 24 * time.Hour)
	tick := schedule.TickOf(s.clock.Now())
	for {
		tick = plan.NextTurn(tick)
		if !tick.Start().Before(end) {
			return
		}
		s.clock.Set(tick.Start().Add(time.Duration(s.rng.IntN(600)) * time.Second))
		each()
		s.fold()
		if s.t.Failed() {
			s.t.Fatalf("at %v", s.clock.Now())
		}
	}
}

// M-1, M-23
func TestThirtyDays(t *testing.T) {
	t.Parallel()
	onePage := func(o shop.Options) shop.Options { o.PerPage = 500; return o }
	for _, tt := range []struct {
		name string
		days int // enough for two bases; a month of the one with most rules
		opt  shop.Options
		set  watch.Settings
	}{
		{"one page", 14, onePage(shop.Usual(1)), watch.Settings{}},
		{"one page, details", 14, onePage(shop.Usual(2)), watch.Settings{Detail: shop.Detail(), Details: true}},
		{"pages", 14, shop.Usual(3), watch.Settings{Wanted: 4000}},
		{"pages, details", 30, shop.Usual(4), watch.Settings{Detail: shop.Detail(), Details: true}},
		{"pages, details of the missing", 14, shop.Usual(5), watch.Settings{Detail: shop.Detail()}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			days := tt.days
			if testing.Short() {
				days = 4
			}
			s := newSim(t, tt.opt, tt.set)
			first := s.clock.Now()
			s.days(days, func() {
				if problem := s.crawl(); problem != "" {
					t.Fatalf("%v: %s", s.clock.Now(), problem)
				}
				s.truth.check()
			})
			s.truth.checkTrend(first, days)
			if s.bases < 2 && !testing.Short() {
				t.Errorf("only %d bases", s.bases)
			}
			t.Logf("%d bases, %d rows written, changes of %d bytes; base %d bytes, %d things", s.bases, s.writes,
				s.bytes, len(s.base), len(s.truth.seen))
			for m, b := range s.history {
				t.Logf("history of %s: %d bytes", m, len(b))
			}
		})
	}
}

// same fails if two values differ.
func (s *sim) same(what string, got, want any) {
	s.t.Helper()
	if !reflect.DeepEqual(got, want) {
		s.t.Errorf("%v: %s:\n got %v\nwant %v", s.clock.Now().Format(time.DateTime), what, got, want)
	}
}
