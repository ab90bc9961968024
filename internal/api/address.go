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
	// the address of who asked it, which a function of the distribution writes over whatever was sent. Whoever asks API
	// Gateway directly can send the second but not know the first. CloudFront-Viewer-Address does not come: no policy
	// forwards it together with what API Gateway needs, all headers but Host.
	edgeHeader   = "X-Ruri-Edge"
	viewerHeader = "X-Ruri-Viewer"
)

// Proxies say whose word counts about where a request comes from.
type Proxies struct {
	// Nets are proxies of ours: the last address in X-Forwarded-For that is not one of theirs is the client's.
	Nets []netip.Prefix
	// Edge is the secret by which our own distribution is known; empty for none.
	Edge string
	// EdgeOnly refuses what does not come through it.
	EdgeOnly bool
}

// fromEdge tells whether our own distribution has passed a request on.
func (p Proxies) fromEdge(r *http.Request) bool {
	return p.Edge != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get(edgeHeader)), []byte(p.Edge)) == 1
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
