package api

import (
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/reader"
)

// waitText writes a duration, rounded up: in minutes up to 90, then in hours up to 48, then in days.
func waitText(d time.Duration, lang string) string {
	for _, u := range [...]struct {
		unit   time.Duration
		upTo   int
		en, ja string
	}{{time.Minute, 90, " min", "分"}, {time.Hour, 48, " h", "時間"}, {24 * time.Hour, 1 << 30, " days", "日"}} {
		n := max(1, int((d+u.unit-1)/u.unit))
		if n <= u.upTo {
			return strconv.Itoa(n) + texts.Text{En: u.en, Ja: u.ja}.In(lang)
		}
	}
	return ""
}

// feedFault shapes why a feed fails, since a Unix time; nil without a code.
func feedFault(lang, code string, since int64) *faultJSON {
	if code == "" {
		return nil
	}
	f := texts.Feed(code)
	return &faultJSON{code, reader.CategoryOf(code), f.Message.In(lang), f.Action.In(lang), moment(since)}
}

// checkReason shapes the reason for a feed's interval or next check.
func checkReason(lang, code string) reasonJSON {
	return reasonJSON{code, texts.Check(code).In(lang)}
}

// codeMessage returns the sentence of a code inside an answer; empty without a code. detail is the English sentence of
// this case, for a code without one.
func codeMessage(lang, code, detail string) string {
	if code == "" {
		return ""
	}
	t, _ := texts.Of(code)
	if s := t.Message.In(lang); s != "" && !strings.Contains(s, "%") {
		return s
	}
	if detail != "" {
		return detail
	}
	message, _ := texts.Describe(&fault.Error{Kind: fault.Invalid}, lang)
	return message
}
