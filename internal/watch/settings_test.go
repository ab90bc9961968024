package watch

import (
	"errors"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// M-6
func TestFits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		set   Settings
		title string
		price int64
		want  bool
	}{
		{"everything", Settings{}, "", -1, true},
		{"a word", Settings{Words: []string{"camera"}}, "Old Cameras", 1, true},
		{"within a word", Settings{Words: []string{"era"}}, "Camera", 1, false},
		{"width and case", Settings{Words: []string{"ｎｉｋｏｎ"}}, "NIKON F3", 1, true},
		{"half-width kana", Settings{Words: []string{"カメラ"}}, "中古ｶﾒﾗ", 1, true},
		{"diacritics", Settings{Words: []string{"etagere"}}, "Étagère", 1, true},
		{"two words", Settings{Words: []string{"nikon", "f3"}}, "F3 by Nikon", 1, true},
		{"one of two", Settings{Words: []string{"nikon", "f4"}}, "F3 by Nikon", 1, false},
		{"without", Settings{Without: []string{"ジャンク"}}, "カメラ ジャンク品", 1, false},
		{"not without", Settings{Without: []string{"ジャンク"}}, "カメラ 美品", 1, true},
		{"below", Settings{Min: 100, Max: 200}, "", 99, false},
		{"least", Settings{Min: 100, Max: 200}, "", 100, true},
		{"most", Settings{Min: 100, Max: 200}, "", 200, true},
		{"above", Settings{Min: 100, Max: 200}, "", 201, false},
		{"no price", Settings{Min: 100, Max: 200}, "", -1, true},
	} {
		r := row(1, tt.price)
		r.Title = tt.title
		if got := tt.set.Fits(&r); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*Settings){
		"":           func(*Settings) {},
		"name":       func(s *Settings) { s.Name = " " },
		"url":        func(s *Settings) { s.URL = "javascript:alert(1)" },
		"layout":     func(s *Settings) { s.Layout = nil },
		"rows":       func(s *Settings) { s.Layout = &listing.Layout{} },
		"pace":       func(s *Settings) { s.Pace = 4 },
		"words":      func(s *Settings) { s.Words = []string{" "} },
		"without":    func(s *Settings) { s.Without = make([]string, 21) },
		"min":        func(s *Settings) { s.Min = -1 },
		"max":        func(s *Settings) { s.Min, s.Max = 5, 4 },
		"wanted":     func(s *Settings) { s.Wanted = 1 << 60 },
		"events":     func(s *Settings) { s.Events = []EventKind{New, New} },
		"months":     func(s *Settings) { s.Months = -1 },
		"price.attr": func(s *Settings) { s.Detail = &listing.DetailLayout{Price: listing.Field{Attr: "a b"}} },
	} {
		set := &Settings{Name: "Cameras", URL: "https://shop.example/list",
			Layout: &listing.Layout{Rows: listing.Rows{Selector: "li"}}}
		change(set)
		var bad *listing.Error
		if err := set.Check(); field == "" {
			if err != nil {
				t.Error(err)
			}
		} else if !errors.As(err, &bad) || !strings.HasSuffix(bad.Field, field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// M-8
func TestFullTick(t *testing.T) {
	t.Parallel()
	spread := map[schedule.Tick]bool{}
	for f := range 200 {
		for _, period := range []int32{0, 3, 5, 9, 48, 96, 97, 200} {
			plan := schedule.Plan{First: schedule.Tick(f % 7), Period: period}
			turns, full := 0, 0
			for tick := plan.NextTurn(10); tick < 10+30*schedule.TicksPerDay; tick = plan.NextTurn(tick) {
				turns++
				if FullTick(reader.FeedID(f), plan, tick) {
					full++
					if period == 5 {
						spread[tick%schedule.TicksPerDay] = true
					}
				}
			}
			if want := min(turns, 30); full < want-1 || full > want+1 {
				t.Fatalf("feed %d, period %d: %d of %d turns in 30 days are full", f, period, full, turns)
			}
		}
	}
	if len(spread) < 50 {
		t.Errorf("full crawls of 200 watches are at %d times of day", len(spread))
	}
}
