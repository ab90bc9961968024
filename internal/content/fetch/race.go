package fetch

import (
	"context"
	"net"
	"net/netip"
	"time"
)

const (
	nextAddressAfter = 250 * time.Millisecond // RFC 8305, section 5
	maxAddresses     = 8
)

// alternate orders addresses so that the families take turns, beginning with the resolver's first choice
// (RFC 8305, section 4), and bounds their number.
func alternate(in []netip.AddrPort) []netip.AddrPort {
	var first, second []netip.AddrPort
	for _, a := range in {
		if a.Addr().Is4() == in[0].Addr().Is4() {
			first = append(first, a)
		} else {
			second = append(second, a)
		}
	}
	out := make([]netip.AddrPort, 0, len(in))
	for i := 0; len(out) < len(in); i++ {
		if i < len(first) {
			out = append(out, first[i])
		}
		if i < len(second) {
			out = append(out, second[i])
		}
	}
	return out[:min(len(out), maxAddresses)]
}

// race connects to the first address that answers: each next one is tried when the one before has failed
// or has not answered for a while. The error is that of the first address.
func (g *guard) race(ctx context.Context, addrs []netip.AddrPort) (net.Conn, error) {
	if len(addrs) == 1 {
		return g.open(ctx, addrs[0])
	}
	type result struct {
		conn net.Conn
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan result, len(addrs)) // roomy: late losers never block
	started, pending := 0, 0
	start := func() {
		to := addrs[started]
		started++
		pending++
		go func() {
			conn, err := g.open(ctx, to)
			results <- result{conn, err}
		}()
	}
	start()
	next := time.NewTicker(nextAddressAfter)
	defer next.Stop()
	var failed error
	for {
		select {
		case r := <-results:
			pending--
			if r.err == nil {
				go func(n int) {
					for range n {
						if late := <-results; late.conn != nil {
							_ = late.conn.Close()
						}
					}
				}(pending)
				return r.conn, nil
			}
			if failed == nil {
				failed = r.err
			}
			if started < len(addrs) {
				start()
			} else if pending == 0 {
				return nil, failed
			}
		case <-next.C:
			if started < len(addrs) {
				start()
			}
		}
	}
}
