package stream

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

const (
	// defaultSince is how far back the first visit looks.
	defaultSince = 24 * time.Hour
	// offeredFor is how old an unread item may be for the sections below the folders.
	offeredFor = 14 * 24 * time.Hour
	// longRead is the least reading time of a long read, in minutes.
	longRead = 8
	// leastPopular is the least bookmark count of a popular item.
	leastPopular = 10
	// newestOfFolder, mostOffered and mostPopular bound the lists.
	newestOfFolder, mostOffered, mostPopular = 3, 20, 5
	// mostFeedsRead and mostDeltasRead bound what is read: feeds, and the deltas of one.
	mostFeedsRead, mostDeltasRead = 200, 64
	weekOfReading                 = 7
)

// TodayQuery says what Today shows.
type TodayQuery struct {
	// Since is the end of the visit before; zero: there was none.
	Since time.Time
	// Counts are the bookmark counts, nil without any. Items before CountedSince, in Unix seconds, are not popular.
	Counts       Counts
	CountedSince int64
}

// Today is the first page of a visit. Its lists are in order of time, the newest first, and without muted feeds.
type Today struct {
	Since time.Time
	// New counts the items that arrived since, and Seen the read ones among them. IsPartial reports that there may be
	// more.
	New, Seen int
	IsPartial bool
	// Continued are the items that were begun last, and not read to their end.
	Continued []Continued
	// Folders are the top folders with new unread items, in the order of the side bar; items in none come last, as
	// number 0.
	Folders []FolderToday
	// LongReads, Episodes and Drops are unread items of the last two weeks: of eight minutes or more, with audio, and
	// lower prices of watches.
	LongReads, Episodes, Drops []Entry
	// Popular are the unread items with the greatest counts.
	Popular []Entry
	// Broken are the feeds that cannot be fetched, Quiet those that have stopped publishing.
	Broken, Quiet []*Subscribed
	// Week counts the items read in the last seven days.
	Week reader.Count
	// Feeds are all subscriptions.
	Feeds []*Subscribed
}

// FolderToday are the new items of a folder that are unread.
type FolderToday struct {
	ID     reader.FolderID
	Count  int
	Newest []Entry
}

// Feed returns the row of a feed.
func (t *Today) Feed(id reader.FeedID) *store.FeedRow { return find(t.Feeds, id).FeedRow() }

// Today reads the side bar, and of each feed with something to show the newest deltas. It writes nothing.
func (s *Service) Today(ctx context.Context, u reader.UserID, q TodayQuery) (Today, error) {
	now := s.clock.Now()
	if q.Since.IsZero() {
		q.Since = now.Add(-defaultSince)
	}
	t := Today{Since: q.Since.Truncate(time.Minute)}
	bar, err := s.scope(ctx, u, Scope{}, false, s.foresee)
	if err != nil {
		return t, err
	}
	tree, err := s.store.Trees.Get(ctx, u)
	if err != nil {
		return t, err
	}
	t.Feeds = bar.all
	t.report(now)
	since, offered := t.Since.Unix(), now.Add(-offeredFor).Unix()
	feeds := newsOf(bar.chosen(), since, offered)
	if len(feeds) > mostFeedsRead {
		t.IsPartial, feeds = true, feeds[:mostFeedsRead]
	}
	read := make([]recent, len(feeds))
	err = s.each(len(feeds), func(i int) (err error) {
		read[i], err = s.recent(ctx, feeds[i], since)
		return err
	})
	if err != nil {
		return t, err
	}
	c := collecting{Today: &t, tree: &tree, since: since, offered: offered, folders: map[reader.FolderID][]Entry{}}
	for i := range read {
		t.IsPartial = t.IsPartial || read[i].isCut
		c.add(&read[i])
	}
	c.finish()
	if t.Continued, err = s.continued(ctx, u, &bar); err != nil {
		return t, err
	}
	return t, s.popularToday(ctx, &t, &bar, q)
}

// report adds what the rows tell: problems, and the reading of the week.
func (t *Today) report(now time.Time) {
	oldest := reader.DayOf(now.UnixMilli()) + 1 - weekOfReading
	for _, x := range t.Feeds {
		switch {
		case x.Sub.Damaged, x.Feed.IsStopped(), x.Feed.Status == string(reader.StatusError):
			t.Broken = append(t.Broken, x)
		case x.Feed.IsQuiet(now):
			t.Quiet = append(t.Quiet, x)
		}
		for day := range x.State.Tally.All() {
			if day.Day >= oldest {
				t.Week = t.Week.Plus(day)
			}
		}
	}
}

// newsOf returns the feeds that may have new items, or unread ones that can be offered, the newest first.
func newsOf(feeds []*Subscribed, since, offered int64) (out []*Subscribed) {
	for _, x := range feeds {
		hasNews := reader.Minute(x.Feed.Stamp).Time().Unix() >= since
		if x.Feed.Seq > x.Feed.Floor && (hasNews || x.unread > 0 && x.Feed.NewestAt >= offered) {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b *Subscribed) int { return cmp.Compare(b.Feed.NewestAt, a.Feed.NewestAt) })
	return out
}

// recent are the newest deltas of a feed, the newest first: all that arrived since a time, unless isCut.
type recent struct {
	sub   *Subscribed
	list  []*delta
	isCut bool
}

func (s *Service) recent(ctx context.Context, x *Subscribed, since int64) (r recent, err error) {
	r.sub = x
	for from := reader.Seq(x.Feed.Seq); ; {
		list, _, end, err := s.deltas.window(ctx, x.Feed, from, true, false, deltasAtFirst)
		if err != nil {
			return r, err
		}
		r.list = append(r.list, list...)
		if len(list) == 0 {
			return r, nil
		}
		last := list[len(list)-1]
		if from = last.first - 1; end || from <= reader.Seq(x.Feed.Floor) || last.arrived < since {
			return r, nil
		}
		if len(r.list) >= mostDeltasRead {
			r.isCut = true
			return r, nil
		}
	}
}

// collecting distributes items among the sections.
type collecting struct {
	*Today
	tree           *library.Tree
	since, offered int64
	folders        map[reader.FolderID][]Entry
}

func (c *collecting) add(r *recent) {
	x := r.sub
	folder := c.topFolder(x.Sub.Folders)
	for _, d := range r.list {
		for seq := min(d.last, reader.Seq(x.Feed.Seq)); seq >= max(d.first, reader.Seq(x.Feed.Floor)+1); seq-- {
			if x.State.Hid.Has(seq) {
				continue
			}
			isRead, sort := x.State.IsRead(seq), d.sort(seq)
			isNew := c.isNew(r.sub, seq, d.arrived, isRead)
			if isNew {
				c.New++
			}
			switch isOffered := sort >= c.offered; {
			case isRead && isNew:
				c.Seen++
			case !isRead && (isNew || isOffered):
				e := d.entry(x, seq)
				if isNew {
					c.folders[folder] = append(c.folders[folder], e)
				}
				if isOffered {
					c.offer(&e)
				}
			}
		}
	}
}

// isNew reports whether an item came since the last visit. Of a first crawl only what begins as unread is new. Watches
// have a section of their own.
func (c *collecting) isNew(x *Subscribed, seq reader.Seq, arrived int64, isRead bool) bool {
	switch {
	case x.Feed.IsWatch():
		return false
	case x.Sub.Since >= c.since && !isRead:
		return true
	}
	return arrived >= c.since && seq+reader.UnreadOnSubscribe > reader.Seq(x.Feed.FirstSeq)
}

// offer puts an item into the section that it belongs to, if any.
func (c *collecting) offer(e *Entry) {
	h := &e.Header
	isAudio := func(f store.Enclosure) bool { return strings.HasPrefix(f.Type, "audio/") }
	switch {
	case h.Offer != nil:
		if kind := watch.EventKind(h.Offer.Event); kind == watch.Dropped || kind == watch.Reached {
			c.Drops = append(c.Drops, *e)
		}
	case slices.ContainsFunc(h.Enclosures, isAudio):
		c.Episodes = append(c.Episodes, *e)
	case e.Minutes(c.Feed(e.Feed)) >= longRead:
		c.LongReads = append(c.LongReads, *e)
	}
}

// topFolder is the first top folder that contains one of some folders; 0 for none.
func (c *collecting) topFolder(of []reader.FolderID) reader.FolderID {
	around := c.tree.Around(of)
	for _, f := range c.tree.Children(0) {
		if slices.Contains(around, f.ID) {
			return f.ID
		}
	}
	return 0
}

func (c *collecting) finish() {
	for _, f := range append(c.tree.Children(0), library.Folder{}) {
		if list := c.folders[f.ID]; len(list) > 0 {
			c.Folders = append(c.Folders, FolderToday{f.ID, len(list), newest(list, newestOfFolder)})
		}
	}
	for _, list := range []*[]Entry{&c.LongReads, &c.Episodes, &c.Drops} {
		*list = newest(*list, mostOffered)
	}
}

// newest returns the first items of a list in order of time, a story of several feeds once.
func newest(list []Entry, n int) []Entry {
	slices.SortFunc(list, func(a, b Entry) int { return order{}.compare(a.spot(), b.spot()) })
	var out []Entry
	for i, fold := 0, (Folding{}); i < len(list) && len(out) < n; i++ {
		if !fold.Into(out, &list[i]) {
			out = append(out, list[i])
		}
	}
	return out
}

// popularToday reads the items with the greatest counts.
func (s *Service) popularToday(ctx context.Context, t *Today, bar *sideBar, q TodayQuery) (err error) {
	if q.Counts == nil {
		return nil
	}
	by := Query{Filter: Unread, Counts: q.Counts, CountedSince: q.CountedSince}
	list, _ := by.rank(bar)
	list = list[:min(mostPopular, len(list))]
	if i := slices.IndexFunc(list, func(r ranked) bool { return r.N < leastPopular }); i >= 0 {
		list = list[:i]
	}
	t.Popular, err = s.rankedItems(ctx, bar, list)
	return err
}

// Minutes is the item's reading time; 0 where it is unknown.
func (e *Entry) Minutes(f *store.FeedRow) int { return reader.Minutes(e.Lang(f), e.Header.Length) }
