package worker

import (
	"context"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/search/indexing"
)

// handler does what one kind of message asks for. The details go into the message's log line. A publisher's failure is
// kept in the feed's row and is no error; errors come from our own stores, or ask for the message at a later time.
type handler func(ctx context.Context, j job.Job) (details []any, err error)

// table maps the kinds of job to their handlers.
func (w *Worker) table() map[string]handler {
	return map[string]handler{
		job.Scheduled: w.crawl,
		job.First:     w.crawl,
		job.Refresh:   w.crawl,
		job.Watch:     plain(w.Crawler.Continue),
		job.Detail:    plain(w.Crawler.Continue),
		job.Cleanup:   w.cleanUp,
		job.Collect:   plain(w.Cleanup.Collect),
		job.Icon:      plain(w.Icons.Run),
		job.Index:     w.index,
		job.Import:    plain(w.Subscribe.RunImport),
		job.Archive:   plain(w.Takeout.RunImport),
		job.MoveIn:    plain(w.MoveIn),
		job.Relocate:  plain(w.Subscribe.RunRelocate),
		job.Hub:       plain(w.Hubs.Run),
		job.Pushed:    plain(w.Hubs.Ingest),
		job.Budget:    func(ctx context.Context, _ job.Job) ([]any, error) { return nil, w.Budget(ctx) },
		job.Counts:    plain(w.Popular.Run),
		job.Phrases:   plain(w.Phrases),
		job.Notify:    plain(w.Webhooks.Work),
		job.Trouble:   plain(w.Webhooks.Work),
		job.Hook:      plain(w.Webhooks.Work),
		job.Hooks:     plain(w.Webhooks.Work),
		job.Notice:    plain(w.Notice),
	}
}

// index brings the index of searches up to date. Where a crawl is under way in this process, the message comes again
// later, so that bodies of feeds and segments are not in memory at once.
func (w *Worker) index(ctx context.Context, j job.Job) ([]any, error) {
	if w.Crawler.IsCrawling() {
		return []any{"postponed", true}, job.Send(ctx, w.Queue, indexing.Pause, j)
	}
	r, err := w.Indexing.Run(ctx, j)
	return []any{"items", r.Items, "segments", r.Segments, "merged", r.Merged, "rebuilt", r.Rebuilt, "done", r.Done},
		err
}

// plain makes a handler without details.
func plain(run func(context.Context, job.Job) error) handler {
	return func(ctx context.Context, j job.Job) ([]any, error) { return nil, run(ctx, j) }
}

func (w *Worker) crawl(ctx context.Context, j job.Job) ([]any, error) {
	parts, err := w.Parts(ctx)
	if err != nil {
		return nil, err
	}
	report, err := w.Crawler.Run(ctx, j, parts)
	if err != nil || report.Dropped == "" {
		return nil, err
	}
	return []any{"tick", int(j.Tick), "part", j.Part, "dropped", report.Dropped}, nil
}

// cleanUp runs the nightly cleanup, and after its last message the other work of the night.
func (w *Worker) cleanUp(ctx context.Context, j job.Job) ([]any, error) {
	r, err := w.Cleanup.Run(ctx, j)
	if err == nil && r.Done {
		for _, work := range w.Nightly {
			if err = work(ctx); err != nil {
				break
			}
		}
	}
	return []any{
		"judged", r.Judged, "orphans", r.Orphans, "expired", r.Expired, "floors", r.Floors, "removed", r.Removed,
		"done", r.Done,
	}, err
}
