package cli

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// TestBelowAPath walks through the whole server below a path of its host: signing in, the API, the APIs of apps, and
// the links that it makes. What comes without the path is answered too.
func TestBelowAPath(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	c, err := config.Load(func(name string) (string, bool) {
		v, ok := map[string]string{"RURI_DATA": data, "RURI_BASE_URL": "https://home.example/reader/"}[name]
		return v, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	app, err := localwire.Open(t.Context(), c, localwire.Options{
		Clock: clock.NewManual(early), Version: "test", Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	h := (&invocation{config: c}).routes(app, "http://127.0.0.1:8080")
	ask := func(method, path, body string, headers ...string) (*http.Response, string) {
		t.Helper()
		r := httptest.NewRequest(method, "https://home.example"+path, strings.NewReader(body))
		if method == http.MethodPost {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		got, _ := io.ReadAll(w.Result().Body)
		return w.Result(), string(got)
	}
	leads := func(method, path, to string) *http.Response {
		t.Helper()
		got, _ := ask(method, path, "")
		if at := got.Header.Get("Location"); got.StatusCode/100 != 3 || at != to {
			t.Errorf("%s %s answers %d and leads to %q, want %q", method, path, got.StatusCode, at, to)
		}
		return got
	}
	leads("GET", "/reader", "/reader/")
	leads("GET", "/reader/auth/link/of-nobody", "/reader/login?e=link")
	leads("GET", "/reader/auth/invite/of-nobody", "/reader/login?e=invitation_not_valid")

	link := strings.TrimSpace(must(t, data, "", "link"))
	_, secret, _ := strings.Cut(link, "/auth/link/")
	cookies := leads("POST", "/reader/auth/link/"+secret, "/reader/").Cookies()
	if len(cookies) != 1 || cookies[0].Path != "/reader/" || cookies[0].Name != "__Secure-ruri" || !cookies[0].Secure {
		t.Fatalf("the cookies are %v", cookies)
	}
	session := cookies[0].Name + "=" + cookies[0].Value
	token := strings.TrimSpace(must(t, data, "", "token", "create", "--name", "app", "--scope", "sync"))
	for _, path := range []string{"/reader", ""} { // a proxy may have removed it
		for _, c := range []struct {
			method, path, body, header, value string
			want                              string
		}{
			{"GET", "/healthz", "", "", "", `"version":"test"`},
			{"GET", "/api/me", "", "Cookie", session, `"isOwner":true`},
			{"GET", "/reader/api/0/user-info", "", "Authorization", "GoogleLogin auth=" + token, `"userId"`},
			{"GET", "/api/greader.php/reader/api/0/tag/list?output=json", "", "Authorization",
				"GoogleLogin auth=" + token, `"tags"`},
			{"GET", "/v1/me", "", "X-Auth-Token", token, `"is_admin"`},
			{"GET", "/check/compatibility", "", "", "", "PASS"},
			{"POST", "/fever/?api", "api_key=none", "", "", `"auth":0`},
		} {
			got, body := ask(c.method, path+c.path, c.body, c.header, c.value)
			if got.StatusCode != http.StatusOK || !strings.Contains(body, c.want) {
				t.Errorf("%s answers %d: %s", path+c.path, got.StatusCode, body)
			}
		}
	}
	if _, body := ask("POST", "/reader/api/invitations", `{"note": "for Anna"}`, "Cookie", session,
		"Content-Type", "application/json", "Origin", "https://home.example"); !strings.Contains(body,
		`"https://home.example/reader/auth/invite/`) {
		t.Errorf("an invitation is %s", body)
	}
}
