package api

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
)

// plainFeed has feedJSON's fields and none of its methods.
type plainFeed feedJSON

// The encoder's output equals that of encoding/json, for every field and awkward texts.
func TestFeedEncoding(t *testing.T) {
	t.Parallel()
	texts := []string{"", "plain", `quote " and \`, "tab\tline\n", "<b>&amp;</b>", "日本語の題", "caf\xe9 broken",
		"a\u2028b\u2029c", "“quoted”", "\x7f\x00\x1f", "🐟"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var f feedJSON
		fillRandomly(r, reflect.ValueOf(&f).Elem(), texts)
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode((*plainFeed)(&f)); err != nil {
			t.Fatal(err)
		}
		if got := append(f.append(nil), '\n'); !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("encoded\n%s\nwant\n%s", got, &want)
		}
	}
}

func fillRandomly(r *rand.Rand, v reflect.Value, texts []string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(3) * r.Int64N(1<<33))
	case reflect.Float64:
		v.SetFloat(float64(r.IntN(2000)) / 10) // as tenths makes them
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillRandomly(r, v.Elem(), texts)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(4), 4)) // never nil: the list is always there
		for i := range v.Len() {
			fillRandomly(r, v.Index(i), texts)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillRandomly(r, v.Field(i), texts)
		}
	default:
		panic("feedJSON has a kind of field that the encoder does not know: " + v.Type().String())
	}
}
