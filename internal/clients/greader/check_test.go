package greader_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
)

// TestCheck: the page is allowed its own script and style, in both languages; its request tells what a proxy took away.
func TestCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	c := w.client("")
	for _, path := range []string{"/check/compatibility", "/api/greader.php/check/compatibility", "/api/greader.php",
		"/api/greader.php/"} {
		for lang, words := range map[string]string{"en-GB": "Can apps connect?", "ja": "アプリは接続できますか"} {
			status, page := c.do("GET", path, nil, "Accept", "text/html,*/*", "Accept-Language", lang)
			if status != 200 || !strings.Contains(page, words) {
				t.Fatalf("%s in %s answers %d %.200s", path, lang, status, page)
			}
			for tag, part := range map[string]string{`<script type="module">`: "</script>", "<style>": "</style>"} {
				_, rest, _ := strings.Cut(page, tag)
				text, _, found := strings.Cut(rest, part)
				sum := sha256.Sum256([]byte(text))
				if !found || !strings.Contains(c.header.Get("Content-Security-Policy"),
					"'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
					t.Errorf("the policy %s does not allow %.60q", c.header.Get("Content-Security-Policy"), text)
				}
			}
		}
		if status, body := c.do("GET", path, nil); status != 200 || body != "PASS\n" {
			t.Errorf("a program gets %d %q", status, body)
		}
	}
	both := url.Values{"i": {"1", "2"}}
	for name, x := range map[string]struct {
		form         url.Values
		header, want string
	}{
		"all there": {both, "GoogleLogin auth=check", "PASS\n"},
		"no header": {both, "", "FAIL: no Authorization header\n"},
		"no form":   {nil, "GoogleLogin auth=check", "FAIL: no form\n"},
	} {
		if status, body := c.do("POST", "/check/compatibility", x.form, "Authorization", x.header); status != 200 ||
			body != x.want {
			t.Errorf("%s: %d %q, want %q", name, status, body, x.want)
		}
	}
}
