package doubles

import (
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestEachAnswersOnLoopback(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB) string{"dynalite": Dynalite, "moto": Moto, "fauxqs": Fauxqs} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(start(t))
			if err != nil || u.Hostname() != "127.0.0.1" {
				t.Fatalf("url %v: %v", u, err)
			}
			if again := start(t); again != u.String() {
				t.Errorf("second call started another server: %s and %s", u, again)
			}
			c, err := net.Dial("tcp", u.Host)
			if err != nil {
				t.Fatal(err)
			}
			_ = c.Close()
		})
	}
}

// The doubles speak without authentication, so none of them may be reached from outside the machine.
func TestNodeDoublesListenOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB) string{"dynalite": Dynalite, "fauxqs": Fauxqs} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, _ := url.Parse(start(t))
			// The whole of 127.0.0.0/8 is this machine: only a server bound to all interfaces answers on .2.
			c, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.2", u.Port()), time.Second)
			if err == nil {
				_ = c.Close()
				t.Error("answers on 127.0.0.2 too: bound to all interfaces")
			}
		})
	}
}

func TestServerThatEndsAtOnceIsReportedWithItsWords(t *testing.T) {
	t.Parallel()
	_, err := start([]string{"sh", "-c", "echo no such module >&2; exit 3"})
	if err == nil || !strings.Contains(err.Error(), "no such module") {
		t.Fatalf("error %v, want the process's own words", err)
	}
}

// TestDiesWithTheTestBinary runs this binary again; the child starts a server and ends by a panic.
func TestDiesWithTheTestBinary(t *testing.T) {
	if os.Getenv("DOUBLES_PANIC") == "1" {
		println("URL " + Dynalite(t))
		panic("as a failing test would")
	}
	t.Parallel()
	Dynalite(t) // skips when not installed
	cmd := exec.Command(os.Args[0], "-test.run=^TestDiesWithTheTestBinary$")
	cmd.Env = append(os.Environ(), "DOUBLES_PANIC=1")
	out, err := cmd.CombinedOutput()
	_, rest, ok := strings.Cut(string(out), "URL http://")
	if err == nil || !ok {
		t.Fatalf("child ended with %v: %s", err, out)
	}
	addr, _, _ := strings.Cut(rest, "\n")
	for range 6000 { // a minute
		c, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		_ = c.Close()
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s still answers after its test binary panicked", addr)
}

func TestAddressSplitOverWrites(t *testing.T) {
	t.Parallel()
	o := &output{found: make(chan string, 1)}
	for _, part := range []string{"noise\n * Running on http://127.0", ".0.1:80", "81\nmore http://127.0.0.1:9\n"} {
		_, _ = o.Write([]byte(part))
	}
	if got := <-o.found; got != "http://127.0.0.1:8081" {
		t.Errorf("found %q", got)
	}
}

func TestNamesDiffer(t *testing.T) {
	t.Parallel()
	if a, b := Name("x"), Name("x"); a == b {
		t.Errorf("twice %s", a)
	}
}
