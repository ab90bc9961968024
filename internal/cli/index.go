package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/indexing"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

func indexFlags(i *invocation) {
	workFlags(i)
	i.flags.BoolVar(&i.rebuild, "rebuild", false, "make the whole index again")
	jsonFlag("one JSON object")(i)
}

// indexed is the printed result of indexing.
type indexed struct {
	Items    int  `json:"items"`
	Segments int  `json:"segments"`
	Rebuilt  bool `json:"rebuilt"`
}

// indexCmd brings the index up to date. It can be stopped at any time; what is indexed by then stays.
func indexCmd(ctx context.Context, i *invocation) error {
	app, err := i.openHome(ctx, backend.Options{})
	if err != nil {
		return err
	}
	defer app.Close()
	if app.Config.Search == string(search.Off) {
		return fault.Newf(fault.Invalid, "search_off", "Searches are off, and there is no index: RURI_SEARCH (on AWS "+
			"the parameter Search) is off.")
	}
	if !i.choosesGC() {
		debug.SetGCPercent(indexGC)
	}
	bar := newMeter(i.Stderr)
	sum, err := app.Indexing.All(ctx, i.rebuild, func(r indexing.Report) { bar.showIndexed(r.Items) })
	bar.end()
	if err != nil {
		return err
	}
	if i.json {
		return json.NewEncoder(i.Stdout).Encode(indexed{sum.Items, sum.Segments, sum.Rebuilt})
	}
	switch {
	case sum.Rebuilt:
		_, err = fmt.Fprintf(i.Stdout, "A new index was made. Items: %d, segments: %d.\n", sum.Items, sum.Segments)
	case sum.Items > 0:
		_, err = fmt.Fprintf(i.Stdout, "The index was brought up to date. Items: %d, segments: %d.\n",
			sum.Items, sum.Segments)
	default:
		_, err = fmt.Fprintf(i.Stdout, "The index is up to date. Segments: %d.\n", sum.Segments)
	}
	return err
}
