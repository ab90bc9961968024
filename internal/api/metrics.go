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

// Metrics answers /metrics of the single binary: to this machine itself, or to a token of the scope "metrics".
// Behind a proxy every request comes from this machine, so what shows a proxy is no peer of ours, and an owner
// who said where people reach the reader (behindProxy) has one: then only the token counts.
func Metrics(a *auth.Service, text func() []byte, behindProxy bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		if behindProxy || !local(r) {
			scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
			if !strings.EqualFold(scheme, "Bearer") {
				token = ""
			}
			if err := a.BearerOf(r.Context(), strings.TrimSpace(token), auth.ScopeMetrics); err != nil {
				status := kinds[fault.KindOf(err)].status
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

// proxyHeaders are what proxies and content networks add to the requests that they pass on.
var proxyHeaders = []string{
	"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port",
	"X-Forwarded-Server", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip",
	"Fastly-Client-Ip", "Fly-Client-Ip", "X-Original-Forwarded-For", "X-Envoy-External-Address", "Cdn-Loop",
}

// local tells whether a request comes from this machine for itself: from a loopback address, to a loopback name
// (a page of a stranger's name that was made to point here is not one), in HTTP/1.1 or later (the oldest proxies
// speak 1.0 and add nothing), without a trace of a proxy, and not from a page in a browser.
func local(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !peer.Addr().Unmap().IsLoopback() || !r.ProtoAtLeast(1, 1) {
		return false
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	if ip, err := netip.ParseAddr(host); !strings.EqualFold(host, "localhost") && (err != nil || !ip.Unmap().IsLoopback()) {
		return false
	}
	for _, name := range proxyHeaders {
		if _, there := r.Header[name]; there {
			return false
		}
	}
	return r.Header.Get("Origin") == "" && (r.Header.Get("Sec-Fetch-Site") == "" || r.Header.Get("Sec-Fetch-Site") == "none")
}
