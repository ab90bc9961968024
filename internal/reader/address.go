package reader

import "strings"

// hidden stands in place of what an address keeps to itself, as net/url writes it.
const hidden = "xxxxx"

// ShownURL is an address as it is shown in lists and logs: without its password, and without a user name that has none,
// which is a key then. An address without either is given as it is.
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

// IsPrivateURL tells whether an address holds a user name or a password.
func IsPrivateURL(address string) bool {
	_, _, ok := userinfo(address)
	return ok
}

// WithoutUser gives an address without user name and password: what is resolved against it, like an item's link, is not
// to hold them.
func WithoutUser(address string) string {
	from, to, ok := userinfo(address)
	if !ok {
		return address
	}
	return address[:from] + address[to+1:]
}

// userinfo finds what stands between an address's scheme and the @ before its host (RFC 3986, 3.2.1). Feeds are many
// and few have one: nothing is parsed for it.
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
