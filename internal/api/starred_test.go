package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

type starredReport struct {
	Imported, AlreadyStarred, NotStarred, Failed int
	Errors                                       []struct {
		Place         int
		Code, Message string
	}
}

// Stars are imported from another reader, can be read and unstarred, and are exported again.
func TestStarredItemsInAndOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	var page pageAnswer
	w.want(w.call("GET", "/api/items?limit=1", nil, &page), 200)
	w.want(w.call("PUT", "/api/items/"+page.Items[0].ID+"/state", map[string]bool{"isStarred": true}, nil), 200)
	var items []string
	for i := range 30 {
		items = append(items,
			fmt.Sprintf(
				`{"title":"Old %d","published":%d,"timestampUsec":"%d000000","canonical":[{"href":"https://old.example/%d"}],
			"content":{"content":"<p onclick='x()'>Body %d<script>alert(1)</script></p>"},"origin":{"streamId":"feed/https://old.example/feed","title":"Old feed","htmlUrl":"https://old.example/"}}`,
				i, 1300000000+i*86400, 1300000000+i*86400, i, i))
	}
	items = append(items, `{"title":"","canonical":[]}`,
		fmt.Sprintf(`{"title":"Mine","canonical":[{"href":%q}]}`, page.Items[0].Link))
	body := `{"id":"user/-/state/com.google/starred","items":[` + strings.Join(items, ",") + `]}`
	var report starredReport
	w.want(w.call("POST", "/api/import/starred", body, &report), 200)
	if report.Imported != 30 || report.AlreadyStarred != 1 || report.Failed != 1 || report.Errors[0].Place != 31 ||
		report.Errors[0].Code != "empty_entry" {
		t.Fatalf("%+v", report)
	}
	w.want(w.call("POST", "/api/import/starred", body, &report), 200)
	if report.Imported != 0 || report.AlreadyStarred != 31 {
		t.Errorf("the same again: %+v", report)
	}
	var stars pageAnswer
	w.want(w.call("GET", "/api/items?filter=starred&limit=200", nil, &stars), 200)
	if len(stars.Items) != 31 || stars.Items[0].ID != page.Items[0].ID || stars.Items[1].Title != "Old 29" ||
		stars.Items[30].Title != "Old 0" || !stars.Items[5].IsStarred {
		t.Fatalf("%d stars: %+v", len(stars.Items), stars.Items)
	}
	var one struct {
		Item struct{ Title, ContentHTML, Link string }
	}
	w.want(w.call("GET", "/api/items/"+stars.Items[1].ID, nil, &one), 200)
	if one.Item.Title != "Old 29" || one.Item.Link != "https://old.example/29" ||
		!strings.Contains(one.Item.ContentHTML, "Body 29") || strings.Contains(one.Item.ContentHTML, "onclick") ||
		strings.Contains(one.Item.ContentHTML, "script") {
		t.Errorf("%+v", one.Item)
	}
	// Out, and into another account: the same again.
	rec := w.send("GET", "/api/export/starred", "", nil)
	if rec.Code != 200 || !strings.Contains(rec.Header().Get("Content-Disposition"), "ruri-starred.json") ||
		strings.Contains(rec.Body.String(), "continuation") {
		t.Fatalf("%d: %.200s", rec.Code, rec.Body)
	}
	other, err := w.auth.AddUser(t.Context(), "two@example.org", "", false)
	if err != nil {
		t.Fatal(err)
	}
	token, err := w.auth.NewToken(t.Context(), other, "two", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	w.want(w.callAs(token, "POST", "/api/import/starred", rec.Body.String(), &report), 200)
	if report.Imported != 31 || report.Failed != 0 {
		t.Errorf("into another account: %+v", report)
	}
	var theirs pageAnswer
	w.want(w.callAs(token, "GET", "/api/items?filter=starred&limit=200", nil, &theirs), 200)
	titles := map[string]bool{}
	for _, it := range theirs.Items {
		titles[it.Title] = true
	}
	for _, it := range stars.Items {
		if !titles[it.Title] {
			t.Errorf("%q is lost on the way", it.Title)
		}
	}
	w.want(w.call("POST", "/api/import/starred",
		`{"entries":[{"title":"x","url":"https://mf.example/2","starred":false}]}`, &report), 200)
	if report.Imported != 0 || report.NotStarred != 1 || report.Failed != 0 {
		t.Errorf("what is not starred: %+v", report)
	}
	// A star that came in goes like any other.
	w.want(w.call("PUT", "/api/items/"+stars.Items[1].ID+"/state", map[string]bool{"isStarred": false}, nil), 200)
	w.want(w.call("GET", "/api/items/"+stars.Items[1].ID, nil, nil), 404)
	var p problem
	w.want(w.call("POST", "/api/import/starred", `{"no":"list"}`, &p), 400)
	if p.Code != "not_starred" {
		t.Error(p.Code)
	}
	w.want(w.call("GET", "/api/export/starred?cursor=x", nil, nil), 400)
}

// Labels come along both ways, and a repetition adds none.
func TestStarredItemsKeepTheirLabels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const file = `{"id":"user/-/state/com.google/starred","items":[
		{"title":"AS1","published":1700000000,"canonical":[{"href":"https://st.example/A1"}],"categories":["user/-/state/com.google/starred","user/-/label/To read"],"origin":{"streamId":"feed/https://st.example/feed","title":"Star site"}},
		{"title":"AS2","published":1700100000,"canonical":[{"href":"https://st.example/A2"}],"categories":["user/-/label/To read","user/-/label/%E6%97%A5%E6%9C%AC"]},
		{"title":"AS3","published":1700200000,"canonical":[{"href":"https://st.example/A3"}],"categories":["Product","user/-/state/com.google/read"]}]}`
	other, err := w.auth.AddUser(t.Context(), "labels-two@example.org", "", false)
	if err != nil {
		t.Fatal(err)
	}
	token, err := w.auth.NewToken(t.Context(), other, "two", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(call func(method, path string, body any, into any) *http.Response) {
		t.Helper()
		var tree struct {
			Labels []struct{ ID, Name string }
		}
		w.want(call("GET", "/api/labels", nil, &tree), 200)
		names := map[string]string{}
		for _, l := range tree.Labels {
			names[l.ID] = l.Name
		}
		var stars struct {
			Items []struct {
				Title  string
				Labels []string
			}
		}
		w.want(call("GET", "/api/items?filter=starred", nil, &stars), 200)
		got := ""
		for _, it := range stars.Items {
			got += it.Title
			for _, id := range it.Labels {
				got += " " + names[id]
			}
			got += ";"
		}
		if got != "AS3;AS2 To read 日本;AS1 To read;" || len(names) != 2 {
			t.Errorf("%s, %v", got, names)
		}
	}
	var report starredReport
	for range 2 {
		w.want(w.call("POST", "/api/import/starred", file, &report), 200)
		check(w.call)
	}
	exported := w.send("GET", "/api/export/starred", "", nil).Body.String()
	w.want(w.callAs(token, "POST", "/api/import/starred", exported, &report), 200)
	check(func(method, path string, body, into any) *http.Response {
		return w.callAs(token, method, path, body, into)
	})
	w.want(w.call("POST", "/api/import/starred",
		`[{"title":"AS1","canonical":[{"href":"https://st.example/A1"}],"tags":["user/-/label/`+
			strings.Repeat("x", 121)+`"]}]`, &report), 200)
	if report.AlreadyStarred != 1 || report.Failed != 1 || report.Errors[0].Code != "bad_name" {
		t.Errorf("%+v", report)
	}
}

// A long list of stars is exported in parts, each star once.
func TestStarredExportInParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	big := strings.Repeat("word ", 150_000)
	var items []string
	for i := range 6 {
		items = append(items,
			fmt.Sprintf(`{"title":"Big %d","url":"https://big.example/%d","published":%d,"content":"<p>%s</p>"}`, i, i,
				1300000000+i*864000, big))
	}
	var report starredReport
	w.want(w.call("POST", "/api/import/starred", "["+strings.Join(items[:3], ",")+"]", &report), 200)
	w.want(w.call("POST", "/api/import/starred", "["+strings.Join(items[3:], ",")+"]", &report), 200)
	seen, cursor := map[string]int{}, ""
	for parts := 0; ; parts++ {
		var part struct {
			Items []struct {
				Title   string
				Content struct{ Content string }
			}
			Continuation string
		}
		w.want(w.call("GET", "/api/export/starred?cursor="+cursor, nil, &part), 200)
		for _, it := range part.Items {
			if seen[it.Title]++; len(it.Content.Content) < len(big) {
				t.Errorf("%s has %d bytes", it.Title, len(it.Content.Content))
			}
		}
		if cursor = part.Continuation; cursor == "" {
			if parts == 0 {
				t.Error("it came in one part")
			}
			break
		}
	}
	if len(seen) != 6 {
		t.Errorf("%v", seen)
	}
	for title, n := range seen {
		if n != 1 {
			t.Errorf("%s came %d times", title, n)
		}
	}
}

// A feed's last fetches, also those that a person asked for.
func TestFetchHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	var out struct {
		Fetches []struct {
			At, Kind, Outcome string
			RunID             string
			Status            *int
			NewItems          int
		}
	}
	w.want(w.call("GET", "/api/feeds/"+feeds[0].Feed.ID+"/fetches", nil, &out), 200)
	if len(out.Fetches) != 1 || out.Fetches[0].Kind != store.RunFirst ||
		out.Fetches[0].NewItems != feeds[0].Feed.ItemCount || out.Fetches[0].Status == nil ||
		*out.Fetches[0].Status != 200 {
		t.Errorf("%+v", out)
	}
	w.want(w.call("GET", "/api/feeds/999/fetches", nil, nil), 404)
}
