package reader

import (
	"net/url"
	"slices"
	"strings"
)

// tracking are parameters that record where a visitor came from and do not select content.
var tracking = [...]string{
	"_ga", "_gl", "_hsenc", "_hsmi", "at_campaign", "at_medium", "cmpid", "dclid", "fbclid", "gbraid", "gclid",
	"gclsrc", "igshid",
	"mc_cid", "mc_eid", "mkt_tok", "msclkid", "ncid", "s_cid", "twclid", "wbraid", "wt_mc", "xtor", "yclid",
}

func isTracking(name string) bool {
	name = strings.ToLower(name)
	_, found := slices.BinarySearch(tracking[:], name)
	return found || strings.HasPrefix(name, "utm_")
}

// StoryURL normalises a link so that the same story in several feeds has the same URL: without scheme and default port,
// tracking parameters, fragment and trailing slash; the host in lower case. Any other difference means another story.
// Empty when the link is to a whole site.
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
		pair = strings.TrimSpace(pair)
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); pair != "" && (err != nil || !isTracking(name)) {
			kept = append(kept, pair)
		}
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	if len(kept) > 0 {
		path += "?" + strings.Join(kept, "&")
	}
	// Pages that differ only in what follows "#!" keep it.
	if strings.HasPrefix(u.Fragment, "!") {
		path += "#" + u.EscapedFragment()
	}
	if path == "" {
		return ""
	}
	return host + path
}
