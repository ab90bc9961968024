package api

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// maxMissing bounds how many missing fields are told.
const maxMissing = 20

// missing names the fields that a body must have and leaves out, or has as null: those that the type which it was
// read into marks with the tag required. Without it an empty body would look like a wish for nothing, or for all.
func missing(body []byte, t reflect.Type) error {
	var m missed
	if asks(t) {
		m.walk(body, t, "")
	}
	return fault.Several(m.list...)
}

type missed struct{ list []*fault.Error }

func (m *missed) walk(body json.RawMessage, t reflect.Type, at string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Slice {
		var list []json.RawMessage
		_ = json.Unmarshal(body, &list) // it has been read once
		for i, x := range list {
			m.walk(x, t.Elem(), fmt.Sprintf("%s[%d]", at, i))
		}
		return
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields)
	if at != "" {
		at += "."
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue // what is embedded has its fields here
		}
		value := field(fields, name)
		switch {
		case value != nil && string(value) != "null":
			if asks(f.Type) {
				m.walk(value, f.Type, at+name)
			}
		case f.Tag.Get("required") != "" && len(m.list) < maxMissing:
			m.list = append(m.list, fault.Newf(fault.Invalid, "missing_field", "This field is needed.").At(at+name))
		}
	}
}

// field finds a field as encoding/json does: by its name, else by one that differs in case.
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

// asks tells whether anything is required in a type. What reads its own JSON is a value.
func asks(t reflect.Type) bool {
	switch to := reflect.PointerTo(t); {
	case to.Implements(reflect.TypeFor[json.Unmarshaler]()), to.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return false
	case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice:
		return asks(t.Elem())
	case t.Kind() == reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if f.Tag.Get("required") != "" || asks(f.Type) {
				return true
			}
		}
	}
	return false
}

// outside takes the names of embedded types out of the path to the field that an error is about: encoding/json has them
// in it, and they are nothing to the world.
func outside(err error, t reflect.Type) error {
	var typed *json.UnmarshalTypeError
	if !errors.As(err, &typed) {
		return err
	}
	var path []string
	for part := range strings.SplitSeq(typed.Field, ".") {
		for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
			t = t.Elem()
		}
		var at reflect.Type
		isEmbedded := false
		if t != nil && t.Kind() == reflect.Struct {
			for _, f := range reflect.VisibleFields(t) {
				if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name == part || name == "" && f.Name == part {
					at, isEmbedded = f.Type, f.Anonymous && name == ""
				}
			}
		}
		if t = at; !isEmbedded {
			path = append(path, part)
		}
	}
	typed.Field = strings.Join(path, ".")
	return typed
}
