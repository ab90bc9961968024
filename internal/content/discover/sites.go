package discover

import (
	"net/url"
	"slices"
	"strings"
)

// Site is what the address of a page tells, before anything is fetched.
type Site struct {
	// Feeds of sites that are known to have them there, the one that most people mean first.
	Feeds []Candidate
	// Ask is a page that tells the feed in place of the one addressed; "" for that one itself.
	Ask string
	// Guesses are feeds that the address suggests on a host that nobody knows: worth a try when the page
	// names none.
	Guesses []Candidate
}

// Known works out the feeds of well-known sites from the address of a page: many of them name none in their
// pages, or make visitors wait for scripts. An address that looks like a feed's is left as it is.
func Known(address string) Site {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return Site{}
	}
	parts := segments(u)
	if looksLikeFeed(parts) {
		return Site{}
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	for _, rule := range sites {
		if rule.has(host) {
			return rule.site(u, host, parts)
		}
	}
	return fediverse(u, parts)
}

// rule knows the feeds of a site: at its host, or with a leading dot at every host below a domain.
type rule struct {
	hosts []string
	site  func(u *url.URL, host string, parts []string) Site
}

func (r rule) has(host string) bool {
	return slices.ContainsFunc(r.hosts, func(h string) bool {
		return host == h || h[0] == '.' && strings.HasSuffix(host, h) && len(host) > len(h)
	})
}

// sites are asked in this order.
var sites = []rule{
	{[]string{"youtube.com", "m.youtube.com", "music.youtube.com"}, youtube},
	{[]string{"github.com"}, github},
	{[]string{"reddit.com", "old.reddit.com", "new.reddit.com", "np.reddit.com", "sh.reddit.com"}, reddit},
	{[]string{"b.hatena.ne.jp"}, hatenaBookmark},
	{[]string{".hatenablog.com", ".hatenablog.jp", ".hateblo.jp", ".hatenadiary.com", ".hatenadiary.jp", ".hatenadiary.org"}, hatenaBlog},
	{[]string{"note.com"}, note},
	{[]string{"zenn.dev"}, zenn},
	{[]string{"qiita.com"}, qiita},
	{[]string{"medium.com", ".medium.com"}, medium},
	{[]string{".substack.com", "substack.com"}, substack},
	{[]string{"podcasts.apple.com", "itunes.apple.com"}, applePodcast},
	{[]string{".tumblr.com"}, rootFeed("/rss", RSS)},
	{[]string{".blogspot.com"}, rootFeed("/feeds/posts/default", Atom)},
	{[]string{".wordpress.com"}, rootFeed("/feed/", RSS)},
	{[]string{"ameblo.jp"}, ameblo},
	{[]string{"dev.to"}, devTo},
	{[]string{"bsky.app"}, bluesky},
	{[]string{"news.ycombinator.com"}, rootFeed("/rss", RSS)},
	{[]string{"stackoverflow.com"}, stackOverflow},
	{[]string{"mastodon.social", "mastodon.online", "mstdn.jp", "pawoo.net", "mstdn.social", "fosstodon.org", "hachyderm.io", "mas.to", "mastodon.cloud"}, mastodon},
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

// looksLikeFeed tells addresses that are feeds by all that one can see: they are asked as they are.
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

// rootFeed is for hosts with one feed for all their pages.
func rootFeed(path, kind string) func(*url.URL, string, []string) Site {
	return func(_ *url.URL, host string, _ []string) Site { return one("https://"+host+path, kind) }
}

// youtube has feeds by channel and by playlist. The uploads of a channel UC… are the playlists UULF… (videos),
// UUSH… (shorts) and UULV… (live). A handle's channel stands in its page (see pageRules).
func youtube(u *url.URL, _ string, parts []string) Site {
	feed := func(key, id, title string) Candidate {
		return Candidate{URL: "https://www.youtube.com/feeds/videos.xml?" + key + "=" + url.QueryEscape(id), Title: title, Type: Atom}
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
func isChannel(id string) bool {
	return len(id) == 24 && strings.HasPrefix(id, "UC") && !strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

// githubOwn are first segments that are GitHub's own pages, not people's.
var githubOwn = []string{
	"about", "apps", "collections", "contact", "copilot", "customer-stories", "enterprise", "events", "explore", "features",
	"gist", "issues", "join", "login", "marketplace", "new", "notifications", "organizations", "pricing", "pulls", "readme",
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
	case "wiki":
		return one(repo+"/wiki.atom", Atom)
	case "discussions":
		return one(repo+"/discussions.atom", Atom)
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
		if name == "" || host == "" || strings.ContainsAny(host, "/?#:") {
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

// fediverse is what the address suggests on any host: profiles of Mastodon, Pixelfed or Misskey.
func fediverse(u *url.URL, parts []string) Site {
	if len(parts) != 1 || !strings.HasPrefix(parts[0], "@") || strings.Contains(parts[0][1:], "@") || len(parts[0]) < 2 {
		return Site{}
	}
	base := u.Scheme + "://" + u.Host + "/" + url.PathEscape(parts[0])
	return Site{Guesses: []Candidate{{URL: base + ".rss", Type: RSS}, {URL: base + ".atom", Type: Atom}}}
}

func hatenaBookmark(_ *url.URL, host string, parts []string) Site {
	switch {
	case len(parts) == 0:
		return one(at(host, "hotentry")+".rss", RSS)
	case parts[0] == "hotentry" || parts[0] == "entrylist":
		return one(at(host, parts[:min(2, len(parts))]...)+".rss", RSS)
	case len(parts) >= 1 && !slices.Contains([]string{"entry", "search", "site", "q", "help", "my", "guide"}, parts[0]):
		return one(at(host, parts[0], "bookmark.rss"), RSS)
	}
	return Site{}
}

func hatenaBlog(_ *url.URL, host string, parts []string) Site {
	if len(parts) == 3 && parts[0] == "archive" && parts[1] == "category" {
		return Site{Feeds: []Candidate{
			{URL: at(host, "feed", "category", parts[2]), Title: parts[2], Type: Atom}, {URL: at(host, "feed"), Type: Atom},
		}}
	}
	return Site{Feeds: []Candidate{{URL: at(host, "feed"), Type: Atom}, {URL: at(host, "rss"), Type: RSS}}}
}

func note(_ *url.URL, host string, parts []string) Site {
	own := []string{"topics", "search", "notifications", "settings", "login", "signup", "explore", "magazines", "categories"}
	switch {
	case len(parts) == 0 || slices.Contains(own, parts[0]):
		return Site{}
	case parts[0] == "hashtag" && len(parts) > 1:
		return one(at(host, "hashtag", parts[1], "rss"), RSS)
	case len(parts) > 2 && parts[1] == "m":
		return Site{Feeds: []Candidate{
			{URL: at(host, parts[0], "m", parts[2], "rss"), Type: RSS}, {URL: at(host, parts[0], "rss"), Type: RSS},
		}}
	}
	return one(at(host, parts[0], "rss"), RSS)
}

func zenn(_ *url.URL, host string, parts []string) Site {
	own := []string{"articles", "books", "scraps", "about", "search", "events", "login", "enter", "privacy", "terms", "tech-or-idea", "publications"}
	switch {
	case len(parts) == 0:
		return one(at(host, "feed"), RSS)
	case (parts[0] == "topics" || parts[0] == "p") && len(parts) > 1:
		return one(at(host, parts[0], parts[1], "feed"), RSS)
	case parts[0] == "topics" || slices.Contains(own, parts[0]):
		return Site{}
	}
	return one(at(host, parts[0], "feed"), RSS)
}

func qiita(_ *url.URL, host string, parts []string) Site {
	own := []string{"about", "advent-calendar", "question-feed", "search", "login", "signup", "official-events", "opportunities", "terms", "privacy", "timeline"}
	switch {
	case len(parts) == 0 || parts[0] == "popular-items" || parts[0] == "trend":
		return one(at(host, "popular-items", "feed"), Atom)
	case parts[0] == "tags" && len(parts) > 1:
		return one(at(host, "tags", parts[1], "feed"), Atom)
	case parts[0] == "organizations" && len(parts) > 1:
		return one(at(host, "organizations", parts[1], "activities.atom"), Atom)
	case parts[0] == "tags" || parts[0] == "organizations" || slices.Contains(own, parts[0]):
		return Site{}
	}
	return one(at(host, parts[0], "feed"), Atom)
}

func medium(_ *url.URL, host string, parts []string) Site {
	if host != "medium.com" {
		return one(at(host, "feed"), RSS)
	}
	own := []string{"about", "m", "me", "search", "topics", "explore-topics", "membership", "creators", "policy"}
	switch {
	case len(parts) == 0 || slices.Contains(own, parts[0]):
		return Site{}
	case parts[0] == "tag" && len(parts) > 1:
		return one(at(host, "feed", "tag", parts[1]), RSS)
	case len(parts) > 2 && parts[1] == "tagged":
		return one(at(host, "feed", parts[0], "tagged", parts[2]), RSS)
	}
	return one(at(host, "feed", parts[0]), RSS)
}

// substack: each publication has a host. People's profiles name theirs in the page only.
func substack(_ *url.URL, host string, parts []string) Site {
	switch {
	case host == "open.substack.com":
		if len(parts) > 1 && parts[0] == "pub" && isLabel(parts[1]) {
			return one(at(parts[1]+".substack.com", "feed"), RSS)
		}
		return Site{}
	case host == "substack.com":
		return Site{}
	}
	return one(at(host, "feed"), RSS)
}

// isLabel tells what can be the first part of a host name.
func isLabel(s string) bool {
	return s != "" && len(s) < 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-')
	})
}

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

func ameblo(_ *url.URL, _ string, parts []string) Site {
	if len(parts) == 0 {
		return Site{}
	}
	return one(at("rssblog.ameba.jp", parts[0], "rss20.html"), RSS)
}

func devTo(_ *url.URL, host string, parts []string) Site {
	switch {
	case len(parts) == 0:
		return one(at(host, "feed"), RSS)
	case parts[0] == "t" && len(parts) > 1:
		return one(at(host, "feed", "tag", parts[1]), RSS)
	case parts[0] == "t":
		return Site{}
	}
	return one(at(host, "feed", parts[0]), RSS)
}

func bluesky(_ *url.URL, host string, parts []string) Site {
	if len(parts) < 2 || parts[0] != "profile" {
		return Site{}
	}
	return one(at(host, "profile", parts[1], "rss"), RSS)
}

func stackOverflow(_ *url.URL, host string, parts []string) Site {
	if len(parts) < 3 || parts[0] != "questions" || parts[1] != "tagged" {
		return Site{}
	}
	return one(at(host, "feeds", "tag", parts[2]), Atom)
}

// Typed reads what a person may enter in place of an address: @name@host, as people of the fediverse are
// called, is the address of their profile.
func Typed(s string) string {
	s = strings.TrimSpace(s)
	rest, ok := strings.CutPrefix(s, "@")
	if !ok {
		rest, ok = strings.CutPrefix(s, "acct:")
	}
	name, host, two := strings.Cut(rest, "@")
	if !ok || !two || name == "" || !strings.Contains(host, ".") || strings.ContainsAny(host, "@/ ") {
		return s
	}
	return "https://" + host + "/@" + url.PathEscape(name)
}
