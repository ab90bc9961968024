package api_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/samples"
)

type ruleAnswer struct {
	Rules []struct {
		ID, Name, AppliesSince string
		IsEnabled              bool
	}
	Revision string
}

const aRule = `{"id":"","name":"宣伝","isEnabled":true,"feeds":[],"folders":[],"match":"all","stop":false,
"conditions":[{"field":"anywhere","mode":"regexp","pattern":".","isNegated":false}],"actions":[{"type":"hide"}]}`

// TestRulesAPI: rules are replaced as a whole under their revision, tried without being kept, carried out on
// what is unread, and what they hid is listed with the rule's name and can be shown again. (issue 4, 2: rules)
func TestRulesAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	id := feeds[0].Feed.ID
	var set ruleAnswer
	w.want(w.call("GET", "/api/rules", nil, &set), 200)
	if len(set.Rules) != 0 || set.Revision != "0" {
		t.Fatalf("before any rule: %+v", set)
	}
	w.want(w.call("PUT", "/api/rules", `{"revision":"0","rules":[`+aRule+`]}`, &set), 200)
	if len(set.Rules) != 1 || set.Rules[0].ID == "" || set.Revision != "1" ||
		set.Rules[0].AppliesSince != w.clock.Now().Format(time.RFC3339) {
		t.Fatalf("%+v", set)
	}
	w.want(w.call("PUT", "/api/rules", `{"revision":"0","rules":[]}`, nil), 409)
	var tried struct {
		ItemsLookedAt int
		Matches       []struct {
			Item  struct{ ID, Title string }
			Parts []struct{ Field, Match string }
		}
	}
	w.want(w.call("POST", "/api/rules/dry-run", `{"feedId":"`+id+`","rule":`+aRule+`}`, &tried), 200)
	n := samples.List()[0].Items
	if tried.ItemsLookedAt != n || len(tried.Matches) != n || len(tried.Matches[0].Parts) == 0 ||
		tried.Matches[0].Parts[0].Match == "" {
		t.Errorf("%+v", tried)
	}
	var done struct {
		Hidden     int
		NextCursor *string
		Totals     struct{ Unread int }
	}
	var before feedAnswer
	w.want(w.call("GET", "/api/feeds/"+id, nil, &before), 200)
	w.want(w.call("POST", "/api/rules/apply", `{"ruleId":"`+set.Rules[0].ID+`","feedId":"`+id+`"}`, &done), 200)
	if done.Hidden != before.Feed.UnreadCount || done.NextCursor != nil {
		t.Errorf("%+v, of %d unread", done, before.Feed.UnreadCount)
	}
	var hidden struct {
		Items []struct {
			Item struct{ ID string }
			Rule *struct{ ID, Name string }
		}
		NextCursor *string
	}
	w.want(w.call("GET", "/api/rules/hidden?limit=2", nil, &hidden), 200)
	if len(hidden.Items) != 2 || hidden.Items[0].Rule == nil || hidden.Items[0].Rule.Name != "宣伝" ||
		hidden.NextCursor == nil {
		t.Fatalf("%+v", hidden)
	}
	var shown struct {
		Item   struct{ IsRead bool }
		Feed   struct{ UnreadCount int }
		Totals struct{ Unread int }
	}
	w.want(w.call("POST", "/api/rules/hidden/"+hidden.Items[0].Item.ID+"/show", nil, &shown), 200)
	if shown.Item.IsRead || shown.Feed.UnreadCount != 1 || shown.Totals.Unread != done.Totals.Unread+1 {
		t.Errorf("%+v after %+v", shown, done)
	}
	w.want(w.call("POST", "/api/rules/hidden/123/show", nil, nil), 404)
	w.want(w.call("POST", "/api/rules/apply", `{"ruleId":"other"}`, nil), 404)
}

func TestNamesOfRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var set ruleAnswer
	// A name is one line; what controls a terminal is no part of it.
	named := strings.Replace(aRule, "宣伝", `  a\u0007 \u001b[31m\nb `, 1)
	w.want(w.call("PUT", "/api/rules", `{"revision":"0","rules":[`+named+`]}`, &set), 200)
	if got := set.Rules[0].Name; got != "a [31m b" {
		t.Errorf("the name was kept as %q", got)
	}
}

// TestRuleOfASearch: a condition that is a search is kept as it was made.
func TestRuleOfASearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const search = `"mode":"search","pattern":"サクラ -\"PR\" title:go","kana":"fold"`
	rule := strings.Replace(aRule, `"mode":"regexp","pattern":"."`, search, 1)
	w.want(w.call("PUT", "/api/rules", `{"revision":"0","rules":[`+rule+`]}`, nil), 200)
	var kept struct {
		Rules []struct {
			Conditions []struct{ Mode, Pattern, Kana string }
		}
	}
	w.want(w.call("GET", "/api/rules", nil, &kept), 200)
	if c := kept.Rules[0].Conditions[0]; c.Mode != "search" || c.Pattern != `サクラ -"PR" title:go` || c.Kana != "fold" {
		t.Errorf("kept as %+v", c)
	}
}

// Errors of rules name their fields. (G-79)
func TestInvalidRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct{ from, to, code, field, ja string }{
		{`"pattern":"."`, `"pattern":"日本("`, "bad_regexp", "rules[0].conditions[0].pattern", "4文字目"},
		{`"type":"hide"`, `"type":"eat"`, "bad_rule_value", "rules[0].actions[0].type", "ここでは使えません"},
		{`"type":"hide"`, `"type":"label","labelId":"3"`, "bad_rule_value", "rules[0].actions[0].label", "ここでは使えません"},
		{`"mode":"regexp","pattern":"."`, `"mode":"any","words":["\u200b"]`, "bad_rule_word",
			"rules[0].conditions[0].words[0]", "単語には"},
		{`"mode":"regexp","pattern":"."`, `"mode":"search","pattern":"桜 is:unread"`, "bad_rule_search",
			"rules[0].conditions[0].pattern", "使えません"},
		{`"mode":"regexp","pattern":"."`, `"mode":"search","pattern":"-桜"`, "search_empty",
			"rules[0].conditions[0].pattern", "検索する言葉"},
		{`"mode":"regexp","pattern":"."`, `"mode":"search","pattern":"桜","kana":"some"`, "bad_kana", "kana", "fold"},
		{`"folders":[]`, `"folders":["4"]`, "bad_rule_value", "rules[0].folders[0]", "ここでは使えません"},
		{`"match":"all"`, `"match":"some"`, "bad_rule_match", "match", "all または any"},
		{`"name"`, `"nom"`, "bad_json", "nom", ""},
		{`"folders":[]`, `"folders":["x"]`, "bad_json", "", ""},
		{`"folders":[]`, `"folders":[4]`, "bad_json", "", ""},
	} {
		body := `{"revision":"0","rules":[` + strings.Replace(aRule, c.from, c.to, 1) + `]}`
		r := httptest.NewRequest("PUT", "/api/rules", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.Header.Set("Accept-Language", "ja")
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		got := rec.Body.String()
		if rec.Code != 400 || !strings.Contains(got, `"code":"`+c.code+`"`) || !strings.Contains(got, `"`+c.field) ||
			!strings.Contains(got, c.ja) {
			t.Errorf("%s: %d %s", c.to, rec.Code, got)
		}
	}
	w.want(w.call("PUT", "/api/rules", `{"revision":"0","rules":[`+strings.Repeat(aRule+",", 200)+aRule+`]}`, nil), 413)
}
