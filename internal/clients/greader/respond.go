package greader

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
)

const (
	jsonType = "application/json; charset=utf-8"
	textType = "text/plain; charset=utf-8"
)

func encode(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// json answers with a value.
func (r *request) json(v any) error {
	var b bytes.Buffer
	if err := encode(&b, v); err != nil {
		return err
	}
	return r.bytes(jsonType, b.Bytes())
}

func (r *request) bytes(contentType string, body []byte) error {
	r.w.Header().Set("Content-Type", contentType)
	_, _ = r.w.Write(body) // an error means that the client went away
	return nil
}

// text answers with plain text.
func (r *request) text(status int, s string) error {
	r.w.Header().Set("Content-Type", textType)
	r.w.WriteHeader(status)
	_, _ = io.WriteString(r.w, s)
	return nil
}

func (r *request) ok() error { return r.text(http.StatusOK, "OK") }

// fail answers an error as text. The texts of errors that are not classified stay in the log.
func (r *request) fail(err error) {
	status := clients.Status(r.w, r.Request, err)
	text := http.StatusText(status)
	if status < http.StatusInternalServerError {
		text = cmp.Or(message(err), text)
	}
	if status == http.StatusUnauthorized {
		// Clients take either as the sign to log in again.
		r.w.Header().Set("X-Reader-Google-Bad-Token", "true")
		r.w.Header().Set("Google-Bad-Token", "true")
	}
	r.w.Header().Set("Cache-Control", "no-store")
	_ = r.text(status, text+"\n")
}

// instant reads a time that clients send in seconds, milliseconds, microseconds or nanoseconds since 1970, as its
// digits show. It returns the first and the last millisecond that it may mean. Anything else is no time.
func instant(s string) (from, to int64, ok bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n <= 0 {
		return 0, 0, false
	}
	switch digits := len(strconv.FormatInt(n, 10)); {
	case digits >= 19:
		n /= 1_000_000
	case digits >= 16:
		n /= 1000
	case digits < 13:
		return n * 1000, n*1000 + 999, true
	}
	return n, n, true
}

// message is the text of an error in English.
func message(err error) string {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return ""
	}
	text, _ := texts.Describe(e, texts.English)
	return text
}
