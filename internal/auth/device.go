package auth

import "strings"

// browsers and systems by a part of their User-Agent, the specific before the general: nearly every browser also claims
// to be Mozilla, Chrome and Safari.
var (
	browsers = [][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"Vivaldi/", "Vivaldi"}, {"SamsungBrowser/", "Samsung Internet"},
		{"FxiOS/", "Firefox"}, {"Firefox/", "Firefox"}, {"CriOS/", "Chrome"}, {"HeadlessChrome/", "Headless Chrome"},
		{"Chromium/", "Chromium"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"},
		{"Macintosh", "Mac"}, {"Mac OS X", "Mac"}, {"Linux", "Linux"}, {"BSD", "BSD"},
	}
)

// maxDevice bounds the name of a program that is not a browser.
const maxDevice = 40

// Device describes a User-Agent: "Firefox on Linux", "curl", "" if unknown.
func Device(agent string) string {
	browser, system := firstOf(browsers, agent), firstOf(systems, agent)
	switch {
	case strings.HasPrefix(agent, "Mozilla/") && browser != "" && system != "":
		return browser + " on " + system
	case strings.HasPrefix(agent, "Mozilla/"):
		return browser + system
	}
	name, _, _ := strings.Cut(agent, "/")
	name, _, _ = strings.Cut(name, " ")
	if len(name) > maxDevice || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return name
}

func firstOf(list [][2]string, agent string) string {
	for _, e := range list {
		if strings.Contains(agent, e[0]) {
			return e[1]
		}
	}
	return ""
}
