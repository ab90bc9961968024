package money

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// maxText is the longest text in which a price is looked for, in bytes. A longer one has more than a price.
const maxText = 300

// maxNumerals limits the numbers in it.
const maxNumerals = 12

// amount is one with a sign in a text.
type amount struct {
	start, end int // with what belongs to it
	n          *numeral
	sign       string // a code, or decided by the language
	isWeak     bool
	isCents    bool
	isBefore   bool // the sign is
	price      Price
	isBad      bool // there is no such price: 15.6 ¢
	role       role
	inBrackets bool
}

// text is one that is read.
type text struct {
	s, lang, currency string // currency: that the page says elsewhere, or empty
	numerals          []numeral
	amounts           []amount
}

func parse(s, lang, currency string) (Price, bool) {
	if s = strings.TrimSpace(s); len(s) > maxText || !utf8.ValidString(s) {
		return Price{}, false
	}
	t := text{s: plainKanji(plain(s)), lang: lang, currency: currency}
	t.numerals = numerals(t.s)
	if len(t.numerals) > maxNumerals {
		return Price{}, false
	}
	if len(t.numerals) == 0 {
		return Price{Currency: currency}, isFree(t.s) || isFree(freeLabel.ReplaceAllString(t.s, ""))
	}
	if !t.findSigns() {
		return Price{}, false
	}
	if len(t.amounts) == 0 {
		return t.bare()
	}
	if !t.isWhole() || !t.joinRanges() {
		return Price{}, false
	}
	t.findRoles()
	return t.choose()
}

func isFree(s string) bool {
	return free[strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }))]
}

var (
	dashes    = pattern.New(`^([.,:]?-+)(?:[ )]|$)`)
	centsOf   = pattern.New(`^\d\d$`)
	separated = pattern.New(`^ ?\d`)
)

// findSigns pairs numbers with the signs next to them; false if a number or its sign is not understood.
func (t *text) findSigns() bool {
	from := 0
	for i := 0; i < len(t.numerals); i++ {
		n := &t.numerals[i]
		a := amount{start: n.start, end: n.end, n: n}
		before := strings.TrimSuffix(t.s[from:n.start], " ")
		for range 2 { // CAD $49.99
			sign := signBefore(before, t.lang)
			if sign.size == 0 {
				break
			}
			both, ok := agree(sign.currency, a.sign)
			if !ok {
				return false
			}
			a.sign, a.isWeak, a.isBefore = both, a.isWeak || sign.isWeak, true
			before = before[:len(before)-sign.size]
			a.start = from + len(before)
			before = strings.TrimSuffix(before, " ")
		}
		if a.isBefore && isPartOfWord(before, t.s[a.start:], a.start > from+len(before)) {
			return false
		}
		next := len(t.s)
		if i+1 < len(t.numerals) {
			next = t.numerals[i+1].start
		}
		if rest := t.s[n.end:]; huge.MatchString(rest) {
			if a.sign != "" || trillions.MatchString(rest) ||
				signAfter(strings.TrimPrefix(huge.ReplaceAllString(rest, ""), " "), t.lang).size > 0 ||
				len(t.numerals) == 1 {
				return false
			}
		}
		if !t.signBehind(&a, next) {
			return false
		}
		if a.sign == "" {
			continue
		}
		if huge.MatchString(t.s[a.end:]) && !strings.HasPrefix(t.s[a.end:], " m") {
			return false
		}
		// 12€50
		if c := &t.numerals[min(i+1, len(t.numerals)-1)]; !a.isBefore && c.start == a.end &&
			centsOf.MatchString(t.s[c.start:c.end]) && n.isBare() && !mayHaveFraction(n.parts[0].digits) {
			n.cents, a.end = t.s[c.start:c.end], c.end
			i++
		} else if r := raised.FindString(t.s[a.end:]); r != "" { // 12€⁵⁰
			n.raise(r)
			a.end += len(r)
		}
		if !a.isBefore && n.start > 0 && strings.ContainsRune(".,'", rune(t.s[n.start-1])) ||
			strings.HasPrefix(strings.TrimPrefix(t.s[a.end:], " "), "%") {
			return false
		}
		if isGlued(t.s[a.end:], a.end == n.end || strings.HasSuffix(t.s[:a.end], "$")) {
			return false
		}
		a.isBad = !t.value(&a)
		t.amounts = append(t.amounts, a)
		from = a.end
	}
	return true
}

// signBehind finds a sign behind a number, if it does not belong to the next one.
func (t *text) signBehind(a *amount, next int) bool {
	n := a.n
	ends := []int{n.end, n.end}
	if m := dashes.FindStringSubmatch(t.s[n.end:]); m != nil {
		ends[0] += len(m[1])
	}
	for _, end := range ends {
		rest := strings.TrimPrefix(strings.TrimPrefix(t.s[end:], " "), "d'")
		at := len(t.s) - len(rest)
		sign := signAfter(rest, t.lang)
		if sign.size == 0 {
			continue
		}
		behind := at + sign.size
		if separated.MatchString(t.s[behind:]) && next < len(t.s) && next <= behind+1 && !sign.isCents {
			isLeft, isRight := at == n.end, next == behind
			following := t.numerals[slices.IndexFunc(t.numerals, func(x numeral) bool { return x.start == next })]
			hasOwn := signAfter(strings.TrimPrefix(t.s[following.end:], " "), t.lang).size > 0
			isCode := IsCode(t.s[at:behind])
			switch {
			case a.isBefore && !(isCode && isLeft):
				return true
			case hasOwn, isLeft && !isRight:
			case isLeft && isRight && centsOf.MatchString(t.s[following.start:following.end]):
			case isRight && !isLeft:
				return true
			default:
				return false
			}
		}
		both, ok := agree(a.sign, sign.currency)
		if !ok || a.isBefore && sign.isCents {
			return false
		}
		a.sign, a.end, a.isWeak, a.isCents = both, behind, (a.isWeak || sign.isWeak) &&
			!(a.isBefore && !a.isWeak), sign.isCents
		return true
	}
	if end := ends[0]; end > n.end && a.isBefore {
		a.end = end
	} else if end > n.end && len(t.numerals) == 1 && n.start == 0 && end == len(t.s) {
		a.sign, a.end = "", end // "49,-"
	}
	return true
}

// isPartOfWord reports whether letters before a sign could make it another one: the RD of RD$.
func isPartOfWord(before, sign string, isSpaced bool) bool {
	if isSpaced {
		return false
	}
	word := before[len(strings.TrimRightFunc(before, isAlphabetic)):]
	last, _ := utf8.DecodeLastRuneInString(word)
	first, _ := utf8.DecodeRuneInString(sign)
	return word != "" && !isAlphabetic(first) && unicode.IsUpper(last) && utf8.RuneCountInString(word) <= 4
}

var (
	glued      = pattern.New(`^[\pL]+`)
	knownGlued = pattern.New(`(?i)^(?:off|each|ea|pcm|pw|pp|inkl?|incl|ttc|ht|vb|kk|a|per|pro|to|bis|and)$`)
)

// isGlued reports whether letters right behind an amount could change it. Behind a sign, whole words follow where a
// page sets them in an element of their own.
func isGlued(after string, isClose bool) bool {
	word := glued.FindString(after)
	r, _ := utf8.DecodeRuneInString(word)
	if word == "" || !isAlphabetic(r) {
		return word == "" && strings.HasPrefix(after, "_")
	}
	rest := after[len(word):]
	if rest != "" && isDigit(rune(rest[0])) {
		return true
	}
	return isClose && utf8.RuneCountInString(word) < 4 && !knownGlued.MatchString(word)
}

// value computes what an amount is.
func (t *text) value(a *amount) bool {
	currency := currencyOf(a.sign, t.lang)
	if t.currency != "" {
		both, ok := agree(a.sign, t.currency)
		if !ok {
			return false
		}
		currency = both
	}
	if currency == none {
		return false
	}
	n, ok := a.n.amount(currency, t.lang)
	if a.isCents {
		n, ok = a.n.amount("JPY", t.lang)
		ok = ok && Digits(currency) == 2 && n < 1000
	}
	a.price = Price{Amount: n, Currency: currency}
	return ok
}

var apart = pattern.New(`[\pL()\[\]{}|;%★☆•・·「」【】#]`)

// isWhole reports whether every number next to an amount is understood, so that none could be a part of it.
func (t *text) isWhole() bool {
	for i := range t.amounts {
		a := &t.amounts[i]
		for j := range t.numerals {
			n := &t.numerals[j]
			if n.start >= a.start && n.end <= a.end || t.within(n) {
				continue
			}
			switch {
			case n.end <= a.start && !apart.MatchString(t.s[n.end:a.start]) && !t.isRangeGap(n.end, a.start),
				n.start >= a.end && !apart.MatchString(t.s[a.end:n.start]) && !isCounted(t.s[n.end:]) &&
					!t.isRangeGap(a.end, n.start) && !isPer(t.s[a.end:n.start]):
				return false
			}
		}
		if i > 0 {
			if p := &t.amounts[i-1]; p.isBefore != a.isBefore && strings.TrimSpace(t.s[p.end:a.start]) == "" {
				return false
			}
		}
		if a.isWeak && !t.saysNothingElse(a) {
			return false
		}
	}
	return true
}

func (t *text) within(n *numeral) bool {
	return slices.ContainsFunc(t.amounts, func(a amount) bool { return n.start >= a.start && n.end <= a.end })
}

func (t *text) isRangeGap(from, to int) bool { return between.MatchString(t.s[from:to]) }

// isPer recognises what parts an amount from the size that it is the price of: "/ 100 g", "x 24".
func isPer(gap string) bool { return strings.Trim(gap, " /x*") == "" && strings.Trim(gap, " ") != "" }

var counted = pattern.New(`^ ?[\pL%★☆]`)

// isCounted reports whether a number counts something: 128 points.
func isCounted(after string) bool { return counted.MatchString(after) }

func (t *text) saysNothingElse(a *amount) bool {
	rest := t.s[:a.start] + " " + t.s[a.end:]
	for i := range t.amounts {
		if o := &t.amounts[i]; o != a && o.sign == a.sign {
			rest = strings.Replace(rest, t.s[o.start:o.end], "", 1)
		}
	}
	return !strings.ContainsFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || isDigit(r) })
}

// joinRanges makes one amount of the two ends of a range; false if they are none.
func (t *text) joinRanges() bool {
	for i := 0; i < len(t.amounts); i++ {
		a := &t.amounts[i]
		// 10–15 €, and $20-30
		for j := range t.numerals {
			n := &t.numerals[j]
			if t.within(n) {
				continue
			}
			isLow := n.end <= a.start && t.isRange(n.start, n.end, a.start) && !a.isBefore
			isHigh := n.start >= a.end && t.isRange(a.start, a.end, n.start) && a.isBefore && !isCounted(t.s[n.end:])
			if !isLow && !isHigh {
				continue
			}
			other := amount{start: n.start, end: n.end, n: n, sign: a.sign}
			if isLow {
				shareScale(n, a.n)
			} else {
				shareScale(a.n, n)
			}
			if !t.value(&other) || !t.value(a) {
				return false
			}
			low, high := &other, a
			if isHigh {
				low, high = a, &other
			}
			if !t.join(a, low, high) {
				return false
			}
			break
		}
		if i+1 == len(t.amounts) {
			break
		}
		b := &t.amounts[i+1]
		if !t.isRange(a.start, a.end, b.start) {
			continue
		}
		if shareScale(a.n, b.n); b.isBad || !t.value(a) || !t.join(a, a, b) {
			return false
		}
		t.amounts = slices.Delete(t.amounts, i+1, i+2)
	}
	return true
}

// isRange reports whether what stands between two amounts makes a range of them.
func (t *text) isRange(start, end, next int) bool {
	gap := t.s[end:next]
	return between.MatchString(gap) && (!joins.MatchString(gap) || rangeOpening.MatchString(t.s[:start]))
}

func (t *text) join(a, low, high *amount) bool {
	if low.isBad || high.isBad || low.price.Currency != high.price.Currency || low.price.Amount > high.price.Amount {
		return false
	}
	price := low.price
	price.IsFrom = low.price.Amount < high.price.Amount
	a.start, a.end, a.price = low.start, high.end, price
	return true
}

// shareScale gives the lower end of a range the unit of the upper one: 3～5万円, £45–55k.
func shareScale(low, high *numeral) {
	if len(low.parts) != 1 || len(high.parts) != 1 || low.parts[0].scale != 0 || high.parts[0].scale == 0 {
		return
	}
	if l, r := whole(low.parts[0].digits), whole(high.parts[0].digits); len(l) < len(r) || len(l) == len(r) && l < r {
		low.parts[0].scale, low.parts[0].isK = high.parts[0].scale, high.parts[0].isK
	}
}

// whole are the digits before a separator.
func whole(d string) string {
	if i := strings.IndexFunc(d, func(r rune) bool { return !isDigit(r) }); i >= 0 {
		return d[:i]
	}
	return d
}

// plus behind the last amount: $20+.
var plus = pattern.New(`^\+(?:[ )]|$)`)

const boundaries = `()[]{}|;•·・「」『』【】〔〕《》※★☆`

// findRoles determines the role of each amount from the words next to it.
func (t *text) findRoles() {
	for i := range t.amounts {
		a := &t.amounts[i]
		a.role = usual
		from, to := 0, len(t.s)
		if i > 0 {
			from = t.amounts[i-1].end
		}
		if i+1 < len(t.amounts) {
			to = t.amounts[i+1].start
		}
		open := strings.LastIndexAny(t.s[:a.start], "([【")
		a.inBrackets = open >= 0 && !strings.ContainsAny(t.s[open:a.start], ")]】") &&
			strings.TrimSpace(t.s[:open]) != ""
		before, after := t.s[from:a.start], t.s[a.end:to]
		ahead := beforePiece(before, i == 0)
		isNegative := strings.HasSuffix(before, "-") && !strings.HasSuffix(before, " -") ||
			strings.HasSuffix(before, " -") && strings.TrimSpace(before) == "-" || strings.TrimSpace(ahead) == "-"
		if i == 0 || !t.isTaken(i-1, before) {
			a.role = roleBefore(ahead)
		}
		if r := roleBehind(afterPiece(after)); r != usual && (i+1 == len(t.amounts) || !belongsAhead(after)) &&
			(a.role == usual || r > a.role) {
			a.role = r
		}
		if isNegative {
			a.role = other
		}
		if fromBefore.MatchString(ahead) || to == len(t.s) && plus.MatchString(after) || fromAfter.MatchString(after) &&
			!strings.HasPrefix(strings.TrimLeft(after, " "), "~-") {
			a.price.IsFrom = true
		}
	}
}

// isTaken reports whether the words between two amounts are said of the first one only. If they could be said of
// either, they are of both: neither is the price then.
func (t *text) isTaken(i int, gap string) bool {
	return !strings.ContainsAny(gap, boundaries) && !belongsAhead(gap) && roleBehind(gap) != usual &&
		closely.MatchString(gap)
}

// closely are words that only stand behind an amount.
var closely = pattern.New(`(?i)^ ?(?:/|\*|x ?\d|\d|per |pro |each|a |an |par |por |pp|pcm|p\.|あたり|当|につき)` +
	`|^(?:引|off|オフ|割引|値引|分|相当|할인)`)

// belongsAhead reports whether words between two amounts are said of the second one.
func belongsAhead(gap string) bool {
	gap = strings.TrimSpace(gap)
	return strings.HasSuffix(gap, ":") || strings.HasPrefix(gap, "+") || aheadOnly.MatchString(gap)
}

// aheadOnly are words that only stand before an amount.
var aheadOnly = pattern.New(`(?:送料|配送料|手数料|消費税|敷金|礼金|保証金|管理費|共益費|배송비|택배비|运费|運費)$`)

// beforePiece returns what is said right before an amount.
func beforePiece(gap string, isFirst bool) string {
	i := strings.LastIndexAny(gap, boundaries)
	if i < 0 {
		return gap
	}
	r, size := utf8.DecodeRuneInString(gap[i:])
	piece := gap[i+size:]
	if isFirst && strings.TrimSpace(piece) == "" && strings.ContainsRune(")]】", r) {
		inner := gap[:i]
		if j := strings.LastIndexAny(inner, boundaries); j >= 0 {
			_, size := utf8.DecodeRuneInString(inner[j:])
			return inner[j+size:]
		}
	}
	return piece
}

// afterPiece returns what is said right behind an amount, in brackets too.
func afterPiece(gap string) string {
	i := strings.IndexAny(gap, boundaries)
	if i < 0 {
		return gap
	}
	if strings.TrimSpace(gap[:i]) != "" {
		return gap[:i]
	}
	r, size := utf8.DecodeRuneInString(gap[i:])
	inner := gap[i+size:]
	if j := strings.IndexAny(inner, boundaries); j >= 0 && strings.ContainsRune("([【", r) {
		return inner[:j]
	}
	return ""
}

// choose returns the amount that is asked for the whole thing now.
func (t *text) choose() (Price, bool) {
	all := slices.DeleteFunc(slices.Clone(t.amounts), func(a amount) bool { return a.role == other })
	if len(all) == 0 || slices.ContainsFunc(all, func(a amount) bool { return a.isBad }) {
		return Price{}, false
	}
	best := slices.MinFunc(all, func(a, b amount) int { return cmp.Compare(a.role, b.role) }).role
	all = slices.DeleteFunc(all, func(a amount) bool { return a.role != best })
	isTaxed := inclusive.MatchString(t.s) || exclusive.MatchString(t.s)
	if len(all) == 2 && isTaxed && all[0].price.Currency == all[1].price.Currency {
		low, high := all[0].price, all[1].price
		if low.Amount > high.Amount {
			low, high = high, low
		}
		if high.Amount*100 <= low.Amount*130 {
			return high, true
		}
	}
	if slices.ContainsFunc(all, func(a amount) bool { return !a.inBrackets }) {
		all = slices.DeleteFunc(all, func(a amount) bool { return a.inBrackets })
	}
	low, high := all[0].price, all[0].price
	for _, a := range all[1:] {
		switch p := a.price; {
		case p.Currency != low.Currency:
			return Price{}, false
		case p.Amount < low.Amount:
			low = p
		case p.Amount > high.Amount:
			high = p
		}
	}
	// Of two prices without a word, the lower one is asked now, unless it is much lower: then it may be a part.
	if isTaxed && low.Amount != high.Amount || low.Amount*4 < high.Amount || len(all) > 2 && low.Amount != high.Amount {
		return Price{}, false
	}
	return low, true
}

var (
	bareBefore = pattern.New(`(?i)^(?:price|preis|prix|precio|prezzo|税込み?|税抜き?|価格|特価|販売価格|本体価格?|가격` +
		`|价格)? ?:? ?\(?$`)
	bareAfter = pattern.New(`(?i)^(?:[.,]? ?-*)?[ (]*(?:税込み?|税抜き?|\+ ?税|inkl\. mwst\.?|incl\. vat|ttc)?\)?$`)
)

// bare reads a number that stands alone.
func (t *text) bare() (Price, bool) {
	n := &t.numerals[0]
	before, after := t.s[:n.start], t.s[n.end:]
	isAlone := before == "" && strings.Trim(after, " ,.-") == ""
	currency := t.currency
	if currency == "" {
		currency = currencyOf("", t.lang)
	}
	if len(t.numerals) > 1 || !isAlone &&
		(currency == "" || !bareBefore.MatchString(before) || !bareAfter.MatchString(after)) {
		return Price{}, false
	}
	v, ok := n.amount(currency, t.lang)
	if !ok {
		return Price{}, false
	}
	return Price{Amount: v, Currency: currency}, true
}
