// Package money reads prices as people write them, in the notations and languages of many countries. A text is read as
// a whole: where a part of it that could change the amount is not understood, there is no price. It knows no pages.
package money

// Price is an amount in minor units of its currency (ISO 4217); the currency is empty where the text does not tell.
type Price struct {
	Amount   int64
	Currency string
	// IsFrom means that the text has a range, or says "from": Amount is its lower end.
	IsFrom bool
}

// Parse reads a written price on a page in a language: an amount with a currency, or a number that stands alone, whose
// currency is that of the language if it has but one. Of a range the lower end counts; of several amounts, the price of
// the whole thing now, with taxes. ok is false for a text without a price, or without a certain one.
func Parse(text, lang string) (p Price, ok bool) { return parse(text, lang, "") }

// ParseAs reads an amount whose currency is known: 1299.50. A text that names another currency is none.
func ParseAs(text, currency, lang string) (Price, bool) {
	if isPlainDecimal(text) {
		if currency == "" {
			currency = currencyOf("", lang)
		}
		amount, ok := decimal(text, Digits(currency))
		return Price{Amount: amount, Currency: currency}, ok
	}
	return parse(text, lang, currency)
}
