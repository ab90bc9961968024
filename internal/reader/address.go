package reader

import "strings"

// hidden replaces secrets in an address, as net/url does.
const hidden = "xxxxx"

// ShownURL returns an address for lists and logs: without its password, and without a user name that has no password,
// which is a key then.
func ShownURL(address string) string {
	from, to, ok := userinfo(address)
	if !ok {
		return address
	}
	name, _, hasPassword := strings.Cut(address[from:to], ":")
	if hasPassword {
		return address[:from] + name + ":" + hidden + address[to:]
	}
	return address[:from] + hidden + address[to:]
}

// IsPrivateURL reports whether an address has a user name or a password.
func IsPrivateURL(address string) bool {
	_, _, ok := userinfo(address)
	return ok
}

// WithoutUser returns an address without user name and password, as the base of other addresses.
func WithoutUser(address string) string {
	from, to, ok := userinfo(address)
	if !ok {
		return address
	}
	return address[:from] + address[to+1:]
}

// userinfo finds what stands between an address's scheme and the @ before its host (RFC 3986, 3.2.1). It does not
// parse, because feeds are many and few have any.
func userinfo(address string) (from, to int, ok bool) {
	i := strings.Index(address, "://")
	if i < 0 {
		return 0, 0, false
	}
	from = i + len("://")
	end := len(address)
	if j := strings.IndexAny(address[from:], "/?#"); j >= 0 {
		end = from + j
	}
	at := strings.LastIndexByte(address[from:end], '@')
	return from, from + at, at >= 0
}
