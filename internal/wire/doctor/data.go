package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

const (
	manyLetters = 1000
	// longQuiet is more than the longest interval of a feed.
	longQuiet = 26 * time.Hour
	// clockAhead is how far a run may seem to lie in the future.
	clockAhead = 5 * time.Minute
)

// data examines what an open installation stores.
func (e *examination) data(ctx context.Context, h *backend.Backend) {
	if err := h.Verify(ctx); err != nil {
		e.problem("database", "The database is damaged: "+sentence(err)+".", "Keep it, and restore the last backup "+
			"into a new folder: ruri restore FILE --data NEW")
		return
	}
	e.ok("database", "The database is readable, and of this version.")
	e.queue(ctx, h)
	e.index(ctx, h)
	e.crawler(ctx, h)
	e.owner(ctx, h)
}

func (e *examination) queue(ctx context.Context, h *backend.Backend) {
	const do = "See ruri dlq list, then send them again with ruri dlq retry --all, or remove them with ruri dlq drop " +
		"--all."
	aside, _ := filepath.Glob(filepath.Join(h.Spec.Folder, "queue.db.damaged-*"))
	if len(aside) > 0 && !h.Spec.Cloud() {
		e.warn("queue", "The queue was damaged and begun anew; what it held is sent again.", "Delete "+aside[0]+
			", and look at the disk if it happens again.")
	}
	sum := 0
	for _, q := range []*queue.Queue{h.Queue, h.ScheduleLetters} {
		if q == nil {
			continue
		}
		dead, err := q.Dead(ctx, manyLetters)
		if err != nil {
			e.problem("queue", "The queue cannot be read: "+sentence(err)+".", "Try again; a damaged queue.db is "+
				"begun anew at the next start.")
			return
		}
		sum += len(dead)
	}
	if sum > 0 {
		e.warn("queue", fmt.Sprintf("%d messages failed too often (dead letters).", sum), do)
		return
	}
	e.ok("queue", "No message failed for good.")
}

func (e *examination) index(ctx context.Context, h *backend.Backend) {
	if h.Config.Search == string(search.Off) {
		e.ok("index", "Searches are off.")
		return
	}
	row, err := h.Store.Search.Get(ctx, true)
	var list []store.Segment
	if err == nil {
		list, err = row.List()
	}
	for _, s := range list {
		if err == nil {
			_, err = h.Blobs.Stat(ctx, store.SegmentKey(s.Name))
		}
	}
	if err != nil {
		e.problem("index", "The index of searches is damaged: "+sentence(err)+".",
			"Make it again: ruri index --rebuild")
		return
	}
	feeds, err := h.Store.Feeds.Count(ctx)
	if err == nil && feeds > 0 && len(list) == 0 {
		e.warn("index", "There is no index of searches yet.", "Wait for the next job, or make it now: ruri index")
		return
	}
	e.ok("index", "The index of searches has all of its %d files.", len(list))
}

// crawler looks at the newest run. One in the future says that the clock was set back since.
func (e *examination) crawler(ctx context.Context, h *backend.Backend) {
	feeds, err := h.Store.Feeds.Count(ctx)
	if err != nil || feeds == 0 {
		e.ok("crawler", "There are no feeds.")
		return
	}
	now := h.Clock.Now()
	var last time.Time
	err = h.Store.Runs.Descend(ctx, now.Add(72*time.Hour), "", func(r *store.RunRow) (bool, error) {
		last = time.UnixMilli(r.Started)
		return false, nil
	})
	do := "Start the reader (ruri serve), or poll now: ruri crawl"
	if h.Spec.Cloud() {
		do = "Look at the schedule and at the log of the orchestrator, or poll now: ruri crawl --home " + h.Spec.String()
	}
	switch {
	case err != nil:
		e.problem("crawler", "The runs of the crawler cannot be read: "+sentence(err)+".", "Try again.")
	case last.IsZero():
		e.warn("crawler", "No feed was ever polled, or not for a month.", do)
	case last.Sub(now) > clockAhead:
		e.problem("clock", fmt.Sprintf("This machine's clock says %s, but feeds were polled at %s.", stamp(now),
			stamp(last)),
			"Set the clock, and let it be kept: timedatectl set-ntp true")
	case now.Sub(last) > longQuiet:
		e.problem("crawler", "No feed was polled since "+stamp(last)+".", do)
	default:
		e.ok("crawler", "Feeds were last polled at %s.", stamp(last))
	}
}

func (e *examination) owner(ctx context.Context, h *backend.Backend) {
	const do = "Make a link that signs the owner in: ruri link"
	a, err := h.Store.Accounts.Owner(ctx)
	if fault.Is(err, fault.NotFound) {
		e.warn("owner", "There is no owner yet.", do)
		return
	}
	can := false
	if err == nil {
		can, err = h.Auth.CanSignIn(ctx, a)
	}
	switch {
	case err != nil:
		e.problem("owner", "The owner's account cannot be read: "+sentence(err)+".", "Restore the last backup into a "+
			"new folder: ruri restore FILE --data NEW")
	case !can:
		e.warn("owner", "The owner has no password, passkey or session.", do)
	default:
		e.ok("owner", "The owner can sign in.")
	}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
