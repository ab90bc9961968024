package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
)

// spoil changes all titles of an installation to those of an older parser, and returns how many there are.
func spoil(t *testing.T, spec string, env map[string]string) (n int) {
	t.Helper()
	h := openInstallation(t, spec, env)
	err := h.Store.Feeds.Each(t.Context(), func(f *store.FeedRow) error {
		return h.Store.Items.DescendLatest(t.Context(), f.ID(), func(d *store.DeltaRow) (bool, error) {
			hs, err := d.Headers()
			if err != nil {
				return false, err
			}
			for i := range hs {
				hs[i].Title = "&amp;" + hs[i].Title
				n++
			}
			return true, h.Store.Items.Edit(t.Context(), d, hs)
		})
	})
	if err != nil || n == 0 {
		t.Fatalf("%d items, %v", n, err)
	}
	return n
}

// A folder and a stack are repaired in the same way: first a dry run, then the repair, then nothing is left.
func TestReplayOfAFolderAndAStack(t *testing.T) {
	t.Parallel()
	data, token := lived(t)
	t.Run("folder", func(t *testing.T) { replayOf(t, data, token, nil) })
	t.Run("stack", func(t *testing.T) {
		cloud := doubles.NewCloud(t)
		env := cloud.Env()
		there := "aws:" + cloud.Deploy(t, doubles.StorageTemplate)
		mustProgram(t, env, "copy", "--from", data, "--to", there)
		replayOf(t, there, token, env)
	})
}

func replayOf(t *testing.T, spec, token string, env map[string]string) {
	t.Helper()
	before := surface(t, openInstallation(t, spec, env), token)
	n := spoil(t, spec, env)
	run := func(args ...string) (r replayed) {
		t.Helper()
		out, _ := mustProgram(t, env, append([]string{"replay", "--home", spec, "--json"}, args...)...)
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		return r
	}
	if r := run("--all", "--dry-run"); !r.Dry || r.Changed != n || r.Items != n || r.Feeds < 2 {
		t.Errorf("dry: %+v of %d", r, n)
	}
	one := run("--feed", "1")
	if one.Changed == 0 || one.Changed == n || one.Feeds != 1 {
		t.Errorf("one: %+v of %d", one, n)
	}
	if r := run("--all", "--from", "2"); r.Changed != n-one.Changed {
		t.Errorf("the others: %+v of %d", r, n)
	}
	if r := run("--all"); r.Changed != 0 || r.Items != n {
		t.Errorf("again: %+v", r)
	}
	equal(t, spec, before, surface(t, openInstallation(t, spec, env), token))
	out, _ := mustProgram(t, env, "replay", "--home", spec, "--all")
	if !strings.Contains(out, "0 repaired") {
		t.Errorf("it printed %s", out)
	}
	for _, args := range [][]string{{}, {"--all", "--feed", "1"}, {"--feed", "x"}, {"--feed", "4711"}} {
		if _, _, err := program(t, env, append([]string{"replay", "--home", spec}, args...)...); err == nil {
			t.Errorf("replay %v is taken", args)
		}
	}
}
