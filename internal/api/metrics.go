package api

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/telemetry/metrics"
)

// Metrics is the handler of /metrics in the single binary: open to this machine, and to tokens of the scope "metrics".
// Behind a proxy all requests come from this machine: with signs of a proxy, or where a base URL is configured
// (behindProxy), only the token counts.
func Metrics(a *auth.Service, text func() []byte, behindProxy bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		if behindProxy || !local(r) {
			token, _ := bearerOf(r)
			if err := a.BearerOf(r.Context(), token, auth.Metrics); err != nil {
				status := fault.KindOf(err).Status()
				if status == http.StatusUnauthorized {
					h.Set("WWW-Authenticate", `Bearer realm="metrics"`)
				}
				http.Error(w, "A token made with ruri token create --scope metrics opens this.", status)
				return
			}
		}
		h.Set("Content-Type", metrics.TextType)
		_, _ = w.Write(text())
	})
}

// proxyHeaders are headers that proxies and CDNs add.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port",
	"X-Forwarded-Server", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip",
	"Fastly-Client-Ip", "Fly-Client-Ip", "X-Original-Forwarded-For", "X-Envoy-External-Address", "Cdn-Loop",
}

// local reports whether a request comes from this machine directly: from a loopback address, to a loopback host
// (against DNS rebinding), in HTTP/1.1 or later (old proxies speak 1.0 and add no headers), without signs of a proxy,
// and not from a web page.
func local(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() || !r.ProtoAtLeast(1, 1) {
		return false
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	if ip, err := netip.ParseAddr(host); !strings.EqualFold(host, "localhost") &&
		(err != nil || !ip.Unmap().IsLoopback()) {
		return false
	}
	for _, name := range proxyHeaders {
		if _, there := r.Header[name]; there {
			return false
		}
	}
	return r.Header.Get("Origin") == "" &&
		(r.Header.Get("Sec-Fetch-Site") == "" || r.Header.Get("Sec-Fetch-Site") == "none")
}
