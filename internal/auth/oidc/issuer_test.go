package oidc

import "testing"

func TestEndpointsAreAsSecureAsTheIssuer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address, issuer string
		want            bool
	}{
		{"https://a.example/token", "https://a.example", true},
		{"https://other.example/token", "https://a.example", true},
		{"HTTPS://a.example/token", "https://a.example", true},
		{"http://a.example/token", "https://a.example", false},
		{"http://a.example/token", "http://a.example", true},
		{"ftp://a.example/token", "http://a.example", false},
		{"/token", "https://a.example", false},
		{"https:///token", "https://a.example", false},
		{"", "https://a.example", false},
	} {
		if got := isSafe(c.address, c.issuer); got != c.want {
			t.Errorf("isSafe(%q, %q) = %v", c.address, c.issuer, got)
		}
	}
}
