// Package walk goes through a provider's pages as a person with a browser does: it fills in the log-in form, says
// yes to the consent, and stops where the way leads back to the reader.
package walk

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var (
	action = regexp.MustCompile(`<form[^>]*action="([^"]+)"`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)
)

// Provider signs in at oidc-provider (testkit/doubles.OIDC) as a person, from the address where the reader sends
// people, and gives the address that it sends them back to, unvisited.
func Provider(t testing.TB, c *http.Client, from, redirect, person string) *url.URL {
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
		form := action.FindSubmatch(body)
		if resp.StatusCode != http.StatusOK || form == nil {
			t.Fatalf("%s answered %d: %.500s", resp.Request.URL, resp.StatusCode, body)
		}
		values := url.Values{"login": {person}, "password": {"any"}}
		for _, m := range hidden.FindAllSubmatch(body, -1) {
			values.Set(string(m[1]), string(m[2]))
		}
		to, perr := resp.Request.URL.Parse(string(form[1]))
		if perr != nil {
			t.Fatal(perr)
		}
		resp, err = c.PostForm(to.String(), values)
	}
	t.Fatal("the provider's pages do not end")
	return nil
}
