package api

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/gzip"
)

// minCompressed is the least size for compression.
const minCompressed = 1024

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// publicCache begins the Cache-Control of answers that are the same for everybody.
const publicCache = "public"

const jsonType = "application/json; charset=utf-8"

// maxPooled bounds the buffers that are kept; the list of 5,000 feeds fits.
const maxPooled = 4 << 20

func buffer() *bytes.Buffer {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	return buf
}

func giveBack(buf *bytes.Buffer) {
	if buf.Cap() <= maxPooled {
		buffers.Put(buf)
	}
}

// json answers with a value as JSON.
func (r *request) json(status int, v any) error {
	buf := buffer()
	defer giveBack(buf)
	if err := encode(buf, v); err != nil {
		return err
	}
	return r.bytes(status, jsonType, buf.Bytes())
}

func encode(buf *bytes.Buffer, v any) error {
	e := json.NewEncoder(buf)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// bytes answers with a body: with an ETag and 304 on GET and HEAD, compressed when the client accepts it. The error is
// *limited if too many large bodies wait for their clients.
func (r *request) bytes(status int, contentType string, body []byte) error {
	zip, isDone := r.begin(status, contentType, len(body), func() uint64 { return xxhash.Sum64(body) })
	if isDone {
		return nil
	}
	giveBack, err := r.w.held.take(len(body))
	if err != nil {
		r.Header().Del("ETag")
		return err
	}
	defer giveBack()
	if zip {
		return r.gzip(status, body)
	}
	r.send(status, body)
	return nil
}

// begin sets the headers of an answer and reports whether its body is to be compressed. It answers 304 to a client that
// has the body already. The tag is strong for one encoding, so it carries the encoding's name (RFC 9110, 8.8.3).
func (r *request) begin(status int, contentType string, size int, hash func() uint64) (zip, isDone bool) {
	h := r.Header()
	h.Set("Content-Type", contentType)
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "private, no-cache")
	}
	h.Add("Vary", "Accept-Encoding, Accept-Language")
	if !strings.HasPrefix(h.Get("Cache-Control"), publicCache) {
		h.Add("Vary", "Cookie, Authorization")
	}
	zip = size >= minCompressed && acceptsGzip(r.list("Accept-Encoding"))
	if unsafe(r.Method) || status != http.StatusOK {
		return zip, false
	}
	tag := entityTag(hash(), zip)
	h.Set("ETag", tag)
	if !matches(r.list("If-None-Match"), tag) {
		return zip, false
	}
	h.Del("Content-Type")
	r.w.WriteHeader(http.StatusNotModified)
	return zip, true
}

// send writes a body that consists of some parts, except for HEAD. A write error means that the client went away.
func (r *request) send(status int, body ...[]byte) {
	n := 0
	for _, b := range body {
		n += len(b)
	}
	r.Header().Set("Content-Length", strconv.Itoa(n))
	r.w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	for _, b := range body {
		if _, err := r.w.Write(b); err != nil {
			return
		}
	}
}

func entityTag(sum uint64, zip bool) string {
	tag := `"` + shortHash(sum)
	if zip {
		tag += "-gzip"
	}
	return tag + `"`
}

// matches compares an If-None-Match header weakly with a tag (RFC 9110, 13.1.2).
func matches(header, tag string) bool {
	for _, t := range strings.Split(header, ",") {
		if t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); t == tag || t == "*" {
			return true
		}
	}
	return false
}

// acceptsGzip reads Accept-Encoding (RFC 9110, 12.5.3): gzip by name counts before "*".
func acceptsGzip(header string) bool {
	other := false
	for _, part := range strings.Split(header, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		wanted := quality(params) > 0
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "gzip":
			return wanted
		case "*":
			other = wanted
		}
	}
	return other
}

var zippers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, 4)
	return w
}}

func (r *request) gzip(status int, body []byte) error {
	buf := buffer()
	defer giveBack(buf)
	if err := zipInto(buf, body); err != nil {
		return err
	}
	r.Header().Set("Content-Encoding", "gzip")
	r.send(status, buf.Bytes())
	return nil
}

func zipInto(buf *bytes.Buffer, body []byte) error {
	w := zippers.Get().(*gzip.Writer)
	defer zippers.Put(w)
	w.Reset(buf)
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}

// done answers without content, unless the operation failed.
func (r *request) done(err error) error {
	if err == nil {
		r.w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// answerOne answers with an object whose one member is a shaped value, unless the operation failed.
func answerOne[T, J any](r *request, status int, name string, value T, shape func(T) J, err error) error {
	if err != nil {
		return err
	}
	return r.json(status, map[string]J{name: shape(value)})
}

// answerList is answerOne for a list.
func answerList[T, J any](r *request, name string, list []T, shape func(T) J, err error) error {
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string][]J{name: mapped(list, shape)})
}

// mapped shapes a list; the result is never nil.
func mapped[T, J any](list []T, shape func(T) J) []J {
	out := make([]J, len(list))
	for i, x := range list {
		out[i] = shape(x)
	}
	return out
}

// list returns a request header that is a list, joined: the Lambda adapter makes a line of each element.
func (r *request) list(name string) string { return strings.Join(r.Request.Header.Values(name), ",") }

// Header is the response's; the request's is r.Request.Header.
func (r *request) Header() http.Header { return r.w.Header() }
