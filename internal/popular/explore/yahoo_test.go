package explore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/tags"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/popular/explore"
)

const clientID = "dj00aiZpPWFiYw--"

// yahoo is the service as its documentation describes it, which checks how it is asked.
type yahoo struct {
	t     *testing.T
	clk   *clock.Manual
	texts []string    // that were sent
	times []time.Time // of the calls
	// answer replaces the usual answer, if not nil and it returns one.
	answer func(text string) *fetch.Response
}

func (y *yahoo) Do(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	y.t.Helper()
	var in struct {
		ID, JSONRPC, Method string
		Params              struct{ Q string }
	}
	p := r.Post
	if r.URL != "https://jlp.yahooapis.jp/KeyphraseService/V2/extract" || p == nil || !p.Answered ||
		p.ContentType != "application/json" || r.MaxBytes == 0 {
		y.t.Fatalf("asked by %+v", r)
	}
	if err := json.Unmarshal(p.Body, &in); err != nil || in.JSONRPC != "2.0" ||
		in.Method != "jlp.keyphraseservice.extract" || in.ID == "" {
		y.t.Fatalf("not the protocol: %s, %v", p.Body, err)
	}
	if len(p.Body) > 4<<10 || len(in.Params.Q) > 2000 || !utf8.ValidString(in.Params.Q) ||
		strings.ContainsRune(in.Params.Q, utf8.RuneError) {
		y.t.Errorf("a request of %d bytes: %q", len(p.Body), in.Params.Q)
	}
	y.times, y.texts = append(y.times, y.clk.Now()), append(y.texts, in.Params.Q)
	if n := len(y.times); n > 1 && y.times[n-1].Sub(y.times[n-2]) < time.Second {
		y.t.Errorf("two calls within %s", y.times[n-1].Sub(y.times[n-2]))
	}
	if p.Header["User-Agent"] != "Yahoo AppID: "+clientID {
		return &fetch.Response{Status: 403, Body: []byte(`{"Error":{"Message":"Your Request was Forbidden"}}`)}, nil
	}
	if y.answer != nil {
		if resp := y.answer(in.Params.Q); resp != nil {
			if resp.Status == 0 {
				return nil, fault.New(fault.Unavailable, "timeout", "test", nil)
			}
			return resp, nil
		}
	}
	return phrasesOf(in.Params.Q), nil
}

// phrasesOf answers with the first two characters of a text and the characters after, which local rules do not find.
func phrasesOf(text string) *fetch.Response {
	all := []rune(text)
	n := min(2, len(all))
	return &fetch.Response{Status: 200,
		Body: fmt.Appendf(nil,
			`{"id":"1","jsonrpc":"2.0","result":{"phrases":[{"text":%q,"score":100},{"text":%q,"score":41}]}}`,
			string(all[:n])+"＊", "Y"+string(all[n:min(4, len(all))]))}
}

// H-7
func TestPhrasesOfYahoo(t *testing.T) {
	t.Parallel()
	ok := func(body string) *fetch.Response { return &fetch.Response{Status: 200, Body: []byte(body)} }
	for name, c := range map[string]struct {
		answer *fetch.Response
		want   []tags.Tag
		code   string
	}{
		"two phrases": {
			answer: ok(
				`{"id":"1","jsonrpc":"2.0","result":{"phrases":[{"text":"桜","score":100},{"text":"公園","score":7}]}}`),
			want: []tags.Tag{{Name: "桜", Score: 1}, {Name: "公園", Score: 0.07}}},
		"none": {answer: ok(`{"id":"1","jsonrpc":"2.0","result":{"phrases":[]}}`)},
		"a text of no use": {
			answer: ok(`{"id":"1","jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params"}}`)},
		"an error": {
			answer: ok(`{"id":"1","jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"}}`),
			code:   "phrases_failed"},
		"a page": {answer: ok(`<!DOCTYPE html><title>Maintenance</title>`), code: "phrases_unreadable"},
		"cut off": {answer: ok(`{"id":"1","jsonrpc":"2.0","result":{"phrases":[{"te`),
			code: "phrases_unreadable"},
		"nothing": {answer: ok(`{}`), code: "phrases_unreadable"},
		"null":    {answer: ok(`null`), code: "phrases_unreadable"},
		"a score above 100": {answer: ok(`{"result":{"phrases":[{"text":"桜","score":101}]}}`),
			code: "phrases_unreadable"},
		"a phrase of no one": {answer: ok(`{"result":{"phrases":[{"text":"","score":50}]}}`),
			code: "phrases_unreadable"},
		"refused":          {answer: &fetch.Response{Status: 403}, code: "phrases_refused"},
		"limited":          {answer: &fetch.Response{Status: 429}, code: "phrases_limited"},
		"a server's fault": {answer: &fetch.Response{Status: 500}, code: "phrases_failed"},
		"no answer":        {answer: &fetch.Response{}, code: "timeout"},
	} {
		y := &yahoo{t: t, clk: clock.NewManual(time.Unix(0, 0)), answer: func(string) *fetch.Response {
			return c.answer
		}}
		got, err := explore.NewYahoo(y).Phrases(t.Context(), clientID, "桜の公園")
		if c.code != "" && fault.CodeOf(err) != c.code || c.code == "" && err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	y := &yahoo{t: t, clk: clock.NewManual(time.Unix(0, 0))}
	long := "\xff" + strings.Repeat("a", 1) + strings.Repeat("桜", 1000)
	if _, err := explore.NewYahoo(y).Phrases(t.Context(), clientID, long); err != nil || len(y.texts[0]) < 1990 {
		t.Errorf("a long text: %d bytes, %v", len(y.texts[0]), err)
	}
}
