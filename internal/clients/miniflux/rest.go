package miniflux

import (
	"net/http"
	"runtime"
	"time"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/reader"
)

// compatible is the version of Miniflux whose API this is: programs look at it to know what they may ask for.
const compatible = "2.2.15"

func (r *request) version() error {
	return r.answer(http.StatusOK, map[string]string{
		"version": compatible, "commit": "ruri-" + r.Version, "build_date": "", "go_version": runtime.Version(),
		"compiler": runtime.Compiler,
		"arch":     runtime.GOARCH, "os": runtime.GOOS,
	})
}

// me answers who asks, with Miniflux's settings as they are at first.
func (r *request) me() error {
	return r.answer(http.StatusOK, struct {
		ID            int        `json:"id"`
		Username      string     `json:"username"`
		Theme         string     `json:"theme"`
		Language      string     `json:"language"`
		Timezone      string     `json:"timezone"`
		Direction     string     `json:"entry_sorting_direction"`
		Order         string     `json:"entry_sorting_order"`
		Stylesheet    string     `json:"stylesheet"`
		CustomJS      string     `json:"custom_js"`
		FontHosts     string     `json:"external_font_hosts"`
		GoogleID      string     `json:"google_id"`
		OpenIDID      string     `json:"openid_connect_id"`
		PerPage       int        `json:"entries_per_page"`
		Gesture       string     `json:"gesture_nav"`
		LastLogin     *time.Time `json:"last_login_at"`
		Display       string     `json:"display_mode"`
		Speed         int        `json:"default_reading_speed"`
		CJKSpeed      int        `json:"cjk_reading_speed"`
		Home          string     `json:"default_home_page"`
		CategoryOrder string     `json:"categories_sorting_order"`
		PlaybackRate  float64    `json:"media_playback_rate"`
		BlockRules    string     `json:"block_filter_entry_rules"`
		KeepRules     string     `json:"keep_filter_entry_rules"`
		ReadOnView    bool       `json:"mark_read_on_view"`
		ReadOnPlayed  bool       `json:"mark_read_on_media_player_completion"`
		OpenExternal  bool       `json:"always_open_external_links"`
		OpenInTab     bool       `json:"open_external_links_in_new_tab"`
		Shortcuts     bool       `json:"keyboard_shortcuts"`
		ShowTime      bool       `json:"show_reading_time"`
		Swipe         bool       `json:"entry_swipe"`
		IsAdmin       bool       `json:"is_admin"`
	}{
		ID: userNumber, Username: r.mail, Theme: "light_serif", Language: "en_US", Timezone: "UTC", Direction: "desc",
		Order: "published_at", PerPage: 100,
		Gesture: "tap", Display: "standalone", Speed: 265, CJKSpeed: cjkPerMinute, Home: "unread",
		CategoryOrder: "unread_count", PlaybackRate: 1,
		ReadOnView: true, OpenInTab: true, Shortcuts: true, ShowTime: true, Swipe: true,
	})
}

// keys has none: an app password is made and seen in the settings of the page alone.
func (r *request) keys() error { return r.answer(http.StatusOK, []struct{}{}) }

func (r *request) integrations() error {
	return r.answer(http.StatusOK, map[string]bool{"has_integrations": false})
}

func (r *request) export() error {
	feeds, err := r.Subscribe.Export(r.Context(), r.user)
	if err != nil {
		return err
	}
	for i := range feeds { // programs get no passwords of private feeds
		feeds[i].XMLURL = reader.ShownURL(feeds[i].XMLURL)
	}
	r.w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, err = r.w.Write(opml.Encode("Ruri Reader", feeds, time.Time{}))
	return err
}

func (r *request) importFeeds() error {
	body, err := clients.Body(r.Request, opml.MaxBytes)
	if err != nil {
		return err
	}
	im, err := r.Subscribe.StartImport(r.Context(), r.user, body)
	if err != nil {
		return err
	}
	if im.Failed != "" {
		return bad(texts.Feed(im.Failed).Message.In(texts.English))
	}
	return r.answer(http.StatusCreated, map[string]string{"message": "Feeds imported successfully"})
}
