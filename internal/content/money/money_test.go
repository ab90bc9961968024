package money

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

func TestWrittenPrices(t *testing.T) {
	t.Parallel()
	var prices []struct {
		Text, Lang, Currency string
		Amount               *int64
	}
	corpus.ReadJSON(t, "testdata/money.json", &prices)
	right := 0
	for _, w := range prices {
		got, ok := Parse(w.Text, w.Lang)
		if ok == (w.Amount != nil) && (!ok || got.Amount == *w.Amount && got.Currency == w.Currency) {
			right++
			continue
		}
		want := "none"
		if w.Amount != nil {
			want = Price{Amount: *w.Amount, Currency: w.Currency}.Format(w.Lang)
		}
		t.Logf("%s %q: got %v %v, want %s", w.Lang, w.Text, got, ok, want)
	}
	t.Logf("%d of %d", right, len(prices))
	if right*100 < len(prices)*98 {
		t.Errorf("%d of %d prices read", right, len(prices))
	}
}

// What Intl writes is read as the same amount and currency.
func TestPricesOfIntl(t *testing.T) {
	t.Parallel()
	rows := corpus.ReadTSV(t, "testdata/intl.tsv")
	if len(rows) < 2000 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		want, err := strconv.ParseInt(r["amount"], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := Parse(r["text"], r["lang"]); !ok || p != (Price{Amount: want, Currency: r["currency"]}) {
			t.Errorf("%s %q: %v %v, want %d %s", r["lang"], r["text"], p, ok, want, r["currency"])
		}
	}
}

// What Format writes is read as the same price, whatever the language.
func TestFormat(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"", "ja", "en", "en-AU", "de", "de-CH", "fr", "es", "it", "nl", "sv", "da", "nb",
		"pl", "pt-BR", "cs", "hu", "ko", "zh", "zh-TW", "tr", "ru"} {
		for currency := range strings.FieldsSeq(codes) {
			for _, amount := range []int64{0, 5, 1299, 129900, 123456789} {
				want := Price{Amount: amount, Currency: currency}
				if p, ok := Parse(want.Format(lang), lang); !ok || p != want {
					t.Errorf("%s %v: %q is read as %v", lang, want, want.Format(lang), p)
				}
			}
		}
	}
	for _, c := range []struct {
		price      Price
		lang, want string
	}{
		{Price{Amount: 12800, Currency: "JPY"}, "ja", "¥12,800"},
		{Price{Amount: 129900, Currency: "USD"}, "en", "$1,299.00"},
		{Price{Amount: 129900, Currency: "EUR"}, "de", "1.299,00\u00a0€"},
		{Price{Amount: 129900, Currency: "SEK"}, "sv", "1\u00a0299,00\u00a0kr"},
		{Price{Amount: 1299, Currency: "KWD"}, "en", "KWD\u00a01.299"},
		{Price{Amount: 500, Currency: ""}, "ja", "5.00"},
	} {
		if got := c.price.Format(c.lang); got != c.want {
			t.Errorf("%v in %s: %q, want %q", c.price, c.lang, got, c.want)
		}
	}
}

// Each is read as it says, or not at all.
func TestAmounts(t *testing.T) {
	t.Parallel()
	for _, r := range corpus.ReadTSV(t, "testdata/amounts.tsv") {
		got, ok := Parse(r["text"], r["lang"])
		if r["amount"] == "" {
			if ok {
				t.Errorf("%s %q: %v, want none", r["lang"], r["text"], got)
			}
			continue
		}
		amount, err := strconv.ParseInt(r["amount"], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if want := (Price{amount, r["currency"], r["from"] != ""}); !ok || got != want {
			t.Errorf("%s %q: %v %v, want %v", r["lang"], r["text"], got, ok, want)
		}
	}
}
