package table

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

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

// sample has fields of every kind that decodeStruct knows, and of several that it hands to the codec.
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

// TestStructAsTheCodec: for random items decodeStruct gives what guregu's codec gives, or declines.
func TestStructAsTheCodec(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	names := []string{"text", "word", "int", "int8", "uint", "level", "float", "flag", "blob", "json", "tags", "list",
		"ptr", "when", "unix", "shout", "any", "NoTag", "hidden", "other", "Skipped", "-"}
	taken := 0
	for i := range 20000 {
		item := Item{}
		for _, name := range names {
			if rnd.IntN(2) == 0 {
				item[name] = fitting(rnd, name)
			}
			if rnd.IntN(60) == 0 {
				item[name] = anything(rnd)
			}
		}
		item["pk"], item["sk"] = &types.AttributeValueMemberS{Value: "p"}, &types.AttributeValueMemberS{Value: "s"}
		// Both start from a struct in use: what the row lacks must become zero.
		used := func() sample {
			s := "used"
			return sample{Text: "used", Int: 5, Flag: true, Blob: []byte("used"), Tags: []string{"used"}, Ptr: &s,
				When: time.Unix(1, 0), Any: 1, hidden: "h", Skipped: "k"}
		}
		fast, slow := used(), used()
		if !decodeStruct(item, &fast) {
			continue
		}
		taken++
		if err := dynamo.UnmarshalItem(item, &slow); err != nil {
			t.Fatalf("%d: the codec refuses (%v) what the fast path took: %v", i, err, item)
		}
		if !reflect.DeepEqual(fast, slow) {
			t.Fatalf("%d: fast %+v\nslow %+v", i, fast, slow)
		}
		if row, err := NewRow(item); err == nil {
			text := used()
			packed := PackedRow(row.Key, row.Packed(), row.Size(), row.TTL())
			if !packed.decodeText("", &text) || !reflect.DeepEqual(text, slow) {
				t.Fatalf("%d: text %+v\nslow %+v", i, text, slow)
			}
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
	item := Item{"text": &types.AttributeValueMemberS{Value: "x"}}
	type embedded struct {
		*Sums
	}
	type twice struct {
		A string `dynamo:"text"`
		B string `dynamo:"text"`
	}
	var other map[string]any
	var n int
	for _, out := range []any{&embedded{}, &twice{}, &other, &n, sample{}, (*sample)(nil), nil, new(*sample)} {
		if decodeStruct(item, out) || (Row{enc: `{"text":"x"}`}).decodeText("", out) {
			t.Errorf("%T was taken", out)
		}
	}
}
