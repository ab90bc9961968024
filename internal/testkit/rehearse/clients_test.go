package rehearse

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// apps synchronises n items, of which one is read and starred, over each API of other reader apps with an app password.
// Paths have encoded slashes and the address of a feed, and forms are those that the gateway hands over in base64.
func (w *walker) apps(address string, n int) {
	w.Helper()
	var me struct{ User struct{ Email string } }
	w.json("GET", "/api/me", "", &me)
	var made struct{ Token string }
	_, b := w.call("POST", "/api/tokens", `{"name":"an app","scopes":["sync"]}`, 201)
	w.must(json.Unmarshal(b, &made))
	email, password := me.User.Email, made.Token

	const form = "application/x-www-form-urlencoded"
	_, lines := w.app("POST", "/accounts/ClientLogin", url.Values{"Email": {email}, "Passwd": {password}}.Encode(), 200,
		"Content-Type", form)
	_, token, _ := strings.Cut(strings.TrimSpace(lines), "\nAuth=")
	if token == "" {
		w.Fatalf("ClientLogin answers %q", lines)
	}
	auth := []string{"Authorization", "GoogleLogin auth=" + token, "Content-Type", form}
	const api, list = "/reader/api/0/", "user/-/state/com.google/reading-list"
	var refs struct{ ItemRefs []struct{ ID string } }
	w.appJSON(&refs, "GET", api+"stream/items/ids?n=1000&s="+list, "", auth...)
	var contents struct {
		Items []struct {
			Title   string
			Summary struct{ Content string }
		}
	}
	ids := url.Values{}
	for _, ref := range refs.ItemRefs {
		ids.Add("i", ref.ID)
	}
	w.appJSON(&contents, "POST", api+"stream/items/contents", ids.Encode(), auth...)
	if len(refs.ItemRefs) != n || len(contents.Items) != n ||
		!strings.Contains(contents.Items[0].Summary.Content, "Text.") {
		w.Fatalf("Google Reader: %d ids, contents %.300v", len(refs.ItemRefs), contents)
	}
	for _, stream := range []string{url.PathEscape(list), list, "feed/1", "feed/" + address + "/feed",
		url.PathEscape("feed/" + address + "/feed")} {
		var page struct{ Items []struct{ ID string } }
		if w.appJSON(&page, "GET", api+"stream/contents/"+stream, "", auth...); len(page.Items) != n {
			w.Errorf("the stream %s has %d items, want %d", stream, len(page.Items), n)
		}
	}
	if _, answer := w.app("POST", "/api/greader.php"+api+"edit-tag", "i="+refs.ItemRefs[0].ID+
		"&r=user/-/state/com.google/starred", 200, auth...); answer != "OK" {
		w.Errorf("edit-tag answers %q", answer)
	}

	key := md5.Sum([]byte(email + ":" + password))
	var fever struct {
		Auth   int
		Items  []struct{ ID int64 }
		Unread string `json:"unread_item_ids"`
	}
	w.appJSON(&fever, "POST", "/fever/?api&items&unread_item_ids", "api_key="+hex.EncodeToString(key[:]),
		"Content-Type", form)
	if fever.Auth != 1 {
		w.Errorf("Fever answers %+v", fever)
	}

	var entry struct{ Status string } // lists have it minutes later
	w.appJSON(&entry, "GET", "/v1/entries/"+refs.ItemRefs[0].ID, "", "X-Auth-Token", password)
	if entry.Status != "read" {
		w.Errorf("Miniflux: the entry is %q", entry.Status)
	}
	w.app("GET", "/v1/me", "", 401, "X-Auth-Token", "ruri-aaaaa-aaaaa-aaaaa-aaaaa")
}

// app sends the request of an app, which has no cookie.
func (w *walker) app(method, path, body string, status int, header ...string) (http.Header, string) {
	w.Helper()
	req, err := http.NewRequestWithContext(w.ctx, method, w.s.URL+path, strings.NewReader(body))
	w.must(err)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := (&http.Client{Transport: w.client.Transport}).Do(req)
	w.must(err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	w.must(err)
	if res.StatusCode != status {
		w.Fatalf("%s %s answers %d, not %d: %.300s", method, path, res.StatusCode, status, b)
	}
	return res.Header, string(b)
}

func (w *walker) appJSON(into any, method, path, body string, header ...string) {
	w.Helper()
	_, b := w.app(method, path, body, 200, header...)
	w.must(json.Unmarshal([]byte(b), into))
}
