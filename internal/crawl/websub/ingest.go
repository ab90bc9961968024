package websub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// take keeps a push for the crawler: the blob, then the message that names it. What dies between them is a blob of
// nobody's for a day, and the hub, which got no answer, pushes again. A ping without a body asks for a poll.
func (s *Service) take(ctx context.Context, f reader.FeedID, contentType string, body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return s.poll(ctx, f)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(body); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	key := store.PushPrefix + f.String() + "/" + hex.EncodeToString(sum[:]) + ".gz"
	if err := s.blobs.Put(ctx, key, packed.Bytes(), blob.Meta{ContentType: printable(contentType), ContentEncoding: "gzip"}); err != nil {
		return err
	}
	return s.queue.Send(ctx, [][]byte{job.Job{Kind: job.Pushed, Feeds: []reader.FeedID{f}, Blob: key}.Encode()}, 0)
}

// Ingest commits a push that was kept, and forgets it. A message that comes twice finds nothing to do.
func (s *Service) Ingest(ctx context.Context, j job.Job) (store.FeedOutcome, error) {
	if len(j.Feeds) != 1 || j.Blob == "" {
		return store.FeedOutcome{}, fault.New(fault.Invalid, "bad_message", "websub", nil)
	}
	packed, meta, err := s.blobs.Get(ctx, j.Blob, blob.Range{})
	if fault.Is(err, fault.NotFound) {
		return store.FeedOutcome{}, nil
	}
	if err != nil {
		return store.FeedOutcome{}, err
	}
	o, err := s.commit(ctx, j.Feeds[0], packed, meta.ContentType)
	if err != nil {
		return o, err
	}
	return o, s.blobs.Delete(ctx, j.Blob)
}

func (s *Service) commit(ctx context.Context, f reader.FeedID, packed []byte, contentType string) (store.FeedOutcome, error) {
	body, err := unpack(packed)
	if err != nil {
		return store.FeedOutcome{}, s.poll(ctx, f)
	}
	o, err := s.crawler.Pushed(ctx, f, body, contentType)
	if fault.Is(err, fault.Invalid) {
		// A ping of another kind: what it means is at the publisher's.
		return o, s.poll(ctx, f)
	}
	return o, err
}

// poll asks for a poll off its turn, which the publisher's gap still bounds.
func (s *Service) poll(ctx context.Context, id reader.FeedID) error {
	f, err := s.store.Feeds.Get(ctx, id, false)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	n, err := s.store.Feeds.Count(ctx)
	if err != nil {
		return err
	}
	j := job.Job{Kind: job.Refresh, Part: job.PartOf(f.URL, job.Parts(s.parts, n)), Feeds: []reader.FeedID{id}}
	return s.queue.Send(ctx, [][]byte{j.Encode()}, 0)
}

func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(io.LimitReader(z, MaxPush))
}

// printable keeps a header's value if the blob store can.
func printable(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return ""
		}
	}
	return s[:min(len(s), 200)]
}
