package webhook

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
)

// Formats of a delivery. The zero value is Ruri, our own signed JSON.
const (
	FormatRuri = "ruri"
	FormatOwn  = "own"
)

// keyMark stands for the key in addresses and headers.
const keyMark = "{key}"

// format describes the requests that a service accepts.
type format struct {
	// isEach: a request for each item, as for a list of bookmarks; else one message says what has arrived.
	isEach bool
	// needsKey: the service accepts nothing without one. With inPath it is part of the address.
	needsKey, inPath bool
	// end is the path of the service's API; it is appended to an address that has no path.
	end string
	// header and value carry the key, if there is one.
	header, value string
	// body returns what is sent: values of a form, or what becomes JSON. It may move a part of the address into it.
	body func(u *url.URL, m *message) any
	// okay is the field of an answer that must be true; services say so, or a proxy before them has answered.
	okay string
	// isJSON: the service answers JSON, so that a page is an answer of something else before it.
	isJSON bool
	// signIn is where a key is exchanged for a token, which takes its place.
	signIn string
}

var formats = map[string]format{
	"ntfy": {header: "Authorization", value: "Bearer {key}", isJSON: true, body: ntfyBody},
	"gotify": {needsKey: true, end: "/message", header: "X-Gotify-Key", value: "{key}", isJSON: true,
		body: gotifyBody},
	"telegram": {inPath: true, body: telegramBody, okay: "ok"},
	"slack":    {inPath: true, body: slackBody},
	"discord":  {inPath: true, body: discordBody},
	"readwise": {isEach: true, isJSON: true, needsKey: true, end: "/api/v3/save/", header: "Authorization",
		value: "Token {key}",
		body: func(_ *url.URL, m *message) any {
			return fields{"url": m.URL, "title": m.Title, "author": m.Author, "summary": m.Snippet,
				"published_date": m.Published, "saved_using": "Ruri Reader"}
		}},
	"linkding": {isEach: true, isJSON: true, needsKey: true, end: "/api/bookmarks/", header: "Authorization",
		value: "Token {key}",
		body: func(_ *url.URL, m *message) any {
			return fields{"url": m.URL, "title": m.Title, "description": m.Snippet}
		}},
	"raindrop": {isEach: true, needsKey: true, end: "/rest/v1/raindrop", header: "Authorization", value: "Bearer {key}",
		okay: "result", body: func(_ *url.URL, m *message) any {
			return fields{"link": m.URL, "title": m.Title, "excerpt": m.Snippet}
		}},
	"instapaper": {isEach: true, needsKey: true, end: "/api/add", header: "Authorization", value: "Basic {key}",
		body: func(_ *url.URL, m *message) any {
			return url.Values{"url": {m.URL}, "title": {m.Title}, "selection": {m.Snippet}}
		}},
	"wallabag": {isEach: true, isJSON: true, needsKey: true, end: "/api/entries.json", header: "Authorization",
		value: "Bearer {key}", signIn: "/oauth/v2/token", body: func(_ *url.URL, m *message) any {
			return fields{"url": m.URL, "title": m.Title, "authors": m.Author}
		}},
	FormatOwn: {isEach: true},
}

// fields are those of a JSON object; empty ones are left out.
type fields map[string]any

// Formats lists the names of all formats, our own first.
func Formats() []string {
	names := make([]string, 0, len(formats)+1)
	for name := range formats {
		names = append(names, name)
	}
	slices.Sort(names)
	return append([]string{FormatRuri}, names...)
}

// ntfyBody publishes as JSON to the server's root, because headers cannot carry titles in every script; the topic is
// the last part of the address.
func ntfyBody(u *url.URL, m *message) any {
	path := strings.TrimSuffix(u.Path, "/")
	cut := strings.LastIndexByte(path, '/') + 1
	topic := path[cut:]
	u.Path, u.RawPath = path[:cut], ""
	return fields{"topic": topic, "title": m.Title, "message": Clip(m.Text, maxText), "click": m.URL}
}

func gotifyBody(_ *url.URL, m *message) any {
	out := fields{"title": m.Title, "message": Clip(m.Text, maxText)}
	if m.URL != "" {
		out["extras"] = fields{"client::notification": fields{"click": fields{"url": m.URL}}}
	}
	return out
}

// telegramBody takes the chat from the address, where it may stand as in the bot API's own examples. Without a
// parse_mode, no text is markup.
func telegramBody(u *url.URL, m *message) any {
	q := u.Query()
	out := fields{"chat_id": q.Get("chat_id"), "text": m.chat(func(s string) string { return s })}
	if thread := q.Get("message_thread_id"); thread != "" {
		out["message_thread_id"] = thread
	}
	u.RawQuery = ""
	return out
}

func slackBody(_ *url.URL, m *message) any {
	return fields{"text": m.chat(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace)}
}

// discordBody lets no title be markup, or call people.
func discordBody(_ *url.URL, m *message) any {
	plain := strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "`", "\\`", "|", `\|`, "[", `\[`,
		"]", `\]`, "<", `\<`, "#", `\#`, ">", `\>`)
	return fields{"content": m.chat(plain.Replace), "allowed_mentions": fields{"parse": []string{}}}
}

// request makes the request of a delivery in this format. key is the secret, "" without one.
func (f format) request(address, key string, m *message) (to string, post *fetch.Post, err error) {
	u, err := url.Parse(strings.ReplaceAll(address, keyMark, key))
	if err != nil {
		return "", nil, fault.Coded(fault.Invalid, "bad_webhook_url") // without the cause, which has the address
	}
	f.complete(u)
	post = &fetch.Post{Header: map[string]string{}, Answered: f.okay != ""}
	if key != "" && f.header != "" {
		shown := key
		if strings.HasPrefix(f.value, "Basic ") {
			shown = base64.StdEncoding.EncodeToString([]byte(key))
		}
		post.Header[f.header] = strings.ReplaceAll(f.value, keyMark, shown)
	}
	switch body := f.body(u, m).(type) {
	case url.Values:
		post.ContentType, post.Body = formType, []byte(body.Encode())
	case fields:
		maps.DeleteFunc(body, func(_ string, value any) bool { return value == "" })
		post.ContentType = jsonType
		post.Body, err = plainJSON(body)
	}
	return u.String(), post, err
}

// complete gives an address the end that the service's has.
func (f format) complete(u *url.URL) {
	if f.end != "" {
		root := strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(f.end, "/"))
		u.Path, u.RawPath = root+f.end, ""
	}
}

const (
	jsonType = "application/json"
	formType = "application/x-www-form-urlencoded"
)

// plainJSON makes JSON without the escapes that only HTML needs.
func plainJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// confirms reports whether a service's answer, of a success, says that it took the delivery.
func (f format) confirms(contentType string, body []byte) bool {
	if f.okay == "" {
		return !f.isJSON || !strings.HasPrefix(contentType, "text/html")
	}
	var answer map[string]json.RawMessage
	return json.Unmarshal(body, &answer) == nil && string(answer[f.okay]) == "true"
}
