package listing

import (
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/pattern"
	"github.com/ruri-reader/ruri/internal/reader"
)

// maxDateText is how much of a text is looked at for a date, in bytes.
const maxDateText = 300

const (
	clockPart = `(?:[T ]*\(?[^\d\s]{0,4}\)?[T ,、]*\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)? ?(?:[AaPp]\.?[Mm]\.?\b|Z` +
		`|[+-]\d{2}:?\d{2}|JST|UTC|GMT)?)?`
	month = `[A-Za-zÀ-ÿ]{3,12}`
)

// dates are the forms of a date within a text, the surest first. A text without any character of has cannot match.
var dates = []struct {
	form *pattern.Pattern
	has  string
}{
	{pattern.New(`\b(?:19|20)\d{2}-\d{1,2}-\d{1,2}` + clockPart), "-"},
	{pattern.New(`(?:(?:令和|平成|昭和) ?(?:\d{1,2}|元) ?年|(?:19|20)\d{2} ?[年년]) ?\d{1,2} ?[月월] ?\d{1,2} ?[日일]` +
		clockPart), "日일"},
	{pattern.New(`\b(?:19|20)\d{2}[/.] ?\d{1,2}[/.] ?\d{1,2}` + clockPart), "/."},
	{pattern.New(`\b[RHS]\d{1,2}\.\d{1,2}\.\d{1,2}\b`), "RHS"},
	{pattern.New(`\b\d{1,2}(?:\.|st|nd|rd|th)? (?:de )?` + month + `\.?,? (?:de )?(?:19|20)\d{2}\b` + clockPart),
		" "},
	{pattern.New(`\b` + month + `\.? \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d{2}\b` + clockPart), " "},
	{pattern.New(`\b\d{1,2}[./] ?\d{1,2}[./] ?(?:19|20)\d{2}\b` + clockPart), "/."},
}

const (
	digits    = "0123456789"
	anyDigits = digits + "０１２３４５６７８９"
)

var (
	spacesInDate = pattern.New(` ?([年년月월]) ?| ([日일])`)
	weekday      = pattern.New(`[(（][^\d)）]{1,4}[)）]`)
	ordinal      = pattern.New(`(\d)(?:st|nd|rd|th)\b`)
	glued        = []*pattern.Pattern{ // texts of boxes for day, month and year
		pattern.New(`\b(\d{1,2})(` + month + `)((?:19|20)\d{2})\b`),
		pattern.New(`\b(` + month + `)(\d{1,2})((?:19|20)\d{2})\b`),
	}
	eraLetter = pattern.New(`^([RHS])(\d{1,2})\.(\d{1,2})\.(\d{1,2})$`)
)

// noLook stands for the time of the look where it does not matter.
var noLook = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// findDate reads the first date in a text, as if the page were looked at at noLook.
func findDate(s, lang string) (time.Time, bool) {
	m, ok := findMoment(s, lang)
	return m.from(noLook, lang), ok
}

// findMoment reads the first date in a text: a whole one, else one that counts from the time of the look.
func findMoment(s, lang string) (moment, bool) {
	s = plainDigits(oneLine(reader.CutBytes(s, maxDateText)))
	if s == "" {
		return moment{}, false
	}
	if !strings.ContainsAny(s, digits) {
		return findRelative(s, lang)
	}
	for _, form := range glued {
		s = form.ReplaceAllString(s, "$1 $2 $3")
	}
	for _, d := range dates {
		if !strings.ContainsAny(s, d.has) {
			continue
		}
		for _, found := range d.form.FindAllString(s, 3) {
			if t, ok := readDate(found, lang); ok {
				return moment{at: t}, true
			}
		}
	}
	if isTimestamp(s) {
		t, ok := extract.ParseDate(s)
		return moment{at: t}, ok
	}
	return findRelative(s, lang)
}

func readDate(s, lang string) (time.Time, bool) {
	s = strings.TrimSpace(weekday.ReplaceAllString(s, " "))
	s = spacesInDate.ReplaceAllString(s, "$1$2")
	s = ordinal.ReplaceAllString(s, "$1")
	s = strings.ReplaceAll(s, " de ", " ")
	if m := eraLetter.FindStringSubmatch(s); m != nil {
		era := map[string]string{"R": "令和", "H": "平成", "S": "昭和"}[m[1]]
		s = era + m[2] + "年" + m[3] + "月" + m[4] + "日"
	}
	if m := dayFirst.FindStringSubmatch(s); m != nil {
		s = isoOrder(m, lang)
	}
	t, ok := extract.ParseDate(s)
	if !ok || t.Year() < 1900 || t.Year() > 2200 {
		return time.Time{}, false
	}
	if strings.ContainsAny(s[:min(len(s), 6)], "令平昭") && !strings.Contains(s, ":") {
		// a day of an era is taken as one of Japan, but days without a zone are days
		t = t.Add(9 * time.Hour)
	}
	return t, true
}

var dayFirst = pattern.New(`^(\d{1,2})[./] ?(\d{1,2})[./] ?(\d{4})(.*)$`)

// isoOrder puts the year first. Americans write the month first, with slashes.
func isoOrder(m []string, lang string) string {
	day, month := m[1], m[2]
	first, _ := strconv.Atoi(m[1])
	second, _ := strconv.Atoi(m[2])
	if strings.Contains(m[0], "/") && isAmerican(lang) && first <= 12 || second > 12 {
		day, month = month, day
	}
	return m[3] + "-" + two(month) + "-" + two(day) + m[4]
}

// isAmerican reports whether the month may come first in a language.
func isAmerican(lang string) bool {
	l := strings.ToLower(lang)
	return l == "" || l == "en" || l == "en-us"
}

var slashed = pattern.New(`\b(\d{1,2})/(\d{1,2})/(?:19|20)\d{2}\b`)

// writesDayFirst reports whether dates of a page show that it puts the day first, and none that it puts the month
// first: 13/11/2026.
func writesDayFirst(text []byte) bool {
	isDayFirst := false
	for _, m := range slashed.Regexp().FindAllSubmatch(text[:min(len(text), maxPage)], maxElements) {
		first, _ := strconv.Atoi(string(m[1]))
		second, _ := strconv.Atoi(string(m[2]))
		if second > 12 {
			return false
		}
		isDayFirst = isDayFirst || first > 12
	}
	return isDayFirst
}

func two(s string) string {
	if len(s) == 1 {
		return "0" + s
	}
	return s
}

func plainDigits(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '０' <= r && r <= '９':
			return r - '０' + '0'
		case r == '／':
			return '/'
		case r == '．':
			return '.'
		case r == '：':
			return ':'
		}
		return r
	}, s)
}

// isTimestamp recognises Unix seconds and milliseconds, as data has them.
func isTimestamp(s string) bool {
	if len(s) != 10 && len(s) != 13 {
		return false
	}
	return strings.Trim(s, digits) == "" && (s[0] == '1' || s[0] == '2')
}
