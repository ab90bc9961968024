package subscribe

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/content/page"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// maxImmediate is the size, in feeds, up to which a list is imported while its sender waits.
	maxImmediate = 20
	// chunkFeeds are processed by one message: subscribed to within a second, crawled within a run's time.
	chunkFeeds = 50
	// maxProblems limits the entries without a feed that are remembered one by one.
	maxProblems = 200
)

// StartImport imports a list that a user uploaded (R-101, C-14). A file that is no list is refused whole. A short list
// is imported at once, except for the first crawls; the file of a long one is stored, and messages work through it in
// chunks. The file is written first, then the import's row, then the messages: a crash before the messages leaves an
// import that waits for ever and can be removed; the list can be uploaded again.
func (s *Service) StartImport(ctx context.Context, u reader.UserID, body []byte) (*store.Import, error) {
	doc, err := decode(ctx, body)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	id := store.ImportID(now, rand.Uint32())
	row := store.ImportRow{Name: library.CutTitle(doc.Title), Created: now.Unix(), Total: len(doc.Feeds),
		Parts: 1, Chunks: 1}
	listed := problems(doc)
	if row.Problems, err = store.PackFailures(listed[:min(len(listed), maxProblems)]); err != nil {
		return nil, err
	}
	if len(doc.Feeds) <= maxImmediate {
		return s.importNow(ctx, u, id, row, doc)
	}
	im, err := s.importing(ctx, u, 0)
	if err != nil {
		return nil, err
	}
	n, err := s.Store.Feeds.Count(ctx)
	if err != nil {
		return nil, err
	}
	row.Parts = job.Parts(s.Parts, n)
	// Near the cap, one chunk after the other, so that the order of the list decides which feeds fit.
	row.Apart = row.Parts > 1 && len(doc.Feeds) <= im.capacity
	chunks := chunksOf(doc.Feeds, &row)
	row.Chunks = len(chunks)
	if err := s.Files.Put(ctx, store.ImportBlobKey(u, id), body, blob.Meta{ContentType: "text/x-opml"}); err != nil {
		return nil, err
	}
	if err := s.Store.Imports.Put(ctx, u, id, row); err != nil {
		return nil, err
	}
	var jobs []job.Job
	for i, c := range chunks {
		if c.first {
			jobs = append(jobs, job.Job{Kind: job.Import, User: u, List: id, Chunk: i, Part: c.part})
		}
	}
	if err := job.Send(ctx, s.Queue, 0, jobs...); err != nil {
		return nil, err
	}
	if err := s.checkAccount(ctx, u); err != nil {
		return nil, errors.Join(err, s.Files.Delete(ctx, store.ImportBlobKey(u, id)))
	}
	s.Log.Info("import begun", "feeds", len(doc.Feeds), "chunks", len(chunks))
	return s.Store.Imports.One(ctx, u, id)
}

// decode reads a list when its turn comes.
func decode(ctx context.Context, body []byte) (opml.Document, error) {
	leave, err := page.Turn(ctx)
	if err != nil {
		return opml.Document{}, err
	}
	defer leave()
	return opml.Decode(body)
}

// importNow imports a short list. Its row comes last: an import that crashed never existed.
func (s *Service) importNow(ctx context.Context, u reader.UserID, id string, row store.ImportRow,
	doc opml.Document) (*store.Import, error) {
	out, err := s.importFeeds(ctx, u, doc.Feeds)
	if err != nil {
		return nil, err
	}
	c, err := chunkOf(out, len(doc.Feeds))
	if err != nil {
		return nil, err
	}
	named := row
	named.SK = "M#" + id
	if err := s.Store.Imports.PutChunk(ctx, u, &named, 0, *c); err != nil {
		return nil, err
	}
	row.Ended = s.Clock.Now().Unix()
	if err := s.Store.Imports.Put(ctx, u, id, row); err != nil {
		return nil, err
	}
	if err := s.checkAccount(ctx, u); err != nil {
		return nil, err
	}
	return s.Store.Imports.One(ctx, u, id)
}

// chunkOf returns the stored result of a pass over n outlines.
func chunkOf(out *Imported, n int) (*store.ImportChunk, error) {
	c := store.ImportChunk{N: n, Had: out.AlreadySubscribed}
	for _, f := range out.Feeds {
		c.Made = append(c.Made, int32(f.ID()))
	}
	var err error
	c.Failed, err = store.PackFailures(out.Failed)
	return &c, err
}

// chunk is the part of a list that one message processes.
type chunk struct {
	feeds []opml.Feed
	part  int
	first bool // of those that follow one another
	next  int  // 0: none
}

// chunksOf splits a list, the same way each time. With Apart, the feeds of a host are all in chunks that follow one
// another, so that no host is visited twice at once, and no message waits for a part that is busy with the same import.
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

// RunImport processes one chunk of an import: it subscribes, stores the result, crawls the new feeds, and sends the
// message of the next chunk or ends the import. Each step detects what an earlier try has done, so a message that is
// delivered twice, or again after a crash, loses and duplicates nothing.
func (s *Service) RunImport(ctx context.Context, j job.Job) error {
	row, err := s.Store.Imports.Get(ctx, j.User, j.List)
	if fault.Is(err, fault.NotFound) {
		return nil // the import was removed
	}
	if err != nil || row.Ended > 0 {
		return err
	}
	body, _, err := s.Files.Get(ctx, store.ImportBlobKey(j.User, j.List))
	if fault.Is(err, fault.NotFound) {
		gone := fault.New(fault.NotFound, "import_file_gone", "subscribe: import", err)
		return s.Store.Imports.End(ctx, j.User, j.List, s.Clock.Now(), fault.CodeOf(gone))
	}
	if err != nil {
		return err
	}
	doc, err := decode(ctx, body)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return s.Store.Imports.End(ctx, j.User, j.List, s.Clock.Now(), fault.CodeOf(err))
	}
	chunks := chunksOf(doc.Feeds, row)
	if j.Chunk < 0 || j.Chunk >= len(chunks) {
		return fault.New(fault.Invalid, "bad_message", "subscribe: import", nil)
	}
	done, err := s.importChunk(ctx, j, row, chunks[j.Chunk])
	if isUserGone(err) { // removed during the import
		if err := s.checkAccount(ctx, j.User); err != nil && !isUserGone(err) {
			return err
		}
		return s.Files.Delete(ctx, store.ImportBlobKey(j.User, j.List))
	}
	if err != nil {
		return err
	}
	if err := s.crawlNew(ctx, done); err != nil {
		return err
	}
	return s.continueImport(ctx, j, chunks[j.Chunk].next)
}

// importChunk subscribes the user to the feeds of a chunk, unless that was done before.
func (s *Service) importChunk(ctx context.Context, j job.Job, row *store.ImportRow,
	c chunk) (*store.ImportChunk, error) {
	done, err := s.Store.Imports.Chunk(ctx, j.User, j.List, j.Chunk)
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
	if done, err = chunkOf(&im.out, len(c.feeds)); err != nil {
		return nil, err
	}
	if err := s.Store.Imports.PutChunk(ctx, j.User, row, j.Chunk, *done); err != nil {
		return nil, err
	}
	return done, s.checkAccount(ctx, j.User)
}

// crawlNew runs the first crawl of the new feeds of a chunk. If a part is busy or a crawl fails, a message takes over:
// the import goes on.
func (s *Service) crawlNew(ctx context.Context, c *store.ImportChunk) error {
	ids := make([]reader.FeedID, len(c.Made))
	for i, id := range c.Made {
		ids[i] = reader.FeedID(id)
	}
	urls := map[reader.FeedID]string{}
	err := s.Store.Feeds.Load(ctx, ids, func(f *store.FeedRow) error {
		if f.Fresh() && f.Live() {
			urls[f.ID()] = f.URL
		}
		return nil
	})
	if err != nil || len(urls) == 0 {
		return err
	}
	jobs, err := s.grouped(ctx, job.First, urls)
	if err != nil {
		return err
	}
	for _, first := range jobs {
		if err := s.Crawler.First(ctx, first); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := job.Send(ctx, s.Queue, 0, first); err != nil {
				return err
			}
		}
	}
	return nil
}

// continueImport sends the message of the next chunk, or ends an import whose chunks are all done.
func (s *Service) continueImport(ctx context.Context, j job.Job, next int) error {
	im, err := s.Store.Imports.One(ctx, j.User, j.List)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if next > 0 && !im.Has(next) {
		then := j
		then.Chunk = next
		return job.Send(ctx, s.Queue, 0, then)
	}
	if len(im.Done) < im.Chunks {
		return nil
	}
	if err := s.Store.Imports.End(ctx, j.User, j.List, s.Clock.Now(), ""); err != nil {
		return err
	}
	return s.Files.Delete(ctx, store.ImportBlobKey(j.User, j.List)) // leftovers of a crash go within a day
}

// RemoveImport deletes the record of an import, and ends it if it is running; its subscriptions stay.
func (s *Service) RemoveImport(ctx context.Context, u reader.UserID, id string) error {
	im, err := s.Store.Imports.One(ctx, u, id)
	if err != nil {
		return err
	}
	if err := s.Store.Imports.Remove(ctx, u, im); err != nil {
		return err
	}
	if im.Ended > 0 {
		return nil
	}
	return s.Files.DeleteAll(ctx, store.ImportBlobKey(u, id))
}
