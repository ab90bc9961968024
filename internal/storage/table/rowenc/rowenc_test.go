package rowenc_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

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
		"list in a list": "\x01\x01\x00\x01\x01a\x0a\x01\x0a\x00", "cut map": "\x01\x01\x00\x01\x01a\x0b\x01\x01k",
	} {
		if _, err := rowenc.Decode(bad); err == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
}

// TestMapsAreSkipped: data folders have them from before a counter's tries and a user's refreshes became JSON.
func TestMapsAreSkipped(t *testing.T) {
	t.Parallel()
	const entry = "\x0b\x02\x01k\x04\x02\x01l\x0a\x01\x03\x01x" // {k: 1, l: ["x"]}
	row := "\x01\x05\x00\x04\x04list\x0a\x01" + entry + "\x03rev\x04\x06\x05tries\x0b\x01\x03all" + entry + "\x01z\x02"
	want := rowenc.Item{
		"list": &types.AttributeValueMemberL{Value: []types.AttributeValue{}},
		"rev":  &types.AttributeValueMemberN{Value: "3"}, "z": &types.AttributeValueMemberBOOL{Value: true},
	}
	if got, err := rowenc.Decode(row); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, ok, err := rowenc.Field(row, "tries"); ok || err != nil {
		t.Errorf("the map is an attribute: %v, %v", ok, err)
	}
	if av, ok, err := rowenc.Field(row, "z"); !ok || err != nil || !reflect.DeepEqual(av, want["z"]) {
		t.Errorf("after the map: %v, %v, %v", av, ok, err)
	}
	var out struct {
		PK    string   `dynamo:"pk"`
		Rev   int      `dynamo:"rev"`
		Tries []string `dynamo:"tries"`
		Z     bool     `dynamo:"z"`
	}
	if !rowenc.Struct(row, "pk", "p", "sk", "s", &out) || out.Rev != 3 || out.Tries != nil || !out.Z {
		t.Errorf("decoded as %+v", out)
	}
}

// FuzzDecode: any bytes are refused or decode to an item whose encoding decodes to the same.
func FuzzDecode(f *testing.F) {
	f.Add(rowenc.Append(nil, rowenc.Item{"a": &types.AttributeValueMemberS{Value: "x"},
		"l": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberN{Value: "-7"}}}}, 5,
		7))
	f.Add([]byte("\x01\x05\x00\x01\x01m\x0b\x01\x01k\x0a\x01\x04\x02"))
	f.Fuzz(func(t *testing.T, b []byte) {
		item, err := rowenc.Decode(string(b))
		var out sample
		rowenc.Struct(string(b), "pk", "p", "sk", "s", &out) // must not panic, whatever it says
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

type word string

type level uint16

type shout string

func (s *shout) UnmarshalText(b []byte) error { *s = shout(strings.ToUpper(string(b))); return nil }

type sampleKey struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
}

type Sums struct {
	Level level `dynamo:"level"`
}

// sample has fields of every kind the fast path knows, and of several that it hands to the codec.
type sample struct {
	sampleKey
	Text string `dynamo:"text"`
	Word word   `dynamo:"word,omitempty"`
	Int  int    `dynamo:"int"`
	Int8 int8   `dynamo:"int8"`
	Uint uint64 `dynamo:"uint"`
	Sums
	Float   float64     `dynamo:"float"`
	Flag    bool        `dynamo:"flag"`
	Blob    []byte      `dynamo:"blob"`
	JSON    json.Number `dynamo:"json"`
	Tags    []string    `dynamo:"tags"`
	List    []int       `dynamo:"list"`
	Ptr     *string     `dynamo:"ptr"`
	When    time.Time   `dynamo:"when"`
	Unix    time.Time   `dynamo:"unix,unixtime"`
	Shout   shout       `dynamo:"shout"`
	Any     any         `dynamo:"any"`
	Skipped string      `dynamo:"-"`
	NoTag   string
	hidden  string
}

// TestStructAsTheCodec: for random items the fast path gives what guregu's codec gives, or declines.
func TestStructAsTheCodec(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	names := []string{"text", "word", "int", "int8", "uint", "level", "float", "flag", "blob", "json", "tags", "list",
		"ptr", "when", "unix", "shout", "any", "NoTag", "hidden", "other", "Skipped", "-"}
	taken := 0
	for i := range 20000 {
		item := rowenc.Item{}
		for _, name := range names {
			if rnd.IntN(2) == 0 {
				item[name] = fitting(rnd, name)
			}
			if rnd.IntN(60) == 0 {
				item[name] = anything(rnd)
			}
		}
		row := string(rowenc.Append(nil, item, 0, 0))
		item["pk"], item["sk"] = &types.AttributeValueMemberS{Value: "p"}, &types.AttributeValueMemberS{Value: "s"}
		// Both start from a struct in use: what the row lacks must become zero.
		used := func() sample {
			s := "used"
			return sample{Text: "used", Int: 5, Flag: true, Blob: []byte("used"), Tags: []string{"used"}, Ptr: &s,
				When: time.Unix(1, 0), Any: 1, hidden: "h", Skipped: "k"}
		}
		fast, slow := used(), used()
		if !rowenc.Struct(row, "pk", "p", "sk", "s", &fast) {
			continue
		}
		taken++
		if err := dynamo.UnmarshalItem(item, &slow); err != nil {
			t.Fatalf("%d: the codec refuses (%v) what the fast path took: %v", i, err, item)
		}
		if !reflect.DeepEqual(fast, slow) {
			t.Fatalf("%d: fast %+v\nslow %+v", i, fast, slow)
		}
	}
	if taken < 5000 {
		t.Errorf("the fast path took %d of 20000", taken)
	}
}

func fitting(rnd *rand.Rand, name string) types.AttributeValue {
	n := strconv.FormatInt(int64(rnd.Uint64()), 10)
	switch name {
	case "int":
		return &types.AttributeValueMemberN{Value: n}
	case "int8", "level":
		return &types.AttributeValueMemberN{Value: strconv.Itoa(rnd.IntN(300))}
	case "uint":
		return &types.AttributeValueMemberN{Value: strconv.FormatUint(rnd.Uint64(), 10)}
	case "float":
		return &types.AttributeValueMemberN{Value: []string{n, "1.25", "-0.001", "0"}[rnd.IntN(4)]}
	case "json":
		return &types.AttributeValueMemberS{Value: "12"}
	case "flag":
		return &types.AttributeValueMemberBOOL{Value: rnd.IntN(2) == 0}
	case "blob":
		return &types.AttributeValueMemberB{Value: []byte(n)}
	case "tags":
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: n}}}
	case "list":
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberN{Value: "3"}}}
	case "when":
		return &types.AttributeValueMemberS{Value: "2026-11-21T12:00:00Z"}
	case "unix":
		return &types.AttributeValueMemberN{Value: "1795238651"}
	}
	return &types.AttributeValueMemberS{Value: n}
}

func anything(rnd *rand.Rand) types.AttributeValue {
	switch rnd.IntN(6) {
	case 0:
		return &types.AttributeValueMemberN{Value: "7"}
	case 1:
		return &types.AttributeValueMemberN{Value: "7.5"}
	case 4:
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{
			&types.AttributeValueMemberN{Value: "1"},
			&types.AttributeValueMemberN{Value: []string{"2", "2.5", "1e30"}[rnd.IntN(3)]}}}
	case 2:
		return &types.AttributeValueMemberBOOL{Value: true}
	case 3:
		return &types.AttributeValueMemberB{Value: []byte("b")}
	}
	return &types.AttributeValueMemberS{Value: "s"}
}

// Types with rules of their own are left to the codec.
func TestStructDeclines(t *testing.T) {
	t.Parallel()
	row := string(rowenc.Append(nil, rowenc.Item{"text": &types.AttributeValueMemberS{Value: "x"}}, 0, 0))
	type embedded struct {
		*Sums
	}
	type twice struct {
		A string `dynamo:"text"`
		B string `dynamo:"text"`
	}
	var item map[string]any
	var n int
	for _, out := range []any{&embedded{}, &twice{}, &item, &n, sample{}, (*sample)(nil), nil, new(*sample)} {
		if rowenc.Struct(row, "pk", "p", "sk", "s", out) {
			t.Errorf("%T was taken", out)
		}
	}
}

// A number where a field has no room for one, as in a damaged row, must not be written over the field's memory.
func TestNumberInAnotherField(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"text", "word", "flag", "blob", "list", "tags", "ptr"} {
		var out sample
		row := string(rowenc.Append(nil, rowenc.Item{name: &types.AttributeValueMemberN{Value: "258"}}, 0, 0))
		if rowenc.Struct(row, "pk", "p", "sk", "s", &out) {
			t.Errorf("%s: taken", name)
		}
	}
}

// A text kept from a large row must not keep the row; a row's bytes must never be shared for writing.
func TestStructSharesOnlyTexts(t *testing.T) {
	t.Parallel()
	row, err := table.NewRow(&sample{sampleKey: sampleKey{"p", "s"}, Text: "text", Blob: []byte("blob")})
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

// TestStructAllocatesForItsListsAlone: a list of feeds decodes thousands of rows. Texts and numbers cost no memory of
// their own.
func TestStructAllocatesForItsListsAlone(t *testing.T) {
	number := func(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }
	row := string(rowenc.Append(nil, rowenc.Item{
		"text": &types.AttributeValueMemberS{Value: "a text"}, "word": &types.AttributeValueMemberS{Value: "a word"},
		"int": number("-5"), "int8": number("7"), "uint": number("9"), "level": number("3"), "float": number("1.5"),
		"flag": &types.AttributeValueMemberBOOL{Value: true},
		"blob": &types.AttributeValueMemberB{Value: []byte("bytes")},
		"list": &types.AttributeValueMemberL{Value: []types.AttributeValue{number("1"), number("2"), number("300")}},
	}, 0, 0))
	out := new(sample)
	if !rowenc.Struct(row, "pk", "p", "sk", "s", out) || out.Int != -5 || len(out.List) != 3 || out.List[2] != 300 {
		t.Fatalf("decoded as %+v", out)
	}
	if n := testing.AllocsPerRun(100, func() { rowenc.Struct(row, "pk", "p", "sk", "s", out) }); n > 3 {
		t.Errorf("%v allocations for a reader, bytes and a list", n)
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
