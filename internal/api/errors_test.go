package api_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// Message, action and details of fields in both languages. G-46, G-78, G-79
func TestErrorsAreBilingual(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ask := func(lang, method, path, body string) (*httptest.ResponseRecorder, problem) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.Header.Set("Accept-Language", lang)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		var p problem
		if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		return rec, p
	}
	for _, c := range []struct{ lang, method, path, body, message, field, code string }{
		{"ja,en;q=0.5", "GET", "/api/stats?days=99", "", "日数は1〜30で指定してください。", "days", "bad_days"},
		{"en-US", "GET", "/api/stats?days=99", "", "The number of days must be from 1 to 30.", "days", "bad_days"},
		{"ja", "GET", "/api/items?limit=0", "", "件数は1〜200で指定してください。", "limit", "bad_limit"},
		{"fr", "GET", "/api/items?cursor=@@", "", "This position in the list is no longer valid.",
			"cursor", "bad_cursor"},
		{"ja", "PUT", "/api/items/5121/state", `{"isRead":"yes"}`, "リクエスト本文の JSON が正しくありません。", "isRead", "wrong_type"},
		{"ja", "POST", "/api/feeds", `{"uri":"x"}`, "リクエスト本文の JSON が正しくありません。", "uri", "unknown_field"},
		{"ja", "PATCH", "/api/items", "", "このアドレスでは、このメソッドは使えません。", "", ""},
		{"ja", "GET", "/api/feeds/99", "", "このフィードは購読していません。", "", ""},
		{"en", "GET", "/api/auth/errors/email_taken", "", "This e-mail address is already in use.", "", ""},
		{"ja", "GET", "/api/auth/errors/of_tomorrow", "", "ログインできませんでした。", "", ""},
	} {
		rec, p := ask(c.lang, c.method, c.path, c.body)
		want := "en"
		if strings.HasPrefix(c.lang, "ja") {
			want = "ja"
		}
		if p.Message != c.message || p.Action == "" || rec.Header().Get("Content-Language") != want {
			t.Errorf("%+v answers %q %+v", c, rec.Header().Get("Content-Language"), p)
		}
		if !strings.Contains(strings.Join(rec.Header().Values("Vary"), ","), "Accept-Language") {
			t.Errorf("%s varies by %q", c.path, rec.Header().Values("Vary"))
		}
		if c.field == "" && len(p.Details) > 0 || c.field != "" &&
			(len(p.Details) != 1 || p.Details[0].Field != c.field || p.Details[0].Code != c.code ||
				p.Details[0].Message == "") {
			t.Errorf("%+v has the details %+v", c, p.Details)
		}
	}
}
