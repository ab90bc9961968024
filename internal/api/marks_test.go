package api_test

import (
	"slices"
	"testing"
)

type listed struct {
	Items []struct {
		ID, FeedID, FeedTitle string
		IsRead, IsHidden      bool
		Labels                []string
		AlsoIn                []struct{ FeedID, ItemID, Title string }
	}
	NextCursor, AsOf *string
	UnreadCount      int
	Totals           struct{ Unread int }
}

type countsAnswer struct {
	ID          string
	UnreadCount int
	LastReadAt  *string
}

type markedAnswer struct {
	Feeds  []countsAnswer
	Totals struct{ Unread, Starred int }
	Undo   *string
	Items  []struct {
		ID                string
		IsRead, IsStarred bool
		Labels            []string
		Error             *string
	}
}

// Marks of several feeds, as a list showed them, answer the new counts and can be undone.
// (R-92, R-94, R-109, G-61, C-36)
func TestMarksOverAllFeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	var page listed
	w.want(w.call("GET", "/api/items?order=oldest&filter=unread", nil, &page), 200)
	total := page.Totals.Unread
	if page.AsOf == nil || page.UnreadCount != total || page.Items[0].FeedTitle == "" || page.Items[0].Labels == nil ||
		page.Items[0].AlsoIn == nil {
		t.Fatalf("the list is %+v", page)
	}
	// Above and below, and all of it.
	at := len(page.Items) / 2
	var done markedAnswer
	w.want(w.call("POST", "/api/items/mark-read", map[string]any{"asOf": *page.AsOf, "above": page.Items[at].ID,
		"order": "oldest"}, &done), 200)
	if done.Totals.Unread != total-at || done.Undo == nil {
		t.Errorf("after marking %d above: %+v", at, done.Totals)
	}
	w.want(w.call("POST", "/api/undo", map[string]any{"undo": *done.Undo}, &done), 200)
	if done.Totals.Unread != total || done.Undo != nil {
		t.Errorf("after undo: %+v", done)
	}
	w.want(w.call("POST", "/api/items/mark-read", map[string]any{"before": "2001-01-01T00:00:00Z"}, &done), 200)
	if done.Totals.Unread != total || done.Undo != nil {
		t.Errorf("after marking what arrived before there was anything: %+v", done)
	}
	w.want(w.call("POST", "/api/items/mark-read", map[string]any{"before": "yesterday"}, nil), 400)
	w.want(w.call("POST", "/api/items/mark-read", map[string]any{"asOf": *page.AsOf}, &done), 200)
	if done.Totals.Unread != 0 || len(done.Feeds) != len(feeds) || done.Feeds[0].LastReadAt == nil {
		t.Errorf("after marking all: %+v", done)
	}
	w.want(w.call("POST", "/api/items/mark-read", map[string]any{"above": page.Items[1].ID, "below": page.Items[0].ID},
		nil), 400)
	w.want(w.call("POST", "/api/items/mark-read", map[string]any{"asOf": "nonsense"}, nil), 400)
	w.want(w.call("POST", "/api/undo", map[string]any{"undo": "nonsense"}, nil), 400)
	w.want(w.call("GET", "/api/items?order=up", nil, nil), 400)
	w.want(w.call("GET", "/api/items?since=yesterday", nil, nil), 400)
	w.want(w.call("GET", "/api/items?folder=9", nil, nil), 404)
	w.want(w.call("GET", "/api/items?label=9", nil, nil), 404)
	w.want(w.call("GET", "/api/items?since=2099-01-01T00:00:00Z", nil, &page), 200)
	if len(page.Items) != 0 || page.NextCursor != nil {
		t.Errorf("the future lists %d items", len(page.Items))
	}
	// One feed, as its list showed it.
	id := feeds[0].Feed.ID
	w.want(w.call("POST", "/api/undo", map[string]any{"undo": *done.Undo}, &done), 200)
	w.want(w.call("GET", "/api/feeds/"+id+"/items", nil, &page), 200)
	var one struct {
		Success  bool
		FeedID   string
		MarkedAt *string
		Feed     countsAnswer
	}
	w.want(w.call("POST", "/api/feeds/"+id+"/mark-read", map[string]any{"asOf": *page.AsOf}, &one), 200)
	if !one.Success || one.FeedID != id || one.MarkedAt == nil || one.Feed.UnreadCount != 0 {
		t.Errorf("one feed: %+v", one)
	}
}

// A repeated batch counts once, missing items are reported, labels are added and removed. (G-19, G-55)
func TestStatesOfManyItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	var page listed
	w.want(w.call("GET", "/api/items?limit=200", nil, &page), 200)
	ids := []string{"123456"}
	for _, it := range page.Items {
		ids = append(ids, it.ID)
	}
	var label struct{ ID string }
	w.want(w.call("POST", "/api/labels", map[string]any{"name": "later"}, &label), 201)
	batch := map[string]any{
		"batch": map[string]any{"device": 4294967295, "counter": 1},
		"changes": []any{map[string]any{"ids": ids, "isRead": true},
			map[string]any{"ids": ids[1:3], "isStarred": true, "addLabels": []string{label.ID}}},
	}
	var done markedAnswer
	w.want(w.call("POST", "/api/items/state", batch, &done), 200)
	if len(done.Items) != len(ids) || done.Items[0].Error == nil || *done.Items[0].Error != "item_not_found" ||
		done.Totals.Starred != 2 {
		t.Fatalf("answered %+v", done)
	}
	if it := done.Items[1]; !it.IsRead || !it.IsStarred || !slices.Equal(it.Labels, []string{label.ID}) ||
		it.Error != nil {
		t.Errorf("the first item is %+v", it)
	}
	w.want(w.call("PUT", "/api/items/"+ids[1]+"/state", map[string]any{"isRead": false}, nil), 200)
	w.want(w.call("POST", "/api/items/state", batch, &done), 200)
	if done.Items[1].IsRead {
		t.Error("a batch that was said before took back what was said since")
	}
	for _, b := range []string{`{"device":0,"counter":1}`, `{"device":7,"counter":0}`} {
		var p problem
		if resp := w.call("POST", "/api/items/state", `{"batch":`+b+`,"changes":[]}`, &p); resp.StatusCode != 400 ||
			p.Code != "bad_batch" {
			t.Errorf("the batch %s: %d %s", b, resp.StatusCode, p.Code)
		}
	}
	w.want(w.call("GET", "/api/items?label="+label.ID, nil, &page), 200)
	if len(page.Items) != 2 {
		t.Errorf("the label lists %d", len(page.Items))
	}
	var one struct{ Item struct{ Labels []string } }
	w.want(w.call("PUT", "/api/items/"+ids[1]+"/labels", map[string]any{"labels": []string{}}, &one), 200)
	w.want(w.call("PUT", "/api/items/"+ids[1]+"/labels", map[string]any{"labels": []string{"77"}}, nil), 404)
	w.want(w.call("GET", "/api/items?label="+label.ID, nil, &page), 200)
	if len(page.Items) != 1 || len(one.Item.Labels) != 0 {
		t.Errorf("after taking it off the label lists %d", len(page.Items))
	}
	many := make([]string, 1001)
	for i := range many {
		many[i] = ids[1]
	}
	w.want(w.call("POST", "/api/items/state", map[string]any{"changes": []any{map[string]any{"ids": many}}}, nil), 400)
}

// TestImpossibleIDs: an id that fits the document's pattern and was never given out is an item that is gone,
// and stops nothing; one that does not fit is told by its field. (G-19, G-79)
func TestImpossibleIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	var page listed
	w.want(w.call("GET", "/api/items?filter=unread", nil, &page), 200)
	one, two := page.Items[0].ID, page.Items[1].ID
	sent := []string{one, "123", "0", "9999999999999999", "0123", two}
	var done markedAnswer
	w.want(w.call("POST", "/api/items/state", map[string]any{"changes": []any{
		map[string]any{"ids": sent, "isRead": true}, map[string]any{"ids": []string{"123", two}, "isStarred": true},
	}}, &done), 200)
	if len(done.Items) != len(sent) {
		t.Fatalf("answered %+v", done.Items)
	}
	for i, it := range done.Items {
		gone := it.Error != nil && *it.Error == "item_not_found"
		ours := sent[i] == one || sent[i] == two
		if it.ID != sent[i] || gone == ours || it.IsRead != ours || it.IsStarred != (sent[i] == two) ||
			it.Labels == nil {
			t.Errorf("%s is answered %+v", sent[i], it)
		}
	}
	for _, c := range []struct {
		path, body  string
		status      int
		code, field string
	}{
		{"/api/items/mark-read", `{"above":"123"}`, 404, "item_not_found", ""},
		{"/api/items/mark-read", `{"below":"1"}`, 404, "item_not_found", ""},
		{"/api/items/mark-read", `{"above":"1","below":"1"}`, 400, "mark_ambiguous", ""},
		{"/api/items/mark-read", `{"above":""}`, 400, "bad_json", "above"},
		{"/api/items/mark-read", `{"above":null}`, 400, "bad_json", "above"},
		{"/api/items/state", `{"changes":[{"ids":["` + one + `","x"],"isRead":true}]}`, 400, "bad_json", "changes.ids"},
		{"/api/items/state", `{"changes":[{"ids":[5],"isRead":true}]}`, 400, "bad_json", "changes.ids"},
		{"/api/items/state", `{"changes":[{"ids":["12345678901234567"],"isRead":true}]}`, 400, "bad_json",
			"changes.ids"},
	} {
		var p problem
		if resp := w.call("POST", c.path, c.body, &p); resp.StatusCode != c.status || p.Code != c.code ||
			c.field != "" && (len(p.Details) != 1 || p.Details[0].Field != c.field) {
			t.Errorf("%s %s answers %d %s %v", c.path, c.body, resp.StatusCode, p.Code, p.Details)
		}
	}
}
