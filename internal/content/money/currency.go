package money

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Digits returns how many digits the minor unit of a currency has (ISO 4217): 0 for yen, 3 for dinars, mostly 2.
func Digits(currency string) int {
	switch currency {
	case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF":
		return 0
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		return 3
	}
	return 2
}

// codes are the currencies that are known by their code. Those that are English words in capitals (ALL, TOP, CUP, MOP)
// are not.
const codes = "AED AFN AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD " +
	"CDF CHF CLP CNY COP CRC " +
	"CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD " +
	"IRR ISK JMD JOD JPY " +
	"KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MRU MUR MVR MWK MXN MYR MZN " +
	"NAD NGN NIO NOK NPR " +
	"NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL " +
	"THB TJS TMT TND TRY " +
	"TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG"

// IsCode reports whether a text is the code of a currency.
func IsCode(s string) bool {
	return len(s) == 3 && strings.Contains(codes, s) && !strings.Contains(s, " ")
}

// signs are the currency signs next to an amount, in lower case; of two that fit, the longer one counts. An asterisk
// means that the language decides.
var signs = map[string]string{
	"¥": "*¥", `\`: "*yen", "円": "JPY", "圓": "*元", "yen": "JPY", "jp¥": "JPY", "cn¥": "CNY", "元": "*元", "块": "CNY",
	"人民币": "CNY", "人民幣": "CNY", "rmb": "CNY",
	"新台幣": "TWD", "新臺幣": "TWD", "台幣": "TWD", "nt$": "TWD", "ntd": "TWD", "港幣": "HKD", "港币": "HKD", "hk$": "HKD",
	"s$": "SGD", "sg$": "SGD", "日圓": "JPY", "日元": "JPY", "美元": "USD", "欧元": "EUR", "歐元": "EUR",
	"$": "*$", "us$": "USD", "us $": "USD", "$us": "USD", "$ us": "USD", "usd$": "USD", "u$s": "USD", "u$d": "USD",
	"ドル": "*$", "米ドル": "USD", "dollar": "*$", "dollars": "*$", "달러": "USD",
	"a$": "AUD", "au$": "AUD", "aud$": "AUD", "$au": "AUD", "c$": "CAD", "ca$": "CAD", "cad$": "CAD", "cdn$": "CAD",
	"$ca": "CAD", "$ ca": "CAD", "nz$": "NZD", "nzd$": "NZD", "$nz": "NZD",
	"mx$": "MXN", "$mx": "MXN", "mex$": "MXN", "r$": "BRL", "br$": "BRL", "$ hk": "HKD", "$ au": "AUD", "$ nz": "NZD",
	"rd$": "DOP", "j$": "JMD", "tt$": "TTD", "bds$": "BBD",
	"ec$": "XCD", "bz$": "BZD", "fj$": "FJD", "ar$": "ARS", "cl$": "CLP", "clp$": "CLP", "co$": "COP", "col$": "COP",
	"cop$": "COP", "$u": "UYU", "uy$": "UYU",
	"gy$": "GYD", "si$": "SBD", "mop$": "MOP", "pesos": "*$",
	"€": "EUR", "euro": "EUR", "euros": "EUR", "eur": "EUR", "евро": "EUR", "ευρώ": "EUR", "ユーロ": "EUR", "유로": "EUR",
	"£": "*£", "£gb": "GBP", "gb£": "GBP", "ポンド": "GBP", "e£": "EGP", "egp£": "EGP", "l.e.": "EGP",
	"nkr": "NOK", "dkr": "DKK", "skr": "SEK", "ikr": "ISK", "kr": "*kr", "kr.": "*kr", "kronor": "SEK", "kroner": "*kr",
	"krónur": "ISK", ":-": "*kr",
	"₹": "INR", "rs.": "*rs", "₨": "*rs", "रु": "*rs", "रु.": "*rs", "₩": "KRW", "원": "KRW", "ウォン": "KRW", "฿": "THB",
	"บาท": "THB", "baht": "THB", "₺": "TRY",
	"₽": "RUB", "руб.": "RUB", "руб": "RUB", "р.": "RUB", "рублей": "RUB", "₴": "UAH", "грн": "UAH", "грн.": "UAH",
	"₫": "VND", "₪": "ILS", "₱": "PHP", "zł": "PLN", "zl": "PLN",
	"kč": "CZK", "sfr.": "CHF", "sfr": "CHF", "lei": "*lei", "лв.": "BGN", "лв": "BGN", "rp": "IDR", "rp.": "IDR",
	"₸": "KZT", "тг": "KZT", "тг.": "KZT", "тенге": "KZT", "₾": "GEL", "ლარი": "GEL", "₦": "NGN", "₵": "GHS",
	"gh₵": "GHS", "gh¢": "GHS", "₡": "CRC", "₲": "PYG", "gs.": "PYG", "₼": "AZN", "֏": "AMD", "դր.": "AMD",
	"₮": "MNT", "₭": "LAK", "៛": "KHR", "৳": "BDT", "tk.": "BDT", "රු": "LKR", "රු.": "LKR", "௹": "INR", "৲": "BDT",
	"؋": "AFN", "﷼": "*rial",
	"s/": "PEN", "s/.": "PEN", "bs.": "*bs", "bs.s": "VES", "bs.d": "VES", "b/.": "PAB", "birr": "ETB",
	"ksh": "KES", "ksh.": "KES", "kshs": "KES", "kshs.": "KES", "tsh": "TZS", "tsh.": "TZS", "ush": "UGX",
	"ush.": "UGX", "ushs": "UGX", "fcfa": "*fcfa", "cfa": "*fcfa", "f cfa": "*fcfa",
	"din.": "RSD", "дин": "RSD", "дин.": "RSD", "рсд": "RSD", "ден": "MKD", "ден.": "MKD", "сом": "KGS", "so'm": "UZS",
	"сум": "UZS", "сўм": "UZS",
	"dhs": "AED", "dh": "*dh", "dh.": "*dh", "kd": "KWD", "k.d.": "KWD", "b.d.": "BHD", "s.r.": "SAR", "q.r.": "QAR",
	"j.d.": "JOD", "l.l.": "LBP",
	"د.إ": "AED", "د.إ.": "AED", "د.ا": "JOD", "د.أ": "JOD", "د.ك": "KWD", "د.ك.": "KWD", "د.ب": "BHD", "د.ب.": "BHD",
	"د.ع": "IQD", "د.ت": "TND", "د.ج": "DZD", "د.م.": "MAD", "د.م": "MAD", "د.ل": "LYD", "ل.د": "LYD",
	"ر.س": "SAR", "ر.س.": "SAR", "ر.ق": "QAR", "ر.ق.": "QAR", "ر.ع": "OMR", "ر.ع.": "OMR", "ر.ي": "YER", "ج.م": "EGP",
	"ج.م.": "EGP", "ج.س": "SDG", "ل.ل": "LBP", "ل.ل.": "LBP", "ل.س": "SYP", "ريال": "*rial", "ريال سعودي": "SAR",
	"درهم": "*dh", "دينار كويتي": "KWD",
	"جنيه": "EGP", "ریال": "IRR",
}

// exact are signs that are written so; in other letters they are words or units.
var exact = map[string]string{
	"Ft": "HUF", "TL": "TRY", "Rs": "*rs", "RS": "*rs", "RM": "MYR", "Tk": "BDT", "Dh": "*dh", "DH": "*dh",
	"din": "RSD", "Din": "RSD", "Fr.": "CHF", "SR": "SAR", "N$": "NAD", "GH¢": "GHS",
}

// weak signs are also words, letters or units: they count only where the text says nothing else.
var weak = map[string]string{
	"R": "ZAR", "Q": "GTQ", "K": "*k", "L.": "HNL", "Br": "*br", "Br.": "*br", "Bs": "*bs", "BS": "*bs", "LE": "EGP",
	"DA": "DZD", "DT": "TND", "QR": "QAR", "JD": "JOD", "BD": "BHD", "B$": "BND", "L$": "LRD",
	"đ": "VND", "KM": "*km", "den.": "MKD", "som": "KGS", "Lek": "ALL", "L": "*l",
}

// cents are the signs of hundredths. They are weak too, but for ¢.
var cents = map[string]string{"¢": "*$", "cents": "*cent", "cent": "*cent", "Cent": "*cent", "ct": "*cent",
	"ct.": "*cent", "Ct.": "*cent", "p": "*p", "öre": "SEK", "коп.": "RUB", "коп": "RUB"}

// longestSign bounds the search for one, in bytes.
const longestSign = 22

// byLanguage are the currencies of signs that several countries use, by language and region, else by language, else "".
// A sign that is not settled so is of an unknown currency.
var byLanguage = map[string]map[string]string{
	"*¥":   {"zh": "CNY", "zh-tw": "JPY", "zh-hant": "JPY", "": "JPY"},
	"*yen": {"ja": "JPY", "ko": "KRW", "": none}, // a backslash looks like this in Japan
	"*元":   {"zh-tw": "TWD", "zh-hk": "HKD", "zh-hant": "TWD", "ja": "CNY", "": "CNY"},
	"*$": {
		"en-au": "AUD", "en-ca": "CAD", "fr-ca": "CAD", "en-nz": "NZD", "en-sg": "SGD", "en-hk": "HKD", "zh-hk": "HKD",
		"zh-tw": "TWD", "zh-hant": "TWD",
		"es-mx": "MXN", "es-ar": "ARS", "es-cl": "CLP", "es-co": "COP", "es-uy": "UYU", "es-do": "DOP", "es-us": "USD",
		"es-ec": "USD", "es-sv": "USD", "es-pr": "USD",
		"es": "", "en-jm": "JMD", "en-tt": "TTD", "en-bb": "BBD", "en-bs": "BSD", "en-bz": "BZD", "en-na": "NAD",
		"en-fj": "FJD", "pt-br": "BRL", "": "USD",
	},
	"*£": {"ar-eg": "EGP", "en-eg": "EGP", "": "GBP"},
	"*kr": {"sv": "SEK", "da": "DKK", "nb": "NOK", "nn": "NOK", "no": "NOK", "is": "ISK", "fo": "DKK", "kl": "DKK",
		"en-se": "SEK", "en-no": "NOK", "en-dk": "DKK", "en-is": "ISK", "": ""},
	"*rs": {"en-pk": "PKR", "ur": "PKR", "ur-pk": "PKR", "en-lk": "LKR", "si": "LKR", "si-lk": "LKR", "ta-lk": "LKR",
		"ne": "NPR", "en-np": "NPR", "en-mu": "MUR", "fr-mu": "MUR", "": "INR"},
	"*lei":  {"ro-md": "MDL", "ru-md": "MDL", "": "RON"},
	"*rial": {"ar": "SAR", "ar-om": "OMR", "ar-qa": "QAR", "ar-ye": "YER", "fa": "IRR", "": ""},
	"*dh":   {"ar-ma": "MAD", "fr-ma": "MAD", "fr": "MAD", "ar-ae": "AED", "en-ae": "AED", "en": "AED", "": ""},
	"*bs":   {"es-bo": "BOB", "es-ve": "VES", "": "BOB"},
	"*br":   {"be": "BYN", "ru": "BYN", "ru-by": "BYN", "am": "ETB", "en-et": "ETB", "": ""},
	"*k":    {"en-zm": "ZMW", "en-pg": "PGK", "my": "MMK", "": ""},
	"*fcfa": {"fr-cm": "XAF", "fr-ga": "XAF", "fr-cg": "XAF", "fr-td": "XAF", "": "XOF"},
	"*p":    {"en-gb": "GBP", "": none},
	"*km":   {"bs": "BAM", "hr": "BAM", "sr": "BAM", "": none},
	"*l":    {"es-hn": "HNL", "ro": "RON", "ro-md": "MDL", "": none},
	"*cent": {
		"de": "EUR", "nl": "EUR", "fr": "EUR", "it": "EUR", "fi": "EUR", "es-es": "EUR", "en-ie": "EUR", "en-us": "USD",
		"en-au": "AUD", "en-ca": "CAD", "en-nz": "NZD", "en": "USD", "": "",
	},
	// of a bare number, or one with ",-" behind it
	"": {
		"ja": "JPY", "ko": "KRW", "zh-cn": "CNY", "zh-tw": "TWD", "sv": "SEK", "da": "DKK", "nb": "NOK", "nn": "NOK",
		"no": "NOK", "is": "ISK",
		"pl": "PLN", "cs": "CZK", "hu": "HUF", "tr": "TRY", "th": "THB", "de": "EUR", "de-ch": "CHF", "fr-ch": "CHF",
		"it-ch": "CHF", "nl": "EUR",
		"fr": "EUR", "it": "EUR", "fi": "EUR", "pt-br": "BRL", "en-us": "USD", "en-gb": "GBP", "fr-ca": "CAD", "": "",
	},
}

// none is the currency of signs that a language does not use.
const none = "-"

// families are the currencies that an ambiguous sign may mean.
var families = map[string]string{
	"*$": "USD AUD CAD NZD SGD HKD TWD MXN ARS CLP COP UYU BRL DOP JMD TTD BBD BSD BZD NAD FJD BND LRD GYD SBD SRD " +
		"XCD KYD BMD MOP NIO CUP CVE PHP",
	"*¥": "JPY CNY", "*yen": "JPY KRW", "*元": "CNY TWD HKD JPY MOP", "*kr": "SEK NOK DKK ISK",
	"*rs": "INR PKR LKR NPR MUR SCR IDR", "*£": "GBP EGP LBP SYP SDG SSP FKP GIP SHP",
	"*lei": "RON MDL", "*rial": "SAR OMR QAR YER IRR", "*dh": "AED MAD", "*bs": "BOB VES", "*br": "BYN ETB",
	"*k": "ZMW PGK MMK", "*fcfa": "XAF XOF", "*p": "GBP",
	"*cent": "EUR USD AUD CAD NZD",
}

func currencyOf(sign, lang string) string {
	if !strings.HasPrefix(sign, "*") && sign != "" {
		return sign
	}
	table := byLanguage[sign]
	lang = strings.ToLower(lang)
	language, _, _ := strings.Cut(lang, "-")
	for _, l := range []string{lang, language, ""} {
		if c, ok := table[l]; ok {
			return c
		}
	}
	return ""
}

// agree returns the currency that the signs on both sides of an amount name together; false if they contradict each
// other.
func agree(a, b string) (string, bool) {
	switch {
	case a == b, b == "":
		return a, true
	case a == "":
		return b, true
	case strings.Contains(families[a], b):
		return b, true
	case strings.Contains(families[b], a):
		return a, true
	}
	return "", false
}

// sign is a currency sign next to an amount.
type sign struct {
	currency string // a code, or decided by the language
	size     int    // in bytes; 0 if there is none
	isWeak   bool
	isCents  bool
}

// signAfter finds the longest sign or code at the start of a text.
func signAfter(s, lang string) sign {
	for l := min(len(s), longestSign); l > 0; l-- {
		if sign := signOf(s[:l], lang, true); sign.size > 0 && WordEnds(s[:l], s[l:]) {
			return sign
		}
	}
	return sign{}
}

// signBefore finds the longest one at the end of a text.
func signBefore(s, lang string) sign {
	for l := min(len(s), longestSign); l > 0; l-- {
		from := len(s) - l
		if sign := signOf(s[from:], lang, false); sign.size > 0 && WordEnds(s[:from], s[from:]) {
			return sign
		}
	}
	return sign{}
}

func signOf(s, lang string, isAfter bool) sign {
	out := sign{size: len(s)}
	switch {
	case IsCode(s):
		out.currency = s
	case signs[strings.ToLower(s)] != "":
		out.currency = signs[strings.ToLower(s)]
	case exact[s] != "":
		out.currency = exact[s]
	case weak[s] != "":
		out.currency, out.isWeak = weak[s], true
	case isAfter && cents[s] != "":
		out.currency, out.isCents, out.isWeak = cents[s], true, s != "¢"
	default:
		return sign{}
	}
	if currencyOf(out.currency, lang) == none {
		return sign{}
	}
	return out
}

// WordEnds reports whether a word may end between two texts.
func WordEnds(before, after string) bool {
	b, _ := utf8.DecodeLastRuneInString(before)
	a, _ := utf8.DecodeRuneInString(after)
	return !isAlphabetic(b) || !isAlphabetic(a)
}

// isAlphabetic tells letters of scripts that part words with spaces.
func isAlphabetic(r rune) bool {
	return unicode.IsLetter(r) && r != utf8.RuneError && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao)
}

// Currency returns the code of a currency that a page names: by its code, or by a sign whose meaning may depend on the
// language.
func Currency(name, lang string) string {
	if name = strings.TrimSpace(name); name == "" {
		return ""
	}
	if code := strings.ToUpper(name); IsCode(code) {
		return code
	}
	return currencyOf(signOf(name, lang, false).currency, lang)
}
