package schedule

import "strings"

// Part returns the part, of n, that a host's feeds belong to. One crawler at a time holds a part, so that no host is
// polled by two at once. The host is a URL's, without port; case and a final dot do not count. The result for an n must
// never change, because leases and runs are stored by it.
func Part(host string, n int) int {
	if n <= 1 {
		return 0
	}
	host = strings.TrimSuffix(host, ".")
	h := uint64(14695981039346656037) // FNV-1a, 64 bits
	for i := range len(host) {
		c := host[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = (h ^ uint64(c)) * 1099511628211
	}
	return int(mix(h) % uint64(n))
}

// mix is the finaliser of SplitMix64. It must not change: see Part.
func mix(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
