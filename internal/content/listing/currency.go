package listing

import (
	"strings"
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

// codes are the currencies that are known by their code. Those that are English words in capitals (ALL, TOP, CUP, MOP) are not.
const codes = "AED AFN AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC " +
	"CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY " +
	"KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR " +
	"NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TRY " +
	"TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG"

func isCode(s string) bool {
	return len(s) == 3 && strings.Contains(codes, s) && !strings.Contains(s, " ")
}

// signs are what stands beside an amount, in lower case; of two that fit, the longer one counts. An asterisk means that the
// language decides.
var signs = map[string]string{
	"¥": "*¥", "円": "JPY", "yen": "JPY", "jp¥": "JPY", "cn¥": "CNY", "元": "*元", "块": "CNY", "人民币": "CNY", "人民幣": "CNY", "rmb": "CNY",
	"新台幣": "TWD", "新臺幣": "TWD", "台幣": "TWD", "nt$": "TWD", "港幣": "HKD", "港币": "HKD", "hk$": "HKD", "s$": "SGD", "sg$": "SGD",
	"$": "*$", "us$": "USD", "us $": "USD", "$us": "USD", "$ us": "USD", "ドル": "USD", "dollar": "*$", "dollars": "*$",
	"a$": "AUD", "au$": "AUD", "$au": "AUD", "c$": "CAD", "ca$": "CAD", "$ca": "CAD", "$ ca": "CAD", "nz$": "NZD", "$nz": "NZD", "mx$": "MXN", "$mx": "MXN",
	"r$": "BRL", "br$": "BRL", "$ hk": "HKD", "$ au": "AUD", "$ nz": "NZD", "nkr": "NOK", "dkr": "DKK", "skr": "SEK", "ikr": "ISK", "€": "EUR", "euro": "EUR", "euros": "EUR", "eur": "EUR", "евро": "EUR", "ユーロ": "EUR", "£": "GBP", "£gb": "GBP", "gb£": "GBP", "ポンド": "GBP",
	"₹": "INR", "rs.": "INR", "rs": "INR", "₩": "KRW", "원": "KRW", "ウォン": "KRW", "฿": "THB", "บาท": "THB", "₺": "TRY", "tl": "TRY",
	"₽": "RUB", "руб.": "RUB", "руб": "RUB", "р.": "RUB", "₴": "UAH", "грн": "UAH", "₫": "VND", "₪": "ILS", "₱": "PHP", "zł": "PLN", "zl": "PLN",
	"kč": "CZK", "ft": "HUF", "kr": "*kr", "kr.": "*kr", "kronor": "SEK", "kroner": "*kr", "fr.": "CHF", "sfr.": "CHF", "sfr": "CHF",
	"kd": "KWD", "dhs": "AED", "lei": "RON", "лв.": "BGN", "лв": "BGN", "rp": "IDR", "rm": "MYR", ":-": "*kr",
}

// longestSign bounds the search for one, in bytes.
const longestSign = 12

// byLanguage are the currencies of signs that several countries use, by language and region, else by language, else "".
var byLanguage = map[string]map[string]string{
	"*¥": {"zh": "CNY", "zh-tw": "JPY", "zh-hant": "JPY", "": "JPY"},
	"*元": {"zh-tw": "TWD", "zh-hk": "HKD", "zh-hant": "TWD", "": "CNY"},
	"*$": {
		"en-au": "AUD", "en-ca": "CAD", "fr-ca": "CAD", "en-nz": "NZD", "en-sg": "SGD", "en-hk": "HKD", "zh-hk": "HKD", "zh-tw": "TWD", "zh-hant": "TWD",
		"es-mx": "MXN", "es-ar": "ARS", "es-cl": "CLP", "es-co": "COP", "": "USD",
	},
	"*kr": {"sv": "SEK", "da": "DKK", "nb": "NOK", "nn": "NOK", "no": "NOK", "is": "ISK", "fo": "DKK", "": "SEK"},
	// of a bare number, or one with ",-" behind it
	"": {
		"ja": "JPY", "ko": "KRW", "zh-cn": "CNY", "zh-tw": "TWD", "sv": "SEK", "da": "DKK", "nb": "NOK", "nn": "NOK", "no": "NOK", "is": "ISK",
		"pl": "PLN", "cs": "CZK", "hu": "HUF", "tr": "TRY", "th": "THB", "de": "EUR", "de-ch": "CHF", "fr-ch": "CHF", "it-ch": "CHF", "nl": "EUR",
		"fr": "EUR", "it": "EUR", "fi": "EUR", "pt-br": "BRL", "en-us": "USD", "en-gb": "GBP", "fr-ca": "CAD", "": "",
	},
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

// signAfter finds the longest sign or code at the start of a text; n is its length, 0 if there is none.
func signAfter(s string) (sign string, n int) {
	for l := min(len(s), longestSign); l > 0; l-- {
		if sign := signOf(s[:l]); sign != "" && ends(s[:l], s[l:]) {
			return sign, l
		}
	}
	return "", 0
}

// signBefore finds the longest one at the end of a text.
func signBefore(s string) (sign string, n int) {
	for l := min(len(s), longestSign); l > 0; l-- {
		from := len(s) - l
		if sign := signOf(s[from:]); sign != "" && ends(s[:from], s[from:]) {
			return sign, l
		}
	}
	return "", 0
}

func signOf(s string) string {
	if isCode(s) {
		return s
	}
	return signs[strings.ToLower(s)]
}

// ends reports whether a word may end between two texts.
func ends(before, after string) bool {
	b, _ := utf8.DecodeLastRuneInString(before)
	a, _ := utf8.DecodeRuneInString(after)
	return !isAlphabetic(b) || !isAlphabetic(a)
}

// isAlphabetic tells letters of scripts that part words with spaces.
func isAlphabetic(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || 0xc0 <= r && r <= 0x24f || 0x370 <= r && r <= 0x52f
}
