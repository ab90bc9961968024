package api_test

import (
	"testing"
	"time"
)

type popularUse struct {
	Entries []struct {
		ID, Title, Link string
		Count           int
	}
	Tags, Searches []struct {
		Name  string
		Count int
	}
}

// TestUseIsCounted: what a page notes along with a change is in the sums of the next day, for those who may see it; not
// what a person has switched off. H-9 H-11 H-12 H-13 H-36
func TestUseIsCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	var page struct{ Items []struct{ ID, Link string } }
	w.want(w.call("GET", "/api/items", nil, &page), 200)
	night := func() popularUse {
		w.clock.Add(24 * time.Hour)
		if err := w.options.Usage.Nightly(t.Context()); err != nil {
			t.Fatal(err)
		}
		var use popularUse
		w.want(w.call("GET", "/api/stats/popular?period=day", nil, &use), 200)
		return use
	}
	mark := func(i int, notes any) bool {
		var done struct{ Noted bool }
		w.want(w.call("POST", "/api/items/state", map[string]any{
			"changes": []any{map[string]any{"ids": []string{page.Items[i].ID}, "isRead": true}}, "notes": notes,
		}, &done), 200)
		return done.Noted
	}
	notes := map[string]any{"clicked": []string{page.Items[0].ID, "999"}, "tags": []string{"Go", "  "},
		"searched": []string{"ｇｏ", "go"}}
	if !mark(0, notes) {
		t.Error("the notes were not taken")
	}
	use := night()
	if len(use.Entries) != 1 || use.Entries[0].ID != page.Items[0].ID || use.Entries[0].Link != page.Items[0].Link ||
		use.Entries[0].Title == "" || use.Entries[0].Count != 1 {
		t.Errorf("clicked: %+v", use.Entries)
	}
	if len(use.Tags) != 1 || use.Tags[0].Name != "go" || len(use.Searches) != 1 || use.Searches[0].Name != "go" ||
		use.Searches[0].Count != 2 {
		t.Errorf("tags %v, searches %v", use.Tags, use.Searches)
	}
	var theirs popularUse
	w.want(w.callAs(w.other(""), "GET", "/api/stats/popular?period=day", nil, &theirs), 200)
	if len(theirs.Entries)+len(theirs.Tags)+len(theirs.Searches) > 0 {
		t.Errorf("another person sees %+v", theirs)
	}
	w.want(w.call("PUT", "/api/user/preferences", map[string]any{"countUse": false}, nil), 200)
	if !mark(1, notes) {
		t.Error("a page keeps notes that are not to be stored")
	}
	if use := night(); len(use.Entries)+len(use.Tags)+len(use.Searches) > 0 {
		t.Errorf("counted although switched off: %+v", use)
	}
	w.want(w.call("GET", "/api/stats/popular?period=year", nil, nil), 400)
	for _, bad := range []any{map[string]any{"clicked": []string{"x"}}, map[string]any{"other": 1}, []string{"x"}} {
		w.want(w.call("POST", "/api/items/state",
			map[string]any{"changes": []any{map[string]any{"ids": []string{page.Items[2].ID}, "isRead": true}},
				"notes": bad}, nil), 400)
	}
}
