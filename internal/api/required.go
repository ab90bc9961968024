package api

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// maxMissing bounds how many missing fields are reported.
const maxMissing = 20

// missing returns an error for the fields that a body of a type must have (those tagged required) and leaves out, or
// has as null.
func missing(body []byte, t reflect.Type) error {
	var list []*fault.Error
	findMissing(body, t, "", func(at string) {
		if len(list) < maxMissing {
			list = append(list, fault.Coded(fault.Invalid, "missing_field").At(at))
		}
	})
	return fault.Several(list...)
}

func findMissing(body json.RawMessage, t reflect.Type, at string, report func(at string)) {
	switch {
	case t.Kind() == reflect.Pointer:
		findMissing(body, t.Elem(), at, report)
	case readsItself(t):
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		var list []json.RawMessage
		_ = json.Unmarshal(body, &list) // cannot fail: the body was decoded before
		for i, x := range list {
			findMissing(x, t.Elem(), fmt.Sprintf("%s[%d]", at, i), report)
		}
	case t.Kind() == reflect.Struct:
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(body, &fields)
		if at != "" {
			at += "."
		}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if value := field(fields, name); value != nil && string(value) != "null" {
				findMissing(value, f.Type, at+name, report)
			} else if f.Tag.Get("required") != "" {
				report(at + name)
			}
		}
	}
}

// field looks a field up as encoding/json does: by its name, else ignoring case.
func field(fields map[string]json.RawMessage, name string) json.RawMessage {
	if v, ok := fields[name]; ok {
		return v
	}
	for k, v := range fields {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return nil
}

// readsItself reports whether a type decodes its own JSON.
func readsItself(t reflect.Type) bool {
	to := reflect.PointerTo(t)
	return to.Implements(reflect.TypeFor[json.Unmarshaler]()) ||
		to.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
