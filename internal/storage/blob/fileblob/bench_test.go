//go:build unix

package fileblob

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// cpu is what the process has used, user and system.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func feedKey(i int) string {
	h := sha256.Sum256(fmt.Append(nil, i))
	return fmt.Sprintf("feeds/2026/11/21/%x/%x", h[:8], h)
}

var feedMeta = blob.Meta{ContentType: "application/rss+xml; charset=utf-8", ContentEncoding: "gzip",
	User: map[string]string{"feed": "f_12", "fetched": "2026-11-21T05:00:00Z", "etag": `W/"abc"`}}

// BenchmarkFirstCrawl puts one new blob of 12 KB into a new folder of its own each time, as a first crawl does.
// Run it where no files were deleted in the last minutes (TMPDIR=/dev/shm is always good): ext4 without a journal
// looks at every recently freed inode before it makes a new one, which costs ten times what is measured here.
func BenchmarkFirstCrawl(b *testing.B) {
	for _, writers := range []int{1, 10, 64} {
		for _, ifAbsent := range []bool{false, true} {
			b.Run(fmt.Sprintf("writers=%d/ifAbsent=%v", writers, ifAbsent), func(b *testing.B) {
				bucket := blob.New(open(b, b.TempDir()))
				body := make([]byte, 12<<10)
				keys := make([]string, b.N)
				for i := range keys {
					keys[i] = feedKey(i)
				}
				b.ReportAllocs()
				b.ResetTimer()
				before := cpu()
				var wg sync.WaitGroup
				for w := range writers {
					wg.Go(func() {
						for i := w; i < b.N; i += writers {
							var err error
							if ifAbsent {
								_, err = bucket.PutIfAbsent(b.Context(), keys[i], body, feedMeta)
							} else {
								err = bucket.Put(b.Context(), keys[i], body, feedMeta)
							}
							if err != nil {
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
				b.ReportMetric(float64((cpu()-before).Microseconds())/float64(b.N), "cpu-µs/op")
			})
		}
	}
}

func BenchmarkGet(b *testing.B) {
	bucket := blob.New(open(b, b.TempDir()))
	if err := bucket.Put(b.Context(), feedKey(1), make([]byte, 12<<10), feedMeta); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := bucket.Get(b.Context(), feedKey(1)); err != nil {
			b.Fatal(err)
		}
	}
}
