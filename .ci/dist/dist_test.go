package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ruri-reader/ruri/internal/config"
)

const version = "0.1.0"

// artefacts are what a release consists of.
var artefacts = []string{
	"SHA256SUMS", "ruri-0.1.0-1.aarch64.rpm", "ruri-0.1.0-1.armv7hl.rpm", "ruri-0.1.0-1.x86_64.rpm",
	"ruri_0.1.0.cdx.json", "ruri_0.1.0_amd64.deb", "ruri_0.1.0_arm64.deb", "ruri_0.1.0_armhf.deb",
	"ruri_0.1.0_aws_arm64.zip",
	"ruri_0.1.0_darwin_amd64.tar.gz", "ruri_0.1.0_darwin_arm64.tar.gz", "ruri_0.1.0_linux_amd64.tar.gz",
	"ruri_0.1.0_linux_arm64.tar.gz", "ruri_0.1.0_linux_armv7.tar.gz", "ruri_0.1.0_windows_amd64.zip",
}

// need skips a test that this machine lacks a tool for.
func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("SKIPPED: %s is not on this machine", tool)
		}
	}
}

// root skips what only root may do.
func root(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root can do this")
	}
}

func command(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// clone copies what is committed here, with the tools and packages of this folder.
func clone(t *testing.T, into string) {
	t.Helper()
	here := command(t, "../..", "git", "rev-parse", "--show-toplevel")
	command(t, here, "git", "clone", "--quiet", "--no-hardlinks", ".", into)
	for _, folder := range []string{".tools", "web/node_modules"} {
		if err := os.Symlink(filepath.Join(here, folder), filepath.Join(into, folder)); err != nil {
			t.Fatal(err)
		}
	}
}

// build makes a release in a clone, and returns the folder of its artefacts.
func build(t *testing.T, into string) string {
	t.Helper()
	clone(t, into)
	command(t, into, "make", "dist", "VERSION="+version)
	return filepath.Join(into, "build/dist")
}

var firstRelease = sync.OnceValue(func() string {
	folder, err := os.MkdirTemp("", "ruri-dist-")
	if err != nil {
		panic(err)
	}
	return folder
})

var built sync.Once

// release is the folder of one release: RURI_DIST, or one made for all tests.
func release(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("RURI_DIST"); given != "" {
		return given
	}
	if _, err := os.Stat("../../.tools/bin/goreleaser"); err != nil {
		t.Skip("SKIPPED: GoReleaser is not installed: .ci/tools.sh dist")
	}
	built.Do(func() { build(t, filepath.Join(firstRelease(), "one")) })
	folder := filepath.Join(firstRelease(), "one/build/dist")
	if _, err := os.Stat(filepath.Join(folder, "SHA256SUMS")); err != nil {
		t.Fatal("the release could not be built")
	}
	return folder
}

func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(firstRelease())
	os.Exit(code)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestReleaseIsWhole: every artefact is there and has its checksum.
func TestReleaseIsWhole(t *testing.T) {
	folder := release(t)
	sums := map[string]string{}
	for line := range strings.Lines(string(read(t, filepath.Join(folder, "SHA256SUMS")))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	for _, name := range artefacts {
		data := read(t, filepath.Join(folder, name))
		if sum := sha256.Sum256(data); name != "SHA256SUMS" && sums[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s has no checksum, or a wrong one", name)
		}
	}
	if len(sums) != len(artefacts)-1 {
		t.Errorf("checksums of %d files", len(sums))
	}
	var sbom struct {
		BOMFormat    string
		SerialNumber string
		Components   []struct{ Name, Version string }
	}
	if err := json.Unmarshal(read(t, filepath.Join(folder, "ruri_0.1.0.cdx.json")), &sbom); err != nil ||
		sbom.BOMFormat != "CycloneDX" || sbom.SerialNumber != "" || len(sbom.Components) < 30 {
		t.Errorf("the SBOM: %v, %s, %d components", err, sbom.BOMFormat, len(sbom.Components))
	}
}

// TestArchives: what is in them, with one time for all, and that the program for this machine runs.
func TestArchives(t *testing.T) {
	folder := release(t)
	for _, name := range artefacts {
		var files []string
		switch {
		case strings.Contains(name, "_aws_"):
			files = unzip(t, filepath.Join(folder, name), "")
			for _, want := range []string{"api.zip", "crawler.zip", "orchestrator.zip", "template.yaml", "deploy.sh",
				"page.tsv", "page/index.html", "LICENSE", "THIRD-PARTY-LICENCES.txt"} {
				if !slices.Contains(files, "ruri_0.1.0_aws_arm64/"+want) {
					t.Errorf("%s has no %s: %q", name, want, files)
				}
			}
			continue
		case strings.HasSuffix(name, ".tar.gz"):
			files = untar(t, filepath.Join(folder, name), "")
		case strings.HasSuffix(name, ".zip"):
			files = unzip(t, filepath.Join(folder, name), "")
		default:
			continue
		}
		program, top := "ruri", strings.TrimSuffix(strings.TrimSuffix(name, ".tar.gz"), ".zip")
		if strings.Contains(name, "windows") {
			program = "ruri.exe"
		}
		for _, want := range []string{program, "LICENSE", "THIRD-PARTY-LICENCES.txt", "ruri.env", "man/ruri.1",
			"man/ruri-serve.1", "completions/ruri.bash", "completions/ruri.fish", "completions/_ruri",
			"completions/ruri.ps1"} {
			if !slices.Contains(files, top+"/"+want) {
				t.Errorf("%s has no %s: %q", name, want, files)
			}
		}
	}
	into := t.TempDir()
	untar(t, filepath.Join(folder, "ruri_0.1.0_linux_amd64.tar.gz"), into)
	if command(t, into, "uname", "-sm") != "Linux x86_64" {
		t.Skip("SKIPPED: the program for Linux on amd64 does not run here")
	}
	said := command(t, into, "ruri_0.1.0_linux_amd64/ruri", "version")
	if !regexp.MustCompile(`^0\.1\.0 \(commit [0-9a-f]{12} \d{4}-\d\d-\d\d\)$`).MatchString(said) {
		t.Errorf("its version is %q", said)
	}
	text := command(t, into, "file", "-b", "ruri_0.1.0_linux_amd64/ruri")
	if !strings.Contains(text, "statically linked") || !strings.HasSuffix(text, ", stripped") {
		t.Errorf("the program is %s", text)
	}
}

// TestSameBytes builds the release again in a folder of another name and depth.
func TestSameBytes(t *testing.T) {
	if os.Getenv("RURI_DIST") != "" {
		t.Skip("SKIPPED: RURI_DIST has only one release")
	}
	first := release(t)
	second := build(t, filepath.Join(t.TempDir(), "another/folder"))
	for _, name := range artefacts {
		if !bytes.Equal(read(t, filepath.Join(first, name)), read(t, filepath.Join(second, name))) {
			t.Errorf("%s differs from one build to the next", name)
		}
	}
}

// TestSettingsFile: the file of the packages has every setting, sets none, and is read as written once the marks of
// comments are removed.
func TestSettingsFile(t *testing.T) {
	var b strings.Builder
	writeSettings(&b)
	found := map[string]string{}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			t.Errorf("%q is not a comment", line)
		}
		if name, value, ok := strings.Cut(strings.TrimPrefix(line, "#"), "="); ok && strings.HasPrefix(name, "RURI_") {
			found[name] = value
		}
	}
	for _, s := range config.Settings() {
		if _, ok := found[s.Name]; !ok {
			t.Errorf("%s is missing", s.Name)
		}
	}
	if _, err := config.Load(func(name string) (string, bool) { v, ok := found[name]; return v, ok }); err != nil {
		t.Error(err)
	}
	if found["RURI_DATA"] != "/var/lib/ruri" ||
		!strings.Contains(string(read(t, "package/ruri.service")), "RURI_DATA=/var/lib/ruri\n") {
		t.Error("the unit and its settings name different folders")
	}
}

// TestUnit: systemd finds nothing wrong with the unit, and rates what it may do at most 2.0.
func TestUnit(t *testing.T) {
	need(t, "systemd-analyze")
	unit := filepath.Join(t.TempDir(), "ruri.service")
	text := strings.Replace(string(read(t, "package/ruri.service")), "/usr/bin/ruri", "/usr/bin/env", 1)
	if err := os.WriteFile(unit, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := command(t, ".", "systemd-analyze", "verify", "--man=no", unit); said != "" {
		t.Error(said)
	}
	t.Log(command(t, ".", "systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", unit))
}

// TestDeb installs, updates, removes and purges the package in a file system and a network of its own.
func TestDeb(t *testing.T) {
	need(t, "dpkg", "dpkg-deb", "unshare", "ip")
	root(t)
	if command(t, ".", "dpkg", "--print-architecture") != "amd64" {
		t.Skip("SKIPPED: the package of amd64 does not run here")
	}
	deb := filepath.Join(release(t), "ruri_0.1.0_amd64.deb")
	t.Log(command(t, ".", "unshare", "--mount", "--net", "bash", "testdata/deb.sh", deb, t.TempDir()))
}

// TestRPM unpacks the package as rpm does.
func TestRPM(t *testing.T) {
	need(t, "rpm")
	root(t)
	into := t.TempDir()
	command(t, ".", "rpm", "--root", into, "--install", "--nodeps", "--noscripts",
		filepath.Join(release(t), "ruri-0.1.0-1.x86_64.rpm"))
	for _, name := range []string{"usr/bin/ruri", "usr/lib/systemd/system/ruri.service", "usr/lib/sysusers.d/ruri.conf",
		"usr/share/man/man1/ruri.1", "usr/share/zsh/site-functions/_ruri"} {
		if _, err := os.Stat(filepath.Join(into, name)); err != nil {
			t.Error(err)
		}
	}
	if info, err := os.Stat(filepath.Join(into, "etc/ruri/ruri.env")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the settings: %v, %v", info, err)
	}
}

// serve starts a server and returns its address and what stops it as a supervisor does.
func serve(t *testing.T, cmd *exec.Cmd) (base string, stop func()) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(` is at (https?://\S+)`)
	lines := bufio.NewScanner(out)
	for base == "" && lines.Scan() {
		if found := at.FindStringSubmatch(lines.Text()); found != nil {
			base = found[1]
		}
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, out)
	}()
	return base, func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-drained
		if err := cmd.Wait(); err != nil {
			t.Errorf("after SIGTERM the server ended with %v", err)
		}
	}
}

// untar lists an archive and unpacks it, if into names a folder.
func untar(t *testing.T, archive, into string) (names []string) {
	t.Helper()
	zipped, err := gzip.NewReader(bytes.NewReader(read(t, archive)))
	if err != nil {
		t.Fatal(err)
	}
	var times []int64
	for r := tar.NewReader(zipped); ; {
		header, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names, times = append(names, header.Name), append(times, header.ModTime.Unix())
		if header.Uname != "root" || !filepath.IsLocal(header.Name) {
			t.Errorf("%s: %s belongs to %q", archive, header.Name, header.Uname)
		}
		if into != "" {
			write(t, filepath.Join(into, header.Name), r, os.FileMode(header.Mode))
		}
	}
	oneTime(t, archive, times)
	return names
}

func unzip(t *testing.T, archive, into string) (names []string) {
	t.Helper()
	r, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var times []int64
	for _, f := range r.File {
		names, times = append(names, f.Name), append(times, f.Modified.Unix())
		if into != "" && !f.FileInfo().IsDir() {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(into, f.Name), in, f.Mode())
		}
	}
	oneTime(t, archive, times)
	return names
}

func oneTime(t *testing.T, archive string, times []int64) {
	t.Helper()
	if slices.Sort(times); times[0] != times[len(times)-1] {
		t.Errorf("%s has files of different times", archive)
	}
}

func write(t *testing.T, path string, from io.Reader, mode os.FileMode) {
	t.Helper()
	data, err := io.ReadAll(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, data, mode.Perm())
	}
	if err != nil {
		t.Fatal(err)
	}
}
