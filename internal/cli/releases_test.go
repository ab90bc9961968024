package cli

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// unpack unpacks a data folder.
func unpack(t *testing.T, archive string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(zipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return folder
		}
		path := filepath.Join(folder, filepath.FromSlash(h.Name))
		if err == nil && h.FileInfo().IsDir() {
			err = os.MkdirAll(path, 0o700)
		} else if err == nil {
			var b []byte
			if b, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(path, b, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestInstallationsOfReleases: the folder of every release is opened by this program as it is, and has its feeds,
// folders, articles, stars, labels, read state, index and people.
func TestInstallationsOfReleases(t *testing.T) {
	t.Parallel()
	archives, _ := filepath.Glob("testdata/releases/*.tar.gz")
	if len(archives) == 0 {
		t.Fatal("there are none")
	}
	at := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	for _, archive := range archives {
		t.Run(filepath.Base(archive), func(t *testing.T) {
			t.Parallel()
			data := unpack(t, archive)
			command := func(args ...string) string {
				t.Helper()
				code, out, errs := ruriAt(t, at, data, "", args...)
				if code != ExitOK {
					t.Fatalf("ruri %q ends with %d: %s", args, code, errs)
				}
				return out
			}
			token := strings.TrimSpace(command("token", "create", "--name", "test"))
			if said := command("user", "list"); !strings.Contains(said, "anna@example.org") {
				t.Errorf("the users are %s", said)
			}
			if said := command("search", "feeds"); !strings.Contains(said, "Why feeds still matter") {
				t.Errorf("a search finds %s", said)
			}
			c, err := config.Load(func(string) (string, bool) { return "", false })
			if err != nil {
				t.Fatal(err)
			}
			h, err := backend.Open(t.Context(), data,
				backend.Options{Config: c, Clock: clock.NewManual(at), MustExist: true})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			var list struct {
				Items []struct {
					ID, Title string
					IsRead    bool
					Labels    []string
				}
			}
			titles := func(query string) (out []string) {
				if err := json.Unmarshal(ask(t, h, token, "GET", "/api/items?limit=50&"+query, ""), &list); err != nil {
					t.Fatal(err)
				}
				for _, i := range list.Items {
					out = append(out, i.Title)
				}
				return out
			}
			if got := titles("filter=starred"); !slices.Equal(got, []string{"Why feeds still matter"}) {
				t.Errorf("starred are %q", got)
			}
			unread := titles("filter=unread")
			if got := titles("filter=all"); len(got) != 35 || len(unread) != 32 {
				t.Errorf("%d articles, of which %d are unread", len(got), len(unread))
			}
			for _, i := range list.Items {
				if i.Title == "Count words without being clever" && !slices.Equal(i.Labels, []string{"1"}) {
					t.Errorf("its labels are %q", i.Labels)
				}
				body := string(ask(t, h, token, "GET", "/api/items/"+i.ID, ""))
				if !strings.Contains(body, `"contentHtml":"<`) {
					t.Errorf("%s has no text: %s", i.Title, body)
				}
			}
			feeds := string(ask(t, h, token, "GET", "/api/feeds", ""))
			if strings.Count(feeds, "/samples/") < 6 || !strings.Contains(feeds, `"Sounds"`) ||
				!strings.Contains(feeds, "Samples/Evening") {
				t.Errorf("the feeds are %s", feeds)
			}
		})
	}
}
