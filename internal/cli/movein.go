package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/takeout"
	"github.com/ruri-reader/ruri/internal/takeout/movein"
	"github.com/ruri-reader/ruri/internal/transfer"
	"github.com/ruri-reader/ruri/internal/wire"
)

func moveInFlags(i *invocation) {
	userFlag(i)
	i.flags.StringVar(&i.name, "login", "",
		"name or address for signing in there; without it the password is an API token of Miniflux")
	i.flags.StringVar(&i.filter, "api", "", "miniflux or greader (default: what answers)")
	i.choices("api", takeout.Miniflux, takeout.GReader)
	i.flags.StringArrayVar(&i.headers, "header", nil,
		"further header, as Name: value (Inoreader needs AppId and AppKey)")
	jsonFlag("one JSON object")(i)
}

// moveIn reads the password from the terminal, or from the first line of standard input.
func moveIn(ctx context.Context, i *invocation) error {
	if !slices.Contains([]string{"", takeout.Miniflux, takeout.GReader}, i.filter) {
		return &usageError{"--api is miniflux or greader"}
	}
	account := movein.Account{Client: fetch.Named(i.Version),
		Reader: takeout.Reader{URL: i.args[0], Login: i.name, API: i.filter, Header: map[string]string{}}}
	for _, h := range i.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return &usageError{"--header is written as Name: value"}
		}
		account.Header[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	var err error
	if account.Password, err = i.password(); err != nil {
		return err
	}
	app, u, err := i.openUser(ctx, i.user)
	if err != nil {
		return err
	}
	defer app.Close()
	im, err := app.Takeout.Moving(ctx, u, &account.Reader, false)
	if err != nil {
		return err
	}
	m := movein.Mover{Store: app.Store, Takeout: app.Takeout, Feeds: app.Subscribe, Clock: app.Clock,
		Poll: func(ctx context.Context, feeds []*store.FeedRow) error { return firstCrawl(ctx, app.App, feeds) },
	}
	bar := newMeter(i.Stderr)
	for isDone := false; !isDone && err == nil; {
		isDone, err = m.Step(ctx, u, im, len(im.Done), account)
		if err == nil {
			im, err = app.Store.Imports.One(ctx, u, im.ID())
			bar.show(transfer.Progress{Stage: "moving in, per cent", Done: int64(movedIn(im).Percent), Total: 100})
		}
	}
	bar.end()
	if err != nil {
		fmt.Fprintln(i.Stderr, "Stopped. Run the same command again to go on; what is here stays.")
		return err
	}
	r := movedIn(im)
	if i.json {
		return json.NewEncoder(i.Stdout).Encode(r)
	}
	fmt.Fprintf(i.Stdout, "%d feeds, %d starred or labelled articles.\n", r.Feeds, r.Articles)
	if r.Waiting > 0 {
		fmt.Fprintf(i.Stdout, "%d feeds could not be fetched yet. Run the same command again later for what was read "+
			"of them.\n", r.Waiting)
	}
	for _, f := range r.Failed {
		fmt.Fprintf(i.Stdout, "  %s: %s\n", f.URL, sentence(fault.Coded(fault.Invalid, f.Code)))
	}
	return nil
}

// moved is the progress of an import.
type moved struct {
	Percent  int                   `json:"percent"`
	Feeds    int                   `json:"feeds"`
	Articles int                   `json:"articles"`
	Waiting  int                   `json:"waiting"`
	Failed   []store.ImportFailure `json:"failed"`
}

func movedIn(im *store.Import) (m moved) {
	for _, c := range im.Done {
		m.Percent, m.Feeds, m.Articles = m.Percent+c.N, m.Feeds+len(c.Made)+c.Had, m.Articles+c.Items
		m.Waiting += c.Waiting
		if list, err := store.UnpackFailures(c.Failed); err == nil {
			m.Failed = append(m.Failed, list...)
		}
	}
	return m
}

// firstCrawl polls new feeds at once, under the leases that servers and crawls use.
func firstCrawl(ctx context.Context, app *wire.App, feeds []*store.FeedRow) error {
	parts, err := app.Parts(ctx)
	if err != nil {
		return err
	}
	jobs := map[int]*job.Job{}
	for _, f := range feeds {
		part := job.PartOf(f.URL, parts)
		if jobs[part] == nil {
			jobs[part] = &job.Job{Kind: job.First, Part: part}
		}
		jobs[part].Feeds = append(jobs[part].Feeds, f.ID())
	}
	for _, j := range jobs {
		if _, err := whileBusy(ctx, crawlPatience, func() (crawl.Report, error) {
			return app.Crawler.Run(ctx, *j, parts)
		}); err != nil {
			return err
		}
	}
	return nil
}

// password asks for a password on a terminal, and reads the first line of standard input elsewhere.
func (i *invocation) password() (string, error) {
	if f, ok := i.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprint(i.Stderr, "Password or token: ")
		b, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(i.Stderr)
		return string(b), err
	}
	line, err := bufio.NewReader(io.LimitReader(i.Stdin, 4096)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", &usageError{"standard input has no password"}
	}
	return line, nil
}
