package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// searches looks for words of the farm's vocabulary, others in each request, so that no answer is the same as the one
// before.
func searches() []operation {
	words := strings.Fields(
		`release version software server network security update report market price city health study research climate
		energy review album film player season team music video camera phone model data kernel database`)
	// pairs calls of for each word and another one.
	pairs := func(of func(a, b string) string) (list []string) {
		for i, w := range words {
			list = append(list, of(w, words[(i+7)%len(words)]))
		}
		return list
	}
	search := func(name string, queries []string, wantsHits bool) operation {
		return operation{gate: "P11", name: "search: " + name, must: "15", next: func(v *visitor) ask {
			return ask{method: "GET", path: searchPath(queries[v.pick(len(queries))])}
		}, check: func(body []byte) (int, error) { return checkSearch(body, wantsHits) }}
	}
	return []operation{
		search("a word", words, true),
		search("two words", pairs(func(a, b string) string { return a + " " + b }), true),
		search("two Japanese characters", strings.Fields("東京 日本 大学 新聞 人年 会社 本語 一国 学人 京大"), true),
		search("four Japanese characters", strings.Fields("日本語新 日本新聞 東京日本 新聞日本 本語東京 日東京大 語日本新 聞日本東"), false),
		search("a phrase of frequent words", []string{`"of the"`, `"and a"`, `"in the"`, `"to a"`, `"is the"`,
			`"that a"`, `"it of"`, `"the and"`}, true),
		search("a phrase of rare words", pairs(func(a, b string) string { return `"` + a + " " + b + `"` }), false),
		search("a word without another", pairs(func(a, b string) string { return a + " -" + b }), true),
		search("the beginning of a word", pairs(func(a, _ string) string { return a[:3] + "*" }), true),
		search("no hit", pairs(func(a, b string) string { return a + "zq" + b }), false),
	}
}

func searchPath(q string) string {
	return fmt.Sprintf("/api/search?limit=%d&q=%s", pageSize, url.QueryEscape(q))
}

// checkSearch counts the items of an answer, which must be of a whole index.
func checkSearch(body []byte, wantsHits bool) (int, error) {
	var a struct {
		Items []struct{ ID string }
		State string
	}
	err := json.Unmarshal(body, &a)
	if err == nil && (a.State != "ready" || wantsHits && len(a.Items) == 0) {
		err = fmt.Errorf("%d items found, the index is %s", len(a.Items), a.State)
	}
	return len(a.Items), err
}

// searchCold is how long the first search of a server takes.
func (v *server) searchCold(token string) (time.Duration, error) {
	one, err := newVisitor(v.addr, token, 0, 1)
	if err != nil {
		return 0, err
	}
	defer one.close()
	began := time.Now()
	a, err := one.do(ask{method: "GET", path: searchPath("kernel database")}, true)
	took := time.Since(began)
	if err == nil {
		_, err = checkSearch(a.body, true)
	}
	return took, err
}
