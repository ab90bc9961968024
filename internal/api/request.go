package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
)

// request is an HTTP request with its user, its ids and the writer of its answer.
type request struct {
	w *response
	*http.Request
	user    reader.UserID
	session *auth.Session // nil with an API token, and on public routes
	feed    reader.FeedID // that the path names, as the other four
	item    reader.ItemID
	folder  reader.FolderID
	label   reader.LabelID
	search  reader.SearchID
	scopes  auth.Scopes // of the API token
	tokenID string
	id      string // request id
}

// maxJSON bounds a JSON request body.
const maxJSON = 64 << 10

// with returns a handler that decodes the request's JSON body for another.
func with[T any](handle func(*request, T) error) func(*request) error {
	return withBody(maxJSON, false, handle)
}

// withBody is with for a body of at most limit bytes, or one that may be left out.
func withBody[T any](limit int64, isOptional bool, handle func(*request, T) error) func(*request) error {
	return func(r *request) error {
		var in T
		if err := r.decode(&in, limit, isOptional); err != nil {
			return err
		}
		return handle(r, in)
	}
}

// body reads a body of at most limit bytes. The rest of a larger one is read and discarded, up to a bound: many clients
// send everything before they read, and would see a broken connection in place of our answer.
func (r *request) body(limit int64) ([]byte, error) {
	// A client that waits for permission gets the answer before it sends.
	expects := strings.EqualFold(r.Request.Header.Get("Expect"), "100-continue")
	if expects && r.ContentLength > limit {
		return nil, &oversized{limit}
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(body)) > limit {
		_, _ = io.CopyN(io.Discard, r.Body, max(limit, minDrained))
		return nil, &oversized{limit}
	}
	return body, nil
}

// minDrained is the least bound for discarding.
const minDrained = 1 << 20

// oversized is the error of a body beyond a limit.
type oversized struct{ limit int64 }

func (e *oversized) Error() string { return "the body is larger than " + sizeText(e.limit) }

func sizeText(n int64) string {
	if n >= 1<<20 {
		return strconv.FormatInt(n>>20, 10) + " MB"
	}
	return strconv.FormatInt(n>>10, 10) + " KB"
}

// tooLarge returns the public error of an oversized body, nil for another error.
func tooLarge(err error) error {
	if large, ok := errors.AsType[*oversized](err); ok {
		return fault.Coded(fault.TooLarge, "request_too_large", sizeText(large.limit))
	}
	return nil
}

// decode reads a JSON body strictly: fields that are unknown, and required ones that are missing, are errors.
func (r *request) decode(into any, limit int64, isOptional bool) error {
	body, err := r.body(limit)
	if err != nil {
		return cmp.Or(tooLarge(err), error(badJSON(err)))
	}
	if body = bytes.TrimSpace(body); len(body) == 0 && isOptional {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return badJSON(err)
	}
	if d.Decode(&struct{}{}) != io.EOF {
		return fault.Coded(fault.Invalid, "bad_json")
	}
	if string(body) == "null" { // encoding/json decodes it like {}
		return badJSON(errors.New("null"))
	}
	return missing(body, reflect.TypeOf(into).Elem())
}

// badJSON returns the public error of invalid JSON, with the wrong field if it is known.
func badJSON(err error) *fault.Error {
	bad := fault.Coded(fault.Invalid, "bad_json")
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) && typed.Field != "" {
		bad.Parts = append(bad.Parts, fault.New(fault.Invalid, "wrong_type", "", nil).At(typed.Field))
	} else if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		bad.Parts = append(bad.Parts, fault.New(fault.Invalid, "unknown_field", "", nil).At(strings.Trim(name, `"`)))
	}
	return bad
}

// optional is a field whose null differs from its absence.
type optional[T any] struct {
	given bool
	value *T
}

// UnmarshalJSON implements json.Unmarshaler. It is called for null too.
func (o *optional[T]) UnmarshalJSON(b []byte) error {
	o.given = true
	return json.Unmarshal(b, &o.value)
}

// or returns the value, or a default for null and absence.
func (o *optional[T]) or(none T) T {
	if o.value == nil {
		return none
	}
	return *o.value
}

// The parsers of the id in a path, for Route.ID. An invalid id is not found.

func pathFeed(r *request) (err error) {
	r.feed, err = parseFeedID(r.PathValue("id"))
	r.w.feed = r.feed
	return err
}

func pathItem(r *request) error {
	id, err := reader.ParseItemID(r.PathValue("id"))
	if err != nil || !id.Valid() {
		return fault.Coded(fault.NotFound, "item_not_found")
	}
	r.item, r.w.feed = id, id.Feed()
	return nil
}

func pathFolder(r *request) (err error) {
	r.folder, err = parseFolderID(r.PathValue("id"))
	return err
}

func pathLabel(r *request) (err error) {
	r.label, err = parseLabelID(r.PathValue("id"))
	return err
}

func pathSearch(r *request) (err error) {
	r.search, err = parseSearchID(r.PathValue("id"))
	return err
}

func parseFeedID(s string) (reader.FeedID, error) {
	id, err := reader.ParseFeedID(s)
	if err != nil {
		return 0, fault.Coded(fault.NotFound, "feed_not_found")
	}
	return id, nil
}

func parseFolderID(s string) (reader.FolderID, error) {
	n, ok := treeNumber(s)
	if !ok {
		return 0, library.FolderGone()
	}
	return reader.FolderID(n), nil
}

func parseLabelID(s string) (reader.LabelID, error) {
	n, ok := treeNumber(s)
	if !ok {
		return 0, library.LabelGone()
	}
	return reader.LabelID(n), nil
}

func parseSearchID(s string) (reader.SearchID, error) {
	n, ok := treeNumber(s)
	if !ok {
		return 0, fault.Coded(fault.NotFound, "saved_search_not_found")
	}
	return reader.SearchID(n), nil
}

// treeNumber parses the number of a folder, a label or a saved search: a decimal from 1, without leading zeros.
func treeNumber(s string) (int32, bool) {
	n, err := strconv.ParseInt(s, 10, 32)
	return int32(n), err == nil && n > 0 && strconv.FormatInt(n, 10) == s
}

// parseIDs parses a list of ids.
func parseIDs[T any](list []string, parse func(string) (T, error)) ([]T, error) {
	out := make([]T, len(list))
	var err error
	for i, s := range list {
		if out[i], err = parse(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// maxItemID is the greatest number of digits in an item's id.
const maxItemID = 16

// itemRef is the id of an item in a body: one to sixteen digits, as in a path. One that cannot be ours has the id 0: it
// is valid input for an item that is not found. The zero value is a field that was left out.
type itemRef struct {
	text string
	id   reader.ItemID
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *itemRef) UnmarshalJSON(b []byte) error {
	wrong := &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[itemRef]()} // encoding/json adds the field
	if err := json.Unmarshal(b, &f.text); err != nil || len(f.text) < 1 || len(f.text) > maxItemID ||
		strings.Trim(f.text, "0123456789") != "" {
		return wrong
	}
	f.id, _ = reader.ParseItemID(f.text)
	return nil
}

// MarshalJSON implements json.Marshaler.
func (f itemRef) MarshalJSON() ([]byte, error) { return json.Marshal(f.text) }

// item returns the id; 0 if the field was left out.
func (f itemRef) item() (reader.ItemID, error) {
	if f.text != "" && f.id == 0 {
		return 0, fault.Coded(fault.NotFound, "item_not_found")
	}
	return f.id, nil
}

// flag parses a query parameter that is true or false.
func (r *request) flag(name string, absent bool) (bool, error) {
	switch r.URL.Query().Get(name) {
	case "":
		return absent, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fault.Coded(fault.Invalid, "bad_flag", name).At(name)
}

// isFresh reports whether the client asks for the newest state (RFC 9111 5.2.1.4).
func (r *request) isFresh() bool {
	return strings.Contains(r.Request.Header.Get("Cache-Control"), "no-cache")
}

// limit parses ?limit=; 0 when absent.
func (r *request) limit() (int, error) {
	return r.count("limit", 200, 0, fault.Coded(fault.Invalid, "bad_limit"))
}

// count parses a query parameter from 1 to most; the error is bad for another value.
func (r *request) count(name string, most, absent int, bad *fault.Error) (int, error) {
	s := r.URL.Query().Get(name)
	if s == "" {
		return absent, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most {
		return 0, bad.At(name)
	}
	return n, nil
}
