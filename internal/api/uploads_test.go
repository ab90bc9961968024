package api_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/content/page"
)

// sender writes a request of a body said to be so large before it reads a byte of the answer, as many clients do.
func sender(t *testing.T, server, head string, said, sent int) (resp *http.Response, body []byte, err error) {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", server)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "%s\r\nHost: x\r\nContent-Length: %d\r\n\r\n", head, said); err != nil {
		return nil, nil, err
	}
	chunk := bytes.Repeat([]byte(" "), 64<<10)
	for left := sent; left > 0; {
		n, err := c.Write(chunk[:min(left, len(chunk))])
		if left -= n; err != nil {
			return nil, nil, err
		}
	}
	resp, err = http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	return resp, body, err
}

// TestOversizedBodiesAreExplained: over a real connection, also when all of it is sent before the answer is looked for.
// What is far too much is cut off.
func TestOversizedBodiesAreExplained(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.MaxUpload = 4 << 20
	server := httptest.NewServer(api.New(w.options))
	t.Cleanup(server.Close)
	at := server.Listener.Addr().String()
	w.handler = server.Config.Handler
	if got := w.uploadBytes(); got != 4<<20 {
		t.Errorf("a page is told that %d bytes are taken", got)
	}
	post := func(path string) string {
		return "POST " + path + " HTTP/1.1\r\nAuthorization: Bearer " + w.token + "\r\nContent-Type: application/json"
	}
	const mb = 1 << 20
	for _, c := range []struct {
		path string
		size int
		code string
		says string
	}{
		{"/api/items/state", 2 * mb, "request_too_large", "larger than "},
		{"/api/folders", 128 << 10, "request_too_large", "larger than 64 KB"},
		{"/api/folders", mb, "request_too_large", "larger than 64 KB"},
		{"/api/import/opml", 8 * mb, "opml_too_large", "up to 4 MB"},
		{"/api/import/starred", 8 * mb, "starred_too_large", "up to 4 MB"},
		{"/api/users/me/import", 8 * mb, "request_too_large", "larger than 4 MB"},
	} {
		resp, body, err := sender(t, at, post(c.path), c.size, c.size)
		if err != nil {
			t.Errorf("%s with %d KB: %v", c.path, c.size>>10, err)
			continue
		}
		var problem struct{ Code, Message string }
		if err := json.Unmarshal(body, &problem); err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge ||
			problem.Code != c.code || !strings.Contains(problem.Message, c.says) {
			t.Errorf("%s with %d KB: %d %s, %v", c.path, c.size>>10, resp.StatusCode, body, err)
		}
	}
	if resp, _, err := sender(t, at, post("/api/import/opml"), 400*mb, 400*mb); err == nil {
		t.Errorf("400 MB were taken and answered with %d", resp.StatusCode)
	}
	// Who asks first is told before anything is sent.
	resp, body, err := sender(t, at, post("/api/import/opml")+"\r\nExpect: 100-continue", 8*mb, 0)
	if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("who asked before sending got %v %s, %v", resp, body, err)
	}
}

// TestUploadsWaitForTheirTurn: a file is parsed when one of the places in the process is free, and not at all when the
// request ends before. Not parallel, for it takes all places.
func TestUploadsWaitForTheirTurn(t *testing.T) { //nolint:paralleltest // see above
	w := newWorld(t)
	for range page.AtOnce {
		leave, err := page.Turn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
	}
	large := `{"format":"ruri-takeout","version":1}` + strings.Repeat(" ", 100_000)
	for path, body := range map[string]string{
		"/api/import/opml": "no list", "/api/import/starred": "no list",
		"/api/users/me/import": string(archiveOf(t, map[string]string{"ruri.json": large})),
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, "POST", path, &lastRead{strings.NewReader(body), cancel})
		r.Header.Set("Authorization", "Bearer "+w.token)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if rec.Code < 499 {
			t.Errorf("%s was parsed: %d %s", path, rec.Code, rec.Body)
		}
		cancel()
	}
}

// lastRead calls when everything is read.
type lastRead struct {
	io.Reader
	then func()
}

func (r *lastRead) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.then()
	}
	return n, err
}

func (w *world) uploadBytes() int {
	w.t.Helper()
	var me struct{ Limits struct{ UploadBytes int } }
	w.want(w.call("GET", "/api/me", nil, &me), 200)
	return me.Limits.UploadBytes
}

// TestLimitsOfOneMachine: where the process reads from the network itself, files have limits of their own alone.
func TestLimitsOfOneMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.uploadBytes(); got != 64<<20 {
		t.Errorf("a page is told that %d bytes are taken", got)
	}
	for path, want := range map[string]string{"/api/import/opml": "up to 5 MB", "/api/import/starred": "up to 5 MB",
		"/api/users/me/import": "not_takeout"} {
		if rec := w.send("POST", path, strings.Repeat(" ", opml.MaxBytes+1<<20),
			nil); !strings.Contains(rec.Body.String(), want) {
			t.Errorf("%s answers %d %s", path, rec.Code, rec.Body)
		}
	}
}
