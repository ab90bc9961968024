package listing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// A page whose rows have moved is described anew by what is known of them.
func TestRedetect(t *testing.T) {
	t.Parallel()
	const address = "https://a.example/list"
	before, err := Detect(t.Context(), []byte(listPage(9, "", "")), "text/html", address)
	if err != nil || len(before.Candidates) == 0 {
		t.Fatal(err)
	}
	titles := map[uint64]string{}
	for _, r := range before.Candidates[0].Page.Rows {
		titles[r.Key] = r.Title
	}
	known := func(r *Row) (bool, bool) {
		title, ok := titles[r.Key]
		return ok, title == r.Title
	}
	old := before.Candidates[0].Layout
	old.Pages, old.Empty = 5, "p.none"
	moved := strings.NewReplacer("<li class=\"item\">", "<article><div>", "</li>", "</div></article>",
		"<ul class=\"items\">", "<main>", "</ul><p>", "</main><p>", "h3", "h2").
		Replace(listPage(12, "", ""))
	if p, err := Read(t.Context(), []byte(moved), "text/html", address, &old); err != nil || len(p.Rows) != 0 {
		t.Fatalf("the old layout still reads it: %v %+v", err, p)
	}
	c, ok := Redetect(t.Context(), []byte(moved), "text/html", address, &old, known)
	if !ok || len(c.Page.Rows) != 12 || c.Page.Rows[3].Title != "A camera, number 3" || c.Layout.Pages != 5 ||
		c.Layout.Empty != "p.none" {
		t.Errorf("%v %+v", ok, c.Layout)
	}
	other := strings.ReplaceAll(moved, "/item/", "/other/")
	if c, ok := Redetect(t.Context(), []byte(other), "text/html", address, &old, known); ok {
		t.Errorf("another list is taken: %+v", c.Layout)
	}
}

// Of nothing that has the place of a status, nothing is known to be on sale.
func TestStatusThatMatchesNowhere(t *testing.T) {
	t.Parallel()
	l := &Layout{Rows: Rows{Selector: "li"}, Fields: map[string]Field{"status": {At: "b.sold", Else: "onSale"}}}
	const rows = `<ul><li><a href="/1">One thing</a></li><li><a href="/2">Another thing</a> %</li></ul>`
	for mark, want := range map[string]Status{"<b class=sold>SOLD</b>": OnSale,
		"<i class=css-1x>SOLD</i>": StatusUnknown} {
		p, err := Read(t.Context(), []byte(strings.Replace(rows, "%", mark, 1)), "text/html", "https://a.example/", l)
		if err != nil || len(p.Rows) != 2 || p.Rows[0].Status != want ||
			slices.Contains(p.Missing, "status") != (want == StatusUnknown) {
			t.Errorf("%s: %v %+v", mark, err, p)
		}
	}
}

func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	body := []byte(listPage(9, "", ""))
	_, detected := Detect(ctx, body, "text/html", "https://a.example/")
	_, read := Read(ctx, body, "text/html", "https://a.example/", &Layout{Rows: Rows{Selector: "li"}})
	_, detail := ReadDetail(ctx, 200, body, "text/html", "https://a.example/", nil)
	for _, err := range []error{detected, read, detail} {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	b := newBudget(ctx, maxSteps)
	if !b.spend(1) || b.spend(askEvery) || b.spend(1) {
		t.Error("steps are taken after the end")
	}
}
