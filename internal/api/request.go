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
	"github.com/ruri-reader/ruri/internal/reader"
)

// request is one call with what is known of its caller.
type request struct {
	w *record
	*http.Request
	user    reader.UserID
	session *auth.Session // nil when a program's token signed the request in, and on public routes
	scopes  auth.Scopes   // of the program's token
	tokenID string
	id      string // request id
}

// maxJSON bounds a JSON request body.
const maxJSON = 64 << 10

// decode reads a JSON body strictly: unknown fields, and missing ones of those tagged required, are the client's
// mistake, told as such.
func (r *request) decode(into any) error { return r.read(into, maxJSON, false) }

// decodeUpTo is decode for operations whose body may be larger.
func (r *request) decodeUpTo(into any, limit int64) error { return r.read(into, limit, false) }

// decodeIfAny is decode for operations whose body may be left out.
func (r *request) decodeIfAny(into any) error { return r.read(into, maxJSON, true) }

// body reads the body, of at most limit bytes. What is larger is read on for as much again and thrown away: many
// clients send all of it before they read, and would otherwise see a broken connection in place of our answer.
func (r *request) body(limit int64) ([]byte, error) {
	// Who asks first whether to send is told before.
	asks := strings.EqualFold(r.Request.Header.Get("Expect"), "100-continue")
	if asks && r.ContentLength > limit {
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

// minDrained is how much of a body that is too large is read and thrown away at least.
const minDrained = 1 << 20

// oversized is a body beyond a limit.
type oversized struct{ limit int64 }

func (e *oversized) Error() string { return "the body is larger than " + sizeText(e.limit) }

func sizeText(n int64) string {
	if n >= 1<<20 {
		return strconv.FormatInt(n>>20, 10) + " MB"
	}
	return strconv.FormatInt(n>>10, 10) + " KB"
}

// tooLarge gives an oversized body its code and sentence, and nil for another error.
func tooLarge(err error) error {
	var large *oversized
	if !errors.As(err, &large) {
		return nil
	}
	return fault.Newf(fault.TooLarge, "request_too_large", "The request is larger than %s.", sizeText(large.limit))
}

func (r *request) read(into any, limit int64, mayBeEmpty bool) error {
	body, err := r.body(limit)
	if err != nil {
		return cmp.Or(tooLarge(err), error(badJSON(err)))
	}
	if body = bytes.TrimSpace(body); len(body) == 0 && mayBeEmpty {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return badJSON(outside(err, reflect.TypeOf(into).Elem()))
	}
	if d.Decode(&struct{}{}) != io.EOF {
		return fault.Newf(fault.Invalid, "bad_json", "The request holds more than one JSON value.")
	}
	if string(body) == "null" { // encoding/json takes it for an object with nothing in it
		return badJSON(errors.New("null"))
	}
	return missing(body, reflect.TypeOf(into).Elem())
}

// badJSON names the field that is to blame, where one is.
func badJSON(err error) *fault.Error {
	bad := fault.Newf(fault.Invalid, "bad_json", "The request is not the JSON that this address takes.")
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) && typed.Field != "" {
		bad.Parts = append(bad.Parts, fault.New(fault.Invalid, "wrong_type", "", nil).At(typed.Field))
	} else if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		bad.Parts = append(bad.Parts, fault.New(fault.Invalid, "unknown_field", "", nil).At(strings.Trim(name, `"`)))
	}
	return bad
}

// optional is a field whose null means something else than its absence.
type optional[T any] struct {
	given bool
	value *T
}

// UnmarshalJSON implements json.Unmarshaler; it is called for what is given, null included.
func (o *optional[T]) UnmarshalJSON(b []byte) error {
	o.given = true
	return json.Unmarshal(b, &o.value)
}

// or gives the value, or another where there is none.
func (o *optional[T]) or(none T) T {
	if o.value == nil {
		return none
	}
	return *o.value
}

func (r *request) feedID() (reader.FeedID, error) {
	id, err := reader.ParseFeedID(r.PathValue("id"))
	if err != nil {
		return 0, fault.Newf(fault.NotFound, "feed_not_found", "There is no such feed among your subscriptions.")
	}
	r.w.feed = id
	return id, nil
}

func (r *request) itemID() (reader.ItemID, error) {
	id, err := reader.ParseItemID(r.PathValue("id"))
	if err != nil || !id.Valid() {
		return 0, fault.Newf(fault.NotFound, "item_not_found", "There is no such item.")
	}
	r.w.feed = id.Feed()
	return id, nil
}

// itemRef names an item in a body, by one to sixteen digits as an address does. What can be none of ours has no id: it
// is an item that is not found, and no mistake of the client's. The zero value is a field that was left out.
type itemRef struct {
	text string
	id   reader.ItemID
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *itemRef) UnmarshalJSON(b []byte) error {
	wrong := &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[itemRef]()} // json puts the field's name in
	if err := json.Unmarshal(b, &f.text); err != nil || len(f.text) < 1 || len(f.text) > 16 || strings.Trim(f.text, "0123456789") != "" {
		return wrong
	}
	f.id, _ = reader.ParseItemID(f.text)
	return nil
}

// item gives the item that a field names; 0 where it is left out.
func (f itemRef) item() (reader.ItemID, error) {
	if f.text != "" && f.id == 0 {
		return 0, fault.Newf(fault.NotFound, "item_not_found", "There is no such item.")
	}
	return f.id, nil
}

// flag reads a query parameter that is true or false.
func (r *request) flag(name string, absent bool) (bool, error) {
	switch r.URL.Query().Get(name) {
	case "":
		return absent, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fault.Newf(fault.Invalid, "bad_flag", "%s is true or false.", name).At(name)
}

// limit reads ?limit=; 0 when absent.
func (r *request) limit() (int, error) {
	s := r.URL.Query().Get("limit")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 200 {
		return 0, fault.Newf(fault.Invalid, "bad_limit", "The limit is a number from 1 to 200.").At("limit")
	}
	return n, nil
}
