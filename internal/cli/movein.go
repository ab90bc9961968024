package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
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
	i.flags.StringVar(&i.state, "state", "", "file that says how far an interrupted run was "+
		"(default: ruri-move-in.json in the data folder, of a stack in the working directory)")
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
	from, err := movein.Connect(ctx, account)
	if err != nil {
		return err
	}
	file := cmp.Or(i.state, filepath.Join(app.Spec.Folder, "ruri-move-in.json"))
	st, err := readState(file, account.URL, u)
	if err != nil {
		return err
	}
	bar := newMeter(i.Stderr)
	m := movein.Mover{
		Store: app.Store, Takeout: app.Takeout, Feeds: app.Subscribe, User: u,
		Poll: func(ctx context.Context, feeds []*store.FeedRow) error { return firstCrawl(ctx, app.App, feeds) },
		Save: func(s movein.State) error { return writeState(file, moveState{account.URL, u, s}) },
		Progress: func(stage string, done, total int) {
			bar.show(transfer.Progress{Stage: stage, Done: int64(done), Total: int64(total)})
		},
	}
	r, err := m.Run(ctx, from, st.State)
	bar.end()
	if err != nil {
		fmt.Fprintln(i.Stderr, "Stopped. Run the same command again to go on; what is here stays.")
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if i.json {
		return json.NewEncoder(i.Stdout).Encode(r)
	}
	fmt.Fprintf(i.Stdout, "%d feeds, %d starred and %d labelled articles; of articles that feeds still list "+
		"%d read and %d unread.\n", r.Feeds, r.Starred, r.Labelled, r.Read, r.Unread)
	if r.Waiting > 0 {
		fmt.Fprintf(i.Stdout, "%d feeds could not be fetched yet. "+
			"Run the same command again later for what was read of them.\n", r.Waiting)
	}
	for _, f := range r.Failed {
		fmt.Fprintf(i.Stdout, "  %s: %s\n", f.URL, f.Message)
	}
	return nil
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

// moveState is the file that says how far a run is.
type moveState struct {
	From string        `json:"from"`
	User reader.UserID `json:"user"`
	movein.State
}

// readState returns how far an earlier run from the same place was.
func readState(file, from string, u reader.UserID) (st moveState, err error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return moveState{}, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &st)
	}
	if err != nil {
		return st, fault.Newf(fault.Invalid, "bad_state", "%s cannot be read (%v). "+
			"Delete it to begin anew; what is here already stays.", file, err)
	}
	if st.From != from || st.User != u {
		st = moveState{}
	}
	return st, nil
}

// writeState writes beside and renames, so that the file is whole whatever happens.
func writeState(file string, st moveState) error {
	b, err := json.MarshalIndent(st, "", " ")
	if err == nil {
		err = os.WriteFile(file+".new", b, 0o600)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	return err
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
