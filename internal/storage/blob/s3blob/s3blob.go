// Package s3blob stores blobs in an S3 bucket: the driver of package blob for AWS and compatible services. Keys are the
// bucket's keys. The SDK's client retries; the driver itself repeats only the conflict that S3 asks to retry.
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

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// Options adapt to an endpoint; the zero value is right for AWS.
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
		so.DisableLogOutputChecksumValidationSkipped = true // objects without a checksum would log a line at each read
	})}
}

// conflictTries bounds how often a conditional put that conflicts with another request (409) is sent.
const conflictTries = 5

// Put implements blob.Driver.
func (s *Store) Put(ctx context.Context, key string, body []byte, m blob.Meta, ifAbsent bool) (bool, error) {
	for try := 1; ; try++ {
		in := &s3.PutObjectInput{
			Bucket: &s.bucket, Key: &key, Metadata: m.User,
			Body: bytes.NewReader(body), // seekable: without TLS the SDK refuses other bodies, and it rewinds to retry
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
			// Another conditional put or a delete is in progress; S3 asks to repeat the request. With full jitter and
			// a doubling bound two conflicting requests do not conflict again.
			if err := clock.Sleep(ctx, rand.N(20*time.Millisecond<<try)); err != nil {
				return false, err
			}
		default:
			return false, classify("s3blob: put", err)
		}
	}
}

// untyped stands for no content type: the SDK, or else the service, would set one of their own.
const untyped = "application/x-untyped"

func typeOf(stored *string) string {
	if t := aws.ToString(stored); t != untyped {
		return t
	}
	return ""
}

// Get implements blob.Driver.
func (s *Store) Get(ctx context.Context, key string, limit int64) ([]byte, blob.Meta, error) {
	const op = "s3blob: get"
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key})
	if err != nil {
		return nil, blob.Meta{}, classify(op, err)
	}
	defer out.Body.Close()
	size := aws.ToInt64(out.ContentLength)
	if size > limit {
		return nil, blob.Meta{}, fault.New(fault.TooLarge, "blob_too_large", op, nil)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(out.Body, body); err != nil {
		return nil, blob.Meta{}, fault.New(fault.Unavailable, "storage_unavailable", op, err)
	}
	return body, blob.Meta{ContentType: typeOf(out.ContentType), ContentEncoding: aws.ToString(out.ContentEncoding),
		User: out.Metadata, Size: size, Modified: aws.ToTime(out.LastModified).UTC()}, nil
}

// GetRange implements blob.Driver.
func (s *Store) GetRange(ctx context.Context, key string, offset, n int64) ([]byte, error) {
	const op = "s3blob: get range"
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key,
		Range: aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+n-1))})
	if errorCode(err) == "InvalidRange" { // it begins at the end or beyond
		return nil, nil
	}
	if err != nil {
		return nil, classify(op, err)
	}
	defer out.Body.Close()
	size := aws.ToInt64(out.ContentLength)
	if size > n { // a service that knows no ranges
		return nil, fault.New(fault.Internal, "storage_failed", op, nil)
	}
	part := make([]byte, size)
	if _, err := io.ReadFull(out.Body, part); err != nil {
		return nil, fault.New(fault.Unavailable, "storage_unavailable", op, err)
	}
	return part, nil
}

// Gap implements blob.Driver: a request costs money, and takes as long as transferring some hundred kilobytes.
func (s *Store) Gap() int { return 256 << 10 }

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
		return nil // other services than AWS may report it
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

func cancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
