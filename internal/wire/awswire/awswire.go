// Package awswire opens the cloud home: DynamoDB, S3 and SQS behind the same rooms. Clients are built
// once per cold start; region, credentials and endpoints come from the variables that Lambda and the SDK
// define for them.
package awswire

import (
	"cmp"
	"io"
	"log/slog"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/s3blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqsqueue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/dynamotable"
	"github.com/ruri-reader/ruri/internal/wire"
)

// Open reads the settings and binds the rooms to the cloud's services.
func Open(version string, lookup func(string) (string, bool)) (*wire.App, error) {
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
	return Bind(c, version, cfg, Options{Log: log, EMF: os.Stdout, PathStyle: elsewhere || cfg.BaseEndpoint != nil}), nil
}

// Options of a binding that are not settings.
type Options struct {
	Log *slog.Logger
	// EMF takes the embedded metrics when the settings turn them on.
	EMF   io.Writer
	Clock clock.Clock // the system's when nil
	// PathStyle asks S3 by path: an endpoint of one's own has no host name for each bucket.
	PathStyle bool
	// Attempts is how often a throttled table request is sent; 0 = the table's own default.
	Attempts int
	// ScanRate bounds the read units a second that scans take; 0 = unlimited.
	ScanRate float64
}

// MaxUpload is the largest body that an event brings: Lambda takes events of 6 MB, in which what is no text stands as
// base64, beside headers. What is larger is refused by API Gateway, in words of its own.
const MaxUpload = 4 << 20

// Bind makes the rooms over the resources that c names, by clients made from cfg.
func Bind(c config.Config, version string, cfg aws.Config, o Options) *wire.App {
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	t := table.New(dynamotable.New(cfg, c.Table), table.Options{
		Clock: o.Clock, Kind: store.Kind, WriteRate: c.WriteRate, WriteBurst: c.WriteRate * 300, Attempts: o.Attempts, ScanRate: o.ScanRate,
	})
	if c.EMF == "" {
		o.EMF = nil
	}
	return wire.Build(c, version, wire.Seams{
		Patience: crawl.Patience,
		EMF:      o.EMF, Namespace: c.EMF,
		Table: t, Blobs: blob.New(s3blob.New(cfg, c.Bucket, s3blob.Options{PathStyle: o.PathStyle})),
		Clock: o.Clock, Log: o.Log, Secure: true, Billed: true, MaxUpload: MaxUpload, Secrets: newParameters(cfg, c.Parameters(), o.Clock).read,
		Queue: queue.New(sqsqueue.New(cfg, c.QueueURL, sqsqueue.Options{DeadURL: c.DeadQueueURL}), queue.Options{Clock: o.Clock}),
	})
}
