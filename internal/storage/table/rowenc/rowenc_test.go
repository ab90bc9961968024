package rowenc_test

import (
	"encoding/json"
	"reflect"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/rowenc"
)

func text(s string) *types.AttributeValueMemberS { return &types.AttributeValueMemberS{Value: s} }

func TestEveryTypeComesBack(t *testing.T) {
	t.Parallel()
	item := rowenc.Item{
		"pk": text("left out"), "s": text("日本\x00"), "": text(""), "q": text("a \"b\" \\ <c>\n\u2028"),
		"x\"y": text("name"),
		"b":    &types.AttributeValueMemberB{Value: []byte{0, 0xff}},
		"yes":  &types.AttributeValueMemberBOOL{Value: true},
		"no":   &types.AttributeValueMemberBOOL{}, "empty": &types.AttributeValueMemberB{Value: []byte{}},
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{text("leaf, \"]"),
			&types.AttributeValueMemberB{Value: []byte{}}, &types.AttributeValueMemberBOOL{},
			&types.AttributeValueMemberN{Value: "7"}}},
		"none": &types.AttributeValueMemberL{Value: []types.AttributeValue{}},
	}
	for i, n := range []string{"0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
		"1.5", "-0.001"} {
		item["n"+strconv.Itoa(i)] = &types.AttributeValueMemberN{Value: n}
	}
	row := string(rowenc.Append(nil, item, "pk"))
	if text, _ := rowenc.Split(row); !json.Valid([]byte(text)) {
		t.Errorf("not JSON: %s", row)
	}
	got, err := rowenc.Decode(row)
	if err != nil {
		t.Fatal(err)
	}
	delete(item, "pk")
	if !reflect.DeepEqual(got, item) {
		t.Errorf("got %v\nwant %v", got, item)
	}
	for name, want := range item {
		if av, err := rowenc.Field(row, name); err != nil || !reflect.DeepEqual(av, want) {
			t.Errorf("field %q: %v %v", name, av, err)
		}
	}
	for _, name := range []string{"pk", "a", "zz", "n"} {
		if av, err := rowenc.Field(row, name); av != nil || err != nil {
			t.Errorf("field %q: %v, %v", name, av, err)
		}
	}
}

func TestDamageIsNoticed(t *testing.T) {
	t.Parallel()
	row := `{"a":"text","b":5,"c":{"bytes":2},"d":[true,"x",{"bytes":1}]}` + "\nabc"
	if _, err := rowenc.Decode(row); err != nil {
		t.Fatal(err)
	}
	for i := range len(row) {
		if _, err := rowenc.Decode(row[:i]); err == nil {
			t.Errorf("cut at %d: not noticed", i)
		}
	}
	for _, bad := range []string{"", row + "x", "null", "[]", `{"b":1,"a":1}`, `{"a":1,"a":1}`, `{"a":null}`,
		`{"a":[[]]}`, `{"a":{}}`, `{"a":{"bytes":2}}`, `{"a":{"bytes":2}}` + "\nx", `{"a":{"bytes":-1}}` + "\nx",
		`{"a":1}` + "\nx", `{"a":1,}`, `{"a":-}`, `{"a":01}`,
		`{"a":"\x"}`, `{"a" :1}`,
		`{"a":tru}`, `{"a":falsee}`} {
		if _, err := rowenc.Decode(bad); err == nil {
			t.Errorf("%s: not noticed", bad)
		}
	}
}

// FuzzDecode: any text is refused or decodes to an item whose encoding decodes to the same.
func FuzzDecode(f *testing.F) {
	f.Add(`{"a":"x","b":{"bytes":2},"l":[-7,"\u0000",true,{"bytes":1}],"n":1.5}` + "\nabc")
	f.Add(`{"":"\\\"","f":false}`)
	f.Fuzz(func(t *testing.T, row string) {
		item, err := rowenc.Decode(row)
		text, _ := rowenc.Split(row)
		if err != nil || !utf8.ValidString(text) { // no writer stores the latter
			return
		}
		again := rowenc.Append(nil, item)
		item2, err := rowenc.Decode(string(again))
		text, _ = rowenc.Split(string(again))
		if err != nil || !json.Valid([]byte(text)) || !reflect.DeepEqual(item, item2) {
			t.Fatalf("%s\nbecame %s (%v)", row, again, err)
		}
	})
}

// A text kept from a large row must not keep the row; a row's bytes must never be shared for writing.
func TestRowsShareOnlyTexts(t *testing.T) {
	t.Parallel()
	type sample struct {
		PK   string `dynamo:"pk"`
		SK   string `dynamo:"sk"`
		Text string `dynamo:"text"`
		Blob []byte `dynamo:"blob"`
	}
	row, err := table.NewRow(&sample{PK: "p", SK: "s", Text: "text", Blob: []byte("blob")})
	if err != nil {
		t.Fatal(err)
	}
	packed := table.PackedRow(row.Key, row.Packed(), row.Size(), 0)
	var a, b sample
	if packed.Decode(&a) != nil || packed.Decode(&b) != nil {
		t.Fatal("undecodable")
	}
	a.Blob[0] = 'X'
	if string(b.Blob) != "blob" {
		t.Error("two decoded rows share bytes")
	}
}

// TestWithout: the other attributes stay as they are.
func TestWithout(t *testing.T) {
	t.Parallel()
	type sample struct {
		PK   string   `dynamo:"pk"`
		SK   string   `dynamo:"sk"`
		Text string   `dynamo:"text"`
		Blob []byte   `dynamo:"blob"`
		List []string `dynamo:"list"`
	}
	whole := sample{PK: "p", SK: "s", Text: "text", Blob: []byte("blob"), List: []string{"a"}}
	row, err := table.NewRow(&whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []table.Row{row, table.PackedRow(row.Key, row.Packed(), row.Size(), 0)} {
		want := whole
		want.Blob = nil
		var got sample
		if err := r.DecodeWithout("blob", &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
	}
}
