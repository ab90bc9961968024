// Command verify is the test driver behind the Makefile: it runs the steps of `make test` and ends with one
// verdict, and it runs Go tests and fuzz targets so that every test is counted.
//
//	verify all [-full]     every step, several at a time, then a table, the slowest test files and the count
//	verify gotest ARGS     go test -json ARGS: prints failures, skips, the slowest packages and the count
//	verify fuzz [-search d] FOLDER...  runs each fuzz target beyond its seeds: on the same inputs, or for new ones
//	verify lambda DIR...   zips what sam build made, checks its size budgets and measures how long functions start
//
// It uses the standard library alone, so that it runs on a machine where nothing is installed yet.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// One signal ends the steps and the processes that they started; the verdict is still printed.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: verify all | gotest ARGS | fuzz [-search d] FOLDER... | lambda DIR...")
		os.Exit(2)
	}
	commands := map[string]func(context.Context, []string) bool{
		"all":    runAll,
		"gotest": runGoTest,
		"fuzz":   runFuzz,
		"lambda": runLambda,
	}
	run := commands[os.Args[1]]
	if run == nil {
		fmt.Fprintf(os.Stderr, "verify: no such command: %s\n", os.Args[1])
		os.Exit(2)
	}
	if !run(ctx, os.Args[2:]) {
		os.Exit(1)
	}
}
