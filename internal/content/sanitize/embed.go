package sanitize

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// embeds are the elements by which pages embed players. A frame is never shown, since it would tell a third party about
// the reader before they ask for anything. A link to the player's own page replaces it.
var embeds = set("iframe", "embed", "object", "param")

// players are the sites whose players are known: the host (with its subdomains), what its embedding address looks
// like (path and query, the latter decoded), and the page to open; "" opens the embedding address itself.
var players = []struct {
	name, host string
	address    *pattern.Pattern
	page       string
}{
	{"YouTube", "youtube.com", pattern.New(`^/embed/videoseries\?(?:.*&)?list=([\w-]+)`),
		"https://www.youtube.com/playlist?list=$1"},
	{"YouTube", "youtube.com", youTubeVideo, "https://www.youtube.com/watch?v=$1"},
	{"YouTube", "youtube-nocookie.com", youTubeVideo, "https://www.youtube.com/watch?v=$1"},
	{"Vimeo", "player.vimeo.com", pattern.New(`^/video/(\d+)\?(?:.*&)?h=(\w+)`), "https://vimeo.com/$1/$2"},
	{"Vimeo", "player.vimeo.com", pattern.New(`^/video/(\d+)`), "https://vimeo.com/$1"},
	{"Dailymotion", "dailymotion.com", pattern.New(`^/embed/video/(\w+)`),
		"https://www.dailymotion.com/video/$1"},
	{"Dailymotion", "geo.dailymotion.com", pattern.New(`^/player.*\?(?:.*&)?video=(\w+)`),
		"https://www.dailymotion.com/video/$1"},
	{"ニコニコ動画", "nicovideo.jp", pattern.New(`^/(?:watch|thumb|thumb_watch)/(\w+)`),
		"https://www.nicovideo.jp/watch/$1"},
	{"bilibili", "player.bilibili.com", pattern.New(`^/player\.html\?(?:.*&)?bvid=(\w+)`),
		"https://www.bilibili.com/video/$1"},
	{"bilibili", "player.bilibili.com", pattern.New(`^/player\.html\?(?:.*&)?aid=(\d+)`),
		"https://www.bilibili.com/video/av$1"},
	{"Twitch", "player.twitch.tv", pattern.New(`^/\?(?:.*&)?video=v?(\d+)`), "https://www.twitch.tv/videos/$1"},
	{"Twitch", "player.twitch.tv", pattern.New(`^/\?(?:.*&)?channel=(\w+)`), "https://www.twitch.tv/$1"},
	{"Spotify", "open.spotify.com", pattern.New(`^/embed(?:-podcast)?/([\w/-]+)`),
		"https://open.spotify.com/$1"},
	{"SoundCloud", "w.soundcloud.com", pattern.New(`^/player/?\?(?:.*&)?url=(https://soundcloud\.com/[\w/-]+)`),
		"$1"},
	{"SoundCloud", "w.soundcloud.com", pattern.New(`^/player/?\?`), ""},
	{"Apple Podcasts", "embed.podcasts.apple.com", pattern.New(`^/(.+)`), "https://podcasts.apple.com/$1"},
	{"Apple Music", "embed.music.apple.com", pattern.New(`^/(.+)`), "https://music.apple.com/$1"},
	{"Bandcamp", "bandcamp.com", pattern.New(`^/EmbeddedPlayer`), ""},
	{"TED", "embed.ted.com", pattern.New(`^/(talks/[\w/-]+)`), "https://www.ted.com/$1"},
	{"Bluesky", "embed.bsky.app", pattern.New(`^/embed/(did:[\w:.-]+)/app\.bsky\.feed\.post/(\w+)`),
		"https://bsky.app/profile/$1/post/$2"},
	{"X", "platform.twitter.com", pattern.New(`^/embed/.*\?(?:.*&)?id=(\d+)`), "https://x.com/i/status/$1"},
	{"Instagram", "instagram.com", pattern.New(`^/(?:p|reel)/([\w-]+)/embed`), "https://www.instagram.com/p/$1/"},
	{"TikTok", "tiktok.com", pattern.New(`^/(?:embed/v2|embed|player/v1)/(\d+)`), "https://www.tiktok.com/@/video/$1"},
	{"Streamable", "streamable.com", pattern.New(`^/[eos]/(\w+)`), "https://streamable.com/$1"},
	{"CodePen", "codepen.io", pattern.New(`^/([\w-]+)/embed/(?:preview/)?(\w+)`), "https://codepen.io/$1/pen/$2"},
	{"Datawrapper", "datawrapper.dwcdn.net", pattern.New(`^/\w+/`), ""},
	{"Flourish", "flo.uri.sh", pattern.New(`^/(?:visualisation|story)/\d+/embed`), ""},
	{"Google Maps", "google.com", pattern.New(`^/maps/(?:embed|d/(?:u/\d+/)?embed)`), ""},
	{"Internet Archive", "archive.org", pattern.New(`^/embed/([\w.-]+)`), "https://archive.org/details/$1"},
}

var (
	youTubeVideo = pattern.New(`^/(?:embed|v|e|shorts)/([\w-]{6,20})(?:[/?&]|$)`)
	// peerTube is the address of a player at any of the many servers of PeerTube.
	peerTube = pattern.New(`^/videos/embed/([\w-]{20,40})$`)
	// mastodon is that of a post at any of the servers of Mastodon.
	mastodon = pattern.New(`^(/@[\w.-]+(?:@[\w.-]+)?/\d{10,20})/embed$`)
)

// playerOf names the player behind an embedding address, and returns the page to open.
func playerOf(u *url.URL) (name, page string, ok bool) {
	host := strings.ToLower(u.Hostname())
	address := u.Path
	if query, err := url.QueryUnescape(u.RawQuery); err == nil && query != "" {
		address += "?" + query
	}
	for _, p := range players {
		if host != p.host && !strings.HasSuffix(host, "."+p.host) {
			continue
		}
		form := p.address.Regexp()
		if m := form.FindStringSubmatchIndex(address); m != nil {
			if p.page == "" {
				return p.name, u.String(), true
			}
			return p.name, string(form.ExpandString(nil, p.page, address, m)), true
		}
	}
	if m := peerTube.FindStringSubmatch(u.Path); m != nil {
		return host, "https://" + u.Host + "/videos/watch/" + m[1], true
	}
	if m := mastodon.FindStringSubmatch(u.Path); m != nil {
		return host, "https://" + u.Host + m[1], true
	}
	return "", "", false
}

// embed writes the link that replaces an embedded player; nothing for other frames.
func (w *writer) embed(attrs []html.Attribute) {
	if isPixelSize(attrs) {
		return
	}
	for _, key := range []string{"src", "data", "value", "data-src", "data-lazy-src", "data-original"} {
		u, ok := resolve(w.base, text(attrs, key))
		if !ok || u.Scheme != "https" && u.Scheme != "http" {
			continue
		}
		name, page, ok := playerOf(u)
		target, valid := resolve(nil, page)
		if !ok || !valid || target.String() == w.lastEmbed {
			continue // the last one: a player is often written in two ways, for old browsers or without scripts
		}
		w.lastEmbed = target.String()
		words := name
		if title := strings.Join(strings.Fields(clean(text(attrs, "title"), maxText)), " "); title != "" {
			words = name + ": " + title
		}
		w.imply("a")
		w.imply("p")
		if before := len(w.open); w.fits() {
			if w.pushTag("p", "p", `<p class="embed">`); len(w.open) > before {
				w.link(w.lastEmbed, "", words)
				w.popTo(before)
			}
		}
		return
	}
}

// fits reports whether elements may still be nested here.
func (w *writer) fits() bool { return w.shown+1 < maxDepth && len(w.open)+1 < maxOpen }

// link writes a link.
func (w *writer) link(href, class, words string) {
	l := list{}
	l.add("href", href)
	l.external()
	if class != "" {
		l.add("class", class)
	}
	before := len(w.open)
	if w.pushTag("a", "a", startTag("a", l)); len(w.open) > before {
		w.text(words)
		w.popTo(before)
	}
}
