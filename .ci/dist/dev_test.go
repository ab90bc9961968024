package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// until asks for an address until the answer has a text, or ctx ends.
func until(ctx context.Context, t *testing.T, address, text string) {
	t.Helper()
	said := ""
	for tick := time.NewTicker(200 * time.Millisecond); !strings.Contains(said, text); {
		select {
		case <-ctx.Done():
			t.Fatalf("%v: %s answers %.300s", context.Cause(ctx), address, said)
		case <-tick.C:
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := http.DefaultClient.Do(r); err == nil {
			b, _ := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			said = string(b)
		}
	}
}

func edit(t *testing.T, path, from, to string) {
	t.Helper()
	text := string(read(t, path))
	if !strings.Contains(text, from) {
		t.Fatalf("%s has no %q", path, from)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(text, from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDev: make dev serves the page with the server behind it, and both as they are after an edit.
func TestDev(t *testing.T) {
	need(t, "go", "npm")
	into := filepath.Join(t.TempDir(), "clone")
	clone(t, into)
	command(t, into, "go", "build", "-o", "dev", "./.ci/dev")
	server, page := freePort(t), freePort(t)
	cmd := exec.CommandContext(t.Context(), "./dev", "-addr", "127.0.0.1:"+server, "-data", t.TempDir(), "-port", page)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = into, t.Output(), t.Output(), 10*time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		stop(errors.New("make dev has ended"))
	}()
	until(ctx, t, "http://127.0.0.1:"+server+"/healthz", `"status":"ok"`)
	until(ctx, t, "http://localhost:"+page+"/", `src="/src/main.tsx`)
	until(ctx, t, "http://localhost:"+page+"/api/me", `"code":`)
	edit(t, filepath.Join(into, "internal/api/api.go"), `"status": "ok",`, `"status": "ok", "edited": "yes",`)
	edit(t, filepath.Join(into, "web/src/main.tsx"), "import ", "// An edit of the page.\nimport ")
	until(ctx, t, "http://localhost:"+page+"/src/main.tsx", "An edit of the page.")
	until(ctx, t, "http://127.0.0.1:"+server+"/healthz", `"edited":"yes"`)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
