package websub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// accept stores a push for the crawler: the blob, then the message that names it. A crash in between leaves a blob that
// expires after a day, and the hub, which got no response, pushes again. A ping without a body asks for a poll.
func (s *Service) accept(ctx context.Context, f reader.FeedID, contentType string, body []byte) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return s.poll(ctx, f)
	}
	sum := sha256.Sum256(body)
	key := store.PushPrefix + f.String() + "/" + hex.EncodeToString(sum[:]) + ".gz"
	meta := blob.Meta{ContentType: blob.ContentType(contentType), ContentEncoding: "gzip"}
	if err := s.blobs.Put(ctx, key, blob.Gzip(body), meta); err != nil {
		return err
	}
	return job.Send(ctx, s.queue, 0, job.Job{Kind: job.Pushed, Feeds: []reader.FeedID{f}, Blob: key})
}

// Ingest commits a stored push and deletes it. A message that is delivered twice finds nothing to do.
func (s *Service) Ingest(ctx context.Context, j job.Job) error {
	if len(j.Feeds) != 1 || j.Blob == "" {
		return fault.New(fault.Invalid, "bad_message", "websub", nil)
	}
	f := j.Feeds[0]
	packed, meta, err := s.blobs.Get(ctx, j.Blob)
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	body, unreadable := blob.Gunzip(packed, MaxPush)
	if unreadable == nil {
		_, err = s.crawler.Pushed(ctx, f, body, meta.ContentType)
	}
	if unreadable != nil || fault.Is(err, fault.Invalid) {
		err = s.poll(ctx, f) // no feed, so only a notification: the feed itself is at its publisher
	}
	if err != nil {
		return err
	}
	return s.blobs.Delete(ctx, j.Blob)
}

// poll sends the message for a refresh of a feed, to which the least time between polls applies.
func (s *Service) poll(ctx context.Context, id reader.FeedID) error {
	f, err := s.store.Feeds.Get(ctx, id, false)
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	n, err := s.store.Feeds.Count(ctx)
	if err != nil {
		return err
	}
	j := job.Job{Kind: job.Refresh, Part: job.PartOf(f.URL, job.Parts(s.parts, n)), Feeds: []reader.FeedID{id}}
	return job.Send(ctx, s.queue, 0, j)
}
