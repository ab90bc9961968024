package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

type runLine struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`
	State   string    `json:"state"`
	Started time.Time `json:"startedAt"`
	store.RunSums
	Feeds []store.FeedOutcome `json:"feeds,omitempty"`
}

func runsFlags(i *invocation) {
	workFlags(i)
	jsonFlag("a JSON array, newest first, with outcomes by feed")(i)
	i.flags.IntVar(&i.limit, "limit", 20, "how many runs")
}

func runsCmd(ctx context.Context, i *invocation) error {
	app, err := i.open(ctx, i.home)
	if err != nil {
		return err
	}
	defer app.Close()
	lines := []runLine{}
	err = app.Store.Runs.Descend(ctx, app.Clock.Now(), "", func(r *store.RunRow) (bool, error) {
		if len(lines) == i.limit {
			return false, nil
		}
		l := runLine{ID: r.ID(), Kind: r.Kind, State: r.State, Started: time.UnixMilli(r.Started).UTC(),
			RunSums: r.RunSums}
		if i.json {
			var err error
			if l.Feeds, err = r.Outcomes(); err != nil {
				return false, err
			}
		}
		lines = append(lines, l)
		return true, nil
	})
	if err != nil {
		return err
	}
	if i.json {
		return json.NewEncoder(i.Stdout).Encode(lines)
	}
	w := tabwriter.NewWriter(i.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "STARTED\tKIND\tSTATE\tDUE\tPOLLED\t304\tSAME\tCHANGED\tFAILED\tDEFERRED\tNEW\tWRITES\tKB\tMS\t")
	for _, l := range lines {
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f\t%d\t%d\t\n",
			l.Started.Local().Format("01-02 15:04:05"), l.Kind, l.State, l.Due, l.Polled, l.NotModified, l.Unchanged,
			l.Changed, l.Failed, l.Deferred, l.NewItems, l.TableWrites, l.Bytes>>10, l.Millis)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	// Polls that people requested are counted apart from those of the schedule.
	var scheduled, requested store.RunSums
	for _, l := range lines {
		if l.Kind == store.RunRefresh {
			requested.Add(l.RunSums)
		} else {
			scheduled.Add(l.RunSums)
		}
	}
	_, err = fmt.Fprintf(i.Stdout, "\n%d polls by schedule, %d on request (%d left out)\n", scheduled.Polled,
		requested.Polled, requested.Skipped)
	return err
}
