package extract

import (
	"strconv"
	"strings"
	"time"
)

// isoSpecial reads the forms whose digits mean something of their own: ISO week dates, ordinal dates,
// dates without separators, two-digit years before a month (-yy-mm), and Unix times.
func isoSpecial(v string) (time.Time, bool) {
	date, clock := v, ""
	if i := strings.IndexAny(v, "Tt "); i > 0 {
		date, clock = v[:i], v[i+1:]
	}
	if i := strings.Index(date, "W"); i >= 4 {
		return withClock(weekDate(date), clock)
	}
	if strings.HasPrefix(date, "-") {
		if p := strings.Split(date[1:], "-"); len(p) == 2 && len(p[0]) == 2 && len(p[1]) == 2 {
			return at(fullYear(number(p[0])), number(p[1]), 1)
		}
		return time.Time{}, false
	}
	if p := strings.Split(date, "-"); len(p) == 2 && len(p[0]) == 4 && len(p[1]) == 3 {
		return withClock(ordinal(number(p[0]), number(p[1])), clock)
	}
	n, err := strconv.ParseInt(date, 10, 64) // an int has 32 bits on some machines
	if err != nil || digitsAt(date) != len(date) {
		return time.Time{}, false
	}
	of := func(unit int64) int { return int(n / unit % 100) } // two digits
	switch len(date) {
	case 4:
		return at(int(n), 1, 1)
	case 5:
		return withClock(ordinal(fullYear(int(n/1000)), int(n%1000)), clock)
	case 7:
		return withClock(ordinal(int(n/1000), int(n%1000)), clock)
	case 8:
		t, ok := at(int(n/1e4), of(100), of(1))
		return withClock(t, clock, ok)
	case 10:
		return time.Unix(n, 0).UTC(), clock == ""
	case 12:
		return makeDate(int(n/1e8), of(1e6), of(1e4), of(100), of(1), 0, 0, 0)
	case 13:
		return time.UnixMilli(n).UTC(), clock == ""
	case 14:
		return makeDate(int(n/1e10), of(1e8), of(1e6), of(1e4), of(100), of(1), 0, 0)
	}
	return time.Time{}, false
}

func at(year, month, day int) (time.Time, bool) { return makeDate(year, month, day, 0, 0, 0, 0, 0) }

// withClock adds a time of day and zone to a date, as the loose reader understands them.
func withClock(t time.Time, clock string, oks ...bool) (time.Time, bool) {
	if t.IsZero() || len(oks) > 0 && !oks[0] {
		return time.Time{}, false
	}
	if clock == "" {
		return t, true
	}
	if !strings.Contains(clock, ":") { // basic form hhmm[ss]
		switch digitsAt(clock) {
		case 4:
			clock = clock[:2] + ":" + clock[2:]
		case 6:
			clock = clock[:2] + ":" + clock[2:4] + ":" + clock[4:]
		}
	}
	return looseDate(t.Format("2006-01-02 ") + clock)
}

// weekDate reads 2004-W05[-3] and 2004W053 (ISO 8601, 4.1.4).
func weekDate(v string) time.Time {
	v = strings.ReplaceAll(v, "-", "")
	if len(v) != 7 && len(v) != 8 || v[4] != 'W' {
		return time.Time{}
	}
	year, week, day := number(v[:4]), number(v[5:7]), 1
	if len(v) == 8 {
		day = number(v[7:])
	}
	if year < 1 || week < 1 || week > 53 || day < 1 || day > 7 {
		return time.Time{}
	}
	fourth := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // always in week 1
	monday := fourth.AddDate(0, 0, -(int(fourth.Weekday())+6)%7)
	return monday.AddDate(0, 0, (week-1)*7+day-1)
}

// ordinal reads the day of a year.
func ordinal(year, day int) time.Time {
	t := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day-1)
	if year < 1 || day < 1 || t.Year() != year {
		return time.Time{}
	}
	return t
}

// number reads digits alone; -1 for anything else.
func number(v string) int {
	if v == "" || len(v) > 15 {
		return -1
	}
	n := 0
	for i := range len(v) {
		d := v[i] - '0'
		if d > 9 {
			return -1
		}
		n = n*10 + int(d)
	}
	return n
}
