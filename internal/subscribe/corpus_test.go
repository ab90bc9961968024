package subscribe_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/corpus"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// brought imports a list into an account, to its end, and gives what the account exports then.
func brought(t *testing.T, w *flow.Env, u reader.UserID, body []byte) ([]opml.Feed, error) {
	t.Helper()
	if _, err := sequential(w).StartImport(bg, u, body); err != nil {
		return nil, err
	}
	drain(t, w)
	feeds, err := service(w).Export(bg, u)
	if err != nil {
		t.Fatal(err)
	}
	return feeds, nil
}

// The lists of the corpus, each brought into an account of its own: every address, folder and title is there and
// nothing else, and what is exported then makes a second account equal to the first.
func TestCorpusOfLists(t *testing.T) {
	t.Parallel()
	dir := corpus.Dir(t, "opml")
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected []struct {
		File, Parse string
		Count       *int
		Feeds       []struct {
			Path, Titles []string
			XMLURL       string `json:"xmlUrl"`
			PathFlexible bool   `json:"path_flexible"`
		}
	}
	if err := json.Unmarshal(data, &expected); err != nil {
		t.Fatal(err)
	}
	points, possible := 0, 0
	for _, e := range expected {
		body, err := os.ReadFile(filepath.Join(dir, "files", e.File))
		if err != nil {
			t.Fatal(err)
		}
		w := flow.New(t, 1, 4)
		got, err := brought(t, w, flow.User, body)
		if err != nil {
			if e.Parse == "must" {
				t.Errorf("%s: %v", e.File, err)
			}
			if n := len(subscriptions(t, w, flow.User)); n > 0 {
				t.Errorf("%s: refused, and %d subscriptions are there", e.File, n)
			}
			continue
		}
		if e.Parse == "must_not" {
			t.Errorf("%s: accepted", e.File)
		}
		if e.Count != nil {
			have := map[string]opml.Feed{}
			for _, f := range got {
				have[f.XMLURL] = f
			}
			seen := map[string]bool{}
			for _, want := range e.Feeds {
				address, err := subscribe.Normalise(want.XMLURL)
				if err != nil || seen[address] || len(seen) >= subscribe.OwnerCap {
					continue
				}
				seen[address] = true
				possible += 3
				f, ok := have[address]
				if !ok {
					t.Errorf("%s: %s is missing", e.File, address)
					continue
				}
				points++
				if want.PathFlexible || slices.Equal(f.Path, want.Path) || len(f.Path)+len(want.Path) == 0 {
					points++
				} else {
					t.Errorf("%s: %s is in %q, want %q", e.File, address, f.Path, want.Path)
				}
				if f.Title != "" && (len(want.Titles) == 0 || slices.Contains(want.Titles, f.Title)) {
					points++
				} else {
					t.Errorf("%s: %s is called %q, want one of %q", e.File, address, f.Title, want.Titles)
				}
			}
			for address := range have {
				if !seen[address] {
					points--
					t.Errorf("%s: %s is not expected", e.File, address)
				}
			}
		}
		second := user(t, w, "second")
		again, err := brought(t, w, second, opml.Encode("Ruri Reader", got, time.Time{}))
		if len(got) > subscribe.UserCap {
			continue // the second account may have fewer
		}
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%s: the second account differs (%v):\n%v\n%v", e.File, err, got, again)
		}
	}
	t.Logf("%d of %d points", points, possible)
}
