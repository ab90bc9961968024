package api

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
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

// decode reads a JSON body strictly: unknown fields are the client's mistake, told as such.
func (r *request) decode(into any) error { return r.read(into, maxJSON, false) }

// decodeUpTo is decode for operations whose body may be larger.
func (r *request) decodeUpTo(into any, limit int64) error { return r.read(into, limit, false) }

// decodeIfAny is decode for operations whose body may be left out.
func (r *request) decodeIfAny(into any) error { return r.read(into, maxJSON, true) }

func (r *request) read(into any, limit int64, mayBeEmpty bool) error {
	body := http.MaxBytesReader(r.w, r.Body, limit)
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		if mayBeEmpty && errors.Is(err, io.EOF) {
			return nil
		}
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return fault.Newf(fault.TooLarge, "request_too_large", "The request is larger than %d KB.", limit>>10)
		}
		return badJSON(err)
	}
	if d.Decode(&struct{}{}) != io.EOF {
		return fault.Newf(fault.Invalid, "bad_json", "The request holds more than one JSON value.")
	}
	return nil
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
