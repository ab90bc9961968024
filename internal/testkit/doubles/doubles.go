// Package doubles starts real protocol endpoints for tests: dynalite (DynamoDB), moto (S3, SQS, DynamoDB),
// fauxqs (SQS) and oidc-provider (OpenID Connect), each on a free port of loopback, one per test binary, gone with it.
//
// They are programs of others, pinned in package-lock.json and requirements.txt beside this file and installed
// under .tools/ by install.sh ("make tools"). A test that asks for one that is not installed is skipped, or
// fails when RURI_REQUIRE_DOUBLES=1, as it is in CI.
//
// All tests of a binary share a server, also those that run in parallel: name tables, buckets and queues
// with Name, and reset nothing.
package doubles

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A double is one shared server: started by the first test that wants it, never stopped before the binary ends.
type double struct {
	name    string
	command func(root string) ([]string, string) // argv, and the file that must exist
	once    sync.Once
	server  *server
	missing string
	err     error
}

// Mutable on purpose: a server of 0.5 s and 80 MB is shared by all tests of the binary.
var (
	dynalite = &double{name: "dynalite", command: nodeCommand("dynalite/cli.js",
		// Tables are there at once; the defaults sleep half a second for each.
		"--createTableMs", "0", "--deleteTableMs", "0", "--updateTableMs", "0")}
	fauxqs = &double{name: "fauxqs", command: nodeCommand("fauxqs/dist/cli.js")}
	oidc   = &double{name: "oidc-provider", command: oidcCommand}
	moto   = &double{name: "moto", command: motoCommand("internal/testkit/doubles/moto_atomic.py")}
	names  atomic.Int64
)

// Dynalite gives the URL of a DynamoDB endpoint: strict and fast, right capacity for table reads and writes;
// without transactions, the TTL API, and items on a failed condition.
func Dynalite(t testing.TB) string { t.Helper(); return dynalite.url(t) }

// Moto gives the URL of an endpoint for DynamoDB, S3 (path style) and SQS among others: complete, slow,
// lax on limits, wrong on capacity.
func Moto(t testing.TB) string { t.Helper(); return moto.url(t) }

// Fauxqs gives the URL of an SQS endpoint.
func Fauxqs(t testing.TB) string { t.Helper(); return fauxqs.url(t) }

// OIDC gives the issuer of an OpenID Connect provider: see oidc.mjs for who signs in there.
func OIDC(t testing.TB) string { t.Helper(); return oidc.url(t) }

// Name makes a name that no other test of this binary uses, fit for tables, buckets and queues.
func Name(prefix string) string { return fmt.Sprintf("%s-%d", prefix, names.Add(1)) }

// Serve starts a server of its own, outside of tests: dynalite, fauxqs, moto, or, by the path of a script of the
// repository that starts it, moto with more. It ends with stop, or with the program.
func Serve(name string) (url string, stop func(), err error) {
	root, err := repoRoot()
	if err != nil {
		return "", nil, err
	}
	command := motoCommand(name)
	for _, d := range []*double{dynalite, fauxqs, moto} {
		if d.name == name {
			command = d.command
		}
	}
	argv, needs := command(root)
	if _, err := os.Stat(needs); err != nil {
		return "", nil, fmt.Errorf("%s is not installed: run make tools (%s is missing)", name, needs)
	}
	s, err := start(argv)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", name, err)
	}
	return s.url, func() { killGroup(s.pid); <-s.done }, nil
}

func (d *double) url(t testing.TB) string {
	t.Helper()
	d.once.Do(d.start)
	switch {
	case d.missing != "" && os.Getenv("RURI_REQUIRE_DOUBLES") == "1":
		t.Fatalf("%s: not installed: run make tools (%s is missing)", d.name, d.missing)
	case d.missing != "":
		t.Skipf("%s: not installed: run make tools", d.name)
	case d.err != nil:
		t.Fatalf("%s: %v", d.name, d.err)
	}
	if err := d.server.alive(); err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	return d.server.url
}

func (d *double) start() {
	root, err := repoRoot()
	if err != nil {
		d.err = err
		return
	}
	argv, needs := d.command(root)
	for _, f := range []string{needs, argv[0]} {
		if _, err := os.Stat(f); err != nil && strings.ContainsRune(f, filepath.Separator) {
			d.missing = f
			return
		}
	}
	d.server, d.err = start(argv)
}

func motoCommand(script string) func(string) ([]string, string) {
	return func(root string) ([]string, string) {
		python := filepath.Join(root, ".tools", "venv", "bin", "python")
		return []string{python, filepath.Join(root, script), "-H", "127.0.0.1", "-p", "0"},
			filepath.Join(root, ".tools", "venv", ".doubles-installed")
	}
}

func oidcCommand(root string) ([]string, string) {
	here := filepath.Join(root, "internal", "testkit", "doubles")
	library := filepath.Join(root, ".tools", "doubles", "node_modules", "oidc-provider", "lib", "index.js")
	return []string{"node", "--require", filepath.Join(here, "loopback.cjs"), filepath.Join(here, "oidc.mjs"), library}, library
}

func nodeCommand(script string, args ...string) func(string) ([]string, string) {
	return func(root string) ([]string, string) {
		dir := filepath.Join(root, ".tools", "doubles")
		preload := filepath.Join(root, "internal", "testkit", "doubles", "loopback.cjs")
		argv := []string{"node", "--require", preload, filepath.Join(dir, "node_modules", script)}
		return append(argv, args...), filepath.Join(dir, ".installed")
	}
}

// repoRoot walks up from the test's folder to the one with go.mod.
func repoRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
		dir = up
	}
}
