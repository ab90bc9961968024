// Package backend opens an installation by its name: a data folder of this machine, or a deployed stack ("aws:STACK",
// "aws:STACK@REGION"), whose table, bucket and queues CloudFormation lists. Commands work on both in the same way.
//
// It is for the command line alone: it links the SDK's loader of profiles and single sign-on, which would slow down
// every cold start of a function.
package backend

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqsqueue"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/awswire"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// Options of Open.
type Options struct {
	Config  config.Config // Data and the names of resources are replaced by the spec's
	Lookup  func(string) (string, bool)
	Version string
	Log     *slog.Logger
	Clock   clock.Clock // the system's when nil
	// MustExist refuses a folder in which no reader was ever started, instead of creating one.
	MustExist bool
	// Progress is called with the progress of a crawl of a folder, and NoIndexJobs is as in wire.Seams.
	Progress    func(done, total int)
	NoIndexJobs bool
	// Bulk is for work on a whole installation: the table's capacity bounds the writes, and throttling is waited out.
	Bulk bool
}

// Backend is an open installation.
type Backend struct {
	*wire.App
	Spec  Spec   // its region filled in
	Stack *Stack // nil for a folder
	// ScheduleLetters are the ticks that could not be planned. Nil for a folder, whose server plans again by itself.
	ScheduleLetters *queue.Queue
	local           *localwire.Backend // nil for a stack
	aws             aws.Config         // of a stack
}

// Close closes the installation.
func (h *Backend) Close() error {
	if h.local != nil {
		return h.local.Close()
	}
	h.App.Close()
	return nil
}

// Open opens the installation that spec names. Errors are sentences for the person who wrote it.
func Open(ctx context.Context, spec string, o Options) (*Backend, error) {
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

func openFolder(ctx context.Context, s Spec, o Options) (*Backend, error) {
	if _, err := os.Stat(filepath.Join(s.Folder, "ruri.db")); o.MustExist && err != nil {
		return nil,
			fault.Newf(fault.NotFound, "no_such_home", "There is no reader in the folder %s: it holds no ruri.db.",
				s.Folder)
	}
	c := o.Config
	c.Data = s.Folder
	if o.Bulk {
		c.WriteRate = 0 // the disk is the bound
	}
	h, err := localwire.Open(ctx, c, localwire.Options{
		Version: o.Version, Log: o.Log, Clock: o.Clock, Progress: o.Progress, NoIndexJobs: o.NoIndexJobs,
	})
	if err != nil {
		return nil, err
	}
	return &Backend{App: h.App, Spec: s, local: h}, nil
}

func openStack(ctx context.Context, s Spec, o Options) (*Backend, error) {
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
	// another split of the hosts would collide with the stack's own crawlers
	c.Parts, c.ProbeStopped = stack.Parts, stack.ProbeStopped
	c.Search = cmp.Or(stack.Search, c.Search)
	c.MaxFeeds, c.MaxFeedsUser = cmp.Or(stack.MaxFeeds, c.MaxFeeds), cmp.Or(stack.MaxFeedsUser, c.MaxFeedsUser)
	if c.BaseURL == "" {
		c.BaseURL = stack.URL
	}
	h := &Backend{Spec: s, Stack: stack, aws: cfg}
	_, elsewhere := o.Lookup("AWS_ENDPOINT_URL_S3")
	w := awswire.Options{Log: o.Log, Clock: o.Clock, PathStyle: elsewhere || cfg.BaseEndpoint != nil}
	if o.Bulk {
		if w.ScanRate, c.WriteRate, err = bulkRates(ctx, cfg, stack); err != nil {
			return nil, err
		}
		w.Attempts = bulkAttempts
	}
	h.App = awswire.Bind(c, o.Version, cfg, w)
	if err := h.Store.CheckFormat(ctx, o.Version); err != nil {
		return nil, err
	}
	if stack.ScheduleDeadQueueURL != "" {
		h.ScheduleLetters = queue.New(sqsqueue.New(cfg, "", sqsqueue.Options{DeadURL: stack.ScheduleDeadQueueURL}),
			queue.Options{})
	}
	return h, nil
}
