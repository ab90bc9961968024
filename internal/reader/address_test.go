package reader

import "testing"

func TestShownURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://anna:hunter2@example.org/feed?a=b": "https://anna:xxxxx@example.org/feed?a=b",
		"https://anna:@example.org/":                "https://anna:xxxxx@example.org/",
		"https://apikey@example.org:8443/":          "https://xxxxx@example.org:8443/",
		"https://:key@example.org":                  "https://:xxxxx@example.org",
		"https://a:p@ss@example.org/":               "https://a:xxxxx@example.org/",
		"http://anna:hunter2@[2001:db8::1]/":        "http://anna:xxxxx@[2001:db8::1]/",
		"https://example.org/@anna:feed":            "https://example.org/@anna:feed",
		"https://example.org?mail=a:b@c":            "https://example.org?mail=a:b@c",
		"https://example.org#a:b@c":                 "https://example.org#a:b@c",
		"https://example.org/":                      "https://example.org/",
		"mailto:anna@example.org":                   "mailto:anna@example.org",
		"":                                          "",
	} {
		if got := ShownURL(address); got != want {
			t.Errorf("%s is shown as %s, want %s", address, got, want)
		}
		if got := IsPrivateURL(address); got != (want != address) {
			t.Errorf("%s is private: %v", address, got)
		}
		if bare := WithoutUser(address); IsPrivateURL(bare) || (bare == address) != (want == address) {
			t.Errorf("%s without user and password is %s", address, bare)
		}
	}
}
