package api_test

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/api"
)

var placeholder = regexp.MustCompile(`\{\w+\}`)

// No route fails for any value in place of an id, and an impossible id is not found.
func TestInvalidPathValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.withQueue()
	values := map[string]int{ // the answer, 0 where it is the route's affair
		"%ff%fe": 404, "a%00": 404, "%0a": 404, "%7f": 404, "%c2%85": 404, "%ed%a0%80": 404,
		strings.Repeat("a", 257): 404, strings.Repeat("1", 5000): 404, strings.Repeat("%e3%81%82", 400): 404,
		"0": 0, "-1": 0, "99999999999999999999": 0, "a%2Fb": 0, "%20": 0, "%F0%9F%92%A5": 0, "{id}": 0,
		strings.Repeat("a", 256): 0,
	}
	tried := 0
	for _, route := range (&api.Server{}).Routes() {
		places := placeholder.FindAllStringIndex(route.Path, -1)
		for _, at := range places {
			for value, want := range values {
				path := placeholder.ReplaceAllString(route.Path[:at[0]], "1") + value +
					placeholder.ReplaceAllString(route.Path[at[1]:], "1")
				for _, body := range []string{"", "{}"} {
					tried++
					r := httptest.NewRequest(route.Method, path, strings.NewReader(body))
					r.Header.Set("Authorization", "Bearer "+w.token)
					rec := httptest.NewRecorder()
					w.handler.ServeHTTP(rec, r)
					if route.Person && rec.Code == 403 {
						continue // the token is not let in at all
					}
					if rec.Code >= 500 || want != 0 &&
						(rec.Code != want || !strings.Contains(rec.Body.String(), `"not_found"`)) {
						t.Errorf("%s %.60s answers %d %s", route.Method, path, rec.Code, rec.Body)
					}
				}
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d requests: the routes were not found", tried)
	}
}
