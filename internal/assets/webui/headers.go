package webui

import "net/http"

// Policy is the content security policy of every answer. It allows no eval and nothing inline but the
// page's own first lines, by their hash: they set the theme before the first paint, and as a file they would be one
// request more before it. HTML from feeds passes the one Trusted Types policy that the page makes. The same text
// stands in CloudFront's response headers policy (template.yaml).
const Policy = "default-src 'none'; script-src 'self' 'sha256-T+FlCvX3iwD9VNMwLORlOa43Rsy3QZyza83FuTImht8='; " +
	"style-src 'self'; img-src 'self' https: data:; " +
	"media-src 'self' https:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; object-src 'none'; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'self'; " +
	"require-trusted-types-for 'script'; trusted-types ruri-sanitised"

// SecurityHeaders sets the headers that bind a browser to the page's rules. It overwrites.
func SecurityHeaders(h http.Header) {
	h.Set("Content-Security-Policy", Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "+
		"magnetometer=(), microphone=(), midi=(), payment=(), usb=(), browsing-topics=()")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}
