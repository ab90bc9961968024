// Package homes opens a home by the name that a person gives it: a data folder of this machine, or a deployed
// stack ("aws:STACK", "aws:STACK@REGION"), whose table, bucket and queues CloudFormation tells. Whatever the
// home, the rooms and seams are the same, so commands need not know which one they work on.
//
// It is for the command line alone: the SDK's loader of profiles and single sign-on that it links would weigh
// on every cold start of a function.
package homes

import (
	"context"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqsqueue"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// Options of an opening.
type Options struct {
	Config   config.Config // Data and the names of resources are replaced by the spec's
	Lookup   func(string) (string, bool)
	Version  string
	Log      *slog.Logger
	Clock    clock.Clock // the system's when nil
	Samples  netip.AddrPort
	Progress func(crawl.Progress)
	// MustExist refuses a folder in which no reader was ever started, instead of making one.
	MustExist bool
	// Bulk is for work on a whole home: the table's own capacity bounds the writes, and throttling is waited out.
	Bulk bool
}

// Capacity is how many units a second a table may be asked for; 0 = no bound that matters.
type Capacity struct {
	Read, Write float64
	Rows        int64 // about how many there are, as the table last counted; 0 = it has not
}

// Home is an open home.
type Home struct {
	*wire.App
	Spec     Spec // its region filled in
	Stack    *Stack
	Capacity Capacity // known when opened for bulk work
	// ScheduleLetters are the ticks that could not be planned: to be listed and dropped. Nil on one machine, which
	// plans again by itself.
	ScheduleLetters *queue.Queue
	local           *localwire.Home
}

// Local gives the folder's own powers, nil for a home in the cloud.
func (h *Home) Local() *localwire.Home { return h.local }

// Close lets go of the home.
func (h *Home) Close() error {
	if h.local != nil {
		return h.local.Close()
	}
	h.App.Close()
	return nil
}

// Open opens the home that spec names. Its errors are sentences for the person who wrote it.
func Open(ctx context.Context, spec string, o Options) (*Home, error) {
	s, err := ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if s.Cloud() {
		return openStack(ctx, s, o)
	}
	return openFolder(ctx, s, o)
}

func openFolder(ctx context.Context, s Spec, o Options) (*Home, error) {
	if _, err := os.Stat(filepath.Join(s.Folder, "ruri.db")); o.MustExist && err != nil {
		return nil, fault.Newf(fault.NotFound, "no_such_home", "There is no reader in the folder %s: it holds no ruri.db.", s.Folder)
	}
	c := o.Config
	c.Data = s.Folder
	if o.Bulk {
		c.WriteRate = 0 // the disk is the bound
	}
	h, err := localwire.Open(ctx, c, localwire.Options{
		Version: o.Version, Log: o.Log, Clock: o.Clock, Samples: o.Samples, Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	return &Home{App: h.App, Spec: s, local: h}, nil
}

func openStack(ctx context.Context, s Spec, o Options) (*Home, error) {
	cfg, err := sdkConfig(ctx, s.Region, o.Lookup)
	if err != nil {
		return nil, err
	}
	s.Region = cfg.Region
	stack, err := findStack(ctx, cfg, s.Stack)
	if err != nil {
		return nil, err
	}
	c := o.Config
	c.Table, c.Bucket, c.QueueURL, c.DeadQueueURL = stack.Table, stack.Bucket, stack.QueueURL, stack.DeadQueueURL
	c.Parts = stack.Parts // a command that splits the hosts otherwise would meet the stack's own crawlers
	if c.BaseURL == "" {
		c.BaseURL = stack.URL
	}
	h := &Home{Spec: s, Stack: stack}
	_, elsewhere := o.Lookup("AWS_ENDPOINT_URL_S3")
	w := awswire.Options{Log: o.Log, Clock: o.Clock, PathStyle: elsewhere || cfg.BaseEndpoint != nil}
	if o.Bulk {
		if h.Capacity, err = tableCapacity(ctx, cfg, stack); err != nil {
			return nil, err
		}
		c.WriteRate, w.ScanRate, w.Attempts = h.Capacity.Write, h.Capacity.Read, bulkAttempts
	}
	h.App = awswire.Bind(c, o.Version, cfg, w)
	if stack.ScheduleDeadQueueURL != "" {
		h.ScheduleLetters = queue.New(sqsqueue.New(cfg, "", sqsqueue.Options{DeadURL: stack.ScheduleDeadQueueURL}), queue.Options{Clock: o.Clock})
	}
	return h, nil
}
