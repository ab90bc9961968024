package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/wire"
)

func importCmd(ctx context.Context, i *invocation) error {
	file, err := os.Open(i.args[0])
	if err != nil {
		return fmt.Errorf("the file cannot be opened: %w", err)
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, opml.MaxBytes+1))
	if err != nil {
		return err
	}
	doc, err := opml.Decode(body)
	if err != nil {
		return err
	}
	app, u, err := i.openUser(ctx, i.user)
	if err != nil {
		return err
	}
	defer app.Close()
	done, err := app.Subscribe.Import(ctx, u, doc)
	if err != nil {
		return err
	}
	fmt.Fprintf(i.Stdout, "%d feeds imported, %d subscribed already, %d failed.\n", len(done.Feeds),
		done.AlreadySubscribed, len(done.Failed))
	for _, f := range done.Failed {
		why := texts.Entry(f.Code)
		fmt.Fprintf(i.Stdout, "  %s: %s\n", f.URL, cmp.Or(why.Message.En, f.Code))
	}
	return nil
}

func exportCmd(ctx context.Context, i *invocation) error {
	app, u, err := i.openUser(ctx, i.user)
	if err != nil {
		return err
	}
	defer app.Close()
	feeds, err := app.Subscribe.Export(ctx, u)
	if err != nil {
		return err
	}
	_, err = i.Stdout.Write(opml.Encode("Ruri Reader", feeds, app.Clock.Now()))
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

// feedsCmd lists every feed of the installation.
func feedsCmd(ctx context.Context, i *invocation) error {
	app, err := i.open(ctx, i.home)
	if err != nil {
		return err
	}
	defer app.Close()
	lines, err := feedLines(ctx, app.App)
	if err != nil {
		return err
	}
	return printTable(i, "ID\tSTATUS\tITEMS\tEVERY\tNEXT\tTITLE\tURL", lines, func(l feedLine) string {
		next := "-"
		if l.NextCheck != nil {
			next = l.NextCheck.Local().Format("01-02 15:04")
		}
		status := l.Status
		if l.Error != "" {
			status += " (" + l.Error + ")"
		}
		return fmt.Sprintf("%s\t%s\t%d\t%d min\t%s\t%s\t%s", l.ID, status, l.Items, l.Interval, next, l.Title, l.URL)
	})
}

func feedLines(ctx context.Context, app *wire.App) ([]feedLine, error) {
	parts, err := app.Parts(ctx)
	if err != nil {
		return nil, err
	}
	now := app.Clock.Now()
	lines := []feedLine{}
	err = app.Store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		l := feedLine{
			ID: f.ID().String(), URL: reader.ShownURL(f.URL), Title: f.DisplayTitle(), Status: f.Status,
			Error: f.ErrCode,
			Items: int(f.Seq - f.Floor), Subscribers: int(f.Subs),
		}
		c := f.Checking(now)
		l.Interval, l.IntervalReason = int(c.Interval/time.Minute), texts.Check(c.Why).En
		l.Reason = texts.Check(c.NextWhy).En
		last, err := app.Store.Checks.Last(ctx, f, job.PartOf(f.URL, parts))
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
