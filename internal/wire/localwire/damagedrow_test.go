package localwire_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// TestADamagedRowHidesNothingElse: a row of a feed or subscription that cannot be decoded is shown as damaged, the log
// names it, everything else works, and unsubscribing and subscribing again mends it.
func TestADamagedRowHidesNothingElse(t *testing.T) {
	t.Parallel()
	publisher := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprintf(w,
			`<rss version="2.0"><channel><title>feed%s</title><item><guid>1</guid><title>item of `+
				`%s</title></item></channel></rss>`, r.URL.Path, r.URL.Path)
	}))
	t.Cleanup(publisher.Close) // after the parallel parts
	for name, where := range map[string]string{
		"feed":                     `pk LIKE 'FEEDS%' AND sk LIKE '%2'`,
		"subscription":             `pk LIKE 'U#%' AND sk LIKE 'S#%2'`,
		"feed, no bytes":           `pk LIKE 'FEEDS%' AND sk LIKE '%2'`,
		"subscription, other type": `pk LIKE 'U#%' AND sk LIKE 'S#%2'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := config.Load(func(k string) (string, bool) {
				v, ok := map[string]string{"RURI_DATA": t.TempDir(), "RURI_ALLOW_NETS": "127.0.0.0/8",
					"RURI_RATE_USER": "0"}[k]
				return v, ok
			})
			if err != nil {
				t.Fatal(err)
			}
			var log lockedBuffer
			clk := clock.NewManual(start)
			open := func() *localwire.Backend {
				app, err := localwire.Open(t.Context(), c,
					localwire.Options{Version: "test", Log: slog.New(slog.NewJSONHandler(&log, nil)), Clock: clk})
				if err != nil {
					t.Fatal(err)
				}
				return app
			}
			app := open()
			owner, err := app.Auth.EnsureOwner(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			token, err := app.Auth.NewToken(t.Context(), owner.ID(), "test", "", time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			call := func(status int, method, path, body string) string {
				t.Helper()
				r := httptest.NewRequest(method, path, strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+token)
				if body != "" {
					r.Header.Set("Content-Type", "application/json")
				}
				rec := httptest.NewRecorder()
				app.Handler().ServeHTTP(rec, r)
				if rec.Code != status {
					t.Fatalf("%s %s: %d %s\n%s", method, path, rec.Code, rec.Body, log.b.String())
				}
				return rec.Body.String()
			}
			for _, path := range []string{"/1", "/2", "/3"} {
				call(http.StatusCreated, "POST", "/api/feeds", fmt.Sprintf(`{"url":%q}`, publisher.URL+path))
			}
			if err := app.Close(); err != nil {
				t.Fatal(err)
			}

			bytes := "x'63'"
			switch {
			case strings.Contains(name, "no bytes"):
				bytes = "x''"
			case strings.Contains(name, "other type"):
				bytes = "substr(item, 1, length(item) / 2)"
			}
			db, err := sql.Open("sqlite", filepath.Join(c.Data, "ruri.db"))
			if err != nil {
				t.Fatal(err)
			}
			result, err := db.Exec("UPDATE rows SET item = " + bytes + " WHERE " + where)
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := result.RowsAffected(); n != 1 {
				t.Fatalf("%d rows were damaged", n)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}

			app = open()
			defer func() { _ = app.Close() }()
			var list struct {
				Feeds []struct {
					ID, Status string
					Error      *struct{ Code, Action string }
				}
			}
			feeds := func() {
				t.Helper()
				list.Feeds = nil
				if err := json.Unmarshal([]byte(call(http.StatusOK, "GET", "/api/feeds", "")), &list); err != nil {
					t.Fatal(err)
				}
			}
			feeds()
			if len(list.Feeds) != 3 {
				t.Fatalf("%d feeds are listed: %+v", len(list.Feeds), list)
			}
			for _, f := range list.Feeds {
				if isDamaged := f.Error != nil && f.Error.Code == "row_damaged" &&
					f.Status == "error"; isDamaged != (f.ID == "2") {
					t.Errorf("feed %s is shown as %+v", f.ID, f)
				}
			}
			call(http.StatusOK, "GET", "/api/me", "")
			items := call(http.StatusOK, "GET", "/api/items", "")
			for _, want := range []string{"item of /1", "item of /3"} {
				if !strings.Contains(items, want) {
					t.Errorf("%s is not listed: %s", want, items)
				}
			}
			call(http.StatusOK, "GET", "/api/export/opml", "")
			if text := log.b.String(); strings.Count(text, "a row is damaged") != 1 {
				t.Errorf("the log: %s", text)
			}
			// What runs by itself works, and removes nothing.
			clk.Add(25 * time.Hour)
			if _, err := app.Orchestrator.Run(t.Context(), clk.Now()); err != nil {
				t.Error(err)
			}
			if err := app.Worker().Handle(t.Context(), queue.Message{ID: "1", Body: job.Job{Kind: job.Cleanup}.Encode(),
				Receives: 1, Sent: clk.Now()}); err != nil {
				t.Error(err)
			}
			if feeds(); len(list.Feeds) != 3 {
				t.Errorf("after a night %d feeds are listed", len(list.Feeds))
			}

			call(http.StatusNoContent, "DELETE", "/api/feeds/2", "")
			call(http.StatusCreated, "POST", "/api/feeds", fmt.Sprintf(`{"url":%q}`, publisher.URL+"/2"))
			feeds()
			for _, f := range list.Feeds {
				if f.Error != nil {
					t.Errorf("afterwards feed %s has %+v", f.ID, f.Error)
				}
			}
			if items := call(http.StatusOK, "GET", "/api/items", ""); len(list.Feeds) != 3 ||
				!strings.Contains(items, "item of /2") {
				t.Errorf("afterwards %d feeds are listed, and %s", len(list.Feeds), items)
			}
		})
	}
}
