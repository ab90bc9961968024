package reader

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// maxAskedURL is the length in bytes above which a URL is not sent to a provider of counts.
const maxAskedURL = 1000

// secretNames are parameters whose values open something.
var secretNames = [...]string{
	"access_token", "accesskey", "api_key", "apikey", "auth", "code", "credential", "jwt", "key", "passwd", "password",
	"pw", "secret",
	"session", "sessionid", "sid", "sig", "sign", "signature", "token",
}

// privateZones are the last parts of host names that no public site has (RFC 2606, 6761, 6762, 8375; ICANN for
// internal).
var privateZones = [...]string{
	"corp", "example", "home", "home.arpa", "internal", "intranet", "invalid", "lan", "local", "localdomain",
	"localhost", "onion", "private", "test",
}

// AskURL returns the address by which a provider is asked for an item's bookmarks: the link as it was published,
// without tracking parameters and without its fragment unless that begins with "!". Scheme, trailing slash and
// percent-encoding stay as they are, because providers count such variants apart. It is empty for addresses that must
// not be disclosed: links with a user name or a parameter that looks like a secret, to ports other than the usual, to
// IP addresses and to names of private networks; and for those that are too long.
func AskURL(link string) string {
	link = strings.TrimSpace(link)
	u, err := url.Parse(link)
	isBroken := strings.ContainsFunc(link, func(c rune) bool { return c <= ' ' || c == 0x7f })
	if err != nil || isBroken || u.Opaque != "" || u.User != nil || !isPublicHost(u) {
		return ""
	}
	kept, isSecret := withoutTracking(u.RawQuery)
	if isSecret {
		return ""
	}
	end := len(link)
	if i := strings.IndexAny(link, "?#"); i >= 0 {
		end = i
	}
	asked := link[:end]
	if kept != "" {
		asked += "?" + kept
	}
	if strings.HasPrefix(u.Fragment, "!") {
		asked += "#" + u.EscapedFragment()
	}
	if len(asked) > maxAskedURL {
		return ""
	}
	return asked
}

// OtherScheme returns an http address with https, and the other way round.
func OtherScheme(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	if strings.EqualFold(scheme, "http") {
		return "https://" + rest
	}
	return "http://" + rest
}

// HasSecret reports whether an address has a user name or a parameter that looks like a secret: items of such a feed
// are not anybody's to know.
func HasSecret(address string) bool {
	if IsPrivateURL(address) {
		return true
	}
	_, query, _ := strings.Cut(address, "?")
	_, isSecret := withoutTracking(query)
	return isSecret
}

// withoutTracking drops the tracking parameters of a query, and reports whether another looks like a secret.
func withoutTracking(query string) (kept string, isSecret bool) {
	if query == "" {
		return "", false
	}
	var pairs []string
	for pair := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if err == nil {
			name = plain
		}
		if isSecretName(name) {
			return "", true
		}
		if pair != "" && (err != nil || !isTracking(name)) { // as StoryURL does
			pairs = append(pairs, pair)
		}
	}
	return strings.Join(pairs, "&"), false
}

func isSecretName(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	if i := strings.LastIndexByte(name, '_'); i >= 0 && slices.Contains(secretNames[:], name[i+1:]) {
		return true // X-Amz-Signature, auth_token
	}
	return slices.Contains(secretNames[:], name)
}

// isPublicHost reports whether an address is of a site that anybody may know: http or https at the usual port, of a
// name with a dot in a public zone.
func isPublicHost(u *url.URL) bool {
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
	default:
		return false
	}
	if p := u.Port(); p != "" && p != "80" && p != "443" {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(host, ".") || strings.HasPrefix(host, ".") {
		return false
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return false // an IPv4 address as some programs write it
	}
	for _, zone := range privateZones {
		if strings.HasSuffix(host, "."+zone) {
			return false
		}
	}
	return true
}
