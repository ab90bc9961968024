package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/content/tags"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// H-6, H-24: tags of the user's feeds, and the entries of one, in any writing and with what a path escapes.
func TestTagsByTheAPI(t *testing.T) {
	t.Parallel()
	w := newCountedWorld(t)
	for i := range 3 {
		w.feed(fmt.Sprintf("https://public.org/%d.xml", i), store.SubscriptionRow{},
			fmt.Sprintf("https://public.org/%d", i), "CI/CD with Jenkins", "", 1)
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
	if w.want(w.call("GET", "/api/tags", nil, &list), 200); list.State != "ready" || len(list.Tags) < 2 ||
		list.Tags[0].Entries != 3 || list.Tags[0].Score != 1 {
		t.Fatalf("%+v", list)
	}
	var out struct {
		Entries []struct {
			Tags []struct{ Name string }
		}
		RelatedTags []struct{ Name string }
	}
	if w.want(w.call("GET", "/api/tags/ci%2Fcd/entries", nil, &out), 200); len(out.Entries) != 3 ||
		len(out.RelatedTags) == 0 || out.Entries[0].Tags[0].Name == "" {
		t.Errorf("%+v", out)
	}
	for path, field := range map[string]string{"/api/tags/nothing/entries": "tag", "/api/tags?period=year": "period"} {
		var p problem
		if w.want(w.call("GET", path, nil, &p), 400); len(p.Details) != 1 || p.Details[0].Field != field {
			t.Errorf("%s: %+v", path, p)
		}
	}
}

// extractor finds the same key phrase in every text.
type extractor struct{ clientID string }

func (x *extractor) Phrases(_ context.Context, clientID, _ string) ([]tags.Tag, error) {
	x.clientID = clientID
	return []tags.Tag{{Name: "お花見", Score: 1}}, nil
}

// H-7: the owner's client ID is used and never shown, and who found the key phrases is named wherever tags are.
func TestKeyPhrasesByTheAPI(t *testing.T) {
	t.Parallel()
	w := published(t)
	var x extractor
	counts := popular.New(w.store, w.blobs, w.sent, w.clock, w.options.Log, nil, popular.Options{})
	w.options.Explore = explore.New(w.store, w.blobs, w.sent, w.options.Streams, counts, &x, w.clock, w.options.Log)
	w.handler = api.New(w.options)
	in := store.SubscriptionRow{Folders: []reader.FolderID{1}}
	for i := range 3 {
		w.feed(fmt.Sprintf("https://public.org/ja/%d", i), in, fmt.Sprintf("https://public.org/ja/%d", i),
			"桜まつりの公園へ", "", 9)
	}
	w.clock.Add(schedule.TickLength)
	w.count()
	const credit = `"https://developer.yahoo.co.jp/sitemap/">Web Services by Yahoo! JAPAN</a>`
	if page := w.get("/popular").Body.String(); strings.Contains(page, credit) {
		t.Error("Yahoo! is named while nobody asks it")
	}
	const id = "dj00aiZpPQ--"
	if rec := w.call("PUT", "/api/site", `{"keyPhrases":{"clientId":"two words"}}`, nil); rec.StatusCode != 400 {
		t.Errorf("a bad client ID: %d", rec.StatusCode)
	}
	w.want(w.call("PUT", "/api/site", `{"keyPhrases":{"clientId":"`+id+`"}}`, nil), 200)
	if err := w.options.Explore.Nightly(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(w.sent.bodies); i++ { // handling a message sends the next
		j, err := job.Decode(w.sent.bodies[i])
		if err == nil && j.Kind == job.Phrases {
			err = w.options.Explore.RunPhrases(t.Context(), j)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if x.clientID != id {
		t.Errorf("asked as %q", x.clientID)
	}
	// has kept nothing
	w.options.Explore = explore.New(w.store, w.blobs, w.sent, w.options.Streams, counts, &x, w.clock, w.options.Log)
	w.handler = api.New(w.options)
	for path, want := range map[string]string{
		"/api/tags":                 `"namesYahoo":true`,
		"/api/tags/お花見/entries":     `"namesYahoo":true`,
		"/popular/tags/お花見?lang=ja": credit,
		"/api/site":                 `"keyPhrases":{"isOn":true,"lastAt":"2`,
	} {
		body := w.get(strings.ReplaceAll(path, "お花見", "%E3%81%8A%E8%8A%B1%E8%A6%8B")).Body.String()
		if !strings.Contains(body, want) || strings.Contains(body, id) {
			t.Errorf("%s: %s", path, body)
		}
	}
	var site struct{ KeyPhrases *struct{} }
	third, err := w.auth.AddUser(t.Context(), "third@example.org", "", false)
	if err != nil {
		t.Fatal(err)
	}
	token, err := w.auth.NewToken(t.Context(), third, "x", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if w.want(w.callAs(token, "GET", "/api/site", nil, &site), 200); site.KeyPhrases != nil {
		t.Error("somebody else sees the owner's settings")
	}
	if err := w.store.Accounts.SetYahooWhy(t.Context(), "phrases_refused"); err != nil {
		t.Fatal(err)
	}
	if body := w.get("/api/site").Body.String(); !strings.Contains(body,
		`"code":"phrases_refused","message":"Yahoo! JAPAN does not accept`) {
		t.Errorf("the reason: %s", body)
	}
}

// TestOwnerSeesFailedBackups: when the last backup was made, and why they fail since.
func TestOwnerSeesFailedBackups(t *testing.T) {
	t.Parallel()
	w := newCountedWorld(t)
	if body := w.get("/api/site").Body.String(); !strings.Contains(body, `"backup":null`) {
		t.Errorf("before the first: %s", body)
	}
	now := w.clock.Now()
	if err := w.store.Accounts.SetBackup(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.Accounts.SetBackupFailed(t.Context(), now.Add(24*time.Hour), "backup_full"); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`"backup":{"lastAt":%q,"failingSince":%q,"error":{"code":"backup_full","message":"There is no space`,
		now.UTC().Format(time.RFC3339), now.UTC().Add(24*time.Hour).Format(time.RFC3339))
	if body := w.get("/api/site").Body.String(); !strings.Contains(body, want) {
		t.Errorf("%s has not %s", body, want)
	}
}
