package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A crawl of the command line indexes what it brings, and leaves no message for it; the command does so again on
// request. R-88
func TestIndex(t *testing.T) {
	t.Parallel()
	data, _ := lived(t)
	if out := mustNow(t, data, "", "index"); out != "The index is up to date. Segments: 1.\n" {
		t.Error(out)
	}
	var made indexed
	if err := json.Unmarshal([]byte(mustNow(t, data, "", "index", "--rebuild", "--json")), &made); err != nil ||
		!made.Rebuilt || made.Segments != 1 || made.Items < 20 {
		t.Errorf("%+v, %v", made, err)
	}
	h := openInstallation(t, data, nil)
	row, err := h.Store.Search.Get(t.Context(), true)
	if err != nil || row.Mode != "bodies" {
		t.Fatalf("%+v, %v", row, err)
	}
	list, err := row.List()
	if err != nil || len(list) != 1 || list[0].Documents != made.Items {
		t.Errorf("%+v, %v", list, err)
	}
	blobs, _, err := h.Blobs.List(t.Context(), store.SearchPrefix, "", 0)
	if err != nil || len(blobs) != 1 {
		t.Errorf("%+v, %v", blobs, err)
	}
	for {
		ds, err := h.Queue.Receive(t.Context(), 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(ds) == 0 {
			break
		}
		for _, d := range ds {
			if j, err := job.Decode(d.Body); err != nil || j.Kind == job.Index {
				t.Errorf("left in the queue: %+v, %v", j, err)
			}
		}
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), Env{
		Args: []string{"index"}, Stdout: &out, Stderr: &errs, Clock: clock.NewManual(present),
		Lookup: func(k string) (string, bool) {
			v, ok := map[string]string{"RURI_DATA": data, "RURI_SEARCH": "off"}[k]
			return v, ok
		},
	})
	if code != ExitError || !strings.Contains(errs.String(), "RURI_SEARCH") {
		t.Errorf("ended with %d: %s", code, errs.String())
	}
}
