package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/api"
)

// The password in a private feed's address is shown in the form that changes it, to the person who is signed in, and in
// the person's own export: in no list, to no token, in no link of an item.
// G-81
func TestThePasswordOfAPrivateFeedIsNotShown(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	w := newWorld(t)
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != secret {
			rw.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(rw,
			`<rss version="2.0"><channel><title>Private</title><link>/</link><item><guid>1</guid><title>One</title>
<link>/one</link><enclosure url="/one.mp3" type="audio/mpeg" length="1"/><description>&lt;a href="/two"&gt;x&lt;/a&gt;&lt;img src="/p.png"&gt;</description></item></channel></rss>`)
	}))
	t.Cleanup(site.Close)
	address := strings.Replace(site.URL, "http://", "http://anna:"+secret+"@", 1) + "/feed"
	shown := strings.Replace(address, secret, "xxxxx", 1)
	c := w.signedIn()
	var a feedAnswer
	rec := w.browser(c, "POST", "/api/feeds", `{"url":"`+address+`"}`)
	a = answer[feedAnswer](t, rec, 201)
	if a.Feed.URL != shown || strings.Contains(rec.Body.String(), secret) || a.Feed.ItemCount != 1 {
		t.Fatalf("adding it answers %s", rec.Body)
	}
	id := a.Feed.ID
	var page pageAnswer
	w.want(w.call("GET", "/api/feeds/"+id+"/items", nil, &page), 200)
	paths := strings.NewReplacer("{id}", id, "{delivery}", "1", "{token}", "x", "{provider}", "google")
	seen := 0
	for _, route := range (&api.Server{Options: w.options}).Routes() {
		if route.Method != http.MethodGet {
			continue
		}
		for _, path := range []string{paths.Replace(route.Path),
			strings.ReplaceAll(route.Path, "{id}", page.Items[0].ID)} {
			resp := w.call("GET", path, nil, nil)
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode == 200 && route.Path != "/api/users/me/export" {
				seen++
				if strings.Contains(string(body), secret) {
					t.Errorf("GET %s tells a token the password: %.300s", path, body)
				}
			}
			if own := w.browser(c, "GET", path, ""); strings.Contains(own.Body.String(), secret) &&
				route.Path != "/api/feeds/{id}/address" && route.Path != "/api/export/opml" {
				t.Errorf("GET %s shows the password: %.300s", path, own.Body)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d addresses answered", seen)
	}

	if got := answer[struct{ URL string }](t, w.browser(c, "GET", "/api/feeds/"+id+"/address", ""),
		200); got.URL != address {
		t.Errorf("the form has %s", got.URL)
	}
	var p problem
	if w.want(w.call("GET", "/api/feeds/"+id+"/address", nil, &p), 403); p.Code != "session_needed" {
		t.Errorf("a token asks for it: %+v", p)
	}
	if rec := w.browser(c, "GET", "/api/export/opml", ""); !strings.Contains(rec.Body.String(), address) {
		t.Errorf("the person's own export has no address to come back by: %s", rec.Body)
	}
	// A form that sends back what it was shown changes nothing.
	if a = answer[feedAnswer](t, w.browser(c, "PATCH", "/api/feeds/"+id, `{"url":"`+shown+`"}`), 200); a.Feed.ID != id {
		t.Errorf("the address as it was shown leads to feed %s", a.Feed.ID)
	}
	if got := answer[struct{ URL string }](t, w.browser(c, "GET", "/api/feeds/"+id+"/address", ""),
		200); got.URL != address {
		t.Errorf("then the address is %s", got.URL)
	}
}
