package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ruri-reader/ruri/internal/testkit/child"
)

// rig is an installation of its own for one program: a server with one user, who follows the feeds of a publisher and
// has an app password.
type rig struct {
	bin      string // folder of the built programs
	home     string // home folder of the program; the server's data is beside it
	base     string // the server's address
	site     string // the publisher's
	token    string // opens our own API
	password string // the app password
	started  []*exec.Cmd
	ended    []<-chan struct{}
}

// email is the owner's, as a new installation has it.
const email = "owner@localhost"

// follows are the feeds, by folder. Their titles differ, and so do those of all items.
var follows = []struct{ path, folder string }{
	{"/feeds/plain.xml", "News"},
	{"/grow/alpha.xml", "News"},
	{"/feeds/nihongo.atom", ""},
	{"/feeds/podcast.xml", "Spoken"},
}

func newRig(ctx context.Context, bin, folder string) (*rig, error) {
	r := &rig{bin: bin, home: filepath.Join(folder, "home")}
	if err := os.MkdirAll(r.home, 0o700); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := l.Addr().String()
	_ = l.Close()
	r.base = "http://" + addr
	publisher := exec.CommandContext(ctx, filepath.Join(bin, "publisher"))
	out, err := publisher.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := r.start(publisher); err != nil {
		return r, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return r, fmt.Errorf("the publisher: %w", err)
	}
	r.site = strings.TrimSpace(line)
	// Before the first start: each command opens the folder for itself.
	if r.token, err = r.ruri(ctx, "token", "create", "--name", "the check"); err != nil {
		return r, err
	}
	if r.password, err = r.ruri(ctx, "token", "create", "--name", "an app", "--scope", "sync"); err != nil {
		return r, err
	}
	log, err := os.Create(filepath.Join(filepath.Dir(r.home), "server.log"))
	if err != nil {
		return r, err
	}
	server := r.command(ctx, "serve", "--addr", addr)
	server.Stderr = log
	if err := r.start(server); err != nil {
		return r, err
	}
	if err := until("the server answers", func() error { return r.ask("GET", "/api/me", nil, nil) }); err != nil {
		return r, err
	}
	for _, f := range follows {
		if err := r.follow(f.path, f.folder); err != nil {
			return r, err
		}
	}
	return r, nil
}

// start starts a program that ends with the rig.
func (r *rig) start(cmd *exec.Cmd) error {
	ended, err := child.Start(cmd)
	if err != nil {
		return fmt.Errorf("%s: %w", cmd.Path, err)
	}
	r.started, r.ended = append(r.started, cmd), append(r.ended, ended)
	return nil
}

// stop ends what was started, the last first, and waits for it.
func (r *rig) stop() {
	for i := len(r.started) - 1; i >= 0; i-- {
		end(r.started[i], r.ended[i])
	}
}

// end asks a program to end, waits for that, and kills it if it does not.
func end(cmd *exec.Cmd, ended <-chan struct{}) {
	child.Signal(cmd, syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		child.Kill(cmd)
		<-ended
	}
}

func (r *rig) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(r.bin, "ruri"), args...)
	cmd.Env = append(os.Environ(), "RURI_DATA="+filepath.Join(filepath.Dir(r.home), "data"),
		"RURI_ALLOW_NETS=127.0.0.0/8")
	return cmd
}

// ruri runs a command of the reader, and returns what it prints.
func (r *rig) ruri(ctx context.Context, args ...string) (string, error) {
	cmd := r.command(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ruri %s: %w\n%s", strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}

// ask makes a request of our own API, and again when there were too many: the limits are those of every installation.
func (r *rig) ask(method, path string, body, answer any) error {
	send, err := json.Marshal(body)
	if err != nil {
		return err
	}
	var status int
	var b []byte
	for range 30 {
		if status, b, err = r.once(method, path, send); err != nil || status != http.StatusTooManyRequests {
			break
		}
		time.Sleep(time.Second)
	}
	if err != nil {
		return err
	}
	if status >= 300 {
		return fmt.Errorf("%s %s: %d %.300s", method, path, status, b)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(b, answer)
}

func (r *rig) once(method, path string, send []byte) (int, []byte, error) {
	if method == http.MethodGet {
		send = nil
	}
	req, err := http.NewRequest(method, r.base+path, bytes.NewReader(send))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, b, err
}

func (r *rig) follow(path, folder string) error {
	return r.ask("POST", "/api/feeds", map[string]string{"url": r.site + path, "folder": folder}, nil)
}

// publish gives the growing feed more items, and crawls it beside the running server.
func (r *rig) publish(ctx context.Context, n int) error {
	res, err := http.Post(fmt.Sprintf("%s/tick?feed=alpha&n=%d", r.site, n), "", nil)
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	out, err := r.ruri(ctx, "crawl", "--all")
	if err == nil && !strings.Contains(out, fmt.Sprintf("with %d new item", n)) {
		err = fmt.Errorf("of %d items that were published, the crawl says: %s", n, out)
	}
	return err
}

// feeds returns what the page shows in its side bar: the title of each feed with the names of its folders.
func (r *rig) feeds() (map[string]string, error) {
	var list struct {
		Feeds []struct{ Title, Folder string }
	}
	if err := r.ask("GET", "/api/feeds", nil, &list); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, f := range list.Feeds {
		out[f.Title] = f.Folder
	}
	return out, nil
}

// state is what a person sees of an item.
type state struct{ Read, Starred bool }

// states are those of all items, by title.
type states map[string]state

type item struct {
	ID, Title string
	IsRead    bool
	IsStarred bool
}

// list returns all items that the page lists.
func (r *rig) list() ([]item, error) {
	var all []item
	for cursor := ""; ; {
		var p struct {
			Items      []item
			NextCursor *string
		}
		if err := r.ask("GET", "/api/items?limit=100&cursor="+cursor, nil, &p); err != nil {
			return nil, err
		}
		all = append(all, p.Items...)
		if p.NextCursor == nil {
			return all, nil
		}
		cursor = *p.NextCursor
	}
}

func (r *rig) states() (states, error) {
	list, err := r.list()
	out := states{}
	for _, x := range list {
		out[x.Title] = state{x.IsRead, x.IsStarred}
	}
	return out, err
}

// set changes an item on the page.
func (r *rig) set(title string, change map[string]bool) error {
	list, err := r.list()
	if err != nil {
		return err
	}
	for _, x := range list {
		if x.Title == title {
			return r.ask("PUT", "/api/items/"+x.ID+"/state", change, nil)
		}
	}
	return fmt.Errorf("the page has no item %q", title)
}

const (
	patience = 60 * time.Second // what a program may take until what it was told to do is seen
	look     = 200 * time.Millisecond
)

// until waits until something holds; the error is what was missing at last.
func until(what string, holds func() error) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(look) {
		err := holds()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
}
