package fetch

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestGuardedClient: what a library sends goes by the guard, follows nothing, keeps nothing and reads no more than it
// may.
func TestGuardedClient(t *testing.T) {
	t.Parallel()
	var agent string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		agent = r.Header.Get("User-Agent")
		switch r.URL.Path {
		case "/there":
			http.Redirect(w, r, "/", http.StatusFound)
		default:
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			_, _ = io.WriteString(w, strings.Repeat("x", 100)+r.Header.Get("Cookie"))
		}
	})
	read := func(max int64, path string) (int, int, error) {
		c := loopback(t).Guarded(time.Minute, max)
		resp, err := c.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		b, err := io.ReadAll(resp.Body)
		return resp.StatusCode, len(b), err
	}
	for max, want := range map[int64]error{101: nil, 100: nil, 99: ErrTooLarge, 0: ErrTooLarge} {
		if _, n, err := read(max, "/"); !errors.Is(err, want) || int64(n) != min(max, 100) {
			t.Errorf("of at most %d bytes %d were read, %v", max, n, err)
		}
	}
	if status, _, _ := read(100, "/there"); status != http.StatusFound {
		t.Errorf("a redirect gives %d", status)
	}
	if !strings.Contains(agent, "Ruri") {
		t.Errorf("it says it is %q", agent)
	}
	closed := New(Options{})
	t.Cleanup(closed.Close)
	_, err := closed.Guarded(time.Minute, 100).Get(url)
	var no *refusal
	if !errors.As(err, &no) {
		t.Errorf("a private address gives %v", err)
	}
}
