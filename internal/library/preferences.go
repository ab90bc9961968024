package library

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// preference is one setting of a user: one of some words, a number within bounds, or a boolean, as its default is.
type preference struct {
	name     string
	fallback any
	words    []string
	from, to int
}

// preferences are those of R-123 by its names, then those that the page adds. "auto" follows the device. A test
// compares docs/openapi.yaml with this table.
var preferences = []preference{
	{name: "theme", fallback: "auto", words: []string{"auto", "light", "dark"}}, // C-26
	{name: "itemsPerPage", fallback: 50, from: 10, to: 200},                     // C-24
	{name: "showImages", fallback: true},
	{name: "autoMarkAsRead", fallback: true},
	{name: "defaultView", fallback: "list", words: []string{"list", "card", "magazine"}},
	{name: "markOnScroll", fallback: false},
	{name: "layout", fallback: "auto", words: []string{"auto", "split", "inline"}},
	{name: "density", fallback: "normal", words: []string{"normal", "compact", "spacious"}},
	{name: "language", fallback: "auto", words: []string{"auto", "en", "ja"}},
	{name: "readingFont", fallback: "sans", words: []string{"sans", "mincho"}},
	{name: "textStep", fallback: 0, from: -2, to: 4},
	{name: "lineHeight", fallback: "auto", words: []string{"auto", "1.6", "1.75", "1.85", "2.0"}},
	{name: "measure", fallback: "normal", words: []string{"normal", "narrow", "wide"}},
	{name: "order", fallback: "new", words: []string{"new", "old"}},
	{name: "keymap", fallback: "reader", words: []string{"reader", "ldr", "none"}},
	{name: "searchKana", fallback: false}, // katakana and hiragana are the same in searches
	{name: "countUse", fallback: true},    // clicks, opened tags and searches are counted
	{name: "welcomed", fallback: false},   // has been at the first run, and left it
}

// Preferences are the settings of a user by name; missing ones are at their default. Values are of the types string,
// int and bool.
type Preferences map[string]any

// DecodePreferences decodes what Encode returned. Unknown and invalid preferences are left out.
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

// CountsUse reports whether the person's clicks, opened tags and searches are counted.
func (p Preferences) CountsUse() bool { return p["countUse"] != false }

// FoldsKana reports whether searches take katakana and hiragana for the same unless they say otherwise.
func (p Preferences) FoldsKana() bool { return p["searchKana"] == true }

// Encode returns a JSON object of the settings that are not at their default, in order of the names.
func (p Preferences) Encode() []byte {
	if len(p) == 0 {
		return nil
	}
	b, _ := json.Marshal(map[string]any(p)) // words, numbers and bools always encode
	return b
}

// All returns every preference with its value, in the order of their table.
func (p Preferences) All() (names []string, values []any) {
	for _, f := range preferences {
		v, ok := p[f.name]
		if !ok {
			v = f.fallback
		}
		names, values = append(names, f.name), append(values, v)
	}
	return names, values
}

// Change returns the preferences with some changed: null resets one to its default. With an error, which lists each
// wrong field, nothing is changed.
func (p Preferences) Change(set map[string]json.RawMessage) (Preferences, error) {
	out := maps.Clone(p)
	if out == nil {
		out = Preferences{}
	}
	var wrong []*fault.Error
	for _, name := range slices.Sorted(maps.Keys(set)) {
		i := slices.IndexFunc(preferences, func(f preference) bool { return f.name == name })
		if i < 0 {
			wrong = append(wrong, fault.Coded(fault.Invalid, "unknown_preference").At(name))
			continue
		}
		f := preferences[i]
		v, err := f.parse(set[name])
		switch {
		case string(set[name]) == "null":
			delete(out, name)
		case err != nil:
			wrong = append(wrong, err.At(name))
		case v == f.fallback:
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

// Merge returns the preferences with those of another installation, as far as they are known and valid here.
func (p Preferences) Merge(set map[string]json.RawMessage) Preferences {
	for name, v := range set {
		if next, err := p.Change(map[string]json.RawMessage{name: v}); err == nil {
			p = next
		}
	}
	return p
}

func (f preference) parse(raw json.RawMessage) (any, *fault.Error) {
	switch f.fallback.(type) {
	case string:
		var word string
		if json.Unmarshal(raw, &word) == nil && slices.Contains(f.words, word) {
			return word, nil
		}
	case int:
		var n int
		if json.Unmarshal(raw, &n) == nil && n >= f.from && n <= f.to {
			return n, nil
		}
	case bool:
		var yes bool
		if json.Unmarshal(raw, &yes) == nil {
			return yes, nil
		}
	}
	return nil, f.wrong()
}

func (f preference) wrong() *fault.Error {
	allowed := "true, false"
	switch f.fallback.(type) {
	case string:
		allowed = strings.Join(f.words, ", ")
	case int:
		allowed = strconv.Itoa(f.from) + " … " + strconv.Itoa(f.to)
	}
	return fault.Coded(fault.Invalid, "bad_preference", allowed)
}
