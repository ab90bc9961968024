package extract

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// looseDate reads a date from its parts wherever they stand: numbers, a month by name, a clock with
// colons, half of the day, a zone. Words it does not know are allowed before the first number only (they
// are weekdays), so garbage inside a date makes it none.
func looseDate(v string) (time.Time, bool) {
	p := dateParts{hour: -1}
	if !p.read(v) {
		return time.Time{}, false
	}
	return p.result()
}

type dateParts struct {
	nums   [4]int // date numbers in order of appearance
	digits [4]int // the number of digits of each
	n      int
	sep    byte // the text between the first two
	month  int
	unit   [3]int // year, month, day named by a character (年, 월 …)

	hour, minute, second, nanos int
	pm, am                      bool
	offset                      int
	zoned                       bool
	zone                        string // name of a zone to be looked up
	eastern                     bool   // a date of Korea or of a Japanese era: UTC+9 unless a zone is given
	era                         int    // year before the era's first
	weekday                     int    // 1 = Sunday … as named, 0 unknown
}

func (p *dateParts) read(v string) bool {
	for i := 0; i < len(v); {
		c := v[i]
		switch {
		case c >= '0' && c <= '9':
			n := p.number(v, i)
			if n < 0 {
				return false
			}
			i += n
		case (c == '+' || c == '-') && p.hour >= 0 && i+1 < len(v) && v[i+1] >= '0' && v[i+1] <= '9':
			n := p.signed(v[i:])
			if n < 0 {
				return false
			}
			i += n
		case c == '(' && p.zoned && strings.IndexByte(v[i:], ')') > 0:
			i += strings.IndexByte(v[i:], ')') // a comment that names the zone once more
		case c < utf8.RuneSelf && !unicode.IsLetter(rune(c)):
			i++
		default:
			n := p.word(v[i:])
			if n < 0 {
				return false
			}
			i += n
		}
	}
	return true
}

// number reads a number at v[i]: the start of a clock, a date number, or one with a unit behind it.
func (p *dateParts) number(v string, i int) int {
	j := i + digitsAt(v[i:])
	n := number(v[i:j])
	if n < 0 {
		return -1
	}
	if j < len(v) && v[j] == ':' && p.hour < 0 && j-i <= 2 {
		return p.clock(v, i, j)
	}
	if size := p.setUnit(v[j:], n); size > 0 {
		return j - i + size
	}
	if p.n == 2 && p.month != 0 && p.hour < 0 && j-i == 4 { // hhmm behind a whole date
		p.hour, p.minute = n/100, n%100
		return j - i
	}
	if p.n >= 3 {
		return -1
	}
	if p.n == 1 && i > 0 {
		p.sep = v[i-1]
	}
	p.nums[p.n], p.digits[p.n] = n, j-i
	p.n++
	return j - i
}

// clock reads h:mm[:ss[.frac]].
func (p *dateParts) clock(v string, i, j int) int {
	part := func(from int) (value, end int) {
		end = from + digitsAt(v[from:])
		return number(v[from:end]), end
	}
	p.hour = number(v[i:j])
	p.minute, j = part(j + 1)
	if p.minute < 0 {
		return -1
	}
	if j < len(v) && v[j] == ':' {
		if p.second, j = part(j + 1); p.second < 0 {
			return -1
		}
		if j+1 < len(v) && (v[j] == '.' || v[j] == ',') && v[j+1] >= '0' && v[j+1] <= '9' {
			fraction := v[j+1 : j+1+digitsAt(v[j+1:])]
			j += 1 + len(fraction)
			p.nanos, _ = strconv.Atoi((fraction + "000000000")[:9])
		}
	}
	return j - i
}

// digitsAt counts the digits at the start of v.
func digitsAt(v string) int { return len(v) - len(strings.TrimLeft(v, "0123456789")) }

// units are the characters behind a number in Japanese, Chinese and Korean, and the letter of French and German hours.
var units = []struct {
	text   string
	set    func(p *dateParts, n int)
	korean bool
}{
	{"年", setYear, false}, {"月", setMonth, false}, {"日", setDay, false}, {"時", setHour, false}, {"时", setHour, false},
	{"点", setHour, false}, {"分", setMinute, false}, {"秒", setSecond, false}, {"년", setYear, true},
	{"월", setMonth, true},
	{"일", setDay, true}, {"시", setHour, true}, {"분", setMinute, true}, {"초", setSecond, true},
}

func setYear(p *dateParts, n int)   { p.unit[0] = n }
func setMonth(p *dateParts, n int)  { p.unit[1] = n }
func setDay(p *dateParts, n int)    { p.unit[2] = n }
func setHour(p *dateParts, n int)   { p.hour = n }
func setMinute(p *dateParts, n int) { p.minute = n }
func setSecond(p *dateParts, n int) { p.second = n }

// setUnit takes n by the unit at the start of v, and returns the length of the unit; 0 when there is none.
func (p *dateParts) setUnit(v string, n int) int {
	if strings.HasPrefix(v, "h") && (len(v) == 1 || v[1] == ' ' || digitsAt(v[1:]) > 0) {
		p.hour = n
		return 1
	}
	for _, u := range units {
		if strings.HasPrefix(v, u.text) {
			u.set(p, n)
			p.eastern = p.eastern || u.korean
			return len(u.text)
		}
	}
	return 0
}

// signed reads a zone ±hh[[:]mm] at v[0].
func (p *dateParts) signed(v string) int {
	j := 1 + digitsAt(v[1:])
	h, m := number(v[1:j]), 0
	switch j - 1 {
	case 1, 2:
		if j+2 < len(v) && v[j] == ':' && number(v[j+1:j+3]) >= 0 {
			m = number(v[j+1 : j+3])
			j += 3
		} else if j+2 == len(v) && v[j] == ':' && number(v[j+1:]) >= 0 { // cut off
			m = 10 * number(v[j+1:])
			j += 2
		}
	case 3, 4:
		h, m = h/100, h%100
	default:
		return -1
	}
	off, ok := clockOffset(v[0], h, m)
	if !ok {
		return -1
	}
	p.offset, p.zoned, p.zone = off, true, ""
	return j
}

// word reads a run of letters (with the dots, slashes and underscores of abbreviations and zone names).
func (p *dateParts) word(v string) int {
	j := 0
	for j < len(v) {
		r, size := utf8.DecodeRuneInString(v[j:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) &&
			!(j > 0 && (r == '\'' || r == '_' || r == '/' && j+1 < len(v) && unicode.IsLetter(rune(v[j+1])))) {
			break
		}
		j += size
	}
	if j == 0 {
		_, size := utf8.DecodeRuneInString(v) // other characters, such as a full-width comma
		return size
	}
	raw := v[:j]
	w := strings.ToLower(raw)
	if (w == "a" || w == "p") && len(v) >= j+2 && v[j] == '.' && v[j+1]|0x20 == 'm' { // p.m.
		w += "m"
		j += 2
	}
	if p.meaning(w, raw) {
		return j
	}
	if p.n == 0 && p.hour < 0 && p.month == 0 {
		return j // before everything: a weekday in a language not listed
	}
	return -1
}

// meaning records what a word means; false when it is unknown.
func (p *dateParts) meaning(w, raw string) bool {
	if w == "at" && p.hour >= 0 {
		w = "ast" // Atlantic time behind a clock, the preposition before one
	}
	switch w {
	case "am", "午前", "上午", "오전", "ص":
		p.am, p.eastern = true, p.eastern || w == "오전"
		return true
	case "pm", "午後", "下午", "오후", "م":
		p.pm, p.eastern = true, p.eastern || w == "오후"
		return true
	case "t", "st", "nd", "rd", "th", "at", "um", "uhr", "of", "de", "del", "à", "a", "om", "kl", "le", "den", "der",
		"г", "г.", "в", "года", "ο", "o":
		return true
	case "令和":
		p.era, p.eastern = 2018, true
		return true
	case "平成":
		p.era, p.eastern = 1988, true
		return true
	case "昭和":
		p.era, p.eastern = 1925, true
		return true
	}
	m, wd := monthNames[w], weekdayNames[w]
	if m == 0 && wd == 0 {
		if off, ok := zoneNames[w]; ok && (p.hour >= 0 || p.n > 0) {
			p.offset, p.zoned = off, true
			return true
		}
		if strings.Contains(raw, "/") {
			p.zone = raw
			return true
		}
		if r, _ := utf8.DecodeRuneInString(w); (r == '曜' || r >= '月' && strings.ContainsRune("月火水木金土日", r)) &&
			utf8.RuneCountInString(w) <= 3 {
			return true
		}
		return false
	}
	switch {
	case m != 0 && wd != 0: // "mar" is a Tuesday or March: the weekday if it comes first, before a month
		if p.n == 0 && p.month == 0 && p.weekday == 0 {
			p.weekday, p.month = wd, -m
		} else {
			p.month = m
		}
	case m != 0:
		if p.month > 0 {
			return false
		}
		p.month = m
	default:
		p.weekday = wd
	}
	return true
}

func (p *dateParts) result() (time.Time, bool) {
	p.month = max(p.month, -p.month)
	year, month, day, ok := p.date()
	if !ok {
		return time.Time{}, false
	}
	hour := max(p.hour, 0)
	switch {
	case (p.pm || p.am) && hour > 12 && p.am, hour > 24:
		return time.Time{}, false
	case p.pm && hour < 12:
		hour += 12
	case p.am && hour == 12:
		hour = 0
	}
	if p.eastern && !p.zoned {
		p.offset = 9 * 3600
	}
	t, ok := makeDate(year, month, day, hour, p.minute, p.second, p.nanos, p.offset)
	if ok && p.zone != "" {
		return inZone(t, p.zone)
	}
	return t, ok
}

// date makes year, month and day of the numbers read.
func (p *dateParts) date() (year, month, day int, ok bool) {
	if p.unit[0] > 0 && p.unit[1] > 0 {
		y := p.unit[0] + p.era
		return fullYear(y), p.unit[1], max(p.unit[2], 1), p.n == 0
	}
	if p.month == 0 {
		p.month = p.unit[1]
	}
	a, b, c := p.nums[0], p.nums[1], p.nums[2]
	da, db, dc := p.digits[0], p.digits[1], p.digits[2]
	if p.month > 0 {
		switch {
		case p.n == 1 && (da >= 4 || a > 31):
			return fullYear(a), p.month, 1, true
		case p.n == 2 && da >= 4:
			return a, p.month, b, db <= 2
		case p.n == 2:
			return shortYear(b, db), p.month, a, db != 3 && db <= 4
		}
		return 0, 0, 0, false
	}
	switch p.n {
	case 2:
		return a, b, 1, da == 4 && db == 2
	case 3:
		switch {
		case da == 4:
			return a, b, c, db <= 3 && dc <= 2
		case dc != 4 && dc != 2:
			return 0, 0, 0, false
		case dc == 2 && p.sep == '-':
			return fullYear(a), b, c, da == 2
		case p.sep == '/':
			month, day = p.american(a, b, shortYear(c, dc))
			return shortYear(c, dc), month, day, true
		}
		if b > 12 && a <= 12 {
			a, b = b, a
		}
		return shortYear(c, dc), b, a, true
	}
	return 0, 0, 0, false
}

func shortYear(y, digits int) int {
	if digits <= 2 {
		return fullYear(y)
	}
	return y
}

// american decides what a/b means: the order that is possible, then the one that fits the weekday, then
// month first.
func (p *dateParts) american(a, b, year int) (month, day int) {
	switch {
	case a > 12:
		return b, a
	case b > 12 || p.weekday == 0:
		return a, b
	}
	fits := func(m, d int) bool {
		return int(time.Date(year, time.Month(m), d, 0, 0, 0, 0, time.UTC).Weekday())+1 == p.weekday
	}
	if !fits(a, b) && fits(b, a) {
		return b, a
	}
	return a, b
}

// inZone moves a clock reading into a zone of the IANA database; without that zone there is no instant.
func inZone(t time.Time, zone string) (time.Time, bool) {
	zone = strings.TrimPrefix(zone, "Etc/")
	if zone == "GMT" || zone == "UTC" || zone == "UCT" || zone == "Zulu" {
		return t, true
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return time.Time{}, false
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc).UTC(), true
}
