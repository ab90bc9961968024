package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/clock"
)

// unread is a client that reads nothing until it is let.
type unread struct {
	http.ResponseWriter
	asked, let chan struct{}
}

func (u *unread) Write(b []byte) (int, error) {
	close(u.asked)
	<-u.let
	return u.ResponseWriter.Write(b)
}

// TestHeld: while large answers that nobody reads fill the memory for them, further large ones are refused with 429 and
// a time, and small ones are not; the first is always taken.
func TestHeld(t *testing.T) {
	t.Parallel()
	s := &Server{Options: Options{Clock: clock.System{}}, held: held{most: 5 << 20}}
	answer := func(w http.ResponseWriter, size int) {
		r := &request{w: &response{ResponseWriter: w, held: &s.held},
			Request: httptest.NewRequest("GET", "/", http.NoBody)}
		if err := r.bytes(http.StatusOK, "text/plain", make([]byte, size)); err != nil {
			s.fail(r, err)
		}
	}
	ask := func(size int) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		answer(rec, size)
		return rec
	}
	slow := &unread{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		answer(slow, 4<<20)
	}()
	<-slow.asked
	if rec := ask(2 << 20); rec.Code != http.StatusTooManyRequests || rec.Header().Get("Retry-After") != "10" ||
		rec.Header().Get("ETag") != "" || !strings.Contains(rec.Body.String(), `"rate_limited"`) {
		t.Errorf("a second large answer: %d %v %s", rec.Code, rec.Header(), rec.Body)
	}
	for _, size := range []int{1 << 20, largeAnswer - 1, 10} {
		if rec := ask(size); rec.Code != http.StatusOK || rec.Body.Len() != size {
			t.Errorf("%d bytes, which fit: %d", size, rec.Code)
		}
	}
	close(slow.let)
	<-done
	for _, size := range []int{2 << 20, 9 << 20} {
		if rec := ask(size); rec.Code != http.StatusOK || rec.Body.Len() != size {
			t.Errorf("%d bytes when nothing waits: %d", size, rec.Code)
		}
	}
	if s.held.bytes != 0 {
		t.Errorf("%d bytes are still counted", s.held.bytes)
	}
}
