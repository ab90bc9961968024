package money

import (
	"strconv"
	"strings"
)

// Format writes a price for people, as a page in that language would: ¥12,800. It knows the usual signs; other
// currencies are written with their code.
func (p Price) Format(lang string) string {
	exponent := Digits(p.Currency)
	digits := strconv.FormatInt(max(p.Amount, 0), 10)
	if len(digits) <= exponent {
		digits = strings.Repeat("0", exponent+1-len(digits)) + digits
	}
	whole, fraction := digits[:len(digits)-exponent], digits[len(digits)-exponent:]
	decimal := string(decimalOf(lang))
	group := ","
	if decimal == "," {
		group = "."
	}
	language, _, _ := strings.Cut(strings.ToLower(lang), "-")
	switch language {
	case "fr", "sv", "nb", "nn", "no", "fi", "pl", "cs", "sk", "hu", "ru", "uk", "bg":
		group = "\u00a0"
	}
	text := groups(whole, group)
	if fraction != "" {
		text += decimal + fraction
	}
	sign := formatSign(p.Currency, lang)
	switch {
	case sign == "":
		return text
	case decimal == "," && language != "nl" && language != "pt" && language != "tr":
		return text + "\u00a0" + sign
	case IsCode(sign):
		return sign + "\u00a0" + text
	case decimal == "," && language != "tr":
		return sign + "\u00a0" + text
	}
	return sign + text
}

func groups(whole, sep string) string {
	var b strings.Builder
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(sep)
		}
		b.WriteByte(whole[i])
	}
	return b.String()
}

// formatSign returns a sign that Parse reads as this currency on a page in this language, else the code.
func formatSign(currency, lang string) string {
	for _, sign := range []string{"¥", "$", "€", "£", "₹", "₩", "R$", "US$", "NT$", "HK$", "CN¥", "A$", "CA$", "NZ$",
		"zł", "Kč", "kr"} {
		if currencyOf(signs[strings.ToLower(sign)], lang) == currency && currency != "" {
			return sign
		}
	}
	return currency
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
	case "fr", "nl", "sv", "da", "nb", "nn", "no", "fi", "pl", "pt", "cs", "sk", "hu", "ru", "uk", "tr", "el", "ro",
		"bg", "hr", "sl", "is", "id", "vi":
		return ','
	}
	return '.'
}
