package listing

import (
	"regexp"
	"strconv"
	"strings"
)

// maxPriceText is how much of a text is looked at, in bytes: no price is longer.
const maxPriceText = 200

// ParsePrice reads a written price on a page in a language: the first amount with a currency beside it, of a range the lower
// one, or a number that stands alone, whose currency is that of the language if it has but one. ok is false for what is none.
func ParsePrice(text, lang string) (p Price, ok bool) {
	s := plainPrice(cutBytes(text, maxPriceText))
	if lang == "" {
		lang = guessLang([]byte(text))
	}
	for at := 0; at < len(s); {
		n, found := nextNumber(s, at)
		if !found {
			break
		}
		at = n.end
		if isHuge(s[n.end:]) {
			return Price{}, false
		}
		if sign, ok := beside(s, &n); ok {
			if isHuge(s[n.end:]) {
				return Price{}, false
			}
			if isNoPrice(s, &n) {
				continue
			}
			return n.price(currencyOf(sign, lang), lang)
		}
	}
	if isFree(s) {
		return Price{}, true
	}
	if n, found := nextNumber(s, 0); found && strings.TrimSpace(s[:n.start]) == "" && strings.Trim(s[n.end:], " ,.-") == "" {
		return n.price(currencyOf("", lang), lang)
	}
	return Price{}, false
}

// parseAmount reads an amount whose currency is known: 1299.50.
func parseAmount(text, currency, lang string) (Price, bool) {
	p, ok := ParsePrice(text, lang)
	if ok && (p.Currency == currency || currency == "") {
		return p, ok
	}
	s := plainPrice(cutBytes(text, maxPriceText))
	n, found := nextNumber(s, 0)
	if !found || !ok && strings.ContainsFunc(s[:n.start]+s[n.end:], isAlphabetic) {
		return p, ok
	}
	return n.price(currency, lang)
}

// parseMinor reads a whole number of minor units.
func parseMinor(text, currency, lang string) (Price, bool) {
	if currency == "" {
		currency = currencyOf("", lang)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return Price{Amount: n, Currency: currency}, err == nil && n >= 0 && n < 1e15
}

func cutBytes(s string, n int) string { return strings.ToValidUTF8(s[:min(len(s), n)], "") }

var priceCharacters = strings.NewReplacer(
	"￥", "¥", "￡", "£", "￦", "₩", "＄", "$", "，", ",", "．", ".", "、", ",", "\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u3000", " ",
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "–", "-", "—", "-", "―", "-", "−", "-", "－", "-", "ー", "-", "〜", "~", "～", "~", "∼", "~",
	"’", "'", "‘", "'", "′", "'", "＇", "'", "\u200e", "", "\u200f", "",
)

// plainPrice writes digits, signs, spaces and dashes in one way.
func plainPrice(s string) string {
	s = strings.Map(func(r rune) rune {
		if '０' <= r && r <= '９' {
			return r - '０' + '0'
		}
		return r
	}, priceCharacters.Replace(s))
	return strings.Join(strings.Fields(s), " ")
}

// number is one that was found in a text.
type number struct {
	start, end int    // in the text, with what belongs to it: 万, ",-"
	digits     string // as written
	myriads    string // "3万5,800": the 3
	scale      string // 千 behind the digits
	cents      string // the 50 of 12€50
}

var (
	grouped = regexp.MustCompile(`^\d{1,3}(?: \d{3})+(?:[.,]\d+)?`)
	digits  = regexp.MustCompile(`^(?:\d+(?:[.,']\d+)*|[.,]\d\d)`)
	dashes  = regexp.MustCompile(`^(?:[.,]? ?-+)`)
)

// nextNumber finds the next number of a text.
func nextNumber(s string, from int) (n number, ok bool) {
	for i := from; i < len(s); i++ {
		isDigit := '0' <= s[i] && s[i] <= '9'
		if !isDigit && (s[i] != '.' || i == 0 || s[i-1] == ' ' || isLetter(s[i-1])) {
			continue
		}
		d := firstDigits(s[i:])
		if d == "" {
			continue
		}
		n := number{start: i, end: i + len(d), digits: d}
		n.readMyriads(s)
		return n, true
	}
	return number{}, false
}

func firstDigits(s string) string {
	if d := grouped.FindString(s); d != "" && (len(d) == len(s) || s[len(d)] < '0' || s[len(d)] > '9') {
		return d
	}
	return digits.FindString(s)
}

// readMyriads reads what follows the digits in Japanese, Korean and Chinese: 万 and a rest, 千.
func (n *number) readMyriads(s string) {
	if rest, ok := cutScale(s[n.end:], "万", "만", "萬"); ok {
		n.myriads, n.end = n.digits, len(s)-len(rest)
		n.digits = "0"
		if d := firstDigits(strings.TrimPrefix(rest, " ")); d != "" {
			n.digits, n.end = d, n.end+len(rest)-len(strings.TrimPrefix(rest, " "))+len(d)
		}
	}
	if rest, ok := cutScale(s[n.end:], "千", "천"); ok {
		n.scale, n.end = "千", len(s)-len(rest)
	}
}

func cutScale(s string, scales ...string) (string, bool) {
	for _, c := range scales {
		if rest, ok := strings.CutPrefix(s, c); ok {
			return rest, true
		}
	}
	return s, false
}

var between = regexp.MustCompile(`^(?:円|원|元)? ?(?:-|~|to|bis|à|a|y|e|o|och|og|und|et|do|до|から) ?`)

// beside finds the sign of a currency before or behind a number, or behind the other end of a range that begins with it. It extends
// the number over the sign.
func beside(s string, n *number) (string, bool) {
	if sign, l := signBefore(strings.TrimSuffix(s[:n.start], " ")); l > 0 {
		n.start = len(strings.TrimSuffix(s[:n.start], " ")) - l
		// "US $12" and "NT$ 99", but also "49,99 $ CA" where another number stands before
		if after, l := signAfter(strings.TrimPrefix(s[n.end:], " ")); l > 0 && sign == "*$" && isCode(after) {
			sign = after
		}
		return sign, true
	}
	if sign, l := signAfter(s[n.end:]); l > 0 && s[n.end] == ':' {
		n.end += l
		return sign, true
	}
	end := n.end + len(dashes.FindString(s[n.end:]))
	for _, from := range []int{end, n.end} {
		rest := strings.TrimPrefix(s[from:], " ")
		rest = strings.TrimPrefix(rest, "d'") // million d'euros
		if sign, l := signAfter(rest); l > 0 {
			n.end = len(s) - len(rest) + l
			if c := cents.FindString(s[n.end:]); c != "" && len(rest) == len(s)-from {
				n.cents, n.end = c, n.end+len(c)
			}
			return sign, true
		}
	}
	if gap := between.FindString(s[n.end:]); gap != "" {
		next, found := nextNumber(s, n.end+len(gap))
		if found && next.start == n.end+len(gap) {
			if sign, ok := beside(s, &next); ok && next.start >= n.end {
				if next.myriads != "" && n.myriads == "" && next.digits == "0" {
					n.myriads, n.digits = n.digits, "0"
				}
				n.end = next.end
				return sign, true
			}
		}
	}
	if end > n.end && strings.TrimSpace(s[end:]) == "" && strings.TrimSpace(s[:n.start]) == "" {
		return "", true // "49,-"
	}
	return "", false
}

var cents = regexp.MustCompile(`^\d\d\b`)

var huge = regexp.MustCompile(`(?i)^(?:k(?:[^\pL.]|$)| ?(?:億|억|亿|兆|조|m\b|bn\b|mio\b|mln\b|mrd\b|mld\b|mill|mio\.|milh|mili|milj|bili|bilh|billi|miljar|trill|тыс|млн|млрд))`)

// isHuge reports whether a number counts millions or the like: such amounts are not what a thing costs.
func isHuge(after string) bool { return huge.MatchString(after) }

var (
	discountAfter  = regexp.MustCompile(`(?i)^ ?(?:off\b|引き|引|オフ|クーポン|rabatt|de remise|ポイント)`)
	discountBefore = regexp.MustCompile(`(?i)(?:送料|shipping|versand|delivery|save|割引|値引き?|cupón|coupon) ?[:：]? ?$|(?:^| )-$`)
	oldBefore      = regexp.MustCompile(`(?i)(?:was|rrp|uvp|statt|list price|定価|通常価格|参考価格|メーカー希望小売価格) ?[:：]? ?$`)
)

// isNoPrice reports whether an amount is what is saved, what is paid for the delivery, or a former price before another one.
func isNoPrice(s string, n *number) bool {
	before, after := s[:n.start], s[n.end:]
	if discountAfter.MatchString(after) || discountBefore.MatchString(before) {
		return true
	}
	_, more := nextNumber(s, n.end)
	return more && oldBefore.MatchString(before)
}

// maxDigits keeps amounts within an int64, in minor units.
const maxDigits = 13

// price computes the amount in minor units.
func (n *number) price(currency, lang string) (Price, bool) {
	exponent := Digits(currency)
	scale := 0
	if n.scale != "" {
		scale = 3
	}
	amount, ok := minor(n.digits, n.cents, exponent, scale, lang)
	if ok && n.myriads != "" {
		var m int64
		m, ok = minor(n.myriads, "", exponent, 4, lang)
		amount += m
	}
	if !ok {
		return Price{}, false
	}
	return Price{Amount: amount, Currency: currency}, true
}

// minor turns digits with separators into minor units: with exponent digits behind the decimal separator, times ten to the scale.
func minor(digits, cents string, exponent, scale int, lang string) (int64, bool) {
	whole, fraction := split(digits, exponent, scale, lang)
	fraction += cents
	if len(whole) > maxDigits {
		return 0, false
	}
	places := exponent + scale
	if len(fraction) > places { // rounded down: no shop means it
		fraction = fraction[:places]
	}
	fraction += strings.Repeat("0", places-len(fraction))
	v, err := strconv.ParseInt("0"+whole+fraction, 10, 64)
	return v, err == nil
}

// split finds the decimal separator.
func split(digits string, exponent, scale int, lang string) (whole, fraction string) {
	only := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, s)
	}
	at := strings.LastIndexAny(digits, ".,' ")
	if at < 0 {
		return digits, ""
	}
	sep, behind := digits[at], len(digits)-at-1
	repeated := strings.Count(digits, string(sep)) > 1
	mixed := strings.ContainsAny(strings.ReplaceAll(digits[:at], string(sep), ""), ".,' ")
	var decimal bool
	switch {
	case sep == '\'' || sep == ' ' || repeated:
	case mixed || behind != 3:
		decimal = true
	case at > 3 || at == 0 || digits[:at] == "0":
		decimal = true
	case scale == 4: // 1.299万
		decimal = sep == '.'
	default:
		decimal = exponent == 3 && sep == decimalOf(lang)
	}
	if !decimal {
		return only(digits), ""
	}
	return only(digits[:at]), digits[at+1:]
}

// decimalOf returns the decimal separator of a language.
func decimalOf(lang string) byte {
	language, region, _ := strings.Cut(strings.ToLower(lang), "-")
	switch language {
	case "de", "it":
		if region == "ch" || region == "li" {
			return '.'
		}
		return ','
	case "es":
		if region == "mx" || region == "us" {
			return '.'
		}
		return ','
	case "fr", "nl", "sv", "da", "nb", "nn", "no", "fi", "pl", "pt", "cs", "sk", "hu", "ru", "uk", "tr", "el", "ro", "bg", "hr", "sl", "is", "id", "vi":
		return ','
	}
	return '.'
}

var free = map[string]bool{}

func init() {
	for _, words := range []string{
		"無料", "入場無料", "参加無料", "観覧無料", "参加費無料", "free", "free of charge", "free entry", "free admission", "for free",
		"kostenlos", "gratis", "kostenfrei", "eintritt frei", "gratuit", "gratuite", "entrée gratuite", "entrée libre", "entrada libre",
		"entrada gratuita", "entrada gratis", "gratuito", "gratuita", "ingresso gratuito", "ingresso libero", "gratis toegang", "fri entré",
		"za darmo", "wstęp wolny", "bezpłatnie", "bezpłatny", "grátis", "무료", "무료입장", "免费", "免费入场", "免費", "免費入場", "бесплатно", "zdarma",
		"ingyenes", "ücretsiz", "ilmainen",
	} {
		free[words] = true
	}
}

func isFree(s string) bool { return free[strings.ToLower(strings.Trim(s, " !.()（）！。"))] }
