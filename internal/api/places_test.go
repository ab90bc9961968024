package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

type placeAnswer struct {
	ID      string
	At      time.Time
	Part    float64
	Seconds int
}

// Places go along with changes of states, or alone, and come with what a page starts with.
func TestPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	var page listed
	w.want(w.call("GET", "/api/items?limit=3", nil, &page), 200)
	now := w.clock.Now().UTC().Format(time.RFC3339)
	id := page.Items[0].ID
	var done struct {
		Items        []struct{ IsRead bool }
		Places       []placeAnswer
		PlacesStored *bool
	}
	w.want(w.call("POST", "/api/items/state", `{"changes":[{"ids":["`+id+`"],"isRead":true}],"places":[{"id":"`+id+
		`","at":"`+now+`","part":0.61849,"seconds":95}]}`, &done), 200)
	if len(done.Items) != 1 || !done.Items[0].IsRead || done.PlacesStored == nil || !*done.PlacesStored {
		t.Fatalf("answered %+v", done)
	}
	want := placeAnswer{id, w.clock.Now().UTC().Truncate(time.Second), 0.618, 95}
	var me struct{ Places []placeAnswer }
	w.want(w.call("GET", "/api/me", nil, &me), 200)
	if len(me.Places) != 1 || me.Places[0] != want || len(done.Places) != 1 || done.Places[0] != want {
		t.Errorf("places are %+v, answered %+v", me.Places, done.Places)
	}
	var day struct {
		Continued []struct {
			Item  struct{ ID string }
			Place placeAnswer
		}
	}
	w.want(w.call("GET", "/api/today", nil, &day), 200)
	if len(day.Continued) != 1 || day.Continued[0].Item.ID != id || day.Continued[0].Place != want {
		t.Errorf("today offers %+v", day.Continued)
	}
	// Alone, too early to be stored.
	w.clock.Add(time.Minute)
	later := w.clock.Now().UTC().Format(time.RFC3339)
	w.want(w.call("POST", "/api/items/state", `{"changes":[],"places":[{"id":"`+id+`","at":"`+later+`","part":1}]}`,
		&done), 200)
	if done.PlacesStored == nil || *done.PlacesStored != false {
		t.Errorf("answered %+v", done)
	}
	// Without any, the answer has none.
	done.PlacesStored = nil
	w.want(w.call("POST", "/api/items/state", `{"changes":[]}`, &done), 200)
	if done.PlacesStored != nil {
		t.Errorf("answered %+v", done)
	}
	for _, tt := range []struct{ place, code string }{
		{`{"id":"` + id + `","at":"` + now + `","part":1.01}`, "bad_place"},
		{`{"id":"` + id + `","at":"` + now + `","part":-0.1}`, "bad_place"},
		{`{"id":"` + id + `","at":"` + now + `","seconds":-1}`, "bad_place"},
		{`{"id":"` + id + `","at":"` + now + `","seconds":10000001}`, "bad_place"},
		{`{"id":"` + id + `","at":"0001-01-01T00:00:00Z"}`, "bad_place"},
		{`{"id":"` + id + `","at":"yesterday"}`, "bad_json"},
		{`{"id":"x","at":"` + now + `"}`, "bad_json"},
		{`{"at":"` + now + `"}`, "missing_field"},
		{`{"id":"` + id + `"}`, "missing_field"},
		{strings.TrimSuffix(strings.Repeat(`{"id":"`+id+`","at":"`+now+`"},`, 201), ","), "too_many_items"},
	} {
		var p problem
		resp := w.call("POST", "/api/items/state", fmt.Sprintf(`{"changes":[],"places":[%s]}`, tt.place), &p)
		if resp.StatusCode != 400 || p.Code != tt.code {
			t.Errorf("%.80s: %d %+v, want %s", tt.place, resp.StatusCode, p, tt.code)
		}
	}
}
