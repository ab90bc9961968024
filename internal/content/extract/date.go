package extract

import (
	"bytes"
	"strings"
	"time"
)

// ParseDate reads a date in any form seen in feeds: RFC 5322 (with wrong or missing weekdays, long, short
// and foreign names, missing seconds, two-digit years, named zones), RFC 3339 and ISO 8601 (also week,
// ordinal, basic and partial forms), asctime, American and European digits, Japanese, Korean and Chinese
// forms, Unix seconds and milliseconds. The result is in UTC. A text without zone counts as UTC, except
// that Korean dates and those of Japanese eras are local there. ok is false when the text is no date, or
// an impossible one: no instant is better than a wrong one.
func ParseDate(text string) (t time.Time, ok bool) { return parseDate([]byte(text)) }

// maxDate bounds what is looked at: no date is longer.
const maxDate = 96

func parseDate(b []byte) (time.Time, bool) {
	b = bytes.TrimFunc(b, func(r rune) bool { return r <= ' ' })
	if len(b) < 3 || len(b) > maxDate {
		return time.Time{}, false
	}
	if t, ok := fastDate(b); ok {
		return t, true
	}
	if t, ok := isoSpecial(string(b)); ok {
		return t, true
	}
	return looseDate(string(b))
}

// fastDate reads the two forms that nearly all feeds use, exactly as they should be.
func fastDate(b []byte) (time.Time, bool) {
	if len(b) >= 20 && b[4] == '-' {
		t, err := time.Parse(time.RFC3339, string(b))
		return t.UTC(), err == nil && t.UTC().Year() >= 1 && t.UTC().Year() <= 9999
	}
	return fastRFC1123(b)
}

// two reads two digits at b[i]; -1 if they are none.
func two(b []byte, i int) int {
	h, l := b[i]-'0', b[i+1]-'0'
	if h > 9 || l > 9 {
		return -1
	}
	return int(h)*10 + int(l)
}

// fastRFC1123 reads [Mon, ]2 Jan 2006 15:04:05 (±hhmm|GMT|UTC|Z), English months.
func fastRFC1123(b []byte) (time.Time, bool) {
	if len(b) > 5 && b[3] == ',' && b[4] == ' ' {
		b = b[5:]
	}
	if len(b) < 2 {
		return time.Time{}, false
	}
	var day int
	if b[1] == ' ' {
		if day = int(b[0] - '0'); day > 9 {
			return time.Time{}, false
		}
		b = b[1:]
	} else {
		day = two(b, 0)
		b = b[2:]
	}
	if len(b) < 20 || b[0] != ' ' || b[4] != ' ' || b[9] != ' ' || b[12] != ':' || b[15] != ':' || b[18] != ' ' {
		return time.Time{}, false
	}
	offset, ok := 0, false
	switch zone := b[19:]; {
	case len(zone) == 5 && (zone[0] == '+' || zone[0] == '-'):
		offset, ok = clockOffset(zone[0], two(zone, 1), two(zone, 3))
	case string(zone) == "GMT", string(zone) == "UTC", string(zone) == "Z", string(zone) == "UT":
		ok = true
	}
	month := strings.Index(englishMonths, string(b[1:4]))
	if !ok || month%3 != 0 {
		return time.Time{}, false
	}
	return makeDate(number(string(b[5:9])), month/3+1, day, two(b, 10), two(b, 13), two(b, 16), 0, offset)
}

const englishMonths = "JanFebMarAprMayJunJulAugSepOctNovDec"

// clockOffset makes seconds of a zone's hours and minutes. The farthest zone is 14 hours off.
func clockOffset(sign byte, h, m int) (int, bool) {
	if h < 0 || m < 0 || h > 15 || m > 59 {
		return 0, false
	}
	sec := h*3600 + m*60
	if sign == '-' {
		sec = -sec
	}
	return sec, true
}

// makeDate checks every part; 24:00:00 is the next midnight (ISO 8601), second 60 a leap second. Years
// before 1 and after 9999 are none.
func makeDate(year, month, day, hour, minute, second, nanos, offset int) (time.Time, bool) {
	if year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31 ||
		hour < 0 || hour > 24 || minute < 0 || minute > 59 || second < 0 || second > 60 ||
		hour == 24 && (minute > 0 || second > 0) {
		return time.Time{}, false
	}
	if midnight := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC); day > 28 && midnight.Day() != day {
		return time.Time{}, false // no such day in this month
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second-offset, nanos, time.UTC)
	return t, t.Year() >= 1 && t.Year() <= 9999
}

// fullYear widens a two-digit year by the rule of RFC 5322 (4.3), with the pivot of POSIX.
func fullYear(y int) int {
	switch {
	case y < 69:
		return 2000 + y
	case y < 100:
		return 1900 + y
	}
	return y
}
