package backend

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/s3blob"
	"github.com/ruri-reader/ruri/internal/transfer"
)

// A shelf of backups is named by its folder, or as "s3://BUCKET/PREFIX". A backup of it is SHELF/DATE.tar.gz.
const bucketPrefix = "s3://"

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// IsBucket reports whether a name is one of something in a bucket.
func IsBucket(name string) bool { return strings.HasPrefix(name, bucketPrefix) }

// IsShelf reports whether a name is that of a shelf: of a bucket, or of a folder that is there.
func IsShelf(name string) bool {
	info, err := os.Stat(name)
	return IsBucket(name) || err == nil && info.IsDir()
}

// OpenShelf opens the shelf that name names. A folder need not be there.
func OpenShelf(ctx context.Context, name string, lookup func(string) (string, bool)) (transfer.Shelf, error) {
	rest, ok := strings.CutPrefix(name, bucketPrefix)
	if !ok {
		return transfer.Folder(name), nil
	}
	bucket, prefix, _ := strings.Cut(rest, "/")
	if !bucketName.MatchString(bucket) {
		return nil, fault.Newf(fault.Invalid, "bad_bucket", "%q names no bucket. Write s3://BUCKET or s3://BUCKET/PREFIX.",
			name)
	}
	cfg, err := sdkConfig(ctx, "", lookup)
	if err != nil {
		return nil, err
	}
	_, elsewhere := lookup("AWS_ENDPOINT_URL_S3")
	return transfer.InBucket(blob.New(s3blob.New(cfg, bucket,
		s3blob.Options{PathStyle: elsewhere || cfg.BaseEndpoint != nil})), prefix), nil
}

// OpenBackup opens the shelf that a backup lies on, and returns its day; without a shelf for a file that lies on none.
func OpenBackup(ctx context.Context, name string, lookup func(string) (string, bool)) (shelf transfer.Shelf, day string,
	err error) {
	at := strings.LastIndexAny(name, `/\`) + 1
	day, isArchive := strings.CutSuffix(name[at:], transfer.ArchiveEnd)
	_, err = time.Parse(time.DateOnly, day)
	if isDay := isArchive && err == nil; isDay || IsBucket(name) {
		if !isDay {
			return nil, "", fault.Newf(fault.Invalid, "bad_backup",
				"%s names no backup. Add its day: %s/2026-11-28%s.",
				name, strings.TrimSuffix(name, "/"), transfer.ArchiveEnd)
		}
		folder := name[:at]
		if !IsBucket(folder) {
			folder = filepath.Clean(folder)
		}
		shelf, err = OpenShelf(ctx, folder, lookup)
		return shelf, day, err
	}
	return nil, "", nil
}
