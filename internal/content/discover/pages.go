package discover

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
)

// In finds the feeds that a page names: by its own links, or in the way of a site that is known to hide them. The page
// is the body read from an address, whatever its media type.
func In(pageURL string, page []byte, contentType string) []Candidate {
	if u, err := url.Parse(pageURL); err == nil {
		host := withoutWWW(u.Hostname())
		find := func([]byte) []Candidate { return nil }
		switch {
		case youtubeHosts.has(host):
			find = youtubePage
		case appleHosts.has(host):
			find = appleFeedURL
		}
		if found := find(page[:min(len(page), maxPage)]); len(found) > 0 {
			return found
		}
	}
	return Links(pageURL, page, contentType)
}

// Sites whose pages hold the address of a feed elsewhere than in a link.
var (
	youtubeHosts = hosts{"youtube.com", "m.youtube.com", "music.youtube.com"}
	appleHosts   = hosts{"podcasts.apple.com", "itunes.apple.com"}
)

// youtubePage: the page of a handle, a user or a film names its channel, each template of theirs in another
// place. The most specific is looked at first: pages show other people's channels too.
func youtubePage(page []byte) []Candidate {
	for _, mark := range []string{
		`<link rel="canonical" href="https://www.youtube.com/channel/`, `<meta itemprop="channelId" content="`,
		`<meta itemprop="identifier" content="`, `"externalId":"`, `"browseId":"`,
	} {
		rest := page
		for range 8 {
			_, after, ok := bytes.Cut(rest, []byte(mark))
			if !ok {
				break
			}
			if id := string(after[:min(24, len(after))]); isChannel(id) {
				return youtube(&url.URL{}, "", []string{"channel", id}).Feeds
			}
			rest = after
		}
	}
	return nil
}

// appleFeedURL reads "feedUrl" out of the catalogue's answer, or out of the script of a page.
func appleFeedURL(page []byte) []Candidate {
	var out []Candidate
	for len(out) < maxCandidates {
		_, after, ok := bytes.Cut(page, []byte(`"feedUrl"`))
		if !ok {
			break
		}
		page = after
		after = bytes.TrimLeft(after, " \t\r\n:")
		var address string
		if json.NewDecoder(bytes.NewReader(after)).Decode(&address) != nil {
			continue
		}
		if u, ok := resolve(&url.URL{}, address); ok {
			c := Candidate{URL: u.String(), Type: RSS}
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}
