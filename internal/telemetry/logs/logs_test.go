package logs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/telemetry/logs"
)

func TestScrub(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain words, 12:30 and a/path":                             "plain words, 12:30 and a/path",
		`Get "https://u:pw@Example.org:8443/k/SECRET?key=SECRET#x"`: `Get "https://example.org:8443/…"`,
		"fetch: https://example.org/a?b=SECRET: timeout":            "fetch: https://example.org/…: timeout",
		"to http://[2001:db8::1]:80/SECRET and http://b.example": "to http://[2001:db8::1]:80/… and " +
			"http://b.example/…",
		"feed://example.org/SECRET":              "feed://example.org/…",
		"https://%zz/SECRET":                     "https://…",
		"token ruri_live_SECRET-_9 refused":      "token … refused",
		"token ruri_test_SECRET-_9 refused":      "token … refused",
		"GET /auth/link/SECRET-_ HTTP/1.1":       "GET /auth/link/… HTTP/1.1",
		"the pattern /auth/link/{token}":         "the pattern /auth/link/{token}",
		"Cookie: __Host-ruri=SECRET.SECRET; a=b": "Cookie: __Host-ruri=…; a=b",
		"authorization: Bearer SECRETSECRET":     "authorization: Bearer …",
		"There is already a user with the address anna@example.org": "There is already a user with the address " +
			"…@example.org",
		"GoogleLogin auth=SECRETSECRET": "GoogleLogin auth=…",
	} {
		if got := logs.Scrub(in); got != want {
			t.Errorf("%q\nbecomes %q\nwant    %q", in, got, want)
		}
	}
}

func TestEveryKindOfAttributeIsScrubbed(t *testing.T) {
	t.Parallel()
	u, _ := url.Parse("https://u:SECRET@example.org/SECRET")
	for _, format := range []string{"json", "text"} {
		var buf bytes.Buffer
		log := logs.New(&buf, format, slog.LevelInfo).With("base", "https://example.org/SECRET")
		log.Error("failed at https://example.org/SECRET", "error",
			fmt.Errorf("get: %w", errors.New("https://example.org/SECRET")),
			"url", u, slog.Group("in", "text", "ruri_live_SECRET"), "n", 3)
		if strings.Contains(buf.String(), "SECRET") {
			t.Errorf("%s: %s", format, buf.String())
		}
		if format == "json" {
			var line map[string]any
			if err := json.Unmarshal(buf.Bytes(), &line); err != nil || line["n"] != 3.0 {
				t.Errorf("%v: %s", err, buf.String())
			}
		}
	}
}

func FuzzScrubHidesWhatFollowsAHost(f *testing.F) {
	f.Add("a b", "/p?q=")
	f.Fuzz(func(t *testing.T, before, path string) {
		if strings.ContainsAny(path, " \t\n\r\v\f\"'<>\\^{|}`") || strings.Contains(before+path, "5eCr3t") ||
			strings.ContainsRune(path, 0x85) || strings.ContainsRune(path, 0xA0) {
			t.Skip()
		}
		if got := logs.Scrub(before + " https://example.org/" + path + "5eCr3t"); strings.Contains(got, "5eCr3t") {
			t.Errorf("%q", got)
		}
	})
}

func TestSamplerCountsBySort(t *testing.T) {
	t.Parallel()
	s := logs.NewSampler(20)
	kept := map[string]int{}
	for range 100 {
		for _, sort := range []string{"GET /api/feeds 304", "poll notModified"} {
			if s.Keep(sort) {
				kept[sort]++
			}
		}
	}
	for sort, n := range kept {
		if n != 5 {
			t.Errorf("%s: %d of 100 are kept, want 5", sort, n)
		}
	}
	if len(kept) != 2 || !logs.NewSampler(1).Keep("x") {
		t.Errorf("%v", kept)
	}
	for i := range 5000 { // bounded, and the first of each sort is still kept
		if !s.Keep(fmt.Sprint(i)) {
			t.Fatalf("sort %d was not kept", i)
		}
	}
}
