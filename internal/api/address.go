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
	// edgeHeader has the secret that our CloudFront distribution adds to requests, and viewerHeader the viewer's
	// address, which a function of the distribution overwrites. A direct request to API Gateway can forge the second,
	// not the first. CloudFront-Viewer-Address is not available: no origin request policy combines it with all headers
	// except Host.
	edgeHeader   = "X-Ruri-Edge"
	viewerHeader = "X-Ruri-Viewer"
)

// Proxies says which headers about a client's address are trusted.
type Proxies struct {
	// Nets are our proxies: the last address in X-Forwarded-For that is not in them is the client's.
	Nets []netip.Prefix
	// Edge is the secret of our distribution; empty for none.
	Edge string
	// EdgeOnly rejects requests that do not come through it.
	EdgeOnly bool
}

// fromEdge reports whether a request came through our distribution.
func (p Proxies) fromEdge(r *http.Request) bool {
	return p.Edge != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get(edgeHeader)), []byte(p.Edge)) == 1
}

// clientAddress returns the address of a request's client, as far as trusted: that of the peer (behind API Gateway,
// CloudFront's edge), unless a proxy that is known to overwrite the headers names another. One address may stand for
// many people, so limits by address are generous.
func (p Proxies) clientAddress(r *http.Request) string {
	peer, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		peer = r.RemoteAddr
	}
	if p.fromEdge(r) {
		if a, err := netip.ParseAddr(r.Header.Get(viewerHeader)); err == nil {
			return a.Unmap().String()
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
