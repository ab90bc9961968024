// Command ruri is the reader as one binary on one machine: server, crawler and command line.
package main

import (
	"os"

	"github.com/ruri-reader/ruri/internal/cli"
	"github.com/ruri-reader/ruri/internal/testkit/simulate"
)

// These are set by the linker: the release, and the commit that it was built from with its date.
var (
	version      = "dev"
	commit, date string
)

func main() {
	os.Exit(cli.Main(cli.Env{
		Program: os.Args[0], Args: os.Args[1:], Lookup: os.LookupEnv,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Simulate: simulate.Run,
		Version: version, Commit: commit, CommitDate: date,
	}))
}
