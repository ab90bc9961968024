package library

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
)

func changed(t *testing.T, p Preferences, text string) (Preferences, error) {
	t.Helper()
	var set map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &set); err != nil {
		t.Fatal(err)
	}
	return p.Change(set)
}

// C-26: each preference takes its values and no others, and reports what is wrong with each field.
func TestPreferences(t *testing.T) {
	t.Parallel()
	for text, wrong := range map[string]string{ // the fields that are reported
		`{}`: "",
		`{"theme":"dark","itemsPerPage":200,"showImages":false,"autoMarkAsRead":true,"defaultView":"card"}`: "",
		`{"theme":null}`: "", `{"textStep":-2}`: "", `{"lineHeight":"1.85"}`: "",
		`{"theme":"blue"}`: "theme", `{"theme":1}`: "theme", `{"theme":true}`: "theme", `{"theme":{}}`: "theme",
		`{"theme":"Dark"}`:   "theme",
		`{"itemsPerPage":9}`: "itemsPerPage", `{"itemsPerPage":201}`: "itemsPerPage",
		`{"itemsPerPage":50.5}`: "itemsPerPage",
		`{"itemsPerPage":"50"}`: "itemsPerPage", `{"itemsPerPage":1e2}`: "itemsPerPage",
		`{"showImages":"yes"}`: "showImages",
		`{"showImages":1}`:     "showImages", `{"Theme":"dark"}`: "Theme", `{"":1}`: "",
		`{"textStep":5,"theme":"x","nothing":1}`: "nothing textStep theme",
	} {
		got, err := changed(t, Preferences{"order": "old"}, text)
		var fe *fault.Error
		if wrong == "" && text != `{"":1}` {
			if err != nil || got["order"] != "old" {
				t.Errorf("%s: %v, %v", text, got, err)
			}
			continue
		}
		if !errors.As(err, &fe) || !fault.Is(err, fault.Invalid) || len(got) != 1 {
			t.Errorf("%s: %v, %v", text, got, err)
			continue
		}
		fields := []string{fe.Field}
		if len(fe.Parts) > 0 {
			fields = nil
			for _, p := range fe.Parts {
				fields = append(fields, p.Field)
			}
		}
		if s := strings.Join(fields, " "); s != wrong {
			t.Errorf("%s: told of %q", text, s)
		}
	}
}

func TestPreferencesAreKeptAsTheyDiffer(t *testing.T) {
	t.Parallel()
	p, err := changed(t, nil, `{"theme":"dark","itemsPerPage":50,"showImages":false}`)
	if err != nil || string(p.Encode()) != `{"showImages":false,"theme":"dark"}` {
		t.Errorf("kept as %s, %v", p.Encode(), err)
	}
	p, err = changed(t, p, `{"theme":"auto","showImages":null,"markOnScroll":true}`)
	if err != nil || string(p.Encode()) != `{"markOnScroll":true}` {
		t.Errorf("kept as %s, %v", p.Encode(), err)
	}
	names, values := p.All()
	if len(names) != len(preferences) || names[0] != "theme" || values[0] != "auto" || values[1] != 50 ||
		values[5] != true {
		t.Errorf("all are %v %v", names, values)
	}
	if q := DecodePreferences([]byte(`{"markOnScroll":true,"theme":"of a later version","new":1}`)); len(q) != 1 ||
		q["markOnScroll"] != true {
		t.Errorf("read as %v", q)
	}
}

func FuzzPreferences(f *testing.F) {
	f.Add(`{"theme":"dark","itemsPerPage":50,"x":null}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		var set map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &set) != nil {
			return
		}
		p, err := Preferences{}.Change(set)
		if err != nil {
			if !fault.Is(err, fault.Invalid) || len(p) != 0 {
				t.Errorf("%s: %v, %v", text, p, err)
			}
			return
		}
		if q := DecodePreferences(p.Encode()); string(q.Encode()) != string(p.Encode()) {
			t.Errorf("%s becomes %s", p.Encode(), q.Encode())
		}
	})
}
