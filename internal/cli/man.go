package cli

import (
	"context"
	"os"
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
	if at, err := time.Parse(time.RFC3339, i.CommitDate); err == nil {
		header.Date = &at
	}
	root := i.command.Root()
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, header, i.args[0])
}
