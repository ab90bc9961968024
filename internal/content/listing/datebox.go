package listing

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// Limits of boxes that show a date: 11 over 21, 土.
const (
	maxBoxed  = 24 // bytes of all texts
	maxPieces = 7
)

var (
	boxedWeekday = pattern.New(`(?i)^[(（]?(?:[月火水木金土日][祝]?|[月火水木金土日]曜日?|[월화수목금토일]요?일?|周[一二三四五六日]|(?:mon|tue|wed|thu` +
		`|fri|sat|sun)\pL{0,6}|mo|di|mi|do|fr|sa|so|(?:lun|mar|mer|jeu|ven|sam|dim)\.?)[)）]?$`)
	boxedMonth = pattern.New(`^` + month + `\.?$`)
)

// boxedDate joins the texts of a box whose elements show month and day, perhaps a year and a day of the week; empty if
// it is none. Two bare numbers are taken for month and day where these come in that order, beside a day of the week or
// under a name.
func boxedDate(n *html.Node, lang string) string {
	if !hasElements(n) {
		return ""
	}
	var pieces []string
	size := 0
	for c := range n.Descendants() {
		if c.Type != html.TextNode {
			continue
		}
		for s := range strings.FieldsFuncSeq(plainDigits(c.Data), partsBox) {
			pieces = append(pieces, s)
			if size += len(s); size > maxBoxed || len(pieces) > maxPieces {
				return ""
			}
		}
	}
	var numbers []int
	name, isSure := "", false
	for i, s := range pieces {
		number, err := strconv.Atoi(strings.Trim(s, "年月日년월일"))
		switch {
		case err == nil:
			numbers = append(numbers, number)
			isSure = isSure || strings.ContainsAny(s, "月월")
		case i > 0 && strings.Trim(s, "年月日년월일") == "":
			isSure = isSure || strings.ContainsAny(s, "月월") || i == len(pieces)-1
		case boxedWeekday.MatchString(s):
			isSure = true
		case name == "" && boxedMonth.MatchString(s):
			name = s
		default:
			return ""
		}
	}
	return joinBox(numbers, name, isSure || named(n, dateName), lang)
}

// partsBox reports whether a character parts the numbers of a box: 12.5, 12/5.
func partsBox(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("./-", r) }

func joinBox(numbers []int, name string, isSure bool, lang string) string {
	year := ""
	for i, v := range numbers {
		if v > 1900 && v < 2200 && (i == 0 || i == len(numbers)-1) {
			year = strconv.Itoa(v)
			numbers = append(numbers[:i:i], numbers[i+1:]...)
			break
		}
	}
	switch {
	case name != "" && len(numbers) == 1 && numbers[0] >= 1 && numbers[0] <= 31:
		return strings.TrimSpace(strconv.Itoa(numbers[0]) + " " + strings.TrimRight(name, ".") + " " + year)
	case name != "" || len(numbers) != 2 || !isSure || !strings.Contains("ja zh ko", lang[:min(len(lang), 2)]):
		return ""
	}
	m, day := numbers[0], numbers[1]
	if m < 1 || m > 12 || day < 1 || day > 31 {
		return ""
	}
	if year != "" {
		year += "年"
	}
	return year + strconv.Itoa(m) + "月" + strconv.Itoa(day) + "日"
}

var (
	// lonelyDay is a day without its month: 5日（土）, Sat 5, 5th.
	lonelyDay = pattern.New(`^[^\d]{0,3}(\d{1,2}) ?[日일][^\d]{0,10}(?:\d{1,2}:\d{2}.{0,8})?$` +
		`|^(?:(\pL{2,9})\.?,? )?(\d{1,2})(?:\.|st|nd|rd|th)?(?:,? [(（]?(\pL{1,9})[)）]?\.?)?$`)
	// monthAlone is what stands above the days of a month: 令和8年11月, 12月の行事, December 2026.
	monthAlone = pattern.New(`^[^\d\pL]{0,4}(?:(?P<cjk>(?:(?:(?:令和|平成) ?(?:\d{1,2}|元)|(?:19|20)\d{2}) ?[年년] ?)?` +
		`\d{1,2} ?[月월])(?:[^\d日일][^\d]{0,12})?|(?P<name>` + month + `),? (?P<year>(?:19|20)\d{2}))$`)
)

// monthMark is a text that names a month, and where it is.
type monthMark struct {
	at   int
	text []string // the parts of monthAlone
}

// underMonth completes a day by the month that was named last above it. A bare number is a day where it is named so.
func (d *document) underMonth(n *html.Node, text string) string {
	if _, isWhole := d.dateIn(text); isWhole || len(text) > maxRelative || !strings.ContainsAny(text, anyDigits) {
		return text
	}
	m := lonelyDay.FindStringSubmatch(plainDigits(text))
	if m == nil || m[1] == "" && !boxedWeekday.MatchString(m[2]+m[4]) && !named(n, dateName) {
		return text
	}
	order := d.elementOrder()
	if d.months == nil {
		d.months = []monthMark{}
		for e := range d.root.Descendants() {
			if e.Type != html.ElementNode || e.FirstChild == nil ||
				!isHeading(e) && (e.FirstChild != e.LastChild || e.FirstChild.Type != html.TextNode) {
				continue
			}
			if t := plainDigits(textOf(e, nil)); len(t) < maxRelative && monthAlone.MatchString(t) {
				d.months = append(d.months, monthMark{order[e], monthAlone.FindStringSubmatch(t)})
			}
		}
	}
	i, _ := slices.BinarySearchFunc(d.months, order[n], func(m monthMark, at int) int { return m.at - at })
	switch day := m[1] + m[3]; {
	case i == 0:
		return text
	case d.months[i-1].text[1] != "":
		return d.months[i-1].text[1] + day + "日"
	default:
		return day + " " + d.months[i-1].text[2] + " " + d.months[i-1].text[3]
	}
}
