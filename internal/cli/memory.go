package cli

import (
	"context"
	"runtime/debug"

	"github.com/ruri-reader/ruri/internal/clock"
)

const (
	// thriftyGC is GOGC for crawls and servers: on small machines memory is scarcer than the few percent of processor
	// time that collecting more often takes. A crawl allocates bodies in bursts, and a server's heap is mostly what it
	// keeps for lists.
	thriftyGC = 50
	// indexGC is GOGC while a command makes the index: little lives for long of what that takes.
	indexGC = 25
	// startGC lets the heap reach 32 MB before it is collected for the first time: the first list of feeds is made of
	// what stays, and from the runtime's 4 MB on it would be collected at each doubling.
	startGC = 800
)

// choosesGC reports whether the operator sets GOGC.
func (i *invocation) choosesGC() bool {
	_, set := i.Lookup("GOGC")
	return set
}

// collectLater postpones the collection of garbage until the first moments of a server are over, and then returns what
// they took to the machine. The function that it returns restores the runtime's setting.
func collectLater(ctx context.Context) (restore func()) {
	was := debug.SetGCPercent(startGC)
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if clock.Sleep(ctx, settle) == nil {
			debug.SetGCPercent(thriftyGC)
			debug.FreeOSMemory()
		}
	}()
	return func() {
		cancel()
		<-done
		debug.SetGCPercent(was)
	}
}
