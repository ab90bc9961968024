package api_test

import (
	"encoding/json"
	"testing"
)

// The answer combines three others, and its ETag changes with each of them.
func TestMe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	c := w.signedIn()
	get := func(path string) map[string]json.RawMessage {
		t.Helper()
		return answer[map[string]json.RawMessage](t, w.browser(c, "GET", path, ""), 200)
	}
	tag := func() string {
		t.Helper()
		return w.browser(c, "GET", "/api/me", "").Header().Get("ETag")
	}
	before := tag()
	moved := func(what string) {
		t.Helper()
		if now := tag(); now == before {
			t.Errorf("the tag stays after %s", what)
		} else {
			before = now
		}
	}
	if tag() != before {
		t.Error("the tag moves by itself")
	}
	w.want(w.call("PUT", "/api/user/preferences", map[string]string{"theme": "dark"}, nil), 200)
	moved("a preference")
	w.want(w.call("POST", "/api/folders", map[string]string{"name": "News"}, nil), 201)
	moved("a folder")
	w.want(w.call("POST", "/api/labels", map[string]string{"name": "Later"}, nil), 201)
	moved("a label")
	w.want(w.call("POST", "/api/feeds/"+feeds[0].Feed.ID+"/mark-read", nil, nil), 200)
	moved("a mark")
	me, side := get("/api/me"), get("/api/feeds")
	for _, name := range []string{"feeds", "totals", "limits"} {
		if string(me[name]) != string(side[name]) {
			t.Errorf("%s differ: %.300s", name, me[name])
		}
	}
	prefs, _ := json.Marshal(get("/api/user/preferences"))
	var mine map[string]json.RawMessage
	if err := json.Unmarshal(me["preferences"], &mine); err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(mine); string(again) != string(prefs) {
		t.Errorf("preferences are %s, alone %s", again, prefs)
	}
	var tree map[string]json.RawMessage
	if err := json.Unmarshal(me["tree"], &tree); err != nil {
		t.Fatal(err)
	}
	if string(tree["folders"]) != string(get("/api/folders")["folders"]) ||
		string(tree["labels"]) != string(get("/api/labels")["labels"]) {
		t.Errorf("the tree is %s", me["tree"])
	}
}
