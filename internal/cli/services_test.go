package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/testkit/fauxmodel"
)

// blocksOf returns the commands of a page that connect a service: its blocks that are marked as bash.
func blocksOf(t *testing.T, page string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```bash\n(.*?)^```$").FindAllSubmatch(text, -1) {
		blocks = append(blocks, string(m[1]))
	}
	return blocks
}

// given runs a script with bash, with programs of which each notes its arguments and RURI_* variables, and returns the
// last arguments and variables.
func given(t *testing.T, script string, programs ...string) (args []string, env map[string]string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: bash is not on this machine")
	}
	bin, seen := t.TempDir(), filepath.Join(t.TempDir(), "seen")
	for _, name := range programs {
		stub := "#!/bin/sh\n{ echo \"$@\"; env; } > '" + seen + "'\nexit 0\n"
		if err := os.WriteFile(filepath.Join(bin, name), []byte(stub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	text, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	env = map[string]string{}
	last := ""
	for _, line := range lines[1:] {
		if name, value, ok := strings.Cut(line, "="); ok {
			last, env[name] = name, value
		} else { // a value of several lines goes on
			env[last] += "\n" + line
		}
	}
	maps.DeleteFunc(env, func(name, _ string) bool { return !strings.HasPrefix(name, "RURI_") })
	return strings.Fields(lines[0]), env
}

// server is a server of a test, and how to ask it.
type server struct {
	t           *testing.T
	base, token string // of a session
}

// started serves a folder with settings until the test ends, and signs in with the link of the command link.
func started(t *testing.T, data string, args []string, settings map[string]string) server {
	t.Helper()
	out := &lines{hit: make(chan struct{}), re: regexp.MustCompile(`is at http://(\S+)\n`)}
	settings = maps.Clone(settings)
	maps.Copy(settings, map[string]string{"RURI_DATA": data, "RURI_ADDR": "127.0.0.1:0",
		"RURI_ALLOW_NETS": "127.0.0.0/8", "NO_COLOR": "1", "AWS_EC2_METADATA_DISABLED": "true"})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, Env{Args: args, Version: "test", Stdin: strings.NewReader(""), Stdout: out, Stderr: io.Discard,
			Clock:  clock.NewManual(present),
			Lookup: func(k string) (string, bool) { v, ok := settings[k]; return v, ok }})
	}()
	t.Cleanup(func() { stop(); <-done })
	select {
	case <-out.hit:
	case code := <-done:
		done <- code
		t.Fatalf("ruri %v ended with %d: %s", args, code, out.buf.String())
	}
	out.mu.Lock()
	addr := string(out.re.FindSubmatch(out.buf.Bytes())[1])
	out.mu.Unlock()
	link := strings.TrimSpace(mustNow(t, data, "", "link", "--addr", addr))
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Post(link, "application/x-www-form-urlencoded", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if len(resp.Cookies()) != 1 {
		t.Fatalf("the link answered %s", resp.Status)
	}
	return server{t, "http://" + addr, resp.Cookies()[0].Value}
}

func (s server) ask(method, path, body string, into any) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		s.t.Fatalf("%s %s: %s %s, %v", method, path, resp.Status, text, err)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			s.t.Fatalf("%s %s: %s", method, path, text)
		}
	}
}

// TestModelsOfTheDocs starts the server with the commands that the docs give for each service with language models, and
// asks for a summary.
func TestModelsOfTheDocs(t *testing.T) {
	t.Parallel()
	data, _ := lived(t)
	blocks := blocksOf(t, "../../docs/run/assistant.md")
	if len(blocks) != 3 {
		t.Fatalf("%d blocks, want those of Ollama, another service and Bedrock", len(blocks))
	}
	for n, block := range blocks {
		model := fauxmodel.New(t)
		for _, host := range []string{"http://localhost:11434", "https://api.openai.com"} {
			block = strings.ReplaceAll(block, host, model.URL)
		}
		args, env := given(t, block, "ruri", "ollama")
		model.Key = env["RURI_AI_KEY"]
		if env["RURI_AI_PROVIDER"] == "bedrock" {
			maps.Copy(env, map[string]string{"RURI_AI_URL": model.URL, "AWS_ACCESS_KEY_ID": "AKID",
				"AWS_SECRET_ACCESS_KEY": "SECRET"})
			model.Check = func(r *http.Request, _ []byte) {
				if got := r.Header.Get("Authorization"); !strings.Contains(got, "AKID/") ||
					!strings.Contains(got, "/"+env["RURI_AI_REGION"]+"/bedrock/aws4_request") {
					t.Errorf("signed %q", got)
				}
			}
		}
		t.Run(strings.Fields(env["RURI_AI_MODEL"] + " ?")[0], func(t *testing.T) {
			s := started(t, data, args, env)
			var me struct{ Assist struct{ Host, Model string } }
			s.ask("GET", "/api/me", "", &me)
			s.ask("PUT", "/api/assist/agreement", `{"host":"`+me.Assist.Host+`","isAgreed":true}`, nil)
			var a struct{ State, Text, Code string }
			s.ask("POST", "/api/items/"+s.longest()+"/assist", `{"kind":"summary","language":"en"}`, &a)
			if a.State != "ok" || a.Text != model.Reply {
				t.Errorf("block %d answers %+v", n, a)
			}
		})
	}
}

// longest returns the article with the longest text.
func (s server) longest() (id string) {
	var page struct{ Items []struct{ ID string } }
	s.ask("GET", "/api/items?filter=all&limit=50", "", &page)
	most := 0
	for _, it := range page.Items {
		var item struct{ Item struct{ ContentHTML string } }
		s.ask("GET", "/api/items/"+it.ID, "", &item)
		if n := len(item.Item.ContentHTML); n > most {
			id, most = it.ID, n
		}
	}
	return id
}

// TestWebhooksOfTheDocs creates the webhooks of the guide with its own commands, and sends a test to fakes that are as
// strict as the services.
func TestWebhooksOfTheDocs(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("SKIPPED: curl is not on this machine")
	}
	got := make(chan string, 10)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var in struct{ Topic, Message, Chat, Text string }
		err := json.Unmarshal(bytes.ReplaceAll(body, []byte("chat_id"), []byte("chat")), &in)
		switch {
		case err == nil && r.URL.Path == "/" && in.Topic != "" && in.Message != "":
			_, _ = io.WriteString(w, `{"id":"x"}`)
		case err == nil && r.URL.Path == "/bot123456:ABC-DEF/sendMessage" && in.Chat != "" && in.Text != "":
			_, _ = io.WriteString(w, `{"ok":true,"result":{}}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
		got <- r.URL.Path
	}))
	t.Cleanup(service.Close)
	host := strings.TrimPrefix(service.URL, "http://")
	here := strings.NewReplacer("https://ntfy.sh", service.URL, "https://api.telegram.org", service.URL,
		" ntfy.sh ", " "+host+" ", " api.telegram.org ", " "+host+" ").Replace
	blocks := blocksOf(t, "../../docs/use/webhooks.md")
	args, env := given(t, here(blocks[0]), "ruri")
	data := t.TempDir()
	mustNow(t, data, "", "user", "add", "anna@example.org")
	s := started(t, data, args, env)
	for _, block := range blocks[1:] {
		block = strings.ReplaceAll(here(block), "https://reader.example", s.base)
		out, err := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c",
			"TOKEN="+s.token+"\n"+block).Output()
		var made struct{ Webhook struct{ ID, Format string } }
		if err != nil || json.Unmarshal(out, &made) != nil || made.Webhook.ID == "" {
			t.Fatalf("%s\n%s, %v", block, out, err)
		}
		var tested struct{ Outcome struct{ Status *int } }
		s.ask("POST", "/api/webhooks/"+made.Webhook.ID+"/test", "", &tested)
		if tested.Outcome.Status == nil || *tested.Outcome.Status != http.StatusOK {
			t.Errorf("%s: %+v", made.Webhook.Format, tested)
		}
	}
	if len(blocks) != 3 || len(got) != 2 {
		t.Errorf("%d blocks, %d messages; want the keys, ntfy and Telegram", len(blocks), len(got))
	}
}
