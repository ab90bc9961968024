package money

import "testing"

func FuzzParse(f *testing.F) {
	for _, s := range []string{"¥12,800", "1万2千円", "CHF 1'299.-", "10 à 15 €", "$1.2 million", "12€50", "3만 5천원", ",-",
		"١٢٫٥ د.ك", "$149⁹⁹", "2万4千5百円", "£45–55k", "月々1,200円×24回 28,800円", "R$ 1.299,00 ou 12x de R$ 108,25"} {
		f.Add(s, "ja")
		f.Add(s, "de-CH")
	}
	f.Fuzz(func(t *testing.T, text, lang string) {
		p, ok := Parse(text, lang)
		if ok && p.Amount < 0 || !ok && p != (Price{}) || p.Currency != "" && len(p.Currency) != 3 {
			t.Fatalf("%q in %q: %v %v", text, lang, p, ok)
		}
		p.IsFrom = false
		if again, fine := Parse(p.Format(lang), lang); ok && p.Currency != "" && (!fine || again != p) {
			t.Fatalf("%q in %q: %v is written as %q and read as %v", text, lang, p, p.Format(lang), again)
		}
		// The same amount in other digits, and with spaces around it, is the same.
		if again, fine := Parse("\u00a0"+text+" ", lang); fine != ok || ok && again.Amount != p.Amount {
			t.Fatalf("%q in %q: %v, with spaces %v", text, lang, p, again)
		}
	})
}
