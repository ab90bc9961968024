package api_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// G-42, G-60, C-12: removing an account needs a confirmation.
func TestRemovingAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	u, err := w.auth.AddUser(t.Context(), "anna@example.org", "a long password", false)
	if err != nil {
		t.Fatal(err)
	}
	login := func() *http.Cookie {
		rec := w.browser(nil, "POST", "/api/auth/login", `{"email":"anna@example.org","password":"a long password"}`)
		if rec.Code != 200 {
			t.Fatal(rec.Code, rec.Body)
		}
		return rec.Result().Cookies()[0]
	}
	old := login()
	if rec := w.browser(old, "POST", "/api/feeds", `{"url":"`+feeds[0].Feed.URL+`"}`); rec.Code != 201 &&
		rec.Code != 200 {
		t.Fatal(rec.Code, rec.Body)
	}
	reads, err := w.auth.NewToken(t.Context(), u, "reads", "read write", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Add(time.Hour)
	refuse := func(path string, status int, code string) {
		t.Helper()
		if p := answer[problem](t, w.browser(old, "DELETE", path, ""), status); p.Code != code || p.Action == "" {
			t.Errorf("%s: %+v", path, p)
		}
	}
	refuse("/api/users/me", 403, "sign_in_again")
	refuse("/api/users/me?confirm=anna@example.org", 403, "sign_in_again")
	w.want(w.callAs(reads, "DELETE", "/api/users/me?confirm=anna@example.org", nil, nil), 403)
	all, err := w.auth.NewToken(t.Context(), u, "all scopes", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var p problem
	if w.want(w.callAs(all, "DELETE", "/api/users/me?confirm=anna@example.org", nil, &p), 403); p.Code !=
		"session_needed" {
		t.Errorf("a token of all scopes is answered %+v", p)
	}
	fresh := login()
	if p := answer[problem](t, w.browser(fresh, "DELETE", "/api/users/me?confirm=else@example.org", ""), 400); p.Code !=
		"bad_confirmation" {
		t.Errorf("another address: %+v", p)
	}
	if rec := w.browser(fresh, "DELETE", "/api/users/me", ""); rec.Code != 204 ||
		rec.Result().Cookies()[0].MaxAge >= 0 {
		t.Fatalf("removal answers %d: %s", rec.Code, rec.Body)
	}
	for name, c := range map[string]*http.Cookie{"the session that asked": fresh, "another": old} {
		if rec := w.browser(c, "GET", "/api/feeds", ""); rec.Code != 401 {
			t.Errorf("%s answers %d", name, rec.Code)
		}
	}
	w.want(w.callAs(reads, "GET", "/api/feeds", nil, nil), 401)
	if rec := w.browser(nil, "POST", "/api/auth/login",
		`{"email":"anna@example.org","password":"a long password"}`); rec.Code != 401 {
		t.Errorf("log-in answers %d", rec.Code)
	}
	w.want(w.call("GET", "/api/feeds/"+feeds[0].Feed.ID+"/items", nil, nil), 200) // shared feeds stay

	owner := w.signedIn()
	if p := answer[problem](t, w.browser(owner, "DELETE", "/api/users/me?confirm=owner@localhost", ""), 409); p.Code !=
		"owner_removal" {
		t.Errorf("the owner: %+v", p)
	}
	if rec := w.browser(owner, "DELETE", "/api/users/me?confirm=OWNER@localhost&owner=true", ""); rec.Code != 204 {
		t.Errorf("the owner's removal answers %d: %s", rec.Code, rec.Body)
	}
	w.want(w.call("GET", "/api/feeds", nil, nil), 401)
}

type shownImport struct {
	ID, Kind, State string
	Total, Done     int
	Archive         *struct{ Items int }
	Errors          []struct{ Code, Message string }
}

// archive is one of so many stars.
func archive(t *testing.T, stars int) []byte {
	t.Helper()
	return archiveOf(t, map[string]string{
		"ruri.json": `{"format":"ruri-takeout","version":1}`, "preferences.json": "{}", "tree.json": "{}",
		"rules.json": "[]", "subscriptions.jsonl": "", "items.jsonl": strings.Repeat(
			`{"identity":"000000000000000a","starredAt":"2020-01-01T00:00:00Z","title":"T"}`+"\n", stars),
	})
}

func archiveOf(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// run does the messages about archives that were sent.
func (w *world) run() {
	w.t.Helper()
	for {
		w.sent.mu.Lock()
		list := w.sent.bodies
		w.sent.bodies = nil
		w.sent.mu.Unlock()
		if len(list) == 0 {
			return
		}
		for _, b := range list {
			j, err := job.Decode(b)
			if err != nil {
				w.t.Fatal(err)
			}
			if j.Kind != job.Archive {
				continue
			}
			if err := w.options.Takeout.RunImport(w.t.Context(), j); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

// TestLongArchivesAreImportedInTheBackground: the answer says where its progress is; a short one is done at once.
func TestLongArchivesAreImportedInTheBackground(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	decode := func(rec *httptest.ResponseRecorder, status int) (im shownImport) {
		t.Helper()
		if err := json.Unmarshal(rec.Body.Bytes(), &im); err != nil || rec.Code != status {
			t.Fatalf("%d %s, %v", rec.Code, rec.Body, err)
		}
		return im
	}
	if rec := w.send("POST", "/api/users/me/import", string(archive(t, 1)), nil); rec.Code != 200 ||
		!strings.Contains(rec.Body.String(), `"items":1,`) {
		t.Errorf("a short one: %d %s", rec.Code, rec.Body)
	}
	long := string(archive(t, 2500))
	im := decode(w.send("POST", "/api/users/me/import", long, nil), 202)
	if im.Kind != "archive" || im.State != "pending" || im.Total == 0 || im.Archive == nil {
		t.Errorf("%+v", im)
	}
	w.run()
	im = decode(w.send("GET", "/api/imports/"+im.ID, "", nil), 200)
	if im.State != "completed" || im.Done != im.Total || im.Archive.Items != 2500 || len(im.Errors) != 0 {
		t.Errorf("%+v", im)
	}

	// The same in parts, here one; what is no archive is refused with its sentence.
	for text, code := range map[string]string{long: "", "no archive": "not_takeout"} {
		im = decode(w.send("POST", fmt.Sprint("/api/users/me/import?size=", len(text)), "", nil), 202)
		rec := w.send("PUT", "/api/imports/"+im.ID+"/parts/0", text, nil)
		if code != "" {
			if rec.Code != 400 || !strings.Contains(rec.Body.String(), code) {
				t.Errorf("%d %s", rec.Code, rec.Body)
			}
			im = decode(w.send("GET", "/api/imports/"+im.ID, "", nil), 200)
			if im.State != "failed" || len(im.Errors) != 1 || im.Errors[0].Code != code || im.Errors[0].Message == "" {
				t.Errorf("%+v", im)
			}
			continue
		}
		decode(rec, 202)
		w.run()
		if im = decode(w.send("GET", "/api/imports/"+im.ID, "", nil), 200); im.State != "completed" {
			t.Errorf("%+v", im)
		}
	}
	for path, code := range map[string]string{"?size=x": "bad_upload", "?size=0": "not_takeout",
		"?size=99999999999": "request_too_large"} {
		if rec := w.send("POST", "/api/users/me/import"+path, "", nil); rec.Code < 400 ||
			!strings.Contains(rec.Body.String(), code) {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
}

// TestExportsInParts: where an answer has a limit, an archive that does not fit is sent in parts alone.
func TestExportsInParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.MaxUpload = 4 << 20
	w.handler = api.New(w.options)
	if rec := w.send("GET", "/api/users/me/export", "", nil); rec.Code != 200 ||
		rec.Header().Get("X-Next-Part") != "" {
		t.Errorf("a small one: %d %v", rec.Code, rec.Header())
	}
	u, err := w.auth.EnsureOwner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	noise := rand.New(rand.NewPCG(1, 2)) // the same each time
	for n := range 60 {
		text := make([]byte, 0, 200_000)
		for range 25_000 {
			text = fmt.Appendf(text, "%08x", noise.Uint32())
		}
		head, err := store.PackHeaders([]store.Header{{Identity: uint64(n), Title: "T"}})
		row := store.SnapshotRow{At: 1, Head: head}
		id := reader.NewItemID(reader.Minute(n), 7, 1)
		if err == nil {
			err = row.SetBody(t.Context(), w.blobs, u.ID(), store.Star, id, string(text), w.clock.Now())
		}
		if err == nil {
			err = w.store.Snapshots.Put(t.Context(), u.ID(), store.Star, id, row)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if rec := w.send("GET", "/api/users/me/export", "", nil); rec.Code != 413 ||
		!strings.Contains(rec.Body.String(), "export_in_parts") || rec.Header().Get("Content-Disposition") != "" {
		t.Errorf("a large one: %d %.200s", rec.Code, rec.Body)
	}
	var whole bytes.Buffer
	parts := 0
	for part := "first"; part != ""; parts++ {
		rec := w.send("GET", "/api/users/me/export?part="+part, "", nil)
		if rec.Code != 200 || rec.Body.Len() > 4<<20 {
			t.Fatalf("%d, %d bytes", rec.Code, rec.Body.Len())
		}
		part = rec.Header().Get("X-Next-Part")
		whole.Write(rec.Body.Bytes())
	}
	z, err := zip.NewReader(bytes.NewReader(whole.Bytes()), int64(whole.Len()))
	if err != nil || parts < 2 || len(z.File) < 9 {
		t.Errorf("%d parts, %v", parts, err)
	}
	w.options.MaxUpload = 0 // without a limit it comes in one answer
	w.handler = api.New(w.options)
	if rec := w.send("GET", "/api/users/me/export", "", nil); rec.Code != 200 || rec.Body.Len() != whole.Len() {
		t.Errorf("in one: %d, %d bytes of %d", rec.Code, rec.Body.Len(), whole.Len())
	}
}
