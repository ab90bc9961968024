package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/assets/samples"
)

// TestWatch: a page is watched once its terms are accepted, looked at, and its results printed.
func TestWatch(t *testing.T) {
	t.Parallel()
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/search" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<title>Lamps</title><ul>")
		for i := 1; i < 6; i++ {
			fmt.Fprintf(w,
				`<li class=item><h3><a href="/%d">A lamp of kind %[1]d</a></h3><b class=price>¥%[1]d00</b></li>`, i)
		}
		fmt.Fprint(w, "</ul>")
	}))
	defer shop.Close()
	data := t.TempDir()
	if out := must(t, data, "", "watch", "add", shop.URL+"/search"); !strings.Contains(out, "lists 5 things") ||
		!strings.Contains(out, "--accept") {
		t.Errorf("add printed\n%s", out)
	}
	if out := must(t, data, "", "watch", "list", "--json"); out != "[]\n" {
		t.Errorf("list printed\n%s", out)
	}
	if out := must(t, data, "", "watch", "add", "--accept", shop.URL+"/search"); !strings.Contains(out,
		"Watch 1 was made") {
		t.Errorf("add printed\n%s", out)
	}
	if out := must(t, data, "", "watch", "run", "1"); out != "0 changes were announced.\n" {
		t.Errorf("run printed\n%s", out)
	}
	if out := must(t, data, "", "watch", "run", "1"); !strings.Contains(out, "a moment ago") {
		t.Errorf("run printed\n%s", out)
	}
	var list []watchLine
	if err := json.Unmarshal([]byte(must(t, data, "", "watch", "list", "--json")), &list); err != nil ||
		len(list) != 1 || list[0].Name != "Lamps" || list[0].OnSale != 5 || *list[0].Lowest != 100 {
		t.Errorf("%+v, %v", list, err)
	}
	if out := must(t, data, "", "watch", "list"); !strings.Contains(out, "¥100") || !strings.Contains(out, "Lamps") {
		t.Errorf("list printed\n%s", out)
	}
	var results []resultLine
	if err := json.Unmarshal([]byte(must(t, data, "", "watch", "results", "--json", "--limit", "2", "1")),
		&results); err != nil || len(results) != 2 || *results[0].Price != 100 || results[0].Status != "onSale" {
		t.Errorf("%+v, %v", results, err)
	}
	if out := must(t, data, "", "watch", "results", "1"); strings.Count(out, "\n") != 5 ||
		!strings.HasPrefix(out, "¥100") {
		t.Errorf("results printed\n%s", out)
	}
	adapter := filepath.Join(t.TempDir(), "shop.json")
	for _, c := range []struct {
		body, want string
		code       int
	}{
		{string(samples.Adapter("http://127.0.0.1:9999")), "demo-shop is valid; its examples", ExitOK},
		{`{"name":"shop","version":1,"hosts":["shop.example"],"list":{"url":"https://shop.example/?q={keyword}",` +
			`"rows":"li","fields":{"title":"h3"}}}`, "no examples", ExitOK},
		{`{"name":"shop"}`, "wrong at version: a number from 1", ExitError},
		{`# An adapter`, "ruri: The file is no adapter: invalid character", ExitError},
	} {
		if err := os.WriteFile(adapter, []byte(c.body), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, errors := ruri(t, data, "", "watch", "test", adapter); code != c.code ||
			!strings.Contains(out+errors, c.want) {
			t.Errorf("test of %s exits with %d: %s%s", c.body, code, out, errors)
		}
	}
	if err := os.WriteFile(adapter, samples.Adapter("http://127.0.0.1:9999"), 0o600); err != nil {
		t.Fatal(err)
	}
	saved := func() int {
		app := openInstallation(t, data, nil)
		defer app.Close()
		list, err := app.Watching.Adapters(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	must(t, data, "", "watch", "test", adapter)
	if n := saved(); n != 0 {
		t.Errorf("a test saves %d adapters", n)
	}
	must(t, data, "", "watch", "test", "--save", adapter)
	if n := saved(); n != 1 {
		t.Errorf("%d adapters are saved, not 1", n)
	}
}
