package clients

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
)

// TestForm: programs send forms in many ways, and none is refused.
func TestForm(t *testing.T) {
	t.Parallel()
	const parts = "--b\r\nContent-Disposition: form-data; name=\"i\"\r\n\r\n1\r\n--b\r\nContent-Disposition: " +
		"form-data; name=\"i\"\r\n\r\n2\r\n--b--\r\n"
	for name, c := range map[string]struct{ method, query, kind, body, want string }{
		"encoded": {"POST", "", "application/x-www-form-urlencoded", "i=1&i=2&s=feed%2F1", "1,2"},
		"encoded, with a newline": {"POST", "", "application/x-www-form-urlencoded; charset=utf-8",
			"i=1&i=2\n", "1,2"},
		"without a content type":   {"POST", "", "", "i=1&i=2", "1,2"},
		"with a wrong one":         {"POST", "", "application/json", "i=1&i=2", "1,2"},
		"with a damaged one":       {"POST", "", ";;", "i=1&i=2", "1,2"},
		"multipart":                {"POST", "", "multipart/form-data; boundary=b", parts, "1,2"},
		"multipart, cut off":       {"POST", "", "multipart/form-data; boundary=b", parts[:len(parts)-40], "1"},
		"multipart, no boundary":   {"POST", "", "multipart/form-data", "i=1&i=2", "1,2"},
		"in the address":           {"POST", "i=1&i=2", "", "", "1,2"},
		"in both":                  {"POST", "i=2", "", "i=1", "1,2"},
		"a part that is malformed": {"POST", "i=%zz&i=2;3&i=2", "", "i=1", "1,2"},
		"GET":                      {"GET", "i=1&i=2", "", "i=3", "1,2"},
	} {
		r := httptest.NewRequest(c.method, "/?"+c.query, strings.NewReader(c.body))
		if c.kind != "" {
			r.Header.Set("Content-Type", c.kind)
		}
		form, err := Form(r)
		if got := strings.Join(form["i"], ","); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
	const many = 25_000
	r := httptest.NewRequest(http.MethodPost, "/?i="+strings.Repeat("&i=9", many-1), strings.NewReader("&a=read&i=1"+
		strings.Repeat("&i=2", many-2)+"&i=3&"))
	form, err := Form(r)
	if ids := form["i"]; err != nil || len(ids) != 2*many || ids[0] != "1" || ids[many-1] != "3" ||
		ids[many] != "" || form.Get("a") != "read" {
		t.Errorf("%d ids of %d, %v", len(form["i"]), 2*many, err)
	}
	large := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("i="+strings.Repeat("1", maxForm)))
	if _, err := Form(large); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a body of %d bytes gives %v", maxForm+2, err)
	}
}

func FuzzForm(f *testing.F) {
	f.Add("multipart/form-data; boundary=b", "--b\r\n\r\n\r\n--b--")
	f.Add("", "i=1&i=%")
	f.Fuzz(func(t *testing.T, kind, body string) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		if _, err := Form(r); err != nil {
			t.Errorf("%q of the type %q gives %v", body, kind, err)
		}
	})
}
