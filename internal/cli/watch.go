package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/watch"
	"github.com/ruri-reader/ruri/internal/watching"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

func watchAddFlags(i *invocation) {
	userFlag(i)
	i.flags.StringVar(&i.name, "name", "", "name of the watch (default: the title of the page)")
	i.flags.BoolVar(&i.accepted, "accept", false, "you have read that the site permits this")
}

var watchFlags = flags(userFlag, jsonFlag("a JSON array"))

func resultsFlags(i *invocation) {
	watchFlags(i)
	i.flags.StringVar(&i.filter, "status", "onSale", "onSale, sold, gone or all")
	i.choices("status", "onSale", "sold", "gone", "all")
	i.flags.IntVar(&i.limit, "limit", 0, "how many results, at most; 0: all")
}

// watchAdd watches a page, read in the way that fits best.
func watchAdd(ctx context.Context, i *invocation) error {
	app, u, err := i.openUser(ctx, i.user)
	if err != nil {
		return err
	}
	defer app.Close()
	p, err := app.Watching.Preview(ctx, u, watching.Try{Settings: watch.Settings{URL: i.args[0]}})
	if err != nil {
		return err
	}
	if len(p.Candidates) == 0 {
		t := texts.Feed(p.Problem)
		return fault.Newf(fault.Invalid, "listing_empty", "%s %s", t.Message.En, t.Action.En)
	}
	c := &p.Candidates[0]
	fmt.Fprintf(i.Stdout, "%s lists %d things, such as:\n", p.URL, len(c.Page.Rows))
	for _, row := range c.Page.Rows[:min(len(c.Page.Rows), 3)] {
		fmt.Fprintf(i.Stdout, "  %s  %s  %s\n", row.Title, row.PriceText, row.Link)
	}
	for _, code := range p.Warnings {
		fmt.Fprintln(i.Stdout, texts.Previews[code].En)
	}
	if p.Terms != "" {
		fmt.Fprintf(i.Stdout, "The site's terms of service: %s\n", p.Terms)
	}
	if !i.accepted {
		fmt.Fprintln(i.Stdout, "To watch it, confirm with --accept that you have read that the site permits this.")
		return nil
	}
	set := watch.Settings{Name: cmp.Or(i.name, p.Title), URL: p.URL, Adapter: c.Adapter, Layout: &c.Layout}
	w, made, err := app.Watching.Add(ctx, u, watching.Wish{Settings: set, Interval: reader.DefaultInterval,
		Accepted: true})
	if err != nil {
		return err
	}
	if !made {
		fmt.Fprintf(i.Stdout, "Watch %s is there already.\n", w.ID())
		return nil
	}
	fmt.Fprintf(i.Stdout, "Watch %s was made. Look at its page with: ruri watch run %[1]s\n", w.ID())
	return nil
}

type watchLine struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	URL       string     `json:"url"`
	State     string     `json:"state"`
	Problem   string     `json:"problem,omitempty"`
	Lowest    *int64     `json:"lowest"` // in minor units
	Currency  string     `json:"currency,omitempty"`
	OnSale    int        `json:"onSale"`
	Sold      int        `json:"sold"`
	Gone      int        `json:"gone"`
	NextCheck *time.Time `json:"nextCheck"`
}

// watchList lists the watches of a user.
func watchList(ctx context.Context, i *invocation) error {
	app, u, err := i.openUser(ctx, i.user)
	if err != nil {
		return err
	}
	defer app.Close()
	list, err := app.Watching.List(ctx, u)
	if err != nil {
		return err
	}
	lines := make([]watchLine, len(list))
	for k, o := range list {
		lines[k] = watchOf(o, app.Clock.Now())
	}
	return printTable(i, "ID\tSTATE\tLOWEST\tON SALE\tSOLD\tNEXT\tNAME\tURL", lines, func(l watchLine) string {
		next, lowest := "-", "-"
		if l.NextCheck != nil {
			next = l.NextCheck.Local().Format("01-02 15:04")
		}
		if l.Lowest != nil {
			lowest = listing.Price{Amount: *l.Lowest, Currency: l.Currency}.Format(texts.English)
		}
		return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s", l.ID, cmp.Or(l.Problem, l.State), lowest, l.OnSale,
			l.Sold, next, l.Name, l.URL)
	})
}

func watchOf(o *watching.Overview, now time.Time) watchLine {
	l := watchLine{
		ID: o.ID().String(), Name: o.Title(), URL: o.Feed.URL, State: o.Feed.Status, Problem: o.Feed.ErrCode,
		OnSale: o.OnSale, Sold: o.Sold, Gone: o.Gone,
	}
	if o.Feed.Paused {
		l.State = "paused"
	}
	if r := o.Lowest; r != nil {
		l.Lowest, l.Currency = &r.Price, r.Currency
	}
	if at := o.Feed.NextCheck(now); !at.IsZero() {
		l.NextCheck = &at
	}
	return l
}

// openWatch opens the data folder for one watch of a user.
func (i *invocation) openWatch(ctx context.Context) (app *backend.Backend, u reader.UserID,
	w *watching.Watch, err error) {
	id, err := reader.ParseFeedID(i.args[0])
	if err != nil {
		return nil, "", nil, &usageError{"a watch has a number, see ruri watch list"}
	}
	if app, u, err = i.openUser(ctx, i.user); err != nil {
		return nil, "", nil, err
	}
	if w, err = app.Watching.Get(ctx, u, id); err != nil {
		_ = app.Close()
	}
	return app, u, w, err
}

// watchRun looks at the page of a watch now, within the rules of refreshes.
func watchRun(ctx context.Context, i *invocation) error {
	app, _, w, err := i.openWatch(ctx)
	if err != nil {
		return err
	}
	defer app.Close()
	o, err := app.Crawler.RunWatch(ctx, w.Feed, false)
	if err != nil {
		return err
	}
	switch {
	case o.Outcome == string(reader.OutcomeSkipped):
		fmt.Fprintln(i.Stdout, "The page was looked at a moment ago, or the watch is paused or stopped.")
	case o.Err != "":
		t := texts.Feed(o.Err)
		return fault.Newf(fault.Unavailable, "watch_failed", "%s %s", t.Message.En, t.Action.En)
	default:
		fmt.Fprintf(i.Stdout, "%d changes were announced.\n", o.New)
	}
	return nil
}

type resultLine struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Price     *int64    `json:"price"` // in minor units
	Currency  string    `json:"currency"`
	PriceText string    `json:"priceText"`
	Status    string    `json:"status"`
	Since     time.Time `json:"statusSince"`
	URL       string    `json:"url"`
}

var resultStatuses = map[string]watch.Status{"onSale": watch.OnSale, "sold": watch.Sold, "gone": watch.Gone, "all": 0}

// watchResults prints what a watch found, the cheapest first.
func watchResults(ctx context.Context, i *invocation) error {
	status, ok := resultStatuses[i.filter]
	if !ok || i.limit < 0 {
		return &usageError{"--status is onSale, sold, gone or all, and --limit at least 0"}
	}
	app, u, w, err := i.openWatch(ctx)
	if err != nil {
		return err
	}
	defer app.Close()
	p, err := app.Watching.Results(ctx, u, w, watching.Query{Status: status, Limit: i.limit})
	if err != nil {
		return err
	}
	lines := make([]resultLine, len(p.Results))
	for k, r := range p.Results {
		l := resultLine{ID: strconv.FormatUint(uint64(r.Result.Key), 16), Name: r.Title, Currency: r.Currency,
			URL: r.Link, Since: time.Unix(r.Since, 0).UTC()}
		for name, s := range resultStatuses {
			if s == r.Status {
				l.Status = name
			}
		}
		if r.Price >= 0 {
			l.Price, l.PriceText = &r.Price, listing.Price{Amount: r.Price, Currency: r.Currency}.Format(texts.English)
		}
		lines[k] = l
	}
	if i.json {
		return json.NewEncoder(i.Stdout).Encode(lines)
	}
	out := tabwriter.NewWriter(i.Stdout, 0, 4, 2, ' ', 0)
	for _, l := range lines {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", cmp.Or(l.PriceText, "-"), l.Status, l.Name, l.URL)
	}
	return out.Flush()
}

func watchTestFlags(i *invocation) {
	workFlags(i)
	i.flags.BoolVar(&i.save, "save", false, "save it for everybody, in place of the one with its name")
}

// watchTest reads an adapter and its examples.
func watchTest(ctx context.Context, i *invocation) error {
	file, err := os.Open(i.args[0])
	if err != nil {
		return fmt.Errorf("the file cannot be opened: %w", err)
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, listing.MaxAdapter+1))
	if err != nil {
		return err
	}
	a, err := listing.ParseAdapter(body)
	if e, ok := errors.AsType[*listing.Error](err); ok {
		at := "The file is no adapter"
		if e.Field != "" {
			at = "The adapter is wrong at " + e.Field
		}
		return fault.Newf(fault.Invalid, e.Code, "%s: %s", at, e.Detail)
	}
	if err != nil {
		return err
	}
	examples := "its examples are read as they should be"
	if len(a.Examples) == 0 {
		examples = "it has no examples to check it with"
	}
	fmt.Fprintf(i.Stdout, "The adapter %s is valid; %s.\n", a.Name, examples)
	if !i.save {
		return nil
	}
	app, err := i.openHome(ctx, backend.Options{})
	if err != nil {
		return err
	}
	defer app.Close()
	return app.Watching.PutAdapter(ctx, a.Name, body)
}
