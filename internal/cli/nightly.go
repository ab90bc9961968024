package cli

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/transfer"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// backupHour is from when in a day (UTC) the nightly backup is made.
const backupHour = 3

// backupDue reports whether it is a good time for a backup: at night, or later if the server was not running then, in
// the middle of a quarter of an hour, because feeds are checked at its start.
func backupDue(now time.Time) bool {
	minute := now.UTC().Minute() % 15
	return now.UTC().Hour() >= backupHour && minute >= 6 && minute < 10
}

// nightlyBackups makes a backup each day, until the server stops. A failure is logged, and tried again a quarter of an
// hour later.
func (i *invocation) nightlyBackups(ctx context.Context, app *localwire.Backend) error {
	look := time.NewTicker(time.Minute)
	defer look.Stop()
	from := transfer.Installation{Name: i.config.Data, Table: app.Store.Table(), Blobs: app.Blobs}
	for done := ""; ; {
		now := app.Clock.Now()
		if day := now.UTC().Format(time.DateOnly); day != done && backupDue(now) {
			link, err := keepBackup(ctx, i.config.Backups, from, transfer.Options{Clock: i.Clock, Version: i.Version})
			switch {
			case err == nil:
				app.Log.Info("the nightly backup is made", "day", link.Date, "bytes", link.Bytes, "chain", link.Hash)
				done = day
			case ctx.Err() == nil:
				app.Log.Error("the nightly backup failed", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
}
