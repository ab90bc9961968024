package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

type proxy struct {
	name, language string
	configure      func(config, listen, folder string) string
	command        []string // %s is the configuration
}

// proxies are the web servers of docs/run/proxy.md: how its configuration is changed for a test on one machine without
// certificates, and how the server is started with it.
var proxies = []proxy{
	{"caddy", "caddyfile", func(config, listen, folder string) string {
		_, port, _ := net.SplitHostPort(listen)
		site := "http://$1:" + port + " {\n\tbind 127.0.0.1"
		config = regexp.MustCompile(`(?m)^(\S+) \{`).ReplaceAllString(config, site)
		return "{\n\tadmin off\n\tstorage file_system " + folder + "\n}\n" + config
	}, []string{"caddy", "run", "--adapter", "caddyfile", "--config", "%s"}},
	{"nginx", "nginx", func(config, listen, folder string) string {
		config = strings.Replace(config, "listen 443 ssl;", "listen "+listen+";", 1)
		config = regexp.MustCompile(`(?m)^\s*ssl_.*\n`).ReplaceAllString(config, "")
		user, temp := "", ""
		if os.Getuid() == 0 {
			user = "user root;\n" // or its workers could not write into the folder
		}
		for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			temp += kind + "_temp_path " + folder + "/" + kind + ";\n"
		}
		return user + "daemon off;\npid " + folder + "/pid;\nerror_log stderr;\nevents {}\n" +
			"http {\naccess_log off;\n" + temp + config + "}\n"
	}, []string{"nginx", "-e", "stderr", "-c", "%s"}},
}

// TestProxies runs the reader behind each web server, configured as the docs say.
func TestProxies(t *testing.T) {
	docs := string(read(t, "../../docs/run/proxy.md"))
	ruri := filepath.Join(t.TempDir(), "ruri")
	command(t, "../..", "go", "build", "-buildvcs=false", "-ldflags=-s", "-o", ruri, "./cmd/ruri")
	for _, p := range proxies {
		for _, own := range []string{"https://reader.example.com", "https://home.example/reader"} {
			t.Run(p.name+" "+own, func(t *testing.T) { testBehind(t, p, docs, ruri, own) })
		}
	}
}

// testBehind runs the reader, whose address is own, behind a web server.
func testBehind(t *testing.T, p proxy, docs, ruri, own string) {
	host, below, _ := strings.Cut(strings.TrimPrefix(own, "https://"), "/")
	_, config, _ := strings.Cut(docs, "```"+p.language+"\n")
	if below != "" {
		below = "/" + below
		if _, second, ok := strings.Cut(config, "```"+p.language+"\n"); ok {
			config = second
		}
		config = strings.Replace(config, "location / ", "location "+below+" ", 1)
	}
	config, _, _ = strings.Cut(config, "```")
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	need(t, p.name)
	data, folder := t.TempDir(), t.TempDir()
	settings := append(os.Environ(), "RURI_DATA="+data, "RURI_BASE_URL="+own,
		"RURI_PROXIES=127.0.0.1/32", "RURI_RATE_ADDRESS=20", "RURI_ADDR=127.0.0.1:"+freePort(t))
	server := exec.Command(ruri, "serve")
	server.Env = settings
	base, stop := serve(t, server)
	defer stop()
	if base != own {
		t.Fatalf("the reader says that it is at %q", base)
	}
	backend, _ := strings.CutPrefix(settings[len(settings)-1], "RURI_ADDR=")

	listen := "127.0.0.1:" + freePort(t)
	file := filepath.Join(folder, "config")
	text := p.configure(strings.Replace(config, "127.0.0.1:8080", backend, 1), listen, folder)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(strings.Replace(strings.Join(p.command, " "), "%s", file, 1))
	proxy := exec.CommandContext(t.Context(), args[0], args[1:]...)
	proxy.Env = append(os.Environ(), "XDG_CONFIG_HOME="+folder) // where Caddy saves its configuration
	proxy.Stderr, proxy.WaitDelay = t.Output(), 5*time.Second
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = proxy.Wait() }()
	defer func() { _ = proxy.Process.Signal(syscall.SIGTERM) }()
	cli := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), ruri, args...)
		cmd.Env = settings
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	through := visitor{t: t, at: listen, from: "127.0.0.1", host: host, below: below}
	// A minute at most.
	tick := time.NewTicker(100 * time.Millisecond)
	for n := 0; ; n++ {
		status, _, text := through.try("GET", "/healthz", nil, nil)
		if status == http.StatusOK {
			break
		}
		if n == 600 {
			t.Fatalf("behind the proxy the reader answers %d %s", status, text)
		}
		<-tick.C
	}
	direct := through
	direct.at = backend
	checkBehind(t, through, direct, cli)
}

func checkBehind(t *testing.T, through, direct visitor, cli func(...string) string) {
	t.Helper()
	// Signing in by a link, with the origin that a browser sends.
	link, ok := strings.CutPrefix(cli("link"), "https://"+through.host+through.below)
	if !ok {
		t.Fatalf("the link is %s", link)
	}
	status, header, _ := through.try("POST", link, http.Header{"Origin": {"https://" + through.host},
		"Content-Type": {"application/x-www-form-urlencoded"}}, strings.NewReader(""))
	if cookie := header.Get("Set-Cookie"); status != http.StatusSeeOther || !strings.Contains(cookie, "; Secure") ||
		header.Get("Location") != through.below+"/" {
		t.Errorf("the link answered %d with the cookie %q", status, cookie)
	}

	key := http.Header{"Authorization": {"Bearer " + cli("token", "create", "--name", "test")}}
	_, _, want := direct.try("GET", "/api/openapi.json", key, nil)
	if status, _, got := through.try("GET", "/api/openapi.json", key, nil); got != want || len(got) < 100_000 {
		t.Errorf("a long answer: %d, %d of %d bytes", status, len(got), len(want))
	}
	list := `<opml version="2.0"><head><title>` + strings.Repeat("long ", 950_000) + `</title></head><body>` +
		`<outline text="a folder"/></body></opml>`
	upload := key.Clone()
	upload.Set("Content-Type", "text/x-opml")
	status, _, text := through.try("POST", "/api/import/opml", upload, strings.NewReader(list))
	if status != http.StatusOK {
		t.Errorf("a large list of subscriptions: %d %s", status, text)
	}

	// An app asks for a feed by its address, in the path.
	secret := cli("token", "create", "--name", "app", "--scope", "sync")
	app := http.Header{"Authorization": {"GoogleLogin auth=" + secret}}
	path := "/reader/api/0/stream/contents/feed/https://example.org//feed?n=1"
	if status, _, text := through.try("GET", path, app, nil); status != http.StatusOK {
		t.Errorf("a path with two slashes: %d %s", status, text)
	}

	// One client has used up its requests, whatever it claims to be; another has not.
	greedy, other := through, through
	greedy.from, other.from = "127.0.0.2", "127.0.0.3"
	refused := 0
	for n := range 60 {
		claim := http.Header{"X-Forwarded-For": {fmt.Sprintf("192.0.2.%d", n)}}
		if status, _, _ := greedy.try("GET", "/api/me", claim, nil); status == http.StatusTooManyRequests {
			refused++
		}
	}
	if status, _, _ := other.try("GET", "/api/me", nil, nil); refused == 0 || status != http.StatusUnauthorized {
		t.Errorf("one client was refused %d times, another got %d", refused, status)
	}
}

// visitor sends requests from one address to another.
type visitor struct {
	t           *testing.T
	at, from    string
	host, below string // of the reader's address
}

func (v visitor) try(method, path string, header http.Header, body io.Reader) (int, http.Header, string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, "http://"+v.at+v.below+path, body)
	if err != nil {
		v.t.Fatal(err)
	}
	if header != nil {
		r.Header = header
	}
	r.Host = v.host
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(v.from)}}
	client := http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true, DialContext: dialer.DialContext},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, nil, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Error(err)
	}
	return answer.StatusCode, answer.Header, string(text)
}

// freePort is a port that nothing used a moment ago: the web servers cannot choose one and say which.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
