// Package awswire opens the cloud home: DynamoDB, S3 and SQS behind the same rooms. Clients are built
// once per cold start; region, credentials and endpoints come from the variables that Lambda and the SDK
// define for them.
package awswire

import (
	"log/slog"
	"os"

	"github.com/ruri-reader/ruri/internal/blob"
	"github.com/ruri-reader/ruri/internal/blob/s3blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/queue"
	"github.com/ruri-reader/ruri/internal/queue/sqsqueue"
	"github.com/ruri-reader/ruri/internal/store"
	"github.com/ruri-reader/ruri/internal/table"
	"github.com/ruri-reader/ruri/internal/table/dynamotable"
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
	clk := clock.System{}
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: c.LogLevel}))
	t := table.New(dynamotable.New(cfg, c.Table), table.Options{
		Clock: clk, Kind: store.Kind, WriteRate: c.WriteRate, WriteBurst: c.WriteRate * 300,
	})
	// An endpoint of one's own has no host name for each bucket.
	_, elsewhere := lookup("AWS_ENDPOINT_URL_S3")
	bucket := s3blob.New(cfg, c.Bucket, s3blob.Options{PathStyle: elsewhere || cfg.BaseEndpoint != nil})
	return wire.Build(c, version, wire.Seams{
		Table: t, Blobs: blob.New(bucket), Clock: clk, Log: log, Secure: true, Secrets: newParameters(cfg, c.Parameters(), clk).read,
		Queue: queue.New(sqsqueue.New(cfg, c.QueueURL, sqsqueue.Options{DeadURL: c.DeadQueueURL}), queue.Options{Clock: clk}),
	}), nil
}
