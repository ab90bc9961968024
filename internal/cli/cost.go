package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// Bounds of a simulation.
const (
	maxCostFeeds = 500_000 // feed numbers end at 2^19
	maxCostUsers = 1_000_000
	maxCostViews = 2_000
)

func costFlags(i *invocation) {
	o := &i.cost
	i.flags.IntVar(&o.Feeds, "feeds", 100, "feeds of all readers")
	i.flags.IntVar(&o.Users, "users", 1, "readers who read each day")
	i.flags.IntVar(&o.Views, "views", 20, "pages that a reader opens in a day, each with three items read")
	i.flags.DurationVar(&o.Tick, "tick", schedule.TickLength, "how often the schedule fires")
	i.flags.DurationVar(&o.Interval, "interval", schedule.DefaultInterval,
		"shortest time between two polls of a feed, set by subscribers")
	i.flags.Float64Var(&o.News, "news", 1, "factor on how much publishers write, which is about three items a day")
	i.flags.BoolVar(&o.Alarms, "alarms", false, "with the template's alarms, which exist if there is an address to "+
		"write to")
	i.flags.BoolVar(&o.Counts, "counts", false, "with bookmark counts, which the owner can switch on")
	i.flags.IntVar(&o.Watches, "watches", 0, "pages that are watched, with 17 changes a day each")
	i.flags.BoolVar(&o.Exact, "exact", false, "above 2,000 feeds, simulate each instead of a share of them")
	i.flags.Uint64Var(&o.Seed, "seed", 1, "of the simulation")
	i.flags.StringVar(&i.region, "region", "us-east-1", "AWS region in the price table")
	i.flags.StringVar(&i.prices, "prices", "", "price table to use instead of the built-in one")
	i.flags.BoolVar(&i.printPrices, "print-prices", false, "only print the built-in price table")
	jsonFlag("JSON")(i)
}

func costCmd(ctx context.Context, i *invocation) error {
	if i.printPrices {
		_, err := i.Stdout.Write(cost.EmbeddedJSON())
		return err
	}
	if err := checkCost(i.cost); err != nil {
		return err
	}
	table := cost.Embedded()
	if i.prices != "" {
		b, err := os.ReadFile(i.prices)
		if err != nil {
			return &usageError{fmt.Sprintf("--prices: %v", err)}
		}
		if table, err = cost.Parse(b); err != nil {
			return &usageError{fmt.Sprintf("--prices %s: %v", i.prices, err)}
		}
	}
	if !slices.Contains(table.Regions(), i.region) {
		return &usageError{fmt.Sprintf("there are no prices for %s; the table has %s. Add some with --prices", i.region,
			strings.Join(table.Regions(), ", "))}
	}
	day, err := i.Simulate(ctx, i.cost, table.Model)
	if err != nil {
		return err
	}
	day.AddWatches(i.cost.Watches)
	report, err := table.Report(i.cost, day, i.region)
	if err != nil {
		return err
	}
	if i.json {
		e := json.NewEncoder(i.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(report)
	}
	return report.Write(i.Stdout)
}

// checkCost checks that the options can be simulated.
func checkCost(o cost.Options) error {
	for _, n := range []struct {
		flag             string
		got, least, most int
	}{
		{"feeds", o.Feeds, 1, maxCostFeeds}, {"users", o.Users, 1, maxCostUsers}, {"views", o.Views, 0, maxCostViews},
		{"watches", o.Watches, 0, maxCostFeeds},
	} {
		if n.got < n.least || n.got > n.most {
			return &usageError{fmt.Sprintf("--%s is from %d to %d, not %d", n.flag, n.least, n.most, n.got)}
		}
	}
	switch {
	case o.Tick < schedule.TickLength || o.Tick > 24*time.Hour || o.Tick%schedule.TickLength != 0:
		return &usageError{fmt.Sprintf("--tick is a multiple of %v up to 24h, not %v", schedule.TickLength, o.Tick)}
	case o.Interval < schedule.MinAsked || o.Interval > schedule.MaxAsked || o.Interval%schedule.AskedStep != 0:
		return &usageError{fmt.Sprintf("--interval is a multiple of %v from %v to %v, not %v", schedule.AskedStep,
			schedule.MinAsked, schedule.MaxAsked, o.Interval)}
	case o.News <= 0 || o.News > 20:
		return &usageError{fmt.Sprintf("--news is above 0 and at most 20, not %v", o.News)}
	}
	return nil
}
