package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// replayed is what a replay did, as it is printed.
type replayed struct {
	Feeds int  `json:"feeds"`
	Dry   bool `json:"dryRun"`
	crawl.Replayed
}

// replayCmd repairs the items of one feed or of all, in order of number. It may be stopped at any time: what is
// repaired is not repaired again, and --from skips what was looked at.
func replayCmd(ctx context.Context, i *invocation) error {
	home := i.flags.String("home", "", "home to work on: "+homeHelp+" (default: --data)")
	all := i.flags.Bool("all", false, "every feed")
	one := i.flags.String("feed", "", "number of one feed (ruri feeds shows them)")
	from := i.flags.Uint("from", 1, "with --all: the first feed to look at")
	dry := i.flags.Bool("dry-run", false, "tell what would be repaired, and change nothing")
	asJSON := i.flags.Bool("json", false, "print one JSON object")
	if _, err := i.parse(0); err != nil {
		return err
	}
	if *all == (*one != "") {
		return &usageError{"name one feed with --feed, or give --all"}
	}
	h, err := homes.Open(ctx, orData(*home, i), homes.Options{
		Config: i.config, Lookup: i.Lookup, Version: i.Version, Clock: i.Clock, MustExist: true,
		Log: logs.New(i.Stderr, i.config.LogFormat, max(slog.LevelWarn, i.config.LogLevel)),
	})
	if err != nil {
		return err
	}
	defer func() { _ = h.Close() }()
	ids, err := replayWhat(ctx, h, *one, reader.FeedID(*from))
	if err != nil {
		return err
	}
	sum := replayed{Dry: *dry}
	for _, id := range ids {
		r, err := replayFeed(ctx, h.Crawler, id, *dry)
		if fault.Is(err, fault.NotFound) {
			continue // removed since
		}
		if err != nil {
			fmt.Fprintf(i.Stderr, "Stopped at feed %d; go on with: ruri replay --all --from %d\n", id, id)
			return err
		}
		sum.Feeds++
		if sum.Add(r); r.Changed > 0 && !*asJSON {
			fmt.Fprintf(i.Stdout, "feed %d: %s\n", id, inWords(r, *dry))
		}
	}
	if *asJSON {
		return json.NewEncoder(i.Stdout).Encode(sum)
	}
	_, err = fmt.Fprintf(i.Stdout, "%d feeds, %d items: %s\n", sum.Feeds, sum.Items, inWords(sum.Replayed, *dry))
	return err
}

func inWords(r crawl.Replayed, dry bool) string {
	verb := "repaired"
	if dry {
		verb = "to be repaired"
	}
	s := fmt.Sprintf("%d %s", r.Changed, verb)
	for _, part := range []struct {
		n    int
		what string
	}{
		{r.Remapped, "with another identity"}, {r.Missing, "whose body is no longer kept"},
		{r.Failed, "whose body cannot be read"}, {r.Unmatched, "not found in their body"},
	} {
		if part.n > 0 {
			s += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return s
}

// replayWhat lists the feeds to look at.
func replayWhat(ctx context.Context, h *homes.Home, one string, from reader.FeedID) ([]reader.FeedID, error) {
	if one != "" {
		id, err := reader.ParseFeedID(one)
		if err != nil {
			return nil, &usageError{"--feed is a number (ruri feeds shows them)"}
		}
		_, err = h.Store.Feeds.Get(ctx, id, true)
		return []reader.FeedID{id}, err
	}
	var ids []reader.FeedID
	err := h.Store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if f.ID() >= from && f.Gone == 0 {
			ids = append(ids, f.ID())
		}
		return nil
	})
	return ids, err
}

// replayFeed waits for a run that has the feed's hosts.
func replayFeed(ctx context.Context, c *crawl.Crawler, id reader.FeedID, dry bool) (crawl.Replayed, error) {
	for try := 0; ; try++ {
		r, err := c.Replay(ctx, id, dry)
		if !errors.Is(err, crawl.ErrBusy) || try == busyTries {
			return r, err
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-time.After(5 * time.Second):
		}
	}
}
