package auth

import "strings"

// browsers and systems by what their User-Agent has, the particular before the general: nearly every browser says
// that it is Mozilla, Chrome and Safari too.
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

// maxDevice bounds the name of a program that is no browser.
const maxDevice = 40

// Device tells a person which device a User-Agent stands for: "Firefox on Linux", "curl", "" when nobody can tell.
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
