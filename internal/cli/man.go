package cli

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra/doc"
)

// manCmd writes a manual page for each command. Their date is that of the commit, or SOURCE_DATE_EPOCH, which the
// library reads, so that the same source gives the same pages.
func manCmd(_ context.Context, i *invocation) error {
	if err := os.MkdirAll(i.args[0], 0o755); err != nil {
		return err
	}
	header := &doc.GenManHeader{Section: "1", Source: "Ruri Reader " + i.Version, Manual: "Ruri Reader"}
	if _, set := i.Lookup("SOURCE_DATE_EPOCH"); !set {
		header.Date = commitDate()
	}
	root := i.command.Root()
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, header, i.args[0])
}

func commitDate() *time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return &at
			}
		}
	}
	return nil
}
