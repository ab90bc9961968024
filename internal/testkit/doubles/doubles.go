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
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/child"
	"github.com/ruri-reader/ruri/internal/testkit/repository"
)

// command returns the arguments that start a server, and the file whose absence means that it is not installed.
type command func(root string) (argv []string, needs string)

// double is a server that all tests of a binary share: started by the first test that uses it, and not stopped before
// the binary ends, since it takes 0.5 s and 80 MB.
type double struct {
	name    string
	command command
	server  func() (*server, error)
}

func newDouble(name string, c command) *double {
	return &double{name, c, sync.OnceValues(func() (*server, error) { return open(c) })}
}

var (
	dynalite = newDouble("dynalite", nodeCommand("dynalite/cli.js",
		// Tables are there at once; the defaults sleep half a second for each.
		"--createTableMs", "0", "--deleteTableMs", "0", "--updateTableMs", "0"))
	fauxqs = newDouble("fauxqs", nodeCommand("fauxqs/dist/cli.js"))
	oidc   = newDouble("oidc-provider", oidcCommand)
	moto   = newDouble("moto", motoCommand("internal/testkit/doubles/moto_atomic.py"))
	names  atomic.Int64
)

var errMissing = errors.New("not installed: run make tools")

// open starts a server.
func open(c command) (*server, error) {
	root, err := repository.Root()
	if err != nil {
		return nil, err
	}
	argv, needs := c(root)
	if _, err := os.Stat(needs); err != nil {
		return nil, fmt.Errorf("%w (%s is missing)", errMissing, needs)
	}
	return start(argv)
}

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
	c := motoCommand(name)
	for _, d := range []*double{dynalite, fauxqs, moto} {
		if d.name == name {
			c = d.command
		}
	}
	s, err := open(c)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", name, err)
	}
	return s.url, func() { child.Kill(s.cmd); <-s.done }, nil
}

func (d *double) url(t testing.TB) string {
	t.Helper()
	s, err := d.server()
	if err == nil {
		err = s.alive()
	}
	switch {
	case errors.Is(err, errMissing) && os.Getenv("RURI_REQUIRE_DOUBLES") != "1":
		t.Skipf("%s: %v", d.name, errMissing)
	case err != nil:
		t.Fatalf("%s: %v", d.name, err)
	}
	return s.url
}

func motoCommand(script string) command {
	return func(root string) ([]string, string) {
		python := filepath.Join(root, ".tools", "venv", "bin", "python")
		return []string{python, filepath.Join(root, script), "-H", "127.0.0.1", "-p", "0"},
			filepath.Join(root, ".tools", "venv", ".doubles-installed")
	}
}

func oidcCommand(root string) ([]string, string) {
	here := filepath.Join(root, "internal", "testkit", "doubles")
	library := filepath.Join(root, ".tools", "doubles", "node_modules", "oidc-provider", "lib", "index.js")
	return []string{"node", "--require", filepath.Join(here, "loopback.cjs"), filepath.Join(here, "oidc.mjs"), library},
		library
}

func nodeCommand(script string, args ...string) command {
	return func(root string) ([]string, string) {
		dir := filepath.Join(root, ".tools", "doubles")
		preload := filepath.Join(root, "internal", "testkit", "doubles", "loopback.cjs")
		argv := []string{"node", "--require", preload, filepath.Join(dir, "node_modules", script)}
		return append(argv, args...), filepath.Join(dir, ".installed")
	}
}
