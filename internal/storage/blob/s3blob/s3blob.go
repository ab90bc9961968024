// Package s3blob keeps blobs in an S3 bucket: the driver of package blob for AWS and for what speaks its protocol.
// Keys are the bucket's keys. It retries nothing beyond what the SDK's client does, but for the conflict that S3
// itself asks to retry.
package s3blob

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
)

// Options change how the service is spoken to; the zero value is right for AWS.
type Options struct {
	PathStyle bool // the bucket in the path, not in the host name: for endpoints on an address
}

// Store is one bucket. It implements blob.Driver and is safe for concurrent use.
type Store struct {
	client *s3.Client
	bucket string
}

var _ blob.Driver = (*Store)(nil)

// New makes a driver for an existing bucket.
func New(cfg aws.Config, bucket string, o Options) *Store {
	return &Store{bucket: bucket, client: s3.NewFromConfig(cfg, func(so *s3.Options) {
		so.UsePathStyle = o.PathStyle
		so.DisableLogOutputChecksumValidationSkipped = true // else every ranged read logs a line
	})}
}

// conflictTries bounds how often a conditional put that met another at the same instant (409) is sent.
const conflictTries = 5

// Put implements blob.Driver.
func (s *Store) Put(ctx context.Context, key string, body []byte, m blob.Meta, ifAbsent bool) (bool, error) {
	for try := 1; ; try++ {
		in := &s3.PutObjectInput{
			Bucket: &s.bucket, Key: &key, Metadata: m.User,
			Body: bytes.NewReader(body), // seekable: the SDK refuses other bodies without TLS, and must rewind to retry
		}
		in.ContentType = aws.String(cmp.Or(m.ContentType, untyped))
		if m.ContentEncoding != "" {
			in.ContentEncoding = &m.ContentEncoding
		}
		if ifAbsent {
			in.IfNoneMatch = aws.String("*")
		}
		_, err := s.client.PutObject(ctx, in)
		switch code := errorCode(err); {
		case err == nil:
			return true, nil
		case ifAbsent && code == "PreconditionFailed":
			return false, nil
		case ifAbsent && code == "ConditionalRequestConflict" && try < conflictTries:
			// Another conditional put or a delete is under way; S3 asks for the request again.
			if err := pause(ctx, try); err != nil {
				return false, err
			}
		default:
			return false, classify("s3blob: put", err)
		}
	}
}

// untyped stands for no content type at all: the SDK, and else the service, would put in one of their own.
const untyped = "application/x-untyped"

func typeOf(stored *string) string {
	if t := aws.ToString(stored); t != untyped {
		return t
	}
	return ""
}

// Get implements blob.Driver.
func (s *Store) Get(ctx context.Context, key string, r blob.Range, limit int64) ([]byte, blob.Meta, error) {
	const op = "s3blob: get"
	in := &s3.GetObjectInput{Bucket: &s.bucket, Key: &key}
	if r != (blob.Range{}) {
		in.Range = aws.String(rangeHeader(r))
	}
	out, err := s.client.GetObject(ctx, in)
	if err != nil {
		return nil, blob.Meta{}, classify(op, err)
	}
	defer out.Body.Close()
	n := aws.ToInt64(out.ContentLength)
	if n > limit {
		return nil, blob.Meta{}, fault.New(fault.TooLarge, "blob_too_large", op, nil)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(out.Body, body); err != nil {
		return nil, blob.Meta{}, fault.New(fault.Unavailable, "storage_unavailable", op, err)
	}
	size := n
	if in.Range != nil {
		if size, err = totalSize(aws.ToString(out.ContentRange)); err != nil {
			return nil, blob.Meta{}, fault.New(fault.Internal, "storage_failed", op, err)
		}
	}
	return body, blob.Meta{ContentType: typeOf(out.ContentType), ContentEncoding: aws.ToString(out.ContentEncoding),
		User: out.Metadata, Size: size, Modified: aws.ToTime(out.LastModified).UTC()}, nil
}

func rangeHeader(r blob.Range) string {
	if r.Len == 0 {
		return fmt.Sprintf("bytes=%d-", r.Off)
	}
	return fmt.Sprintf("bytes=%d-%d", r.Off, r.Off+r.Len-1)
}

// totalSize reads the size of the whole from "bytes 0-9/1234" (RFC 9110, 14.4).
func totalSize(contentRange string) (int64, error) {
	var from, to, size int64
	if _, err := fmt.Sscanf(contentRange, "bytes %d-%d/%d", &from, &to, &size); err != nil {
		return 0, fmt.Errorf("content range %q: %w", contentRange, err)
	}
	return size, nil
}

// Stat implements blob.Driver.
func (s *Store) Stat(ctx context.Context, key string) (blob.Meta, error) {
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
	if err != nil {
		return blob.Meta{}, classify("s3blob: stat", err)
	}
	return blob.Meta{ContentType: typeOf(out.ContentType), ContentEncoding: aws.ToString(out.ContentEncoding),
		User: out.Metadata, Size: aws.ToInt64(out.ContentLength), Modified: aws.ToTime(out.LastModified).UTC()}, nil
}

// Delete implements blob.Driver.
func (s *Store) Delete(ctx context.Context, key string) error {
	_, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key})
	if errorCode(err) == "NoSuchKey" {
		return nil // AWS does not say so, others may
	}
	return classify("s3blob: delete", err)
}

// List implements blob.Driver.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]blob.Object, bool, error) {
	in := &s3.ListObjectsV2Input{Bucket: &s.bucket, MaxKeys: aws.Int32(int32(limit))}
	if prefix != "" {
		in.Prefix = &prefix
	}
	if after != "" {
		in.StartAfter = &after
	}
	out, err := s.client.ListObjectsV2(ctx, in)
	if err != nil {
		return nil, false, classify("s3blob: list", err)
	}
	page := make([]blob.Object, 0, len(out.Contents))
	for _, o := range out.Contents {
		page = append(page, blob.Object{Key: aws.ToString(o.Key), Size: aws.ToInt64(o.Size),
			Modified: aws.ToTime(o.LastModified).UTC()})
	}
	return page, aws.ToBool(out.IsTruncated), nil
}

// pause waits a random part of a bound that doubles: full jitter, so that two who met do not meet again.
func pause(ctx context.Context, try int) error {
	t := time.NewTimer(rand.N(20 * time.Millisecond << try))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func cancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
