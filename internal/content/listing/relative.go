package listing

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/money"
	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// moment is a date as a page gives it: whole, or counted from the time of the look.
type moment struct {
	at    time.Time     // whole
	back  time.Duration // before the look, to the unit that the page counts in
	days  int           // before the day of the look, 1 = today, 2 = yesterday
	month time.Month    // without a year
	day   int
	clock time.Duration // time of day, of days and month
}

// from returns the time that is meant on a page that was looked at then. Of a day without a year it is the nearest one.
func (m moment) from(look time.Time, lang string) time.Time {
	look = look.Add(zoneOf(lang))
	today := time.Date(look.Year(), look.Month(), look.Day(), 0, 0, 0, 0, time.UTC)
	switch {
	case m.back > 0:
		unit := m.back
		for _, u := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
			if m.back >= u {
				unit = u
				break
			}
		}
		return look.Add(-zoneOf(lang) - m.back).Truncate(unit).UTC()
	case m.days > 0:
		return today.AddDate(0, 0, 1-m.days).Add(m.clock)
	case m.month > 0:
		best := time.Time{}
		for year := look.Year() - 1; year <= look.Year()+1; year++ {
			t := time.Date(year, m.month, m.day, 0, 0, 0, 0, time.UTC)
			if t.Day() == m.day && (best.IsZero() || t.Sub(today).Abs() < best.Sub(today).Abs()) {
				best = t
			}
		}
		if best.IsZero() {
			return best
		}
		return best.Add(m.clock)
	}
	return m.at
}

// zoneOf is where a day begins for the readers of a language.
func zoneOf(lang string) time.Duration {
	switch language, _, _ := strings.Cut(strings.ToLower(lang), "-"); language {
	case "ja", "ko":
		return 9 * time.Hour
	case "zh":
		return 8 * time.Hour
	}
	return 0
}

// CountFrom sets dates that the page gives relative to the time of the look: "3 days ago", "yesterday", "27 November".
func (p *Page) CountFrom(look time.Time) {
	for i := range p.Rows {
		p.Rows[i].Date = p.Rows[i].date.from(look, p.Lang)
	}
}

// CountFrom does that for the date of sale.
func (d *Detail) CountFrom(look time.Time) { d.SoldAt = d.sold.from(look, d.lang) }

const (
	second = `sec(?:ond)?s?|s|秒|초|sekunden?|secondes?|segundos?|secondi|seconden|sekunder|секунд\pL*|sekund\pL*`
	minute = `min(?:ute)?s?\.?|m|分|分钟|分鐘|분|minuten?|minutos?|minut[io]|minuter|минут\pL*|мин|minut\pL*`
	hour   = `h(?:ou)?rs?|h|時間|小时|小時|시간|stunden?|std\.?|heures?|horas?|or[ae]|uur|uren|timmar|timme|timer?|час\pL*` +
		`|godz\pL*`
	oneDay = `days?|d|日|天|일|tage?n?|jours?|d[ií]as?|giorn[io]|dag(?:en|ar|e)?|дн\pL*|день|dni|dzień`
	week   = `weeks?|wks?|w|週間?|周|주일?|wochen?|semaines?|semanas?|settiman[ae]|we(?:ek|ken)|veck(?:a|or)|uger?` +
		`|недел\pL*|tygodni\pL*|tydzień`
	months = `months?|mos?|[かヶカケ箇]月|个月|個月|개월|달|monate?n?|mois|mes(?:es)?|mês|mes[ei]|maand(?:en)?|månad(?:er)?` +
		`|måneder?|месяц\pL*|miesi\pL*`
	years = `years?|yrs?|y|年|년|jahre?n?|ans?|années?|años?|anos?|ann[io]|jaar|år|лет|год\pL*|lat|rok\pL*`
)

var (
	unitsOfTime = []struct {
		length time.Duration
		name   *pattern.Pattern
	}{
		{time.Second, unitOfTime(second)}, {time.Minute, unitOfTime(minute)}, {time.Hour, unitOfTime(hour)},
		{24 * time.Hour, unitOfTime(oneDay)},
		{7 * 24 * time.Hour, unitOfTime(week)}, {30 * 24 * time.Hour, unitOfTime(months)},
		{365 * 24 * time.Hour, unitOfTime(years)},
	}
	anyUnit = second + `|` + minute + `|` + hour + `|` + oneDay + `|` + week + `|` + months + `|` + years
	ago     = pattern.New(`(?i)(?:^|[^\pL\d.,])(\d{1,4}|an?|one) ?(` + anyUnit +
		`) ?(?:ago\b|前(?:[^\pL]|$)|전(?:[^\pL]|$)|fa\b|geleden\b|sedan\b|siden\b|назад|temu\b)`)
	before = pattern.New(`(?i)(?:^|[^\pL])(?:vor|il y a|hace|há|för|før) (\d{1,4}|eine[mrn]?|une?|una?|um` +
		`|uma|en|ett) ?(` + anyUnit + `)(?:[^\pL]|$)`)
	clock = pattern.New(`(\d{1,2}):(\d{2})(?: ?([AaPp])\.?[Mm])?`)
)

func unitOfTime(names string) *pattern.Pattern { return pattern.New(`(?i)^(?:` + names + `)$`) }

// dayWords are the days that have a name today.
var dayWords = map[string]int{}

func init() {
	for days, words := range []string{
		1: "today 今日 本日 heute aujourd'hui hoy oggi vandaag idag i\u00a0dag hoje 오늘 今天 сегодня dzisiaj dziś dnes",
		2: "yesterday 昨日 きのう gestern hier ayer ieri gisteren igår i\u00a0går ontem 어제 昨天 вчера wczoraj včera",
		3: "一昨日 おととい vorgestern avant-hier anteayer l'altro\u00a0ieri eergisteren 그저께 前天 позавчера przedwczoraj",
	} {
		for w := range strings.FieldsSeq(strings.ReplaceAll(words, "\u00a0", "_")) {
			dayWords[strings.ReplaceAll(w, "_", " ")] = days
		}
	}
}

// maxRelative is how long a text is, in bytes, that gives only a day by its name or without a year.
const maxRelative = 60

// findRelative reads a date that counts from the time of the look.
func findRelative(s, lang string) (moment, bool) {
	for _, form := range []*pattern.Pattern{ago, before} {
		m := form.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			n = 1
		}
		for _, u := range unitsOfTime {
			if u.name.MatchString(m[2]) && n > 0 && time.Duration(n) < 100*365*24*time.Hour/u.length {
				return moment{back: time.Duration(n) * u.length}, true
			}
		}
	}
	if len(s) > maxRelative {
		return moment{}, false
	}
	lower := strings.ToLower(s)
	for w, days := range dayWords {
		i := strings.Index(lower, w)
		if i < 0 || !money.WordEnds(lower[:i], w) || !money.WordEnds(w, lower[i+len(w):]) || days == 2 &&
			strings.HasPrefix(lower[:i], "一") && strings.HasSuffix(lower[:i], "一") {
			continue
		}
		if rest := strings.TrimSpace(lower[:i]); utf8.RuneCountInString(rest) > 20 {
			continue
		}
		at, _ := timeOfDay(s)
		return moment{days: days, clock: at}, true
	}
	return findYearless(s, lang)
}

func timeOfDay(s string) (time.Duration, bool) {
	m := clock.FindStringSubmatch(s)
	if m == nil {
		return 0, false
	}
	h, _ := strconv.Atoi(m[1])
	min, _ := strconv.Atoi(m[2])
	if h > 23 || min > 59 || m[3] != "" && (h > 12 || h == 0) {
		return 0, false
	}
	switch {
	case strings.EqualFold(m[3], "p") && h < 12:
		h += 12
	case strings.EqualFold(m[3], "a") && h == 12:
		h = 0
	}
	return time.Duration(h)*time.Hour + time.Duration(min)*time.Minute, true
}

const weekdayPart = `(?:[(（][^\d)）]{1,4}[)）])?`

// yearless are days without a year, which are whole texts but for words before them and a time of day.
var yearless = []struct {
	form *pattern.Pattern
	lang string // empty: any
}{
	{pattern.New(`(?:^|[^\d年년])(?P<m>\d{1,2}) ?[月월] ?(?P<d>\d{1,2}) ?[日일]` + weekdayPart +
		`(?: ?\d{1,2}:\d{2})?$`), ""},
	{pattern.New(`^(?P<m>\d{2})[-.](?P<d>\d{2})(?: \d{1,2}:\d{2})?$`), "ja zh ko"},
	{pattern.New(`^[^\d]{0,20}?(?P<m>\d{1,2})/(?P<d>\d{1,2})` + weekdayPart + `(?: ?\d{1,2}:\d{2})?$`),
		"ja zh ko"},
	{pattern.New(`^[^\d]{0,20}?(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?:,? ?(?:um )?\d{1,2}:\d{2}(?: Uhr)?)?$`),
		"de cs sk pl fi nb da hu sl hr"},
	{pattern.New(`(?i)(?:^|[^\pL\d])(?P<d>\d{1,2})(?:\.|st|nd|rd|th)? (?:de )?(?P<m>` + month +
		`)\.?(?:,? ?(?:at |um |à |alle |kl\.? ?)?\d{1,2}:\d{2}(?: ?[ap]\.?m\.?)?)?$`), ""},
	{pattern.New(`(?i)(?:^|[^\pL\d])(?P<m>` + month +
		`)\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?(?:,? ?(?:at )?\d{1,2}:\d{2}(?: ?[ap]\.?m\.?)?)?$`), ""},
}

func findYearless(s, lang string) (moment, bool) {
	if !strings.ContainsAny(s, digits) {
		return moment{}, false
	}
	language, _, _ := strings.Cut(strings.ToLower(lang), "-")
	for _, y := range yearless {
		if y.lang != "" && (language == "" || !strings.Contains(y.lang, language)) {
			continue
		}
		m := y.form.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		name, day := m[y.form.SubexpIndex("m")], m[y.form.SubexpIndex("d")]
		written := "2000-" + two(name) + "-" + two(day) // a leap year
		if name[0] > '9' {
			written = day + " " + name + " 2000"
		}
		t, ok := readDate(written, lang)
		if !ok || t.Year() != 2000 || strconv.Itoa(t.Day()) != strings.TrimLeft(day, "0") {
			continue
		}
		at, _ := timeOfDay(s)
		return moment{month: t.Month(), day: t.Day(), clock: at}, true
	}
	return moment{}, false
}
