package rowenc_test

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/rowenc"
)

func TestEveryTypeComesBack(t *testing.T) {
	t.Parallel()
	item := rowenc.Item{
		"pk": &types.AttributeValueMemberS{Value: "left out"}, "s": &types.AttributeValueMemberS{Value: "日本\x00"},
		"":  &types.AttributeValueMemberS{},
		"b": &types.AttributeValueMemberB{Value: []byte{0, 0xff}}, "yes": &types.AttributeValueMemberBOOL{Value: true},
		"no": &types.AttributeValueMemberBOOL{},
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: "leaf"},
			&types.AttributeValueMemberB{Value: []byte{}}, &types.AttributeValueMemberBOOL{},
			&types.AttributeValueMemberN{Value: "7"}}},
		"none": &types.AttributeValueMemberL{Value: []types.AttributeValue{}},
	}
	for i, n := range []string{"0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
		"1.5", "-0", "+1", "007", "-01", "", "1e5"} {
		item["n"+strconv.Itoa(i)] = &types.AttributeValueMemberN{Value: n}
	}
	row := string(rowenc.Append(nil, item, 1234, 99, "pk"))
	got, err := rowenc.Decode(row)
	if err != nil {
		t.Fatal(err)
	}
	delete(item, "pk")
	if !reflect.DeepEqual(got, item) {
		t.Errorf("got %v\nwant %v", got, item)
	}
	if size, ttl, err := rowenc.Head(row); size != 1234 || ttl != 99 || err != nil {
		t.Errorf("head: %d %d %v", size, ttl, err)
	}
	for name, want := range item {
		if av, ok, err := rowenc.Field(row, name); !ok || err != nil || !reflect.DeepEqual(av, want) {
			t.Errorf("field %q: %v %v %v", name, av, ok, err)
		}
	}
	for _, name := range []string{"pk", "a", "zz", "n"} {
		if _, ok, err := rowenc.Field(row, name); ok || err != nil {
			t.Errorf("field %q: found %v, %v", name, ok, err)
		}
	}
}

func TestDamageIsNoticed(t *testing.T) {
	t.Parallel()
	row := string(rowenc.Append(nil, rowenc.Item{"a": &types.AttributeValueMemberS{Value: "text"},
		"b": &types.AttributeValueMemberN{Value: "5"}}, 10, 0))
	for i := range len(row) {
		if _, err := rowenc.Decode(row[:i]); err == nil {
			t.Errorf("cut at %d: not noticed", i)
		}
	}
	for name, bad := range map[string]string{
		"longer": row + "x", "version": "\x02" + row[1:], "huge count": "\x01\x01\x00\xff\xff\xff\xff\x0f",
		"order": "\x01\x01\x00\x02\x01b\x01\x01a\x01", "tag": "\x01\x01\x00\x01\x01a\x63",
		"unused tag": "\x01\x01\x00\x01\x01a\x07\x00", "overlong": "\x01" + strings.Repeat("\xff", 10) + "\x01",
		"list in a list": "\x01\x01\x00\x01\x01a\x0a\x01\x0a\x00", "map": "\x01\x01\x00\x01\x01a\x0b\x01\x01k\x01",
	} {
		if _, err := rowenc.Decode(bad); err == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}

// FuzzDecode: any bytes are refused or decode to an item whose encoding decodes to the same.
func FuzzDecode(f *testing.F) {
	f.Add(rowenc.Append(nil, rowenc.Item{"a": &types.AttributeValueMemberS{Value: "x"},
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberN{Value: "-7"}}}}, 5,
		7))
	f.Fuzz(func(t *testing.T, b []byte) {
		item, err := rowenc.Decode(string(b))
		if err != nil {
			return
		}
		size, ttl, _ := rowenc.Head(string(b))
		again := rowenc.Append(nil, item, size, ttl)
		item2, err := rowenc.Decode(string(again))
		if err != nil || !reflect.DeepEqual(item, item2) {
			t.Fatalf("%v\nbecame %v (%v)", item, item2, err)
		}
		if !bytes.Equal(again, rowenc.Append(nil, item2, size, ttl)) {
			t.Fatal("two encodings of one item")
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
	packed := table.PackedRow(row.Key, row.Packed())
	var a, b sample
	if packed.Decode(&a) != nil || packed.Decode(&b) != nil {
		t.Fatal("undecodable")
	}
	a.Blob[0] = 'X'
	if string(b.Blob) != "blob" {
		t.Error("two decoded rows share bytes")
	}
}

// TestWithout: the other attributes stay as they are, whatever is left out.
func TestWithout(t *testing.T) {
	t.Parallel()
	item := rowenc.Item{"a": &types.AttributeValueMemberS{Value: "text"},
		"known": &types.AttributeValueMemberB{Value: make([]byte, 300)},
		"l":     &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberN{Value: "7"}}}}
	row := string(rowenc.Append(nil, item, 1234, 99))
	for _, name := range []string{"a", "known", "l", "absent", ""} {
		got, err := rowenc.Without(row, name)
		if want := string(rowenc.Append(nil, item, 1234, 99, name)); err != nil || got != want {
			t.Errorf("without %q: %q, %v; want %q", name, got, err, want)
		}
	}
	for i := range len(row) {
		if got, err := rowenc.Without(row[:i], "l"); err == nil {
			t.Errorf("cut at %d: not noticed, %q", i, got)
		}
	}
}
