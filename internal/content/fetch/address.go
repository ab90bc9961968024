package fetch

import "net/netip"

// special4 are the IPv4 blocks that no feed lives in: the IANA special-purpose registry (those not globally
// reachable), multicast, reserved space, and two cloud services at public-looking addresses.
var special4 = []block{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "carrier NAT"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("168.63.129.16/32"), "cloud service"}, // Azure's wire server
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},      // cloud metadata too
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.0.0.0/24"), "protocol assignments"}, // 192.0.0.192: Oracle metadata
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("192.80.8.124/32"), "cloud service"}, // Equinix Metal metadata
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4 relay"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"}, // broadcast included
}

// global6 is the only IPv6 space handed out for global unicast. Everything outside it is refused without a
// list: loopback, IPv4-compatible, SIIT (::ffff:0:0:0/96), NAT64 (64:ff9b::/96 and 64:ff9b:1::/48), discard,
// SRv6, unique local (fd00:ec2::254, fd20:ce::254: metadata), link-local, site-local, multicast.
var global6 = netip.MustParsePrefix("2000::/3")

// special6 are the blocks inside global6 that are not public hosts. 6to4 and Teredo carry an IPv4 address
// that would have to be checked again; no feeds are served there.
var special6 = []block{
	{netip.MustParsePrefix("2001::/23"), "protocol assignments"}, // Teredo, ORCHID, benchmarking
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("2002::/16"), "6to4"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"},
}

type block struct {
	net  netip.Prefix
	name string
}

// notPublic names the reason why an address is not a public host, "" when it is one. IPv4 in its mapped
// form (::ffff:0:0/96) is judged as the IPv4 address that the kernel would dial.
func notPublic(a netip.Addr) string {
	if !a.IsValid() {
		return "invalid"
	}
	if a.Zone() != "" {
		return "zone"
	}
	a = a.Unmap()
	blocks := special4
	if a.Is6() {
		if !global6.Contains(a) {
			return "not global unicast"
		}
		blocks = special6
	}
	for _, b := range blocks {
		if b.net.Contains(a) {
			return b.name
		}
	}
	return ""
}

// portOpen allows the two ports of the web and their two common alternatives at public addresses. Other ports of a web
// host are rather services that a feed URL could be made to talk to.
func portOpen(p uint16) bool {
	return p == 80 || p == 443 || p == 8080 || p == 8443
}

func unmap(ap netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())
}
