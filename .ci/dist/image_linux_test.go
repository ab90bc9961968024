package main

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// image is an unpacked container image.
type image struct {
	t      *testing.T
	root   string
	config struct {
		User                  string
		Env, Entrypoint, Cmd  []string
		Volumes, ExposedPorts map[string]any
		Labels                map[string]string
		Healthcheck           struct{ Test []string }
	}
}

// newImage builds the image as `make image` does, in a storage of its own, and unpacks it.
func newImage(t *testing.T, arch string) *image {
	t.Helper()
	need(t, "buildah")
	root(t)
	storage := t.TempDir()
	buildah := []string{"--root", storage + "/root", "--runroot", storage + "/run", "--storage-driver", "vfs"}
	const name = "localhost/ruri-test"
	command(t, "../..", "make", "-s", "image-only", "IMAGE="+name, "VERSION="+version,
		"IMAGE_ARCHS="+arch, "BUILDAH=buildah "+strings.Join(buildah, " "))
	in := func(args ...string) string {
		return command(t, ".", "buildah", append(slices.Clone(buildah), args...)...)
	}
	container := in("from", "--pull-never", "--platform", "linux/"+arch, name+":"+version)
	t.Cleanup(func() { _ = exec.Command("buildah", append(slices.Clone(buildah), "umount", container)...).Run() })
	i := &image{t: t, root: in("mount", container)}
	var inspected struct {
		Docker struct {
			Config       json.RawMessage `json:"config"`
			Architecture string          `json:"architecture"`
		}
	}
	if err := json.Unmarshal([]byte(in("inspect", "--type", "image", name+":"+version)), &inspected); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(inspected.Docker.Config, &i.config); err != nil || inspected.Docker.Architecture != arch {
		t.Fatalf("the image is for %q, %v", inspected.Docker.Architecture, err)
	}
	return i
}

// command runs what a container of the image would: below its root, as its user, with its environment.
func (i *image) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(i.t.Context(), "/ruri", args...)
	cmd.Dir = "/"
	cmd.Env = i.config.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: i.root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	return cmd
}

func (i *image) run(args ...string) string {
	i.t.Helper()
	out, err := i.command(args...).CombinedOutput()
	if err != nil {
		i.t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// serve starts the server and returns its address and what stops it.
func (i *image) serve(args ...string) (base string, stop func()) {
	i.t.Helper()
	return serve(i.t, i.command(append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...))
}

// TestImageOfAnotherProcessor: the image for arm64 has a program for it.
func TestImageOfAnotherProcessor(t *testing.T) {
	i := newImage(t, "arm64")
	program, err := elf.Open(i.root + "/ruri")
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if program.Machine != elf.EM_AARCH64 || len(program.Progs) == 0 || program.Section(".interp") != nil {
		t.Errorf("the program is for %v, or not static", program.Machine)
	}
}

// TestImage builds the image, reads a sample article in it as its user, stops it as a container is stopped, and
// finds everything there after a new start.
func TestImage(t *testing.T) {
	i := newImage(t, runtime.GOARCH)
	c := i.config
	if c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/ruri"}) ||
		!slices.Equal(c.Cmd, []string{"serve"}) || !slices.Contains(c.Env, "RURI_ADDR=0.0.0.0:8080") ||
		c.Volumes["/data"] == nil || c.ExposedPorts["8080/tcp"] == nil ||
		!slices.Equal(c.Healthcheck.Test, []string{"CMD", "/ruri", "healthcheck"}) ||
		c.Labels["org.opencontainers.image.version"] != version ||
		len(c.Labels["org.opencontainers.image.revision"]) != 12 {
		t.Errorf("the image is configured so: %+v", c)
	}
	if found, _ := filepath.Glob(i.root + "/*"); len(found) != 3 {
		t.Errorf("the image has more than the program and two folders: %q", found)
	}
	if said := i.run("version"); !strings.HasPrefix(said, version+" ") {
		t.Errorf("its version is %q", said)
	}

	base, stop := i.serve("--samples")
	i.run("healthcheck", "--addr", strings.TrimPrefix(base, "http://"))
	token := i.run("token", "create", "--name", "test")
	get := func(path string, into any) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if err := json.NewDecoder(answer.Body).Decode(into); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", path, answer.Status, err)
		}
	}
	var list struct{ Items []struct{ ID, Title string } }
	// The samples are crawled once the server runs.
	for tick := time.NewTicker(time.Second); len(list.Items) == 0; <-tick.C {
		get("/api/items", &list)
	}
	var before, after json.RawMessage
	path := "/api/items/" + list.Items[0].ID
	get(path, &before)
	stop()

	base, stop = i.serve()
	get(path, &after)
	if string(after) != string(before) || !strings.Contains(string(before), "<p>") {
		t.Errorf("before the restart %s, after it %s", before, after)
	}
	stop()
	err := filepath.WalkDir(i.root+"/data", func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if owner := info.Sys().(*syscall.Stat_t); err == nil && owner.Uid != 65532 {
			err = fmt.Errorf("%s belongs to %d", path, owner.Uid)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	t.Log("the image for", runtime.GOARCH, "works")
}
