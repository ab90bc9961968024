package s3blob_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/s3blob"
	"github.com/ruri-reader/ruri/internal/testkit/blobtest"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
)

func config(endpoint string, attempts int) aws.Config {
	return aws.Config{
		Region: "us-east-1", BaseEndpoint: &endpoint, RetryMaxAttempts: attempts,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	}
}

func TestConformanceOnMoto(t *testing.T) {
	t.Parallel()
	// Three attempts, the SDK's own default: moto 5.2.1 answers an occasional 500 when several put one key at once.
	cfg := config(doubles.Moto(t), 3)
	client := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	blobtest.Run(t, blobtest.Harness{
		New: func(t testing.TB) blob.Driver {
			bucket := doubles.Name("blob")
			if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
				t.Fatal(err)
			}
			return s3blob.New(cfg, bucket, s3blob.Options{PathStyle: true})
		},
		Differs: map[string]string{
			"PutIfAbsentRace": "moto 5.2.1 looks whether the key is there and puts it without a lock between the " +
				"two; S3 does both as one",
		},
	})
}

// answer is what a service that misbehaves says.
func answer(t *testing.T, f http.HandlerFunc) *blob.Bucket {
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	return blob.New(s3blob.New(config(srv.URL, 1), "b", s3blob.Options{PathStyle: true}))
}

func fail(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = w.Write([]byte("<Error><Code>" + code + "</Code><Message>m</Message></Error>"))
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		code   string
		kind   fault.Kind
		want   string
	}{
		"throttled":      {503, "SlowDown", fault.RateLimited, "storage_throttled"},
		"internal":       {500, "InternalError", fault.Unavailable, "storage_unavailable"},
		"unknown 503":    {503, "Whatever", fault.Unavailable, "storage_unavailable"},
		"bucket missing": {404, "NoSuchBucket", fault.Internal, "bucket_missing"},
		"key missing":    {404, "NoSuchKey", fault.NotFound, "blob_not_found"},
		"denied":         {403, "AccessDenied", fault.Internal, "storage_denied"},
		"too large":      {400, "EntityTooLarge", fault.TooLarge, "blob_too_large"},
		"unknown 400":    {400, "Whatever", fault.Internal, "storage_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := answer(t, func(w http.ResponseWriter, _ *http.Request) { fail(w, c.status, c.code) })
			_, _, getErr := b.Get(t.Context(), "k")
			for what, err := range map[string]error{"get": getErr, "put": b.Put(t.Context(), "k", nil, blob.Meta{})} {
				if !fault.Is(err, c.kind) || fault.CodeOf(err) != c.want {
					t.Errorf("%s: %v, want %v %s", what, err, c.kind, c.want)
				}
			}
		})
	}
}

func TestUnreachableIsUnavailable(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	b := blob.New(s3blob.New(config(srv.URL, 1), "b", s3blob.Options{PathStyle: true}))
	srv.Close()
	if err := b.Put(t.Context(), "k", nil, blob.Meta{}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v, want unavailable", err)
	}
}

func TestCutOffBodyIsUnavailable(t *testing.T) {
	t.Parallel()
	b := answer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("only this"))
	})
	if _, _, err := b.Get(t.Context(), "k"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v, want unavailable", err)
	}
}

// A service that sends the whole blob instead of a part is told from one that sends the part.
func TestServiceWithoutRanges(t *testing.T) {
	t.Parallel()
	b := answer(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Range"); got != "bytes=10-29" {
			t.Errorf("asked for %q", got)
		}
		_, _ = w.Write(make([]byte, 100))
	})
	if got, err := b.GetRange(t.Context(), "k", 10, 20); !fault.Is(err, fault.Internal) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestCancelDuringRequest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	stop := make(chan struct{})
	b := answer(t, func(http.ResponseWriter, *http.Request) { cancel(); <-stop })
	defer close(stop)
	_, _, err := b.Get(ctx, "k")
	if !fault.Is(err, fault.Cancelled) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want cancelled", err)
	}
}

// S3 answers 409 to a conditional put that met another at the same moment, and asks for it again.
func TestConditionalConflictIsSentAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		conflicts   int32
		last        int
		wantCreated bool
		wantKind    fault.Kind
		wantCalls   int32
	}{
		"then created":    {2, 200, true, 0, 3},
		"then taken":      {1, 412, false, 0, 2},
		"never resolving": {99, 0, false, fault.Unavailable, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			b := answer(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("If-None-Match") != "*" {
					t.Error("no condition in the request")
				}
				switch n := calls.Add(1); {
				case n <= c.conflicts:
					fail(w, 409, "ConditionalRequestConflict")
				case c.last == 412:
					fail(w, 412, "PreconditionFailed")
				}
			})
			created, err := b.PutIfAbsent(t.Context(), "k", []byte("x"), blob.Meta{})
			if created != c.wantCreated || calls.Load() != c.wantCalls || (err != nil) != (c.wantKind != 0) ||
				err != nil && !fault.Is(err, c.wantKind) {
				t.Errorf("created %v, %v after %d calls", created, err, calls.Load())
			}
		})
	}
}
