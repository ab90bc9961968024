package clients

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// maxForm bounds the body of a form: 10,000 item ids in their long form are 500 KB.
const maxForm = 4 << 20

// Form reads the parameters of a request: those of the address, and before them those of a form in the body, which may
// be URL-encoded or multipart. A body without a content type, or with a wrong one, is read as URL-encoded. Undecodable
// parameters are left out. The error is fault.TooLarge, or one of the connection.
func Form(r *http.Request) (url.Values, error) {
	query := parameters(r.URL.RawQuery)
	if r.Body == nil || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return query, nil
	}
	body, err := Body(r, maxForm)
	if err != nil {
		return nil, err
	}
	form := url.Values{}
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if boundary := params["boundary"]; strings.HasPrefix(kind, "multipart/") && boundary != "" {
		readParts(form, multipart.NewReader(bytes.NewReader(body), boundary))
	} else {
		form = parameters(strings.TrimSpace(string(body)))
	}
	for name, values := range query {
		form[name] = append(form[name], values...)
	}
	return form, nil
}

// parameters parses URL-encoded parameters, without what is malformed. url.ParseQuery refuses more than 10,000 at once,
// and programs send that many ids.
func parameters(s string) url.Values {
	const atOnce = 1000
	form := url.Values{}
	for s != "" {
		end := 0
		for n := 0; n < atOnce && end < len(s); n++ {
			if k := strings.IndexByte(s[end:], '&'); k >= 0 {
				end += k + 1
			} else {
				end = len(s)
			}
		}
		some, _ := url.ParseQuery(s[:end])
		for name, values := range some {
			form[name] = append(form[name], values...)
		}
		s = s[end:]
	}
	return form
}

// readParts adds the fields of a multipart form, up to the first damaged one. Files are fields, too.
func readParts(form url.Values, parts *multipart.Reader) {
	for {
		p, err := parts.NextPart()
		if err != nil {
			return
		}
		value, err := io.ReadAll(p)
		if err != nil {
			return
		}
		form.Add(p.FormName(), string(value))
	}
}

// Body reads a request's body of at most so many bytes: fault.TooLarge beyond that.
func Body(r *http.Request, most int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) || int64(len(body)) > most {
		return nil, fault.Coded(fault.TooLarge, "request_too_large", strconv.FormatInt(most>>20, 10)+" MB")
	}
	return body, err
}
