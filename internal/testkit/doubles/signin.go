package doubles

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var (
	formAction  = regexp.MustCompile(`<form[^>]*action="([^"]+)"`)
	hiddenInput = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)
)

// SignIn signs a person in at the OIDC double, from the authorization URL on: it fills in the login form and consents.
// It returns the URL below redirect that the provider sends the browser to, without requesting it.
func SignIn(t testing.TB, c *http.Client, from, redirect, person string) *url.URL {
	t.Helper()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := c.Get(from)
	for range 20 {
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if to, err := resp.Location(); err == nil {
			if strings.HasPrefix(to.String(), redirect) {
				return to
			}
			resp, err = c.Get(to.String())
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		form := formAction.FindSubmatch(body)
		if resp.StatusCode != http.StatusOK || form == nil {
			t.Fatalf("%s answered %d: %.500s", resp.Request.URL, resp.StatusCode, body)
		}
		values := url.Values{"login": {person}, "password": {"any"}}
		for _, m := range hiddenInput.FindAllSubmatch(body, -1) {
			values.Set(string(m[1]), string(m[2]))
		}
		to, perr := resp.Request.URL.Parse(string(form[1]))
		if perr != nil {
			t.Fatal(perr)
		}
		resp, err = c.PostForm(to.String(), values)
	}
	t.Fatal("the sign-in at the provider does not end")
	return nil
}
