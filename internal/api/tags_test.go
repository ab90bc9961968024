package api_test

import (
	"fmt"
	"testing"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

// H-6, H-24: tags of the user's feeds, and the entries of one, in any writing and with what a path escapes.
func TestTagsByTheAPI(t *testing.T) {
	t.Parallel()
	w := newCountedWorld(t)
	for i := range 3 {
		w.feed(fmt.Sprintf("https://public.org/%d.xml", i), store.SubscriptionRow{}, fmt.Sprintf("https://public.org/%d", i), "CI/CD with Jenkins", "", 1)
	}
	w.count()
	var list struct {
		Tags []struct {
			Name    string
			Entries int
			Score   float64
		}
		State string
	}
	if w.want(w.call("GET", "/api/tags", nil, &list), 200); list.State != "ready" || len(list.Tags) < 2 || list.Tags[0].Entries != 3 || list.Tags[0].Score != 1 {
		t.Fatalf("%+v", list)
	}
	var out struct {
		Entries []struct {
			Tags []struct{ Name string }
		}
		RelatedTags []struct{ Name string }
	}
	if w.want(w.call("GET", "/api/tags/ci%2Fcd/entries", nil, &out), 200); len(out.Entries) != 3 || len(out.RelatedTags) == 0 || out.Entries[0].Tags[0].Name == "" {
		t.Errorf("%+v", out)
	}
	for path, field := range map[string]string{"/api/tags/nothing/entries": "tag", "/api/tags?period=year": "period"} {
		var p problem
		if w.want(w.call("GET", path, nil, &p), 400); len(p.Details) != 1 || p.Details[0].Field != field {
			t.Errorf("%s: %+v", path, p)
		}
	}
}
