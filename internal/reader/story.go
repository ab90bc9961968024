package reader

import (
	"net/url"
	"slices"
	"strings"
)

// tracking are parameters that tell where a reader came from and nothing about what is read.
var tracking = [...]string{
	"_ga", "_gl", "_hsenc", "_hsmi", "at_campaign", "at_medium", "cmpid", "dclid", "fbclid", "gbraid", "gclid", "gclsrc", "igshid",
	"mc_cid", "mc_eid", "mkt_tok", "msclkid", "ncid", "s_cid", "twclid", "wbraid", "wt_mc", "xtor", "yclid",
}

func isTracking(name string) bool {
	name = strings.ToLower(name)
	_, found := slices.BinarySearch(tracking[:], name)
	return found || strings.HasPrefix(name, "utm_")
}

// StoryURL brings a link into the form by which the same story in several feeds is known: without scheme and
// default port, tracking parameters, fragment and a slash at the end; the host in lower case. Nothing fuzzier:
// what differs in anything else is another story. Empty when the link names no page of its own, as that of
// a whole site.
func StoryURL(link string) string {
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil || u.Hostname() == "" || u.Opaque != "" {
		return ""
	}
	if s := strings.ToLower(u.Scheme); s != "http" && s != "https" {
		return ""
	}
	host := strings.ToLower(u.Host)
	if p := u.Port(); p == "80" || p == "443" || p == "" {
		host = strings.TrimSuffix(host, ":"+p)
	}
	var kept []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); pair != "" && (err != nil || !isTracking(name)) {
			kept = append(kept, pair)
		}
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	if len(kept) > 0 {
		path += "?" + strings.Join(kept, "&")
	}
	// Pages that are told apart by what follows "#!" alone keep it.
	if strings.HasPrefix(u.Fragment, "!") {
		path += "#" + u.EscapedFragment()
	}
	if path == "" {
		return ""
	}
	return host + path
}
