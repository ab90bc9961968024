package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"syscall"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/transfer"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/backend"
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
	for done := ""; ; {
		now := app.Clock.Now()
		if day := now.UTC().Format(time.DateOnly); day != done && backupDue(now) {
			link, err := i.keepBackup(ctx, i.config.Backups, app.App, i.config.Data,
				transfer.Options{Clock: i.Clock, Version: i.Version})
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

// keepBackup makes the day's backup of an installation on a shelf, and notes in the installation how that ended.
func (i *invocation) keepBackup(ctx context.Context, place string, app *wire.App, name string, o transfer.Options) (
	link transfer.Link, err error) {
	from := transfer.Installation{Name: name, Table: app.Store.Table(), Blobs: app.Blobs}
	shelf, err := backend.OpenShelf(ctx, place, i.Lookup)
	if err == nil {
		err = tryBackup(func() error {
			link, err = transfer.Keep(ctx, shelf, o.Clock.Now(), func(w io.Writer) error {
				_, err := transfer.Backup(ctx, from, w, o)
				return err
			})
			return err
		})
	}
	if ctx.Err() != nil {
		return link, err
	}
	if noted := noteBackup(ctx, app, err); noted != nil {
		app.Log.Error("how the backup ended could not be noted", "error", noted)
	}
	return link, err
}

// noteBackup notes how a backup ended, and tells the owner's webhooks of the first of several failures.
func noteBackup(ctx context.Context, app *wire.App, failed error) error {
	now := app.Clock.Now()
	if failed == nil {
		return app.Store.Accounts.SetBackup(ctx, now)
	}
	isNew, err := app.Store.Accounts.SetBackupFailed(ctx, now, backupCode(failed))
	if err != nil || !isNew {
		return err
	}
	return app.Webhooks.TellServer(ctx)
}

// backupCode says in a word why a backup failed; texts.Backup has the sentences.
func backupCode(err error) string {
	code := fault.CodeOf(err)
	switch {
	case code == "source_changes":
		return "backup_changing"
	case code == "broken_chain":
		return "backup_chain"
	case code == "storage_denied", errors.Is(err, fs.ErrPermission), fault.Is(err, fault.Unauthenticated):
		return "backup_denied"
	case code == "storage_full", errors.Is(err, syscall.ENOSPC):
		return "backup_full"
	case code == "bucket_missing", errors.Is(err, fs.ErrNotExist), fault.Is(err, fault.Unavailable):
		return "backup_unreachable"
	}
	return "backup_failed"
}
