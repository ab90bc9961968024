package popular

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	storiesURL = "https://hn.algolia.com/api/v1/search_by_date"
	// storiesFor is how far back stories are asked for, and mostStories the limit of an answer.
	storiesFor  = 3 * 24 * time.Hour
	mostStories = 1000
	// fewestPoints leaves out stories that hardly anybody voted for, so that those of three days fit into one answer.
	fewestPoints = 5
	// maxStories bounds an answer: a thousand stories with their texts.
	maxStories = 8 << 20

	pointsKey = store.CountsPrefix + "hackernews.gz"
	// pointsEvery is the least time between two requests, and lookEvery for how long a process keeps what it read.
	pointsEvery = time.Hour
	lookEvery   = 15 * time.Minute
	// maxPoints is more than any story has.
	maxPoints = 1_000_000
)

// Story is what Hacker News says about a page.
type Story struct {
	Points int
	ID     int64 // of the discussion
}

// HackerNews lists the stories of the last days: GET /api/v1/search_by_date of hn.algolia.com (hn.algolia.com/api), one
// request for all. It discloses nothing about the feeds and articles of this installation.
type HackerNews struct{ fetch fetch.Fetcher }

// NewHackerNews returns a client.
func NewHackerNews(f fetch.Fetcher) *HackerNews { return &HackerNews{f} }

// Stories returns the stories since a time, by reader.StoryHash. Errors are those of the client, and fault.Unavailable
// with counts_failed or counts_unreadable.
func (c *HackerNews) Stories(ctx context.Context, since time.Time) (map[uint32]Story, error) {
	filters := "points%3E" + strconv.Itoa(fewestPoints-1) + ",created_at_i%3E" + strconv.FormatInt(since.Unix(), 10)
	address := storiesURL + "?tags=story&hitsPerPage=" + strconv.Itoa(mostStories) + "&numericFilters=" + filters
	resp, err := c.fetch.Do(ctx, fetch.Request{URL: address, Accept: "application/json", MaxBytes: maxStories})
	if err != nil {
		return nil, err
	}
	defer resp.Release()
	if resp.Status != http.StatusOK {
		return nil, fault.Newf(fault.Unavailable, "counts_failed", "hacker news: status %d", resp.Status)
	}
	var answer struct {
		Hits []struct {
			ID     string `json:"objectID"`
			URL    string `json:"url"`
			Points int    `json:"points"`
		} `json:"hits"`
	}
	if err := json.Unmarshal(resp.Body, &answer); err != nil || answer.Hits == nil {
		return nil, unreadable(err)
	}
	stories := map[uint32]Story{}
	for _, hit := range answer.Hits[:min(len(answer.Hits), mostStories)] {
		id, err := strconv.ParseInt(hit.ID, 10, 64)
		if err != nil || id <= 0 || hit.Points < 0 || hit.Points > maxPoints {
			return nil, unreadable(err)
		}
		// A page may have been submitted several times.
		if story := reader.StoryHash(reader.StoryURL(hit.URL)); story != 0 && stories[story].Points <= hit.Points {
			stories[story] = Story{hit.Points, id}
		}
	}
	return stories, nil
}

// points are the stories as of a time. They never change.
type points struct {
	at      int64 // Unix seconds
	stories map[uint32]Story
}

// keptPoints are the points in memory.
type keptPoints struct {
	points
	looked, asked time.Time
}

// pack writes uvarints: the time, and of each story its hash, points and number.
func (p *points) pack() []byte {
	b := binary.AppendUvarint(nil, uint64(p.at))
	for hash, s := range p.stories {
		for _, n := range [...]uint64{uint64(hash), uint64(s.Points), uint64(s.ID)} {
			b = binary.AppendUvarint(b, n)
		}
	}
	return b
}

func unpackPoints(b []byte) (points, error) {
	r := &reader.Decoder{Rest: string(b)}
	p := points{int64(r.Uvarint()), map[uint32]Story{}}
	for r.More() {
		p.stories[uint32(r.Uvarint())] = Story{int(r.Uvarint()), int64(r.Uvarint())}
	}
	if !r.Done() {
		return points{}, fault.New(fault.Internal, "bad_counts", "popular: points", nil)
	}
	return p, nil
}

// stories returns points that are at most some minutes old. If they are an hour old, it sends a message to ask for
// newer ones, so that nothing is asked while nobody reads. Stories whose points cannot be read are left out.
func (s *Service) stories(ctx context.Context, now time.Time) map[uint32]Story {
	k := &s.points
	if k.stories == nil {
		k.stories = map[uint32]Story{}
	}
	if k.looked.IsZero() || now.Sub(k.looked) >= lookEvery {
		p, err := s.readPoints(ctx)
		switch {
		case err == nil:
			k.points = p
		case !fault.Is(err, fault.NotFound):
			s.log.Warn("points cannot be read", "code", fault.CodeOf(err), "error", err)
		}
		k.looked = now
	}
	if now.Sub(time.Unix(k.at, 0)) >= pointsEvery && now.Sub(k.asked) >= pointsEvery {
		k.asked = now
		if err := job.Send(ctx, s.queue, 0, job.Job{Kind: job.Points}); err != nil {
			s.log.Warn("points cannot be asked for", "code", fault.CodeOf(err), "error", err)
		}
	}
	return k.stories
}

func (s *Service) readPoints(ctx context.Context) (points, error) {
	packed, _, err := s.blobs.Get(ctx, pointsKey)
	if err != nil {
		return points{}, err
	}
	plain, err := blob.Gunzip(packed, maxStories)
	if err != nil {
		return points{}, fault.New(fault.Internal, "bad_counts", "popular: points", err)
	}
	return unpackPoints(plain)
}

// RunPoints handles a message of kind job.Points: it asks for the stories of the last days, unless that was done within
// the hour. After a failure the points stay as they are, and the settings say why.
func (s *Service) RunPoints(ctx context.Context, _ job.Job) error {
	site, err := s.store.Accounts.Site(ctx)
	if err != nil || !site.HackerNews {
		return err
	}
	now := s.clock.Now()
	if p, err := s.readPoints(ctx); err == nil && now.Sub(time.Unix(p.at, 0)) < pointsEvery {
		return nil
	}
	stories, err := s.o.Stories.Stories(ctx, now.Add(-storiesFor))
	code := ""
	if err == nil {
		p := points{now.Unix(), stories}
		if err := s.blobs.Put(ctx, pointsKey, blob.Gzip(p.pack()), blob.Meta{ContentType: "application/gzip"}); err !=
			nil {
			return err
		}
	} else {
		code = why(err)
		s.log.Warn("points of Hacker News cannot be read", "code", code, "error", err)
	}
	if code == site.PointsWhy {
		return nil
	}
	return s.store.Accounts.SetPointsWhy(ctx, code)
}

// Story returns what Hacker News says about a link; nil where it says nothing lately, or is not asked.
func (c *Counts) Story(link string) *Story {
	if c == nil || len(c.stories) == 0 {
		return nil
	}
	s, isThere := c.stories[reader.StoryHash(reader.StoryURL(link))]
	if !isThere {
		return nil
	}
	return &s
}

// SwitchPoints switches points of Hacker News on or off; other processes notice within ten minutes.
func (s *Service) SwitchPoints(ctx context.Context, isOn bool) error {
	if err := s.store.Accounts.SetHackerNews(ctx, isOn); err != nil {
		return err
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	s.kept.counts = nil
	return nil
}
