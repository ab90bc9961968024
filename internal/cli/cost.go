package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/cost"
	"github.com/ruri-reader/ruri/internal/testkit/simulate"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// Bounds of a simulation.
const (
	maxCostFeeds = 500_000 // feed numbers end at 2^19
	maxCostUsers = 1_000_000
	maxCostViews = 2_000
)

// costCmd prints what a month would cost, from a simulated day.
func costCmd(ctx context.Context, i *invocation) error {
	o := cost.Options{}
	i.flags.IntVar(&o.Feeds, "feeds", 100, "feeds of all readers")
	i.flags.IntVar(&o.Users, "users", 1, "readers at work each day")
	i.flags.IntVar(&o.Views, "views", 20, "pages that a reader opens in a day; three items are read on each")
	i.flags.DurationVar(&o.Tick, "tick", schedule.TickLength, "how often the schedule fires")
	i.flags.DurationVar(&o.Interval, "interval", schedule.DefaultInterval, "least time between two polls of a feed, as subscribers ask")
	i.flags.Float64Var(&o.News, "news", 1, "how much more publishers write than usual, about three items a day")
	i.flags.BoolVar(&o.Alarms, "alarms", false, "with the template's alarms, which are made when there is an address to write to")
	i.flags.BoolVar(&o.Exact, "exact", false, "simulate every feed above 2,000 too, not one part of the hosts")
	i.flags.Uint64Var(&o.Seed, "seed", 1, "of the simulation")
	region := i.flags.String("region", "us-east-1", "AWS region, of those in the price table")
	prices := i.flags.String("prices", "", "price table to use instead of the built-in one")
	printPrices := i.flags.Bool("print-prices", false, "print the built-in price table and do nothing else")
	asJSON := i.flags.Bool("json", false, "print JSON")
	if _, err := i.parse(0); err != nil {
		return err
	}
	if *printPrices {
		_, err := i.Stdout.Write(cost.EmbeddedJSON())
		return err
	}
	if err := checkCost(o); err != nil {
		return err
	}
	table := cost.Embedded()
	if *prices != "" {
		b, err := os.ReadFile(*prices)
		if err != nil {
			return &usageError{fmt.Sprintf("--prices: %v", err)}
		}
		if table, err = cost.Parse(b); err != nil {
			return &usageError{fmt.Sprintf("--prices %s: %v", *prices, err)}
		}
	}
	if !slices.Contains(table.Regions(), *region) {
		return &usageError{fmt.Sprintf("there are no prices for %s; the table has %s. Add some with --prices", *region, strings.Join(table.Regions(), ", "))}
	}
	day, err := simulate.Run(ctx, o, table.Model)
	if err != nil {
		return err
	}
	report, err := table.Report(o, day, *region)
	if err != nil {
		return err
	}
	if *asJSON {
		e := json.NewEncoder(i.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(report)
	}
	return report.Write(i.Stdout)
}

// checkCost refuses what cannot be simulated.
func checkCost(o cost.Options) error {
	for _, n := range []struct {
		flag             string
		got, least, most int
	}{
		{"feeds", o.Feeds, 1, maxCostFeeds}, {"users", o.Users, 1, maxCostUsers}, {"views", o.Views, 0, maxCostViews},
	} {
		if n.got < n.least || n.got > n.most {
			return &usageError{fmt.Sprintf("--%s is from %d to %d, not %d", n.flag, n.least, n.most, n.got)}
		}
	}
	switch {
	case o.Tick < schedule.TickLength || o.Tick > 24*time.Hour || o.Tick%schedule.TickLength != 0:
		return &usageError{fmt.Sprintf("--tick is a multiple of %v up to 24h, not %v", schedule.TickLength, o.Tick)}
	case o.Interval < schedule.MinAsked || o.Interval > schedule.MaxAsked || o.Interval%schedule.AskedStep != 0:
		return &usageError{fmt.Sprintf("--interval is a multiple of %v from %v to %v, not %v", schedule.AskedStep, schedule.MinAsked, schedule.MaxAsked, o.Interval)}
	case o.News <= 0 || o.News > 20:
		return &usageError{fmt.Sprintf("--news is above 0 and at most 20, not %v", o.News)}
	}
	return nil
}
