package webhook

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/fault"
)

func TestTemplates(t *testing.T) {
	t.Parallel()
	m := &message{Title: `a "b" & {url}`, URL: "https://example.org/?a=1&b=2", Feed: "F", Snippet: "line\nline"}
	for _, c := range []struct{ template, kind, want string }{
		{`{"t":"{title}","u":["{url}"]}`, jsonType, `{"t":"a \"b\" \u0026 {url}","u":["https://example.org/?a=1\u0026b=2"]}`},
		{`"{snippet}"`, jsonType, `"line\nline"`},
		{`u={url}&t={title}`, formType, `u=https%3A%2F%2Fexample.org%2F%3Fa%3D1%26b%3D2&t=a+%22b%22+%26+%7Burl%7D`},
		{`{"t":{title}}`, "", ""}, {``, "", ""}, {`{title}`, "", ""}, {`plain text`, "", ""},
		{`{"t":"{title}"`, "", ""},
		{`a=%zz`, "", ""}, {strings.Repeat("a=b&", 1200), "", ""},
	} {
		kind, err := templateType(c.template)
		if kind != c.kind || (err == nil) == (c.kind == "") || err != nil && fault.CodeOf(err) != "bad_template" {
			t.Errorf("%q: %q, %v", c.template, kind, err)
		}
		if err != nil {
			continue
		}
		_, post, err := ownRequest("https://example.org/", c.template, nil, "", m)
		if err != nil || string(post.Body) != c.want {
			t.Errorf("%q: %s, %v, want %s", c.template, post.Body, err, c.want)
		}
	}
}

func TestHeadersOfOwnFormats(t *testing.T) {
	t.Parallel()
	for name, isGood := range map[string]bool{
		"Authorization": true, "X-Token": true, "host": false, "Cookie": false, "content-length": false,
		"X-Ruri-Event":      false,
		"transfer-encoding": false, "a b": false, "": false, "a:b": false,
	} {
		if err := checkHeaders(map[string]string{name: "v {key}"}); (err == nil) != isGood {
			t.Errorf("%q: %v", name, err)
		}
	}
	if checkHeaders(map[string]string{"A": "x\r\nB: y"}) == nil {
		t.Error("a value with a line break was accepted")
	}
}

// FuzzTemplate: whatever an article has, the body stays of its kind, with the same structure.
func FuzzTemplate(f *testing.F) {
	f.Add("title", "https://example.org/")
	f.Add("\"},{\"", "{title}&x=1\x00\xff")
	f.Fuzz(func(t *testing.T, title, address string) {
		m := &message{Title: title, URL: address}
		var out map[string]string
		err := json.Unmarshal([]byte(fill(`{"a":"{title}","b":"{url}"}`, m, inJSON)), &out)
		if err != nil || len(out) != 2 {
			t.Errorf("%q, %q: %v, %v", title, address, out, err)
		}
		form, err := url.ParseQuery(fill("a={title}&b={url}", m, url.QueryEscape))
		if err != nil || len(form) != 2 || form.Get("a") != title || form.Get("b") != address {
			t.Errorf("%q, %q: %v, %v", title, address, form, err)
		}
		if text := Clip(title, 20); len(text) > max(20, 0) || utf8.ValidString(title) && !utf8.ValidString(text) {
			t.Errorf("%q is clipped to %q", title, text)
		}
	})
}
