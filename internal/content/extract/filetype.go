package extract

import (
	"net/url"
	"path"
	"strings"
)

// FileType returns the media type of an attached file in lower case: the declared one, else that of the ending of its
// address where the declared one says nothing. ok is false for types that no program of today opens.
func FileType(declared, address string) (kind string, ok bool) {
	kind, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(declared)), ";")
	kind = strings.TrimSpace(kind)
	ending := ""
	if u, err := url.Parse(address); err == nil {
		ending = strings.TrimPrefix(strings.ToLower(path.Ext(u.Path)), ".")
	}
	if isDead[kind] || isDead[ending] {
		return "", false
	}
	if alias, ok := aliases[kind]; ok {
		kind = alias
	}
	if byEnding := endings[ending]; byEnding != "" && saysNothing[kind] {
		return byEnding, true
	}
	return kind, true
}

// saysNothing lists types that say nothing about a file.
var saysNothing = map[string]bool{
	"": true, "application/octet-stream": true, "binary/octet-stream": true, "application/force-download": true,
	"application/download":   true,
	"application/x-download": true, "unknown/unknown": true, "application/ogg": true, "audio": true, "video": true,
	"text/html": true, "text/plain": true,
}

// aliases are types that browsers do not know, with the ones that they do.
var aliases = map[string]string{
	"audio/mp3": "audio/mpeg", "audio/x-mp3": "audio/mpeg", "audio/mpeg3": "audio/mpeg", "audio/x-mpeg": "audio/mpeg",
	"audio/mpg":   "audio/mpeg",
	"audio/x-m4a": "audio/mp4", "audio/m4a": "audio/mp4", "video/x-m4v": "video/mp4", "video/m4v": "video/mp4",
	"application/mp4": "video/mp4", "application/mp3": "audio/mpeg",
}

// endings of the files that pages play.
var endings = map[string]string{
	"mp3": "audio/mpeg", "m4a": "audio/mp4", "m4b": "audio/mp4", "aac": "audio/aac", "ogg": "audio/ogg",
	"oga": "audio/ogg", "opus": "audio/ogg",
	"flac": "audio/flac", "wav": "audio/wav", "weba": "audio/webm",
	"mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mov": "video/quicktime",
}

var isDead = map[string]bool{
	"application/x-shockwave-flash": true, "application/vnd.adobe.flash.movie": true, "application/futuresplash": true,
	"video/x-flv":                   true,
	"application/x-silverlight-app": true, "application/x-java-applet": true, "swf": true, "flv": true,
}
