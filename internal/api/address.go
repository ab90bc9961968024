package api

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

const (
	// edgeHeader carries the secret that our own CloudFront distribution adds to what it passes on, and viewerHeader
	// the address of who asked it. Whoever asks API Gateway directly can send the second but not know the first.
	edgeHeader   = "X-Ruri-Edge"
	viewerHeader = "Cloudfront-Viewer-Address"
)

// Proxies say whose word counts about where a request comes from.
type Proxies struct {
	// Nets are proxies of ours: the last address in X-Forwarded-For that is not one of theirs is the client's.
	Nets []netip.Prefix
	// Edge is the secret by which our own distribution is known; empty for none.
	Edge string
}

// clientAddress is where a request comes from. The peer alone is certain: behind API Gateway the adapter sets it
// from the event, and it is that of CloudFront's edge. Headers are believed from those alone who are known to write
// them over: anybody else can send what they like. So an address may stand for many people, and what counts by
// address is patient with it.
func (p Proxies) clientAddress(r *http.Request) string {
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		peer = r.RemoteAddr
	}
	if p.Edge != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get(edgeHeader)), []byte(p.Edge)) == 1 {
		// CloudFront writes an address of IPv6 without brackets: the port is what follows the last colon.
		viewer := r.Header.Get(viewerHeader)
		if i := strings.LastIndexByte(viewer, ':'); i > 0 {
			if a, err := netip.ParseAddr(strings.Trim(viewer[:i], "[]")); err == nil {
				return a.Unmap().String()
			}
		}
		return peer
	}
	if !p.ours(peer) {
		return peer
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		hop = strings.TrimSpace(hop)
		if _, err := netip.ParseAddr(hop); err != nil {
			break
		}
		if peer = hop; !p.ours(hop) {
			break
		}
	}
	return peer
}

func (p Proxies) ours(address string) bool {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(p.Nets, func(n netip.Prefix) bool { return n.Contains(a) })
}
