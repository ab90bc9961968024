package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/s3blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// present is three minutes into the tick of the day: the real binary lives by the real clock, and hides what has
// expired by it.
var present = schedule.TickOf(clock.System{}.Now()).Start().Add(3 * time.Minute)

func mustNow(t *testing.T, data, stdin string, args ...string) string {
	t.Helper()
	code, out, errs := ruriAt(t, present, data, stdin, args...)
	if code != ExitOK {
		t.Fatalf("ruri %s ended with %d: %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// openInstallation opens an installation as the commands do; env may name a cloud.
func openInstallation(t *testing.T, spec string, env map[string]string) *backend.Backend {
	t.Helper()
	lookup := func(k string) (string, bool) { v, ok := env[k]; return v, ok }
	c, err := config.Load(lookup)
	if err != nil {
		t.Fatal(err)
	}
	h, err := backend.Open(t.Context(), spec, backend.Options{
		Config: c, Lookup: lookup, Clock: clock.NewManual(present.Add(time.Minute)), MustExist: true, Bulk: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// ask sends a request to the API with a token.
func ask(t *testing.T, h *backend.Backend, token, method, path, body string) []byte {
	t.Helper()
	r := httptest.NewRequest(method, "http://reader.test"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s %s answers %d: %s", method, path, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// uploadBytes is what a way to run takes in one request: of the place, not of what is copied.
var uploadBytes = regexp.MustCompile(`,"uploadBytes":\d+`)

// surface returns all that a reader sees of an installation: lists, counts, times of the next polls, and the body of
// each item.
func surface(t *testing.T, h *backend.Backend, token string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	see := func(path string) []byte {
		b := ask(t, h, token, "GET", path, "")
		seen[path] = uploadBytes.ReplaceAllString(string(b), "")
		return b
	}
	for _, path := range []string{"/api/me", "/api/feeds", "/api/export/opml", "/api/items?filter=starred&limit=50"} {
		see(path)
	}
	cursor := ""
	for {
		var page struct {
			Items []struct {
				ID string `json:"id"`
			} `json:"items"`
			Next *string `json:"nextCursor"`
		}
		if err := json.Unmarshal(see("/api/items?filter=all&limit=50"+cursor), &page); err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			see("/api/items/" + it.ID)
		}
		if page.Next == nil {
			return seen
		}
		cursor = "&cursor=" + *page.Next
	}
}

// contents returns every copied row and every file of an installation, to the byte.
func contents(t *testing.T, h *backend.Backend) map[string]string {
	t.Helper()
	all := map[string]string{}
	for after := (table.Key{}); ; {
		rows, next, err := h.Store.Table().Scan(t.Context(), after, 0, table.Consistent())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			switch store.Kind(r.Key) {
			case "link", "cache", "transfer", "search":
				continue
			case "lease":
				if r, err = r.Without("until"); err != nil { // a hold stays behind
					t.Fatal(err)
				}
			}
			b, err := r.JSON()
			if err != nil {
				t.Fatal(err)
			}
			all[r.Key.PK+" "+r.Key.SK] = string(b)
		}
		if next == (table.Key{}) {
			break
		}
		after = next
	}
	for cursor := ""; ; {
		page, next, err := h.Blobs.List(t.Context(), "", cursor, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page {
			if strings.HasPrefix(o.Key, store.SearchPrefix) {
				continue // each installation makes its own index
			}
			body, m, err := h.Blobs.Get(t.Context(), o.Key)
			if err != nil {
				t.Fatal(err)
			}
			all[o.Key] = fmt.Sprintf("%s|%s|%v|%x", m.ContentType, m.ContentEncoding, m.User, body)
		}
		if next == "" {
			return all
		}
		cursor = next
	}
}

func equal(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if got[k] != want[k] {
			t.Errorf("%s: %s is\n%.600s\nwant\n%.600s", what, k, got[k], want[k])
		}
	}
	for k := range got {
		if _, yes := want[k]; !yes {
			t.Errorf("%s: %s is too much", what, k)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// lived makes a folder with feeds, items that were read, marked and starred, a second user and a token.
func lived(t *testing.T) (data, token string) {
	t.Helper()
	publisher := httptest.NewServer(samples.Handler(func(r *http.Request) string {
		return "http://" + r.Host
	}, clock.System{}))
	t.Cleanup(publisher.Close)
	data = t.TempDir()
	mustNow(t, data, "", "import", list(t, publisher.URL))
	mustNow(t, data, "", "crawl")
	mustNow(t, data, "correct horse battery\n", "user", "add", "second@example.org", "--password-stdin")
	token = strings.TrimSpace(mustNow(t, data, "", "token", "create", "--name", "test"))
	h := openInstallation(t, data, nil)
	var page struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	if err := json.Unmarshal(ask(t, h, token, "GET", "/api/items?filter=all&limit=50", ""), &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Items) < 20 {
		t.Fatalf("%d items", len(page.Items))
	}
	for i, it := range page.Items {
		if i%3 == 0 {
			ask(t, h, token, "PUT", "/api/items/"+it.ID+"/state", `{"isRead":true}`)
		}
		if i%4 == 0 {
			ask(t, h, token, "PUT", "/api/items/"+it.ID+"/state", `{"isStarred":true}`)
		}
	}
	// A long starred body lies in a file of its own.
	if err := h.Blobs.Put(t.Context(), "stars/x/1", bytes.Repeat([]byte("long "), 4000),
		blob.Meta{ContentType: "text/html; charset=utf-8", ContentEncoding: "deflate"}); err != nil {
		t.Fatal(err)
	}
	if err := h.Blobs.Put(t.Context(), "feeds/untyped", []byte{0, 1, 2}, blob.Meta{}); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	return data, token
}

// program runs the real binary.
func program(t *testing.T, env map[string]string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), build(t), args...)
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func mustProgram(t *testing.T, env map[string]string, args ...string) (stdout, stderr string) {
	t.Helper()
	out, errs, err := program(t, env, args...)
	if err != nil {
		t.Fatalf("ruri %s: %v: %s", strings.Join(args, " "), err, errs)
	}
	return out, errs
}

// TestRoundTrips copies an installation from a folder to another, through an archive, and to the cloud and back, all by
// the real binary: the same rows and files to the byte, and the same to whoever reads in it.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	data, token := lived(t)
	origin := openInstallation(t, data, nil)
	rows, seen := contents(t, origin), surface(t, origin, token)
	check := func(t *testing.T, spec string, env map[string]string) {
		t.Helper()
		h := openInstallation(t, spec, env)
		equal(t, "rows and files in "+spec, rows, contents(t, h))
		equal(t, "what is seen of "+spec, seen, surface(t, h, token))
		// It goes on polling when the original would have, and finds each feed.
		tick := schedule.TickOf(present) + 8
		want, err := origin.Orchestrator.Plan(t.Context(), tick)
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.Orchestrator.Plan(t.Context(), tick)
		if err != nil || len(got) == 0 || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s plans %v, %v; the original %v", spec, got, err, want)
		}
	}
	t.Run("folder to folder", func(t *testing.T) {
		t.Parallel()
		to := filepath.Join(t.TempDir(), "new")
		out, errs := mustProgram(t, nil, "copy", "--from", data, "--to", to)
		if !regexp.MustCompile(`(?m)^account +2 +\d+ +[0-9a-f]{16}$`).MatchString(out) ||
			!strings.Contains(errs, "comparing files") {
			t.Errorf("it printed %s%s", out, errs)
		}
		check(t, to, nil)
		if out, _ := mustProgram(t, nil, "copy", "--from", data, "--to", to); !strings.Contains(out,
			"An earlier run had already finished") {
			t.Errorf("a second run printed %s", out)
		}
	})
	t.Run("archive", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		file := filepath.Join(dir, "home.tar.gz")
		mustProgram(t, nil, "backup", file, "--home", data)
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the backup's file is %v, %v", info.Mode(), err)
		}
		mustProgram(t, nil, "restore", file, "--data", filepath.Join(dir, "new"))
		check(t, filepath.Join(dir, "new"), nil)
		piped, errs := mustProgram(t, nil, "backup", "-", "--data", data)
		if !strings.Contains(errs, "The backup is complete") {
			t.Errorf("it printed %s", errs)
		}
		if err := os.WriteFile(file+"2", []byte(piped), 0o600); err != nil {
			t.Fatal(err)
		}
		mustProgram(t, nil, "restore", file+"2", "--home", filepath.Join(dir, "piped"))
		check(t, filepath.Join(dir, "piped"), nil)
	})
	t.Run("cloud and back", func(t *testing.T) {
		t.Parallel()
		cloud := doubles.NewCloud(t)
		env := cloud.Env()
		there := "aws:" + cloud.Deploy(t, doubles.StorageTemplate)
		mustProgram(t, env, "copy", "--from", data, "--to", there)
		check(t, there, env)
		back := filepath.Join(t.TempDir(), "back")
		out, _ := mustProgram(t, env, "copy", "--from", there, "--to", back, "--json")
		var r struct {
			Kinds []struct {
				Kind, Hash string
				Count      int
			}
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Kinds) != 15 {
			t.Errorf("it printed %s, %v", out, err)
		}
		check(t, back, nil)
		file := filepath.Join(t.TempDir(), "home.tar.gz")
		mustProgram(t, env, "backup", file, "--home", there)
		again := "aws:" + cloud.Deploy(t, doubles.StorageTemplate)
		mustProgram(t, env, "restore", file, "--home", again)
		check(t, again, env)
	})
}

// TestCopiedInstallationContinuesCrawling: in the new folder the next turn's poll is conditional and finds nothing
// twice.
func TestCopiedInstallationContinuesCrawling(t *testing.T) {
	t.Parallel()
	data, token := lived(t)
	to := filepath.Join(t.TempDir(), "new")
	mustNow(t, data, "", "copy", "--from", data, "--to", to)
	before := surface(t, openInstallation(t, to, nil), token)
	var sums struct{ Due, Polled, Changed, NewItems, NotModified, Failed int }
	code, out, errs := ruriAt(t, present.Add(3*time.Hour), to, "", "crawl", "--all", "--json")
	if code != ExitOK {
		t.Fatal(errs)
	}
	if err := json.Unmarshal([]byte(out), &sums); err != nil {
		t.Fatal(err)
	}
	if sums.NotModified != len(samples.List()) || sums.NewItems != 0 || sums.Failed != 0 {
		t.Errorf("the first crawl of the copy is %+v", sums)
	}
	after := surface(t, openInstallation(t, to, nil), token)
	if before["/api/items?filter=all&limit=50"] != after["/api/items?filter=all&limit=50"] {
		t.Error("the lists changed by a crawl that found nothing")
	}
}

// TestKilledTransferContinues kills the real binary while it fills a folder, again and again, until a run ends.
func TestKilledTransferContinues(t *testing.T) {
	t.Parallel()
	data, s := t.TempDir(), newSite(t, 0)
	const feeds = 150
	mustNow(t, data, "", "import", s.opml(t, 0, feeds))
	mustNow(t, data, "", "crawl", "--all")
	archive := filepath.Join(t.TempDir(), "home.tar.gz")
	mustNow(t, data, "", "backup", archive)
	want := contents(t, openInstallation(t, data, nil))
	for name, args := range map[string][]string{"copy": {"copy", "--from", data, "--to"},
		"restore": {"restore", archive, "--home"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := filepath.Join(t.TempDir(), "new")
			killed := 0
			for at := 20; at < feeds; at += 60 {
				cmd := exec.Command(build(t), append(slices.Clone(args), to)...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				for range 10_000 {
					if files(t, to) >= at {
						break
					}
					time.Sleep(time.Millisecond)
				}
				_ = cmd.Process.Kill()
				if cmd.Wait() != nil {
					killed++
				}
			}
			if killed == 0 {
				t.Error("no run was killed before its end")
			}
			mustProgram(t, nil, append(slices.Clone(args), to)...)
			equal(t, "what is in the folder", want, contents(t, openInstallation(t, to, nil)))
		})
	}
}

// files counts the raw bodies in a folder.
func files(t *testing.T, data string) (n int) {
	t.Helper()
	_ = filepath.WalkDir(filepath.Join(data, "blobs", "feeds"), func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return nil
	})
	return n
}

// TestTransferErrors: each mistake has a sentence, and leaves what is there alone.
func TestTransferErrors(t *testing.T) {
	t.Parallel()
	data, _ := lived(t)
	dir := t.TempDir()
	archive := filepath.Join(dir, "home.tar.gz")
	mustNow(t, data, "", "backup", archive)
	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(dir, "half.tar.gz")
	if err := os.WriteFile(half, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(data, link); err != nil {
		t.Fatal(err)
	}
	before := contents(t, openInstallation(t, data, nil))
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{ExitUsage, "--from HOME and --to HOME", []string{"copy", "--from", data}},
		{ExitUsage, "takes 1 arguments", []string{"backup"}},
		{ExitUsage, "the same installation", []string{"copy", "--from", data, "--to", link}},
		{ExitError, "holds no ruri.db", []string{"copy", "--from", filepath.Join(dir, "typo"), "--to",
			filepath.Join(dir, "x")}},
		{ExitError, "not empty", []string{"restore", archive, "--home", data}},
		{ExitError, "is there already", []string{"backup", archive}},
		{ExitError, "ends too early", []string{"restore", half, "--home", filepath.Join(dir, "y")}},
		{ExitError, "cannot be read",
			[]string{"restore", filepath.Join(dir, "none"), "--home", filepath.Join(dir, "y")}},
		{ExitError, "no name of a stack", []string{"copy", "--from", data, "--to", "aws:_"}},
	} {
		code, _, errs := ruriAt(t, present, data, "", c.args...)
		if code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("ruri %s ended with %d: %s", strings.Join(c.args, " "), code, errs)
		}
	}
	equal(t, "the installation after all that", before, contents(t, openInstallation(t, data, nil)))
	if parts, _ := filepath.Glob(filepath.Join(dir, "*.part-*")); len(parts) > 0 {
		t.Errorf("left over: %v", parts)
	}
	// A half restored folder would be worse than none: of the refused one there is not even a folder.
	if _, err := os.Stat(filepath.Join(dir, "y")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the refused target: %v", err)
	}
}

// TestBackupsInAFolder: a folder gets the day's backup once, its chain holds, and the backup restores. H-33
func TestBackupsInAFolder(t *testing.T) {
	t.Parallel()
	data, backups := t.TempDir(), t.TempDir()
	must(t, data, "", "user", "add", "anna@example.org")
	first := must(t, data, "", "backup", backups)
	if second := must(t, data, "", "backup", backups); second != first {
		t.Errorf("the second backup of a day: %q, the first: %q", second, first)
	}
	if checked := must(t, data, "", "verify", backups); checked != first {
		t.Errorf("verified: %q, made: %q", checked, first)
	}
	files, err := filepath.Glob(filepath.Join(backups, "*.tar.gz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	must(t, filepath.Join(t.TempDir(), "new"), "", "restore", files[0])
	if err := os.WriteFile(files[0], []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := ruri(t, data, "", "verify", backups); code != 1 || !strings.Contains(errs, "broken") {
		t.Errorf("a changed archive: %d, %s", code, errs)
	}
}

// TestBackupsInABucket: the same in a bucket; a backup restores from there, and one with a changed part does not. H-33
func TestBackupsInABucket(t *testing.T) {
	t.Parallel()
	endpoint, bucket := doubles.Moto(t), doubles.Name("backups")
	env := map[string]string{"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
		"AWS_ENDPOINT_URL_S3": endpoint, "RURI_DATA": t.TempDir()}
	lookup := func(k string) (string, bool) { v, ok := env[k]; return v, ok }
	do := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := run(t.Context(), Env{Args: args, Version: "test", Stdout: &out, Stderr: &errs, Lookup: lookup,
			Clock: clock.NewManual(present)})
		if code != ExitOK {
			return code, errs.String()
		}
		return code, out.String()
	}
	shelf := "s3://" + bucket + "/home"
	if code, said := do("user", "add", "anna@example.org"); code != ExitOK {
		t.Fatal(said)
	}
	if code, said := do("backup", shelf); code != ExitError || !strings.Contains(said, "bucket") {
		t.Errorf("without the bucket: %d, %s", code, said)
	}
	ctx, cfg := t.Context(), aws.Config{Region: "us-east-1", BaseEndpoint: &endpoint,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
	if _, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	code, first := do("backup", shelf)
	if code != ExitOK {
		t.Fatal(first)
	}
	if code, checked := do("verify", shelf); code != ExitOK || checked != first {
		t.Errorf("verified: %d, %q, made: %q", code, checked, first)
	}
	archive := shelf + "/" + present.UTC().Format(time.DateOnly) + ".tar.gz"
	restore := func(name string) (int, string) {
		return do("restore", name, "--home", filepath.Join(t.TempDir(), "new"))
	}
	if code, said := restore(archive); code != ExitOK {
		t.Errorf("restored: %d, %s", code, said)
	}
	if code, said := restore(shelf); code != ExitError || !strings.Contains(said, "names no backup") {
		t.Errorf("without a day: %d, %s", code, said)
	}
	blobs := blob.New(s3blob.New(cfg, bucket, s3blob.Options{PathStyle: true}))
	page, _, err := blobs.List(ctx, "home/2", "", 0)
	if err != nil || len(page) != 1 {
		t.Fatalf("%v, %v", page, err)
	}
	if err := blobs.Put(ctx, page[0].Key, []byte("other"), blob.Meta{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{{"verify", shelf}, {"restore", archive, "--home", filepath.Join(t.TempDir(), "new")}} {
		if code, said := do(c...); code != ExitError || !strings.Contains(said, "broken") {
			t.Errorf("%s of a changed archive: %d, %s", c[0], code, said)
		}
	}
}

// TestFailedBackups: the owner's page has the reason, the owner's webhooks hear of it once, and the next backup ends
// it.
func TestFailedBackups(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), t.TempDir()
	must(t, data, "", "user", "add", "anna@example.org")
	place := filepath.Join(dir, "backups")
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	state := func() (site *store.SiteRow, messages int) {
		h := openInstallation(t, data, nil)
		site, err := h.Store.Accounts.Site(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ds, err := h.Queue.Receive(t.Context(), 10, 0)
		if err != nil {
			t.Fatal(err)
		}
		return site, len(ds)
	}
	if err := os.WriteFile(filepath.Join(place, "chain.jsonl"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if code, _, _ := ruri(t, data, "", "backup", place); code != ExitError {
			t.Errorf("the backup ended with %d", code)
		}
		site, messages := state()
		if site.BackupWhy != "backup_chain" || site.BackupFailed == 0 || messages != 1-n {
			t.Errorf("failure %d: %+v, %d messages", n, site, messages)
		}
	}
	if err := os.Remove(filepath.Join(place, "chain.jsonl")); err != nil {
		t.Fatal(err)
	}
	must(t, data, "", "backup", place)
	if site, _ := state(); site.BackupWhy != "" || site.BackupFailed != 0 || site.BackupAt == 0 {
		t.Errorf("after a backup: %+v", site)
	}
	for code, err := range map[string]error{
		"backup_full": syscall.ENOSPC, "backup_denied": os.ErrPermission, "backup_failed": errors.New("?"),
		"backup_unreachable": fault.Coded(fault.Unavailable, "storage_unavailable"),
		"backup_changing":    fault.Coded(fault.Conflict, "source_changes"),
	} {
		if got := backupCode(fmt.Errorf("wrapped: %w", err)); got != code {
			t.Errorf("%v is %s, want %s", err, got, code)
		}
		if texts.Backup(code) == texts.Backup("") && code != "backup_failed" {
			t.Errorf("%s has no text", code)
		}
	}
}

func TestWhenBackupsAreDue(t *testing.T) {
	t.Parallel()
	for at, isDue := range map[string]bool{
		"02:07": false, "03:00": false, "03:07": true, "03:12": false, "09:22": true, "23:55": false,
	} {
		now, err := time.Parse("15:04", at)
		if err != nil {
			t.Fatal(err)
		}
		if backupDue(now) != isDue {
			t.Errorf("%s: due %v", at, !isDue)
		}
	}
}
