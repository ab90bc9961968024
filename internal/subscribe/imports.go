package subscribe

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// atOnceFeeds is up to how many feeds a list is imported while its sender waits.
	atOnceFeeds = 20
	// chunkFeeds are worked on by one message: subscribed to within a second, crawled within a run's time.
	chunkFeeds = 50
	// toldProblems is how many entries that are no feeds are remembered one by one.
	toldProblems = 200
)

// StartImport takes a list that a user brought (R-101, C-14). What is no list is refused whole. A short one is
// imported at once, but for the first crawls; of a long one the file is kept, and messages work through it, chunk by
// chunk. The file comes first, then the import's row, then the messages: what breaks off before the messages are out
// is an import that waits for ever and that can be removed; the list can be brought again.
func (s *Service) StartImport(ctx context.Context, u reader.UserID, body []byte) (*store.Import, error) {
	doc, err := opml.Decode(body, opml.Limits{})
	if err != nil {
		return nil, err
	}
	now := s.clock.Now()
	id := store.ImportID(now, rand.Uint32())
	row := store.ImportRow{Name: ownTitle(doc.Title), Created: now.Unix(), Total: len(doc.Feeds), Parts: 1, Chunks: 1}
	if row.Problems, err = store.PackFailures(failures(problems(doc), toldProblems)); err != nil {
		return nil, err
	}
	if len(doc.Feeds) <= atOnceFeeds || s.files == nil {
		return s.importNow(ctx, u, id, row, doc)
	}
	im, err := s.importing(ctx, u, 0)
	if err != nil {
		return nil, err
	}
	n, err := s.store.Feeds.Count(ctx)
	if err != nil {
		return nil, err
	}
	row.Parts = job.Parts(s.parts, n)
	// Where the cap may be met, who finds a place is decided in the order of the list: one chunk after the other.
	row.Apart = row.Parts > 1 && len(doc.Feeds) <= im.room
	chunks := chunksOf(doc.Feeds, &row)
	row.Chunks = len(chunks)
	if err := s.files.Put(ctx, store.ImportBlobKey(u, id), body, blob.Meta{ContentType: "text/x-opml"}); err != nil {
		return nil, err
	}
	if err := s.store.Imports.Put(ctx, u, id, row); err != nil {
		return nil, err
	}
	var messages [][]byte
	for i, c := range chunks {
		if c.first {
			messages = append(messages, job.Job{Kind: job.Import, User: u, List: id, Chunk: i, Part: c.part}.Encode())
		}
	}
	if err := s.queue.Send(ctx, messages, 0); err != nil {
		return nil, err
	}
	if err := s.settled(ctx, u); err != nil {
		return nil, errors.Join(err, s.files.Delete(ctx, store.ImportBlobKey(u, id)))
	}
	s.log.Info("import begun", "feeds", len(doc.Feeds), "chunks", len(chunks))
	return s.store.Imports.One(ctx, u, id)
}

// importNow imports a short list. Its row comes last: an import that broke off was never there.
func (s *Service) importNow(ctx context.Context, u reader.UserID, id string, row store.ImportRow, doc opml.Document) (*store.Import, error) {
	im, err := s.importing(ctx, u, 0)
	if err != nil {
		return nil, err
	}
	err = im.work(ctx, doc.Feeds)
	if sendErr := s.sendFirst(ctx, im.urls); err == nil {
		err = sendErr
	}
	if err != nil {
		return nil, err
	}
	c, err := im.chunk(len(doc.Feeds))
	if err != nil {
		return nil, err
	}
	named := row
	named.SK = "M#" + id
	if err := s.store.Imports.PutChunk(ctx, u, &named, 0, *c); err != nil {
		return nil, err
	}
	row.Ended = s.clock.Now().Unix()
	if err := s.store.Imports.Put(ctx, u, id, row); err != nil {
		return nil, err
	}
	if err := s.settled(ctx, u); err != nil {
		return nil, err
	}
	return s.store.Imports.One(ctx, u, id)
}

// chunk is what a pass leaves behind.
func (im *importing) chunk(n int) (*store.ImportChunk, error) {
	c := store.ImportChunk{N: n, Had: im.out.AlreadySubscribed}
	for _, f := range im.out.Feeds {
		c.Made = append(c.Made, int32(f.ID()))
	}
	var err error
	c.Failed, err = store.PackFailures(failures(im.out.Failed, len(im.out.Failed)))
	return &c, err
}

func failures(list []Failure, limit int) []store.ImportFailure {
	var out []store.ImportFailure
	for _, f := range list[:min(len(list), limit)] {
		out = append(out, store.ImportFailure{URL: reader.ShownURL(f.URL), Title: f.Title, Code: f.Code, Message: f.Message, Path: f.Path})
	}
	return out
}

// chunk of a list: what one message works on.
type chunk struct {
	feeds []opml.Feed
	part  int
	first bool // of those that follow one another
	next  int  // 0: none
}

// chunksOf splits a list, the same way each time. Apart, the feeds of a host are all in chunks that follow one
// another, so that no host is visited by two at once, and nobody waits for a part that is busy with the same import.
func chunksOf(feeds []opml.Feed, row *store.ImportRow) []chunk {
	byPart := map[int][]opml.Feed{}
	for _, f := range feeds {
		part := 0
		if row.Apart {
			part = job.PartOf(f.XMLURL, row.Parts)
		}
		byPart[part] = append(byPart[part], f)
	}
	var out []chunk
	for part := range row.Parts {
		list := byPart[part]
		for i := 0; i < len(list); i += chunkFeeds {
			c := chunk{feeds: list[i:min(i+chunkFeeds, len(list))], part: part, first: i == 0}
			if i+chunkFeeds < len(list) {
				c.next = len(out) + 1
			}
			out = append(out, c)
		}
	}
	return out
}

// RunImport works on one chunk of an import: it subscribes, writes what came of it, crawls the new feeds, and sends
// the message of the next chunk or ends the import. Each step finds out by itself what an earlier try has done, so a
// message that comes twice, or after its process died, loses and doubles nothing.
func (s *Service) RunImport(ctx context.Context, j job.Job) error {
	row, err := s.store.Imports.Get(ctx, j.User, j.List)
	if fault.Is(err, fault.NotFound) {
		return nil // removed meanwhile
	}
	if err != nil || row.Ended > 0 {
		return err
	}
	body, _, err := s.files.Get(ctx, store.ImportBlobKey(j.User, j.List), blob.Range{})
	if fault.Is(err, fault.NotFound) {
		gone := fault.New(fault.NotFound, "import_file_gone", "subscribe: import", err)
		return s.store.Imports.End(ctx, j.User, j.List, s.clock.Now(), fault.CodeOf(gone))
	}
	if err != nil {
		return err
	}
	doc, err := opml.Decode(body, opml.Limits{})
	if err != nil {
		return s.store.Imports.End(ctx, j.User, j.List, s.clock.Now(), fault.CodeOf(err))
	}
	chunks := chunksOf(doc.Feeds, row)
	if j.Chunk < 0 || j.Chunk >= len(chunks) {
		return fault.New(fault.Invalid, "bad_message", "subscribe: import", nil)
	}
	done, err := s.importChunk(ctx, j, row, chunks[j.Chunk])
	if isUserGone(err) { // removed meanwhile
		if err := s.settled(ctx, j.User); err != nil && !isUserGone(err) {
			return err
		}
		return s.files.Delete(ctx, store.ImportBlobKey(j.User, j.List))
	}
	if err != nil {
		return err
	}
	if err := s.crawlNew(ctx, done); err != nil {
		return err
	}
	return s.goOn(ctx, j, chunks[j.Chunk].next)
}

// importChunk subscribes the user to the feeds of a chunk, unless that is done.
func (s *Service) importChunk(ctx context.Context, j job.Job, row *store.ImportRow, c chunk) (*store.ImportChunk, error) {
	done, err := s.store.Imports.Chunk(ctx, j.User, j.List, j.Chunk)
	if err != nil || done != nil {
		return done, err
	}
	im, err := s.importing(ctx, j.User, row.Created)
	if err != nil {
		return nil, err
	}
	if err := im.work(ctx, c.feeds); err != nil {
		return nil, err
	}
	if done, err = im.chunk(len(c.feeds)); err != nil {
		return nil, err
	}
	if err := s.store.Imports.PutChunk(ctx, j.User, row, j.Chunk, *done); err != nil {
		return nil, err
	}
	return done, s.settled(ctx, j.User)
}

// crawlNew crawls the feeds of a chunk that nobody has crawled. A part that is busy, or a crawl that fails, is a
// message's business then: the import goes on.
func (s *Service) crawlNew(ctx context.Context, c *store.ImportChunk) error {
	ids := make([]reader.FeedID, len(c.Made))
	for i, id := range c.Made {
		ids[i] = reader.FeedID(id)
	}
	urls := map[reader.FeedID]string{}
	err := s.store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		if f.Fresh() && f.Live() {
			urls[f.ID()] = f.URL
		}
		return nil
	})
	if err != nil || len(urls) == 0 {
		return err
	}
	n, err := s.store.Feeds.Count(ctx)
	if err != nil {
		return err
	}
	for _, first := range job.Group(job.First, job.Parts(s.parts, n), urls) {
		if err := s.crawler.First(ctx, first); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := s.queue.Send(ctx, [][]byte{first.Encode()}, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// goOn sends the message of the next chunk, or ends an import all of whose chunks are done.
func (s *Service) goOn(ctx context.Context, j job.Job, next int) error {
	im, err := s.store.Imports.One(ctx, j.User, j.List)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if next > 0 && !im.Has(next) {
		then := j
		then.Chunk = next
		return s.queue.Send(ctx, [][]byte{then.Encode()}, 0)
	}
	if len(im.Done) < im.Chunks {
		return nil
	}
	if err := s.store.Imports.End(ctx, j.User, j.List, s.clock.Now(), ""); err != nil {
		return err
	}
	return s.files.Delete(ctx, store.ImportBlobKey(j.User, j.List)) // what a crash leaves goes within a day
}

// RemoveImport forgets an import, and ends one that is under way; what it has subscribed to stays.
func (s *Service) RemoveImport(ctx context.Context, u reader.UserID, id string) error {
	im, err := s.store.Imports.One(ctx, u, id)
	if err != nil {
		return err
	}
	if err := s.store.Imports.Remove(ctx, u, im); err != nil {
		return err
	}
	if im.Ended > 0 || s.files == nil {
		return nil
	}
	return s.files.Delete(ctx, store.ImportBlobKey(u, id))
}
