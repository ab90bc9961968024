package indexing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// A segment is merged while it is small, or less than four times what comes after it, and the sum is a segment's at
// most.
func TestMergingRule(t *testing.T) {
	t.Parallel()
	const small, most = 8, 30
	for _, c := range []struct {
		sizes      []int // oldest first
		part, want int
	}{
		{nil, 1, 0},
		{[]int{1}, 1, 1},
		{[]int{20, 7}, 1, 2},      // 7 is small, and 20 < 4·8
		{[]int{8}, 1, 0},          // neither small nor less than four times 1
		{[]int{8}, 3, 1},          // less than four times 3
		{[]int{8, 8, 1}, 1, 1},    // 8 is not less than 4·2
		{[]int{28}, 8, 0},         // more than a segment
		{[]int{22}, 8, 1},         // as much as a segment
		{[]int{1, 1, 1, 9}, 1, 0}, // what follows a large one is not looked at
		{[]int{7, 7, 7, 7}, 4, 3},
	} {
		list := make([]store.Segment, len(c.sizes))
		for i, n := range c.sizes {
			list[i].Size = n
		}
		if got := toMerge(list, c.part, small, most); got != c.want {
			t.Errorf("of %v, %d are merged with %d, want %d", c.sizes, got, c.part, c.want)
		}
	}
}

// place is an installation whose index is kept.
type place struct {
	*testing.T
	clk   *clock.Manual
	store *store.Store
	mem   *memblob.Driver
	blobs *blob.Bucket
	sent  []job.Job
}

// Send takes the messages of jobs.
func (p *place) Send(_ context.Context, bodies [][]byte, _ time.Duration) error {
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return err
		}
		p.sent = append(p.sent, j)
	}
	return nil
}

func newPlace(t *testing.T) *place {
	p := &place{T: t, clk: clock.NewManual(time.Date(2026, 11, 1, 0, 20, 0, 0, time.UTC)), mem: memblob.New()}
	p.store = store.New(table.New(memtable.New(), table.Options{Clock: p.clk, Kind: store.Kind}), p.clk)
	p.blobs = blob.New(p.mem)
	return p
}

func (p *place) service(o Options) *Service {
	return New(p.store, p.blobs, p, p.clk, slog.New(slog.DiscardHandler), o)
}

func (p *place) ok(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p *place) feed(n int) reader.FeedID {
	p.Helper()
	f, err := p.store.Feeds.Ensure(bg, fmt.Sprintf("https://%d.example/feed", n), func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Period: 5, Status: "active", Subs: 1}
	})
	p.ok(err)
	return f.ID()
}

// add commits items with these texts.
func (p *place) add(f reader.FeedID, texts ...string) (raw string) {
	p.Helper()
	row, err := p.store.Feeds.Get(bg, f, true)
	p.ok(err)
	var doc strings.Builder
	doc.WriteString(`<rss version="2.0"><channel><title>t</title>`)
	hs := make([]store.Header, len(texts))
	for i, text := range texts {
		n := int(row.Seq) + i + 1
		guid := fmt.Sprintf("g%d", n)
		fmt.Fprintf(&doc,
			`<item><guid>%s</guid><title>title %d</title><description>&lt;p&gt;%s&lt;/p&gt;</description></item>`, guid,
			n, text)
		hs[i] = store.Header{
			Identity: extract.Identity(guid, "", "", "", ""), Sort: p.clk.Now().Unix() - int64(len(texts)-i),
			Title: fmt.Sprintf("title %d of %d", n, f), Snippet: text[:min(len(text), 4)],
		}
	}
	doc.WriteString(`</channel></rss>`)
	sum := sha256.Sum256([]byte(doc.String()))
	raw = store.RawKey(p.clk.Now(), row.URL, sum[:], "gz")
	p.ok(p.blobs.Put(bg, raw, blob.Gzip([]byte(doc.String())), blob.Meta{ContentType: "application/rss+xml"}))
	stamp := max(reader.MinuteOf(p.clk.Now()), reader.Minute(row.Stamp)+1)
	d, err := store.NewDelta(f, reader.Seq(row.Seq+1), stamp, p.clk.Now().UnixMilli(), raw, hs)
	p.ok(err)
	p.ok(p.store.Items.Put(bg, d))
	next := *row
	next.Seq, next.Stamp = uint32(d.Last()), d.Stamp
	_, err = p.store.Feeds.Change(bg, row, &next)
	p.ok(err)
	return raw
}

func (p *place) index(s *Service) Report {
	p.Helper()
	r, err := s.Step(bg, false)
	p.ok(err)
	return r
}

func (p *place) row() (*store.SearchRow, []store.Segment) {
	p.Helper()
	row, err := p.store.Search.Get(bg, true)
	p.ok(err)
	list, err := row.List()
	p.ok(err)
	return row, list
}

// texts are those of all documents in all segments' blobs, whether they are still part of the index or not.
func (p *place) texts() string {
	p.Helper()
	var all strings.Builder
	for _, key := range p.mem.Keys() {
		if _, isOne := store.ParseSegmentKey(key); !isOne {
			continue
		}
		file, _, err := p.blobs.Get(bg, key)
		p.ok(err)
		tail, err := segment.OpenFile(file)
		p.ok(err)
		for i := range tail.Documents {
			block, place := tail.Documents[i].Text()
			at := tail.Text(block)
			texts, err := segment.ReadTexts(file[at.At : at.At+at.Size])
			p.ok(err)
			record, text, err := texts.Get(place)
			p.ok(err)
			fmt.Fprintln(&all, record, text)
		}
	}
	return all.String()
}

// Bodies are read once each; where one is gone or is no feed, the header is indexed alone.
func TestBodiesAreReadOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := p.feed(1)
	p.add(f, "the first needle in a long text", "the second needle in a long text", "the third")
	gone := p.add(f, "a lost needle, gone with its body")
	p.ok(p.blobs.Delete(bg, gone))
	broken := p.add(f, "a broken needle, no feed at all")
	p.ok(p.blobs.Put(bg, broken, []byte("no gzip"), blob.Meta{}))
	before := p.blobs.Meter().Snapshot()
	r := p.index(p.service(Options{Bodies: true}))
	after := p.blobs.Meter().Snapshot()
	if r.Items != 5 || !r.Done || r.Segments != 1 || after.Gets-before.Gets != 3 || after.Puts-before.Puts != 1 {
		t.Errorf("%+v, %d gets, %d puts", r, after.Gets-before.Gets, after.Puts-before.Puts)
	}
	texts := p.texts()
	for text, want := range map[string]int{"first needle in a long": 1, "second needle": 1, "title 4 of 1": 1,
		"lost needle, gone": 0, "broken needle, no": 0} {
		if n := strings.Count(texts, text); n != want {
			t.Errorf("%q is there %d times, want %d", text, n, want)
		}
	}
	p.Run("titles", func(t *testing.T) {
		p := newPlace(t)
		p.add(p.feed(1), "the first needle in a long text")
		before := p.blobs.Meter().Snapshot()
		p.index(p.service(Options{}))
		if after := p.blobs.Meter().Snapshot(); after.Gets != before.Gets || strings.Contains(p.texts(), "needle") {
			t.Error("bodies are read, or indexed")
		}
	})
}

// What is new is done in steps, each a message; then nothing is written.
func TestStepsFollowOneAnother(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for n := range 3 {
		f := p.feed(n)
		for range 4 {
			p.add(f, "one", "two", "three")
		}
	}
	s := p.service(Options{})
	s.stepItems = 10
	p.sent = []job.Job{{Kind: job.Index}}
	items, messages := 0, 0
	for ; len(p.sent) > 0; messages++ {
		j := p.sent[0]
		p.sent = p.sent[1:]
		r, err := s.Run(bg, j)
		p.ok(err)
		items += r.Items
		if r.Done != (len(p.sent) == 0) || r.Items > 12 {
			t.Errorf("%+v, %d messages follow", r, len(p.sent))
		}
	}
	if items != 36 || messages != 3 { // a step ends with the delta that fills it
		t.Errorf("%d items in %d messages", items, messages)
	}
	p.clk.Add(20 * time.Minute)
	units, puts := p.store.Table().Meter().Snapshot().TotalWrites(), p.blobs.Meter().Snapshot().Puts
	if r := p.index(s); r.Items != 0 || !r.Done || r.Rebuilt {
		t.Errorf("%+v", r)
	}
	if now := p.store.Table().Meter().Snapshot().TotalWrites(); now != units ||
		p.blobs.Meter().Snapshot().Puts != puts {
		t.Error("a job without work writes")
	}
}

// Steps that follow one another share an inventory of the feeds, whatever other processes do between them: at the end
// each item is in the index once.
func TestStepsShareAnInventory(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const feeds = maxListed + 10
	for n := range feeds {
		p.add(p.feed(n), "one")
	}
	reads := func() float64 { return p.store.Table().Meter().Snapshot().Reads["feed"] }
	before := reads()
	p.ok(p.store.Feeds.Each(bg, func(*store.FeedRow) error { return nil }))
	listing := reads() - before

	s, other := p.service(Options{}), p.service(Options{})
	s.stepItems, other.stepItems = 50, 70
	before = reads()
	steps := 0
	report, err := s.All(bg, false, func(Report) { steps++ })
	p.ok(err)
	if listings := (reads() - before) / listing; report.Items != feeds || steps < 10 || listings > 2.1 {
		t.Errorf("%+v in %d steps, the feeds were listed %.1f times", report, steps, listings)
	}

	steps = 0
	_, err = s.All(bg, true, func(Report) {
		if steps++; steps == 2 {
			p.add(p.feed(feeds), "one", "two")
			p.index(other)
		}
	})
	p.ok(err)
	for r := (Report{}); !r.Done; {
		r = p.index(other)
	}
	lines := slices.Sorted(strings.Lines(p.texts()))
	if all := slices.Compact(slices.Clone(lines)); len(lines) != feeds+2 || len(all) != len(lines) {
		t.Errorf("%d documents, %d of them different, want %d", len(lines), len(all), feeds+2)
	}
}

// A night with news costs one put and three write units.
func TestANightCostsOnePutAndThreeUnits(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := p.feed(1)
	s := p.service(Options{PutsCost: true})
	for night := range 60 {
		p.clk.Add(24 * time.Hour)
		p.add(f, strings.Repeat("x", 300), "two")
		units, blobs := p.store.Table().Meter().Snapshot().TotalWrites(), p.blobs.Meter().Snapshot()
		p.index(s)
		now := p.blobs.Meter().Snapshot()
		if spent := p.store.Table().Meter().Snapshot().TotalWrites() - units; spent > 3 || now.Puts-blobs.Puts != 1 ||
			now.Gets-blobs.Gets > 4 {
			t.Errorf("night %d: %.1f write units, %d puts, %d gets", night, spent, now.Puts-blobs.Puts,
				now.Gets-blobs.Gets)
		}
	}
	if _, list := p.row(); len(list) != 1 || list[0].Documents != 120 {
		t.Errorf("%+v", list)
	}
}

// The text of a removed feed, and items below the floor, are gone from every blob within 31 nights.
// R-88, C-12
func TestWhatIsGoneLeavesNoText(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	kept, removed, old := p.feed(1), p.feed(2), p.feed(3)
	s := p.service(Options{Bodies: true})
	s.small, s.most = 1, 1 // nothing is merged
	for night := range 40 {
		p.clk.Add(24 * time.Hour)
		for range 6 {
			p.add(kept, fmt.Sprintf("kept text %d", night))
		}
		p.add(removed, fmt.Sprintf("secret text %d", night))
		p.add(old, fmt.Sprintf("expired text %d", night))
		p.index(s)
	}
	if _, list := p.row(); len(list) < 20 {
		t.Fatalf("%d segments", len(list))
	}
	row, err := p.store.Feeds.Get(bg, removed, true)
	p.ok(err)
	next := *row
	next.RemovingSince = p.clk.Now().Unix()
	row, err = p.store.Feeds.Change(bg, row, &next)
	p.ok(err)
	p.ok(p.store.Feeds.Remove(bg, removed, row.RemovingSince))
	_, err = p.store.Feeds.Modify(bg, old, func(f *store.FeedRow) { f.Floor = 35 })
	p.ok(err)
	puts := p.blobs.Meter().Snapshot().Puts
	for range 31 {
		p.clk.Add(24 * time.Hour)
		if r := p.index(s); !r.Done {
			t.Fatalf("%+v", r)
		}
	}
	texts := p.texts()
	if n := strings.Count(texts, "secret text"); n > 0 {
		t.Errorf("%d texts of a removed feed are left", n)
	}
	if n := strings.Count(texts, "expired text"); n != 5 {
		t.Errorf("%d texts of the feed whose floor moved, want those of 5 items", n)
	}
	if n := strings.Count(texts, "kept text"); n != 240 {
		t.Errorf("%d other texts, want 240", n)
	}
	if n := p.blobs.Meter().Snapshot().Puts - puts; n > 40 {
		t.Errorf("%d segments were written for it", n)
	}
}

// watchedPuts calls each before a blob is put.
type watchedPuts struct {
	blob.Driver
	each func()
}

func (w watchedPuts) Put(ctx context.Context, key string, body []byte, m blob.Meta, ifAbsent bool) (bool, error) {
	w.each()
	return w.Driver.Put(ctx, key, body, m, ifAbsent)
}

// While an index is made again, the old one can be searched until the row has the new one; then its blobs are deleted.
func TestTheOldIndexStaysUntilThereIsANewOne(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := p.feed(1)
	s := p.service(Options{})
	s.small, s.most = 1, 1 // nothing is merged
	for range 3 {
		p.add(f, "some", "items")
		p.index(s)
	}
	segments := func() (listed, missing, stored int) {
		row, err := p.store.Search.Get(bg, true)
		p.ok(err)
		list, err := row.List()
		p.ok(err)
		for i := range list {
			if _, _, err := p.blobs.Get(bg, store.SegmentKey(list[i].Name)); err != nil {
				missing++
			}
		}
		for _, key := range p.mem.Keys() {
			if _, isOne := store.ParseSegmentKey(key); isOne {
				stored++
			}
		}
		return len(list), missing, stored
	}
	puts := 0
	watched := blob.New(watchedPuts{p.mem, func() {
		puts++
		if listed, missing, _ := segments(); listed != 3 || missing > 0 {
			t.Errorf("%d segments are listed when the new one is put, and %d of them are gone", listed, missing)
		}
	}})
	s = New(p.store, watched, p, p.clk, slog.New(slog.DiscardHandler), Options{})
	r, err := s.Step(bg, true)
	p.ok(err)
	if listed, missing, stored := segments(); puts != 1 || !r.Rebuilt || listed != 1 || missing != 0 || stored != 1 {
		t.Errorf("%+v after %d puts; %d segments are listed, %d missing, %d stored", r, puts, listed, missing, stored)
	}
}

// A switch of the mode makes the index again; off leaves the row alone, which the cleanup removes.
func TestModes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := p.feed(1)
	p.add(f, "long text with a needle")
	p.index(p.service(Options{}))
	for _, bodies := range []bool{true, false} {
		p.clk.Add(2 * time.Hour)
		r := p.index(p.service(Options{Bodies: bodies}))
		row, list := p.row()
		if !r.Rebuilt || r.Items != 1 || len(list) != 1 ||
			row.Mode != map[bool]string{true: "bodies", false: "titles"}[bodies] {
			t.Errorf("bodies %v: %+v, %+v", bodies, r, list)
		}
	}
	p.clk.Add(2 * time.Hour)
	p.add(f, "more")
	p.index(p.service(Options{}))
	if strings.Contains(p.texts(), "needle") {
		t.Error("texts are left of the index with bodies")
	}
	before, _ := p.row()
	p.add(f, "even more")
	r, err := p.service(Options{Off: true}).Run(bg, job.Job{Kind: job.Index})
	p.ok(err)
	if after, _ := p.row(); !r.Done || after.Rev != before.Rev || len(p.sent) > 0 {
		t.Errorf("off, the job did %+v", r)
	}
}

// An index of another format is made again by the next job.
func TestFormats(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.add(p.feed(1), "text")
	s := p.service(Options{})
	p.index(s)
	row, _ := p.row()
	old := *row
	old.Format = 0
	_, err := p.store.Search.Replace(bg, row, &old)
	p.ok(err)
	if r := p.index(s); !r.Rebuilt || r.Items != 1 {
		t.Errorf("%+v", r)
	}
	if row, list := p.row(); row.Format != segment.Format || len(list) != 1 {
		t.Errorf("%+v, %+v", row, list)
	}
}

// Damage that a job or a search finds makes the index again, with the same items.
func TestDamageIsRepaired(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		newest bool
		harm   func(p *place, key string)
	}{
		"the tail of the newest segment": {true, func(p *place, key string) { p.flip(key, -20) }},
		"a segment is missing":           {false, func(p *place, key string) { p.ok(p.blobs.Delete(bg, key)) }},
		"the newest segment is missing":  {true, func(p *place, key string) { p.ok(p.blobs.Delete(bg, key)) }},
		"texts of a segment":             {false, func(p *place, key string) { p.flip(key, 10) }},
		"a segment is cut off": {false, func(p *place, key string) {
			p.ok(p.blobs.Put(bg, key, []byte("x"), blob.Meta{}))
		}},
		"the newest segment is empty": {true, func(p *place, key string) {
			p.ok(p.blobs.Put(bg, key, nil, blob.Meta{}))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			f := p.feed(1)
			s := p.service(Options{Bodies: true})
			s.small, s.most = 1, 1
			for i := range 3 {
				p.add(f, fmt.Sprintf("text %c", 'a'+i))
				p.index(s)
				p.clk.Add(time.Hour)
			}
			_, list := p.row()
			if len(list) != 3 {
				t.Fatalf("%+v", list)
			}
			key := store.SegmentKey(list[0].Name)
			if c.newest {
				key = store.SegmentKey(list[2].Name)
			}
			c.harm(p, key)
			r, err := s.Run(bg, job.Job{Kind: job.Index, Blob: store.SearchPrefix})
			p.ok(err)
			if !r.Rebuilt || r.Items != 3 || !r.Done {
				t.Fatalf("%+v", r)
			}
			_, list = p.row()
			for i := range list {
				file, _, err := p.blobs.Get(bg, store.SegmentKey(list[i].Name))
				p.ok(err)
				p.ok(segment.Verify(file))
			}
			if r, err = s.Run(bg, job.Job{Kind: job.Index, Blob: store.SearchPrefix}); err != nil || r.Rebuilt {
				t.Errorf("what is sound is repaired: %+v, %v", r, err)
			}
		})
	}
}

// flip changes a byte of a blob, counted from its end if negative.
func (p *place) flip(key string, at int) {
	p.Helper()
	file, m, err := p.blobs.Get(bg, key)
	p.ok(err)
	file = bytes.Clone(file)
	if at < 0 {
		at += len(file)
	}
	file[at] ^= 0x40
	p.ok(p.blobs.Put(bg, key, file, m))
}

// Each of two segments in the place of the other, as long as that, is damage too, although each is as it was written.
func TestExchangedSegments(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := p.feed(1)
	s := p.service(Options{})
	s.small, s.most = 1, 1
	for range 8 {
		p.add(f, "text")
		p.index(s)
		p.clk.Add(time.Hour)
	}
	_, list := p.row()
	i := len(list) - 2
	one, other := store.SegmentKey(list[i].Name), store.SegmentKey(list[i+1].Name)
	if list[i].Size != list[i+1].Size || list[i].Tail != list[i+1].Tail {
		t.Fatalf("%+v", list)
	}
	a, m, err := p.blobs.Get(bg, one)
	p.ok(err)
	b, _, err := p.blobs.Get(bg, other)
	p.ok(err)
	p.ok(p.blobs.Put(bg, one, b, m))
	p.ok(p.blobs.Put(bg, other, a, m))
	if r, err := s.Run(bg, job.Job{Kind: job.Index, Blob: one}); err != nil || !r.Rebuilt || r.Items != 8 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A row that names what cannot be read makes the index again too, in the next job.
func TestADamagedRowIsRepaired(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(*store.SearchRow){
		"no list at all":  func(row *store.SearchRow) { row.Segments = []byte{1} },
		"no dropped ones": func(row *store.SearchRow) { row.Dropped = []byte{1} },
		"no tail":         func(row *store.SearchRow) { row.SetList([]store.Segment{{Name: newName(), Size: 10}}) },
		"a tail larger than its file": func(row *store.SearchRow) {
			row.SetList([]store.Segment{{Name: newName(), Size: 10, Tail: 20}})
		},
		"a file larger than any": func(row *store.SearchRow) {
			row.SetList([]store.Segment{{Name: newName(), Size: 1 << 40, Tail: 1 << 39}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.add(p.feed(1), "one", "two")
			s := p.service(Options{})
			p.index(s)
			row, _ := p.row()
			next := *row
			harm(&next)
			_, err := p.store.Search.Replace(bg, row, &next)
			p.ok(err)
			if r := p.index(s); !r.Rebuilt || r.Items != 2 || !r.Done {
				t.Errorf("%+v", r)
			}
			if _, list := p.row(); len(list) != 1 || list[0].Documents != 2 {
				t.Errorf("%+v", list)
			}
		})
	}
}

// A job that died while it made a segment leaves a name; the next job deletes the blob, and one at the same time keeps
// off.
func TestWhatADeadJobLeaves(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := p.feed(1)
	s := p.service(Options{})
	p.add(f, "one")
	p.index(s)
	row, _ := p.row()
	next := *row
	next.Making, next.At = newName(), p.clk.Now().Unix()
	_, err := p.store.Search.Replace(bg, row, &next)
	p.ok(err)
	left := store.SegmentKey(next.Making)
	p.ok(p.blobs.Put(bg, left, []byte("half"), blob.Meta{}))
	p.add(f, "two")
	if r := p.index(s); !r.Lost || r.Done {
		t.Errorf("beside a job at work: %+v", r)
	}
	p.clk.Add(busyFor)
	if r := p.index(s); r.Lost || r.Items != 1 {
		t.Errorf("after a dead job: %+v", r)
	}
	if _, err := p.blobs.Stat(bg, left); err == nil {
		t.Error("what the dead job made is left")
	}
}

// Edits replace what the index has; a reader that goes by the newest segment finds each item once.
func TestAnEditReplacesItsItem(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	f := p.feed(1)
	s := p.service(Options{})
	s.small, s.most = 1, 1
	p.add(f, "one", "two")
	p.index(s)
	d, err := p.store.Items.Get(bg, f, 1)
	p.ok(err)
	hs, err := d.Headers()
	p.ok(err)
	hs[1].Title = "another title"
	p.ok(p.store.Items.Edit(bg, d, hs))
	_, err = p.store.Feeds.Modify(bg, f, func(row *store.FeedRow) { row.NoteEdits([]reader.Seq{1}) })
	p.ok(err)
	if r := p.index(s); r.Items != 2 || r.Segments != 2 {
		t.Fatalf("%+v", r)
	}
	_, list := p.row()
	tail, err := s.tail(bg, &list[1])
	p.ok(err)
	if !tail.Replaced(f, 1) || !tail.Replaced(f, 2) ||
		tail.CoveredOf(f) != (segment.Covered{Feed: f, Seq: 2, Edits: 1}) {
		t.Errorf("replaced %+v, covered %+v", tail.Replaces, tail.Covered)
	}
	if r := p.index(s); r.Items != 0 {
		t.Errorf("the same edit is indexed again: %+v", r)
	}
}
