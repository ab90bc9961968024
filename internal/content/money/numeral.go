package money

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// numeral is a number within a text.
type numeral struct {
	start, end int
	parts      []part
	cents      string // raised digits, or those behind a sign: 12€50
	note       bool   // raised digits that are no cents, but could be
}

// part is digits with separators, as written, and the unit of ten thousands, thousands … behind them. Most numerals
// have one part, without a unit.
type part struct {
	digits string
	scale  int // a power of ten
	isK    bool
}

// plain writes digits of all scripts, signs, spaces and dashes in one way. Spaces between digits that do not break
// stay, as U+00A0: those group digits.
func plain(s string) string {
	runes := make([]rune, 0, len(s))
	for _, r := range s {
		switch {
		case r >= 0xff01 && r <= 0xff5e: // full width
			r -= 0xff01 - '!'
		case r > 0x7f && unicode.Is(unicode.Nd, r):
			r = '0' + digitValue(r)
		case strings.ContainsRune("\u00a0\u202f\u2009\u2007\u2008", r):
			r = '\u00a0'
		case unicode.IsSpace(r):
			r = ' '
		case strings.ContainsRune("\u200b\u200c\u200d\u200e\u200f\u061c\u2060\u00ad\ufeff\ufe0e\ufe0f", r) ||
			r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			continue
		default:
			if to, ok := same[r]; ok {
				r = to
			}
		}
		if r == 'ー' && (len(runes) == 0 || strings.ContainsRune("0123456789円,. ", runes[len(runes)-1])) {
			r = '-'
		}
		if r == '~' && len(runes) > 0 && runes[len(runes)-1] == '~' {
			continue
		}
		runes = append(runes, r)
	}
	var b strings.Builder
	space := true
	for i, r := range runes {
		if r == '\u00a0' && !(i > 0 && i+1 < len(runes) && isDigit(runes[i-1]) && isDigit(runes[i+1])) {
			r = ' '
		}
		if r == ' ' && space {
			continue
		}
		space = r == ' '
		b.WriteRune(r)
	}
	return strings.TrimRight(b.String(), " ")
}

var same = map[rune]rune{
	'￥': '¥', '￡': '£', '￦': '₩', '、': ',', '،': ',', '。': '|', '‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-',
	'―': '-', '−': '-', '─': '-',
	'〜': '~', '∼': '~', '∿': '~', '〰': '~', '’': '\'', '‘': '\'', '′': '\'', 'ʼ': '\'', '´': '\'', '×': '*', '✕': '*',
	'✖': '*', '¦': '|', '｡': '|',
	'（': '(', '）': ')', '［': '[', '］': ']', '﹣': '-', '﹩': '$', '٪': '%', '％': '%', '⁺': '+',
}

// digitValue is that of a decimal digit of any script: their blocks are runs of ten.
func digitValue(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	return 0
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

var (
	grouped = pattern.New(`^\d{1,3}(?:[ \x{a0}]\d{3})+(?:[.,٫]\d+)?`)
	digits  = pattern.New(`^(?:\d+(?:[.,'٫٬]\d+)*|\.\d\d?)`)
	raised  = pattern.New(`^[⁰¹²³⁴⁵⁶⁷⁸⁹]+`)
)

const raisedDigits = "⁰¹²³⁴⁵⁶⁷⁸⁹"

// Raise writes digits as raised ones, as Parse expects what a page sets small behind an amount: $149⁹⁹.
func Raise(s string) string {
	return strings.Map(func(r rune) rune {
		if !isDigit(r) {
			return r
		}
		return []rune(raisedDigits)[r-'0']
	}, s)
}

func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune(raisedDigits, r); i >= 0 {
			return '0' + rune(utf8.RuneCountInString(raisedDigits[:i]))
		}
		return r
	}, s)
}

// numerals finds all numbers of a text.
func numerals(s string) []numeral {
	var out []numeral
	for i := 0; i < len(s); {
		d := digitsAt(s, i)
		if d == "" {
			i++
			continue
		}
		n := numeral{start: i}
		n.end = i + len(d)
		n.parts = []part{{digits: d}}
		n.readScales(s)
		if r := raised.FindString(s[n.end:]); r != "" {
			n.raise(r)
		}
		out = append(out, n)
		i = n.end
	}
	return out
}

func digitsAt(s string, i int) string {
	if s[i] == '.' {
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		d := digits.FindString(s[i:])
		if i == 0 || before == '.' || before == ' ' || isDigit(before) || isAlphabetic(before) ||
			continues(s[i+len(d):]) {
			return ""
		}
		return d
	}
	if !isDigit(rune(s[i])) {
		return ""
	}
	if d := grouped.FindString(s[i:]); d != "" && !continues(s[i+len(d):]) {
		return d
	}
	return digits.FindString(s[i:])
}

// continues reports whether what follows digits would be more of them.
func continues(s string) bool {
	s = strings.TrimLeft(s, ".,'\u00a0")
	return s != "" && isDigit(rune(s[0]))
}

var scales = map[string]int{
	"億": 8, "亿": 8, "억": 8,
	"万": 4, "萬": 4, "만": 4, "千": 3, "仟": 3, "천": 3, "百": 2, "佰": 2, "백": 2, "十": 1, "拾": 1, "십": 1,
}

// readScales reads what Japanese, Korean and Chinese put behind digits (2万4千5百), and the k for thousands.
func (n *numeral) readScales(s string) {
	last := &n.parts[0]
	for {
		r, size := utf8.DecodeRuneInString(s[n.end:])
		scale := scales[string(r)]
		if scale == 0 {
			break
		}
		n.end += size
		if last.scale == 0 {
			last.scale = scale
		} else { // 5천만: the second unit counts all before it
			n.parts = append(n.parts, part{scale: scale})
		}
		last = &n.parts[len(n.parts)-1]
		from := n.end + len(s[n.end:]) - len(strings.TrimPrefix(s[n.end:], " "))
		if from < len(s) && s[from] != '.' {
			if d := digitsAt(s, from); d != "" {
				n.parts = append(n.parts, part{digits: d})
				last, n.end = &n.parts[len(n.parts)-1], from+len(d)
			}
		}
	}
	if k := thousand.FindString(s[n.end:]); k != "" && len(n.parts) == 1 && last.scale == 0 {
		last.scale, last.isK = 3, true
		n.end++
	}
}

// thousand is a k behind digits that begins no word, and is none of "k.k.".
var thousand = pattern.New(`^[kK](?:[^\pL\d.]|\.?$|\.[^\pL])`)

// raise takes raised digits behind a number.
func (n *numeral) raise(r string) {
	n.end += len(r)
	d := lower(r)
	whole := n.parts[len(n.parts)-1].digits
	switch hasFraction := len(n.parts) > 1 || n.parts[0].scale > 0 || mayHaveFraction(whole); {
	case len(d) == 1 || hasFraction && len(d) == 2: // a footnote
	case hasFraction || n.cents != "":
		n.note = true
	default:
		n.cents = d
	}
}

// mayHaveFraction reports whether digits end in one or two behind a separator.
func mayHaveFraction(d string) bool {
	i := strings.LastIndexAny(d, ".,٫")
	return i >= 0 && len(d)-i-1 < 3
}

// isBare reports whether a number is plain digits.
func (n *numeral) isBare() bool { return len(n.parts) == 1 && n.parts[0].scale == 0 && n.cents == "" }

// maxDigits keeps amounts within an int64, in minor units.
const maxDigits = 13

// amount computes it in minor units of a currency; false if the digits are not grouped as numbers are, or the currency
// has no such small coins.
func (n *numeral) amount(currency, lang string) (int64, bool) {
	exponent := Digits(currency)
	if n.note {
		return 0, false
	}
	if n.cents != "" {
		whole, fraction, ok := split(n.parts[0].digits, currency, lang)
		if !ok || fraction != "" || len(n.cents) != exponent || len(n.parts) > 1 || n.parts[0].scale != 0 {
			return 0, false
		}
		return minor(whole, n.cents, exponent)
	}
	if len(n.parts) > 1 || n.parts[0].scale > 0 {
		return n.scaled(exponent)
	}
	whole, fraction, ok := split(n.parts[0].digits, currency, lang)
	if !ok {
		return 0, false
	}
	return minor(whole, fraction, exponent)
}

// scaled adds up parts with units: from large to small, 億 and 万 once, and before the smaller ones single digits.
func (n *numeral) scaled(exponent int) (int64, bool) {
	if len(n.parts) == 1 {
		p := n.parts[0]
		whole, fraction, ok := splitScaled(p.digits, p.isK)
		if !ok {
			return 0, false
		}
		return minor(whole, fraction, exponent+p.scale)
	}
	var total, section int64
	limit, above := int64(1e9), pow10(maxDigits) // above: the unit of what was added up
	for i, p := range n.parts {
		var v int64
		if p.digits != "" {
			whole, fraction, ok := splitScaled(p.digits, false)
			if !ok || fraction != "" || len(whole) > maxDigits {
				return 0, false
			}
			v, _ = strconv.ParseInt(whole, 10, 64)
		}
		switch unit := pow10(p.scale); {
		case p.scale >= 4:
			if unit >= above || section+v >= above/unit {
				return 0, false
			}
			total, section, limit, above = total+(section+v)*unit, 0, unit, unit
		case p.scale > 0:
			if v < 1 || v > 9 || unit >= limit {
				return 0, false
			}
			section += v * unit
			limit = unit
		default:
			if i != len(n.parts)-1 || v >= limit {
				return 0, false
			}
			section += v
		}
	}
	return minor(strconv.FormatInt(total+section, 10), "", exponent)
}

// splitScaled splits digits before a unit: there a point is decimal and commas group, but behind k either is decimal.
func splitScaled(d string, isK bool) (whole, fraction string, ok bool) {
	if i := strings.LastIndexAny(d, ".,"); i >= 0 && len(d)-i-1 < 3 && (d[i] == '.' || isK) &&
		!strings.ContainsAny(d[:i], ".") {
		whole, ok = ungroup(d[:i])
		return whole, d[i+1:], ok
	} else if i >= 0 && d[i] == '.' && (isK || strings.ContainsAny(d[:i], ".,")) {
		return "", "", false
	} else if i >= 0 && d[i] == '.' {
		return d[:i], d[i+1:], true
	}
	whole, ok = ungroup(d)
	return whole, "", ok
}

func pow10(n int) int64 {
	v := int64(1)
	for range n {
		v *= 10
	}
	return v
}

// minor joins whole and fraction into minor units. Zeros behind them say nothing.
func minor(whole, fraction string, places int) (int64, bool) {
	if len(fraction) > places {
		if strings.Trim(fraction[places:], "0") != "" {
			return 0, false
		}
		fraction = fraction[:places]
	}
	if len(whole) > maxDigits {
		return 0, false
	}
	v, err := strconv.ParseInt("0"+whole+fraction+strings.Repeat("0", places-len(fraction)), 10, 64)
	return v, err == nil
}

// isPlainDecimal tells numbers as data has them.
func isPlainDecimal(s string) bool {
	whole, fraction, _ := strings.Cut(s, ".")
	return len(s) < 40 && whole != "" && strings.Trim(whole+fraction, "0123456789") == "" && !strings.HasSuffix(s, ".")
}

func decimal(s string, exponent int) (int64, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	return minor(strings.TrimLeft(whole, "0"), fraction, exponent)
}

var (
	threes = pattern.New(`^\d{1,3}(?:\.\d{3}|,\d{3}|'\d{3}|[ \x{a0}]\d{3}|٬\d{3})+$`)
	indian = pattern.New(`^\d{1,2}(?:,\d{2})+,\d{3}$`)
)

// ungroup returns digits without the separators of groups, false if they do not group.
func ungroup(d string) (string, bool) {
	if strings.Trim(d, "0123456789") == "" {
		return d, d != ""
	}
	seps := strings.TrimFunc(strings.Map(func(r rune) rune {
		if isDigit(r) {
			return -1
		}
		return r
	}, d), func(rune) bool { return false })
	first, _ := utf8.DecodeRuneInString(seps)
	if strings.Trim(seps, string(first)) != "" || !threes.MatchString(d) && !indian.MatchString(d) {
		return "", false
	}
	d = strings.ReplaceAll(d, string(first), "")
	return d, d[0] != '0'
}

// split finds the decimal separator: the last one, if it occurs once and other than three digits follow. Before three
// digits the currency and the language decide, and if both readings are possible there is no amount.
func split(d, currency, lang string) (whole, fraction string, ok bool) {
	at := strings.LastIndexAny(d, ".,' \u00a0٫٬")
	if at < 0 {
		return d, "", len(d) == 1 || d[0] != '0'
	}
	sep, size := utf8.DecodeRuneInString(d[at:])
	head, tail := d[:at], d[at+size:]
	isDecimal := func() (string, string, bool) {
		if head == "" {
			return "0", tail, true
		}
		whole, ok := ungroup(head)
		return whole, tail, ok && (len(whole) == 1 || whole[0] != '0')
	}
	switch {
	case sep == '٫':
		return isDecimal()
	case sep != '.' && sep != ',', strings.ContainsRune(head, sep):
		whole, ok = ungroup(d)
		return whole, "", ok
	case strings.Trim(head, "0123456789") != "", len(tail) != 3, head == "0", len(head) > 3:
		return isDecimal()
	}
	if exponent, isMark := Digits(currency), sep == rune(decimalOf(lang)); exponent == 3 && isMark {
		return isDecimal()
	} else if exponent == 2 && isMark && sep == markOf(currency) {
		return "", "", false // fuel costs $3.459, and 1.299 of another country's notation are many more
	}
	whole, ok = ungroup(d)
	return whole, "", ok
}

// markOf is the decimal separator where a currency is at home.
func markOf(currency string) rune {
	if strings.Contains("EUR SEK NOK DKK PLN CZK HUF RON BGN RSD TRY RUB UAH BYN BRL ARS COP CLP UYU IDR VND ISK ",
		currency+" ") {
		return ','
	}
	return '.'
}

var kanji = pattern.New(`^(?:金|¥)? ?[〇零一二三四五六七八九壱弐参十拾百千万萬]+ ?[円圓](?: ?也|~| ?\(?税込み?\)?)?$`)

// plainKanji writes an amount in Chinese characters with digits, where it is the whole text: 二万四千五百円.
func plainKanji(s string) string {
	if !kanji.MatchString(s) {
		return s
	}
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		if i := strings.IndexRune("〇一二三四五六七八九", r); i >= 0 {
			r = '0' + rune(i/3)
		} else if to, ok := map[rune]rune{'零': '0', '壱': '1', '弐': '2', '参': '3'}[r]; ok {
			r = to
		} else if s := scales[string(r)]; s > 0 && s < 4 && !isDigit(last) {
			b.WriteByte('1')
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}
