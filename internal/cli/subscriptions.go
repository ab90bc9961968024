package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// userFlag names the user a command acts for; the owner when empty.
func (i *invocation) userFlag() *string {
	return i.flags.String("user", "", "e-mail address of the user; the owner when empty")
}

func account(ctx context.Context, home *localwire.Home, email string) (*store.Account, error) {
	if email == "" {
		return home.Auth.EnsureOwner(ctx)
	}
	a, err := home.Auth.ByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.Newf(fault.NotFound, "user_not_found", "There is no user with the address %s. Add one with: ruri user add %s --password-stdin", email, email)
	}
	return a, err
}

func importCmd(ctx context.Context, i *invocation) error {
	email := i.userFlag()
	args, err := i.parse(1)
	if err != nil {
		return err
	}
	file, err := os.Open(args[0])
	if err != nil {
		return fmt.Errorf("the file cannot be opened: %w", err)
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, opml.DefaultBytes+1))
	if err != nil {
		return err
	}
	doc, err := opml.Decode(body, opml.Limits{})
	if err != nil {
		return err
	}
	home, err := i.open(ctx, localwire.Options{})
	if err != nil {
		return err
	}
	defer home.Close()
	a, err := account(ctx, home, *email)
	if err != nil {
		return err
	}
	done, err := home.Subscribe.Import(ctx, a.ID(), doc)
	if err != nil {
		return err
	}
	fmt.Fprintf(i.Stdout, "%d feeds imported, %d subscribed already, %d failed.\n", len(done.Feeds), done.AlreadySubscribed, len(done.Failed))
	for _, f := range done.Failed {
		fmt.Fprintf(i.Stdout, "  %s: %s\n", reader.ShownURL(f.URL), f.Message)
	}
	return nil
}

func exportCmd(ctx context.Context, i *invocation) error {
	email := i.userFlag()
	if _, err := i.parse(0); err != nil {
		return err
	}
	home, err := i.open(ctx, localwire.Options{})
	if err != nil {
		return err
	}
	defer home.Close()
	a, err := account(ctx, home, *email)
	if err != nil {
		return err
	}
	feeds, err := home.Subscribe.Export(ctx, a.ID())
	if err != nil {
		return err
	}
	_, err = i.Stdout.Write(opml.Encode("Ruri Reader", feeds, home.Clock.Now()))
	return err
}

type feedLine struct {
	ID          string     `json:"id"`
	URL         string     `json:"url"`
	Title       string     `json:"title"`
	Status      string     `json:"status"`
	Error       string     `json:"error,omitempty"`
	Items       int        `json:"items"`
	Subscribers int        `json:"subscribers"`
	LastChecked *time.Time `json:"lastChecked"`
	NextCheck   *time.Time `json:"nextCheck"`
	Reason      string     `json:"reason"` // of the next check

	Interval       int    `json:"intervalMinutes"`
	IntervalReason string `json:"intervalReason"`
}

// feedsCmd lists every feed of the installation: the owner's view, not one user's.
func feedsCmd(ctx context.Context, i *invocation) error {
	asJSON := i.flags.Bool("json", false, "print a JSON array")
	if _, err := i.parse(0); err != nil {
		return err
	}
	home, err := i.open(ctx, localwire.Options{})
	if err != nil {
		return err
	}
	defer home.Close()
	lines, err := feedLines(ctx, home)
	if err != nil {
		return err
	}
	if *asJSON {
		return json.NewEncoder(i.Stdout).Encode(lines)
	}
	w := tabwriter.NewWriter(i.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tSTATUS\tITEMS\tEVERY\tNEXT\tTITLE\tURL")
	for _, l := range lines {
		next := "-"
		if l.NextCheck != nil {
			next = l.NextCheck.Local().Format("01-02 15:04")
		}
		status := l.Status
		if l.Error != "" {
			status += " (" + l.Error + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d min\t%s\t%s\t%s\n", l.ID, status, l.Items, l.Interval, next, l.Title, l.URL)
	}
	return w.Flush()
}

func feedLines(ctx context.Context, home *localwire.Home) ([]feedLine, error) {
	parts, err := home.Parts(ctx)
	if err != nil {
		return nil, err
	}
	now := home.Clock.Now()
	lines := []feedLine{}
	err = home.Store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		l := feedLine{
			ID: f.ID().String(), URL: reader.ShownURL(f.URL), Title: f.DisplayTitle(), Status: f.Status, Error: f.ErrCode,
			Items: int(f.Seq - f.Floor), Subscribers: int(f.Subs),
		}
		c := f.Checking(now)
		l.Interval, l.IntervalReason = int(c.Interval/time.Minute), schedule.ReasonOf(c.Why).Message
		l.Reason = schedule.ReasonOf(c.NextWhy).Message
		last, err := home.Store.Checks.Last(ctx, f, job.PartOf(f.URL, parts))
		if err != nil {
			return err
		}
		if !last.IsZero() {
			l.LastChecked = &last
		}
		if !c.Next.IsZero() {
			l.NextCheck = &c.Next
		}
		if f.MergedInto > 0 {
			l.Status = "merged into " + reader.FeedID(f.MergedInto).String()
		}
		lines = append(lines, l)
		return nil
	})
	return lines, err
}
