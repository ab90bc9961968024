package reader

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestMinute(t *testing.T) {
	t.Parallel()
	if Epoch.Unix() != epochUnix {
		t.Fatal("the epoch is not the epoch")
	}
	for _, tt := range []struct {
		at   time.Time
		want Minute
	}{
		{Epoch, 0},
		{Epoch.Add(-time.Hour), 0},
		{Epoch.Add(59*time.Second + 999*time.Millisecond), 0},
		{Epoch.Add(time.Minute), 1},
		{Epoch.Add(24 * time.Hour), 1440},
		{time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC), MaxMinute},
		{time.Time{}, 0},
	} {
		if got := MinuteOf(tt.at); got != tt.want {
			t.Errorf("MinuteOf(%v) = %d, want %d", tt.at, got, tt.want)
		}
	}
	if y := Epoch.Add(time.Duration(MaxMinute) * time.Minute).Year(); y != 2057 {
		t.Errorf("minutes end in %d", y)
	}
}

// C-18
func TestItemIDParts(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	for range 10_000 {
		m, f, q := Minute(rng.Uint32N(1<<24)), FeedID(1+rng.Uint32N(uint32(MaxFeedID))), Seq(1+rng.Uint32N(1<<20))
		id := NewItemID(m, f, q)
		if id.Stamp() != m || id.Feed() != f || id.SeqLow() != q%1024 || id >= 1<<53 || !id.Valid() {
			t.Fatalf("%d of %d %d %d", id, m, f, q)
		}
		back, err := ParseItemID(id.String())
		if err != nil || back != id {
			t.Fatalf("round trip of %v: %v %v", id, back, err)
		}
		last := q + Seq(rng.IntN(5000))
		at := id.SeqAtMost(last)
		for ; at > q; at -= 1024 {
		}
		if at != q {
			t.Fatalf("seq %d not among the candidates from %d", q, last)
		}
	}
	if NewItemID(5, 1, 1) <= NewItemID(4, MaxFeedID, 1023) {
		t.Error("ids do not grow with the minute")
	}
	if got := NewItemID(1, 2, 700).SeqAtMost(300); got != 0 {
		t.Errorf("no candidate, got %d", got)
	}
}

func TestParseIDRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "0", "01", "-1", "+1", " 1", "1 ", "0x1", "１", "9007199254740992",
		"99999999999999999999", "1e3", "1023", strings.Repeat("1", 400)} {
		if id, err := ParseItemID(s); !errors.Is(err, ErrBadID) {
			t.Errorf("item %q: %v %v", s, id, err)
		}
	}
	for _, s := range []string{"", "0", "01", "-1", "524288", "x"} {
		if f, err := ParseFeedID(s); !errors.Is(err, ErrBadID) {
			t.Errorf("feed %q: %v %v", s, f, err)
		}
	}
	if f, err := ParseFeedID("524287"); err != nil || f != MaxFeedID || !f.Valid() || FeedID(0).Valid() {
		t.Error(f, err)
	}
}

func TestIDsInJSONAreStrings(t *testing.T) {
	t.Parallel()
	type row struct {
		Item ItemID `json:"item"`
		Feed FeedID `json:"feed"`
	}
	in := row{NewItemID(1000, 42, 7), 42}
	b, err := json.Marshal(in)
	if want := `{"item":"536870955015","feed":"42"}`; err != nil || string(b) != want {
		t.Fatalf("%s %v, want %s", b, err, want)
	}
	var out row
	if err := json.Unmarshal(b, &out); err != nil || out != in {
		t.Fatal(out, err)
	}
	for _, bad := range []string{`{"item":12}`, `{"item":"x"}`, `{"feed":"0"}`, `{"feed":null}`, `{"item":""}`} {
		if err := json.Unmarshal([]byte(bad), &out); err == nil {
			t.Errorf("%s accepted", bad)
		}
	}
}
