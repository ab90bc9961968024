package discover

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// Site is the knowledge about a site's feeds that the address of a page gives, before anything is fetched.
type Site struct {
	// Feeds of a well-known site, the one that most people mean first.
	Feeds []Candidate
	// Ask is a page that names the feed in place of the one addressed; "" for that one itself.
	Ask string
	// Guesses are feeds that the address suggests on an unknown host: worth a try when the page names none.
	Guesses []Candidate
}

// Known returns the feeds of well-known sites from the address of a page: many of them name none in their
// pages, or make visitors wait for scripts. An address that looks like a feed's has none.
func Known(address string) Site {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return Site{}
	}
	parts := segments(u)
	if looksLikeFeed(parts) {
		return Site{}
	}
	host := withoutWWW(u.Hostname())
	for _, s := range sites {
		if !s.hosts.has(host) {
			continue
		}
		if s.find != nil {
			return s.find(u, host, parts)
		}
		return s.routed(host, parts)
	}
	return fediverse(u, parts)
}

// site knows where a site has its feeds: by routes, the first that fits, or by a function.
type site struct {
	hosts  hosts
	routes []route
	find   func(u *url.URL, host string, parts []string) Site
}

// hosts are names of hosts; one with a leading dot stands for every host below a domain.
type hosts []string

func (hs hosts) has(host string) bool {
	return slices.ContainsFunc(hs, func(h string) bool {
		return host == h || h[0] == '.' && strings.HasSuffix(host, h) && len(host) > len(h)
	})
}

// route returns the feeds of the pages below a path.
type route struct {
	// page is the beginning of the path: "*" stands for any segment, "a|b" for one of several. "" is the front page,
	// "**" every page.
	page string
	// feeds are the paths of the feeds, separated by spaces, with $1, $2 … for the page's segments; "" for none. A path
	// may be a whole address.
	feeds string
	kind  string
}

func (r route) fits(parts []string) bool {
	if r.page == "" || r.page == "**" {
		return r.page == "**" || len(parts) == 0
	}
	pattern := strings.Split(r.page, "/")
	if len(parts) < len(pattern) {
		return false
	}
	for i, p := range pattern {
		if p != "*" && !slices.Contains(strings.Split(p, "|"), parts[i]) {
			return false
		}
	}
	return true
}

func (s site) routed(host string, parts []string) Site {
	var found Site
	i := slices.IndexFunc(s.routes, func(r route) bool { return r.fits(parts) })
	if i < 0 {
		return found
	}
	var segments []string
	for i, p := range parts {
		segments = append(segments, "$"+strconv.Itoa(i+1), url.PathEscape(p))
	}
	for _, feed := range strings.Fields(s.routes[i].feeds) {
		address := strings.NewReplacer(segments...).Replace(feed)
		if !strings.HasPrefix(feed, "https://") {
			address = "https://" + host + "/" + address
		}
		found.Feeds = append(found.Feeds, Candidate{URL: address, Type: s.routes[i].kind})
	}
	return found
}

var sites = []site{
	{hosts: youtubeHosts, find: youtube},
	{hosts: hosts{"github.com"}, find: github},
	{hosts: hosts{"reddit.com", "old.reddit.com", "new.reddit.com", "np.reddit.com", "sh.reddit.com"}, find: reddit},
	{hosts: hosts{"b.hatena.ne.jp"}, routes: []route{
		{"", "hotentry.rss", RSS},
		{"hotentry|entrylist/*", "$1/$2.rss", RSS},
		{"hotentry|entrylist", "$1.rss", RSS},
		{"entry|search|site|q|help|my|guide", "", ""},
		{"*", "$1/bookmark.rss", RSS},
	}},
	{hosts: hosts{".hatenablog.com", ".hatenablog.jp", ".hateblo.jp", ".hatenadiary.com", ".hatenadiary.jp",
		".hatenadiary.org"}, find: hatenaBlog},
	{hosts: hosts{"note.com"}, routes: []route{
		{"topics|search|notifications|settings|login|signup|explore|magazines|categories", "", ""},
		{"hashtag/*", "hashtag/$2/rss", RSS},
		{"*/m/*", "$1/m/$3/rss $1/rss", RSS},
		{"*", "$1/rss", RSS},
	}},
	{hosts: hosts{"zenn.dev"}, routes: []route{
		{"", "feed", RSS},
		{"topics|p/*", "$1/$2/feed", RSS},
		{"topics|articles|books|scraps|about|search|events|login|enter|privacy|terms|tech-or-idea|publications", "",
			""},
		{"*", "$1/feed", RSS},
	}},
	{hosts: hosts{"qiita.com"}, routes: []route{
		{"", "popular-items/feed", Atom},
		{"popular-items|trend", "popular-items/feed", Atom},
		{"tags/*", "tags/$2/feed", Atom},
		{"organizations/*", "organizations/$2/activities.atom", Atom},
		{"tags|organizations|about|advent-calendar|question-feed|search|login|signup|official-events|opportunities|" +
			"terms|privacy|timeline", "", ""},
		{"*", "$1/feed", Atom},
	}},
	{hosts: hosts{"medium.com"}, routes: []route{
		{"about|m|me|search|topics|explore-topics|membership|creators|policy", "", ""},
		{"tag/*", "feed/tag/$2", RSS},
		{"*/tagged/*", "feed/$1/tagged/$3", RSS},
		{"*", "feed/$1", RSS},
	}},
	{hosts: hosts{".medium.com"}, routes: []route{{"**", "feed", RSS}}},
	{hosts: hosts{"open.substack.com"}, find: openSubstack},
	{hosts: hosts{"substack.com"}}, // the profile of a person names their publications in the page only
	{hosts: hosts{".substack.com"}, routes: []route{{"**", "feed", RSS}}},
	{hosts: appleHosts, find: applePodcast},
	{hosts: hosts{".tumblr.com"}, routes: []route{{"**", "rss", RSS}}},
	{hosts: hosts{".blogspot.com"}, routes: []route{{"**", "feeds/posts/default", Atom}}},
	{hosts: hosts{".wordpress.com"}, routes: []route{{"**", "feed/", RSS}}},
	{hosts: hosts{"ameblo.jp"}, routes: []route{{"*", "https://rssblog.ameba.jp/$1/rss20.html", RSS}}},
	{hosts: hosts{"dev.to"}, routes: []route{
		{"", "feed", RSS},
		{"t/*", "feed/tag/$2", RSS},
		{"t", "", ""},
		{"*", "feed/$1", RSS},
	}},
	{hosts: hosts{"bsky.app"}, routes: []route{{"profile/*", "profile/$2/rss", RSS}}},
	{hosts: hosts{"news.ycombinator.com"}, routes: []route{{"**", "rss", RSS}}},
	{hosts: hosts{"stackoverflow.com"}, routes: []route{{"questions/tagged/*", "feeds/tag/$3", Atom}}},
	{hosts: hosts{"mastodon.social", "mastodon.online", "mstdn.jp", "pawoo.net", "mstdn.social", "fosstodon.org",
		"hachyderm.io", "mas.to", "mastodon.cloud"}, find: mastodon},
}

// segments are the parts of a path, decoded, without empty ones.
func segments(u *url.URL) []string {
	var out []string
	for _, s := range strings.Split(u.Path, "/") {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// looksLikeFeed reports whether the path is that of a feed.
func looksLikeFeed(parts []string) bool {
	if len(parts) == 0 {
		return false
	}
	if _, ok := lookOf("/" + parts[len(parts)-1]); ok {
		return true
	}
	return slices.Contains([]string{"feed", "feeds", "rss"}, strings.ToLower(parts[0]))
}

// at makes an address on a host; the parts are escaped as path segments.
func at(host string, parts ...string) string {
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return "https://" + host + "/" + strings.Join(parts, "/")
}

func one(address, kind string) Site { return Site{Feeds: []Candidate{{URL: address, Type: kind}}} }

// youtube has feeds by channel and by playlist. The uploads of a channel UC… are the playlists UULF… (videos),
// UUSH… (shorts) and UULV… (live). A handle's channel stands in its page (see pageRules).
func youtube(u *url.URL, _ string, parts []string) Site {
	feed := func(key, id, title string) Candidate {
		return Candidate{URL: "https://www.youtube.com/feeds/videos.xml?" + key + "=" + url.QueryEscape(id),
			Title: title, Type: Atom}
	}
	list := u.Query().Get("list")
	switch {
	case len(parts) >= 2 && parts[0] == "channel" && isChannel(parts[1]):
		id := parts[1]
		return Site{Feeds: []Candidate{
			feed("channel_id", id, ""),
			feed("playlist_id", "UULF"+id[2:], "Videos"),
			feed("playlist_id", "UUSH"+id[2:], "Shorts"),
			feed("playlist_id", "UULV"+id[2:], "Live streams"),
		}}
	case len(parts) >= 1 && parts[0] == "playlist" && list != "":
		return Site{Feeds: []Candidate{feed("playlist_id", list, "")}}
	}
	return Site{}
}

// isChannel: "UC" and 22 letters of base64url.
func isChannel(id string) bool { return channelID.MatchString(id) }

var channelID = pattern.New(`^UC[\w-]{22}$`)

// githubOwn are first segments of GitHub's own pages.
var githubOwn = []string{
	"about", "apps", "collections", "contact", "copilot", "customer-stories", "enterprise", "events",
	"explore", "features",
	"gist", "issues", "join", "login", "marketplace", "new", "notifications", "organizations", "pricing",
	"pulls", "readme",
	"search", "security", "settings", "signup", "site", "sponsors", "stars", "team", "topics", "trending", "users",
}

func github(_ *url.URL, host string, parts []string) Site {
	if len(parts) > 1 && parts[0] == "orgs" {
		parts = parts[1:2]
	}
	if len(parts) == 0 || slices.Contains(githubOwn, strings.ToLower(parts[0])) {
		return Site{}
	}
	if len(parts) == 1 {
		return one(at(host, parts[0])+".atom", Atom)
	}
	repo := at(host, parts[0], strings.TrimSuffix(parts[1], ".git"))
	releases := Candidate{URL: repo + "/releases.atom", Title: "Releases", Type: Atom}
	commits := Candidate{URL: repo + "/commits.atom", Title: "Commits", Type: Atom}
	tags := Candidate{URL: repo + "/tags.atom", Title: "Tags", Type: Atom}
	if len(parts) == 2 {
		return Site{Feeds: []Candidate{releases, commits, tags}}
	}
	switch parts[2] {
	case "releases":
		return Site{Feeds: []Candidate{releases, tags, commits}}
	case "tags":
		return Site{Feeds: []Candidate{tags, releases, commits}}
	case "commits", "tree", "blob":
		if len(parts) > 3 {
			commits.URL = repo + "/commits/" + strings.TrimPrefix(at("", parts[3:]...), "https:///") + ".atom"
		}
		return Site{Feeds: []Candidate{commits, releases, tags}}
	case "wiki", "discussions":
		return one(repo+"/"+parts[2]+".atom", Atom)
	case "issues", "pulls", "actions", "packages", "activity":
		return Site{Feeds: []Candidate{releases, commits, tags}}
	}
	return Site{}
}

func reddit(_ *url.URL, _ string, parts []string) Site {
	const host = "www.reddit.com"
	if len(parts) == 0 {
		return one("https://"+host+"/.rss", Atom)
	}
	switch parts[0] {
	case "r", "user", "u":
		if len(parts) < 2 {
			return Site{}
		}
		if parts[0] == "u" {
			parts[0] = "user"
		}
		return one(at(host, parts...)+"/.rss", Atom)
	}
	return Site{}
}

func mastodon(_ *url.URL, host string, parts []string) Site {
	switch {
	case len(parts) >= 1 && strings.HasPrefix(parts[0], "@") && len(parts[0]) > 1:
		name, elsewhere, remote := strings.Cut(parts[0][1:], "@")
		if remote {
			// The account's own server has the feed, whatever server shows it.
			host = elsewhere
		}
		if name == "" || !isHost(host) {
			return Site{}
		}
		return one(at(host, "@"+name)+".rss", RSS)
	case len(parts) >= 2 && parts[0] == "users":
		return one(at(host, "@"+parts[1])+".rss", RSS)
	case len(parts) >= 2 && parts[0] == "tags":
		return one(at(host, "tags", parts[1])+".rss", RSS)
	}
	return Site{}
}

// fediverse guesses the feeds of a profile of Mastodon, Pixelfed or Misskey on any host.
func fediverse(u *url.URL, parts []string) Site {
	if len(parts) != 1 || !strings.HasPrefix(parts[0], "@") || strings.Contains(parts[0][1:], "@") ||
		len(parts[0]) < 2 {
		return Site{}
	}
	base := u.Scheme + "://" + u.Host + "/" + url.PathEscape(parts[0])
	return Site{Guesses: []Candidate{{URL: base + ".rss", Type: RSS}, {URL: base + ".atom", Type: Atom}}}
}

func hatenaBlog(_ *url.URL, host string, parts []string) Site {
	if len(parts) == 3 && parts[0] == "archive" && parts[1] == "category" {
		return Site{Feeds: []Candidate{
			{URL: at(host, "feed", "category", parts[2]), Title: parts[2], Type: Atom},
			{URL: at(host, "feed"), Type: Atom},
		}}
	}
	return Site{Feeds: []Candidate{{URL: at(host, "feed"), Type: Atom}, {URL: at(host, "rss"), Type: RSS}}}
}

func openSubstack(_ *url.URL, _ string, parts []string) Site {
	if len(parts) > 1 && parts[0] == "pub" && hostLabel.MatchString(parts[1]) {
		return one(at(parts[1]+".substack.com", "feed"), RSS)
	}
	return Site{}
}

// isHost reports whether s can be the host of an address, without a port.
func isHost(s string) bool {
	u, err := url.Parse("https://" + s)
	return err == nil && s != "" && u.Host == s && !strings.Contains(s, ":")
}

var hostLabel = pattern.New(`^[A-Za-z0-9-]{1,63}$`)

// applePodcast asks the catalogue, which answers with the address that the publisher has entered; its pages
// carry it too, in a script.
func applePodcast(_ *url.URL, _ string, parts []string) Site {
	for _, p := range parts {
		if id, ok := strings.CutPrefix(p, "id"); ok && id != "" && strings.Trim(id, "0123456789") == "" {
			return Site{Ask: "https://itunes.apple.com/lookup?id=" + id + "&entity=podcast"}
		}
	}
	return Site{}
}

// Typed returns the address for a person's input: @name@host and acct:name@host, names of the fediverse, give the
// profile's address. Anything else is returned unchanged.
func Typed(s string) string {
	s = strings.TrimSpace(s)
	rest, ok := strings.CutPrefix(s, "@")
	if !ok {
		rest, ok = strings.CutPrefix(s, "acct:")
	}
	name, host, two := strings.Cut(rest, "@")
	if !ok || !two || name == "" || !strings.Contains(host, ".") || !isHost(host) {
		return s
	}
	return "https://" + host + "/@" + url.PathEscape(name)
}
