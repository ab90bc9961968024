package webhook

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
)

// A user's own format is a template of the body, JSON or a form, in which {title}, {url}, {feed}, {author} and
// {snippet} are replaced, and some headers. Values are escaped as the body needs it, so no title changes its structure.

const (
	maxTemplate = 4 << 10
	maxHeaders  = 3
	maxHeader   = 500
)

// reserved are headers that a user may not set: they belong to the connection, or are ours.
var reserved = []string{"Host", "Cookie", "Content-Length", "Content-Type", "Transfer-Encoding", "Connection",
	"Trailer", "Te", "Upgrade", "User-Agent", "Accept-Encoding", "Expect"}

// fill replaces the placeholders of a template.
func fill(template string, m *message, escape func(string) string) string {
	return strings.NewReplacer("{title}", escape(m.Title), "{url}", escape(m.URL), "{feed}", escape(m.Feed),
		"{author}", escape(m.Author), "{snippet}", escape(m.Snippet)).Replace(template)
}

func inJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

// templateType returns the content type of a template's body. The error names where it is wrong.
func templateType(template string) (string, error) {
	bad := func(at int) error { return fault.Coded(fault.Invalid, "bad_template", at).At("template") }
	if template == "" || len(template) > maxTemplate {
		return "", bad(min(len(template), maxTemplate))
	}
	probe := fill(template, &message{}, inJSON)
	var any any
	err := json.Unmarshal([]byte(probe), &any)
	if err == nil {
		return jsonType, nil
	}
	if strings.HasPrefix(strings.TrimSpace(probe), "{") || !strings.Contains(template, "=") ||
		strings.ContainsAny(template, " \t\r\n") {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return "", bad(int(syntax.Offset))
		}
		return "", bad(0)
	}
	if _, err := url.ParseQuery(fill(template, &message{}, url.QueryEscape)); err != nil {
		return "", bad(0)
	}
	return formType, nil
}

// checkHeaders reports headers that cannot be sent.
func checkHeaders(headers map[string]string) error {
	bad := func() error { return fault.Coded(fault.Invalid, "webhook_bad_headers", maxHeaders).At("headers") }
	if len(headers) > maxHeaders {
		return bad()
	}
	for name, value := range headers {
		canonical := http.CanonicalHeaderKey(name)
		if !isToken(name) || slices.Contains(reserved, canonical) || strings.HasPrefix(canonical, "X-Ruri-") ||
			len(name)+len(value) > maxHeader ||
			strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r >= 127 }) {
			return bad()
		}
	}
	return nil
}

// isToken reports whether a name is one of RFC 9110, 5.6.2.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("!#$%&'*+-.^_`|~", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') &&
			(r < 'A' || r > 'Z')
	})
}

// ownRequest makes the request of a delivery by a user's template.
func ownRequest(address, template string, headers map[string]string, key string, m *message) (to string,
	post *fetch.Post, err error) {
	kind, err := templateType(template)
	if err != nil {
		return "", nil, err
	}
	escape := inJSON
	if kind == formType {
		escape = url.QueryEscape
	}
	post = &fetch.Post{ContentType: kind, Body: []byte(fill(template, m, escape)), Header: map[string]string{}}
	for name, value := range headers {
		post.Header[name] = strings.ReplaceAll(value, keyMark, key)
	}
	return strings.ReplaceAll(address, keyMark, key), post, nil
}
