// Package awswire opens the backend on AWS: DynamoDB, S3 and SQS. Clients are built once per cold start; region,
// credentials and endpoints come from the environment variables that Lambda and the SDK define.
package awswire

import (
	"cmp"
	"io"
	"log/slog"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/s3blob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqsqueue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/dynamotable"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/wire"
)

// Open reads the settings and constructs an App over the services that they name.
func Open(version string, lookup func(string) (string, bool), shrink icon.Shrink) (*wire.App, error) {
	c, err := config.Load(lookup)
	if err != nil {
		return nil, err
	}
	if err := c.RequireCloud(); err != nil {
		return nil, err
	}
	cfg, err := sdkConfig(lookup)
	if err != nil {
		return nil, err
	}
	_, elsewhere := lookup("AWS_ENDPOINT_URL_S3")
	log := logs.New(os.Stderr, cmp.Or(c.LogFormat, "json"), c.LogLevel)
	return Bind(c, version, cfg, Options{Log: log, EMF: os.Stdout, Shrink: shrink, PathStyle: elsewhere ||
		cfg.BaseEndpoint != nil}), nil
}

// Options of a binding that are not settings.
type Options struct {
	Log *slog.Logger
	// Shrink decodes icons; nil in programs that do not look for them.
	Shrink icon.Shrink
	// EMF receives the embedded metrics when the settings turn them on.
	EMF   io.Writer
	Clock clock.Clock // the system's when nil
	// PathStyle puts the bucket into the path of requests to S3: other endpoints have no host name for each bucket.
	PathStyle bool
	// Attempts is the number of times a throttled table request is sent; 0 = the table's own default.
	Attempts int
	// ScanRate bounds the read units a second that scans take; 0 = unlimited.
	ScanRate float64
}

// MaxUpload is the largest body of a request: Lambda accepts events of 6 MB, with headers and the body, binary ones in
// base64. API Gateway refuses larger ones.
const MaxUpload = 4 << 20

// Bind constructs an App over the resources that c names, with clients made from cfg.
func Bind(c config.Config, version string, cfg aws.Config, o Options) *wire.App {
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	t := table.New(dynamotable.New(cfg, c.Table), table.Options{
		Clock: o.Clock, Kind: store.Kind, WriteRate: c.WriteRate, WriteBurst: c.WriteRate * 300, Attempts: o.Attempts,
		ScanRate: o.ScanRate,
	})
	return wire.Build(c, version, wire.Seams{
		Patience: crawl.Patience, Shrink: o.Shrink, EMF: o.EMF,
		Table: t, Blobs: blob.New(s3blob.New(cfg, c.Bucket, s3blob.Options{PathStyle: o.PathStyle})),
		Clock: o.Clock, Log: o.Log, Secure: true, Billed: true, MaxUpload: MaxUpload,
		Secrets: newParameters(cfg, c.Parameters(), o.Clock).read,
		Sign:    Signer(cfg.Credentials, o.Clock), Region: cfg.Region,
		Queue: queue.New(sqsqueue.New(cfg, c.QueueURL, sqsqueue.Options{DeadURL: c.DeadQueueURL}), queue.Options{}),
	})
}
