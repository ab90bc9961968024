package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// replayed is the printed result of a replay.
type replayed struct {
	Feeds int  `json:"feeds"`
	Dry   bool `json:"dryRun"`
	crawl.Replayed
}

func replayFlags(i *invocation) {
	homeFlag("repair")(i)
	i.flags.BoolVar(&i.all, "all", false, "every feed")
	i.flags.StringVar(&i.feed, "feed", "", "number of one feed (ruri feeds lists them)")
	i.flags.UintVar(&i.first, "from", 1, "with --all: the first feed to repair")
	i.flags.BoolVar(&i.dry, "dry-run", false, "print what would be repaired, and change nothing")
	jsonFlag("one JSON object")(i)
}

// replayCmd repairs the items of one feed or of all, in order of number. It can be stopped at any time and continued
// with --from; repaired items are not repaired again.
func replayCmd(ctx context.Context, i *invocation) error {
	if i.all == (i.feed != "") {
		return &usageError{"name one feed with --feed, or give --all"}
	}
	h, err := i.open(ctx, i.home)
	if err != nil {
		return err
	}
	defer h.Close()
	ids, err := feedsToReplay(ctx, h, i.feed, reader.FeedID(i.first))
	if err != nil {
		return err
	}
	sum := replayed{Dry: i.dry}
	for _, id := range ids {
		r, err := whileBusy(ctx, replayPatience, func() (crawl.Replayed, error) {
			return h.Crawler.Replay(ctx, id, i.dry)
		})
		if fault.Is(err, fault.NotFound) {
			continue // removed meanwhile
		}
		if err != nil {
			fmt.Fprintf(i.Stderr, "Stopped at feed %d; continue with: ruri replay --all --from %d\n", id, id)
			return err
		}
		sum.Feeds++
		if sum.Add(r); r.Changed > 0 && !i.json {
			fmt.Fprintf(i.Stdout, "feed %d: %s\n", id, inWords(r, i.dry))
		}
	}
	if i.json {
		return json.NewEncoder(i.Stdout).Encode(sum)
	}
	_, err = fmt.Fprintf(i.Stdout, "%d feeds, %d items: %s\n", sum.Feeds, sum.Items, inWords(sum.Replayed, i.dry))
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

func feedsToReplay(ctx context.Context, h *backend.Backend, one string, from reader.FeedID) ([]reader.FeedID, error) {
	if one != "" {
		id, err := reader.ParseFeedID(one)
		if err != nil {
			return nil, &usageError{"--feed is a number (ruri feeds lists them)"}
		}
		_, err = h.Store.Feeds.Get(ctx, id, true)
		return []reader.FeedID{id}, err
	}
	var ids []reader.FeedID
	err := h.Store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if f.ID() >= from && f.RemovingSince == 0 {
			ids = append(ids, f.ID())
		}
		return nil
	})
	return ids, err
}
