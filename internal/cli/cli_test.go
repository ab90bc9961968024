package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/clock"
)

// early is three minutes into a tick: a run may start.
var early = time.Date(2026, 4, 1, 8, 3, 0, 0, time.UTC)

// ruri runs one command on a folder with loopback opened, and gives its output.
func ruri(t *testing.T, data, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return ruriAt(t, early, data, stdin, args...)
}

func ruriAt(t *testing.T, at time.Time, data, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), Env{
		Args: args, Version: "test", Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Clock:    clock.NewManual(at),
		Simulate: simulated,
		Lookup: func(k string) (string, bool) {
			v, ok := map[string]string{ // with GOGC: a command would set that of all tests at work
				"RURI_DATA": data, "RURI_ALLOW_NETS": "127.0.0.0/8", "GOGC": os.Getenv("GOGC"),
			}[k]
			return v, ok
		},
	})
	return code, out.String(), errs.String()
}

func must(t *testing.T, data, stdin string, args ...string) string {
	t.Helper()
	code, out, errs := ruri(t, data, stdin, args...)
	if code != ExitOK {
		t.Fatalf("ruri %s ended with %d: %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// list writes an OPML file with the publisher's samples.
func list(t *testing.T, publisher string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<opml version="2.0"><body>`)
	for _, f := range samples.List() {
		b.WriteString(`<outline text="Folder"><outline type="rss" text="` + f.Title + `" xmlUrl="` + publisher +
			f.Path + `"/></outline>`)
	}
	b.WriteString(`<outline text="broken" xmlUrl="javascript:alert(1)"/></body></opml>`)
	name := filepath.Join(t.TempDir(), "list.opml")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestImportCrawlListExport(t *testing.T) {
	t.Parallel()
	publisher := httptest.NewServer(samples.Handler(func(r *http.Request) string {
		return "http://" + r.Host
	}, clock.System{}))
	defer publisher.Close()
	data := t.TempDir()
	n, items := len(samples.List()), 0
	for _, f := range samples.List() {
		items += f.Items
	}
	if out := must(t, data, "", "import", list(t, publisher.URL)); !strings.Contains(out, "6 feeds imported") ||
		!strings.Contains(out, "1 failed") {
		t.Errorf("import printed %q", out)
	}
	var sums struct{ Due, Polled, Changed, NewItems, NotModified, Failed, BlobPuts int }
	if err := json.Unmarshal([]byte(must(t, data, "", "crawl", "--json")), &sums); err != nil {
		t.Fatal(err)
	}
	if sums.Changed != n || sums.NewItems != items || sums.BlobPuts != n || sums.Failed != 0 {
		t.Errorf("the first crawl was %+v", sums)
	}
	if out := must(t, data, "", "crawl"); !strings.Contains(out, "Nothing") {
		t.Errorf("a second crawl in the same quarter printed %q", out)
	}
	if err := json.Unmarshal([]byte(must(t, data, "", "crawl", "--all", "--json")), &sums); err != nil {
		t.Fatal(err)
	}
	if sums.NotModified != n || sums.Polled != n {
		t.Errorf("crawl --all was %+v", sums)
	}
	var feeds []struct {
		Status string
		Items  int
	}
	if err := json.Unmarshal([]byte(must(t, data, "", "feeds", "--json")), &feeds); err != nil || len(feeds) != n {
		t.Fatalf("feeds printed %d, %v", len(feeds), err)
	}
	total := 0
	for _, f := range feeds {
		total += f.Items
		if f.Status != "active" {
			t.Errorf("a feed is %s", f.Status)
		}
	}
	if total != items {
		t.Errorf("feeds have %d items, want %d", total, items)
	}
	exported := must(t, data, "", "export")
	again := filepath.Join(t.TempDir(), "again.opml")
	if err := os.WriteFile(again, []byte(exported), 0o600); err != nil {
		t.Fatal(err)
	}
	second := t.TempDir()
	must(t, second, "", "import", again)
	if copied := must(t, second, "", "export"); dateless(copied) != dateless(exported) {
		t.Errorf("the export of an import differs:\n%s\n%s", exported, copied)
	}
	var runs []struct{ Kind, State string }
	if err := json.Unmarshal([]byte(must(t, data, "", "runs", "--json")), &runs); err != nil || len(runs) != 2 ||
		runs[0].Kind != "all" {
		t.Errorf("runs are %+v, %v", runs, err)
	}
	if table := must(t, data, "", "runs"); !strings.Contains(table, "polls by schedule, 0 on request") {
		t.Errorf("the table of runs does not tell scheduled polls from requested ones:\n%s", table)
	}
}

var created = regexp.MustCompile(`<dateCreated>[^<]*</dateCreated>`)

func dateless(s string) string { return created.ReplaceAllString(s, "") }

func TestUsersAndTokens(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	must(t, data, "correct horse\n", "user", "add", "Anna@Example.org", "--password-stdin")
	if code, _, errs := ruri(t, data, "correct horse\n", "user", "add", "anna@example.org", "--password-stdin"); code !=
		ExitError || !strings.Contains(errs, "already") {
		t.Errorf("adding a user twice ended with %d: %s", code, errs)
	}
	must(t, data, "", "user", "email", "owner@localhost", "Ben@example.org")
	if code, _, errs := ruri(t, data, "", "user", "email", "ben@example.org", "anna@example.org"); code != ExitError ||
		!strings.Contains(errs, "already") {
		t.Errorf("taking somebody's address ended with %d: %s", code, errs)
	}
	out := must(t, data, "", "token", "create", "--user", "anna@example.org", "--name", "phone")
	if !regexp.MustCompile(`^ruri_test_[\w-]{40,}\n$`).MatchString(out) {
		t.Errorf("the token is not the only line: %q", out)
	}
	if code, _, errs := ruri(t, data, "", "token", "create", "--user", "nobody@example.org", "--name", "x"); code !=
		ExitError || !strings.Contains(errs, "no user") {
		t.Errorf("a token for nobody ended with %d: %s", code, errs)
	}
}

func TestWrongUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args, says string
	}{
		{"", "name a command"}, {"fly", "See ruri --help"}, {"dlq lst", "only list"}, {"user", "name a command"},
		{"crawl --fast", "See ruri crawl --help"}, {"import", "takes 1 arguments"}, {"feeds x", "takes 0 arguments"},
		{"token create", "needs --name"}, {"move-in https://x --api x", "miniflux or greader"},
	} {
		code, _, errs := ruri(t, t.TempDir(), "", strings.Fields(c.args)...)
		if code != ExitUsage || !strings.Contains(errs, c.says) {
			t.Errorf("%q ended with %d: %q", c.args, code, errs)
		}
	}
	if code, _, errs := ruri(t, t.TempDir(), "", "import", "/nowhere.opml"); code != ExitError ||
		!strings.Contains(errs, "cannot be opened") {
		t.Errorf("a missing file ended with %d: %q", code, errs)
	}
	if out := must(t, t.TempDir(), "", "version"); out != "test\n" {
		t.Errorf("version printed %q", out)
	}
}

// TestVersionNamesTheCommit, as far as it is known.
func TestVersionNamesTheCommit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ commit, date, want string }{
		{"", "", "0.1.0\n"},
		{"", "2026-11-28T10:15:36Z", "0.1.0\n"},
		{"a279b987e0c1", "", "0.1.0 (commit a279b987e0c1)\n"},
		{"a279b987e0c1", "2026-11-28T10:15:36Z", "0.1.0 (commit a279b987e0c1 2026-11-28)\n"},
	} {
		var out strings.Builder
		code := Main(Env{Args: []string{"version"}, Version: "0.1.0", Commit: c.commit, CommitDate: c.date,
			Lookup: func(string) (string, bool) { return "", false }, Stdout: &out, Stderr: io.Discard})
		if code != ExitOK || out.String() != c.want {
			t.Errorf("commit %q of %q: %d, %q", c.commit, c.date, code, out.String())
		}
	}
}

// TestHealthcheck: what answers must be a reader in order.
func TestHealthcheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		code   int
	}{{200, `{"status":"ok","version":"1"}`, ExitOK}, {200, "<html>", ExitError}, {502, "", ExitError}} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		code, _, errs := ruri(t, t.TempDir(), "", "healthcheck", "--addr", server.Listener.Addr().String())
		server.Close()
		if code != c.code || code != ExitOK && !strings.Contains(errs, "--addr") {
			t.Errorf("%d %s: ended with %d: %s", c.status, c.body, code, errs)
		}
	}
	for addr, want := range map[string]string{
		":8080": "http://127.0.0.1:8080", "0.0.0.0:80": "http://127.0.0.1:80", "[::]:80": "http://127.0.0.1:80",
		"localhost:8080": "http://localhost:8080", "[::1]:80": "http://[::1]:80",
		"192.168.1.2:80": "http://192.168.1.2:80",
	} {
		if got := ownURL(addr); got != want {
			t.Errorf("%s is reached at %s, want %s", addr, got, want)
		}
	}
}

// lines collects what a server prints, for the test to wait on.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
	hit chan struct{}
	re  *regexp.Regexp
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Write(p)
	if l.re.Match(l.buf.Bytes()) {
		select {
		case <-l.hit:
		default:
			close(l.hit)
		}
	}
	return len(p), nil
}

// TestStartsThatFail: what keeps a server from starting is said in a sentence that names what to do.
func TestStartsThatFail(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		setting, value string
		code           int
		says           string
	}{
		"a taken port":         {"RURI_ADDR", taken.Addr().String(), ExitError, "Choose another --addr"},
		"a file as folder":     {"RURI_DATA", file, ExitError, "folder"},
		"an address of no use": {"RURI_BASE_URL", "reader.example.com", ExitUsage, "give an address"},
		"an odd path":          {"RURI_BASE_URL", "https://home.example/a b/", ExitUsage, "give an address"},
	} {
		settings := map[string]string{"RURI_DATA": t.TempDir(), "RURI_ADDR": "127.0.0.1:0", c.setting: c.value}
		var errs bytes.Buffer
		code := run(t.Context(), Env{Args: []string{"serve"}, Version: "test", Stdin: strings.NewReader(""),
			Stdout: io.Discard, Stderr: &errs,
			Lookup: func(k string) (string, bool) { v, ok := settings[k]; return v, ok }})
		if said := errs.String(); code != c.code || !strings.Contains(said, c.says) || strings.Count(said, "\n") > 2 {
			t.Errorf("%s ends with %d: %s", name, code, said)
		}
	}
}

// TestCommandsWhileServing starts the server on a free port, signs in by the link it prints, uses the
// command line on the same folder meanwhile, and stops it.
func TestCommandsWhileServing(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	out := &lines{hit: make(chan struct{}), re: regexp.MustCompile(`http://[^\s]+/auth/link/\S+\n`)}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan int, 1)
	warned := &lines{hit: make(chan struct{}), re: regexp.MustCompile(`level=(WARN|ERROR)`)}
	go func() {
		done <- run(ctx, Env{
			Args: []string{"serve", "--addr", "127.0.0.1:0", "--samples"}, Version: "test",
			Stdin: strings.NewReader(""), Stdout: out, Stderr: warned,
			Lookup: func(k string) (string, bool) { return data, k == "RURI_DATA" },
		})
	}()
	select {
	case <-out.hit:
	case code := <-done:
		t.Fatalf("serve ended with %d: %s", code, out.buf.String())
	}
	link := strings.TrimSpace(string(out.re.Find(out.buf.Bytes())))
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Post(link, "application/x-www-form-urlencoded", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
		t.Errorf("the link answered %d", resp.StatusCode)
	}
	token := strings.TrimSpace(must(t, data, "", "token", "create", "--name", "beside"))
	base := link[:strings.Index(link, "/auth/")]
	req, _ := http.NewRequestWithContext(ctx, "GET", base+"/api/me", nil)
	req.Header.Set("Authorization", "Bearer "+token)
	if resp, err = client.Do(req); err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("a token made beside the server answers %d", resp.StatusCode)
	}
	// Another reader's app, with an address in the path that must not be cleaned.
	app := strings.TrimSpace(must(t, data, "", "token", "create", "--name", "app", "--scope", "sync"))
	req, _ = http.NewRequestWithContext(ctx, "GET", base+"/reader/api/0/stream/contents/feed/https://example.org//feed",
		nil)
	req.Header.Set("Authorization", "GoogleLogin auth="+app)
	if resp, err = client.Do(req); err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("an app password made beside the server answers %d", resp.StatusCode)
	}
	must(t, data, "", "feeds")
	if out := must(t, data, "", "healthcheck", "--addr", strings.TrimPrefix(base, "http://")); !strings.Contains(out,
		"test") {
		t.Errorf("healthcheck says %s", out)
	}
	watched(t, data, base, token)
	stop()
	if code := <-done; code != ExitOK {
		t.Errorf("serve ended with %d", code)
	}
	if code, _, errs := ruri(t, data, "", "healthcheck", "--addr", strings.TrimPrefix(base, "http://")); code !=
		ExitError || !strings.Contains(errs, "ruri serve") {
		t.Errorf("without a server healthcheck ends with %d: %s", code, errs)
	}
	select {
	case <-warned.hit:
		t.Errorf("a start with nothing wrong warns:\n%s", warned.buf.String())
	default:
	}
}

// watched asks the running server for its metrics: as this machine, through what looks like a proxy, and with tokens.
func watched(t *testing.T, data, base, ofAPI string) {
	t.Helper()
	scoped := strings.TrimSpace(must(t, data, "", "token", "create", "--name", "prometheus", "--scope", "metrics"))
	for _, c := range []struct {
		path, header, value string
		status              int
	}{
		{"/metrics", "", "", 200},
		{"/metrics", "X-Forwarded-For", "127.0.0.1", 401},
		{"/metrics", "Origin", "https://evil.example", 401},
		{"/api/me", "Authorization", "Bearer " + scoped, 403},
	} {
		resp := askMetrics(t, base+c.path, c.header, c.value)
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != c.status {
			t.Errorf("%s with %s %s answers %d, want %d: %v", c.path, c.header, c.value, resp.StatusCode, c.status, err)
		}
		if shown := strings.Contains(string(body), "fetch_success_count"); shown != (c.status == 200) {
			t.Errorf("%s with %s %s shows the metrics: %v", c.path, c.header, c.value, shown)
		}
	}
	for token, status := range map[string]int{scoped: 200, ofAPI: 403} {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", base+"/metrics", nil)
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Via", "1.1 proxy")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("through a proxy with a token: %d, want %d", resp.StatusCode, status)
		}
	}
}

func askMetrics(t *testing.T, url, header, value string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if header != "" {
		req.Header.Set(header, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// A link stands in the output of the first start alone: later ones say how to get one. What does not go to a terminal
// holds for 15 minutes.
func TestLaterStartsPrintNoLink(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	// start serves until the first line is complete, and gives all that was said.
	start := func(use bool) string {
		out := &lines{hit: make(chan struct{}), re: regexp.MustCompile(`\n\n$`)}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan int, 1)
		go func() {
			done <- run(ctx, Env{
				Args: []string{"serve", "--addr", "127.0.0.1:0"}, Version: "test", Stdin: strings.NewReader(""),
				Stdout: out, Stderr: io.Discard,
				Lookup: func(k string) (string, bool) { return data, k == "RURI_DATA" },
			})
		}()
		select {
		case <-out.hit:
		case code := <-done:
			t.Fatalf("serve ended with %d: %s", code, out.buf.String())
		}
		said := out.buf.String()
		if link := regexp.MustCompile(`http://\S+/auth/link/\S+`).FindString(said); use {
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			}}
			resp, err := client.Post(link, "application/x-www-form-urlencoded", nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if len(resp.Cookies()) != 1 {
				t.Errorf("the link answers %d", resp.StatusCode)
			}
		}
		stop()
		<-done
		return said
	}
	for i, use := range []bool{false, true} { // nobody has used the first one: the next start brings another
		// The link is the last line, alone, to be found and taken with a click.
		if said := start(use); !regexp.MustCompile(`\n\nhttp://\S+/auth/link/\S+\n\n$`).MatchString(said) ||
			!strings.Contains(said, "for 15 minutes") {
			t.Fatalf("start %d says %s", i, said)
		}
	}
	if said := start(false); strings.Contains(said, "/auth/link/") ||
		!strings.Contains(said, "run: ruri link --data "+data+" --addr 127.0.0.1:") {
		t.Errorf("a later start says %s", said)
	}
	if said := must(t, data, "", "link"); !strings.Contains(said, "/auth/link/") {
		t.Errorf("ruri link says %s", said)
	}
}
