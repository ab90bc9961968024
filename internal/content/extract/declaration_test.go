package extract

import "testing"

func TestDeclarationIsFoundAmongOddBytes(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"\xe5<?Xml": "",
		"\xe5\xff<?XML encoding='shift_jis'?><rss":        "shift_jis",
		"<?pi?><?xml version='1.0' encoding=\"EUC-JP\"?>": "euc-jp",
		"<?x":       "",
		"<?xml":     "",
		"no markup": "",
	} {
		if got := DeclaredCharset([]byte(body)); got != want {
			t.Errorf("%q declares %q, want %q", body, got, want)
		}
	}
}
