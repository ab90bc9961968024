package reader

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// preference is one thing that a user may set: one of some words, a number within bounds, or yes and no.
type preference struct {
	name     string
	words    []string // the first is the default
	from, to int      // of a number; both zero: yes or no
	number   int      // the default
	yes      bool     // the default
}

// preferences are all that there are: R-123's by its names, then those that the page adds (UI.md 3). What is "auto"
// follows the device. A test holds docs/openapi.yaml to this table.
var preferences = []preference{
	{name: "theme", words: []string{"auto", "light", "dark"}}, // C-26
	{name: "itemsPerPage", from: 10, to: 200, number: 50},     // C-24
	{name: "showImages", yes: true},
	{name: "autoMarkAsRead", yes: true},
	{name: "defaultView", words: []string{"list", "card", "magazine"}},
	{name: "markOnScroll"},
	{name: "layout", words: []string{"auto", "split", "inline"}},
	{name: "density", words: []string{"normal", "compact", "spacious"}},
	{name: "language", words: []string{"auto", "en", "ja"}},
	{name: "readingFont", words: []string{"sans", "mincho"}},
	{name: "textStep", from: -2, to: 4},
	{name: "lineHeight", words: []string{"auto", "1.6", "1.75", "1.85", "2.0"}},
	{name: "measure", words: []string{"normal", "narrow", "wide"}},
	{name: "order", words: []string{"new", "old"}},
	{name: "keymap", words: []string{"reader", "ldr", "none"}},
	{name: "welcomed"}, // has been at the first run, and left it
}

// Preferences are what a user has set, by name; what is not there is at its default. Values are of the types string,
// int and bool. The zero value is all defaults.
type Preferences map[string]any

// DecodePreferences reads what Encode wrote. What a later version of the program knew and this one does not is left out.
func DecodePreferences(b []byte) Preferences {
	p := Preferences{}
	var raw map[string]json.RawMessage
	if json.Unmarshal(b, &raw) != nil {
		return p
	}
	for _, f := range preferences {
		if v, err := f.parse(raw[f.name]); err == nil {
			p[f.name] = v
		}
	}
	return p
}

// Encode gives the form that is kept: a JSON object of what is not at its default, in order of the names.
func (p Preferences) Encode() []byte {
	if len(p) == 0 {
		return nil
	}
	b, _ := json.Marshal(map[string]any(p)) // words, numbers and bools always encode
	return b
}

// All gives every preference with its value, in the order of their table.
func (p Preferences) All() (names []string, values []any) {
	for _, f := range preferences {
		v, ok := p[f.name]
		if !ok {
			v = f.fallback()
		}
		names, values = append(names, f.name), append(values, v)
	}
	return names, values
}

// Change gives the preferences with some set anew: null brings the default back. Whatever is wrong is told of each
// field, and then nothing is changed.
func (p Preferences) Change(set map[string]json.RawMessage) (Preferences, error) {
	out := maps.Clone(p)
	if out == nil {
		out = Preferences{}
	}
	var wrong []*fault.Error
	for _, name := range slices.Sorted(maps.Keys(set)) {
		i := slices.IndexFunc(preferences, func(f preference) bool { return f.name == name })
		if i < 0 {
			wrong = append(wrong, fault.Newf(fault.Invalid, "unknown_preference", "There is no such preference.").At(name))
			continue
		}
		f := preferences[i]
		v, err := f.parse(set[name])
		switch {
		case string(bytes.TrimSpace(set[name])) == "null":
			delete(out, name)
		case err != nil:
			wrong = append(wrong, err.At(name))
		case v == f.fallback():
			delete(out, name)
		default:
			out[name] = v
		}
	}
	if err := fault.Several(wrong...); err != nil {
		return p, err
	}
	return out, nil
}

func (f preference) fallback() any {
	switch {
	case f.words != nil:
		return f.words[0]
	case f.isNumber():
		return f.number
	}
	return f.yes
}

func (f preference) isNumber() bool { return f.from != 0 || f.to != 0 }

func (f preference) parse(raw json.RawMessage) (any, *fault.Error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, f.wrong()
	}
	switch v := v.(type) {
	case string:
		if slices.Contains(f.words, v) {
			return v, nil
		}
	case bool:
		if f.words == nil && !f.isNumber() {
			return v, nil
		}
	case json.Number:
		if n, err := strconv.Atoi(v.String()); err == nil && f.isNumber() && n >= f.from && n <= f.to {
			return n, nil
		}
	}
	return nil, f.wrong()
}

func (f preference) wrong() *fault.Error {
	allowed := "true, false"
	switch {
	case f.words != nil:
		allowed = strings.Join(f.words, ", ")
	case f.isNumber():
		allowed = strconv.Itoa(f.from) + " … " + strconv.Itoa(f.to)
	}
	return fault.Newf(fault.Invalid, "bad_preference", "The value is not one of: %s.", allowed)
}
