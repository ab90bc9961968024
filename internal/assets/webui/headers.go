package webui

import "net/http"

// Policy is the content security policy of every response. It allows no eval, and inline, by their hashes, only the
// script that sets the theme before the first paint and the style of that paint (web/scripts/first-frame.ts). HTML from
// feeds passes the one Trusted Types policy that the page creates. CloudFront's response headers policy (template.yaml)
// has the same text.
const Policy = "default-src 'none'; script-src 'self' 'sha256-uf746UxZ9AW53GyOdmHpc3Zy07oo9qe4a7kl9EZMUpI='; " +
	"style-src 'self' 'sha256-TvuOMXWZcydJQkQmJxkauj6qq4G8luB5KHPK9H9Vh4Y='; img-src 'self' https: data:; " +
	"media-src 'self' https:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; object-src 'none'; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'self'; " +
	"require-trusted-types-for 'script'; trusted-types ruri-sanitised"

// SecurityHeaders sets the security headers of a response.
func SecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy", Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "+
		"magnetometer=(), microphone=(), midi=(), payment=(), usb=(), browsing-topics=()")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}
